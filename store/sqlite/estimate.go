package sqlite

import (
	"strconv"

	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// An estimated total is exact if that costs little: without a filter, when the page shows it, and when
// at most [sqltext.EstimateFrom] rows meet the filter. Beyond, a sample of the table says how many of
// its rows meet the filter (docs/decisions/filters-and-paging.md):
//
//	page      rows read, and no more behind them          exact
//	count     SELECT count(*) FROM (… LIMIT 10001)        exact up to 10,000
//	sample    2,000 rows spread over the row numbers      rows of the table × share that meets
//
// Each statement has a tenth of a statement's time. If the time is too short, the answer is the
// number known so far.
const (
	sampleRows   = 2_000
	estimateTime = 10 // the part of a statement's time that each step of it has
)

// estimate returns about how many rows meet the conditions, and no fewer than the page has seen.
func (r *reading) estimate(c *engine.Conn) (int64, error) {
	known, whole := r.Seen()
	if whole {
		return known, nil
	}
	b := r.store.text.Builder()
	defer b.Free()
	r.CountSome(b)
	n, done, err := r.hurried(c, b)
	if err != nil || done && n <= sqltext.EstimateFrom {
		return n, err
	}
	known = max(known, n)
	if r.table.rowid == "" {
		return known, nil // there are no numbers of rows to take a sample by
	}

	all, err := c.Number("SELECT " + r.table.tallied())
	if err != nil {
		return 0, err
	}
	all = r.store.readTally(r.table, all)
	s := r.store.text.Builder()
	defer s.Free()
	row := r.Table.Name + "." + r.table.rowid
	// The golden ratio spreads the places over the table, because equal steps could fall in
	// with a pattern of the rows. A place without a row takes the next row.
	s.Text("WITH RECURSIVE bounds(low, high) AS (SELECT min(", row, "), max(", row, ") FROM ", r.Table.Name, "), steps(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM steps WHERE i < ",
		strconv.Itoa(sampleRows-1), ") SELECT count(*) FROM steps CROSS JOIN bounds CROSS JOIN ", r.Table.Name, " AS ")
	alias := s.Alias()
	s.Text(alias, " ON ", alias, ".", r.table.rowid, " = (SELECT min(", row, ") FROM ", r.Table.Name, " WHERE ", row,
		" >= bounds.low + CAST((bounds.high - bounds.low) * (i * 0.6180339887498949 - CAST(i * 0.6180339887498949 AS INTEGER)) AS INTEGER))")
	s.Join(r.Find.Where, r.Table, alias)
	r.Where(s, alias, " WHERE ")
	met, done, err := r.hurried(c, s)
	if err != nil || !done {
		return known, err
	}
	return max(known, all*met/sampleRows), nil
}

// hurried runs a statement that returns one number, in a part of a statement's time; done is
// false if the time was too short.
func (r *reading) hurried(c *engine.Conn, b *sqltext.Builder) (n int64, done bool, err error) {
	if err := b.Ready(); err != nil {
		return 0, false, err
	}
	done, err = c.Hurried(estimateTime, func() (err error) {
		n, err = c.Number(string(b.SQL), b.Args...)
		return err
	})
	return n, done, err
}
