package postgres

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// An estimated total is exact where that costs little: where the page shows it, and where at most
// estimateFrom rows meet the filter. Beyond, it is the planner's estimate, from the present size of
// the table and the statistics of ANALYZE (docs/decisions/postgresql.md):
//
//	page      rows read, and no more behind them          exact
//	count     SELECT count(*) FROM (… LIMIT 10001)        exact up to 10,000
//	planner   EXPLAIN SELECT 1 FROM … WHERE …             its number of rows
//
// The count has a tenth of a statement's time. Where that is not enough the planner is asked;
// where it says less than the page has seen, that is the answer.
const (
	estimateFrom = 10_000 // rows that are counted one by one
	estimateTime = 10     // the part of a statement's time that counting has
)

// estimate returns about how many rows meet the conditions. known is how many the page has seen,
// and all of them where more is false. The result is never smaller than known.
func (r *reading) estimate(c *engine.Conn, known int64, more bool) (int64, error) {
	if !more && r.Find.From == nil && (known > int64(r.Find.Offset) || r.Find.Offset == 0) {
		return known, nil
	}
	if more { // the row beyond the page was seen too
		known++
	}
	b := r.store.text.Builder()
	defer b.Free()
	b.Text("SELECT count(*) FROM (SELECT 1")
	r.Met(b)
	b.Text(" LIMIT " + strconv.Itoa(estimateFrom+1) + ") AS met")
	var n int64
	done, err := c.Hurried(estimateTime, func() error {
		text, err := single(c, b)
		if err == nil {
			n, err = strconv.ParseInt(text, 10, 64)
		}
		return err
	})
	if err != nil || done && n <= estimateFrom {
		return n, err
	}
	e := r.store.text.Builder()
	defer e.Free()
	e.Text("EXPLAIN (FORMAT JSON) SELECT 1")
	r.Met(e)
	text, err := single(c, e)
	if engine.Unknown(err) { // another engine: it has said all that it knows
		return max(known, n), nil
	}
	return max(known, n, plannedRows(text)), err
}

// single runs a statement and returns the text of the first column of its last row.
func single(c *engine.Conn, b *sqltext.Builder) (text string, err error) {
	if err := b.Ready(); err != nil {
		return "", err
	}
	args := newArguments(b.Args)
	defer args.free()
	err = c.Run(&engine.Query{Text: b.SQL, Values: args.values, Row: func(values [][]byte) error {
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
