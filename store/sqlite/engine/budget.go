package engine

import (
	"context"
	"errors"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// budget is the context that interrupts a connection's statements: it ends with the caller's,
// and when one statement has run longer than it may (docs/decisions/budgets.md). SQLite asks for its
// error every thousand instructions and at every row, in the goroutine that runs the
// statement, so the time that a caller waits for a connection does not count, and no lock is
// needed.
type budget struct {
	context.Context
	began time.Time     // of the caller's work
	limit time.Duration // of each statement; 0: none
	until time.Time
	asked uint8
	spent bool // a statement was interrupted for its length
	total bool // the statement counts rows for a total
}

// errSpent never leaves the package: Conn.end turns it into facade.TooCostly.
var errSpent = errors.New("the statement has used up its time")

// Err is the caller's context's error, or errSpent where the statement has run too long.
// Reading the clock costs more than the rest of the check, so that both are looked at every fourth time
// and the first.
func (b *budget) Err() error {
	if b.spent {
		return errSpent
	}
	if b.asked++; b.asked%4 != 1 {
		return nil
	}
	if err := b.Context.Err(); err != nil {
		b.asked = 0
		return err
	}
	if b.limit > 0 && b.asked != 1 && time.Now().After(b.until) {
		b.spent = true
		return errSpent
	}
	return nil
}

// begin gives the next statement its whole time. Planning and running count separately.
func (b *budget) begin() {
	if b.limit > 0 {
		b.until, b.asked = time.Now().Add(b.limit), 0
	}
}

// CountTotal says whether the statements that follow count rows for a total. The error of one
// that runs too long then names the remedies count: estimated and count: none
// (docs/decisions/filters-and-paging.md).
func (c *Conn) CountTotal(yes bool) { c.budget.total = yes }

// Hurried runs do with a part of the time of each statement: part 10 is a tenth. done is false,
// and err nil, if the time was too short; the connection can be used further. Without a limit
// do has all its time.
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

// begin gives the connection to a caller until [Conn.end]: the end of ctx interrupts the statement
// that is running, and so does the end of the time that each statement, and the caller's request,
// has. The observer of ctx sees the statements. After an error there is no end.
func (c *Conn) begin(ctx context.Context) error {
	limit, err := facade.RequestOf(ctx).Remaining(c.Limit)
	if err != nil {
		return err
	}
	c.budget = budget{Context: ctx, limit: limit, began: time.Now()}
	c.db.SetInterrupt(&c.budget)
	if c.observe = facade.ObserverOf(ctx); c.observe != nil {
		c.plans, _ = facade.PlansObserved(ctx)
	}
	return nil
}

// Until runs do, whose statements the end of ctx interrupts: for work on the writer outside of
// [Conn.begin] that takes long.
func (c *Conn) Until(ctx context.Context, do func() error) error {
	c.db.SetInterrupt(ctx)
	defer c.db.SetInterrupt(context.Background())
	return do()
}

// end takes the connection back from its caller, whose work returned err. The next caller's
// statements do not end with this caller.
func (c *Conn) end(err error) error {
	exhausted := facade.RequestOf(c.budget.Context).Spend(time.Since(c.budget.began))
	c.observe, c.plans = nil, false
	c.db.SetInterrupt(context.Background())
	if c.budget.spent && errors.Is(err, sqlite3.INTERRUPT) {
		if err = exhausted; err == nil {
			err = kiterror.TooCostly(c.Limit, c.budget.total)
		}
	}
	return err
}
