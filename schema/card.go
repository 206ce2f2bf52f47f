package schema

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Card is one entity or view as its JSON Schema document says (spec 2.1): plain
// data, written back without loss. [Compile] turns cards into entities.
type Card struct {
	Title       string // spec 2.1: the entity's name in lower case
	Description string
	Fields      []Field  // properties, in the order they were declared
	Required    []string // what a caller must supply at creation (spec 2.3)
	Version     int      // x-kit-version; 1
	Vendor      string   // x-kit-vendor
	Derived     *Derived // x-kit-derived, on views only
	Extra       Keywords // every other keyword, as it was written
}

// Derived says what a view was cut from. It is additive to the spec.
type Derived struct {
	From     string   `json:"from"`     // the entity, in lower case
	Survived []string `json:"survived"` // the fields that are in the view
}

// Field is one property of a card: its plain JSON Schema and its axes.
type Field struct {
	Name  string
	Shape Shape
	Axes  Axes
}

// Shape is the plain JSON Schema of a field, of an item or of a nested object.
// Only what this program looks at has a name here; the rest is in Extra and
// belongs to the judge's engine.
type Shape struct {
	Bool        *bool  // the schema true or false; nothing else is set beside it
	Type        string // one of JSON Schema's names; "" where none or several besides null are given
	Nullable    bool   // null passes: the union [Type, "null"], or no type that forbids it
	Title       string
	Description string
	Format      string
	Enum        []json.RawMessage // nil: no enum
	Deprecated  bool
	Properties  []Field  // nested object, in order; no axes inside (spec 2.1). nil: a bare object
	Required    []string // of the nested object
	Items       *Shape   // of an array, where it is one schema
	Extra       Keywords // every other keyword, a "type" of several names included
}

// DeprecationReason is the keyword that says, beside deprecated: true, what to use
// instead: JSON Schema's own is a boolean, and clients want more than that.
const DeprecationReason = "x-deprecation-reason"

// Deprecated is what is said of a deprecated thing that does not say why.
const Deprecated = "No longer supported"

// WhyDeprecated is why the field is not to be used any more; "" where it is.
func (s *Shape) WhyDeprecated() string {
	if !s.Deprecated {
		return ""
	}
	if why := s.Extra.Get(DeprecationReason); jsontext.KindOf(why) == jsontext.String {
		return cmp.Or(strings.TrimSpace(jsontext.Unquote(why)), Deprecated)
	}
	return Deprecated
}

// Keyword is one JSON Schema keyword kept as its text.
type Keyword struct {
	Name  string
	Value json.RawMessage
}

// Keywords are keywords in the order they were written.
type Keywords []Keyword

// Get is the value of the keyword called name, or nil.
func (k Keywords) Get(name string) json.RawMessage {
	for _, kw := range k {
		if kw.Name == name {
			return kw.Value
		}
	}
	return nil
}

// Field is the field called name, or nil.
func (c *Card) Field(name string) *Field {
	for i := range c.Fields {
		if c.Fields[i].Name == name {
			return &c.Fields[i]
		}
	}
	return nil
}
