package facade

import "github.com/frondhost/frond/schema"

// Filter is a condition on the rows of one entity: checked against its card and
// against what the caller may read, so a store only has to translate it.
// A nil *Filter holds for every row.
type Filter struct {
	Op     Op
	Field  *schema.Property // of the comparisons
	Values []any            // the operand: one, or several for In and NotIn; string, int64, float64, bool (IsNull)
	Link   *schema.Link     // of Some, None, Every; for a one-relation always Some
	Sub    []*Filter        // of And, Or, Not (one), and of Some, None, Every (one or none)
}

// Op is what a Filter does.
type Op uint8

// The operators (DESIGN 5).
const (
	And Op = iota
	Or
	Not
	Eq
	Ne
	In
	NotIn
	Lt
	Lte
	Gt
	Gte
	Contains
	StartsWith
	EndsWith
	IContains
	IsNull
	Has // an array holds the value
	Some
	None
	Every
)

// SortKey is one key of an order; null is the smallest value in every store.
type SortKey struct {
	Field *schema.Property
	Desc  bool
}
