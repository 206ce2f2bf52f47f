package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// Model is a Frond's contract as generated code has it: types, and doors with operations over
// them. It is the same for every language, and is not changed once it is read.
//
// A catalog becomes a model in two steps: the names of all doors are taken first, and then
// fields and operations are read, which declare the types they need on the way.
type Model struct {
	Frond     string
	Doors     []*Door
	Types     []*Decl         // in the order in which doors and operations refer to them
	Judges    []*Judge        // what callers send, by entity and view
	Filters   []*Filter       // of doors, of facts and of what their relations lead to
	Related   []*Decl         // rows of other Fronds that relations lead to
	Relations []*Relations    // of doors and of what their relations lead to
	Facts     []*Fact         // of frond.yaml's facts, in their order
	Contract  json.RawMessage // the Frond's discovery document (spec 2.5)
	Bundle    json.RawMessage // its entities (spec 2.4)
}

// Door is a callable entity with its operations.
type Door struct {
	Name   string // as the wire has it
	Type   string // in type names: OrderLine
	Member string // of a client in JavaScript: orderLine
	Doc    string
	Ops    []*Op
	Path   string // of REST

	// The following are of a door with rows.
	Entity    *schema.Entity // nil: the door stores no rows
	Key       *Key
	ETag      bool       // its rows have versions
	Big       []string   // names of members that are int64, at any depth
	GraphQL   *GraphQL   // nil: GraphQL cannot express the door's names
	Files     []string   // the fields that hold files
	Changes   string     // the path where its changes are announced
	Shows     []string   // doors whose rows its rows show, by name
	Filter    *Filter    // nil: no list takes one
	Sort      []string   // fields that rows can be sorted by
	Relations *Relations // nil: the door stores no rows
}

// Op is an operation. Built-in operations have ID and In by their names; a named one has all
// it takes in In.
type Op struct {
	Name, Doc, Deprecated string
	Kind                  catalog.Kind
	Builtin               bool
	Cardinality           catalog.Cardinality

	Out *Type // of one row or value; nil: any JSON
	ID  *Type // of built-in operations that take one, or several
	In  *Decl // the parameters, all parts in one; nil: none

	// Params and Query are the members of In that belong to these parts; nil: the operation
	// has no such part. The other members belong to the body.
	Params, Query []string
	Body          bool

	Open    bool     // no card describes the input: the caller passes an invocation
	Takes   []string // the query keys of a list that knows only some; nil: all
	Options []string // query keys of another built-in operation: ifMatch, where, fields; max, dryRun and faults of many rows
	Many    bool     // a built-in write of many rows
	Big     []string // as Door.Big, where the answer has other members than rows
	By      []string // what aggregate groups by: status, placedAt:month
	Keys    []string // the unique keys that upsert and import know rows by: id, or list,position
}

// updates returns the built-in update of a door with known rows, or nil.
func (d *Door) updates() *Op {
	for _, op := range d.Ops {
		if op.Builtin && op.Name == "update" && op.In != nil && d.Entity != nil {
			return op
		}
	}
	return nil
}

// Decl is a declared type: an object or an enumeration of strings.
type Decl struct {
	Name, Doc string
	Enum      []string // values; nil: an object
	Fields    []Field
}

// Field is a member of an object.
type Field struct {
	Name, Doc, Deprecated string
	Type                  Type
	Optional              bool // it may be absent; whether it may be null is said by Type
	Version               bool // the version of the row, present only where the call selects it
	Absent                bool // a field of a row that may lack it
}

// Basic is the kind of a type.
type Basic uint8

// The kinds of types.
const (
	anyValue Basic = iota // any JSON
	textValue
	integer
	number
	boolean
	moment // a date-time
	listOf
	named // an object or an enumeration
)

// Type is the type of a value. The zero Type is any JSON.
type Type struct {
	Basic
	Null     bool
	Elem     *Type    // of ListOf
	Decl     *Decl    // of Named
	Literals []string // the only values of an Integer or a Number; nil: any
	Big      bool     // an Integer of 64 bits, of which a double does not hold every one
}

// Read makes the model of one Frond of a catalog, from the document that its host would publish: the
// package of a folder's cards is the package of the running host. The error is an unknown Frond, or as of
// ReadDiscovered.
func Read(served *catalog.Catalog, frond string) (*Model, error) {
	document, err := schema.ReadDiscovery(served.Discovery().AppendJSON(nil))
	if err != nil {
		return nil, err
	}
	return ReadDiscovered(document, frond)
}

// read makes the model of one Frond of a catalog. Names are unique within the model: the second
// type of a name gets a number. The error is an unknown Frond.
func read(served *catalog.Catalog, frond string) (*Model, error) {
	i := slices.IndexFunc(served.Fronds, func(f *catalog.Frond) bool { return f.Name == frond })
	if i < 0 {
		return nil, fmt.Errorf("the Frond %s is unknown", frond)
	}
	f := served.Fronds[i]
	b := &reading{catalog: served, model: &Model{Frond: f.Name}, taken: newNames(reserved...), decls: map[string]*Decl{}, filters: map[string]*Filter{}, relationsOf: map[string]*Relations{}}
	// The names of rows are taken first, so that a view with the name of an entity's input gets
	// a number, and not the row.
	var doors []*Door
	members := newNames("call", "atomic", "facts")
	for _, d := range f.Doors {
		door := &Door{Name: d.Name, Type: b.doorName(schema.GraphQLType(d.Name)), Member: members.take(member(d.Name))}
		if d.Entity != nil {
			door.Doc = d.Entity.Card.Description
			b.decls["row "+d.Entity.Key] = b.declare(&Decl{Name: door.Type, Doc: door.Doc})
		}
		doors = append(doors, door)
	}
	for i, d := range f.Doors {
		if d.Entity != nil {
			b.rowFields(b.decls["row "+d.Entity.Key], d.Entity, d)
		}
		for _, op := range d.Operations {
			doors[i].Ops = append(doors[i].Ops, b.operation(d, doors[i], op))
		}
	}
	b.model.Doors = doors
	b.judges(f)
	for i, d := range f.Doors {
		b.reach(f, d, doors[i])
	}
	b.facts(f)
	b.related(f, doors)
	b.documents(f)
	return b.model, nil
}

// reading collects the declarations of a model. It lives as long as one Read.
type reading struct {
	catalog     *catalog.Catalog
	model       *Model
	taken       names                 // of types; the order of reading is that of the cards, so the numbers are the same each time
	filters     map[string]*Filter    // by the keys of entities
	relationsOf map[string]*Relations // by the key of the entity
	decls       map[string]*Decl      // by kind and name: "row product", "enum Product.status"
}

// reserved are the names that every generated package has. Those of the Go package, of the
// TypeScript one, and types of JavaScript that its declarations use.
var reserved = []string{
	"Opt", "Set", "List", "Filter", "ListQuery", "Page", "CallOption", "CallOptions", "IfMatch", "Where", "Fields", "Max", "DryRun", "Faults", "Written", "Upserted", "Rehearsal", "Rehearse", "Imported", "Importing", "Most", "Atomic", "Awaited", "Client", "NewClient", "Bundle", "Contract", "Version", "Invocation",
	"KitError", "KitErrorCode", "ClientOptions", "Doors", "Calls", "JSONValue", "Equal", "Ordered", "One", "Many", "Related", "Selects", "Shown", "Text", "Has", "Present", "Some", "Selected", "Change", "ChangesQuery", "FactEvent", "Sending", "Schema", "Detail", "Issue", "Error", "Promise", "Object", "Array", "String", "Number", "Boolean", "AsyncIterable", "RowAs", "FieldOf", "ExportAs", "SearchQuery", "SortBehind", "ArgsOf", "GivesOf", "Omit", "Pick", "Exclude", "Cache", "Query", "InfiniteQuery", "Mutation",
}

// doorName is a name that is free with all that is made of it. A door Product also makes
// ProductDoor, NewProduct, ProductSort and ProductGroupBy.
func (b *reading) doorName(wanted string) string {
	name := wanted
	made := func() []string { return []string{name, name + "Door", "New" + name, name + "Sort", name + "GroupBy"} }
	for i := 2; slices.ContainsFunc(made(), func(n string) bool { return b.taken[n] }); i++ {
		name = fmt.Sprint(wanted, i)
	}
	for _, n := range made() {
		b.taken[n] = true
	}
	return name
}

// declare adds a type to the model.
func (b *reading) declare(d *Decl) *Decl {
	b.model.Types = append(b.model.Types, d)
	return d
}

// object is the declaration called key, which fill makes the first time. It is registered
// before it is filled: an object that leads back to itself finds it.
func (b *reading) object(key, name, doc string, fill func(*Decl)) *Decl {
	if d := b.decls[key]; d != nil {
		return d
	}
	d := b.declare(&Decl{Name: b.taken.take(name), Doc: doc})
	b.decls[key] = d
	fill(d)
	return d
}

// row is the readable row of an entity or a view. A view has neither computed fields nor
// versions.
func (b *reading) row(e *schema.Entity) *Decl {
	return b.object("row "+e.Key, schema.GraphQLType(e.Name), e.Card.Description, func(d *Decl) {
		door := b.catalog.Door(e.Name)
		if e.View {
			door = nil
		}
		b.rowFields(d, e, door)
	})
}

// rowFields adds the fields that a caller can read: the fields of the card, and the computed
// fields of its door. Fields closed to all readers and fields without a place in the row are
// left out. A field is optional if its card allows a row without it, and so is the version; a
// call that selects fewer leaves the others zero.
func (b *reading) rowFields(d *Decl, e *schema.Entity, door *catalog.Door) {
	for _, p := range e.Fields {
		if !p.Readable() || !p.Stored {
			continue
		}
		t := b.typeOf(&p.Shape, b.base(e, p.Name), schema.GraphQLType(p.Name), whole)
		absent := p.MayBeAbsent() && p.Axes.Out.Name == ""
		t.Null = t.Basic != anyValue && p.MayBeNull() && !absent
		f := b.field(p.Name, &p.Shape, t, absent)
		f.Absent = absent
		d.Fields = append(d.Fields, f)
	}
	if door == nil {
		return
	}
	for _, c := range door.Computed {
		t := b.typeOf(&c.Shape, d.Name, schema.GraphQLType(c.Name), whole)
		f := b.field(c.Name, &c.Shape, t, false)
		if f.Doc == "" {
			f.Doc = c.Description
		}
		d.Fields = append(d.Fields, f)
	}
	if door.ETag {
		d.Fields = append(d.Fields, Field{
			Name: catalog.ETag, Doc: "The version of the row, where the call selects " + catalog.ETag + "; ifMatch takes it.",
			Type: Type{Basic: textValue}, Optional: true, Version: true,
		})
	}
}

// base names the types inside a field. A view names the types of its own fields; the entity it
// was cut from names the others. So a view of products has the ProductStatus of its entity, and
// no second one.
func (b *reading) base(e *schema.Entity, field string) string {
	if from := e.Card.Derived; from != nil && slices.Contains(from.Survived, field) {
		if of := b.catalog.Set.Entity(from.From); of != nil {
			e = of
		}
	}
	return schema.GraphQLType(e.Name)
}

// form is the use of an object: all of it, or a patch.
type form string

const (
	whole form = ""
	patch form = "Patch"
)

// input are the fields that a caller may send.
//
//	no place in the row, or closed for input           left out
//	the key, or a field that never changes             left out of a patch
//	a field that answered names                        optional: the host presets it
//	in a patch                                         every field is optional
func (b *reading) input(d *Decl, e *schema.Entity, mode schema.Mode, answered []string) {
	of := whole
	patches := mode == schema.Update || mode == schema.Patch
	if patches {
		of = patch
	}
	for _, p := range e.Fields {
		switch {
		case !p.Stored:
			continue
		case mode != schema.Plain && p.Axes.In.Closed:
			continue
		case patches && (p.Axes.Primary || p.Axes.Update == schema.UpdateForbidden):
			continue
		}
		t := b.typeOf(&p.Shape, b.base(e, p.Name), schema.GraphQLType(p.Name), of)
		required := !patches && p.Required() && !slices.Contains(answered, p.Name)
		d.Fields = append(d.Fields, b.field(p.Name, &p.Shape, t, !required))
	}
}

// field is a member of an object.
func (b *reading) field(name string, s *schema.Shape, t Type, optional bool) Field {
	return Field{Name: name, Doc: s.Description, Deprecated: s.WhyDeprecated(), Type: t, Optional: optional}
}

// typeOf is the type of a shape; types declared inside it are named by base and part.
//
//	enum of strings         Named, an enumeration: ProductStatus
//	object with members     Named: ProductAddress, in a patch ProductAddressPatch
//	array with items        ListOf
//	anything else           by type, and any JSON if no type fits
//
// Equal objects of one name share a declaration; other objects of that name get a number.
func (b *reading) typeOf(s *schema.Shape, base, part string, of form) Type {
	t := Type{Null: s.Nullable}
	switch values := texts(s.Enum); {
	case s.Bool != nil:
		return Type{}
	case values != nil && (s.Type == "string" || s.Type == ""):
		t.Basic = named
		t.Decl = b.object("enum "+base+part, base+part, s.Description, func(d *Decl) { d.Enum = values })
		if !slices.Equal(t.Decl.Enum, values) { // another of that name
			t.Decl = b.object(fmt.Sprintf("enum %s%s %q", base, part, values), base+part, s.Description, func(d *Decl) { d.Enum = values })
		}
	case s.Type == "string" && s.Format == "date-time":
		t.Basic = moment
	case s.Type == "string":
		t.Basic = textValue
	case s.Type == "integer":
		t.Basic, t.Literals, t.Big = integer, literals(s), s.Format == "int64"
	case s.Type == "number":
		t.Basic, t.Literals = number, literals(s)
	case s.Type == "boolean":
		t.Basic = boolean
	case s.Type == "array" && s.Items != nil:
		elem := b.typeOf(s.Items, base, part+"Item", whole) // a list in a patch takes the other's place
		t.Basic, t.Elem = listOf, &elem
	case s.Type == "object" && s.Properties != nil && !slices.ContainsFunc(s.Properties, unspeakable):
		t.Basic = named
		key := fmt.Sprintf("object %s%s%s %s", base, part, of, s.AppendJSON(nil))
		t.Decl = b.object(key, base+part+string(of), s.Description, func(d *Decl) {
			for i := range s.Properties {
				p := &s.Properties[i]
				inner := b.typeOf(&p.Shape, base+part, schema.GraphQLType(p.Name), of)
				d.Fields = append(d.Fields, b.field(p.Name, &p.Shape, inner, of == patch || !slices.Contains(s.Required, p.Name)))
			}
		})
	default:
		return Type{}
	}
	return t
}

// unspeakable is a member whose name Go's tags cannot say; an object with one is any JSON.
func unspeakable(f schema.Field) bool {
	return f.Name == "" || f.Name == "-" || strings.ContainsFunc(f.Name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}

// texts are the values of an enumeration of strings, without null; nil for any other
// enumeration. ["open", null] is [open], and [1, 2] is nil.
func texts(values []json.RawMessage) (all []string) {
	for _, v := range values {
		var text *string
		if json.Unmarshal(v, &text) != nil {
			return nil
		}
		if text != nil {
			all = append(all, *text)
		}
	}
	return all
}

// Fact is a fact of frond.yaml's facts. The facts that announce changes of a door are the
// door's: [Door.Changes].
type Fact struct {
	Name   string
	Door   string   // the door whose rows it is about, or the fact's own name
	Path   string   // where its events are streamed
	Key    *Key     // of that door's rows; nil where it is about none
	Big    []string // names of members that are int64, at any depth
	Data   *Type    // the data of an event; nil: the cards do not describe it
	Filter *Filter  // nil: it takes none
}

// facts reads the facts that a Frond declares by name.
func (b *reading) facts(f *catalog.Frond) {
	for _, fact := range f.Facts {
		if fact.Changes {
			continue
		}
		out := &Fact{Name: fact.Name, Door: fact.Name, Path: factPath(fact)}
		if fact.Door != nil {
			out.Door = fact.Door.Name
			out.Key = b.key(fact.Door.Entity)
		}
		if e := fact.Data; e != nil && e.Card.Fields != nil { // else an object of any keys
			out.Data, out.Filter, out.Big = &Type{Basic: named, Decl: b.row(e)}, b.filter(e), bigFields(e)
		}
		b.model.Facts = append(b.model.Facts, out)
	}
}

// factPath is where the events of a fact are streamed.
func factPath(f *catalog.Fact) string { return "/api/" + f.Frond.Name + "/facts/" + f.Name }

// bigFields are the names of members that are int64 in a row.
func bigFields(e *schema.Entity) (names []string) {
	for _, p := range e.Fields {
		names = append(names, bigNames(p.Name, &p.Shape)...)
	}
	return names
}

// member is the name of an entity or a view in JavaScript: orderLine.
func member(name string) string {
	name = schema.GraphQLField(name)
	return strings.ToLower(name[:1]) + name[1:]
}

// names makes names unique; the second of a kind gets a number.
type names map[string]bool

// newNames is a set in which some names are taken.
func newNames(taken ...string) names {
	n := names{}
	for _, name := range taken {
		n[name] = true
	}
	return n
}

// take returns the wanted name, with a number at its end if the name is taken.
func (n names) take(wanted string) string {
	name := wanted
	for i := 2; n[name]; i++ {
		name = fmt.Sprint(wanted, i)
	}
	n[name] = true
	return name
}
