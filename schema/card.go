package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Card is one entity or view as its JSON Schema document says (spec 2.1): plain data, written
// back without loss. [Compile] turns cards into entities.
//
// A Card that was read holds the same document as its text: [Card.AppendJSON] writes every key
// back, in canonical order. Its methods only read it, so it may be shared as long as no
// goroutine changes it.
type Card struct {
	// Title is the entity's name in lower case (spec 2.1). [Compile] fills it in.
	Title       string
	Description string
	// Fields are the properties, in the order they were declared. nil is a card without the
	// keyword properties, which accepts any key (docs/decisions/judge.md).
	Fields []Field
	// Required are the names that a caller must supply at creation (spec 2.3). nil: the card
	// has no list, and Compile derives one. An empty list makes every field optional.
	Required []string
	// Version is x-kit-version, 1 after Compile; 0 where the card does not say it.
	Version int
	// Vendor is x-kit-vendor; Compile fills in CompileOptions.Vendor.
	Vendor string
	// Derived is x-kit-derived: nil for an entity and for a view with cards of its own.
	Derived *Derived
	// Extra is every other keyword, as it was written: anyOf, $defs, x- keys, and until
	// Compile the shorthand of, pick and omit.
	Extra Keywords
}

// Derived says which entity a view was cut from. It is additive to the specification.
type Derived struct {
	From string `json:"from"` // the entity, in lower case
	// Survived are the fields that came from the entity unchanged, in its order; a field that
	// the view declares itself is left out.
	Survived []string `json:"survived"`
}

// Field is one property of a card: its plain JSON Schema and its axes. Fields of nested objects
// carry no axes (spec 2.1).
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
	Bool        *bool  // the schema true or false; the other members are then empty
	Type        string // one of JSON Schema's names; "" where none or several besides null are given
	Nullable    bool   // null passes: the union [Type, "null"], or no type that forbids it
	Deprecated  bool   // the field is on its way out; see [Shape.WhyDeprecated]
	Title       string
	Description string
	Format      string
	// Enum are the texts of the values, without white space. nil: no enum.
	Enum []json.RawMessage
	// Properties are the members of a nested object, in order, without axes (spec 2.1). nil: a
	// bare object, which accepts any key; an empty list refuses every key.
	Properties []Field
	Required   []string // of the nested object
	// Items is the shape of an array's elements; nil accepts any.
	Items *Shape
	Extra Keywords // every other keyword, a "type" of several names included
}

// deprecationReason is a keyword for the sentence that names the successor of a deprecated
// field or operation. JSON Schema's own deprecated is a boolean; GraphQL's
// @deprecated and OpenAPI's descriptions show the sentence (docs/decisions/graphql-schema.md).
const deprecationReason = "x-deprecation-reason"

// Deprecated is the reason by default: the default of GraphQL's @deprecated directive.
const Deprecated = "No longer supported"

// WhyDeprecated returns why the field should no longer be used: the text of
// x-deprecation-reason, or else [Deprecated]. It is "" for any other field.
func (s *Shape) WhyDeprecated() string {
	if !s.Deprecated {
		return ""
	}
	if why := s.Extra.Get(deprecationReason); jsontext.KindOf(why) == jsontext.String {
		return cmp.Or(strings.TrimSpace(jsontext.Unquote(why)), Deprecated)
	}
	return Deprecated
}

// Keyword is one JSON Schema keyword kept as its text, without white space between tokens.
type Keyword struct {
	Name  string
	Value json.RawMessage
	// Implied marks a keyword that the author left out and that compiling added. It is published
	// and judged as the others; tables do not check it.
	Implied bool
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

// Axes are a field's x-kit object (spec 2.2). The zero value is open in every direction: the
// caller supplies the value and reads it back unchanged.
//
// As a card has them, with every key given:
//
//	x-kit:
//	  role:      {primary: true, unique: [[slug]], index: true, relation: {to: author, kind: one}}
//	  lifecycle: {create: {generate: cuid2}, update: forbidden}
//	  boundary:  {in: {decode: trim}, out: closed}
type Axes struct {
	// Primary is role.primary: the field is the row's identity. Callers may send it at
	// creation unless boundary.in closes it; in a patch it is immutable (docs/decisions/judge.md).
	Primary bool
	// Index is role.index. Stores index unique fields and relations without it.
	Index bool
	// Unique is role.unique: one member list per constraint, each at least one field name. It
	// may be nil. [Compile] writes a compound constraint at every member, as spec 2.2 has it.
	Unique [][]string
	// Relation is role.relation; nil for a plain field.
	Relation *Relation
	// Create is lifecycle.create; nil: the caller supplies the value. After [Compile] a field
	// that may be left out and has no rule has CreateRule.Optional.
	Create *CreateRule
	// Update is lifecycle.update; "" lets the caller send the field.
	Update UpdateRule
	// In is boundary.in; Name is the conversion that decodes.
	In BoundaryRule
	// Out is boundary.out; Name is the conversion that encodes.
	Out BoundaryRule
	// Extra are the keys of x-kit that this program does not know, such as role/relation/eager.
	// The name is the JSON pointer without its first slash, so that a card is written back
	// without loss. In a card of this project each of them is a fault, in a remote's card they
	// are allowed.
	Extra Keywords
}

// Relation points at another entity by name (spec 2.2, 2.4). The entity may be declared in
// another Frond of the host.
type Relation struct {
	To   string // lower case
	Many bool   // kind: many
	// OnDelete is the effect that deleting the referenced row has on this row: "cascade"
	// deletes it, "restrict" refuses the deletion, [SetNull] empties the field. "" refuses
	// too, judged at the end of the whole write (docs/decisions/sqlite.md).
	OnDelete string
	// By names the field of To that points back, where several do. It is additive to the
	// specification and for many relations only (docs/decisions/card-language.md).
	By string
	// Through is the entity, in lower case, whose rows lead from this one to To, for a many relation
	// through rows in between (docs/many-to-many.md). It is additive too.
	Through string
}

// CreateRule is the value of an absent field at creation (spec 2.2). Exactly one member is set.
// A value that the caller sends is kept (docs/decisions/judge.md).
type CreateRule struct {
	Value json.RawMessage // { value }
	// Now is "now": the time of the call, as RFC 3339 text or a date, by the field's kind.
	Now bool
	// Generate is {generate}: a name of [Registry.Generators].
	Generate string
	// Optional is "optional": the caller may leave the field out, which makes it null.
	Optional bool
}

// UpdateRule says who writes a field on update; "" lets the caller send it. A rule answers absence: under "now" a
// sent value is kept (docs/decisions/judge.md).
type UpdateRule string

// The update rules of spec 2.2.
const (
	// UpdateNow sets an absent field to the time of the call.
	UpdateNow UpdateRule = "now"
	// UpdateForbidden refuses the field in a patch, as [Immutable].
	UpdateForbidden UpdateRule = "forbidden"
)

// BoundaryRule converts or closes a value on its way in or out. The zero value passes it
// unchanged; at most one member is set.
type BoundaryRule struct {
	Closed bool   // inward: read-only; outward: write-only
	Name   string // a conversion of the registry
}

// Stated returns the card as hosts publish it: every field states a type, at any depth, since
// consumers of another make rebuild a field by its type. The meaning of the card stays the same.
//
//	{"enum": ["a", "b"]}      type string: the values say it
//	{"enum": ["a", true]}     every type but null
//	{}, {"anyOf": […]}        every type
//	false                     unchanged: the schema has no place for a type
//
// The receiver is not changed; a nil card gives nil.
func (c *Card) Stated() *Card {
	if c == nil {
		return nil
	}
	out := *c
	out.Fields = statedFields(c.Fields)
	return &out
}

// statedFields returns the fields with their types written out. The result shares no part that
// is changed.
func statedFields(fields []Field) []Field {
	if fields == nil {
		return nil
	}
	out := slices.Clone(fields)
	for i := range out {
		out[i].Shape = out[i].Shape.Stated()
	}
	return out
}

// Stated returns the shape with its type, and with the types of its members and items; see
// [Card.Stated].
func (s Shape) Stated() Shape {
	if s.Bool != nil {
		if !*s.Bool {
			return s
		}
		s = Shape{Nullable: true}
	}
	s.Properties = statedFields(s.Properties)
	if s.Items != nil {
		items := s.Items.Stated()
		s.Items = &items
	}
	if s.Type != "" || s.Extra.Get("type") != nil {
		return s
	}
	if name := kindTypes[kindOfValues(&s)]; name != "" && s.Format == "" {
		s.Type = name
		return s
	}
	types := []string{"object", "array", "string", "number", "boolean"}
	if s.Nullable {
		types = append(types, "null")
	}
	s.Extra = append(Keywords{{Name: "type", Value: json.RawMessage(jsontext.AppendStrings(nil, types))}}, s.Extra...)
	return s
}

// kindTypes are the types of enums whose values are of one kind.
var kindTypes = map[Kind]string{KindString: "string", KindInteger: "integer", KindNumber: "number", KindBoolean: "boolean"}
