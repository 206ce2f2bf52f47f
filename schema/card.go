package schema

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Card is one entity or view as its JSON Schema document says (spec 2.1): plain data, written
// back without loss. [Compile] turns cards into entities.
//
// A Card that was read holds the same document as its text: [Card.AppendJSON] writes every key
// back, in canonical order. Its methods only read it, so it may be shared as long as nobody
// changes it.
type Card struct {
	// Title is the entity's name in lower case (spec 2.1). [Compile] fills it in.
	Title       string
	Description string
	// Fields are the properties, in the order they were declared. nil is a card without the
	// keyword properties, which accepts any key (docs/decisions/judge.md).
	Fields []Field
	// Required are the names that a caller must supply at creation (spec 2.3). nil is no list:
	// then Compile derives it. An empty list requires nothing.
	Required []string
	// Version is x-kit-version, 1 after Compile; 0 where the card does not say it.
	Version int
	// Vendor is x-kit-vendor; Compile fills in CompileOptions.Vendor.
	Vendor string
	// Derived is x-kit-derived: nil for an entity and for a view that was written out.
	Derived *Derived
	// Extra is every other keyword, as it was written: anyOf, $defs, x- keys, and until
	// Compile the shorthand of, pick and omit.
	Extra Keywords
}

// Derived says which entity a view was cut from. It is additive to the specification.
type Derived struct {
	From string `json:"from"` // the entity, in lower case
	// Survived are the fields that came from the entity unchanged, in its order; a field that
	// the view declares anew is not among them.
	Survived []string `json:"survived"`
}

// Field is one property of a card: its plain JSON Schema and its axes. A field of a nested
// object has no axes (spec 2.1).
type Field struct {
	Name  string
	Shape Shape
	Axes  Axes
}

// Shape is the plain JSON Schema of a field, of an item or of a nested object. Keywords that
// this program looks at have a name here; the rest is in Extra and belongs to the judge's
// engine. The zero value accepts every value but is not Nullable; a shape that was read
// without a type is.
//
//	{"type": ["string", "null"], "maxLength": 80}   Type "string", Nullable, Extra maxLength
//	{"type": ["string", "integer"]}                 Type "", Extra type
//	true                                            Bool, Nullable
type Shape struct {
	Bool        *bool  // the schema true or false; nothing else is set beside it
	Type        string // one of JSON Schema's names; "" where none or several besides null are given
	Nullable    bool   // null passes: the union [Type, "null"], or no type that forbids it
	Title       string
	Description string
	Format      string
	// Enum are the texts of the values, without white space. nil: no enum.
	Enum []json.RawMessage
	// Deprecated says that the field is on its way out; see [Shape.WhyDeprecated].
	Deprecated bool
	// Properties are the members of a nested object, in order, without axes (spec 2.1). nil: a
	// bare object, which accepts any key; an empty list accepts none.
	Properties []Field
	Required   []string // of the nested object
	// Items is the shape of an array's elements; nil accepts any.
	Items *Shape
	Extra Keywords // every other keyword, a "type" of several names included
}

// DeprecationReason is the keyword that says, beside deprecated: true, what to use instead.
// JSON Schema's own deprecated is a boolean, and GraphQL's @deprecated and OpenAPI's
// descriptions have room for a sentence (docs/decisions/graphql-schema.md).
const DeprecationReason = "x-deprecation-reason"

// Deprecated is the reason where a card names none: the default of GraphQL's @deprecated
// directive.
const Deprecated = "No longer supported"

// WhyDeprecated returns why the field should no longer be used: the text of
// [DeprecationReason], or [Deprecated] where there is none. It is "" for a field that is not
// deprecated.
func (s *Shape) WhyDeprecated() string {
	if !s.Deprecated {
		return ""
	}
	if why := s.Extra.Get(DeprecationReason); jsontext.KindOf(why) == jsontext.String {
		return cmp.Or(strings.TrimSpace(jsontext.Unquote(why)), Deprecated)
	}
	return Deprecated
}

// Keyword is one JSON Schema keyword kept as its text, without white space between tokens.
type Keyword struct {
	Name  string
	Value json.RawMessage
}

// Keywords are keywords in the order they were written, each name once.
type Keywords []Keyword

// Get returns the text of the keyword called name, or nil. A keyword whose value is null has
// the text null.
func (k Keywords) Get(name string) json.RawMessage {
	for _, kw := range k {
		if kw.Name == name {
			return kw.Value
		}
	}
	return nil
}

// Field returns the field called name, or nil. The pointer leads into c.Fields.
func (c *Card) Field(name string) *Field {
	for i := range c.Fields {
		if c.Fields[i].Name == name {
			return &c.Fields[i]
		}
	}
	return nil
}
