package schema

import "encoding/json"

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
	// Unique is role.unique: one member list per constraint, each at least one field name. nil
	// is none. [Compile] writes a compound constraint at every member, as spec 2.2 has it.
	Unique [][]string
	// Index is role.index. Stores index unique fields and relations without it.
	Index bool
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
	// Extra are the keys of x-kit that this program does not know, such as
	// role/relation/eager. The name is the JSON pointer without its first slash, so that a
	// card is written back without loss. In a card of this project each of them is a fault, in
	// a remote's card none is.
	Extra Keywords
}

// Relation points at another entity by name (spec 2.2, 2.4). The entity may be declared in
// another Frond of the host.
type Relation struct {
	To   string // lower case
	Many bool   // kind: many
	// OnDelete is what happens to this row when the referenced row is deleted: "cascade"
	// deletes it, "restrict" refuses the deletion, [SetNull] empties the field. "" refuses
	// too, judged when the whole write is done (docs/decisions/sqlite.md).
	OnDelete string
	// By names the field of To that points back, where several do. It is additive to the
	// specification and for many relations only (docs/decisions/card-language.md).
	By string
}

// CreateRule says what an absent field gets at creation (spec 2.2). Exactly one member is set.
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

// UpdateRule says who writes a field on update; "" lets the caller send it. A rule answers absence: under "now" a value
// that is sent is kept (docs/decisions/judge.md).
type UpdateRule string

// The update rules of spec 2.2.
const (
	// UpdateNow sets an absent field to the time of the call.
	UpdateNow UpdateRule = "now"
	// UpdateForbidden refuses the field in a patch, as [Immutable].
	UpdateForbidden UpdateRule = "forbidden"
)

// BoundaryRule says what happens to a value that crosses inward or outward. The zero value
// passes it unchanged; at most one member is set.
type BoundaryRule struct {
	Closed bool   // inward: read-only; outward: write-only
	Name   string // a conversion of the registry
}
