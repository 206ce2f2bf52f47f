package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/frondhost/frond/facade"
)

// Conn is one connection with its prepared statements. It belongs to one goroutine at a time:
// the pool or a transaction gives it to a function for the length of a call, which must not
// keep it.
type Conn struct {
	pg *pgconn.PgConn
	in wire
	// out are the unsent messages.
	out []byte
	// kept are the prepared statements; nil for a pooler, which keeps no statements.
	kept *statements
	// state is the transaction's as the server said last: 'I' no transaction, 'T' open, 'E' failed.
	state byte
	// broken is why the connection cannot be used further.
	broken error
	// warned says that the server warned about the last batch.
	warned bool
	// opened is when it was opened, and used when a caller last got it or gave it back.
	opened, used time.Time

	watchdog watchdog
	lent     lent
	// slow is the shortest time of a batch of statements that is logged; 0: the connection logs
	// no batches.
	slow    time.Duration
	slowLog *facade.SlowLog
	log     *slog.Logger
	// measure, if set, receives the time of each round trip.
	measure func(time.Duration, facade.Failure)
	// scope is the transaction that the statements run in.
	scope *scope
	// trace and observe, if set, are called before each statement.
	trace   func(sql string, args ...any)
	observe func(facade.Statement)
	plans   bool // observe wants plans
	analyze bool // these run the statement

	bind  pgproto3.Bind
	parse pgproto3.Parse
}

// Query is one statement with its values and its results.
type Query struct {
	// Text is made of shapes only, never of callers' values, since each text is kept.
	Text []byte
	// Values are bound to $1, $2 and so on, each in PostgreSQL's text form; nil is null.
	Values [][]byte
	// Columns are the forms that the rows' columns come in, one for each or one for all;
	// without any all come as text.
	Columns []Form
	// Types are the types (OIDs) that the rows' columns have to have; 0 takes any. They are compared
	// when the statement is prepared, and it is prepared again after they change. A difference is
	// the error of the run, and no row is read.
	Types []uint32
	// Row, where set, is given each row. The values are valid until it returns; nil is null. After
	// an error of Row the run drops the rows after it and returns the error.
	Row func(values [][]byte) error

	// Reset, where set, is called each time before the statement is sent: it forgets what Row
	// has kept.
	Reset func()

	// Done says that the server has done the statement; Count is how many rows it read or
	// wrote.
	Done  bool
	Count int64

	plan *facade.Plan // for the observer

	// prepared is the statement of the connection that it runs as, or nil.
	prepared *statement
}

// Form is how a column's value is written on the wire.
type Form = int16

// BinaryForm is the form of a value in the bytes of its type; the zero Form is text.
const BinaryForm Form = 1

// bare is a statement without values whose rows are ignored.
func bare(text string) *Query { return &Query{Text: []byte(text)} }

// Run sends statements in one round trip and reads the answer to each. If one fails, the
// statements after it do not run; Done says which did. Outside a transaction they all are one.
func (c *Conn) Run(queries ...*Query) error {
	if s := c.scope; s != nil {
		return s.run(c, false, queries)
	}
	return c.send(queries)
}

// Alone reports whether Run sends a transaction by itself, so that a setting which holds until
// its end changes no other statements.
func (c *Conn) Alone() bool { return c.scope == nil && c.state == 'I' }

// Conclude is Run for the last statements of a [DB.Write] or a read: the commit, or the release of the
// savepoint, goes with them. A part of a larger transaction and a dry run do not commit here.
func (c *Conn) Conclude(queries ...*Query) error {
	if s := c.scope; s != nil {
		return s.run(c, true, queries)
	}
	return c.send(queries)
}

// large is the number of bytes from which a batch is written while answers are read: the server may
// want its answers read before it reads on.
const large = 32 << 10

// send sends statements in one round trip, under the budget of the caller.
func (c *Conn) send(queries []*Query) (err error) {
	if c.measure != nil {
		defer func(began time.Time) { c.measure(time.Since(began), failureOf(err)) }(time.Now())
	}
	if c.broken != nil {
		return &lost{c.broken, false}
	}
	if err := c.watchdog.gone(); err != nil {
		return err
	}
	for _, q := range queries {
		if q.plan = nil; c.observe != nil && c.plans {
			q.plan = c.planOf(q)
		}
	}
	c.out, c.warned = c.out[:0], false
	if c.kept != nil {
		c.out = c.kept.evict(c.out, len(queries))
	}
	for _, q := range queries {
		if err := c.encode(q); err != nil {
			return err
		}
	}
	if c.out, err = (&pgproto3.Sync{}).Encode(c.out); err != nil {
		return err
	}
	began := time.Now()
	c.watchdog.begin(c.pg, began, c.watchdog.limit)
	err = c.exchange(queries)
	cause := c.watchdog.end()
	if c.slow > 0 && c.watchdog.ctx != nil {
		if took := time.Since(began); took >= c.slow {
			c.slowLog.Write(c.watchdog.ctx, shapes(queries), took)
		}
	}
	if c.kept != nil {
		c.kept.settle()
		if err != nil && stale(err) {
			c.kept.forget()
		}
	}
	if cause == nil {
		return err
	}
	return c.interrupted(cause, err)
}

// interrupted returns the error of a round trip that the watchdog interrupted for cause.
func (c *Conn) interrupted(cause, err error) error {
	c.quiet()
	var l *lost
	switch {
	case errors.As(err, &l): // the server did not even answer the cancellation
		if !errors.Is(cause, errSpent) {
			err = errors.Join(cause, l.error)
		}
		return &lost{err, l.sent}
	case err == nil && c.warned:
		// A commit that waited for a replica: it has happened here, and may be nowhere else.
		return &lost{cause, true}
	case codeOf(err) == queryCanceled:
		return cause
	}
	return err
}

// planOf asks for the plan of a statement that reads, by EXPLAIN ANALYZE if it may run twice. It returns
// nil for any other statement, and within a transaction, which a failure would end. The statement itself
// reports its errors.
func (c *Conn) planOf(q *Query) *facade.Plan {
	if !c.Alone() || !bytes.HasPrefix(bytes.TrimLeft(q.Text, "("), []byte("SELECT ")) {
		return nil
	}
	observe := c.observe
	c.observe = nil // this statement is no part of the call
	defer func() { c.observe = observe }()
	prefix := explainOnly
	if c.analyze {
		prefix = explainAnalyze
	}
	var text []byte
	if c.send([]*Query{{Text: append([]byte(prefix), q.Text...), Values: q.Values, Row: func(values [][]byte) error {
		text = append(text, values[0]...)
		return nil
	}}}) != nil {
		return nil
	}
	plan, whole := readPlan(text)
	if plan != nil && !c.analyze {
		for _, relation := range whole {
			plan.Read += c.rowsOf(relation)
		}
	}
	return plan
}

// rowsOf is how many rows a relation has, as the server estimates it; 0: unknown.
func (c *Conn) rowsOf(relation string) (n int64) {
	_ = c.send([]*Query{{Text: []byte(estimateRows), Values: [][]byte{[]byte(relation)}, Row: func(values [][]byte) (err error) {
		n, err = strconv.ParseInt(string(values[0]), 10, 64)
		return err
	}}}) // without an answer there is no estimate
	return n
}

// shapes are the texts of the statements of a batch, without those that begin and end it.
func shapes(queries []*Query) string {
	var texts []string
	for _, q := range queries {
		if len(q.Values) > 0 || len(queries) == 1 {
			texts = append(texts, string(q.Text))
		}
	}
	return strings.Join(texts, "; ")
}

// encode appends the messages of one statement.
func (c *Conn) encode(q *Query) (err error) {
	q.Done, q.Count = false, 0
	if q.Reset != nil {
		q.Reset()
	}
	if c.trace != nil || c.observe != nil {
		c.report(q)
	}
	name := ""
	q.prepared = nil
	if c.kept != nil {
		st, fresh := c.kept.find(q.Text)
		q.prepared = st
		if name = st.name; fresh {
			c.parse = pgproto3.Parse{Name: name, Query: st.text}
			if c.out, err = c.parse.Encode(c.out); err != nil {
				return err
			}
		}
	} else {
		c.parse = pgproto3.Parse{Query: string(q.Text)}
		if c.out, err = c.parse.Encode(c.out); err != nil {
			return err
		}
	}
	c.bind = pgproto3.Bind{PreparedStatement: name, Parameters: q.Values, ResultFormatCodes: q.Columns}
	if c.out, err = c.bind.Encode(c.out); err == nil && q.Types != nil && (q.prepared == nil || !q.prepared.checked) {
		c.out, err = (&pgproto3.Describe{ObjectType: 'P'}).Encode(c.out)
	}
	if err == nil {
		c.out, err = (&pgproto3.Execute{}).Encode(c.out)
	}
	if len(q.Values) > MaxValues {
		err = fmt.Errorf("%d values in one statement, %d can be bound", len(q.Values), MaxValues)
	}
	return err
}

// MaxValues is how many values can be bound to one statement.
const MaxValues = 1<<16 - 1

// report passes a statement to those who watch.
func (c *Conn) report(q *Query) {
	args := make([]any, len(q.Values))
	for i, v := range q.Values {
		if v != nil {
			args[i] = string(v)
		}
	}
	if c.trace != nil {
		c.trace(string(q.Text), args...)
	}
	if c.observe != nil {
		c.observe(facade.Statement{Text: string(q.Text), Args: args, Plan: q.plan})
	}
}

// exchange sends the encoded messages and reads until the server is ready again.
func (c *Conn) exchange(queries []*Query) error {
	if len(c.out) < large {
		if n, err := c.pg.Conn().Write(c.out); err != nil {
			return c.fail(err, n > 0)
		}
		return c.read(queries)
	}
	written := make(chan struct{})
	out := c.out
	go func() {
		defer close(written)
		if _, err := c.pg.Conn().Write(out); err != nil {
			_ = c.pg.Conn().Close() // so that reading ends
		}
	}()
	err := c.read(queries)
	if c.broken != nil {
		_ = c.pg.Conn().Close() // so that writing ends
	}
	<-written
	if cap(c.out) > 4*large {
		c.out = nil // one large batch does not keep its memory
	}
	return err
}

// read reads the answers to a batch. The first failure of a statement is the error; the server
// skips the statements after it.
func (c *Conn) read(queries []*Query) (err error) {
	at := 0
	for {
		kind, body, failed := c.in.next()
		var q *Query // nil: one of several in one text
		if at < len(queries) {
			q = queries[at]
		}
		if failed != nil && err != nil && c.broken != nil { // the server said why it hangs up
			return err
		}
		if failed != nil {
			return c.fail(failed, true)
		}
		switch kind {
		case 'D': // DataRow
			if q != nil && q.Row != nil && err == nil {
				var values [][]byte
				if values, failed = c.in.row(body); failed == nil {
					err = q.Row(values)
				}
			}
		case 'T': // RowDescription
			var m pgproto3.RowDescription
			if failed = m.Decode(body); failed == nil && q != nil && err == nil {
				err = q.compare(m.Fields)
			}
		case '1': // ParseComplete
			if c.kept != nil {
				c.kept.parsed()
			}
		case 'C': // CommandComplete
			if q != nil {
				q.Done, q.Count = true, count(body)
			}
			at++
		case 'I': // EmptyQueryResponse
			at++
		case 'E': // ErrorResponse
			var said *pgconn.PgError
			if said, failed = c.refused(body); err == nil && failed == nil {
				err = said
			}
		case 'N': // NoticeResponse
			failed = c.notice(body)
		case 'Z': // ReadyForQuery
			if failed = errGarbled; len(body) == 1 {
				c.state = body[0]
				c.in.shrink()
				return err
			}
		default:
			failed = other(kind)
		}
		if failed != nil {
			return c.fail(failed, true)
		}
	}
}

// notice reads a warning of the server, or another notice.
func (c *Conn) notice(body []byte) error {
	var m pgproto3.NoticeResponse
	err := m.Decode(body)
	c.warned = c.warned || m.SeverityUnlocalized == "WARNING"
	return err
}

// refused reads an error of the server, behind which some connections end.
func (c *Conn) refused(body []byte) (*pgconn.PgError, error) {
	var m pgproto3.ErrorResponse
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	said := pgconn.ErrorResponseToPgError(&m)
	if said.Severity == "FATAL" || said.SeverityUnlocalized == "FATAL" || said.SeverityUnlocalized == "PANIC" {
		c.broken = said
	}
	if said.Code == readOnly {
		c.broken = said // the server became a replica; the next connection finds the one that takes writes
	}
	return said, nil
}

// count is the number of rows in a command's tag, which a zero ends: 3 of "INSERT 0 3" and "SELECT 3".
func count(tag []byte) (n int64) {
	unit := int64(1)
	for i := len(tag) - 2; i >= 0 && '0' <= tag[i] && tag[i] <= '9'; i-- {
		n += int64(tag[i]-'0') * unit
		unit *= 10
	}
	return n
}

// compare returns an error where a column has another type than the statement expects.
func (q *Query) compare(fields []pgproto3.FieldDescription) error {
	for i, f := range fields {
		if i < len(q.Types) && q.Types[i] != 0 && q.Types[i] != f.DataTypeOID {
			return fmt.Errorf("column %s: %w", f.Name, errOtherType)
		}
	}
	if q.prepared != nil {
		q.prepared.checked = true
	}
	return nil
}

// fail marks the connection as broken. sent says that the server may have seen a part of the
// batch, so that what came of it is not known.
func (c *Conn) fail(err error, sent bool) error {
	if c.broken == nil {
		c.broken = err
	}
	return &lost{err, sent}
}

// Exec runs SQL without keeping it prepared, such as DDL. It may be several statements without
// parameters, so names are quoted and values literal. The budget of a statement does not hold
// for it; ctx's end does.
func (c *Conn) Exec(sql string) error {
	if c.broken != nil {
		return &lost{c.broken, false}
	}
	if err := c.watchdog.gone(); err != nil {
		return err
	}
	if c.trace != nil {
		c.trace(sql)
	}
	var err error
	if c.out, err = (&pgproto3.Query{String: sql}).Encode(c.out[:0]); err != nil {
		return err
	}
	c.watchdog.begin(c.pg, time.Now(), 0)
	err = c.exchange(nil)
	if cause := c.watchdog.end(); cause != nil {
		c.quiet()
		if codeOf(err) == queryCanceled {
			err = cause
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", excerpt(sql), err)
	}
	return nil
}

// excerpt returns as much of a statement as is of use in a log: 400 bytes.
func excerpt(sql string) string {
	if len(sql) > 400 {
		return sql[:400] + "…"
	}
	return sql
}

// quiet keeps an earlier cancellation from the next caller's statement: it runs an empty
// statement, which the cancellation may end.
func (c *Conn) quiet() {
	if c.broken != nil {
		return
	}
	for range 2 {
		_ = c.pg.Conn().SetDeadline(time.Now().Add(patience))
		out, err := (&pgproto3.Query{String: "-- ping"}).Encode(nil)
		if err == nil {
			_, err = c.pg.Conn().Write(out)
		}
		if err == nil {
			err = c.read(nil)
		}
		if c.broken != nil {
			return
		}
		if codeOf(err) != queryCanceled {
			break
		}
	}
	_ = c.pg.Conn().SetDeadline(time.Time{})
}

// trusted is how long ago a connection may have been used to be taken for open without a look,
// where the call can be made again on another one.
const trusted = 100 * time.Millisecond

// alive says whether an idle connection is still open, without a round trip. writes says that
// it is for a call that cannot simply be made again.
func (c *Conn) alive(writes bool) bool {
	return c.broken == nil && c.state == 'I' && (!writes && time.Since(c.used) < trusted || !hungUp(c.pg.Conn()))
}

// close ends the connection without waiting for the server.
func (c *Conn) close() {
	c.watchdog.stop()
	if c.broken == nil {
		out, _ := (&pgproto3.Terminate{}).Encode(nil) // four bytes cannot fail
		_ = c.pg.Conn().SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.pg.Conn().Write(out) // the server sees the end of the stream as well
	}
	_ = c.pg.Conn().Close()
}

// begin gives the connection to a caller until [Conn.end]: the end of ctx cancels the statement that
// is running, and so does the end of the time that each statement, and the caller's request, has.
// The observer of ctx sees the statements. After an error there is no end.
func (c *Conn) begin(ctx context.Context) error {
	request := facade.RequestOf(ctx)
	limit, err := request.Remaining(c.watchdog.limit)
	if err != nil {
		return err
	}
	c.lent = lent{limit: c.watchdog.limit, ctx: c.watchdog.watch(ctx), request: request}
	c.watchdog.limit, c.used = limit, time.Now()
	if c.observe = facade.ObserverOf(ctx); c.observe != nil {
		c.plans, c.analyze = facade.PlansObserved(ctx)
	}
	return nil
}

// lent has the facts of a caller of a connection: the limit and the context of its watchdog, and
// the caller's request.
type lent struct {
	limit   time.Duration
	ctx     context.Context //nolint:containedctx // of the watchdog before
	request *facade.Request
}

// end takes the connection back from its caller, whose work returned err.
func (c *Conn) end(err error) error {
	began := c.used
	c.used = time.Now()
	_ = c.lent.request.Spend(c.used.Sub(began)) // Public says that nothing is left
	c.watchdog.watch(c.lent.ctx)
	c.watchdog.limit = c.lent.limit
	c.observe, c.plans = nil, false
	return err
}

// Hurried runs do with a part of the time of a statement for each of its statements. If the
// time was too short, done is false and err nil. In a transaction, which a cancelled statement
// would end, they have their whole time.
func (c *Conn) Hurried(part int, do func() error) (done bool, err error) {
	if w := &c.watchdog; c.scope == nil {
		limit, waitOf := w.limit, w.waitOf
		w.limit, w.waitOf = limit/time.Duration(part), nil
		defer func() { w.limit, w.waitOf = limit, waitOf }()
	}
	err = do()
	if c.scope == nil && errors.Is(err, errSpent) {
		return false, nil
	}
	return true, err
}
