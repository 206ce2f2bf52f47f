package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
)

// conn is one connection with its prepared statements. It belongs to one
// goroutine at a time.
type conn struct {
	db     *sqlite3.Conn
	stmts  map[string]*stmt // by SQL text
	clock  uint64           // counts uses, to know which statement rested longest
	limit  time.Duration    // how long a statement may run for a caller; 0: as long as it takes
	budget budget           // of the caller whose statements run
	trace  func(sql string, args ...any)
}

// stmt is a prepared statement in a connection's cache.
type stmt struct {
	*sqlite3.Stmt
	used  uint64
	heavy bool // bound arguments are worth dropping after use
}

// maxStatements is how many statements a connection keeps prepared. Shapes come
// from callers' filters, so there is no end to them.
const maxStatements = 256

// heavyText is the size from which a bound text is not left lying in a statement.
const heavyText = 4 << 10

// start prepares (once), binds and hands out a statement; the caller steps it and
// calls finish. sql is made of shapes only, never of values.
func (c *conn) start(sql []byte, args []arg) (*stmt, error) {
	c.budget.begin() // planning has its own time
	st, err := c.prepared(sql)
	if err != nil {
		return nil, err
	}
	c.budget.begin()
	for i := range args {
		a := &args[i]
		switch a.kind {
		case argNull:
			err = st.BindNull(i + 1)
		case argInt:
			err = st.BindInt64(i+1, a.i)
		case argFloat:
			err = st.BindFloat(i+1, a.f)
		case argText:
			st.heavy = st.heavy || len(a.s) > heavyText
			err = st.BindText(i+1, a.s)
		case argBlob:
			st.heavy = st.heavy || len(a.s) > heavyText
			err = st.BindBlob(i+1, []byte(a.s))
		}
		if err != nil {
			_ = c.finish(st) // the binding is what went wrong
			return nil, fmt.Errorf("bind argument %d of %s: %w", i+1, excerpt(string(sql)), err)
		}
	}
	if c.trace != nil {
		plain := make([]any, len(args))
		for i, a := range args {
			plain[i] = a.plain()
		}
		c.trace(st.SQL(), plain...)
	}
	return st, nil
}

// watch has the statements of one caller told to who observes their context, and
// answers how to end that.
func (c *conn) watch(ctx context.Context) (unwatch func()) {
	watch := facade.ObserverOf(ctx)
	if watch == nil {
		return func() {}
	}
	was := c.trace
	c.trace = func(sql string, args ...any) {
		if was != nil {
			was(sql, args...)
		}
		watch(facade.Statement{Text: sql, Args: args})
	}
	return func() { c.trace = was }
}

// finish makes a statement ready for its next use and tells what went wrong in this one.
func (c *conn) finish(st *stmt) error {
	err := st.Err()
	if reset := st.Reset(); err == nil {
		err = reset
	}
	if st.heavy {
		st.heavy = false
		_ = st.ClearBindings() // memory alone
	}
	return err
}

// exec runs a statement that answers nothing.
func (c *conn) exec(sql string, args ...arg) error {
	st, err := c.start([]byte(sql), args)
	if err != nil {
		return err
	}
	for st.Step() {
	}
	return c.finish(st)
}

// number runs a statement that answers one integer.
func (c *conn) number(sql string, args ...arg) (int64, error) {
	st, err := c.start([]byte(sql), args)
	if err != nil {
		return 0, err
	}
	var n int64
	if st.Step() {
		n = st.ColumnInt64(0)
	}
	return n, c.finish(st)
}

func (c *conn) prepared(sql []byte) (*stmt, error) {
	c.clock++
	if st := c.stmts[string(sql)]; st != nil {
		st.used = c.clock
		return st, nil
	}
	if len(c.stmts) >= maxStatements {
		c.evict()
	}
	text := string(sql)
	raw, tail, err := c.db.PrepareFlags(text, sqlite3.PREPARE_PERSISTENT)
	if err == nil && (raw == nil || strings.TrimSpace(tail) != "") {
		err = errors.New("not exactly one statement")
	}
	if err != nil {
		_ = raw.Close() // the text is what went wrong
		if strings.Contains(err.Error(), "Expression tree is too large") {
			return nil, tooDeep()
		}
		return nil, fmt.Errorf("prepare %s: %w", excerpt(text), err)
	}
	st := &stmt{Stmt: raw, used: c.clock}
	c.stmts[text] = st
	return st, nil
}

// excerpt is as much of a statement as is of use in a log.
func excerpt(sql string) string {
	if len(sql) > 400 {
		return sql[:400] + "…"
	}
	return sql
}

// evict closes the statement that rested longest.
func (c *conn) evict() {
	var oldest *stmt
	for _, st := range c.stmts {
		if oldest == nil || st.used < oldest.used {
			oldest = st
		}
	}
	delete(c.stmts, oldest.SQL())
	_ = oldest.Close() // tells the error of its last run, which was told then
}

// once runs SQL that is not worth keeping: pragmas and DDL.
func (c *conn) once(sql string) error {
	if c.trace != nil {
		c.trace(sql)
	}
	if err := c.db.Exec(sql); err != nil {
		return fmt.Errorf("%s: %w", excerpt(sql), err)
	}
	return nil
}

// inTransaction runs do in a transaction of its own.
func (c *conn) inTransaction(do func(*conn) error) (err error) {
	if err := c.once("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if !c.db.GetAutocommit() {
			_ = c.once("ROLLBACK") // the error at hand is the one to tell
		}
	}()
	if err := do(c); err != nil {
		return err
	}
	return c.once("COMMIT")
}

func (c *conn) close() error {
	for _, st := range c.stmts {
		_ = st.Close() // tells the error of its last run, which was told then
	}
	c.stmts = nil
	return c.db.Close()
}

// discard lets go of a connection that panicked: nothing in it can be trusted, so
// what closing it may raise is of no interest.
func (c *conn) discard() {
	defer func() { _ = recover() }()
	c.db.SetInterrupt(context.Background())
	_ = c.close() // it is being thrown away
}

// dial opens a connection as every one of the store is opened. The busy timeout
// comes first: the pragmas behind it may already have to wait for a lock.
func (s *Store) dial(ctx context.Context, reader bool) (_ *conn, err error) {
	if err := s.file.lost(); err != nil {
		return nil, fmt.Errorf("%w%w", errLost, hidden{err}) // opening would make a new, empty one
	}
	db, err := sqlite3.OpenContext(ctx, s.uri)
	if err != nil {
		return nil, err
	}
	c := &conn{db: db, stmts: map[string]*stmt{}, limit: s.opts.Statement}
	defer func() {
		if err != nil {
			_ = c.close() // the error at hand is the one to tell
		}
	}()
	if err := db.BusyTimeout(s.opts.BusyTimeout); err != nil {
		return nil, err
	}
	pragmas := "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;"
	if !s.opts.Memory {
		pragmas += fmt.Sprintf(" PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = %d;", largeWAL)
	}
	if reader {
		pragmas += fmt.Sprintf(" PRAGMA query_only = ON; PRAGMA hard_heap_limit = %d;", readerMemory)
	}
	if err := db.Exec(pragmas); err != nil {
		return nil, err
	}
	if err := db.CreateCollation(decimalCollation, compareDecimal); err != nil {
		return nil, err
	}
	if err := db.CreateFunction("frond_lower", 1, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, lower); err != nil {
		return nil, err
	}
	c.trace = s.opts.Trace
	return c, nil
}

// readerMemory is how much memory SQLite may take for one connection that reads. What it
// sorts it keeps: without an index that is every row before the page's last, and the
// memory stays the connection's. The connection that writes builds indexes, and has no limit.
const readerMemory = 32 << 20

// outOfMemory says whether a read has panicked because that was not enough.
func outOfMemory(panicked any) bool {
	err, ok := panicked.(error)
	return ok && err.Error() == sqlite3.NOMEM.Error() // what the library panics with has no name
}

// errSort is what is said of such a read.
func errSort() error {
	return facade.Errorf(facade.BadRequest, "sorting so many rows takes more memory than a read may have; page with a cursor instead of an offset, narrow the filter, or sort by fields that are unique or indexed")
}

// lower is the SQL function frond_lower: lower case as Unicode maps it, which
// SQLite's own does for ASCII alone.
func lower(ctx sqlite3.Context, args ...sqlite3.Value) {
	if args[0].Type() == sqlite3.NULL {
		return
	}
	ctx.ResultRawText(bytes.ToLower(args[0].RawText()))
}
