package engine

import (
	"context"
	"errors"
)

// scope holds the statements that go ahead of a connection's next batch, and those that go with its
// last one. So the begin and the end of a transaction take no round trips of their own.
//
//	first batch   BEGIN ISOLATION LEVEL SERIALIZABLE; …
//	last batch    …; COMMIT
//
// In a larger transaction these are SAVEPOINT and RELEASE.
type scope struct {
	lead []*Query
	end  *Query
	// after, where set, is a query behind the end; its failure does not change the outcome.
	after *Query
	// begun says that the lead is done, ended that the end was sent.
	begun, ended bool
}

const (
	begin    = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	beginRow = "BEGIN ISOLATION LEVEL READ COMMITTED"
	// A serializable transaction that waits for a row which another one has changed fails when
	// that one commits; and two that wait for each other are found out after a second. So it
	// waits for a short time and is run again.
	impatient = "SET LOCAL lock_timeout = '100ms'"
	commit    = "COMMIT"
	rollback  = "ROLLBACK"
	savepoint = "SAVEPOINT w"
	release   = "RELEASE SAVEPOINT w"
	undo      = "ROLLBACK TO SAVEPOINT w"
)

// run sends queries with what goes ahead of them and, after the last, the statements that end them.
func (s *scope) run(c *Conn, last bool, queries []*Query) error {
	last = last && s.end != nil
	if s.begun && !last {
		return c.send(queries)
	}
	all := make([]*Query, 0, len(s.lead)+len(queries)+1)
	if !s.begun {
		all = append(all, s.lead...)
	}
	if all = append(all, queries...); last {
		all, s.ended = s.last(all), true
	}
	err := c.send(all)
	s.begun = s.begun || len(s.lead) == 0 || s.lead[len(s.lead)-1].Done
	return err
}

// last appends what ends the scope.
func (s *scope) last(all []*Query) []*Query {
	if all = append(all, s.end); s.after != nil {
		all = append(all, s.after)
	}
	return all
}

// inTransaction runs do in a transaction of its own, and commits it unless it runs dry. after,
// unless nil, is sent in the round trip of the commit, after it.
func inTransaction(c *Conn, start string, dry bool, after *Query, do func(*Conn) error) error {
	s := &scope{lead: []*Query{bare(start)}, after: after}
	if start == begin {
		s.lead = append(s.lead, bare(impatient))
	}
	if !dry {
		s.end = bare(commit)
	}
	c.scope = s
	defer func() { c.scope = nil }()
	err := do(c)
	if err == nil && s.begun && !s.ended && !dry {
		s.ended = true
		err = c.send(s.last(nil))
	}
	if c.broken == nil && c.state != 'I' {
		if undone := c.finish(rollback); err == nil && !dry {
			err = errors.Join(errors.New("the transaction was not committed"), undone)
		}
	}
	if !s.ended {
		return err
	}
	return committedBefore(err, s.end, s.after)
}

// committedBefore is committed for a batch with a query after its commit: the commit's outcome does
// not depend on the answer to that query.
func committedBefore(err error, end, after *Query) error {
	var l *lost
	if err != nil && after != nil && end.Done && !after.Done && !errors.As(err, &l) {
		return nil
	}
	return committed(err, end)
}

// committed is the error of a batch that ended in a commit. Where the connection broke after it the
// outcome is unknown; unless the server still said that the commit is done.
func committed(err error, end *Query) error {
	var l *lost
	if !errors.As(err, &l) || !l.sent {
		return err
	}
	if end != nil && end.Done && codeOf(err) == "" {
		return nil
	}
	return uncertain{err}
}

// finish runs statements even where the caller has gone.
func (c *Conn) finish(statements ...string) error {
	defer c.watchdog.watch(c.watchdog.watch(context.Background()))
	queries := make([]*Query, len(statements))
	for i, text := range statements {
		queries[i] = bare(text)
	}
	return c.send(queries)
}
