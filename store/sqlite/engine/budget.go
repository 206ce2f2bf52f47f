package engine

import (
	"context"
	"errors"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
)

// budget is the context that interrupts a connection's statements: it ends with the
// caller's, and when one statement has run longer than it may. SQLite asks for its
// error every thousand instructions and at every row, in the goroutine that runs the
// statement, so the time a caller waits for a connection does not count.
type budget struct {
	context.Context
	limit time.Duration // of each statement; 0: none
	until time.Time
	asked uint8
	spent bool // a statement was interrupted for its length
	total bool // the statement counts rows for a total
}

var errSpent = errors.New("the statement has used up its time")

// Err is the caller's context's error, or errSpent where the statement has run too long.
// Reading the clock costs more than the rest of the check, so it is read every fourth time.
func (b *budget) Err() error {
	if err := b.Context.Err(); err != nil {
		return err
	}
	if b.limit > 0 && !b.spent {
		if b.asked++; b.asked%4 == 0 {
			b.spent = time.Now().After(b.until)
		}
	}
	if b.spent {
		return errSpent
	}
	return nil
}

// begin gives the next statement its whole time.
func (b *budget) begin() {
	if b.limit > 0 {
		b.until, b.asked = time.Now().Add(b.limit), 0
	}
}

// CountTotal says that the statements which follow count rows for a total, which the
// error names where they run too long.
func (c *Conn) CountTotal(yes bool) { c.budget.total = yes }

// Hurried runs do with a part of the time that each statement has. It returns false, and
// no error, where that was not enough.
func (c *Conn) Hurried(part time.Duration, do func() error) (done bool, err error) {
	limit := c.budget.limit
	c.budget.limit = limit / part
	err = do()
	c.budget.limit = limit
	if c.budget.spent && errors.Is(err, sqlite3.INTERRUPT) {
		c.budget.spent = false
		return false, nil
	}
	return err == nil, err
}

// within runs do for a caller: the end of ctx interrupts the statement that is
// running, and so does the end of the time that each statement has.
func (c *Conn) within(ctx context.Context, do func(*Conn) error) error {
	c.budget = budget{Context: ctx, limit: c.Limit}
	c.db.SetInterrupt(&c.budget)
	unwatch := c.watch(ctx)
	err := do(c)
	unwatch()
	c.db.SetInterrupt(context.Background())
	if c.budget.spent && errors.Is(err, sqlite3.INTERRUPT) {
		err = facade.TooCostly(c.Limit, c.budget.total)
	}
	return err
}
