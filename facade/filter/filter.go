package filter

import (
	"slices"

	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
)

// Filter is a condition on the rows of one entity: checked against its card and
// against the fields the caller may read, so a store only has to translate it.
// A nil *Filter holds for every row.
//
// A filter holds or does not hold, there is no third answer: a comparison with a null is false,
// Ne and NotIn are the opposites of Eq and In (so they hold for a null), and Not is the plain
// opposite of the filter in it. An empty And holds for every row, an empty Or for no row. (In
// SQL: x IS NOT ?, and (…) IS NOT TRUE.)
//
// Text is compared by its UTF-8 bytes, false is less than true, date-times and
// decimals are compared by their values and not as text.
type Filter struct {
	Op    Op
	Field *schema.Property // of the comparisons
	// Values are the operand: one, or at least one for In and NotIn. They are string, int64,
	// float64 or bool, as Field's kind says: a date-time is the text a Record holds, an operand
	// of Has is of the kind of the array's items, IsNull has a bool.
	Values []any
	Link   *schema.Link // of Some, None, Every, Aggregate; for a one-relation always Some
	// Derived is the value that Aggregate compares, by the comparison in Sub or an And of several.
	Derived *Derived
	Sub     []*Filter     // of And, Or, Not and Aggregate (one), and of Some, None, Every (one or none)
	Search  *search.Query // of Search
	// Via is a condition on the rows in between of Link: others do not exist. nil: all do.
	Via *Filter
	// Rule says that the author, or an access rule, asks: all rows of Link exist, and Field is read although it is hidden from the caller.
	Rule bool
}

// ReadsBetween reports whether a condition on rows in between is part of f, which has no words for a host.
func (f *Filter) ReadsBetween() bool {
	return f.Via != nil || f.Link != nil && f.Link.Field.Link != f.Link || slices.ContainsFunc(f.Sub, (*Filter).ReadsBetween)
}

// Hops returns f as a condition on rows in between and on the rows that those lead to, where its
// relation goes through such rows; else f itself.
//
//	{tags: {every: F}}    {links: {none: {and: [Via, {tag: {not: F}}]}}}
func (f *Filter) Hops() *Filter {
	if f.Link == nil || f.Link.Through == nil || f.Op == Aggregate {
		return f
	}
	out, far := &Filter{Op: f.Op, Link: f.Link.Between(), Rule: f.Rule}, &Filter{Op: Some, Link: f.Link.Through.Link, Sub: f.Sub, Rule: f.Rule}
	if f.Op == Every {
		out.Op, far.Sub = None, []*Filter{{Op: Not, Sub: []*Filter{{Op: And, Sub: f.Sub}}}}
	}
	out.Sub = []*Filter{Both(f.Via, far)}
	return out
}

// Derived is a value that the rows behind a relation give a row: a field of the one row, or an
// aggregate of many. A row without the other side has null, and counts 0.
//
//	author.name          Link author, Of name
//	author.country.name  Link author, Next (Link country, Of name)
//	reviews.count        Link reviews, Func Count
//	reviews.rating.avg   Link reviews, Func Avg, Of rating
type Derived struct {
	// As is the value as orders and comparisons name it. Its owner has no other field.
	As   *schema.Property
	Link *schema.Link
	// Where is the condition on the rows that exist for the caller; nil: all rows.
	Where *Filter
	// Via is the condition on the rows in between of Link; nil: all exist.
	Via *Filter
	// Next is the value of the row that Link leads to; nil: Func and Of give the value.
	Next *Derived
	Func Func             // Key: the field itself
	Of   *schema.Property // of Link.Target; nil: the number of rows
}

// named gives the value the name of its path.
func (d *Derived) named(path string) *Derived {
	last := d
	for last.Next != nil {
		last = last.Next
	}
	kind := schema.KindInteger
	if last.Of != nil {
		kind = last.Func.Kind(last.Of.Kind)
	}
	e := d.Link.Field.Owner
	for at := d; at != nil; at = at.Next {
		at.As = &schema.Property{Field: &schema.Field{Name: path}, Kind: kind}
		schema.Derive(e.Name, e.Key, []*schema.Property{at.As})
	}
	return d
}

// Op is the operation of a Filter. The zero value is And.
type Op uint8

// The operators (docs/calls.md).
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
	Has       // an array holds the value
	Some      // a related row meets Sub
	None      // no related row meets Sub
	Every     // no related row fails Sub; holds where there is none
	Aggregate // the value that the related rows give meets Sub
	// Search holds for the rows that a search by words finds. No filter of a caller has it. Only a store
	// can say whether a row meets it.
	Search
	// OfRule holds where its one Sub does, and says to another host that Sub is a condition with Rule there.
	OfRule
)

// Both returns a filter that holds where a and b hold; nil holds for every row, and two of
// them give nil. Neither argument is changed.
func Both(a, b *Filter) *Filter {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Filter{Op: And, Sub: []*Filter{a, b}}
}

// Nothing returns a new filter that holds for no row: an Or without alternatives.
func Nothing() *Filter { return &Filter{Op: Or} }

// verdict is the filter that holds for every row, or for no row.
func verdict(holds bool) *Filter {
	if holds {
		return &Filter{Op: And}
	}
	return &Filter{Op: Or}
}

// Always reports whether f holds for every row without a look at any.
func (f *Filter) Always() bool { return f == nil || f.Op == And && len(f.Sub) == 0 }

// Never reports whether f holds for no row without a look at any.
func (f *Filter) Never() bool { return f != nil && f.Op == Or && len(f.Sub) == 0 }

// Closed returns a field of f that is closed outward (spec 2.2), or nil. It looks at relations
// and at the filters behind them too, and returns the first such field.
func (f *Filter) Closed() *schema.Property {
	return f.first(func(p *schema.Property) bool { return !p.Readable() })
}

// Reads reports whether f goes by a field for which is holds: one that it compares, or the key of a
// relation, in f or in a filter behind a relation.
func (f *Filter) Reads(is func(*schema.Property) bool) bool { return f.first(is) != nil }

// first returns the first field that f goes by and for which is holds, or nil.
func (f *Filter) first(is func(*schema.Property) bool) *schema.Property {
	if f == nil {
		return nil
	}
	if f.Field != nil && is(f.Field) {
		return f.Field
	}
	if p := firstOf(f.Link, is); p != nil {
		return p
	}
	for d := f.Derived; d != nil; d = d.Next {
		if d.Of != nil && is(d.Of) {
			return d.Of
		}
		for _, p := range []*schema.Property{firstOf(d.Link, is), d.Where.first(is), d.Via.first(is)} {
			if p != nil {
				return p
			}
		}
	}
	for _, sub := range append([]*Filter{f.Via}, f.Sub...) {
		if p := sub.first(is); p != nil {
			return p
		}
	}
	return nil
}

// firstOf returns the first key of a relation for which is holds, or nil; l may be nil.
func firstOf(l *schema.Link, is func(*schema.Property) bool) *schema.Property {
	if l == nil {
		return nil
	}
	for _, p := range []*schema.Property{l.Field, l.Inverse, l.Through} {
		if p != nil && is(p) {
			return p
		}
	}
	return nil
}
