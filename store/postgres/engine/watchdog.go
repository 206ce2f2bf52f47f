package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// watchdog cancels the statement that a connection runs: when the caller's context ends, and
// when one statement has run longer than it may (docs/decisions/220). The server then ends the
// statement with an error and the connection stays usable. A server that does not answer
// within patience loses its connection.
type watchdog struct {
	// limit is how long each statement may run; 0: as long as it takes.
	limit time.Duration
	ctx   context.Context
	timer *time.Timer

	mu sync.Mutex
	// until is when the statement has used up its time. A timer that fires late for the
	// statement before finds that this one has not.
	until time.Time
	// running is the connection while a statement is on it.
	running *pgconn.PgConn
	// cause is why the statement was cancelled.
	cause error
	// asking waits for the cancellation to be delivered.
	asking sync.WaitGroup
}

// patience is how long a server may take to answer a cancellation.
const patience = 3 * time.Second

// errSpent never leaves the package: Public turns it into facade.TooCostly.
var errSpent = errors.New("the statement has used up its time")

// watch makes ctx the caller's, until release.
func (w *watchdog) watch(ctx context.Context) (release func()) {
	was := w.ctx
	w.ctx = ctx
	if ctx.Done() == nil {
		return func() { w.ctx = was }
	}
	stop := context.AfterFunc(ctx, func() { w.cancel(ctx.Err()) })
	return func() { stop(); w.ctx = was }
}

// gone is the error of a caller who has gone, for whom nothing is begun.
func (w *watchdog) gone() error {
	if w.ctx == nil {
		return nil
	}
	return w.ctx.Err()
}

// begin gives the statement that is about to run its whole time.
func (w *watchdog) begin(pg *pgconn.PgConn) {
	w.beginUnlimited(pg)
	if w.limit <= 0 {
		return
	}
	w.mu.Lock()
	w.until = time.Now().Add(w.limit)
	w.mu.Unlock()
	if w.timer == nil {
		w.timer = time.AfterFunc(w.limit, func() { w.cancel(errSpent) })
	} else {
		w.timer.Reset(w.limit)
	}
}

// beginUnlimited is begin for what may take any time.
func (w *watchdog) beginUnlimited(pg *pgconn.PgConn) {
	w.mu.Lock()
	w.running, w.cause = pg, nil
	w.mu.Unlock()
	if err := w.gone(); err != nil { // it ended before running was set
		go w.cancel(err)
	}
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

// cancel asks the server to end the statement that is running, once. The caller's context has
// ended by then.
func (w *watchdog) cancel(cause error) {
	w.mu.Lock()
	pg := w.running
	if pg == nil || w.cause != nil || cause == errSpent && time.Now().Before(w.until) { //nolint:errorlint // our own
		w.mu.Unlock()
		return
	}
	w.cause = cause
	w.asking.Add(1)
	w.mu.Unlock()
	defer w.asking.Done()
	_ = pg.Conn().SetDeadline(time.Now().Add(patience))
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	_ = pg.CancelRequest(ctx) // where it does not arrive the deadline ends the wait
}
