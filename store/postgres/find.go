package postgres

import (
	"context"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Find reads rows in one statement (an estimated total takes up to three): a page, its total,
// the rows of many keys and the total of each. The result belongs to the caller. Errors:
// BAD_REQUEST for a cursor of another order or a filter that PostgreSQL cannot take,
// UNPROCESSABLE_ENTITY where a statement has used up its time, SERVICE_UNAVAILABLE where the
// database cannot be reached, ctx's own where it ends.
func (s *Store) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	t, err := s.table(q.Entity)
	if err != nil {
		return nil, err
	}
	r := &reading{store: s, table: t, ctx: ctx}
	if err := r.Begin(&t.Table, q, budget.MeterOf(ctx)); err != nil {
		return nil, err
	}
	if q.Each != nil {
		err = r.each()
	} else {
		err = r.page()
	}
	if err != nil {
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
	store *Store
	table *table
	ctx   context.Context
	// split are the keys of a Find with Each that are taken apart; nil: they are whole.
	split []sqltext.Value
	// lone is the key of a Find for one key alone.
	lone *sqltext.Value
}

// page answers a Find without Each:
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
	b := r.store.text.Builder()
	defer b.Free()
	estimate := r.Find.Count && r.Find.Estimate
	counted := r.Find.Count && !estimate
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
	if err := b.Ready(); err != nil {
		return err
	}
	return r.run(func(c *engine.Conn) error {
		err := r.runPage(c, b, counted)
		if err == nil && estimate {
			r.Found.Total, err = r.estimate(c, int64(r.Find.Offset+r.Found.Rows.Len()), r.Found.More)
		}
		return err
	})
}

// run runs do on a connection that suits how long the read may take. do may run again.
func (r *reading) run(do func(*engine.Conn) error) error {
	return r.store.db.ReadAs(r.ctx, r.Lane(false), func(c *engine.Conn) error {
		r.Reset()
		return do(c)
	})
}

// query is a statement of the reading. The arguments are freed when it has run.
func (r *reading) query(b *sqltext.Builder, before, behind int, row func(values [][]byte) error) (*engine.Query, *arguments) {
	args := newArguments(b.Args)
	width := before + r.Selection.Width() + behind
	forms, types := make([]engine.Form, width), make([]uint32, width)
	for i, c := range r.Selection.Fields {
		forms[before+i], types[before+i] = formOf(c), typeOf(c)
	}
	before += len(r.Selection.Fields)
	for i, c := range r.Selection.Extra {
		forms[before+i], types[before+i] = formOf(c), typeOf(c)
	}
	return &engine.Query{Text: b.SQL, Values: args.values, Columns: forms, Types: types, Row: row}, args
}

// runPage runs the statement. The row beyond the limit is not kept; it sets More. With counted
// the last column is the total, in a row of its own.
func (r *reading) runPage(c *engine.Conn, b *sqltext.Builder, counted bool) error {
	most := max(0, r.Find.Limit)
	r.Read = rows.New(r.Selection.Layout, sqltext.RoomFor(most))
	total, behind := int64(-1), 0
	if counted {
		behind = 1
	}
	q, args := r.query(b, 0, behind, func(values [][]byte) (err error) {
		if counted {
			if last := values[len(values)-1]; last != nil {
				total, err = strconv.ParseInt(string(last), 10, 64)
				return err
			}
		}
		if r.Read.Len() == most {
			r.Found.More = true
			return nil
		}
		r.take(values, 0)
		return r.Grown()
	})
	defer args.free()
	if err := c.Run(q); err != nil {
		return costly(err, counted && r.Find.Where != nil)
	}
	r.Found.Total = total
	return r.Settle([]facade.FoundGroup{{To: r.Read.Len()}})
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
	r.Read.BeginRow()
	for i, c := range r.Selection.Fields {
		r.Read.End(i, appendCell(r.Read.Begin(i), values[first+i], c))
	}
	r.Read.EndRow()
	if len(r.Selection.Extra) > 0 {
		r.Keep(cells(values), first)
	}
}

// cells are the values of a row, for [sqltext.Reading.Keep].
type cells [][]byte

// AppendCell appends column i as JSON.
func (v cells) AppendCell(dst []byte, i int, c *sqltext.Column) []byte {
	return appendCell(dst, v[i], c)
}

// appendCell appends a value, nil for null, by the decoder of its column.
func appendCell(dst, raw []byte, c *sqltext.Column) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	return c.Decode(dst, raw)
}
