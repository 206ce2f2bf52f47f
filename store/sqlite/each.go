package sqlite

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// each answers a Find for many keys in one statement. The keys are one bound JSON array,
// joined to the table by the field's index:
//
//	SELECT k.key, t0.… FROM json_each(?) AS k CROSS JOIN "post" AS t0 ON t0.rowid IN
//	  (SELECT t1.rowid FROM "post" AS t1 WHERE t1."author" = k.value ORDER BY … LIMIT ? + 0) ORDER BY k.rowid, …
//
// Each key has a small ordered search of its own that stops at the limit; numbering all rows
// with a window function takes up to fifty times as long (docs/decisions/035). A field whose
// values are unique needs neither.
//
//	SELECT k.key, t0.… FROM json_each(?) AS k CROSS JOIN "author" AS t0 WHERE t0."id" = k.value ORDER BY k.rowid
func (r *reading) each(ctx context.Context) error {
	c, err := r.table.column(r.q.Each.Field)
	if err != nil {
		return err
	}
	size := 2
	for _, v := range r.q.Each.Values {
		size += len(v) + 1
	}
	list := append(make([]byte, 0, size), '[')
	for _, v := range r.q.Each.Values {
		list = appendKey(list, c.prop, v)
	}
	keys := engine.TextValue(string(append(list, ']')))

	b := r.store.builder()
	defer b.free()
	if r.q.Count {
		b.text("SELECT 0, * FROM (") // as for a page: the counts stand behind the rows
	}
	// With one row at most for each key there is nothing to order and to limit. A limit of 0
	// asks for totals alone, and an offset leaves that row out.
	if unique(c) && r.q.Limit > 0 && r.q.Offset <= 0 {
		err = r.plain(b, c, keys)
	} else {
		err = r.some(b, c, keys)
	}
	if err != nil {
		return err
	}
	if r.q.Count {
		if err := r.totals(b, c, keys); err != nil {
			return err
		}
	}
	if err := b.ready(); err != nil {
		return err
	}
	return r.store.db.ReadAs(ctx, r.turn(ctx), func(conn *engine.Conn) error {
		conn.CountTotal(r.q.Count)
		return r.runEach(conn, b)
	})
}

// appendKey appends the value of a field as an element of a JSON array. Nearly every key is a
// text without escapes: it stands in the array as it stands in the row. A value that cannot
// stand in the column becomes null, which no row equals, so that keys keep their places.
func appendKey(list []byte, p *schema.Property, v json.RawMessage) []byte {
	if p.Kind == schema.KindString && jsontext.KindOf(v) == jsontext.String && bytes.IndexByte(v, '\\') < 0 {
		if len(list) > 1 {
			list = append(list, ',')
		}
		return append(list, v...)
	}
	a, fault := encode(p, v)
	if fault != "" {
		a = engine.Value{} // of another kind: it equals nothing, and null equals nothing
	}
	return appendElement(list, a)
}

// unique says whether at most one row has a given value in the column: a key, or a unique
// constraint of it alone.
func unique(c *column) bool {
	if c.primary {
		return true
	}
	for _, members := range c.prop.Owner.Uniques {
		if len(members) == 1 && members[0] == c.prop {
			return true
		}
	}
	return false
}

// plain writes the statement for the one row a key can have.
func (r *reading) plain(b *builder, c *column, keys engine.Value) error {
	alias := b.alias()
	b.text("SELECT k.key, ")
	b.columns(&r.sel, alias)
	if err := r.join(b, c, keys, alias, true); err != nil {
		return err
	}
	b.text(" ORDER BY k.rowid") // the order json_each gives them in: nothing is sorted for it
	return nil
}

// some writes the statement for a bounded number of rows of each key; see each.
func (r *reading) some(b *builder, c *column, keys engine.Value) error {
	outer, inner := b.alias(), b.alias()
	b.text("SELECT k.key, ")
	b.columns(&r.sel, outer)
	b.text(" FROM json_each(")
	b.bind(keys)
	b.text(") AS k CROSS JOIN ", r.table.name, " AS ", outer, " ON ", outer, ".", r.table.rowid,
		" IN (SELECT ", inner, ".", r.table.rowid)
	if err := r.from(b, inner); err != nil {
		return err
	}
	b.text(" WHERE ")
	b.column(inner, c)
	b.text(" = k.value")
	if err := r.conditions(b, inner, " AND ", true); err != nil {
		return err
	}
	if len(r.order) > 0 {
		b.text(" ORDER BY ")
		b.orderBy(r.order, inner)
	}
	b.limit(r.q)
	b.text(") ORDER BY k.rowid")
	if len(r.order) > 0 {
		b.text(", ")
		b.orderBy(r.order, outer)
	}
	return nil
}

// join writes the keys, the rows that have them and the conditions. The rows come
// last in a CROSS JOIN, so that SQLite looks them up key by key.
func (r *reading) join(b *builder, c *column, keys engine.Value, alias string, from bool) error {
	b.text(" FROM json_each(")
	b.bind(keys)
	b.text(") AS k CROSS JOIN ", r.table.name, " AS ", alias)
	if err := b.join(r.q.Where, r.table, alias); err != nil {
		return err
	}
	b.text(" WHERE ")
	b.column(alias, c)
	b.text(" = k.value")
	return r.conditions(b, alias, " AND ", from)
}

// totals writes the second half of a statement that counts the rows of each key, behind those
// of the first half. Keys without rows are not in it; runEach counts them as 0.
//
//	… LIMIT -1) UNION ALL SELECT 1, k.key, count(*), NULL … GROUP BY k.key
func (r *reading) totals(b *builder, c *column, keys engine.Value) error {
	alias := b.alias()
	b.text(" LIMIT -1) UNION ALL SELECT 1, k.key, count(*)") // with a limit, even none, the order inside is kept
	for range r.sel.width() - 1 {
		b.text(", NULL")
	}
	if err := r.join(b, c, keys, alias, false); err != nil {
		return err
	}
	b.text(" GROUP BY k.key")
	return nil
}

// runEach steps the statement and cuts the rows into the groups of their keys. The rows come
// in the order of the keys, and the totals behind all rows:
//
//	0  key  columns …   a row of the key, with Count; without it the first column is the key
//	1  key  total …     the total of the key
//
// The row beyond the limit is not kept; it sets More of its group.
func (r *reading) runEach(c *engine.Conn, b *builder) error {
	st, err := c.Start(b.sql, b.args)
	if err != nil {
		return err
	}
	groups := make([]facade.FoundGroup, len(r.q.Each.Values))
	first, none := 0, int64(-1)
	if r.q.Count {
		first, none = 1, 0
	}
	for i := range groups {
		groups[i].Total = none
	}
	r.raw = facade.NewRows(r.sel.layout, len(groups))
	r.beside = len(groups) * facade.GroupSize
	at, n := -1, 0
	for st.Step() {
		key := int(st.ColumnInt64(first))
		if first == 1 && st.ColumnInt64(0) == 1 {
			groups[key].Total = st.ColumnInt64(2)
			continue
		}
		// Keys without rows have empty groups at the place where theirs would begin.
		for at < key {
			at++
			groups[at].From, groups[at].To = n, n
		}
		g := &groups[at]
		if g.To-g.From == max(0, r.q.Limit) {
			g.More = true
			continue
		}
		r.take(st, first+1)
		n++
		g.To = n
		if err := r.grown(); err != nil {
			_ = c.Finish(st) // it was going well
			return err
		}
	}
	if err := c.Finish(st); err != nil {
		return err
	}
	for at++; at < len(groups); at++ {
		groups[at].From, groups[at].To = n, n
	}
	r.found.Groups = groups
	return r.settle(groups)
}
