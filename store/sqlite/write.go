package sqlite

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
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
	sel := &selection{}
	if err := t.choose(sel, layout, nil); err != nil {
		return nil, err
	}
	// What can be done here is done here and not on the one goroutine that writes.
	args := make([]engine.Value, 0, len(records)*len(t.columns))
	for _, record := range records {
		if args, err = t.row(args, record); err != nil {
			return nil, err
		}
	}
	b := s.builder()
	defer b.free()
	b.insert(t)
	b.returning(sel)
	m, err := s.terms(t, of, nil, nil)
	if err != nil {
		return nil, err
	}
	defer m.free()

	var rows *facade.Rows
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			rows = facade.NewRows(sel.layout, len(records))
			row := func(i int) []engine.Value { return args[i*len(t.columns):][:len(t.columns)] }
			key := t.place(t.primary)
			if m != nil {
				own := make([]engine.Value, len(records))
				for i := range records {
					own[i] = row(i)[key]
				}
				for _, record := range records {
					if err := m.leads(c, facade.Row{}, record, own); err != nil {
						return err
					}
				}
			}
			for i := range records {
				if err := answer(c, b.sql, row(i), sel, rows); err != nil {
					return constraint(s.tables.Load(), t, records[i], err)
				}
			}
			for i := range records { // when all are there: they may point at each other
				if m == nil {
					break
				}
				if err := m.stays(c, row(i)[key]); err != nil {
					return err
				}
			}
			return nil
		},
		Blame: func(c *engine.Conn, err error) error { return s.blameWrite(c, t, records, err) },
	})
	if err != nil {
		return nil, err
	}
	facade.AccountOf(ctx).Add(rows.Size()) // written is written
	return rows, nil
}

// insert writes an INSERT of one row with all columns, so that rows of an entity share a
// statement whatever they set:
//
//	INSERT INTO "post" ("id", "title") VALUES (?, ?)
func (b *builder) insert(t *table) {
	b.text("INSERT INTO ", t.name, " (")
	for i, c := range t.columns {
		if i > 0 {
			b.text(", ")
		}
		b.text(c.name)
	}
	b.text(") VALUES (?")
	for range len(t.columns) - 1 {
		b.text(", ?")
	}
	b.text(")")
}

// row appends the values of one row in the order of the columns, a null for every field that
// the record leaves out. VALIDATION_FAILED for a value that its column cannot hold, and for a
// row without a key.
func (t *table) row(args []engine.Value, record facade.Record) ([]engine.Value, error) {
	from := len(args)
	for range t.columns {
		args = append(args, engine.Value{})
	}
	for _, m := range record {
		c, err := t.column(t.entity.Property(m.Name))
		if err != nil {
			return args, err
		}
		a, fault := encode(c.prop, m.Value)
		if fault != "" {
			return args, refuse(c.prop, fault)
		}
		args[from+t.place(c)] = a
	}
	if t.primary != nil && args[from+t.place(t.primary)].Kind == engine.Null {
		return args, refuse(t.primary.prop, "required") // SQLite would make up an integer key
	}
	return args, nil
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
	sel := &selection{}
	if err := t.choose(sel, layout, nil); err != nil {
		return nil, err
	}
	key, fault := encode(t.primary.prop, id)
	if fault != "" || key.Kind == engine.Null {
		return facade.NewRows(sel.layout, 0), nil // a key of another kind is no row's
	}
	b := s.builder()
	defer b.free()
	if err := b.update(t, sel, key, where, set); err != nil {
		return nil, err
	}
	var rows *facade.Rows
	if len(set) == 0 && of == nil {
		err := s.db.Read(ctx, func(c *engine.Conn) error {
			rows = facade.NewRows(sel.layout, 1)
			return answer(c, b.sql, b.args, sel, rows)
		})
		return rows, err
	}
	m, err := s.terms(t, of, &key, where)
	if err != nil {
		return nil, err
	}
	defer m.free()
	written := set
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			rows, written = facade.NewRows(sel.layout, 1), set
			was, judged, there, err := m.judge(c)
			if err != nil || !there {
				return err
			}
			run := b
			if judged != nil {
				run, written = s.builder(), judged
				defer run.free()
				if err := run.update(t, sel, key, where, judged); err != nil {
					return err
				}
			}
			if err := m.leads(c, was, written, nil); err != nil {
				return err
			}
			if err := answer(c, run.sql, run.args, sel, rows); err != nil {
				return constraint(s.tables.Load(), t, written, err)
			}
			if rows.Len() == 0 {
				return nil
			}
			return m.stays(c, key)
		},
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

// update writes the statement that changes one row and returns it; with nothing to set it
// reads the row.
//
//	UPDATE "post" AS t0 SET "title" = ? WHERE t0."id" = ? AND … RETURNING "id", "title"
func (b *builder) update(t *table, sel *selection, key engine.Value, where *facade.Filter, set facade.Record) error {
	alias := b.alias()
	if len(set) == 0 {
		b.text("SELECT ")
		b.columns(sel, alias)
		b.text(" FROM ", t.name, " AS ", alias)
		return b.oneRow(t, alias, key, where)
	}
	b.text("UPDATE ", t.name, " AS ", alias, " SET ")
	for i, m := range set {
		c, err := t.column(t.entity.Property(m.Name))
		if err != nil {
			return err
		}
		a, fault := encode(c.prop, m.Value)
		if fault != "" {
			return refuse(c.prop, fault)
		}
		if i > 0 {
			b.text(", ")
		}
		b.text(c.name, " = ")
		b.bind(a)
	}
	if err := b.oneRow(t, alias, key, where); err != nil {
		return err
	}
	b.returning(sel)
	return nil
}

// Delete removes the row with the key id, where it meets where, and says whether there was
// one. CONFLICT where another row points at it and its relation's onDelete keeps it.
func (s *Store) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *facade.Filter, of *facade.Terms) (bool, error) {
	t, err := s.table(e)
	if err != nil {
		return false, err
	}
	key, fault := encode(t.primary.prop, id)
	if fault != "" || key.Kind == engine.Null {
		return false, nil
	}
	b := s.builder()
	defer b.free()
	alias := b.alias()
	b.text("DELETE FROM ", t.name, " AS ", alias)
	if err := b.oneRow(t, alias, key, where); err != nil {
		return false, err
	}
	m, err := s.terms(t, of, &key, where)
	if err != nil {
		return false, err
	}
	defer m.free()
	gone := false
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			gone = false
			if _, _, there, err := m.judge(c); err != nil || !there {
				return err
			}
			st, err := c.Start(b.sql, b.args)
			if err != nil {
				return err
			}
			for st.Step() {
			}
			if err := c.Finish(st); err != nil {
				return constraint(s.tables.Load(), t, nil, err)
			}
			gone = c.Raw().Changes() > 0
			return nil
		},
		Blame: func(c *engine.Conn, err error) error { return s.blameDelete(c, t, key, err) },
	})
	return gone && err == nil, err
}

// oneRow writes the condition of a write to one row: its key, and what else has to hold. The
// key is the first value that is bound here, so that terms.stays can run a kept statement for
// another key.
func (b *builder) oneRow(t *table, alias string, key engine.Value, where *facade.Filter) error {
	b.text(" WHERE ")
	b.column(alias, t.primary)
	b.text(" = ")
	b.bind(key)
	b.reach = singleRow
	return b.also(where, t, alias)
}

// returning writes RETURNING for the selection. SQLite takes no alias there.
func (b *builder) returning(sel *selection) {
	b.text(" RETURNING ")
	for i, c := range sel.fields {
		if i > 0 {
			b.text(", ")
		}
		b.text(c.name)
	}
	if len(sel.fields) == 0 {
		b.text("1")
	}
}

// answer runs a statement and appends the rows that it returns to rows.
func answer(c *engine.Conn, sql []byte, args []engine.Value, sel *selection, rows *facade.Rows) error {
	st, err := c.Start(sql, args)
	if err != nil {
		return err
	}
	for st.Step() {
		sel.row(rows, st, 0)
	}
	return c.Finish(st)
}

// place returns the position of a column in INSERT, -1 for no column of the table.
func (t *table) place(c *column) int {
	for i := range t.columns {
		if t.columns[i] == c {
			return i
		}
	}
	return -1
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
			col, fault := t.column(t.entity.Property(m.Name))
			if fault != nil || col.refs == nil {
				continue
			}
			a, _ := encode(col.prop, m.Value)
			if a.Kind == engine.Null {
				continue
			}
			n, failed := c.Number("SELECT count(*) FROM "+quote(tableName(col.refs.Owner.Key))+" WHERE "+quote(columnName(col.refs.Name))+" = ?", a)
			if failed == nil && n == 0 {
				return facade.Dangling(col.prop)
			}
		}
	}
	return err
}

// blameDelete finds which relation holds a row that was to go, or to change its key, and
// returns CONFLICT for it (facade.InUse). A relation that cascades is only named where no
// other holds the row: something behind it does.
func (s *Store) blameDelete(c *engine.Conn, t *table, key engine.Value, err error) error {
	if !engine.IsForeignKey(err) {
		return err
	}
	var further *schema.Property
	for _, other := range s.tables.Load().sorted() {
		for _, col := range other.columns {
			if col.refs == nil || col.refs.Owner.Key != t.entity.Key {
				continue
			}
			n, failed := c.Number("SELECT count(*) FROM (SELECT 1 FROM "+other.name+" WHERE "+col.name+" = ? LIMIT 1)", key)
			if failed != nil || n == 0 {
				continue
			}
			if r := col.prop.Axes.Relation; r != nil && r.OnDelete == "cascade" {
				further = col.prop // it would go too, but something holds it
				continue
			}
			return facade.InUse(col.prop)
		}
	}
	if further != nil {
		return facade.InUse(further)
	}
	return facade.Errorf(facade.Conflict, "other rows still point at what this would remove; remove or change them first")
}
