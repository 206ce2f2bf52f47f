package sqlite

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// Find reads rows in one statement (an estimated total takes up to three): a page, its total,
// the rows of many keys and the total of each. The result belongs to the caller. Errors:
// BAD_REQUEST for a cursor of another order or a filter that SQLite cannot take,
// UNPROCESSABLE_ENTITY where a statement has used up its time, SERVICE_UNAVAILABLE where the
// database cannot be reached, ctx's own where it ends.
func (s *Store) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	t, err := s.table(q.Entity)
	if err != nil {
		return nil, err
	}
	r := &reading{store: s, table: t, q: q, found: facade.Found{Total: -1}, meter: facade.MeterOf(ctx)}
	if r.order, err = t.order(r.orderRoom[:0], q); err != nil {
		return nil, err
	}
	if err := t.choose(&r.sel, q.Select, r.order); err != nil {
		return nil, err
	}
	if q.Each != nil {
		r.reach = fewRows
		err = r.each(ctx)
	} else {
		r.reach = reachOf(q.Where, q.Entity)
		err = r.page(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &r.found, nil
}

// reading is the state of one Find: what is asked, the statement's parts, and the rows as they
// come.
type reading struct {
	store *Store
	table *table
	q     *facade.Find
	// order are the sort keys as SQL is to have them; turned round for Backward.
	order []sortKey
	sel   selection
	// reach is that of Where.
	reach reach
	found facade.Found

	orderRoom [4]sortKey // for order, where these are enough

	// raw are the rows in the order they were read.
	raw *facade.Rows
	// keys are, with sort columns beside the layout, each row's key, one behind the other.
	keys []byte
	// ends are where each of them ends.
	ends []int

	meter facade.Meter
	// beside is how many bytes are held beside rows and keys.
	beside int
}

// grown charges the memory of what was read since the last call to the caller's budget
// (docs/decisions/246). An error says that the request may hold no more; the statement is then
// not stepped further.
func (r *reading) grown() error {
	return r.meter.Grown(r.raw, r.beside+cap(r.keys)+8*cap(r.ends))
}

// page answers a Find without Each:
//
//	SELECT 0, * FROM (SELECT t0."id", t0."title" FROM "post" AS t0 WHERE … ORDER BY … LIMIT ? + 0)
//	UNION ALL SELECT 1, (SELECT count(*) FROM …), NULL
//
// The total stands behind the rows in the same statement, so that both see one state of the
// table.
func (r *reading) page(ctx context.Context) error {
	b := r.store.builder()
	defer b.free()
	// An estimate is made behind the page, on the same connection.
	estimate := r.q.Count && r.q.Estimate && r.q.Where != nil
	counted := r.q.Count && !estimate
	if counted {
		// The count stands behind the rows in the same statement: it sees what they see.
		b.text("SELECT 0, * FROM (")
	}
	b.text("SELECT ")
	alias := b.alias()
	b.columns(&r.sel, alias)
	if err := r.from(b, alias); err != nil {
		return err
	}
	if err := r.conditions(b, alias, " WHERE ", true); err != nil {
		return err
	}
	if len(r.order) > 0 {
		b.text(" ORDER BY ")
		b.orderBy(r.order, alias)
	}
	b.limit(r.q)
	if counted {
		b.text(") UNION ALL SELECT 1, ")
		if err := r.total(b); err != nil {
			return err
		}
		for range r.sel.width() - 1 {
			b.text(", NULL")
		}
	}
	if err := b.ready(); err != nil {
		return err
	}
	return r.store.db.ReadAs(ctx, r.turn(ctx), func(c *engine.Conn) error {
		c.CountTotal(counted && r.q.Where != nil)
		err := r.runPage(c, b, counted)
		if err == nil && estimate {
			r.found.Total, err = r.estimate(c, int64(r.q.Offset+r.found.Rows.Len()), r.found.More)
		}
		return err
	})
}

// total writes the number of rows that meet the conditions: a subquery, or without a filter
// the number that is kept.
func (r *reading) total(b *builder) error {
	if r.q.Where == nil {
		b.text(r.table.tallied())
		return nil
	}
	alias := b.alias()
	b.text("(SELECT count(*)")
	if err := r.from(b, alias); err != nil {
		return err
	}
	if err := r.conditions(b, alias, " WHERE ", false); err != nil {
		return err
	}
	b.text(")")
	return nil
}

// from writes the table and what its conditions join to it: FROM "post" AS t0 JOIN "author" AS
// t1 ON ….
func (r *reading) from(b *builder, alias string) error {
	b.text(" FROM ", r.table.name, " AS ", alias)
	return b.join(r.q.Where, r.table, alias)
}

// conditions writes what rows have to meet, behind [reading.from]; word stands before the
// first of them. from says whether the cursor's place counts: a total counts all rows,
// wherever the page begins.
func (r *reading) conditions(b *builder, alias, word string, from bool) error {
	if r.q.Where != nil {
		b.text(word)
		word = " AND "
		b.sure, b.reach = true, r.reach
		err := b.filter(r.q.Where, r.table, alias)
		b.sure = false
		if err != nil {
			return err
		}
	}
	if from && r.q.From != nil {
		b.text(word)
		word = " AND "
		if err := b.behind(r.order, r.q.From, r.q.Including, alias); err != nil {
			return err
		}
	}
	if from && r.q.Until != nil {
		b.text(word)
		return b.behind(turned(r.order), r.q.Until, false, alias)
	}
	return nil
}

// runPage steps the statement. The row beyond the limit is not kept; it sets More. With
// counted the first column says what a row is: 0 of the page, 1 the total.
func (r *reading) runPage(c *engine.Conn, b *builder, counted bool) error {
	st, err := c.Start(b.sql, b.args)
	if err != nil {
		return err
	}
	first := 0
	if counted {
		first = 1
	}
	limit := max(0, r.q.Limit)
	r.raw = facade.NewRows(r.sel.layout, roomFor(limit))
	n, total := 0, int64(-1)
	for st.Step() {
		if first == 1 && st.ColumnInt64(0) == 1 {
			if total = st.ColumnInt64(1); r.q.Where == nil {
				total = r.store.readTally(r.table, total)
			}
			break
		}
		// With a count the rest is stepped over, as the total stands behind it; it is one row.
		if n == limit {
			r.found.More = true
			if !counted {
				break
			}
			continue
		}
		r.take(st, first)
		n++
		if err := r.grown(); err != nil {
			_ = c.Finish(st) // it was going well
			return err
		}
	}
	if err := c.Finish(st); err != nil {
		return err
	}
	r.found.Total = total
	return r.settle([]facade.FoundGroup{{To: n}})
}

// take reads the row a statement stands on, with its selection from column first.
func (r *reading) take(st *engine.Stmt, first int) {
	r.sel.row(r.raw, st, first)
	if len(r.sel.extra) == 0 {
		return
	}
	// A sort column is not in the layout: its value is only here now.
	row := r.raw.Row(r.raw.Len() - 1)
	r.keys = append(r.keys, '[')
	for i, at := range r.sel.keys {
		if i > 0 {
			r.keys = append(r.keys, ',')
		}
		if at < len(r.sel.fields) {
			r.keys = append(r.keys, row.At(at)...)
		} else {
			r.keys = appendColumn(r.keys, st, first+at, r.sel.extra[at-len(r.sel.fields)])
		}
	}
	r.keys = append(r.keys, ']')
	r.ends = append(r.ends, len(r.keys))
}

// settle puts what was read into the answer: turned round where it was read towards the
// beginning, with the keys that were asked for. Without Find.Keys a group has the keys of its
// first and its last row, which are the page's cursors.
func (r *reading) settle(groups []facade.FoundGroup) error {
	rows, n := r.raw, r.raw.Len()
	// source is which row read became row i of the answer.
	source := func(i int) int { return i }
	if r.q.Backward && n > 1 {
		r.beside += rows.Size() + 8*n
		if err := r.grown(); err != nil {
			return err
		}
		places := make([]int, n)
		for _, g := range groups {
			for i := g.From; i < g.To; i++ {
				places[i] = g.To - 1 - (i - g.From)
			}
		}
		source = func(i int) int { return places[i] }
		rows = facade.NewRows(r.sel.layout, n)
		for i := range n {
			rows.BeginRow()
			row := r.raw.Row(places[i])
			for f := range r.sel.fields {
				rows.Put(f, row.At(f))
			}
			rows.EndRow()
		}
	}
	r.found.Rows = rows
	if len(r.sel.keys) == 0 || n == 0 {
		return nil
	}
	r.found.Keys = make([]json.RawMessage, n)
	for _, g := range groups {
		for i := g.From; i < g.To; i++ {
			if r.q.Keys || i == g.From || i == g.To-1 {
				r.found.Keys[i] = r.key(source(i), rows.Row(i))
				r.beside += keySize + 3*len(r.found.Keys[i]) // a cursor is made of it
			}
		}
		if err := r.grown(); err != nil {
			return err
		}
	}
	return nil
}

// keySize is how many bytes a key takes beside its text: its slice header.
const keySize = 24

// key returns the JSON array of a row's sort values, such as
// ["2026-05-01T10:30:00.000Z","p1"], of which a cursor is made; read is the row's place among
// those read.
func (r *reading) key(read int, row facade.Row) json.RawMessage {
	if len(r.sel.extra) > 0 {
		from := 0
		if read > 0 {
			from = r.ends[read-1]
		}
		return json.RawMessage(r.keys[from:r.ends[read]:r.ends[read]])
	}
	size := 2
	for _, at := range r.sel.keys {
		size += len(row.At(at)) + 1
	}
	key := append(make([]byte, 0, size), '[')
	for i, at := range r.sel.keys {
		if i > 0 {
			key = append(key, ',')
		}
		key = append(key, row.At(at)...)
	}
	return append(key, ']')
}

// roomFor returns how many rows to make room for at first: a limit is often larger than what
// there is.
func roomFor(limit int) int { return min(limit, 200) }

// turn says what kind of connection the read needs (see [engine.Turn]).
func (r *reading) turn(ctx context.Context) engine.Turn {
	return engine.Turn{Search: !r.short(), Request: facade.RequestOf(ctx)}
}

// shortOffset is how many rows a short read may leave out: each of them is read all the same.
const shortOffset = 1000

// short says whether the work is bounded by the number of rows that are asked for, whatever
// the size of the table: rows of given keys with a cheap condition, or a page in the order of
// an index. Short reads may use the connections that are kept for them; all others are
// searches.
func (r *reading) short() bool {
	switch {
	case r.reach == singleRow:
		return true
	case r.q.Offset > shortOffset:
		return false
	case r.q.Each != nil:
		return light(r.q.Where) && (!r.q.Count || r.q.Where == nil)
	}
	return r.q.Where == nil && (len(r.order) == 0 || r.table.led(r.order[0].column))
}

// light says whether a condition of a row takes a lookup at most. Tests of a part of a text
// read the whole text, and relations to many rows read all of those.
func light(f *facade.Filter) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case facade.Contains, facade.IContains, facade.EndsWith, facade.Has:
		return false
	case facade.Some, facade.None, facade.Every:
		if f.Link == nil || f.Link.Many {
			return false
		}
	}
	for _, sub := range f.Sub {
		if !light(sub) {
			return false
		}
	}
	return true
}

// led says whether an index begins with the column, so that its order needs no sorting.
func (t *table) led(c *column) bool {
	return c == t.primary || slices.ContainsFunc(t.indexes, func(ix index) bool { return ix.columns[0] == c })
}
