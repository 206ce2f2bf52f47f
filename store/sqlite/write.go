package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

var (
	_ store.DB[*table] = database{}
	_ store.Tx         = (*tx)(nil)
)

// database implements [store.DB].
type database struct{ *access }

// Table implements [store.DB].
func (d database) Table(e *schema.Entity) (*table, error) { return d.table(e) }

// Insert implements [store.DB]: the statement of one row runs for each of them.
func (d database) Insert(b *sqltext.Builder, t *table, args []sqltext.Value, n int) (bound []sqltext.Value, times int) {
	b.Insert(&t.Table)
	return args, n
}

// UpdateAll implements [store.DB]: the statement of one row runs for each of them.
func (d database) UpdateAll(b *sqltext.Builder, t *table, columns []*sqltext.Column, args []sqltext.Value, n int) (bound []sqltext.Value, times int) {
	b.Text("UPDATE ", t.Name, " SET ")
	for i, c := range columns {
		b.Text([]string{"", ", "}[min(i, 1)], c.Name, " = ?")
	}
	b.Text(" WHERE ", t.Primary.Name, " = ?")
	return args, n
}

// Read implements [store.DB].
func (d database) Read(ctx context.Context, t *table, st *store.Statement) error {
	return d.db.Read(ctx, func(c *engine.Conn) error { return run(c, t, st) })
}

// Write implements [store.DB]: do runs on the one goroutine that writes.
func (d database) Write(ctx context.Context, w *store.Write[*table], do func(store.Tx) error) error {
	x := &tx{store: d.access, write: w}
	x.op.Ctx, x.op.Blame = ctx, x.blame
	x.op.Run = func(c *engine.Conn) error {
		x.Conn, x.emitted = c, false
		return do(x)
	}
	if w.Announces() {
		committed := d.events.emitted(ctx)
		x.op.Committed = func() {
			if x.emitted { // a write that finds no row emits nothing
				committed()
			}
		}
	}
	return d.db.Write(&x.op)
}

// tx is the transaction of one write, on the connection that writes.
type tx struct {
	*engine.Conn
	store   *access
	write   *store.Write[*table]
	op      engine.Op
	emitted bool // events were written, and so the tables for them are there
}

// blame finds the relation of a foreign key that the write has left broken.
func (x *tx) blame(c *engine.Conn, err error) error {
	w := x.write
	err = x.store.blameWrite(c, w.Table, w.Written, err)
	keys := w.Keys
	if w.Key.Kind != sqltext.Null {
		keys = []sqltext.Value{w.Key}
	}
	if keys != nil {
		err = x.store.blameDelete(c, w.Table, keys, err)
	}
	return err
}

// Run implements [store.Tx].
func (x *tx) Run(checks store.Checks, _ bool, statements ...*store.Statement) error {
	if checks != nil {
		if err := checks.Before(x); err != nil {
			return err
		}
	}
	for _, st := range statements {
		if err := run(x.Conn, x.write.Table, st); err != nil {
			return x.store.constraint(x.write.Table, err)
		}
	}
	if checks != nil {
		return checks.After(x)
	}
	return nil
}

// Emit implements [store.Tx].
func (x *tx) Emit(events []facade.Event) error {
	err := x.store.events.append(x.Conn, events)
	x.emitted = err == nil
	return err
}

// Rows implements [sqltext.Runner].
func (x *tx) Rows(sql []byte, args []sqltext.Value, sel *sqltext.Selection, found *rows.Rows) error {
	return answer(x.Conn, sql, args, sel, found)
}

// Number implements [sqltext.Runner].
func (x *tx) Number(sql []byte, args []sqltext.Value) (int64, error) {
	return x.Conn.Number(string(sql), args...)
}

// Base is of tables, for [store.DB].
func (t *table) Base() *sqltext.Table { return &t.Table }

// Key is of tables, for [store.DB].
func (t *table) Key(id json.RawMessage) (sqltext.Value, bool) {
	key, fault := sqltext.Encode(t.Primary.Prop, id)
	return key, fault == "" && key.Kind != sqltext.Null
}

// Fit is of tables, for [store.DB]: every value is taken as it is.
func (*table) Fit(*schema.Property, *sqltext.Value) error { return nil }

// run runs a statement as often as its Times, and keeps its rows.
func run(c *engine.Conn, t *table, st *store.Statement) error {
	st.Rows, st.Count = nil, 0
	if st.Sel != nil {
		st.Rows = rows.New(st.Sel.Layout, st.Most)
	}
	width := len(st.Args) / st.Times
	for i := range st.Times {
		s, err := c.Start(st.SQL, st.Args[i*width:][:width])
		if err != nil {
			return err
		}
		for s.Step() {
			if st.Sel != nil {
				sqltext.AppendRow(st.Rows, st.Sel, cells{s}, 0)
			}
			if st.Key != nil {
				*st.Key, _ = sqltext.Encode(t.Primary.Prop, appendColumn(nil, s, st.At, t.Primary))
			}
		}
		if err := c.Finish(s); err != nil {
			return err
		}
		st.Count += c.Raw().Changes()
	}
	st.Done = true
	return nil
}

// answer runs a statement and appends the rows that it returns to found.
func answer(c *engine.Conn, sql []byte, args []sqltext.Value, sel *sqltext.Selection, found *rows.Rows) error {
	st, err := c.Start(sql, args)
	if err != nil {
		return err
	}
	for st.Step() {
		sqltext.AppendRow(found, sel, cells{st}, 0)
	}
	return c.Finish(st)
}

// blameWrite turns a foreign key that a write left broken into CONFLICT for the relation at fault.
// SQLite does not say which one it is, so it checks each relation of the written rows, in the state
// after the write.
func (s *access) blameWrite(c *engine.Conn, t *table, records []facade.Record, err error) error {
	if !engine.IsForeignKey(err) {
		return err
	}
	for _, record := range records {
		for _, m := range record {
			at := t.Place(t.Stored(t.Entity.Property(m.Name)))
			if at < 0 || t.columns[at].refs == nil {
				continue
			}
			col := t.columns[at]
			a, _ := sqltext.Encode(col.Prop, m.Value)
			if a.Kind == sqltext.Null {
				continue
			}
			target := s.tables.Load().ByKey[col.refs.Owner.Key]
			if target == nil {
				continue
			}
			n, failed := c.Number("SELECT count(*) FROM "+target.Name+" WHERE "+target.Primary.Name+" = ?", a)
			if failed == nil && n == 0 {
				return kiterror.Dangling(col.Prop)
			}
		}
	}
	return err
}

// constraint returns the caller's error for a write to t that broke a constraint; any other error
// is returned unchanged.
//
//	UNIQUE, the primary key included          CONFLICT with the fields (facade.Taken)
//	NOT NULL and CHECK of the written table   VALIDATION_FAILED with the card's keyword
//	NOT NULL of another table                 CONFLICT: the row is in use (facade.InUse)
//	a constraint that no card describes       CONFLICT; the log names it, and in development the
//	                                          answer (Options.NameRules)
//
// A foreign key is not among them: it is judged when the write is done (see
// [Store.blameWrite]).
func (s *access) constraint(t *table, err error) error {
	if !errors.Is(err, sqlite3.CONSTRAINT) {
		return err
	}
	// The library keeps the message among other words: "sqlite3: constraint failed: <message>".
	_, message, _ := strings.Cut(err.Error(), "constraint failed: ")
	// SQLite gives no code for the constraint but its message, which names table and columns;
	// listViolations makes the same messages.
	v, ok := t.violations()[message]
	if !ok {
		for _, other := range s.tables.Load().ByKey {
			if v, ok = other.violations()[message]; ok {
				break
			}
		}
	}
	switch {
	case !ok && t.foreign && !engine.IsForeignKey(err):
		s.db.Log().Warn("a rule of the database that no card describes refused a write", "table", t.Entity.Table.Name, "constraint", message)
		rule := ""
		if s.named {
			rule = " (" + message + ")"
		}
		return kiterror.Errorf(kiterror.Conflict, "the values break a rule of the database that no card describes%s; change them", rule)
	case !ok:
		return err
	case v.unique != nil:
		return kiterror.Taken(v.unique...)
	case v.field.Owner != t.Entity:
		// onDelete: set null met a field that takes no null: the row is held by it.
		return kiterror.InUse(v.field)
	}
	return sqltext.Refuse(v.field, v.keyword)
}
