package engine

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// errSpent is the target of errors.Is for [spent]. It never leaves the package: Public turns it into
// SERVICE_UNAVAILABLE or [kiterror.TooCostly].
var errSpent = errors.New("the statement has used up its time")

// spent is the error of a statement that has used up its time, with its wait.
type spent struct{ wait wait }

func (*spent) Error() string        { return errSpent.Error() }
func (*spent) Is(target error) bool { return target == errSpent }

// wait describes the wait of a statement, in the words of the server.
type wait struct {
	// on is the server's event, such as "Lock relation" or "IO DataFileRead", with the locked table.
	on string
	// behind are the sessions that hold the lock; without a lock, or where the session is not known, the
	// oldest transactions of others.
	behind string
	// locked says that another transaction holds a lock.
	locked bool
}

// silent is the wait of a statement whose server does not answer.
const silent = "the server does not answer"

// The server's descriptions of a session's wait, whose process id follows, and of sessions by a condition.
const (
	askWait = `SELECT coalesce(a.wait_event_type || ' ' || a.wait_event, 'CPU'), a.wait_event_type = 'Lock',
(SELECT l.relation::regclass FROM pg_locks l WHERE l.pid = a.pid AND NOT l.granted AND l.relation IS NOT NULL LIMIT 1),
(` + askSessions + `b.pid = ANY (pg_blocking_pids(a.pid)) ORDER BY b.xact_start LIMIT 3) x)
FROM pg_stat_activity a WHERE a.pid = `
	askOldest   = `SELECT 'unknown', false, NULL, (` + askSessions + `b.pid <> pg_backend_pid() AND b.datname = current_database() AND b.xact_start < clock_timestamp() - interval '50 ms' ORDER BY b.xact_start LIMIT 3) x)`
	askSessions = `SELECT string_agg(format('process %s of %s, %s, in a transaction for %s', x.pid, x.usename, coalesce(nullif(x.state, ''), '?'), date_trunc('milliseconds', clock_timestamp() - x.xact_start)), '; ')
FROM (SELECT b.pid, b.usename, b.state, b.xact_start FROM pg_stat_activity b WHERE `
)

// waits asks for the waits of statements, over a connection of its own, because all of the pool's may wait. One is
// open at a time.
type waits struct {
	asking sync.Mutex
	mu     sync.Mutex
	// logged is the time of the last line of the log about a wait.
	logged time.Time
}

// askLimit is how long asking may take.
const askLimit = 500 * time.Millisecond

// waitOf returns the wait of the session of a connection; nil, or behind a pooler: the oldest transactions.
// Without an answer it is the zero wait.
func (d *DB) waitOf(pg *pgconn.PgConn) (w wait) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	d.waits.asking.Lock()
	defer d.waits.asking.Unlock()
	if ctx.Err() != nil {
		return w
	}
	own, err := pgconn.ConnectConfig(ctx, d.address.Config)
	if err != nil {
		return wait{on: silent}
	}
	defer func() { _ = own.Close(ctx) }()
	text := askOldest
	if pg != nil && !d.address.Pooled {
		text = askWait + strconv.FormatUint(uint64(pg.PID()), 10)
	}
	results, err := own.Exec(ctx, text).ReadAll()
	if err != nil || len(results) != 1 || len(results[0].Rows) != 1 {
		return w
	}
	row := results[0].Rows[0]
	w = wait{on: string(row[0]), locked: string(row[1]) == "t", behind: string(row[3])}
	if row[2] != nil {
		w.on += " " + string(row[2])
	}
	return w
}

// outOfTime returns the error of a statement that has used up its time, and logs its wait. A statement
// that reads or writes rows of given keys has no filter to narrow; nor does one that waits for a lock.
func (d *DB) outOfTime(ctx context.Context, err error, keyed bool) error {
	var s *spent
	w := wait{}
	if errors.As(err, &s) {
		w = s.wait
	}
	if !w.locked {
		if err := facade.RequestOf(ctx).Exhausted(); err != nil {
			return err
		}
		if !keyed {
			var total counting
			return kiterror.TooCostly(d.opts.Statement, errors.As(err, &total))
		}
	}
	d.logWait(ctx, w, d.opts.Statement)
	if w.locked {
		return kiterror.Blocked().WithCause(err)
	}
	return kiterror.OutOfTime(d.opts.Statement).WithCause(err)
}

// locked returns the error of a transaction that did not get a lock in any of its runs, and logs which transactions
// may hold it.
func (d *DB) locked(ctx context.Context, err error, since time.Time) error {
	w := d.waitOf(nil)
	w.on = "Lock"
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Where != "" {
		w.on += ", " + said.Where
	}
	d.logWait(ctx, w, time.Since(since))
	return kiterror.Blocked().WithCause(err)
}

// logSilence writes to the log that a call has waited for a server that does not answer, where err is about one.
func (d *DB) logSilence(ctx context.Context, err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		d.logWait(ctx, wait{on: silent}, d.opts.Statement+patience)
	}
}

// logWait writes a line about a wait in vain, every ten seconds at most.
func (d *DB) logWait(ctx context.Context, w wait, took time.Duration) {
	d.waits.mu.Lock()
	due := time.Since(d.waits.logged) > complainEvery
	if due {
		d.waits.logged = time.Now()
	}
	d.waits.mu.Unlock()
	if due {
		facade.LogWait(ctx, d.log, took, w.on, w.behind)
	}
}
