package postgres

import (
	"math"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/driver"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// checks send the counts of [sqltext.Terms] in one round trip with the write that they belong
// to. They are a runner that is used twice: at first it gathers the statements and lets every
// count be enough; when they have run, it gives the same calls the numbers that came.
//
//	gather   Before, After                      2 statements
//	run      SELECT count(*) …; INSERT …; SELECT count(*) …
//	judge    Before, After                        Dangling, Unmet or nil
type checks struct {
	queries []*engine.Query
	bound   []*arguments
	numbers []int64
	// last says that no statement follows.
	last bool
	// judging says that the numbers are there, and next which of them comes.
	judging bool
	next    int
}

// Number gathers a statement, or returns its number.
func (s *checks) Number(sql []byte, args []sqltext.Value) (int64, error) {
	if s.judging {
		s.next++
		return s.numbers[s.next-1], nil
	}
	at := len(s.numbers)
	s.numbers = append(s.numbers, 0)
	bound := newArguments(args)
	s.bound = append(s.bound, bound)
	s.queries = append(s.queries, &engine.Query{Text: sql, Values: bound.values, Row: func(values [][]byte) (err error) {
		s.numbers[at], err = strconv.ParseInt(string(values[0]), 10, 64)
		return err
	}})
	return math.MaxInt64, nil
}

// Rows is not called: the row that is to be changed is read before its terms are judged.
func (s *checks) Rows([]byte, []sqltext.Value, *sqltext.Selection, *rows.Rows) error { return nil }

// run sends writes together with their checks (nil: none), and judges. ran is called when they have
// run. An error of Before comes before those of the writes.
func (s *checks) run(c *engine.Conn, around driver.Checks, writes []*engine.Query, ran func()) error {
	defer func() {
		for _, bound := range s.bound {
			bound.free()
		}
	}()
	before := 0
	if around != nil {
		_ = around.Before(s) // every count is enough
		before = len(s.queries)
		_ = around.After(s) // likewise
	}
	all := writes
	if len(s.queries) > 0 {
		all = slices.Concat(s.queries[:before], writes, s.queries[before:])
	}
	var err error
	if len(all) == 1 && s.last {
		err = c.Conclude(all...)
	} else {
		err = c.Run(all...)
	}
	ran()
	if around == nil {
		return err
	}
	s.judging = true
	if before == 0 || s.queries[before-1].Done {
		if wrong := around.Before(s); wrong != nil {
			return wrong
		}
	}
	if err != nil {
		return err
	}
	return around.After(s)
}
