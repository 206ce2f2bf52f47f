package filter

import (
	"context"
	"slices"

	"github.com/frondhost/frond/schema"
)

// A condition through a relation as one on keys, for rows of different places:
//
//	author: {name: {eq: Ada}}             authorId: {in: [a1, a2]}
//	comments: {some: {open: {eq: true}}}  id: {in: [p1, p7]}, the postId of those comments

// Behind returns the condition on the rows behind the relation of f, and the field of those rows that holds the
// keys for [Filter.OnKeys]. f is a Some, None or Every without rows in between ([Filter.Hops]).
func (f *Filter) Behind() (field *schema.Property, where *Filter) {
	where = &Filter{Op: And, Sub: f.Sub}
	if f.Op == Every {
		where = &Filter{Op: Not, Sub: []*Filter{where}} // f is met where such a row is not found
	}
	if f.Link.Inverse != nil {
		return f.Link.Inverse, where
	}
	return f.Link.Target.Primary, where
}

// OnKeys returns f as a condition on the row's own key. keys are the distinct values of the field that [Filter.Behind] returned,
// in the rows that meet its condition. An In of the result has at most most values.
func (f *Filter) OnKeys(keys []any, most int) *Filter {
	at := f.Link.Field
	if f.Link.Inverse != nil {
		at = at.Owner.Primary
	}
	some := OneOf(at, keys, most)
	if f.Rule {
		some = some.AsRule(func(*schema.Property) bool { return true })
	}
	if f.Op != Some {
		some = &Filter{Op: Not, Sub: []*Filter{some}}
	}
	return some
}

// OneOf returns the condition that a field, or an item of a list, is one of these keys. An In of it has at most most values.
func OneOf(field *schema.Property, keys []any, most int) *Filter {
	some := Nothing()
	if _, list := ItemKind(field); list {
		for _, key := range keys {
			some.Sub = append(some.Sub, &Filter{Op: Has, Field: field, Values: []any{key}})
		}
	} else if len(keys) == 1 {
		some.Sub = []*Filter{{Op: Eq, Field: field, Values: keys}}
	} else {
		for part := range slices.Chunk(keys, most) {
			some.Sub = append(some.Sub, &Filter{Op: In, Field: field, Values: part})
		}
	}
	if len(some.Sub) == 1 {
		return some.Sub[0]
	}
	return some
}

// Crossing turns conditions through relations, some of which lead to rows of other places, into conditions on rows
// of one place. It may be used from many goroutines.
type Crossing struct {
	// Apart reports whether some rows of a relation are kept elsewhere.
	Apart func(l *schema.Link) bool
	// Keys returns the distinct values of a field in the rows that meet a condition, wherever they are kept. rule is [Filter.Rule].
	Keys func(ctx context.Context, field *schema.Property, where *Filter, rule bool) ([]any, error)
	// Most is how many values an In has at most.
	Most int
	// Aggregate returns a condition on an aggregate of rows elsewhere as one on a key of the row.
	Aggregate func(ctx context.Context, f *Filter) (*Filter, error)
}

// Filter returns f with conditions on keys in place of those through relations to rows elsewhere. It does not change f.
func (c *Crossing) Filter(ctx context.Context, f *Filter) (*Filter, error) {
	if f == nil || f.Op == OfRule || f.Link == nil && len(f.Sub) == 0 {
		return f, nil
	}
	var err error
	if f.Op == Aggregate && c.Apart(f.Link) {
		return c.Aggregate(ctx, f)
	}
	if f.Op == Aggregate {
		out := *f
		out.Derived, err = c.Derived(ctx, f.Derived)
		return &out, err
	}
	if f.Link != nil && c.Apart(f.Link) {
		f = f.Hops()
		if c.Apart(f.Link) {
			field, where := f.Behind()
			keys, err := c.Keys(ctx, field, where, f.Rule)
			return f.OnKeys(keys, c.Most), err
		}
	}
	out := *f
	if out.Via, err = c.Filter(ctx, f.Via); err != nil {
		return nil, err
	}
	out.Sub = make([]*Filter, len(f.Sub))
	for i, sub := range f.Sub {
		if out.Sub[i], err = c.Filter(ctx, sub); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// Derived returns d, whose rows are kept in one place, with such conditions on the rows behind its relations; nil for nil.
func (c *Crossing) Derived(ctx context.Context, d *Derived) (*Derived, error) {
	if d == nil {
		return nil, nil
	}
	own := *d
	var err error
	if own.Where, err = c.Filter(ctx, d.Where); err != nil {
		return nil, err
	}
	if own.Via, err = c.Filter(ctx, d.Via); err != nil {
		return nil, err
	}
	own.Next, err = c.Derived(ctx, d.Next)
	return &own, err
}

// ofRule is the word of [OfRule].
const ofRule = "$rule"

// Spelled returns f, a condition on rows of e, with words in place of an empty Or or And, which the condition of a
// write must not have.
func (f *Filter) Spelled(e *schema.Entity) *Filter {
	switch {
	case f.Never():
		return &Filter{Op: IsNull, Field: e.Primary, Values: []any{true}}
	case f != nil && f.Always():
		return &Filter{Op: IsNull, Field: e.Primary, Values: []any{false}}
	case f == nil || f.Op == Aggregate || len(f.Sub) == 0:
		return f
	case f.Link != nil:
		e = f.Link.Target
	}
	out := *f
	out.Sub = make([]*Filter, len(f.Sub))
	for i, sub := range f.Sub {
		out.Sub[i] = sub.Spelled(e)
	}
	return &out
}

// AsRule returns f, in which the conditions on some fields have Rule: a host may hide these fields from the caller.
func (f *Filter) AsRule(is func(*schema.Property) bool) *Filter {
	if f == nil || f.Rule || f.Link != nil {
		return f
	}
	out := *f
	if out.Rule = f.Field != nil && is(f.Field); out.Rule {
		return &out
	}
	changed := false
	out.Sub = make([]*Filter, len(f.Sub))
	for i, sub := range f.Sub {
		out.Sub[i] = sub.AsRule(is)
		changed = changed || out.Sub[i] != sub
	}
	if !changed {
		return f
	}
	return &out
}

// ForRules returns f with [OfRule] around the conditions of access rules. changed is false for f itself.
func (f *Filter) ForRules() (marked *Filter, changed bool) {
	switch {
	case f == nil:
		return nil, false
	case f.Op == OfRule:
		return f, true
	case f.Rule:
		return &Filter{Op: OfRule, Sub: []*Filter{f}}, true
	}
	out := *f
	out.Sub = make([]*Filter, len(f.Sub))
	for i, sub := range f.Sub {
		own, is := sub.ForRules()
		out.Sub[i], changed = own, changed || is
	}
	if !changed {
		return f, false
	}
	return &out, true
}
