package postgres

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Insert writes rows, all or none, and returns them in the given layout. of may be nil:
// nothing beside the table's constraints has to hold. Errors: CONFLICT for a value that is
// taken or a relation that leads nowhere, VALIDATION_FAILED for a value that its column cannot
// hold, and what Terms return. A returned row is committed. A relation to a row of the same
// call may stand in any order: all of them are one statement.
func (s *Store) Insert(ctx context.Context, e *schema.Entity, records []facade.Record, of *facade.Terms, layout *facade.Layout) (*facade.Rows, error) {
	t, err := s.table(e)
	if err != nil {
		return nil, err
	}
	sel := &sqltext.Selection{}
	if err := sel.Choose(&t.Table, layout, nil); err != nil {
		return nil, err
	}
	if t.Sparse && len(records) > 0 {
		return s.insertSparse(ctx, t, records, of, sel)
	}
	args := make([]sqltext.Value, 0, len(records)*len(t.columns))
	for _, record := range records {
		if args, err = t.row(args, record); err != nil {
			return nil, err
		}
	}
	if len(records) == 0 {
		return facade.NewRows(sel.Layout, 0), nil
	}
	b := s.text.Builder()
	defer b.Free()
	bound := s.insert(b, t, args, len(records))
	b.Returning(sel)
	defer bound.free()
	m, err := s.text.Terms(&t.Table, of, nil, nil)
	if err != nil {
		return nil, err
	}
	defer m.Free()

	var rows *facade.Rows
	write := selected(b.SQL, bound, sel, &rows, len(records))
	done := false
	if announces(of) {
		done, err = s.insertForeseen(ctx, t, of, write, args, sel, &rows)
	}
	if !done {
		do := func(c *engine.Conn) error {
			if err := inserted(c, t, m, write, records, args, announces(of)); err != nil {
				return err
			}
			if announces(of) {
				t.compare(t.foreseen(args, sel), rows)
			}
			return s.announce(c, of, rows)
		}
		if m != nil && !announces(of) {
			err = s.db.Write(ctx, do)
		} else {
			err = s.write(ctx, m, of, nil, write, do)
		}
	}
	if err != nil {
		return nil, s.constraint(t, records, err)
	}
	facade.AccountOf(ctx).Add(rows.Size()) // written is written
	return rows, nil
}

// inserted runs an insert between the terms that come before and behind it. more says that
// statements come behind.
func inserted(c *engine.Conn, t *table, m *sqltext.Terms, write *engine.Query, records []facade.Record, args []sqltext.Value, more bool) error {
	key, width := t.Place(t.Primary), len(t.columns)
	own := make([]sqltext.Value, len(records))
	for i := range records {
		own[i] = args[i*width+key]
	}
	return (&checks{more: more}).run(c, write, func(r sqltext.Runner) error {
		for _, record := range records {
			if err := m.Leads(r, facade.Row{}, record, own); err != nil {
				return err
			}
		}
		return nil
	}, func(r sqltext.Runner) error { // when all are there: they may point at each other
		for _, id := range own {
			if err := m.Stays(r, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Update changes the row with the key id, where it meets where, and returns it as it is
// afterwards; no rows where there is none. set is what to write. Terms.Judge may replace set
// after it has seen the row as it stands. With nothing to set and no terms Update is a read.
// Errors are those of Insert.
func (s *Store) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *facade.Filter, set facade.Record, of *facade.Terms, layout *facade.Layout) (*facade.Rows, error) {
	t, err := s.table(e)
	if err != nil {
		return nil, err
	}
	sel := &sqltext.Selection{}
	if err := sel.Choose(&t.Table, layout, nil); err != nil {
		return nil, err
	}
	key, isKey := t.key(id)
	if !isKey {
		return facade.NewRows(sel.Layout, 0), nil // a key of another kind is no row's
	}
	var rows *facade.Rows
	b := s.text.Builder()
	defer b.Free()
	write, bound, err := t.update(b, sel, key, where, set, &rows)
	if err != nil {
		return nil, err
	}
	defer bound.free()
	if len(set) == 0 && of == nil {
		err := s.db.Read(ctx, func(c *engine.Conn) error { return c.Run(write) })
		return rows, err
	}
	m, err := s.text.Terms(&t.Table, of, &key, where)
	if err != nil {
		return nil, err
	}
	defer m.Free()
	written := set
	err = s.write(ctx, m, of, where, write, func(c *engine.Conn) error {
		written = set
		was, judged, there, err := m.Judge(runner{c})
		if err != nil || !there {
			rows = facade.NewRows(sel.Layout, 0)
			return err
		}
		run := write
		if judged != nil {
			written = judged
			b := s.text.Builder()
			defer b.Free()
			other, bound, err := t.update(b, sel, key, where, judged, &rows)
			if err != nil {
				return err
			}
			defer bound.free()
			run = other
		}
		err = (&checks{more: announces(of)}).run(c, run,
			func(r sqltext.Runner) error { return m.Leads(r, was, written, nil) },
			func(r sqltext.Runner) error {
				if rows.Len() == 0 && run.Done { // no row meets where
					return nil
				}
				return m.Stays(r, key)
			})
		if err != nil || rows.Len() == 0 {
			return err
		}
		return s.announce(c, of, rows)
	})
	if err != nil {
		return nil, s.constraint(t, []facade.Record{written}, err)
	}
	facade.AccountOf(ctx).Add(rows.Size()) // written is written
	return rows, nil
}

// Delete removes the row with the key id, where it meets where, and says whether there was
// one. CONFLICT where another row points at it and its relation's onDelete keeps it.
func (s *Store) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *facade.Filter, of *facade.Terms) (bool, error) {
	t, err := s.table(e)
	if err != nil {
		return false, err
	}
	key, isKey := t.key(id)
	if !isKey {
		return false, nil
	}
	b := s.text.Builder()
	defer b.Free()
	if err := b.Delete(&t.Table, key, where); err != nil {
		return false, err
	}
	bound := newArguments(b.Args)
	defer bound.free()
	m, err := s.text.Terms(&t.Table, of, &key, where)
	if err != nil {
		return false, err
	}
	defer m.Free()
	remove := &engine.Query{Text: b.SQL, Values: bound.values}
	err = s.write(ctx, m, of, where, remove, func(c *engine.Conn) error {
		remove.Count = 0
		if _, _, there, err := m.Judge(runner{c}); err != nil || !there {
			return err
		}
		if !announces(of) {
			return c.Conclude(remove)
		}
		if err := c.Run(remove); err != nil || remove.Count == 0 {
			return err
		}
		return s.announce(c, of, nil)
	})
	return remove.Count > 0 && err == nil, s.constraint(t, nil, err)
}

// write runs a write: one statement where nothing else has to hold, and else a transaction. That
// has to be serializable where it reads other rows than those that it locks or writes.
func (s *Store) write(ctx context.Context, m *sqltext.Terms, of *facade.Terms, where *facade.Filter, alone *engine.Query, do func(*engine.Conn) error) error {
	switch {
	case m == nil && ofOneRow(where):
		return s.db.Once(ctx, alone)
	case m == nil:
		return s.db.Write(ctx, func(c *engine.Conn) error { return c.Conclude(alone) })
	}
	write := s.db.Write
	if ofOneRow(where) && ofOneRow(of.After) && len(of.Points) == 0 {
		write = s.db.WriteLocked
	}
	return s.announcing(ctx, of, write, do)
}

// announces says whether a write has events.
func announces(of *facade.Terms) bool { return of != nil && of.Events != nil }

// announce ends a write that has written rows with its events, if it has any.
func (s *Store) announce(c *engine.Conn, of *facade.Terms, rows *facade.Rows) error {
	if !announces(of) {
		return nil
	}
	events, err := of.Events(rows)
	if err != nil || len(events) == 0 {
		return err
	}
	return c.Conclude(s.outbox.Emission(events))
}

// announcing runs do, which may announce, by write.
func (s *Store) announcing(ctx context.Context, of *facade.Terms, write func(context.Context, func(*engine.Conn) error) error, do func(*engine.Conn) error) error {
	if !announces(of) {
		return write(ctx, do)
	}
	if err := s.outbox.Ready(ctx); err != nil {
		return err
	}
	if err := write(ctx, do); err != nil {
		return err
	}
	return s.db.Defer(ctx, nil, s.outbox.Emitted)
}

// insertForeseen runs an insert of one row together with its events, in one round trip: the row
// that comes back is foreseen, and its events are made before it is written. done is false where
// that cannot be; the caller then waits for the row.
//
// Only a trigger that somebody has put on the table could make another row of it. So the first
// row of a table is always waited for, every row is compared when it is there, and a table that
// has ever answered another one is not foreseen again (docs/decisions/outbox.md).
func (s *Store) insertForeseen(ctx context.Context, t *table, of *facade.Terms, insert *engine.Query, args []sqltext.Value, sel *sqltext.Selection, rows **facade.Rows) (done bool, err error) {
	if t.foresight.Load() != faithful || of.After != nil || len(of.Points) > 0 {
		return false, nil
	}
	expected := t.foreseen(args, sel)
	if expected == nil {
		return false, nil
	}
	events, err := of.Events(expected)
	if err != nil {
		return true, err
	}
	if err := s.outbox.Ready(ctx); err != nil {
		return true, err
	}
	both := []*engine.Query{insert}
	if len(events) > 0 {
		both = append(both, s.outbox.Emission(events))
	}
	if err := s.db.Once(ctx, both...); err != nil {
		return true, err
	}
	t.compare(expected, *rows)
	if t.foresight.Load() == unfaithful {
		s.db.Log().Warn("the database writes other values than it is given, so its rows are waited for from now on; the event of one row has the values that were given", "table", t.Name)
	}
	return true, s.db.Defer(ctx, nil, s.outbox.Emitted)
}

// ofOneRow says whether a condition is judged by the fields of the row itself.
func ofOneRow(f *facade.Filter) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case facade.Some, facade.None, facade.Every:
		return false
	}
	for _, sub := range f.Sub {
		if !ofOneRow(sub) {
			return false
		}
	}
	return true
}

// update writes the statement that changes one row and returns it; with nothing to set it
// reads the row. Free bound when it has run.
func (t *table) update(b *sqltext.Builder, sel *sqltext.Selection, key sqltext.Value, where *facade.Filter, set facade.Record, rows **facade.Rows) (*engine.Query, *arguments, error) {
	if err := b.Update(&t.Table, sel, key, where, set); err != nil {
		return nil, nil, err
	}
	for i, m := range set { // their values are the first that are bound
		if err := t.settle(t.Entity.Property(m.Name), &b.Args[i]); err != nil {
			return nil, nil, err
		}
	}
	bound := newArguments(b.Args)
	return selected(b.SQL, bound, sel, rows, 1), bound, nil
}

// key returns the value of a primary key; false for one that no row can have.
func (t *table) key(id json.RawMessage) (sqltext.Value, bool) {
	v, fault := sqltext.Encode(t.Primary.Prop, id)
	if fault != "" || v.Kind == sqltext.Null {
		return v, false
	}
	o := fit(t.Primary, facade.Eq, v)
	return o.v, !o.decided
}
