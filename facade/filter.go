package facade

import "github.com/frondhost/frond/schema"

// Filter is a condition on the rows of one entity: checked against its card and
// against what the caller may read, so a store only has to translate it.
// A nil *Filter holds for every row.
//
// A filter holds or does not hold, there is no third answer: a comparison with a
// null is false, Ne and NotIn are the opposites of Eq and In (so they hold for a
// null), and Not is the plain opposite of what stands in it. And of nothing holds
// for every row, Or of nothing for none. (In SQL: x IS NOT ?, and (…) IS NOT TRUE.)
//
// Text is compared by its UTF-8 bytes, false is less than true, date-times and
// decimals are compared by what they mean and not as text.
type Filter struct {
	Op    Op
	Field *schema.Property // of the comparisons
	// Values are the operand: one, or several for In and NotIn (never none). They
	// are string, int64, float64 or bool, as Field's kind says: a date-time is the
	// text a Record holds, an operand of Has is of the kind of the array's items,
	// IsNull has a bool.
	Values []any
	Link   *schema.Link // of Some, None, Every; for a one-relation always Some
	Sub    []*Filter    // of And, Or, Not (one), and of Some, None, Every (one or none)
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
	IContains // both sides in lower case, as Unicode maps them
	IsNull
	Has   // an array holds the value
	Some  // a related row meets Sub
	None  // no related row meets Sub
	Every // no related row fails Sub; holds where there is none
)

// SortKey is one key of an order; null is the smallest value in every store.
type SortKey struct {
	Field *schema.Property
	Desc  bool
}

// both holds where a and b hold.
func both(a, b *Filter) *Filter {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Filter{Op: And, Sub: []*Filter{a, b}}
}

// nothing holds for no row.
func nothing() *Filter { return &Filter{Op: Or} }
