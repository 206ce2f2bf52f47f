package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqltext"
)

// Conn is one connection with its prepared statements. It belongs to one goroutine at a time:
// the pool or the writer gives it to a function for the length of a call, which must not keep
// it.
type Conn struct {
	db *sqlite3.Conn
	// modules gives the connection the modules of virtual tables; nil: it has them.
	modules func(*sqlite3.Conn) error
	// stmts are the prepared statements by SQL text, maxStatements at most.
	stmts map[string]*Stmt
	// clock counts uses, to know which statement was used longest ago.
	clock uint64
	// Limit is how long a statement may run for a caller; 0: as long as it takes.
	Limit time.Duration
	// slow is the shortest time of a statement that is logged; 0: the connection logs no
	// statements.
	slow    time.Duration
	slowLog *facade.SlowLog
	log     *slog.Logger
	// measure, if set, receives the time of each statement.
	measure func(time.Duration, facade.Failure)
	// budget is the budget of the caller whose statements run.
	budget budget
	// trace and observe, if set, are called before each statement.
	trace   func(sql string, args ...any)
	observe func(facade.Statement)
	plans   bool // observe wants plans
}

// Stmt is a prepared statement in a connection's cache. It is valid until Finish.
type Stmt struct {
	*sqlite3.Stmt
	// used is the connection's clock at the last use.
	used uint64
	// began is the time of the latest start; zero if the statement is not measured.
	began time.Time
	// plan is for the observer of the statement; nil without an observer.
	plan *facade.Plan
	// heavy says that bound arguments are worth dropping after use.
	heavy bool
}

// maxStatements is how many statements a connection keeps prepared (docs/decisions/sqlite.md).
// Shapes come from callers' filters, so there is no end to them.
const maxStatements = 256

// heavyText is the size, in bytes, from which a bound text is not left lying in a statement:
// SQLite keeps its copy until the next binding.
const heavyText = 4 << 10

// Start prepares a statement or takes it from the cache, binds args and returns it; the caller
// steps it and calls Finish. sql is made of shapes only, never of callers' values, since each
// text is kept. args may be used again afterwards. An error wraps SQLite's; it names the
// statement, and no value.
//
//	st, err := c.Start(sql, args)
//	for st.Step() { … st.ColumnText(0) … }
//	err = c.Finish(st)
func (c *Conn) Start(sql []byte, args []sqltext.Value) (*Stmt, error) {
	c.budget.begin() // planning has its own time
	st, err := c.prepared(sql)
	if err != nil {
		return nil, err
	}
	c.budget.begin()
	if c.slow > 0 || c.measure != nil {
		st.began = time.Now()
	}
	for i := range args {
		a := &args[i]
		switch a.Kind {
		case sqltext.Null:
			err = st.BindNull(i + 1)
		case sqltext.Int:
			err = st.BindInt64(i+1, a.I)
		case sqltext.Float:
			err = st.BindFloat(i+1, a.F)
		case sqltext.Text:
			st.heavy = st.heavy || len(a.S) > heavyText
			err = st.BindText(i+1, a.S)
		case sqltext.Blob:
			st.heavy = st.heavy || len(a.S) > heavyText
			err = st.BindBlob(i+1, []byte(a.S))
		}
		if err != nil {
			_ = c.Finish(st) // the binding is what went wrong
			return nil, fmt.Errorf("bind argument %d of %s: %w", i+1, excerpt(string(sql)), err)
		}
	}
	if c.trace != nil || c.observe != nil {
		c.report(st, args)
	}
	return st, nil
}

// report passes the next statement to trace and observe.
func (c *Conn) report(st *Stmt, args []sqltext.Value) {
	sql, plain := st.SQL(), make([]any, len(args))
	for i, a := range args {
		plain[i] = a.Any()
	}
	if c.trace != nil {
		c.trace(sql, plain...)
	}
	if c.observe == nil {
		return
	}
	seen := facade.Statement{Text: sql, Args: plain}
	if c.plans {
		seen.Plan = c.planOf(sql)
	}
	c.observe(seen)
	st.follow(seen.Plan)
}

// Finish makes a statement ready for its next use and returns the error of this one. It is
// called after every Start that succeeded, also where not all rows were read.
func (c *Conn) Finish(st *Stmt) error {
	err := st.Err()
	if reset := st.Reset(); err == nil {
		err = reset
	}
	st.followed()
	if c.slow > 0 || c.measure != nil {
		took := time.Since(st.began)
		if c.slow > 0 && took >= c.slow && c.budget.Context != nil {
			c.slowLog.Write(c.budget.Context, st.SQL(), took)
		}
		if c.measure != nil {
			c.measure(took, failureOf(err))
		}
	}
	if st.heavy {
		st.heavy = false
		_ = st.ClearBindings() // memory alone
	}
	return err
}

// Exec runs a statement, prepared and kept, whose rows are not read.
func (c *Conn) Exec(sql string, args ...sqltext.Value) error {
	st, err := c.Start([]byte(sql), args)
	if err != nil {
		return err
	}
	for st.Step() {
	}
	return c.Finish(st)
}

// Each runs a statement and calls row for each of its rows.
func (c *Conn) Each(row func(*Stmt), sql string, args ...sqltext.Value) error {
	st, err := c.Start([]byte(sql), args)
	if err != nil {
		return err
	}
	for st.Step() {
		row(st)
	}
	return c.Finish(st)
}

// Number runs a statement that returns one integer; 0 without a row. It reads only the first
// row and column.
func (c *Conn) Number(sql string, args ...sqltext.Value) (int64, error) {
	st, err := c.Start([]byte(sql), args)
	if err != nil {
		return 0, err
	}
	var n int64
	if st.Step() {
		n = st.ColumnInt64(0)
	}
	return n, c.Finish(st)
}

// prepared returns the statement of a text, from the cache if it is there. A full cache closes
// its least recently used statement. Looking it up by bytes does not allocate.
func (c *Conn) prepared(sql []byte) (*Stmt, error) {
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
	if err != nil && c.modules != nil && strings.Contains(err.Error(), "no such module") {
		if err = c.modules(c.db); err == nil {
			raw, tail, err = c.db.PrepareFlags(text, sqlite3.PREPARE_PERSISTENT)
		}
		c.modules = nil
	}
	if err == nil && (raw == nil || strings.TrimSpace(tail) != "") {
		err = errors.New("not exactly one statement")
	}
	if err != nil {
		_ = raw.Close() // the text is what went wrong
		// SQLite has no code of its own for this; the depth comes from a caller's filter
		// (SQLITE_LIMIT_EXPR_DEPTH, 1,000).
		if strings.Contains(err.Error(), "Expression tree is too large") {
			return nil, errTooDeep
		}
		return nil, fmt.Errorf("prepare %s: %w", excerpt(text), err)
	}
	st := &Stmt{Stmt: raw, used: c.clock}
	c.stmts[text] = st
	return st, nil
}

// excerpt returns as much of a statement as is of use in a log: 400 bytes.
func excerpt(sql string) string {
	if len(sql) > 400 {
		return sql[:400] + "…"
	}
	return sql
}

// evict closes the statement whose last use is longest ago.
func (c *Conn) evict() {
	var oldest *Stmt
	for _, st := range c.stmts {
		if oldest == nil || st.used < oldest.used {
			oldest = st
		}
	}
	delete(c.stmts, oldest.SQL())
	_ = oldest.Close() // returns the error of its last run, which was reported then
}

// Once runs SQL without keeping it prepared: pragmas and DDL. It may be several statements
// without parameters, so names are quoted and values literal.
func (c *Conn) Once(sql string) error {
	if c.trace != nil {
		c.trace(sql)
	}
	if c.observe != nil {
		c.observe(facade.Statement{Text: sql})
	}
	if err := c.db.Exec(sql); err != nil {
		return fmt.Errorf("%s: %w", excerpt(sql), err)
	}
	return nil
}

// InTransaction runs do in a transaction of its own: committed where do returns nil, else
// rolled back. It begins as a write (BEGIN IMMEDIATE), so that it waits for another process's
// lock at its beginning and not in the middle. A panic rolls back too.
func (c *Conn) InTransaction(do func(*Conn) error) (err error) {
	if err := c.Once("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if !c.db.GetAutocommit() {
			_ = c.Once("ROLLBACK") // the error at hand is the one to report
		}
	}()
	if err := do(c); err != nil {
		return err
	}
	return c.Once("COMMIT")
}

// Raw returns the library's connection, for functions that this package does not wrap, such as
// Changes.
func (c *Conn) Raw() *sqlite3.Conn { return c.db }

// Close ends the statements and the connection. The connection cannot be used afterwards.
func (c *Conn) Close() error {
	for _, st := range c.stmts {
		_ = st.Close() // returns the error of its last run, which was reported then
	}
	c.stmts = nil
	return c.db.Close()
}

// discard closes a connection whose work panicked. The connection cannot be trusted, so errors
// and panics of closing it are ignored.
func (c *Conn) discard() {
	defer func() { _ = recover() }()
	c.db.SetInterrupt(context.Background())
	_ = c.Close() // it is being thrown away
}

// Literal returns a value as SQL, for DDL, which has no parameters: 7, 1.5e+00, 'draft', NULL.
// A blob has no literal and becomes NULL.
func Literal(v sqltext.Value) string {
	switch v.Kind {
	case sqltext.Int:
		return strconv.FormatInt(v.I, 10)
	case sqltext.Float:
		return strconv.FormatFloat(v.F, 'e', -1, 64)
	case sqltext.Text:
		return LiteralText(v.S)
	}
	return "NULL"
}

// LiteralText returns s as an SQL text literal. Only DDL needs one (an enum, a name in a trigger):
// it takes no bound arguments. Text of letters, digits, spaces and _-.: is quoted; any other text
// is spelled in hex, so that no character of it means anything to SQL or to the store's own reader
// of DDL:
//
//	draft    'draft'
//	it's     CAST(X'69742773' AS TEXT)
func LiteralText(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || r != ' ' && r != '_' && r != '-' && r != '.' && r != ':' &&
			!unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return "CAST(X'" + hex.EncodeToString([]byte(s)) + "' AS TEXT)"
		}
	}
	return "'" + s + "'"
}
