package sqlite

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Insert writes rows, all or none, and returns them in the given layout. of may be nil:
// nothing beside the table's constraints has to hold. Errors: CONFLICT for a value that is
// taken or a relation that leads nowhere, VALIDATION_FAILED for a value that its column cannot
// hold, and what Terms return. A returned row is durable. A relation to a row of the same call
// may stand in any order.
func (s *Store) Insert(ctx context.Context, e *schema.Entity, records []facade.Record, of *facade.Terms, layout *facade.Layout) (*facade.Rows, error) {
	t, err := s.table(e)
	if err != nil {
		return nil, err
	}
	sel := &sqltext.Selection{}
	if err := sel.Choose(&t.Table, layout, nil); err != nil {
		return nil, err
	}
	if t.Sparse {
		return s.insertSparse(ctx, t, records, of, sel)
	}
	// What can be done here is done here and not on the one goroutine that writes.
	args := make([]sqltext.Value, 0, len(records)*len(t.columns))
	for _, record := range records {
		if args, err = t.Row(args, record); err != nil {
			return nil, err
		}
	}
	b := s.text.Builder()
	defer b.Free()
	b.Insert(&t.Table)
	b.Returning(sel)
	m, err := s.text.Terms(&t.Table, of, nil, nil)
	if err != nil {
		return nil, err
	}
	defer m.Free()

	var rows *facade.Rows
	events := s.recorder(of)
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			events.begin()
			rows = facade.NewRows(sel.Layout, len(records))
			row := func(i int) []sqltext.Value { return args[i*len(t.columns):][:len(t.columns)] }
			key := t.Place(t.Primary)
			if m != nil {
				own := make([]sqltext.Value, len(records))
				for i := range records {
					own[i] = row(i)[key]
				}
				for _, record := range records {
					if err := m.Leads(runner{c}, facade.Row{}, record, own); err != nil {
						return err
					}
				}
			}
			for i := range records {
				if err := answer(c, b.SQL, row(i), sel, rows); err != nil {
					return constraint(s.tables.Load(), t, records[i], err)
				}
			}
			for i := range records { // when all are there: they may point at each other
				if m == nil {
					break
				}
				if err := m.Stays(runner{c}, row(i)[key]); err != nil {
					return err
				}
			}
			return events.record(c, rows)
		},
		Committed: events.committed(ctx),
		Blame:     func(c *engine.Conn, err error) error { return s.blameWrite(c, t, records, err) },
	})
	if err != nil {
		return nil, err
	}
	facade.AccountOf(ctx).Add(rows.Size()) // written is written
	return rows, nil
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
	key, fault := sqltext.Encode(t.primary.Prop, id)
	if fault != "" || key.Kind == sqltext.Null {
		return facade.NewRows(sel.Layout, 0), nil // a key of another kind is no row's
	}
	b := s.text.Builder()
	defer b.Free()
	if err := b.Update(&t.Table, sel, key, where, set); err != nil {
		return nil, err
	}
	var rows *facade.Rows
	if len(set) == 0 && of == nil {
		err := s.db.Read(ctx, func(c *engine.Conn) error {
			rows = facade.NewRows(sel.Layout, 1)
			return answer(c, b.SQL, b.Args, sel, rows)
		})
		return rows, err
	}
	m, err := s.text.Terms(&t.Table, of, &key, where)
	if err != nil {
		return nil, err
	}
	defer m.Free()
	written := set
	events := s.recorder(of)
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			events.begin()
			rows, written = facade.NewRows(sel.Layout, 1), set
			was, judged, there, err := m.Judge(runner{c})
			if err != nil || !there {
				return err
			}
			run := b
			if judged != nil {
				run, written = s.text.Builder(), judged
				defer run.Free()
				if err := run.Update(&t.Table, sel, key, where, judged); err != nil {
					return err
				}
			}
			if err := m.Leads(runner{c}, was, written, nil); err != nil {
				return err
			}
			if err := answer(c, run.SQL, run.Args, sel, rows); err != nil {
				return constraint(s.tables.Load(), t, written, err)
			}
			if rows.Len() == 0 {
				return nil
			}
			if err := m.Stays(runner{c}, key); err != nil {
				return err
			}
			return events.record(c, rows)
		},
		Committed: events.committed(ctx),
		Blame: func(c *engine.Conn, err error) error {
			return s.blameDelete(c, t, key, s.blameWrite(c, t, []facade.Record{written}, err))
		},
	})
	if err != nil {
		return nil, err
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
	key, fault := sqltext.Encode(t.primary.Prop, id)
	if fault != "" || key.Kind == sqltext.Null {
		return false, nil
	}
	b := s.text.Builder()
	defer b.Free()
	if err := b.Delete(&t.Table, key, where); err != nil {
		return false, err
	}
	m, err := s.text.Terms(&t.Table, of, &key, where)
	if err != nil {
		return false, err
	}
	defer m.Free()
	gone := false
	events := s.recorder(of)
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			events.begin()
			gone = false
			if _, _, there, err := m.Judge(runner{c}); err != nil || !there {
				return err
			}
			st, err := c.Start(b.SQL, b.Args)
			if err != nil {
				return err
			}
			for st.Step() {
			}
			if err := c.Finish(st); err != nil {
				return constraint(s.tables.Load(), t, nil, err)
			}
			if gone = c.Raw().Changes() > 0; !gone {
				return nil
			}
			return events.record(c, nil)
		},
		Committed: events.committed(ctx),
		Blame:     func(c *engine.Conn, err error) error { return s.blameDelete(c, t, key, err) },
	})
	return gone && err == nil, err
}

// answer runs a statement and appends the rows that it returns to rows.
func answer(c *engine.Conn, sql []byte, args []sqltext.Value, sel *sqltext.Selection, rows *facade.Rows) error {
	st, err := c.Start(sql, args)
	if err != nil {
		return err
	}
	for st.Step() {
		appendRow(rows, sel, st, 0)
	}
	return c.Finish(st)
}

// runner runs the statements of a write's terms on the connection that writes.
type runner struct{ *engine.Conn }

// Rows appends the rows that a statement returns.
func (c runner) Rows(sql []byte, args []sqltext.Value, sel *sqltext.Selection, rows *facade.Rows) error {
	return answer(c.Conn, sql, args, sel, rows)
}

// Number returns the integer that a statement returns.
func (c runner) Number(sql []byte, args []sqltext.Value) (int64, error) {
	return c.Conn.Number(string(sql), args...)
}

// blameWrite turns a foreign key that a write left broken into CONFLICT for the relation at
// fault. SQLite does not say which one it is, so each relation of what was written is looked
// at, in the state that the write left behind.
func (s *Store) blameWrite(c *engine.Conn, t *table, records []facade.Record, err error) error {
	if !engine.IsForeignKey(err) {
		return err
	}
	for _, record := range records {
		for _, m := range record {
			col, fault := t.column(t.Entity.Property(m.Name))
			if fault != nil || col.refs == nil {
				continue
			}
			a, _ := sqltext.Encode(col.Prop, m.Value)
			if a.Kind == sqltext.Null {
				continue
			}
			target := s.tables.Load().byKey[col.refs.Owner.Key]
			if target == nil {
				continue
			}
			n, failed := c.Number("SELECT count(*) FROM "+target.Name+" WHERE "+target.primary.Name+" = ?", a)
			if failed == nil && n == 0 {
				return facade.Dangling(col.Prop)
			}
		}
	}
	return err
}

// blameDelete finds which relation holds a row that was to go, or to change its key, and
// returns CONFLICT for it (facade.InUse). A relation that cascades is only named where no
// other holds the row: something behind it does.
func (s *Store) blameDelete(c *engine.Conn, t *table, key sqltext.Value, err error) error {
	if !engine.IsForeignKey(err) {
		return err
	}
	var further *schema.Property
	for _, other := range s.tables.Load().sorted() {
		for _, col := range other.columns {
			if col.refs == nil || col.refs.Owner.Key != t.Entity.Key {
				continue
			}
			n, failed := c.Number("SELECT count(*) FROM (SELECT 1 FROM "+other.Name+" WHERE "+col.Name+" = ? LIMIT 1)", key)
			if failed != nil || n == 0 {
				continue
			}
			if r := col.Prop.Axes.Relation; r != nil && r.OnDelete == "cascade" {
				further = col.Prop // it would go too, but something holds it
				continue
			}
			return facade.InUse(col.Prop)
		}
	}
	if further != nil {
		return facade.InUse(further)
	}
	return facade.Errorf(facade.Conflict, "other rows still point at what this would remove; remove or change them first")
}
