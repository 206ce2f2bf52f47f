package postgres

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Find reads rows in one statement (an estimated total takes up to three): a row by its key, a
// page and its total, or the rows of many keys and the total of each. The result belongs to the caller. Errors:
// BAD_REQUEST for a cursor of another order or a filter that PostgreSQL cannot take,
// UNPROCESSABLE_ENTITY where a statement has used up its time, SERVICE_UNAVAILABLE where the
// database cannot be reached, ctx's own where it ends.
func (s *access) Find(ctx context.Context, q *facade.Find) (_ *facade.Found, err error) {
	t, err := s.table(q.Entity)
	if err != nil {
		return nil, err
	}
	kept := t.Search != nil && t.Search.Kept.Load()
	dropped := func() bool { return kept && !t.Search.Kept.Load() } // by another program: the columns with the words
	if q.Group != nil {
		found, err := s.group(ctx, t, q)
		if err != nil && dropped() {
			return s.Find(ctx, q)
		}
		return found, err
	}
	r := &reading{store: s, table: t, b: s.text.Builder()}
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
	case totalAlone(r):
		run = readTotal(r)
	default:
		run, err = r.runPage, r.page()
	}
	if err == nil {
		err = r.b.Ready()
	}
	if err == nil {
		err = s.db.ReadAs(ctx, r.Lane(false), run)
	}
	switch {
	case err != nil && dropped():
		return s.Find(ctx, q)
	case engine.OutOfRange(err) && q.Derives():
		return nil, kiterror.SumOverflow()
	case err != nil:
		return nil, unfit(err)
	}
	return &r.Found, nil
}

// unfit returns BAD_REQUEST for a value that the server could not read as one of its column. A
// filter's operands are looked at before; what arrives here is a cursor that was made up.
func unfit(err error) error {
	if engine.BadValue(err) {
		return kiterror.Errorf(kiterror.BadRequest, "a value of the filter or the cursor does not fit its field; take the cursor from a page")
	}
	return err
}

// reading is the state of one Find.
type reading struct {
	sqltext.Reading
	store *access
	table *table
	// b has the statement.
	b *sqltext.Builder
	// keyed is the column of a Find with Each, keys are its keys, and scan reads them all; nil: no
	// scan does.
	keyed *sqltext.Column
	keys  []sqltext.Value
	scan  *scan
	// split are the keys of a Find with Each that are taken apart; nil: they are whole.
	split []sqltext.Value
	// numbers are those of the lists that the keys are in, as an array; "": each key is by itself.
	numbers string
	// lone is the key of a Find for one key alone.
	lone *sqltext.Value
}

// runRow runs the statement of a row by its key.
func (r *reading) runRow(c *engine.Conn) error {
	r.Reset()
	r.Read = rows.New(r.Selection.Layout, 1)
	q, args := r.query(r.b, 0, 0, func(values [][]byte) error {
		if r.Read.Len() == 0 {
			r.take(values, 0)
		}
		return r.Grown()
	})
	defer args.free()
	r.Found.Rows = r.Read
	return c.Conclude(q)
}

// estimated says that the total is an estimate, made after the page on the same connection.
func (r *reading) estimated() bool { return r.Find.Count && r.Find.Estimate }

// counted says that the total follows the rows in the statement, and sees the same state.
func (r *reading) counted() bool { return r.Find.Count && !r.estimated() }

// totalAlone says that the total is all that is read.
func totalAlone(r *reading) bool {
	return r.counted() && r.Find.Limit <= 0 && r.Find.Offset == 0 && r.Find.From == nil && r.Find.Until == nil
}

// page writes the statement of a page:
//
//	SELECT p.* FROM (SELECT t0."id", t0."title" FROM "post" AS t0 WHERE … ORDER BY … LIMIT 64) AS p
//	ORDER BY p."id" LIMIT $1
//
// A total follows the rows in the same statement, so that both see one state of the table; it has a
// column of its own:
//
//	(SELECT p.*, NULL::bigint …) UNION ALL SELECT NULL, NULL, (SELECT count(*) …)
func (r *reading) page() error {
	place, err := r.span()
	if err != nil {
		return err
	}
	b, counted := r.b, r.counted()
	if counted {
		b.Text("(")
	}
	b.Text("SELECT p.*")
	if counted {
		b.Text(", NULL::bigint")
	}
	b.Text(" FROM ")
	r.bounded(b, &place, nil, "p")
	if counted {
		b.Text(") UNION ALL SELECT ")
		for range r.Selection.Width() {
			b.Text("NULL, ")
		}
		b.Text("(SELECT count(*)")
		r.Met(b)
		b.Text(")")
	}
	return nil
}

// query is a statement of the reading. The arguments are freed when it has run.
func (r *reading) query(b *sqltext.Builder, before, behind int, row func(values [][]byte) error) (*engine.Query, *arguments) {
	args := newArguments(b.Args)
	q := selected(b.SQL, args, r.Selection, before, behind)
	q.Row = row
	return q, args
}

// runPage runs the statement of a page. The row beyond the limit is not kept; it sets More. A total
// in the same statement is the last column, in a row of its own.
func (r *reading) runPage(c *engine.Conn) error {
	r.Reset()
	counted := r.counted()
	r.Read = rows.New(r.Selection.Layout, sqltext.RoomFor(max(0, r.Find.Limit)))
	total, behind := int64(-1), 0
	if counted {
		behind = 1
	}
	q, args := r.query(r.b, 0, behind, func(values [][]byte) (err error) {
		if counted {
			if last := values[len(values)-1]; last != nil {
				total, err = strconv.ParseInt(string(last), 10, 64)
				return err
			}
		}
		if !r.Next() {
			return nil
		}
		r.take(values, 0)
		return r.Grown()
	})
	defer args.free()
	run := c.Conclude
	if r.estimated() {
		run = c.Run
	}
	if err := run(q); err != nil {
		return costly(err, counted && r.Find.Where != nil)
	}
	r.Found.Total = total
	err := r.Settle([]facade.FoundGroup{{To: r.Read.Len()}})
	if err == nil && r.estimated() {
		r.Found.Total, err = r.estimate(c)
	}
	return err
}

// readTotal writes the statement of a total without rows, and returns the function that runs it.
func readTotal(r *reading) func(*engine.Conn) error {
	r.b.Text("SELECT count(*)")
	r.Met(r.b)
	return func(c *engine.Conn) error {
		r.Reset()
		text, err := single(c.Conclude, r.b)
		if err == nil {
			r.Found.Total, err = strconv.ParseInt(text, 10, 64)
		}
		r.Found.Rows, r.Found.More = rows.New(r.Selection.Layout, 0), r.Found.Total > 0
		return costly(err, r.Find.Where != nil)
	}
}

// costly is err, of a statement that has counted rows.
func costly(err error, counted bool) error {
	if counted {
		return engine.Counted(err)
	}
	return err
}

// take appends a row, whose selection begins at column first.
func (r *reading) take(values [][]byte, first int) {
	appendRow(r.Read, r.Selection, values[first:])
	if r.Selection.Keeps() {
		r.Keep(cells(values), first)
	}
}

// An estimated total is exact where that costs little: where the page shows it, and where at most
// [sqltext.EstimateFrom] rows meet the filter. Beyond, it is the planner's estimate, from the present size of
// the table and the statistics of ANALYZE (docs/decisions/postgresql.md):
//
//	page      rows read, and no more behind them          exact
//	count     SELECT count(*) FROM (… LIMIT 10001)        exact up to 10,000
//	planner   EXPLAIN SELECT 1 FROM … WHERE …             its number of rows
//
// The count has a tenth of a statement's time. Where that is not enough the planner is asked;
// where it says less than the page has seen, that is the answer.
const estimateTime = 10 // the part of a statement's time that counting has

// estimate returns about how many rows meet the conditions, and no fewer than the page has seen.
func (r *reading) estimate(c *engine.Conn) (int64, error) {
	known, all := r.Seen()
	if all {
		return known, nil
	}
	b := r.store.text.Builder()
	defer b.Free()
	r.CountSome(b)
	var n int64
	done, err := c.Hurried(estimateTime, func() error {
		text, err := single(c.Run, b)
		if err == nil {
			n, err = strconv.ParseInt(text, 10, 64)
		}
		return err
	})
	if err != nil || done && n <= sqltext.EstimateFrom {
		return n, err
	}
	e := r.store.text.Builder()
	defer e.Free()
	e.Text("EXPLAIN (FORMAT JSON) SELECT 1")
	r.Met(e)
	text, err := single(c.Run, e)
	if engine.Unknown(err) { // another engine: it has said all that it knows
		return max(known, n), nil
	}
	return max(known, n, plannedRows(text)), err
}

// single runs a statement and returns the text of the first column of its last row.
func single(run func(...*engine.Query) error, b *sqltext.Builder) (text string, err error) {
	if err := b.Ready(); err != nil {
		return "", err
	}
	args := newArguments(b.Args)
	defer args.free()
	err = run(&engine.Query{Text: b.SQL, Values: args.values, Row: func(values [][]byte) error {
		text = string(values[0])
		return nil
	}})
	return text, err
}

// plannedRows is how many rows a plan is expected to return; 0 where the text is none.
func plannedRows(plan string) int64 {
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if json.Unmarshal([]byte(plan), &plans) != nil || len(plans) == 0 {
		return 0
	}
	return int64(plans[0].Plan.Rows)
}
