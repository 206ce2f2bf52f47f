package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/frondhost/frond/schema/jsontext"
)

// The document of rpc.discover (spec 2.5), written and read:
//
//	{"x-kit-version": 1, "fronds": [{"name": "catalog",
//	  "doors": [{"name": "product", "ops": [{"name": "list", "kind": "query", …}], "schema": {…}}],
//	  "facts": [{"name": "product.created", "schema": {…}}]}]}
//
// Writing is exact. Reading is lenient by the rules of docs/decisions/card-language.md: a
// missing or broken part that a gateway depends on is a fault of the whole document. A part
// beyond the specification that differs from ours is left out and listed in
// DiscoveredFrond.Ignored.

// Discovery is the result of rpc.discover (spec 2.5): the catalog of a host. The façade makes
// one of itself; a gateway reads its remotes' discoveries. It is plain data: reading it is safe
// from many goroutines.
type Discovery struct {
	Fronds []DiscoveredFrond
	// IgnoresState says that the host ignores an unsigned state: it knows its callers itself.
	IgnoresState bool
}

// DiscoveredFrond is one Frond of a host. Doors and Facts are empty, never nil, in a document
// that was read.
type DiscoveredFrond struct {
	Name  string
	Doors []DiscoveredDoor
	Facts []DiscoveredFact
	// Atomic says that the host makes several calls of the Frond as one transaction.
	Atomic bool
	// Rehearses says that the host makes such calls without their effects, and says what these would be.
	Rehearses bool
	// Views are the names of the views among the cards of operations and facts, as their author
	// spells them; the title of a card is in lower case. nil: the host does not say which cards
	// are views, and every card with a title counts as one.
	Views []string

	// Ignored are the omitted parts of the document, which go beyond the specification. Their
	// pointers lead into the document. File is "": the caller knows whose document it is.
	Ignored Faults
}

// DiscoveredDoor is a callable entity. An entity without a façade is absent from the document
// (spec 2.5.2).
type DiscoveredDoor struct {
	Name string
	Ops  []DiscoveredOp
	// Schema is the entity's card. nil: the door stores no rows, such as a computation.
	Schema *Card

	// Computed is additive to the spec (docs/calls.md): the fields that presenters add to the
	// rows, as the properties of a card, or nil.
	Computed *Card

	// Aliases are additive too: earlier names of the door, which still answer.
	Aliases []DiscoveredAlias
	// Fields are old names of fields, which answer as the fields do.
	Fields []DiscoveredAlias

	// Plural is the name of the door in REST paths, if it differs from the regular plural of
	// Name.
	Plural string
	// Nested are the relations whose rows create and update take in their bodies.
	Nested []string
	// Files are the fields that hold the ids of files. GraphQL of that host has the id of image as imageId.
	Files []string
	// FileFields are the fields of Files whose files the host gives to gateways (docs/remotes.md), by
	// name, as files of frond.yaml has them: {"image": {"types": ["image/png"], "max": 5242880}}. It may
	// be nil.
	FileFields json.RawMessage
}

// DiscoveredAlias is an old name of a door or of a field, which answers as that does.
type DiscoveredAlias struct {
	Name string
	// Field is the name of the field now; "" for an alias of a door.
	Field string
	// Deprecated is why the name should no longer be used, Until the last day on which it is
	// answered: 2027-06-01.
	Deprecated, Until string
}

// DiscoveredOp is an operation of a door. Its cards are views, and may be nil.
type DiscoveredOp struct {
	Name string
	// Kind is query or command; "" where a foreign host does not say, and then the name
	// decides (spec 4.2.4). A kind that is neither is read as command, which is never sent
	// twice.
	Kind        string
	Description string
	// Input is the card of the body. nil: the contract names no input view.
	Input *Card
	// Output is the card of a row of the result. nil: the contract names no output view, as
	// where the result is a boolean (spec 2.5.1).
	Output *Card

	// Params, Query, Cardinality, Mode and Deprecated are additive to the specification
	// (docs/calls.md). Params are the path parameters and Query the query parameters, as the fields
	// of a card.
	Params *Card
	Query  *Card
	// Open says that the document does not describe params and query, so they may be any
	// objects. Input describes the body if it is present.
	Open bool
	// Cardinality is the output's cardinality: one, maybe, many, page or none; "" if it is not
	// said.
	Cardinality string
	// Mode is "patch" on update: fields absent from the input keep their values. "" is any
	// other operation.
	Mode string
	// Deprecated is why the operation should no longer be used, or "".
	Deprecated string
	// Hidden are the surfaces that do not show the operation: graphql, rest, envelope.
	Hidden []string
}

// DiscoveredFact is an event that the host sends (spec 6). Facts are not routable (spec 2.5.3).
type DiscoveredFact struct {
	Name   string
	Schema *Card // nil: a type the host does not store
	// Changes is the door of which the fact announces every change; "" of any other fact.
	Changes string
	// Actor says that some subscribers see who caused an event.
	Actor bool
}

// AppendJSON appends the document as JSON, its keys in a fixed order, so that equal documents
// have equal texts. Empty texts and nil cards are not written; doors, ops and facts always
// are.
func (d *Discovery) AppendJSON(dst []byte) []byte {
	o := object{dst: append(dst, '{')}
	o.raw("x-kit-version", "1") // spec 9.1
	o.key("fronds")
	o.dst = appendList(o.dst, d.Fronds, func(o *object, f *DiscoveredFrond) {
		o.name(f.Name)
		o.key("doors")
		o.dst = appendList(o.dst, f.Doors, func(o *object, door *DiscoveredDoor) {
			o.name(door.Name)
			o.text("plural", door.Plural)
			o.key("ops")
			o.dst = appendList(o.dst, door.Ops, func(o *object, op *DiscoveredOp) {
				o.name(op.Name)
				o.text("kind", op.Kind)
				o.text("description", op.Description)
				o.text("deprecated", op.Deprecated)
				params, query := op.Params, op.Query
				if op.Open && op.Input != nil { // see opened
					params, query = &Card{}, &Card{}
				}
				o.card("params", params)
				o.card("query", query)
				o.card("input", op.Input)
				o.text("mode", op.Mode)
				o.card("output", op.Output)
				o.text("cardinality", op.Cardinality)
				o.names("hidden", op.Hidden)
			})
			o.card("schema", door.Schema)
			o.card("computed", door.Computed)
			o.aliases("aliases", door.Aliases)
			o.aliases("fieldAliases", door.Fields)
			o.names("nested", door.Nested)
			o.names("files", door.Files)
			if door.FileFields != nil {
				o.raw("fileFields", string(door.FileFields))
			}
		})
		o.key("facts")
		o.dst = appendList(o.dst, f.Facts, func(o *object, fact *DiscoveredFact) {
			o.name(fact.Name)
			o.text("changes", fact.Changes)
			if fact.Actor {
				o.raw("actor", "true")
			}
			o.card("schema", fact.Schema)
		})
		o.names("views", f.Views)
		if f.Atomic {
			o.raw("atomic", "true")
		}
		if f.Rehearses {
			o.raw("rehearses", "true")
		}
	})
	if d.IgnoresState {
		o.text("state", ignored)
	}
	return append(o.dst, '}')
}

// ignored is the member state of a host that ignores the state of calls.
const ignored = "ignored"

// MarshalJSON is AppendJSON for encoding/json.
func (d *Discovery) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// appendList appends a list of objects; an empty one is written too.
func appendList[T any](dst []byte, items []T, write func(*object, *T)) []byte {
	dst = append(dst, '[')
	for i := range items {
		dst = jsontext.Comma(dst)
		o := object{dst: append(dst, '{')}
		write(&o, &items[i])
		dst = append(o.dst, '}')
	}
	return append(dst, ']')
}

// name appends the member "name".
func (o *object) name(name string) {
	o.key("name")
	o.dst = jsontext.AppendString(o.dst, name)
}

// aliases appends a list of old names, unless it is empty.
func (o *object) aliases(key string, all []DiscoveredAlias) {
	if len(all) == 0 {
		return
	}
	o.key(key)
	o.dst = appendList(o.dst, all, func(o *object, a *DiscoveredAlias) {
		o.name(a.Name)
		o.text("field", a.Field)
		o.text("deprecated", a.Deprecated)
		o.text("until", a.Until)
	})
}

// card appends a card with the types of its fields, unless it is nil.
func (o *object) card(name string, c *Card) {
	if c != nil {
		o.key(name)
		o.dst = c.Stated().AppendJSON(o.dst)
	}
}

// ReadDiscovery reads a discovery document. It ignores unknown keys: a newer host may send more
// of them. It leaves out parts beyond the specification that differ from ours, and lists them
// in DiscoveredFrond.Ignored. It refuses a document without a sound core: a version other than
// 1; faulty fronds, doors, operations or facts, or names of them; a broken card. The error is
// Faults, with pointers into the document; the caller adds whose document it is.
func ReadDiscovery(data []byte) (*Discovery, error) {
	if err := jsontext.Check(data); err != nil {
		return nil, Faults{{Message: "the discovery document is not JSON: " + err.Error()}}
	}
	r := reader{foreign: true}
	d := r.discovery(data)
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// UnmarshalJSON is ReadDiscovery for encoding/json.
func (d *Discovery) UnmarshalJSON(data []byte) error {
	read, err := ReadDiscovery(data)
	if err != nil {
		return err
	}
	*d = *read
	return nil
}

// discovery reads a whole document (spec 2.5).
func (r *reader) discovery(data json.RawMessage) *Discovery {
	d := &Discovery{Fronds: []DiscoveredFrond{}}
	d.IgnoresState = r.textAt(data, "", "state") == ignored
	if jsontext.KindOf(data) != jsontext.Object {
		r.fault("", "a discovery document has to be an object", "answer {x-kit-version: 1, fronds: [ … ]}")
		return d
	}
	if v := jsontext.Get(data, "x-kit-version"); v != nil {
		// A document without a version counts as version 1 (docs/decisions/card-language.md).
		if n, ok := Integer(v); !ok || n != 1 {
			r.fault("/x-kit-version", "this version of the discovery document is not known here", "answer with x-kit-version: 1") // spec 9.3
		}
	}
	r.list(data, "", "fronds", true, func(v json.RawMessage, at string) {
		// Reading cards adds to the same list: the entries from here on belong to this Frond.
		ignored := len(r.ignored)
		f := DiscoveredFrond{Name: r.named(v, at), Doors: []DiscoveredDoor{}, Facts: []DiscoveredFact{}}
		r.list(v, at, "doors", true, func(v json.RawMessage, at string) {
			door := DiscoveredDoor{Name: r.named(v, at), Ops: []DiscoveredOp{}, Schema: r.cardAt(v, at, "schema"), Computed: r.ownCardAt(v, at, "computed")}
			r.list(v, at, "ops", false, func(v json.RawMessage, at string) {
				op := DiscoveredOp{
					Name:        r.named(v, at),
					Description: r.textAt(v, at, "description"),
					Input:       r.cardAt(v, at, "input"),
					Output:      r.cardAt(v, at, "output"),
					Params:      r.ownCardAt(v, at, "params"),
					Query:       r.ownCardAt(v, at, "query"),
					Cardinality: r.textAt(v, at, "cardinality"),
					Mode:        r.textAt(v, at, "mode"),
					Deprecated:  r.deprecated(v),
					Hidden:      listedTexts(jsontext.Get(v, "hidden")),
				}
				if kind := jsontext.Get(v, "kind"); kind != nil {
					if op.Kind = r.word(kind, child(at, "kind"), "query", "command"); op.Kind == "" {
						op.Kind = "command" // a command, so that it is never sent twice
					}
				}
				door.Ops = append(door.Ops, op)
			})
			door.Aliases, door.Fields = r.aliases(v, at, "aliases"), r.aliases(v, at, "fieldAliases")
			door.Plural, door.Nested = r.textAt(v, at, "plural"), listedTexts(jsontext.Get(v, "nested"))
			door.Files, door.FileFields = listedTexts(jsontext.Get(v, "files")), jsontext.Get(v, "fileFields")
			f.Doors = append(f.Doors, door)
		})
		r.list(v, at, "facts", false, func(v json.RawMessage, at string) {
			f.Facts = append(f.Facts, DiscoveredFact{Name: r.named(v, at), Schema: r.cardAt(v, at, "schema"), Changes: r.textAt(v, at, "changes")})
		})
		f.Views, f.Atomic = listedTexts(jsontext.Get(v, "views")), jsontext.KindOf(jsontext.Get(v, "atomic")) == jsontext.True
		f.Rehearses = jsontext.KindOf(jsontext.Get(v, "rehearses")) == jsontext.True
		f.Ignored = slices.Clone(r.ignored[ignored:])
		d.Fronds = append(d.Fronds, f)
	})
	opened(d)
	return d
}

// opened sets Open on operations whose params and query the document does not describe. The
// specification has input alone, so input does not describe params and query, unless the
// document describes params or query of some operation (docs/decisions/remotes.md):
//
//	params and query of any members           open; hosts like this one write it so
//	no params, no query, no input             open
//	input, and params or query nowhere        open: input describes the body
//	input, and params or query elsewhere      closed: the operation takes a body alone
func opened(d *Discovery) {
	var ops []*DiscoveredOp
	described := false
	for i := range d.Fronds {
		for j := range d.Fronds[i].Doors {
			for k := range d.Fronds[i].Doors[j].Ops {
				op := &d.Fronds[i].Doors[j].Ops[k]
				ops = append(ops, op)
				described = described || op.Params != nil || op.Query != nil
			}
		}
	}
	for _, op := range ops {
		if op.Open = op.Params == nil && op.Query == nil && (op.Input == nil || !described); op.Params.anyMembers() && op.Query.anyMembers() {
			op.Open, op.Params, op.Query = true, nil, nil
		}
	}
}

// anyMembers reports whether a card is there and takes any members.
func (c *Card) anyMembers() bool { return c != nil && c.Fields == nil && len(c.Extra) == 0 }

// listedTexts returns the strings of a list without its other elements; nil for any other
// value.
func listedTexts(v json.RawMessage) (all []string) {
	if jsontext.KindOf(v) != jsontext.Array {
		return nil
	}
	all = []string{}
	for _, e := range jsontext.Elements(v) {
		if jsontext.KindOf(e) == jsontext.String {
			all = append(all, jsontext.Unquote(e))
		}
	}
	return all
}

// list calls read with each element of the list called name and the element's pointer. must
// makes the member obligatory. An element of another type than object is a fault; the other
// elements are still read.
func (r *reader) list(obj json.RawMessage, at, name string, must bool, read func(v json.RawMessage, at string)) {
	value := jsontext.Get(obj, name)
	here := child(at, name)
	if value == nil && !must {
		return
	}
	if jsontext.KindOf(value) != jsontext.Array {
		message := name + " has to be a list"
		if value == nil {
			message = name + " is missing"
		}
		r.fault(here, message, "answer "+name+": [ … ], empty where there is none")
		return
	}
	for i, v := range jsontext.Elements(value) {
		at := here + "/" + strconv.Itoa(i)
		if jsontext.KindOf(v) != jsontext.Object {
			r.fault(at, "an element of "+name+" has to be an object", "answer at least its name")
			continue
		}
		read(v, at)
	}
}

// aliases reads the old names of a door or of its fields, which the specification does not have: an element
// without a name is ignored.
func (r *reader) aliases(obj json.RawMessage, at, key string) (all []DiscoveredAlias) {
	for i, v := range jsontext.Elements(jsontext.Get(obj, key)) {
		at := child(at, key) + "/" + strconv.Itoa(i)
		if a := (DiscoveredAlias{Name: r.textAt(v, at, "name"), Field: r.textAt(v, at, "field"), Deprecated: r.deprecated(v), Until: r.textAt(v, at, "until")}); a.Name != "" {
			all = append(all, a)
		}
	}
	return all
}

// named reads the name of an element, which has to be there.
func (r *reader) named(obj json.RawMessage, at string) string {
	v := jsontext.Get(obj, "name")
	if jsontext.KindOf(v) != jsontext.String || len(v) == len(`""`) {
		r.fault(child(at, "name"), "name is missing", fmt.Sprintf("answer the name of each of %s", parentToken(at)))
		return ""
	}
	return jsontext.Unquote(v)
}

// parentToken returns the name of the list that holds an element: fronds for /fronds/0.
func parentToken(at string) string {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] == '/' {
			return lastToken(at[:i])
		}
	}
	return at
}

// deprecated reads why something should no longer be used. Other hosts write true for it, as
// JSON Schema and OpenAPI do; false and every other value is "".
func (r *reader) deprecated(obj json.RawMessage) string {
	switch v := jsontext.Get(obj, "deprecated"); jsontext.KindOf(v) {
	case jsontext.String:
		return jsontext.Unquote(v)
	case jsontext.True:
		return Deprecated
	}
	return ""
}

// textAt reads an optional text; "" if it is absent or null.
func (r *reader) textAt(obj json.RawMessage, at, name string) string {
	v := jsontext.Get(obj, name)
	if v == nil || jsontext.IsNull(v) {
		return ""
	}
	return r.beyondString(v, child(at, name))
}

// ownCardAt reads a card under a key that the specification does not have. Another host may
// have something else there, such as params: ["id"]: ownCardAt ignores that and returns nil,
// where cardAt would refuse the document.
func (r *reader) ownCardAt(obj json.RawMessage, at, name string) *Card {
	// A reader of its own keeps the card's faults out of the document's.
	own := reader{foreign: true}
	c := own.cardAt(obj, at, name)
	if len(own.faults) > 0 {
		r.beyond(child(at, name), name+" is not a card: "+own.faults[0].Message, "")
		return nil
	}
	r.ignored = append(r.ignored, own.ignored...)
	return c
}

// cardAt reads an optional card; nil if it is absent or null.
func (r *reader) cardAt(obj json.RawMessage, at, name string) *Card {
	v := jsontext.Get(obj, name)
	if v == nil || jsontext.IsNull(v) {
		return nil
	}
	return r.card(v, child(at, name))
}

// DiscoveryLimits bound the objects made from a discovery document: a gateway keeps types,
// judges and routes of every door, so that a document of a few megabytes could take gigabytes
// (docs/decisions/remotes.md). Zero means unlimited.
type DiscoveryLimits struct {
	// Doors is the number of doors of all Fronds together.
	Doors int
	// Fields is the number of fields of all cards together, nested objects included, and of
	// operations, each of which counts as one.
	Fields int
}

// OverLimit says which limit a document exceeds, in words that may be shown to anybody.
type OverLimit string

// Error returns the sentence.
func (o OverLimit) Error() string { return string(o) }

// Check returns an [OverLimit] where a document passes a limit, else nil. It reads the text
// without building anything from it, so that a hostile document costs one walk.
func (l DiscoveryLimits) Check(document json.RawMessage) error {
	doors, fields := 0, 0
	for _, frond := range jsontext.Elements(jsontext.Get(document, "fronds")) {
		for _, door := range jsontext.Elements(jsontext.Get(frond, "doors")) {
			doors++
			for range jsontext.Elements(jsontext.Get(door, "ops")) {
				fields++
			}
		}
	}
	if l.Doors > 0 && doors > l.Doors {
		return OverLimit(fmt.Sprintf("it has %d doors, and at most %d are taken", doors, l.Doors))
	}
	if fields += countFields(document); l.Fields > 0 && fields > l.Fields {
		return OverLimit(fmt.Sprintf("its cards have %d fields, and at most %d are taken", fields, l.Fields))
	}
	return nil
}

// countFields counts the members of every object called properties at any depth of a text. It
// does not look for the cards of the document, so that it cannot miss one. It counts the
// members of a field called properties too.
func countFields(text json.RawMessage) (n int) {
	switch jsontext.KindOf(text) {
	case jsontext.Array:
		for _, v := range jsontext.Elements(text) {
			n += countFields(v)
		}
	case jsontext.Object:
		for name, v := range jsontext.RawMembers(text) {
			if string(name) == `"properties"` && jsontext.KindOf(v) == jsontext.Object {
				for range jsontext.RawMembers(v) {
					n++
				}
			}
			n += countFields(v)
		}
	}
	return n
}
