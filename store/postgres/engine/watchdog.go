package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// watchdog cancels the statement that a connection runs: when the caller's context ends, and
// when one statement has run longer than it may (docs/decisions/budgets.md). The server then ends the
// statement with an error and the connection stays usable. A server that does not answer
// within patience loses its connection.
//
// It looks now and then instead of waiting for the context's end: most statements are over
// before it looks at all, and pay for no goroutine.
type watchdog struct {
	// limit is how long each statement may run; 0: as long as it takes.
	limit time.Duration
	timer *time.Timer
	// waitOf returns the wait of the statement; nil: the server is not asked.
	waitOf func(*pgconn.PgConn) wait

	mu  sync.Mutex
	ctx context.Context // of the caller; nil: nobody can leave
	// until is when the statement has used up its time; zero: never.
	until time.Time
	// running is the connection while a statement is on it.
	running *pgconn.PgConn
	// cause is why the statement was cancelled.
	cause error
	// asking waits for the cancellation to be delivered.
	asking sync.WaitGroup
}

// glance is the time from one look to the next.
const glance = 20 * time.Millisecond

// patience is how long a server may take to answer a cancellation.
const patience = 3 * time.Second

// watch makes ctx the caller's, and returns that before.
func (w *watchdog) watch(ctx context.Context) (was context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, w.ctx = w.ctx, ctx
	return was
}

// gone is the error of a call whose caller has gone; no statement of it runs.
func (w *watchdog) gone() error {
	if w.ctx == nil {
		return nil
	}
	return w.ctx.Err()
}

// begin gives the statement that runs from now on its time; 0: any.
func (w *watchdog) begin(pg *pgconn.PgConn, now time.Time, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running, w.cause, w.until = pg, nil, time.Time{}
	if limit > 0 {
		w.until = now.Add(limit)
	}
	w.arm(now)
}

// arm has look called when there may be something to see. It does not call Done of the context, which
// makes a timer ([budget.Within]). The caller holds mu.
func (w *watchdog) arm(now time.Time) {
	in := glance
	if !w.until.IsZero() {
		in = min(in, w.until.Sub(now))
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(in, w.look)
	} else {
		w.timer.Reset(in)
	}
}

// look cancels the running statement if its caller has gone or its time is over. A look for an
// earlier statement has no effect.
func (w *watchdog) look() {
	w.mu.Lock()
	pg := w.running
	if pg == nil || w.cause != nil {
		w.mu.Unlock()
		return
	}
	cause := w.gone()
	now := time.Now()
	if cause == nil && !w.until.IsZero() && !now.Before(w.until) {
		cause = errSpent
	}
	if cause == nil {
		w.arm(now)
		w.mu.Unlock()
		return
	}
	w.cause = cause
	w.asking.Add(1)
	w.mu.Unlock()
	defer w.asking.Done()
	if errors.Is(cause, errSpent) && w.waitOf != nil {
		asked := &spent{w.waitOf(pg)}
		w.mu.Lock()
		w.cause = asked
		w.mu.Unlock()
	}
	_ = pg.Conn().SetDeadline(time.Now().Add(patience))
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	_ = pg.CancelRequest(ctx) // where it does not arrive the deadline ends the wait
}

// end says that the statement has ended, and returns why it was cancelled; nil: it was not.
// The cancellation has been delivered when it returns.
func (w *watchdog) end() error {
	w.stop()
	w.mu.Lock()
	pg, cause := w.running, w.cause
	w.running = nil
	w.mu.Unlock()
	if cause != nil {
		w.asking.Wait()
		w.mu.Lock()
		cause = w.cause // with the wait
		w.mu.Unlock()
		_ = pg.Conn().SetDeadline(time.Time{})
	}
	return cause
}

// stop ends the timer.
func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
