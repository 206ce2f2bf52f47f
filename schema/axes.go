package schema

import "encoding/json"

// Axes are a field's x-kit object (spec 2.2). The zero value is open in every
// direction: the caller supplies the value and reads it back unchanged.
type Axes struct {
	Primary  bool         // role.primary: identity, owned by the system
	Unique   [][]string   // role.unique: member lists, one per constraint
	Index    bool         // role.index
	Relation *Relation    // role.relation
	Create   *CreateRule  // lifecycle.create; nil: the caller supplies the value
	Update   UpdateRule   // lifecycle.update
	In       BoundaryRule // boundary.in; Name is the conversion that decodes
	Out      BoundaryRule // boundary.out; Name is the conversion that encodes
	Extra    Keywords     // keys of x-kit that this program does not know, by JSON pointer without its first slash; kept for the round trip
}

// Relation points at another entity by name (spec 2.2, 2.4).
type Relation struct {
	To       string // lower case
	Many     bool   // kind: many
	OnDelete string // "", "cascade", "restrict", "set null"
	By       string // additive: which one-relation of To a many relation is the other side of
}

// CreateRule says who writes a field at creation. Exactly one member is set.
type CreateRule struct {
	Value    json.RawMessage // { value }
	Now      bool            // "now"
	Generate string          // { generate }: a generator's name
	Optional bool            // "optional": the caller may leave it out
}

// UpdateRule says who writes a field on update.
type UpdateRule string

// The update rules of spec 2.2.
const (
	UpdateOpen      UpdateRule = ""
	UpdateNow       UpdateRule = "now"
	UpdateForbidden UpdateRule = "forbidden"
)

// BoundaryRule says what happens to a value that crosses inward or outward.
type BoundaryRule struct {
	Closed bool   // inward: read-only; outward: write-only
	Name   string // a conversion of the registry
}
