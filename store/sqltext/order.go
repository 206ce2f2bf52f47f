package sqltext

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// SortKey is one key of an order, as SQL is to have it. An order of rows ends in the primary
// key, so that no two are equal.
type SortKey struct {
	Column *Column
	Desc   bool
	// Of is the key of several columns that Column is one of; all of them are consecutive. nil: the
	// key of the order is Column itself.
	Of *Column
	// derived is the value that Column has, of rows behind a relation; nil: it is a column of the table.
	derived *filter.Derived
}

// sorting appends the sort keys of a read to keys. A read towards the beginning (Backward) sorts
// the other way round; [Reading.Settle] turns its rows again.
func (t *Table) sorting(keys []SortKey, q *facade.Find) ([]SortKey, error) {
	for i, k := range q.Sort {
		if k.Derived != nil {
			name := `"~` + strconv.Itoa(i) + `"`
			c := &Column{Prop: k.Field, Name: name, Plain: name, NotNull: k.Derived.Counts()}
			keys = append(keys, SortKey{Column: c, Desc: k.Desc != q.Backward, derived: k.Derived})
			continue
		}
		c, err := t.Column(k.Field)
		if err == nil {
			err = c.order()
		}
		if err != nil {
			return nil, err
		}
		desc := k.Desc != q.Backward
		if c.Parts == nil || c != t.Primary { // a relation's text has no order of its columns: they may be null
			keys = append(keys, SortKey{Column: c, Desc: desc})
			continue
		}
		for _, p := range c.Parts {
			keys = append(keys, SortKey{Column: p, Desc: desc, Of: c})
		}
	}
	return keys, nil
}

// Turned returns the reverse order: the rows before a row follow it in the reverse order.
func Turned(keys []SortKey) []SortKey {
	other := make([]SortKey, len(keys))
	for i, k := range keys {
		other[i] = SortKey{Column: k.Column, Desc: !k.Desc, Of: k.Of, derived: k.derived}
	}
	return other
}

// OrderBy writes the terms of an ORDER BY. Null is the smallest value in every store
// (docs/decisions/filters-and-paging.md).
func (b *Builder) OrderBy(keys []SortKey, alias string) {
	for i, k := range keys {
		Separate(b, i, ", ")
		b.Column(alias, k.Column)
		nulls := b.db.Words.NullsFirst
		if k.Desc {
			b.Text(" DESC")
			nulls = b.db.Words.NullsLast
		}
		if !k.Column.NotNull {
			b.Text(nulls)
		}
	}
}

// Cursor returns the values of a place in an order, such as [facade.Find.From]. BAD_REQUEST if
// they do not fit the keys: a cursor is not trusted.
func Cursor(keys []SortKey, from []json.RawMessage) ([]Value, error) {
	values := make([]Value, 0, len(keys))
	fits := true
	for at := 0; fits && at < len(from); at++ {
		if fits = len(values) < len(keys); !fits {
			break
		}
		k := keys[len(values)]
		c := k.Column
		if k.Of != nil {
			c = k.Of
		}
		v, fault := Encode(c.Prop, from[at])
		if fits = fault == ""; c.Beyond != nil && jsontext.KindOf(from[at]) == jsontext.Object {
			v, fits = readStored(from[at])
		}
		if c.Fit != nil {
			c.Fit(&v)
		}
		if k.Of == nil {
			values = append(values, v)
			continue
		}
		parts, ok := c.SplitKey(v.S)
		fits = fits && ok
		values = append(values, parts...)
	}
	if !fits || len(values) != len(keys) {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the cursor is not of this order; take one from a page that is")
	}
	return values, nil
}

// After writes the condition that a row follows the one with the sort values of a [Cursor], in
// the order of keys:
//
//	a > ? OR a = ? AND (b < ? OR b = ? AND (id > ?))
//
// with the outermost key's bound in front of it once more (a >= ? AND …), so that an index can seek
// by it. A null among values has its own form: only nulls equal it, and everything else is larger
// (docs/decisions/filters-and-paging.md). Including the row itself, the last comparison, of the
// primary key, is >=.
func (b *Builder) After(keys []SortKey, values []Value, including bool, alias string) {
	// The bound in front would leave out nulls, which are the smallest value: downwards they
	// follow and have to stay.
	if len(keys) > 1 && keys[0].derived == nil && values[0].Kind != Null && (!keys[0].Desc || keys[0].Column.NotNull) {
		b.Column(alias, keys[0].Column)
		if keys[0].Desc {
			b.Text(" <= ")
		} else {
			b.Text(" >= ")
		}
		b.Bind(values[0])
		b.Text(" AND ")
	}
	b.beyond(keys, values, including, alias)
}

// beyond writes the comparison for the first key and, for rows equal in it, the comparisons for the
// keys after it:
//
//	ascending     (a > ? OR a = ? AND …)         from null   (a IS NOT NULL OR a IS NULL AND …)
//	descending    (a < ? OR a IS NULL OR a = ? AND …)        (0 OR a IS NULL AND …)
func (b *Builder) beyond(keys []SortKey, values []Value, including bool, alias string) {
	k, v := keys[0], values[0]
	orEqual := ""
	if including && len(keys) == 1 {
		orEqual = "="
	}
	b.Text("(")
	switch {
	case v.Kind == Null && k.Desc: // nothing is smaller
		b.Truth(false)
	case v.Kind == Null:
		b.Column(alias, k.Column)
		b.Text(" IS NOT NULL")
	case k.Desc:
		b.Column(alias, k.Column)
		b.Text(" <", orEqual, " ")
		b.Bind(v)
		if !k.Column.NotNull {
			b.Text(" OR ")
			b.Column(alias, k.Column)
			b.Text(" IS NULL")
		}
	default:
		b.Column(alias, k.Column)
		b.Text(" >", orEqual, " ")
		b.Bind(v)
	}
	if len(keys) > 1 {
		b.Text(" OR ")
		b.Column(alias, k.Column)
		if v.Kind == Null {
			b.Text(" IS NULL")
		} else {
			b.Text(" = ")
			b.Bind(v)
		}
		b.Text(" AND ")
		b.beyond(keys[1:], values[1:], including, alias)
	}
	b.Text(")")
}

// Limit writes LIMIT and OFFSET. One row beyond the limit is read, because it says that there
// are more.
func (b *Builder) Limit(q *facade.Find) {
	b.Text(" LIMIT ")
	b.Bind(IntValue(int64(max(0, q.Limit)) + 1))
	b.Text(b.db.Words.Bound)
	if q.Offset > 0 {
		b.Text(" OFFSET ")
		b.Bind(IntValue(int64(q.Offset)))
		b.Text(b.db.Words.Bound)
	}
}
