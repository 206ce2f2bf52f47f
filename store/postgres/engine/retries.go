package engine

import (
	"context"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/turns"
)

// retries is the queue of the transactions that run again after a conflict. One of them runs at a
// time in all processes that share the database: each process sends one at a time, and that one
// locks its row of frond.turns while it runs. Transactions that contend for a row would otherwise
// meet again and again, and each time all but one in vain.
//
// The lock is held on a second connection of the pool, because a serializable transaction takes
// its snapshot before it waits for a row. A process that dies loses the lock with its connection.
type retries struct {
	db *DB
	// local holds a value while a transaction of this process waits for the row or has it.
	local chan struct{}

	mu sync.Mutex
	// made says that the row is there, warned that the log says why it cannot be.
	made, warned bool
}

// The row is one for each schema, whose name is bound to $1.
const (
	makeTurns = "CREATE TABLE IF NOT EXISTS " + Bookkeeping + ".turns (schema text PRIMARY KEY)"
	makeTurn  = "INSERT INTO " + Bookkeeping + ".turns (schema) VALUES ($1) ON CONFLICT (schema) DO NOTHING"
	lockTurn  = "SELECT 1 FROM " + Bookkeeping + ".turns WHERE schema = $1 FOR UPDATE"
)

// retry is [facade.Retry] whose second run waits for its turn, and keeps it for the runs after it. A run waits as
// long as for a connection, and then goes without. If no run got a lock that it needs, the error is
// [kiterror.Blocked].
func (d *DB) retry(ctx context.Context, conflict func(error) bool, try func() error) error {
	leave := func() {}
	defer func() { leave() }()
	began, between := time.Now(), false // another transaction came between
	err := facade.Retry(ctx, conflict, func(run int) error {
		if run == 2 {
			leave = d.retries.enter(ctx)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		err := try()
		between = between || !Busy(err)
		return err
	})
	if !between && kiterror.CodeOf(err) == kiterror.Conflict {
		return d.locked(ctx, err, began)
	}
	return err
}

// enter waits for the turn, until ctx ends at most, and returns the function that ends it.
func (r *retries) enter(ctx context.Context) (leave func()) {
	ctx, cancel := context.WithTimeout(ctx, r.db.opts.Wait)
	defer cancel()
	select {
	case r.local <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	unlock := r.lock(ctx)
	return func() {
		unlock()
		<-r.local
	}
}

// lock takes the row and returns the function that gives it back. After a failure or the end of
// ctx the function is empty: the run itself finds out whether the database can be reached. A pool
// of one connection cannot spare it for the lock.
func (r *retries) lock(ctx context.Context) (unlock func()) {
	nothing := func() {}
	if r.db.opts.Connections < 2 || r.prepare(ctx) != nil {
		return nothing
	}
	turn := turns.Turn{Lane: turns.Keyed, Writes: true} // beside the transaction, whose lane may be full
	for {
		c, err := r.db.pool.get(ctx, turn)
		if err != nil {
			return nothing
		}
		unlock := func() {
			if c.broken == nil && c.state != 'I' {
				_ = c.finish(rollback) // a connection that is not idle is closed
			}
			r.db.pool.put(c, turn)
		}
		// A wait is short, so that a pooler has its connections for the transaction that runs.
		was := c.watchdog.watch(ctx)
		row := &Query{Text: []byte(lockTurn), Values: r.schema()}
		err = c.send([]*Query{bare(beginRow), bare(impatient), row})
		c.watchdog.watch(was)
		if err == nil && row.Count == 1 {
			return unlock
		}
		unlock()
		if err == nil || Missing(err) { // somebody has removed it
			r.mu.Lock()
			r.made = false
			r.mu.Unlock()
		}
		if !Busy(err) {
			return nothing
		}
	}
}

// prepare makes the row, once in the life of the process. The log says once why it cannot be made.
func (r *retries) prepare(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made {
		return nil
	}
	err := r.db.Own(ctx, "turns", makeTurns)
	if err == nil {
		err = r.db.on(ctx, turnOf(ctx, turns.Short, true), func(c *Conn) error {
			return c.Run(&Query{Text: []byte(makeTurn), Values: r.schema()})
		})
	}
	r.made = err == nil
	if err != nil && !Unavailable(err) && ctx.Err() == nil && !r.warned {
		r.warned = true
		r.db.log.Warn("commands that conflict take turns in each gateway alone, and may get CONFLICT beside another gateway", "error", err)
	}
	return err
}

// schema is the value bound to a statement of the row.
func (r *retries) schema() [][]byte { return [][]byte{[]byte(r.db.address.Schema)} }
