package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/turns"
)

// Options are the options of [Open]. URL is required.
type Options struct {
	// URL names the server and the database; see [ParseURL].
	URL string
	// Logger receives what happens to connections; nil is slog.Default().
	Logger *slog.Logger
	// NameRules says that answers name the constraints that no card describes. It is for
	// development: it discloses names of the database.
	NameRules bool
	// Connections is how many connections are open at most, where the URL does not say; 0 is
	// twice the processors, 10 at least.
	Connections int
	// Statement is how long a statement may run for a caller; 0 is two seconds, less than 0 is
	// without end (docs/decisions/budgets.md).
	Statement time.Duration
	// Transaction is how long a [DB.Transact] may last; 0 is two seconds, less than 0 is
	// without end.
	Transaction time.Duration
	// Wait is how long a call waits for a connection where all are in use; 0 is five seconds.
	Wait time.Duration

	// Slow is the shortest time of a statement that is logged, with its operation; 0: the
	// database logs no statements.
	Slow time.Duration

	// Measure, where set, is called after every statement with its time, and with why it failed: "" for success. It is
	// called from many goroutines.
	Measure func(took time.Duration, why facade.Failure)

	// Trace, where set, is called before every statement, with its arguments. It is called from
	// many goroutines and must not call the store.
	Trace func(sql string, args ...any)
}

// Bookkeeping is the schema of the tables that belong to frond and not to the project: leases,
// marks of seeds, the history of migrations, secrets, nonces, key values, the outbox.
const Bookkeeping = "frond"

// BookkeepingTables are the tables of [Bookkeeping]: a project may have its tables there too.
var BookkeepingTables = []string{
	"cursors", "dead", "definitions", "events", "lease", "log", "migrations", "names", "nonces", "outbox", "secrets", "seeds", "serving", "turns", "values",
}

// DB is one database and the connections to it. It may be used from many goroutines.
type DB struct {
	opts    Options
	address *Address
	log     *slog.Logger
	slowLog *facade.SlowLog
	pool    *pool
	reach   reachability
	copies  copies
	retries retries
	waits   waits
	// Verify, where set before the first call, returns how the tables differ from the tables of
	// the statements, or nil. It is called when the server refuses a statement, or has another
	// type for a column.
	Verify func(context.Context) error
	// compiles is done once the log has said that the server compiles statements.
	compiles sync.Once
}

// copies are the replicas that answer reads: the ones of [OpenReplicated], or [alone].
type copies interface {
	// read runs do on a replica or in a transaction, if one of these may answer a call with this
	// ctx; done is false where the database itself has to.
	read(ctx context.Context, lane turns.Lane, do func(*Conn) error) (done bool, err error)
	// position is a statement to send after the commit of a write with this ctx, or nil. note is
	// called when the write is done.
	position(ctx context.Context) (q *Query, note func())
	// issue says whether there are any.
	issue() bool
	close() error
}

// alone is the copies of a database without replicas.
type alone struct{}

func (alone) read(context.Context, turns.Lane, func(*Conn) error) (bool, error) { return false, nil }

func (alone) position(context.Context) (*Query, func()) { return nil, func() {} }
func (alone) issue() bool                               { return false }
func (alone) close() error                              { return nil }

// Open reads the options and opens no connection: a server that is down is taken up when it
// comes. The error is one sentence about the URL. Close the DB in the end.
func Open(opts Options) (*DB, error) {
	address, err := ParseURL(opts.URL)
	if err != nil {
		return nil, err
	}
	d := &DB{opts: opts, address: address, log: opts.Logger}
	d.retries.db, d.retries.local = d, make(chan struct{}, 1)
	if d.log == nil {
		d.log = slog.Default()
	}
	d.slowLog = facade.NewSlowLog(d.log)
	d.opts.Statement = limit(opts.Statement, 2*time.Second)
	d.opts.Transaction = limit(opts.Transaction, 2*time.Second)
	d.opts.Wait = cmp.Or(opts.Wait, 5*time.Second)
	d.opts.Connections = cmp.Or(address.Connections, opts.Connections, max(10, 2*runtime.GOMAXPROCS(0)))
	d.pool = newPool(d)
	d.copies = alone{}
	return d, nil
}

// limit is a duration of the options: its default for 0, and 0, no limit, for a negative one.
func limit(set, otherwise time.Duration) time.Duration {
	if set == 0 {
		return otherwise
	}
	return max(0, set)
}

// Address returns the parsed URL.
func (d *DB) Address() *Address { return d.address }

// Log returns the logger of the store.
func (d *DB) Log() *slog.Logger { return d.log }

// State returns how many connections there may be and are in use, and how many calls wait.
func (d *DB) State() facade.StoreState {
	return facade.StoreState{Connections: d.opts.Connections, InUse: d.pool.turns.InUse(), Waiting: d.pool.turns.Waiting()}
}

// Close waits for the calls that run, then closes every connection. Calls that come later
// return SERVICE_UNAVAILABLE.
func (d *DB) Close() error { return errors.Join(d.copies.close(), d.pool.close()) }

// IssuesConsistency says whether reads may go to replicas; see [facade.Abilities.Copies].
func (d *DB) IssuesConsistency() bool { return d.copies.issue() }

// Read is [DB.ReadAs] for rows of given keys.
func (d *DB) Read(ctx context.Context, do func(*Conn) error) error {
	return d.ReadAs(ctx, turns.Keyed, do)
}

// ReadAs runs do on a connection that do has for itself and must not keep; lane says how long it may
// take. The end of ctx cancels the running statement. Statements outside a transaction see the rows
// of all commits before their begin. A connection that breaks is replaced and do runs again, so it
// first resets its results. With the ctx of a [DB.Transact] it runs in that transaction. Errors are
// as [DB.Public] makes them.
func (d *DB) ReadAs(ctx context.Context, lane turns.Lane, do func(*Conn) error) error {
	keyed := lane == turns.Keyed
	if l := d.level(ctx); l != nil {
		return d.public(ctx, l.call(ctx, do), keyed)
	}
	if done, err := d.copies.read(ctx, lane, do); done {
		return err
	}
	t := turnOf(ctx, lane, false)
	for run := 1; ; run++ {
		if err := d.on(ctx, t, do); !repeats(ctx, run, err) {
			return d.public(ctx, err, keyed)
		}
	}
}

// primaryKey is the key of a context whose reads no replica answers.
type primaryKey struct{}

// OnPrimary returns a context whose reads no replica answers.
func OnPrimary(ctx context.Context) context.Context {
	return context.WithValue(ctx, primaryKey{}, true)
}

// Maintain is Read for work on the database itself, such as DDL: its statements may take any
// time, and it is not run again.
func (d *DB) Maintain(ctx context.Context, do func(*Conn) error) error {
	return d.on(ctx, turns.Turn{Lane: turns.Short}, func(c *Conn) error {
		was := c.watchdog.limit
		c.watchdog.limit = 0
		defer func() { c.watchdog.limit = was }()
		return do(c)
	})
}

// Once runs statements that write, as a transaction of their own or in the transaction of ctx.
// It sends them again if they certainly had no effect: the server hung up first, or another
// write came between. In a dry run they are rolled back. Errors are as [DB.Public] makes them.
func (d *DB) Once(ctx context.Context, queries ...*Query) error {
	if facade.InDryRun(ctx) || d.level(ctx) != nil || d.copies.issue() {
		return d.Write(ctx, func(c *Conn) error { return c.Conclude(queries...) })
	}
	return d.single(ctx, queries...)
}

// single is Once outside of any transaction, without a token of the primary's position.
func (d *DB) single(ctx context.Context, queries ...*Query) error {
	return d.public(ctx, d.retry(ctx, conflict, func() error {
		return d.again(ctx, func() error {
			return d.on(ctx, turnOf(ctx, turns.Short, true), func(c *Conn) error { return committed(c.Run(queries...), nil) })
		})
	}), true)
}

// Write runs do in a serializable transaction, which begins with its first statement and is
// committed after it. do may run again, after a conflict with another write or on another
// connection, so it first resets its results; an error of it rolls back. With the ctx of a
// [DB.Transact] its writes are a part of that transaction, and in a dry run it is rolled back.
// Errors are as [DB.Public] makes them: unless the error says that the outcome is unknown, the
// write did not happen.
func (d *DB) Write(ctx context.Context, do func(*Conn) error) error {
	return d.write(ctx, begin, do)
}

// WriteLocked is Write for work that reads only rows which it locks (FOR UPDATE) or writes. It
// needs no serializable transaction, and waits for others that change the same rows instead of
// being run again.
func (d *DB) WriteLocked(ctx context.Context, do func(*Conn) error) error {
	return d.write(ctx, beginRow, do)
}

func (d *DB) write(ctx context.Context, start string, do func(*Conn) error) error {
	if l := d.level(ctx); l != nil {
		return d.public(ctx, l.call(ctx, do), true)
	}
	return d.public(ctx, d.retry(ctx, conflict, func() error {
		return d.again(ctx, func() error {
			return d.on(ctx, turnOf(ctx, turns.Short, true), func(c *Conn) error {
				position, note := d.copies.position(ctx)
				err := inTransaction(c, start, facade.InDryRun(ctx), position, do)
				if err == nil {
					note()
				}
				return err
			})
		})
	}), true)
}

// again repeats do where [repeats] says so.
func (d *DB) again(ctx context.Context, do func() error) error {
	for run := 1; ; run++ {
		if err := do(); !repeats(ctx, run, err) {
			return err
		}
	}
}

// repeats reports whether work that has ended with err runs once more: three times at most, where
// [again] says so.
func repeats(ctx context.Context, run int, err error) bool {
	return err != nil && run < 3 && again(err) && ctx.Err() == nil
}

// on runs do on a connection of the pool, once. A panic in do costs the connection and becomes
// an error with its stack.
func (d *DB) on(ctx context.Context, t turns.Turn, do func(*Conn) error) (err error) {
	c, err := d.pool.get(ctx, t)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			c.fail(errors.New("its work panicked"), true) //nolint:errcheck // marks the connection
			err = fmt.Errorf("postgres: a call panicked: %v\n%s", r, debug.Stack())
		}
		d.pool.put(c, t)
	}()
	if err := c.begin(ctx); err != nil {
		return err
	}
	return c.end(do(c))
}

// Own makes a table of the bookkeeping by the statements of create, in one transaction, unless the
// table is there. Several processes may do so at once. A transaction of ctx does not include it.
// Where the role lacks the right, the error says which statement the database's owner has to run.
func (d *DB) Own(ctx context.Context, table string, create ...string) error {
	return d.Maintain(ctx, func(c *Conn) error {
		for range 5 { // IF NOT EXISTS does not see what another transaction is about to commit
			there := false
			err := c.Run(&Query{Text: []byte("SELECT to_regclass($1) IS NOT NULL"), Values: [][]byte{[]byte(Bookkeeping + "." + table)}, Row: func(values [][]byte) error {
				there = string(values[0]) == "t"
				return nil
			}})
			if err != nil || there {
				return err
			}
			if err = c.Exec(strings.Join(create, "; ")); Missing(err) {
				err = c.Exec("CREATE SCHEMA IF NOT EXISTS " + Bookkeeping)
			}
			if what := Lacks(err); what != "" {
				role := d.address.Config.User
				return rightMissing(fmt.Sprintf("the role %s may not make the schema %s in the database %s, or a table in it (%s): this program keeps its own tables there; make it as the database's owner: CREATE SCHEMA %s AUTHORIZATION %s",
					role, Bookkeeping, d.address.Config.Database, what, Bookkeeping, `"`+strings.ReplaceAll(role, `"`, `""`)+`"`))
			}
			if err != nil && !Exists(err) {
				return err
			}
		}
		return nil
	})
}

// rightMissing says which right a role lacks, and which statement grants it. It hides the server's
// error, which would be taken for one about a caller's statement.
type rightMissing string

// Error implements error.
func (e rightMissing) Error() string { return string(e) }

// Check returns why the store does not take writes, or nil.
func (d *DB) Check(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	return d.Read(ctx, func(c *Conn) error {
		var mode string
		err := c.Run(&Query{Text: []byte("SHOW transaction_read_only"), Row: func(values [][]byte) error {
			mode = string(values[0])
			return nil
		}})
		if err == nil && mode == "on" {
			err = unavailable(errors.New("the server takes no writes: it is a replica, or default_transaction_read_only is on"))
		}
		return err
	})
}
