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

// Find reads rows in one statement (an estimated total takes up to three): a row by its key, a page and its
// total, or the rows of many keys and the total of each. The result belongs to the caller. Errors: BAD_REQUEST
// for a cursor of another order or a filter that PostgreSQL cannot take, UNPROCESSABLE_ENTITY if a statement
// has used up its time, SERVICE_UNAVAILABLE if the database cannot be reached, or ctx's own error.
func (s *access) Find(ctx context.Context, q *facade.Find) (_ *facade.Found, err error) {
	t, err := s.table(q.Entity)
	if err != nil {
		return nil, err
	}
	kept := t.Search != nil && t.Search.Kept.Load()
	r := &reading{Reading: sqltext.Reading{FirstKey: 1}, store: s, table: t, b: s.text.Builder()}
	defer r.b.Free()
	if err := r.Begin(&t.Table, q, budget.MeterOf(ctx)); err != nil {
		return nil, err
	}
	run := r.run
	switch {
	case q.Key != nil:
		key, isKey := t.Key(q.Key)
		if !isKey { // a key of another kind is no row's
			r.Found.Rows = rows.New(q.Select, 0)
			return &r.Found, nil
		}
		err = r.Row(r.b, key)
	case q.Group != nil:
		err = r.groups()
	case q.Each != nil:
		err = r.each()
	case r.TotalAlone():
		run = readTotal(r)
	default:
		err = r.page()
	}
	if err == nil {
		err = r.b.Ready()
	}
	if err == nil {
		err = s.db.ReadAs(ctx, r.Lane(false), run)
	}
	switch {
	case err != nil && kept && !t.Search.Kept.Load(): // another program has dropped the columns with the words
		return s.Find(ctx, q)
	case engine.OutOfRange(err) && (q.Group != nil || q.Derives()):
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
		return kiterror.Errorf(kiterror.BadRequest, "a value of the filter or cursor does not fit; take cursors from pages")
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
	// split are the keys of a Find with Each, each with its parts; nil: they are whole.
	split []sqltext.Value
	// numbers are the numbers of the lists that the keys are in, as an array; "": each key is by
	// itself.
	numbers string
	// lone is the key of a Find for one key alone.
	lone *sqltext.Value
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
	b, counted := r.b, r.Counted()
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

// run runs the statement. A total in it is the last column, in a row of its own; so is the number of a group
// of a key.
func (r *reading) run(c *engine.Conn) error {
	if r.scan != nil {
		if c.Alone() {
			if whole, err := r.runScan(c, r.scan); whole || err != nil {
				return err
			}
		}
		r.scan = nil
		if err := r.search(); err != nil {
			return err
		}
	}
	r.Start()
	counted, behind := r.Counted(), 0
	if counted || r.Find.Group != nil && r.Find.Each != nil {
		behind = 1
	}
	q, args := r.query(r.b, r.First(), behind, func(values [][]byte) error {
		_, err := sqltext.Read(&r.Reading, cells(values), counted)
		return err
	})
	defer args.free()
	run := c.Conclude
	if r.Estimated() {
		run = c.Run
	}
	err := run(q)
	if err != nil {
		return costly(err, r.CountsMany())
	}
	if err = r.End(); err == nil && r.Estimated() {
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

// An estimated total is exact if that costs little: when the page shows it, and when at most
// [sqltext.EstimateFrom] rows meet the filter. Beyond, it is the planner's estimate, from the present size of
// the table and the statistics of ANALYZE (docs/decisions/postgresql.md):
//
//	page      rows read, and no more behind them          exact
//	count     SELECT count(*) FROM (… LIMIT 10001)        exact up to 10,000
//	planner   EXPLAIN SELECT 1 FROM … WHERE …             its number of rows
//
// The count has a tenth of a statement's time. If the time is too short the planner is asked;
// if it says less than the page has seen, the answer is the page's number.
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

// plannedRows is how many rows a plan is expected to return; 0 if the text is no plan.
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
