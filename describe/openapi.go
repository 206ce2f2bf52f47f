package describe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// Info describes the host as a whole in a document.
type Info struct {
	// Title is the name of the API; "": the vendor of the cards.
	Title string
	// Description explains the API; "": left out.
	Description string
	// REST and RPC are the paths of the two surfaces, such as /partner/api and
	// /partner/_kit/call.
	REST, RPC string
}

// Route is one line of the REST surface: the operation that a verb calls at a path.
type Route struct {
	Verb      string // PATCH
	Path      string // /api/catalog/products/{id}
	Operation *catalog.Operation
	File      *catalog.File // the field whose file the path is; nil: none is
}

// openAPI is a document being written.
type openAPI struct {
	schemas   *schemas
	params    schema.Object // components.parameters
	responses schema.Object // components.responses
	lists     map[string][]string
	info      Info
}

// OpenAPI describes REST in OpenAPI 3.1, from the catalog and the routes of the surface. The
// document is JSON text with a stable order.
func OpenAPI(served *catalog.Catalog, routes []Route, info Info) json.RawMessage {
	d := &openAPI{schemas: newSchemas(served), lists: listKeys(served), info: info}
	var paths, tags schema.Object
	ids := map[string]bool{}
	for _, r := range routes {
		if r.Operation.IsMany() && r.Operation.Name == "createMany" {
			continue // a second body of create
		}
		at := slices.IndexFunc(paths, func(m schema.Member) bool { return m.Name == r.Path })
		if at < 0 {
			at = len(paths)
			add(&paths, r.Path, text(json.RawMessage("{}")))
		}
		if tags.Get(r.Operation.Door.Name) == nil {
			add(&tags, r.Operation.Door.Name, tagOf(r.Operation.Door))
		}
		verb := strings.ToLower(r.Verb)
		if r.File != nil {
			paths[at].Value = with(paths[at].Value, verb, d.file(r))
			continue
		}
		paths[at].Value = with(paths[at].Value, verb, d.operation(r, ids))
	}
	if d.atomic(&paths); joins(served) != nil {
		add(&tags, "transactions", object("name", "transactions", "description", "Several calls as one transaction."))
	}
	if d.files(&paths) {
		add(&tags, "files", object("name", "files", "description", "Files that a row may take."))
	}
	if d.streams(&paths, info); len(factsOf(served)) > 0 {
		add(&tags, "facts", object("name", "facts", "description", "The events that this host sends."))
	}
	var listed []json.RawMessage
	for _, t := range tags {
		listed = append(listed, t.Value)
	}
	body := []any{
		"servers",
		[]json.RawMessage{object("url", "/", "description", "This host.")},
		"security", list(object(), object("bearer", json.RawMessage("[]"))),
		"tags", listed,
		"paths", orEmpty(paths),
		"components", object("schemas", d.schemas.all, "parameters", d.params, "responses", d.responses,
			"securitySchemes", object("bearer", object("type", "http", "scheme", "bearer", "description", "The token of the caller. The host checks the caller's rights at each call; without a token the caller has the rights of everybody."))),
	}
	return document("openapi", "3.1.0", served, info, "REST: a page of rows, one row by its id, and the operations of each door.", body)
}

// document puts the version of the format and the info before the rest. The version of the API
// is a hash of the document.
func document(format, version string, served *catalog.Catalog, info Info, about string, rest []any) json.RawMessage {
	if info.Description != "" {
		about = info.Description + "\n\n" + about
	}
	sum := sha256.Sum256(object(rest...))
	head := []any{format, version, "info", object("title", cmp.Or(info.Title, served.Vendor), "description", about, "version", hex.EncodeToString(sum[:6]))}
	return object(append(head, rest...)...)
}

// listKeys are the keys that each door's list takes, as discovery has them.
func listKeys(served *catalog.Catalog) map[string][]string {
	keys := map[string][]string{}
	for _, f := range served.Discovery().Fronds {
		for _, d := range f.Doors {
			for _, op := range d.Ops {
				if op.Name != "list" || op.Input == nil {
					continue
				}
				for _, field := range op.Input.Fields {
					keys[d.Name] = append(keys[d.Name], field.Name)
				}
			}
		}
	}
	return keys
}

// tagOf groups the operations of a door.
func tagOf(d *catalog.Door) json.RawMessage {
	about := ""
	if d.Entity != nil {
		about = d.Entity.Card.Description
	}
	return object("name", d.Name, "description", optional(about), "x-frond", d.Frond.Name)
}

// orEmpty is an object that keeps its braces even without members.
func orEmpty(o schema.Object) json.RawMessage { return o.AppendJSON(nil) }

// operation is one verb of a path. Of an operation with several routes the further ones have
// ids of their own.
func (d *openAPI) operation(r Route, ids map[string]bool) json.RawMessage {
	op := r.Operation
	id := op.Door.Name + "." + op.Name
	switch {
	case r.Verb == http.MethodPut && !op.IsMany(): // the same as PATCH, which has the name
		id += ".put"
	case ids[id]:
		id += ".byId"
	}
	ids[id] = true
	line := summary(op)
	if r.Verb == http.MethodPut && !op.IsMany() {
		line += " by a merge patch, as PATCH does: absent fields stay"
	}
	pairs := []any{"operationId", id, "tags", []string{op.Door.Name}, "summary", line, "description", optional(op.Description)}
	if op.Deprecated != "" {
		pairs = append(pairs, "deprecated", true, "x-deprecated-because", op.Deprecated)
	}
	pairs = append(pairs, "parameters", d.parameters(r))
	if body := d.body(r); body != nil {
		pairs = append(pairs, "requestBody", body)
	}
	return object(append(pairs, "responses", d.answers(r))...)
}

// summary is a line about an operation.
func summary(op *catalog.Operation) string {
	what, plural := strings.Join(schema.Words(op.Door.Name), " "), strings.Join(schema.Words(op.Door.Plural), " ")
	if format := summaries[op.Name]; op.Builtin && format != "" {
		return fmt.Sprintf(format, what, plural)
	}
	name := strings.Join(schema.Words(op.Name), " ")
	return strings.ToUpper(name[:1]) + name[1:] + " (" + what + ")"
}

// summaries are the formats of the summaries of built-in operations, for a row and for rows.
var summaries = map[string]string{
	"list": "List %[2]s", "findById": "Get %[1]s by id", "findByIds": "Get %[2]s by ids", catalog.Aggregate: "Group %[2]s",
	"create": "Create %[1]s", "update": "Update %[1]s", "delete": "Delete %[1]s",
	"createMany": "Create several %[2]s", "updateMany": "Update several %[2]s", "deleteMany": "Delete several %[2]s",
	"upsert": "Create or update %[1]s", "import": "Import %[2]s",
}

// sampleRows is a list of one row; nil: no row fits the card.
func (d *openAPI) sampleRows(op *catalog.Operation) json.RawMessage {
	if one := d.schemas.example(op.Input, creation); one != nil {
		return list(one)
	}
	return nil
}

// body is the request body of a command, or nil.
func (d *openAPI) body(r Route) json.RawMessage {
	op := r.Operation
	if op.Kind == catalog.Query || r.Verb == http.MethodDelete {
		return nil
	}
	media := func(s, sample json.RawMessage) json.RawMessage { return object("schema", s, "example", sample) }
	switch {
	case op.IsMany() && op.Name == "import":
		file := object("schema", object("type", "string", "description", "A row in each line, of any number of lines; CSV with a header that names the fields, and commas, semicolons or tabs between cells."))
		rows := object("type", "array", "items", d.schemas.of(op.Input, creation), "maxItems", catalog.MaxCreateMany)
		return object("required", true, "content", object("text/csv", file, "application/x-ndjson", file, "application/json", media(rows, d.sampleRows(op))))
	case op.Open && op.Input == nil:
		return object("required", true, "content", object("application/json", object()))
	case op.Input == nil:
		// A command without a body has a media type nevertheless, which no form of another site can
		// send (docs/decisions/http-guards.md). A client writes one where the document has a body.
		return object("required", true, "description", "An empty object, so that the request has a media type.",
			"content", object("application/json", media(object("type", "object", "additionalProperties", false), object())))
	case op.Patch:
		m := media(d.schemas.of(op.Input, patch), d.schemas.example(op.Input, patch))
		return object("required", true, "content", d.withForm(op, object("application/json", m, "application/merge-patch+json", m), d.schemas.of(op.Input, patch)))
	}
	of := d.schemas.of(op.Input, creation)
	if createMany(op) != nil {
		of = object("oneOf", list(of, object("type", "array", "items", of, "maxItems", catalog.MaxCreateMany)))
	}
	content := object("application/json", media(of, d.schemas.example(op.Input, creation)))
	if op.Name == "create" {
		content = d.withForm(op, content, d.schemas.of(op.Input, creation))
	}
	return object("required", true, "content", content)
}
