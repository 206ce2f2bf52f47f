package postgres

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/driver"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

var _ driver.DB[*table] = database{}

// Table implements [driver.DB].
func (d database) Table(e *schema.Entity) (*table, error) { return d.store.table(e) }

// Read implements [driver.DB].
func (d database) Read(ctx context.Context, t *table, st *driver.Statement) error {
	q, bound := query(t, st)
	defer bound.free()
	return d.store.db.Read(ctx, func(c *engine.Conn) error { return c.Run(q) })
}

// Write implements [driver.DB].
func (d database) Write(ctx context.Context, w *driver.Write[*table], do func(driver.Tx) error) error {
	return d.store.constraint(w.Table, w.Written, d.write(ctx, w, do))
}

// write runs a write: one statement where nothing else has to hold, and else a transaction.
func (d database) write(ctx context.Context, w *driver.Write[*table], do func(driver.Tx) error) error {
	s := d.store
	if w.Terms == nil && w.Alone != nil {
		q, bound := query(w.Table, w.Alone)
		defer bound.free()
		var err error
		if ofOneRow(w.Where) {
			err = s.db.Once(ctx, q)
		} else {
			err = s.db.Write(ctx, func(c *engine.Conn) error { return c.Conclude(q) })
		}
		w.Alone.Count = q.Count
		return err
	}
	begin := s.db.Write
	if locks(w) {
		begin = s.db.WriteLocked
	}
	run := func(c *engine.Conn) error { return do(&tx{runner{c}, s, w.Table}) }
	if !w.Announces() {
		return begin(ctx, run)
	}
	if err := s.outbox.Ready(ctx); err != nil {
		return err
	}
	if err := begin(ctx, run); err != nil {
		return err
	}
	return s.db.Defer(ctx, nil, s.outbox.Emitted)
}

// locks says that a write reads only rows that it locks or writes, and so needs no serializable
// transaction.
func locks(w *driver.Write[*table]) bool {
	of := w.Terms
	if of == nil || w.Key.Kind == sqltext.Null && (!w.Announces() || w.Table.Sparse) {
		return false
	}
	return ofOneRow(w.Where) && ofOneRow(of.After) && len(of.Points) == 0
}

// ofOneRow says whether a condition is judged by the fields of the row itself.
func ofOneRow(f *filter.Filter) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case filter.Some, filter.None, filter.Every:
		return false
	}
	for _, sub := range f.Sub {
		if !ofOneRow(sub) {
			return false
		}
	}
	return true
}

// tx is the transaction of one write.
type tx struct {
	runner
	store *Store
	table *table
}

// Run implements [driver.Tx].
func (x *tx) Run(around driver.Checks, last bool, statements ...*driver.Statement) error {
	queries := make([]*engine.Query, len(statements))
	for i, st := range statements {
		q, bound := query(x.table, st)
		defer bound.free()
		queries[i], st.Done = q, false
	}
	return (&checks{last: last}).run(x.Conn, around, queries, func() {
		for i, q := range queries {
			statements[i].Count, statements[i].Done = q.Count, q.Done
		}
	})
}

// Emit implements [driver.Tx]: the events go with the commit.
func (x *tx) Emit(events []facade.Event) error {
	return x.Conclude(x.store.outbox.Emission(events))
}

// Base implements [driver.Table].
func (t *table) Base() *sqltext.Table { return &t.Table }

// Key implements [driver.Table].
func (t *table) Key(id json.RawMessage) (sqltext.Value, bool) {
	v, fault := sqltext.Encode(t.Primary.Prop, id)
	if fault != "" || v.Kind == sqltext.Null {
		return v, false
	}
	o := fit(t.Primary, filter.Eq, v)
	return o.v, !o.decided
}
