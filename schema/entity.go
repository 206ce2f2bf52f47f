package schema

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Entity is a compiled card: names resolved, relations linked, the judge's
// engine built. It never changes and may be shared between goroutines. Views
// (what an operation takes or gives) are entities too; View is true for them.
type Entity struct {
	Name    string // as its author spelled it: orderLine
	Key     string // in lower case: orderline; what relation.to and $defs say
	Frond   string // the Frond it was declared in
	View    bool
	Card    *Card       // the full document, authoring shorthand expanded
	Fields  []*Property // in declaration order
	Primary *Property   // nil: a view without one, or an entity that stores nothing
	Uniques [][]*Property

	byName map[string]*Property
	link   map[string]*Link
	judge  *judge
}

// Property is a field of an entity, compiled.
type Property struct {
	Field
	Index  int     // its place in Entity.Fields
	Owner  *Entity // the entity it belongs to
	Kind   Kind    // what its values are, for encoders, columns and types
	Link   *Link   // where role.relation points; nil for a plain field
	Stored bool    // false for a many relation that is the other side of another entity's field

	required bool
}

// Readable says whether the field may leave at all: boundary.out is not closed.
// Whether one caller may read it is the collectors' word.
func (p *Property) Readable() bool { return !p.Axes.Out.Closed }

// Link is a relation between two entities, resolved.
type Link struct {
	Name    string    // what the relation is called: author, for a field authorId or author
	Key     string    // what the raw key is called beside it: authorId
	Many    bool      //
	Target  *Entity   // never nil in a local set
	Inverse *Property // many: the one-relation of Target that points back; nil: the ids stand in the row itself
	Field   *Property // the field that declares it
}

// Required says whether a caller has to supply the field at creation (spec 2.3).
func (p *Property) Required() bool { return p.required }

// MayBeNull says whether null can stand in a row of the entity: the shape takes
// it, or the field may be left out at creation and nothing answers for it. The
// primary key and a many relation are never null.
func (p *Property) MayBeNull() bool {
	switch {
	case p.Axes.Primary, p.Axes.Relation != nil && p.Axes.Relation.Many:
		return false
	case p.Shape.Nullable:
		return true
	case p.Axes.Create != nil:
		return p.Axes.Create.Optional
	}
	return !p.required
}

// Property is the field called name, or nil.
func (e *Entity) Property(name string) *Property { return e.byName[name] }

// Relation is the link whose relation name is name, or nil.
func (e *Entity) Relation(name string) *Link { return e.link[name] }

// EntityKey is how an entity's name is compared: in lower case (spec 2.4).
func EntityKey(name string) string { return strings.ToLower(name) }

// Kind is what the values of a field are, as far as storing, encoding and
// projecting them goes. Every kind may also be null where the shape is nullable.
type Kind uint8

// The kinds of values.
const (
	KindJSON     Kind = iota // any JSON: bare objects, arrays, nested objects, unions
	KindString               //
	KindInteger              // within int64
	KindNumber               // float64
	KindBoolean              //
	KindDateTime             // format date-time; kept as UTC with microseconds
	KindDate                 // format date
	KindDecimal              // string of format decimal: compared as a number
)

// Mode is what a value is judged for.
type Mode uint8

// The modes of the judge (DESIGN 4, "The judge").
const (
	Create Mode = iota // a body at creation, or the input of a named operation
	Update             // a patch: what is absent stays as it is
	Plain              // JSON Schema alone, axes aside: params, query, results
)

// Member is one key of a judged object with its value as text.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object is a judged object: members the card knows, in declaration order.
type Object []Member

// Get is the value of the member called name, or nil.
func (o Object) Get(name string) json.RawMessage {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// AppendJSON appends the object's text.
func (o Object) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendName(dst, m.Name), m.Value...)
	}
	return append(dst, '}')
}

// Detail is one refusal (DESIGN 4): what, where, and the word for it. The value
// that was refused is never in it.
type Detail struct {
	Path    string         `json:"path"`             // dotted: address.street
	Pointer string         `json:"pointer"`          // RFC 6901 into the invocation: /body/address/street
	Code    string         `json:"code"`             // a JSON Schema keyword, or one of the words below
	Message string         `json:"message"`          // a sentence that says what to send instead
	Params  map[string]any `json:"params,omitempty"` // the keyword's own limits: {"limit": 3}
}

// The codes of a detail that are not JSON Schema keywords.
const (
	UnknownKey = "unknown_key"
	ReadOnly   = "read_only"
	Immutable  = "immutable"
)

// MaxDetails is how many refusals one judgement names at most.
const MaxDetails = 100
