package postgres

import (
	"math"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// checks send the counts of [sqltext.Terms] in one round trip with the write that they belong
// to. They are a runner that is used twice: at first it gathers the statements and lets every
// count be enough; when they have run, it gives the same calls the numbers that came.
//
//	gather   Leads, Stays                       2 statements
//	run      SELECT count(*) …; INSERT …; SELECT count(*) …
//	judge    Leads, Stays                       Dangling, Unmet or nil
type checks struct {
	queries []*engine.Query
	bound   []*arguments
	numbers []int64
	// more says that statements come behind.
	more bool
	// judging says that the numbers are there, and next which of them comes.
	judging bool
	next    int
}

// Number gathers a statement, or returns what it gave.
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
func (s *checks) Rows([]byte, []sqltext.Value, *sqltext.Selection, *facade.Rows) error { return nil }

// run sends write with what leads checks before it and what stays checks behind it, and judges.
// What is wrong before is the error, whatever the write itself says.
func (s *checks) run(c *engine.Conn, write *engine.Query, leads, stays func(sqltext.Runner) error) error {
	defer func() {
		for _, bound := range s.bound {
			bound.free()
		}
	}()
	write.Done = false // it may be a second try
	_ = leads(s)       // every count is enough
	before := len(s.queries)
	_ = stays(s) // likewise
	all := make([]*engine.Query, 0, len(s.queries)+1)
	all = append(append(append(all, s.queries[:before]...), write), s.queries[before:]...)
	var err error
	if len(all) == 1 && !s.more {
		err = c.Conclude(all...)
	} else {
		err = c.Run(all...)
	}
	s.judging = true
	if before == 0 || s.queries[before-1].Done {
		if wrong := leads(s); wrong != nil {
			return wrong
		}
	}
	if err != nil {
		return err
	}
	return stays(s)
}
