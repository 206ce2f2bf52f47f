package postgres

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// The marks of seeds name the entities whose seeds the store has had (docs/decisions/sqlite.md), by
// the schema that their tables are in. A mark stays when the rows are deleted, so that they do
// not come back at the next start; and all gateways of the database share it.
const (
	makeSeeds = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.seeds (schema text, entity text, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (schema, entity))`

	readSeeds = `SELECT entity FROM ` + engine.Bookkeeping + `.seeds WHERE schema = $1`

	markSeeds = `INSERT INTO ` + engine.Bookkeeping + `.seeds (schema, entity) VALUES ($1, $2) ON CONFLICT DO NOTHING`
)

// Seeded says which of entities have had their seeds in this database's life, whether or not
// the rows are still there. A database without the table has had none; it is not made for the
// answer.
func (s *Store) Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error) {
	marks := map[string]bool{}
	err := s.db.Read(ctx, func(c *engine.Conn) error {
		clear(marks)
		err := c.Run(&engine.Query{Text: []byte(readSeeds), Values: [][]byte{[]byte(s.db.Address().Schema)}, Row: func(v [][]byte) error {
			marks[string(v[0])] = true
			return nil
		}})
		if engine.Missing(err) {
			return nil
		}
		return err
	})
	done := map[*schema.Entity]bool{}
	names := s.tables.Load().names
	for _, e := range entities {
		done[e] = marks[names.Mark(e.Key)]
	}
	return done, err
}

// Seed writes the rows of entities that had no seeds yet and remembers the entities, in one
// transaction: all batches or none. An entity that another process has seeded meanwhile is
// left out. Relations may lead to rows of batches before; the fields of Late are set when the
// rows of every batch are there. Errors name the entity, and are else those of [Store.Insert].
func (s *Store) Seed(ctx context.Context, batches []facade.SeedBatch) error {
	writes := make([]seedWrite, len(batches))
	for i, batch := range batches {
		t, err := s.table(batch.Entity)
		if err == nil {
			writes[i], err = newSeedWrite(t, batch)
		}
		if err != nil {
			return facade.AsError(err).At(batch.Entity.Name, "create")
		}
	}
	if err := s.db.Own(ctx, "seeds", makeSeeds); err != nil {
		return s.db.Public(ctx, err)
	}
	return s.db.Write(ctx, func(c *engine.Conn) error {
		var fresh []seedWrite
		for _, w := range writes {
			mark := &engine.Query{Text: []byte(markSeeds), Values: [][]byte{[]byte(s.db.Address().Schema), []byte(s.tables.Load().names.Mark(w.table.Entity.Key))}}
			if err := c.Run(mark); err != nil {
				return err
			}
			if mark.Count > 0 { // else it has had its seeds
				fresh = append(fresh, w)
			}
		}
		for _, w := range fresh {
			if err := w.insert(s, c); err != nil {
				return s.seedFailure(ctx, w, w.records, err)
			}
		}
		for _, w := range fresh {
			for _, late := range w.late {
				if err := w.set(s, c, late); err != nil {
					return s.seedFailure(ctx, w, []facade.Record{late.Set}, err)
				}
			}
		}
		return nil
	})
}

// seedFailure names the entity in an error. One that passes when the transaction is run again
// stays as it is.
func (s *Store) seedFailure(ctx context.Context, w seedWrite, written []facade.Record, err error) error {
	if engine.Passes(err) {
		return err
	}
	return facade.AsError(s.constraint(w.table, written, s.db.Public(ctx, err))).At(w.table.Entity.Name, "create")
}

// seedWrite is one batch with its values.
type seedWrite struct {
	table   *table
	records []facade.Record
	args    []sqltext.Value
	late    []facade.LateField
}

// newSeedWrite encodes a batch, so that a value that cannot stand in its column fails without
// a transaction.
func newSeedWrite(t *table, batch facade.SeedBatch) (w seedWrite, err error) {
	w = seedWrite{table: t, records: batch.Rows, late: batch.Late}
	for _, row := range batch.Rows {
		if w.args, err = t.row(w.args, row); err != nil {
			return w, err
		}
	}
	return w, nil
}

// insert writes the rows in one statement.
func (w *seedWrite) insert(s *Store, c *engine.Conn) error {
	if len(w.records) == 0 {
		return nil
	}
	b := s.text.Builder()
	defer b.Free()
	bound := s.insert(b, w.table, w.args, len(w.records))
	defer bound.free()
	return c.Run(&engine.Query{Text: b.SQL, Values: bound.values})
}

// set changes one field of a row that was seeded.
func (w *seedWrite) set(s *Store, c *engine.Conn, late facade.LateField) error {
	key, isKey := w.table.key(late.ID)
	if !isKey {
		return sqltext.Refuse(w.table.Primary.Prop, "type")
	}
	b := s.text.Builder()
	defer b.Free()
	sel := &sqltext.Selection{}
	if err := sel.Choose(&w.table.Table, nil, nil); err != nil {
		return err
	}
	var rows *facade.Rows
	write, bound, err := w.table.update(b, sel, key, nil, late.Set, &rows)
	if err != nil {
		return err
	}
	defer bound.free()
	return c.Run(write)
}
