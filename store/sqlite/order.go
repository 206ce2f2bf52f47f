package sqlite

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// sortKey is one key of an order, as SQL is to have it. An order of rows ends in the primary
// key, so that no two are equal.
type sortKey struct {
	column *column
	desc   bool
}

// order appends the sort keys of a read to keys. A read towards the beginning (Backward) sorts
// the other way round; [reading.settle] turns its rows again.
func (t *table) order(keys []sortKey, q *facade.Find) ([]sortKey, error) {
	for _, k := range q.Sort {
		c, err := t.column(k.Field)
		if err != nil {
			return nil, err
		}
		keys = append(keys, sortKey{c, k.Desc != q.Backward})
	}
	return keys, nil
}

// turned is the same order the other way round: what stands before a row is what stands behind
// it in the turned order.
func turned(keys []sortKey) []sortKey {
	other := make([]sortKey, len(keys))
	for i, k := range keys {
		other[i] = sortKey{k.column, !k.desc}
	}
	return other
}

// orderBy writes the terms of an ORDER BY. Null is SQLite's smallest value, as it
// is in every store of ours (docs/decisions/094).
func (b *builder) orderBy(keys []sortKey, alias string) {
	for i, k := range keys {
		if i > 0 {
			b.text(", ")
		}
		b.column(alias, k.column)
		if k.desc {
			b.text(" DESC")
		}
	}
}

// behind writes the condition that a row stands strictly behind the one whose sort values are
// from, in the order of keys:
//
//	a > ? OR a = ? AND (b < ? OR b = ? AND (id > ?))
//
// with the outermost key's bound in front of it once more (a >= ? AND …), which is what an
// index can seek by. A null in from has its own form: nothing but nulls equals it, and
// everything else is larger (docs/decisions/094). Including the row itself, the last
// comparison, which is the primary key's, is >=. BAD_REQUEST where from does not fit the keys:
// a cursor is not trusted.
func (b *builder) behind(keys []sortKey, from []json.RawMessage, including bool, alias string) error {
	if len(from) != len(keys) {
		return facade.Errorf(facade.BadRequest, "the cursor is not of this order; take one from a page that is")
	}
	values := make([]engine.Value, len(keys))
	for i, k := range keys {
		var fault string
		if values[i], fault = encode(k.column.prop, from[i]); fault != "" {
			return facade.Errorf(facade.BadRequest, "the cursor is not of this order; take one from a page that is")
		}
	}
	// The bound in front would leave out nulls, which are the smallest value: downwards they
	// follow and have to stay.
	if len(keys) > 1 && values[0].Kind != engine.Null && (!keys[0].desc || keys[0].column.notNull) {
		b.column(alias, keys[0].column)
		if keys[0].desc {
			b.text(" <= ")
		} else {
			b.text(" >= ")
		}
		b.bind(values[0])
		b.text(" AND ")
	}
	b.beyond(keys, values, including, alias)
	return nil
}

// beyond writes the comparison for the first key and, where it is equal, those for the keys
// behind it:
//
//	ascending     (a > ? OR a = ? AND …)         from null   (a IS NOT NULL OR a IS NULL AND …)
//	descending    (a < ? OR a IS NULL OR a = ? AND …)        (0 OR a IS NULL AND …)
func (b *builder) beyond(keys []sortKey, values []engine.Value, including bool, alias string) {
	k, v := keys[0], values[0]
	orEqual := ""
	if including && len(keys) == 1 {
		orEqual = "="
	}
	b.text("(")
	switch {
	case v.Kind == engine.Null && k.desc: // nothing is smaller
		b.text("0")
	case v.Kind == engine.Null:
		b.column(alias, k.column)
		b.text(" IS NOT NULL")
	case k.desc:
		b.column(alias, k.column)
		b.text(" <", orEqual, " ")
		b.bind(v)
		if !k.column.notNull {
			b.text(" OR ")
			b.column(alias, k.column)
			b.text(" IS NULL")
		}
	default:
		b.column(alias, k.column)
		b.text(" >", orEqual, " ")
		b.bind(v)
	}
	if len(keys) > 1 {
		b.text(" OR ")
		b.column(alias, k.column)
		if v.Kind == engine.Null {
			b.text(" IS NULL")
		} else {
			b.text(" = ")
			b.bind(v)
		}
		b.text(" AND ")
		b.beyond(keys[1:], values[1:], including, alias)
	}
	b.text(")")
}
