package storetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Filters and orders of the reference store. Values are decoded and compared as Go values, one
// row at a time, in the plainest way: there is no index and no translation that could share a
// mistake with a store in SQL. The rules are those of docs/decisions/filters-and-paging.md and
// docs/decisions/filters-and-paging.md:
//
//	null         smaller than every value, equal to none
//	text         by its bytes
//	boolean      false before true
//	decimal      by value: 9.5 equals 9.50
//	date-time    by moment
//	date         by its text, whose order is that of days

// value returns a field's text as a Go value: nil, bool, int64, float64, string, time.Time,
// *big.Rat, or what encoding/json makes of it. Two values of one field have one type, unless a
// decimal cannot be read.
func value(p *schema.Property, text json.RawMessage) any {
	if len(text) == 0 || jsontext.IsNull(text) {
		return nil
	}
	switch p.Kind {
	case schema.KindInteger:
		n, _ := schema.Integer(text)
		return n
	case schema.KindNumber:
		var f float64
		_ = json.Unmarshal(text, &f)
		return f
	case schema.KindBoolean:
		return jsontext.KindOf(text) == jsontext.True
	case schema.KindDateTime:
		return moment(jsontext.Unquote(text))
	case schema.KindDecimal:
		r, ok := new(big.Rat).SetString(jsontext.Unquote(text))
		if !ok {
			return jsontext.Unquote(text)
		}
		return r
	case schema.KindString, schema.KindDate:
		return jsontext.Unquote(text)
	}
	var v any
	_ = json.Unmarshal(text, &v)
	return v
}

// operand returns an operand of a filter as value would have it. Operands are judged before,
// so that a decimal and a date-time can always be read.
func operand(p *schema.Property, v any) any {
	s, isText := v.(string)
	switch {
	case isText && p.Kind == schema.KindDateTime:
		return moment(s)
	case isText && p.Kind == schema.KindDecimal:
		r, _ := new(big.Rat).SetString(s)
		return r
	}
	return v
}

// compare orders two values of one kind; nil is the smallest. It panics for values of two
// types. Objects and arrays are ordered by their JSON text, as no order is promised for them.
func compare(a, b any) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return -1
		}
		return 1
	}
	switch a := a.(type) {
	case bool:
		return cmp.Compare(number(a), number(b.(bool)))
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return strings.Compare(a, b.(string))
	case time.Time:
		return a.Compare(b.(time.Time))
	case *big.Rat:
		return a.Cmp(b.(*big.Rat))
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Compare(x, y)
}

// number returns 1 for true and 0 for false, so that booleans compare as SQL stores compare
// them.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareTexts compares two values of a field in the order that every store sorts by.
func compareTexts(p *schema.Property, a, b json.RawMessage) int {
	return compare(value(p, a), value(p, b))
}

// compareRows compares two rows by the keys of an order, the first that differs. Sort ends
// with the primary key, so that two rows never compare equal.
func (s *Store) compareRows(sort []facade.SortKey, a, b *row) int {
	for _, k := range sort {
		c := compareTexts(k.Field, s.at(k, a), s.at(k, b))
		if k.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// compareToKey compares a row with the place that a cursor names: less than 0 before it, more than
// 0 after it, in the direction of the order. The place need not be that of a row.
func (s *Store) compareToKey(sort []facade.SortKey, r *row, from []json.RawMessage) int {
	at := &row{map[string]json.RawMessage{}}
	for i, k := range sort {
		at.of[k.Field.Name] = from[i]
	}
	return s.compareRows(sort, r, at)
}

// holds reports whether a filter holds for a row, as the comment of facade.Filter has it. s.mu
// is held.
func (s *Store) holds(f *filter.Filter, r *row) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case filter.And:
		return !slices.ContainsFunc(f.Sub, func(sub *filter.Filter) bool { return !s.holds(sub, r) })
	case filter.Or:
		return slices.ContainsFunc(f.Sub, func(sub *filter.Filter) bool { return s.holds(sub, r) })
	case filter.Not:
		return !s.holds(f.Sub[0], r)
	// A row without related rows fails Some and meets None and Every.
	case filter.Some, filter.None, filter.Every:
		f = f.Hops()
		met, failed := false, false
		for _, other := range s.related(f.Link, r) {
			if len(f.Sub) == 0 || s.holds(f.Sub[0], other) {
				met = true
			} else {
				failed = true
			}
		}
		return f.Op == filter.Some && met || f.Op == filter.None && !met || f.Op == filter.Every && !failed
	case filter.Search:
		found, _ := searched(f.Search, nil, r)
		return found
	}
	if f.Op == filter.Aggregate {
		return s.holds(f.Sub[0], &row{map[string]json.RawMessage{f.Derived.As.Name: s.derive(f.Derived, r)}})
	}
	v := value(f.Field, r.of[f.Field.Name])
	// Equality is false for a null, and Ne and NotIn are its opposites: they hold for one.
	in := func() bool {
		return v != nil && slices.ContainsFunc(f.Values, func(o any) bool { return compare(v, operand(f.Field, o)) == 0 })
	}
	switch f.Op {
	case filter.IsNull:
		return (v == nil) == f.Values[0].(bool)
	case filter.Eq, filter.In:
		return in()
	case filter.Ne, filter.NotIn:
		return !in()
	case filter.Has:
		items, _ := v.([]any)
		return slices.ContainsFunc(items, func(item any) bool {
			// encoding/json decodes every number as a float64.
			if n, ok := f.Values[0].(int64); ok {
				return item == float64(n)
			}
			return item == f.Values[0]
		})
	}
	if v == nil {
		return false
	}
	// What remains compares a value that is there: an order, or parts of texts.
	c, text := 0, ""
	switch f.Op {
	case filter.Lt, filter.Lte, filter.Gt, filter.Gte:
		c = compare(v, operand(f.Field, f.Values[0]))
	default:
		text = v.(string)
	}
	switch f.Op {
	case filter.Lt:
		return c < 0
	case filter.Lte:
		return c <= 0
	case filter.Gt:
		return c > 0
	case filter.Gte:
		return c >= 0
	case filter.Contains:
		return strings.Contains(text, f.Values[0].(string))
	case filter.StartsWith:
		return strings.HasPrefix(text, f.Values[0].(string))
	case filter.EndsWith:
		return strings.HasSuffix(text, f.Values[0].(string))
	case filter.IContains:
		return strings.Contains(strings.ToLower(text), strings.ToLower(f.Values[0].(string)))
	}
	return false
}

// related returns the rows on the other side of a relation:
//
//	one                the row with the id in the field
//	many, inverse      the rows whose field has this row's id
//	many, ids here     the rows of the ids, in their order; those that are not there are left out
func (s *Store) related(link *schema.Link, r *row) (rows []*row) {
	switch {
	case !link.Many:
		if v := r.of[link.Field.Name]; !jsontext.IsNull(v) {
			if other := s.byID(link.Target, v); other != nil {
				rows = append(rows, other)
			}
		}
	case link.Inverse != nil:
		// The key of this row, which the field of the others names.
		id := r.of[link.Field.Owner.Primary.Name]
		for _, other := range s.table(link.Target).rows {
			if v := other.of[link.Inverse.Name]; !jsontext.IsNull(v) && compareTexts(link.Inverse, v, id) == 0 {
				rows = append(rows, other)
			}
		}
	default:
		for _, id := range jsontext.Elements(r.of[link.Field.Name]) {
			if other := s.byID(link.Target, id); other != nil {
				rows = append(rows, other)
			}
		}
	}
	return rows
}

// at is the value that a row has for a key of an order; a place has it already.
func (s *Store) at(k facade.SortKey, r *row) json.RawMessage {
	if v, found := r.of[k.Field.Name]; found || k.Derived == nil {
		return v
	}
	return s.derive(k.Derived, r)
}

// derive is the value that the rows behind a relation give a row. A list of ids leads to each of
// its rows once.
func (s *Store) derive(d *filter.Derived, r *row) json.RawMessage {
	var of []*row
	others := s.related(d.Link, r)
	if d.Link.Through != nil {
		others = nil
		for _, between := range s.related(d.Link.Between(), r) {
			if s.holds(d.Via, between) {
				others = append(others, s.related(d.Link.Through.Link, between)...)
			}
		}
	}
	for _, other := range others {
		if s.holds(d.Where, other) && !slices.Contains(of, other) {
			of = append(of, other)
		}
	}
	c := &aggregate.Column{As: d.As, Of: d.Of, Func: d.Func, Capped: true}
	switch {
	case d.Func != filter.Key:
		value, err := aggregated(c, of)
		if err != nil && s.failed == nil {
			s.failed = err
		}
		return value
	case len(of) == 0:
		return json.RawMessage("null")
	case d.Next != nil:
		return s.derive(d.Next, of[0])
	}
	return keyOf(c, of[0].of[d.Of.Name], time.UTC)
}
