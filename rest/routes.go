package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The table is derived once, when the handler is made, and never changes. A row is a path, with
// at most one operation under each verb. The built-in names have places of their own (spec
// 4.2); every other operation has its kebab name after the plural, and also after an id if it
// has a parameter id:
//
//	operation          params     rows
//	product.list                  /catalog/products
//	product.update     id         /catalog/products/{id}
//	product.publish    id         /catalog/products/publish, /catalog/products/{id}/publish
//	product.bySlug     slug       /catalog/products/by-slug

// Table is the routes of a catalog. It is immutable and safe for concurrent use.
type Table struct {
	catalog *catalog.Catalog

	base   string
	fronds map[string]map[string]place // by the Frond's name and the door's plural in lower case
	facts  map[string]*row             // by the name of a Frond that announces something
	order  []*resource
}

// Route is one line of the table: the operation that a verb calls at a path. HEAD and OPTIONS
// are not listed; every GET answers HEAD, every path OPTIONS.
type Route struct {
	Verb      string // POST, or PATCH where PUT does the same
	Path      string // /api/catalog/products/{id}
	Operation *catalog.Operation
	File      *catalog.File // the field whose file the path is; nil: none is
}

// resource is one door's part of the table. collection and item are nil for a door without
// such operations.
type resource struct {
	door       *catalog.Door
	path       string // /api/catalog/products, escaped
	collection *row
	item       *row
	named      map[string]*row // by kebab name, at /{plural}/{name}
	onItem     map[string]*row // at /{plural}/{id}/{name}
	rows       []*row          // all of the above, in the order of the operations
}

// factsSegment is where the facts of a Frond are, in the place of a plural.
const factsSegment = "facts"

// place is where a plural leads: to a door's part of the table, by an old name of it or, where
// alias is nil, by its own.
type place struct {
	*resource
	alias *catalog.Alias
}

// row is one path, the operation of each verb, and the header Allow.
type row struct {
	path  string
	ops   [len(verbs)]*catalog.Operation
	many  *catalog.Operation // of a POST with a list
	file  *catalog.File      // the field whose file the path is; nil: none is
	allow string
}

// verbs are the verbs that call operations. HEAD is GET without the body; OPTIONS is
// answered from the row.
var verbs = [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// operation returns the operation of a verb, or nil.
func (r *row) operation(verb string) *catalog.Operation {
	if verb == http.MethodHead {
		verb = http.MethodGet
	}
	for i, v := range verbs {
		if v == verb {
			return r.ops[i]
		}
	}
	return nil
}

// add puts an operation under verbs, and updates Allow.
func (r *row) add(op *catalog.Operation, on ...string) {
	for i, v := range verbs {
		if slices.Contains(on, v) {
			r.ops[i] = op
		}
	}
	var allow []string
	for i, v := range verbs {
		if r.ops[i] != nil {
			allow = append(allow, v)
			if v == http.MethodGet {
				allow = append(allow, http.MethodHead)
			}
		}
	}
	r.allow = strings.Join(append(allow, http.MethodOptions), ", ")
}

// crud places the operations that spec 4.2 names. They are recognised by their names: a door
// without stored rows may have a list of its own.
var crud = map[string]struct {
	onItem bool
	verbs  []string
	many   bool // of many rows, where it is built in
}{
	"list":     {false, []string{http.MethodGet}, false},
	"create":   {false, []string{http.MethodPost}, false},
	"findById": {true, []string{http.MethodGet}, false},
	"update":   {true, []string{http.MethodPut, http.MethodPatch}, false},
	"delete":   {true, []string{http.MethodDelete}, false},

	// A POST of a list is createMany, see row.many.
	"createMany": {false, nil, true},
	"updateMany": {false, []string{http.MethodPatch}, true},
	"deleteMany": {false, []string{http.MethodDelete}, true},
	"upsert":     {false, []string{http.MethodPut}, true},
}

// Derive computes the routes of a catalog under base; "" is /api. The error is schema.Faults
// with every path that two operations claim; the table is returned with it, without those
// paths.
func Derive(cat *catalog.Catalog, base string) (*Table, error) {
	if base == "" {
		base = "/api"
	}
	t := &Table{catalog: cat, base: "/" + strings.Trim(base, "/"), fronds: map[string]map[string]place{}, facts: map[string]*row{}}
	if t.base == "/" {
		t.base = ""
	}
	var faults schema.Faults
	for _, frond := range cat.Fronds {
		if len(frond.Doors) == 0 && len(frond.Facts) == 0 {
			continue
		}
		if len(frond.Facts) > 0 {
			t.facts[frond.Name] = &row{path: t.base + "/" + url.PathEscape(frond.Name) + "/" + factsSegment + "/{name}"}
		}
		plurals := t.fronds[frond.Name]
		if plurals == nil {
			plurals = map[string]place{}
			t.fronds[frond.Name] = plurals
		}
		for _, door := range frond.Doors {
			res, twice := t.resource(door)
			faults = append(faults, twice...)
			// Paths are matched without regard to the case of the plural, so that two plurals
			// that differ in case alone are one path.
			key := strings.ToLower(door.Plural)
			if key == factsSegment && t.facts[frond.Name] != nil {
				faults = append(faults, schema.Fault{
					File: door.Origin, Pointer: "/doors/" + door.Name,
					Message: fmt.Sprintf("the path %s is that of the facts of %s", res.path, frond.Name),
					Remedy:  "give the door another plural: " + door.Name + ": {plural: …}",
				})
				continue
			}
			if other := plurals[key]; other.resource != nil {
				faults = append(faults, schema.Fault{
					File: door.Origin, Pointer: "/doors/" + door.Name,
					Message: fmt.Sprintf("the path %s is claimed by %s and by %s", res.path, other.door.Name, door.Name),
					Remedy:  "give one of them another plural: " + door.Name + ": {plural: …}",
				})
				continue
			}
			plurals[key] = place{resource: res}
			t.order = append(t.order, res)
		}
		// Old names come last, so that they cannot take the path of a door.
		for _, door := range frond.Doors {
			for _, a := range door.Aliases {
				if key := strings.ToLower(a.Plural); plurals[key].resource == nil && (key != factsSegment || t.facts[frond.Name] == nil) {
					plurals[key] = place{plurals[strings.ToLower(door.Plural)].resource, a}
				}
			}
		}
	}
	return t, faults.Err()
}

// resource returns a door's part of the table, and its doubly claimed paths.
func (t *Table) resource(door *catalog.Door) (*resource, schema.Faults) {
	var faults schema.Faults
	res := &resource{
		door: door, named: map[string]*row{}, onItem: map[string]*row{},
		path: t.base + "/" + url.PathEscape(door.Frond.Name) + "/" + url.PathEscape(door.Plural),
	}
	claimed := map[string]*catalog.Operation{}
	for _, op := range door.Operations {
		if place, ok := crud[op.Name]; ok && op.IsMany() == place.many {
			if place.onItem {
				res.claim(&res.item, res.path+"/{id}").add(op, place.verbs...)
			} else {
				res.claim(&res.collection, res.path).add(op, place.verbs...)
				if op.IsMany() && place.verbs == nil {
					res.collection.many = op
				}
			}
			continue
		}
		name := schema.Kebab(op.Name)
		if other := claimed[name]; other != nil {
			faults = append(faults, schema.Fault{
				File: door.Origin, Pointer: "/doors/" + door.Name + "/operations/" + op.Name,
				Message: fmt.Sprintf("the path %s/%s is claimed by %s and by %s", res.path, name, other.Name, op.Name),
				Remedy:  "rename one of the operations",
			})
			continue
		}
		claimed[name] = op
		// Spec 4.2.4: the verb follows the kind, and an absent kind follows the name.
		verb := http.MethodPost
		if op.Kind == catalog.Query {
			verb = http.MethodGet
		}
		var named, onItem *row
		res.claim(&named, res.path+"/"+name).add(op, verb)
		res.named[name] = named
		// An open operation has no cards; it may take an id.
		if op.Open || op.Params != nil && op.Params.Property("id") != nil {
			res.claim(&onItem, res.path+"/{id}/"+name).add(op, verb)
			res.onItem[name] = onItem
		}
	}
	return res, append(faults, res.addFiles()...)
}

// addFiles adds the paths of the files of rows: the segment behind the id is the name of the field.
func (res *resource) addFiles() (faults schema.Faults) {
	for _, f := range res.door.Files {
		name := schema.Kebab(f.Field.Name)
		if other := res.onItem[name]; other != nil {
			faults = append(faults, schema.Fault{
				File: res.door.Origin, Pointer: "/files/" + res.door.Name + "." + f.Field.Name,
				Message: "the path " + other.path + " is that of an operation and of a file", Remedy: "rename the operation or the field",
			})
			continue
		}
		var row *row
		for verb, op := range map[string]string{http.MethodGet: "findById", http.MethodPut: "update", http.MethodDelete: "update"} {
			if op := res.door.Operation(op); op != nil && op.Builtin {
				res.claim(&row, res.path+"/{id}/"+name).add(op, verb)
			}
		}
		if row != nil {
			row.file, res.onItem[name] = f, row
		}
	}
	return faults
}

// claim returns the row at *at, and makes it the first time.
func (res *resource) claim(at **row, path string) *row {
	if *at == nil {
		*at = &row{path: path}
		res.rows = append(res.rows, *at)
	}
	return *at
}

// FilePath returns the path of the file of a row, by the row's key; "": it is not shown.
func (t *Table) FilePath(d *catalog.Door, f *catalog.File, key json.RawMessage) string {
	res := t.fronds[d.Frond.Name][strings.ToLower(d.Plural)].resource
	if res == nil || key == nil {
		return ""
	}
	row := res.onItem[schema.Kebab(f.Field.Name)]
	if row == nil || row.operation(http.MethodGet) == nil {
		return ""
	}
	id := string(key)
	if jsontext.KindOf(key) == jsontext.String {
		id = url.PathEscape(jsontext.Unquote(key))
	}
	return strings.Replace(row.path, "{id}", id, 1)
}

// Routes returns the lines of the table, door by door in the order of the catalog.
func (t *Table) Routes() []Route {
	var routes []Route
	for _, res := range t.order {
		for _, r := range res.rows {
			for i, verb := range verbs {
				if r.ops[i] != nil {
					routes = append(routes, Route{Verb: verb, Path: r.path, Operation: r.ops[i], File: r.file})
				}
				if verb == http.MethodPost && r.many != nil {
					routes = append(routes, Route{Verb: verb, Path: r.path, Operation: r.many})
				}
			}
		}
	}
	return routes
}

// String returns the table as text, one route on each line.
func (t *Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, r := range t.Routes() {
		fmt.Fprintf(w, "%s\t%s\t%s.%s\n", r.Verb, r.Path, r.Operation.Door.Name, r.Operation.Name)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}
