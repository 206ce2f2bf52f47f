package sqlite

import (
	"context"
	"math"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Find reads rows in one statement (an estimated total takes up to three): a row by its key, a
// page and its total, or the rows of many keys and the total of each. The result belongs to the caller. Errors:
// BAD_REQUEST for a cursor of another order or a filter that SQLite cannot take,
// UNPROCESSABLE_ENTITY where a statement has used up its time, SERVICE_UNAVAILABLE where the
// database cannot be reached, ctx's own where it ends.
func (s *access) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	t, err := s.table(q.Entity)
	if err != nil {
		return nil, err
	}
	if q.Group != nil {
		return s.group(ctx, t, q)
	}
	db := &s.text
	if q.Derives() {
		db = &s.exact
	}
	r := &reading{store: s, table: t, db: db, b: db.Builder()}
	r.Number = t.rowid
	defer r.b.Free()
	if err := r.Begin(&t.Table, q, budget.MeterOf(ctx)); err != nil {
		return nil, err
	}
	var run func(*engine.Conn) error
	switch {
	case q.Key != nil:
		key, isKey := t.Key(q.Key)
		if !isKey { // a key of another kind is no row's
			r.Found.Rows = rows.New(q.Select, 0)
			return &r.Found, nil
		}
		run, err = r.runRow, r.Row(r.b, key)
	case q.Each != nil:
		run, err = r.runEach, r.each()
	default:
		run = r.runPage
		r.page()
	}
	if err == nil {
		err = r.b.Ready()
	}
	if err == nil {
		err = s.db.ReadAs(ctx, r.Lane(!t.foreign), run)
	}
	switch {
	case err != nil && db == &s.exact && strings.Contains(err.Error(), errOverflow.Error()), r.infinite:
		return nil, kiterror.SumOverflow()
	case err != nil:
		return nil, err
	}
	return &r.Found, nil
}

// reading is the state of one Find.
type reading struct {
	sqltext.Reading
	store *access
	table *table
	db    *sqltext.Database // makes builders
	b     *sqltext.Builder  // has the statement
	// infinite says that a value behind a relation is beyond all numbers.
	infinite bool
}

// runRow steps the statement of a row by its key.
func (r *reading) runRow(c *engine.Conn) error {
	st, err := c.Start(r.b.SQL, r.b.Args)
	if err != nil {
		return err
	}
	r.Read = rows.New(r.Selection.Layout, 1)
	if st.Step() {
		r.take(st, 0)
		r.Read.LearnRow()
	}
	if err := c.Finish(st); err != nil {
		return err
	}
	r.Found.Rows = r.Read
	return r.Grown()
}

// estimated says that the total is an estimate, made after the page on the same connection.
func (r *reading) estimated() bool { return r.Find.Count && r.Find.Estimate && r.Find.Where != nil }

// counted says that the total is a column of the page's statement, so that both see one state of
// the table.
func (r *reading) counted() bool { return r.Find.Count && !r.estimated() }

// page writes the statement of a page:
//
//	SELECT t0."id", t0."title", (SELECT count(*) FROM …) FROM "post" AS t0 WHERE … ORDER BY … LIMIT ? + 0
//
// SQLite computes the total once, with the first row.
func (r *reading) page() {
	b := r.b
	b.Text("SELECT ")
	alias := b.Alias()
	b.Columns(r.Selection, alias)
	if r.counted() {
		b.Text(", ")
		r.total(b)
	}
	r.From(b, alias)
	r.Conditions(b, alias, " WHERE ")
	if len(r.Order) > 0 {
		b.Text(" ORDER BY ")
		b.OrderBy(r.Order, alias)
	}
	b.Limit(r.Find)
}

// total writes the number of rows that meet the conditions: a subquery, or without a filter
// the number that is kept. A search alone is counted without the table.
func (r *reading) total(b *sqltext.Builder) {
	if r.Find.Where == nil {
		b.Text(r.table.tallied())
		return
	}
	b.Text("(SELECT count(*)")
	if r.Find.Where.Op == filter.Search {
		match(b, &r.table.Table, r.Find.Where.Search)
	} else {
		r.Met(b)
	}
	b.Text(")")
}

// runPage steps the statement of a page. The row beyond the limit is not kept; it sets More.
func (r *reading) runPage(c *engine.Conn) error {
	counted, whole := r.counted(), r.Find.From == nil && r.Find.Until == nil && r.Find.Offset == 0
	c.CountTotal(counted && r.Find.Where != nil)
	if counted && whole && r.Find.Limit <= 0 {
		err := r.totalAlone(c)
		r.Found.More = r.Found.Total > 0
		return err
	}
	st, err := c.Start(r.b.SQL, r.b.Args)
	if err != nil {
		return err
	}
	r.Read = rows.New(r.Selection.Layout, sqltext.RoomFor(max(0, r.Find.Limit)))
	total := int64(-1)
	for st.Step() {
		if counted && total < 0 {
			total = r.settled(st.ColumnInt64(r.Selection.Width()))
		}
		if !r.Next() {
			break
		}
		r.take(st, 0)
		if err := r.Grown(); err != nil {
			_ = c.Finish(st) // it was going well
			return err
		}
	}
	if err := c.Finish(st); err != nil {
		return err
	}
	switch r.Found.Total = total; {
	case !counted || total >= 0:
	case whole:
		r.Found.Total = 0
	default: // rows before the page may be there
		return r.totalAlone(c)
	}
	if err := r.Settle([]facade.FoundGroup{{To: r.Read.Len()}}); err != nil || !r.estimated() {
		return err
	}
	r.Found.Total, err = r.estimate(c)
	return err
}

// settled returns the total that a statement has computed.
func (r *reading) settled(total int64) int64 {
	if r.Find.Where == nil {
		return r.store.readTally(r.table, total)
	}
	return total
}

// totalAlone reads the total of a page without rows.
func (r *reading) totalAlone(c *engine.Conn) error {
	b := r.db.Builder()
	defer b.Free()
	b.Text("SELECT ")
	r.total(b)
	if err := b.Ready(); err != nil {
		return err
	}
	total, err := c.Number(string(b.SQL), b.Args...)
	r.Found.Rows, r.Found.Total = rows.New(r.Selection.Layout, 0), r.settled(total)
	return err
}

// take reads the current row of a statement, whose selection begins at column first.
func (r *reading) take(st *engine.Stmt, first int) {
	appendRow(r.Read, r.Selection, st, first)
	if r.Selection.Keeps() {
		for i, c := range r.Selection.Extra {
			derived := c.Prop.Owner.Primary == nil
			r.infinite = r.infinite || derived && c.Prop.Kind == schema.KindNumber && math.IsInf(st.ColumnFloat(first+len(r.Selection.Fields)+i), 0)
		}
		r.Keep(cells{st}, first)
	}
}
