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

// Find reads rows in one statement (an estimated total takes up to three): a row by its key, a page and its
// total, or the rows of many keys and the total of each. The result belongs to the caller. Errors: BAD_REQUEST
// for a cursor of another order or a filter that SQLite cannot take, UNPROCESSABLE_ENTITY if a statement has
// used up its time, SERVICE_UNAVAILABLE if the database cannot be reached, or ctx's own error.
func (s *access) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	t, err := s.table(q.Entity)
	if err != nil {
		return nil, err
	}
	for exact := q.Derives(); ; exact = true {
		r, err := s.written(ctx, t, q, exact)
		if err == nil && r.Found.Rows == nil {
			err = s.db.ReadAs(ctx, r.Lane(!t.foreign), r.run)
		}
		r.b.Free()
		switch overflows := err != nil && strings.Contains(err.Error(), errOverflow.Error()); {
		case overflows && exact:
			return nil, kiterror.SumOverflow()
		case overflows && q.Group != nil: // SQLite adds integers by itself, and may overflow on the way
		case err != nil:
			return nil, err
		default:
			return &r.Found, nil
		}
	}
}

// written writes the statement of a read, with sums that are exact for integers of any size or as SQLite
// adds. A read that cannot find a row has its answer already.
func (s *access) written(ctx context.Context, t *table, q *facade.Find, exact bool) (r *reading, err error) {
	db := &s.text
	if exact {
		db = &s.exact
	}
	r = &reading{store: s, table: t, db: db, b: db.Builder()}
	r.Number, r.Tallied = t.rowid, true
	if err := r.Begin(&t.Table, q, budget.MeterOf(ctx)); err != nil {
		return r, err
	}
	switch {
	case q.Key != nil:
		key, isKey := t.Key(q.Key)
		if !isKey { // a key of another kind is no row's
			r.Found.Rows = rows.New(q.Select, 0)
			return r, nil
		}
		err = r.Row(r.b, key)
	case q.Group != nil:
		err = r.groups()
	case q.Each != nil:
		err = r.each()
	case !r.TotalAlone():
		r.page()
	}
	if err == nil {
		err = r.b.Ready()
	}
	return r, err
}

// reading is the state of one Find.
type reading struct {
	sqltext.Reading
	store *access
	table *table
	db    *sqltext.Database // makes builders
	b     *sqltext.Builder  // has the statement
}

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
	if r.Counted() {
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

// total writes the number of rows that meet the conditions: a subquery, or without a filter the
// stored number. A search alone is counted without the table.
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

// run steps the statement. Every row of a page has its total.
func (r *reading) run(c *engine.Conn) error {
	if r.TotalAlone() {
		return r.totalAlone(c)
	}
	counted, each := r.Counted(), r.Find.Each != nil
	c.CountTotal(r.CountsMany())
	st, err := c.Start(r.b.SQL, r.b.Args)
	if err != nil {
		return err
	}
	r.Start()
	sums, total := r.Find.Group != nil || r.Find.Derives(), int64(-1)
	for more := true; more && st.Step(); {
		if counted && !each && total < 0 {
			total = r.settled(st.ColumnInt64(r.Selection.Width()))
		}
		n := r.Read.Len()
		if more, err = sqltext.Read(&r.Reading, cells{st}, counted && each); err == nil && sums && r.Read.Len() > n && r.infinite(st) {
			err = kiterror.SumOverflow()
		}
		if err != nil {
			_ = c.Finish(st) // it was going well
			return err
		}
	}
	if err := c.Finish(st); err != nil {
		return err
	}
	if err := r.End(); err != nil || each {
		return err
	}
	switch q := r.Find; {
	case counted && total < 0 && (q.From != nil || q.Until != nil || q.Offset != 0): // rows before the page may be there
		return r.totalAlone(c)
	case counted:
		r.Found.Total = max(total, 0)
	case r.Estimated():
		r.Found.Total, err = r.estimate(c)
	}
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
	c.CountTotal(r.CountsMany())
	b.Text("SELECT ")
	r.total(b)
	if err := b.Ready(); err != nil {
		return err
	}
	total, err := c.Number(string(b.SQL), b.Args...)
	r.Found.Rows, r.Found.Total = rows.New(r.Selection.Layout, 0), r.settled(total)
	r.Found.More = r.TotalAlone() && r.Found.Total > 0
	return err
}

// infinite reports whether a sum of the current row, or a value behind a relation, is beyond all numbers.
func (r *reading) infinite(st *engine.Stmt) bool {
	at := r.First()
	for _, list := range [...][]*sqltext.Column{r.Selection.Fields, r.Selection.Extra} {
		for _, c := range list {
			if c.Prop.Owner.Primary == nil && c.Prop.Kind == schema.KindNumber && math.IsInf(st.ColumnFloat(at), 0) {
				return true
			}
			at++
		}
	}
	return false
}
