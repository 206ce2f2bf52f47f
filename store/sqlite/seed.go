package sqlite

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// seedsTable names the entities whose seeds the store has had (docs/decisions/sqlite.md). A mark
// stays when the rows are deleted, so that they do not come back at the next start.
const seedsTable = ownPrefix + "seeds"

// makeSeeds makes it on first use, in the transaction of the seeds.
const makeSeeds = `CREATE TABLE IF NOT EXISTS "` + seedsTable + `" (entity TEXT PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT`

// Seeded says which of entities have had their seeds in this store's life, whether or not the
// rows are still there. A store without the table has had none; it is not made for the answer.
func (s *Store) Seeded(ctx context.Context, entities []*schema.Entity) (done map[*schema.Entity]bool, err error) {
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		done = map[*schema.Entity]bool{}
		there, err := c.Number("SELECT count(*) FROM sqlite_schema WHERE name = ?", sqltext.Value{Kind: sqltext.Text, S: seedsTable})
		if err != nil || there == 0 {
			return err
		}
		for _, e := range entities {
			if done[e], err = s.seeded(c, e); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// seeded says whether the entity has a mark, which a rename leaves. The table has to be there.
func (s *Store) seeded(c *engine.Conn, e *schema.Entity) (bool, error) {
	n, err := c.Number(`SELECT count(*) FROM "`+seedsTable+`" WHERE entity = ?`, sqltext.TextValue(s.tables.Load().names.Mark(e.Key)))
	return n > 0, err
}

// Seed writes the rows of entities that had no seeds yet and remembers the entities, in one
// transaction: all batches or none. An entity that another process has seeded meanwhile is
// left out. Relations may lead to rows of other batches; the fields of Late are set when the
// rows of every batch are there. Errors name the entity, and are else those of [Store.Insert].
func (s *Store) Seed(ctx context.Context, batches []facade.SeedBatch) error {
	writes := make([]seedWrite, len(batches))
	for i, batch := range batches {
		var err error
		if writes[i], err = s.seedWrite(batch); err != nil {
			return facade.AsError(err).At(batch.Entity.Name, "create")
		}
	}
	var last seedWrite // what ran last, for blame
	return s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			if err := c.Exec(makeSeeds); err != nil {
				return err
			}
			var fresh []seedWrite
			for _, w := range writes {
				done, err := s.seeded(c, w.table.Entity)
				if err != nil {
					return err
				}
				if !done {
					fresh = append(fresh, w)
				}
			}
			for _, w := range fresh {
				last = w
				if err := w.insert(s, c); err != nil {
					return facade.AsError(err).At(w.table.Entity.Name, "create")
				}
			}
			for _, w := range fresh {
				last = w
				for _, late := range w.late {
					if err := c.Exec(late.sql, late.args...); err != nil {
						return facade.AsError(constraint(s.tables.Load(), w.table, late.set, err)).At(w.table.Entity.Name, "create")
					}
				}
			}
			return nil
		},
		Blame: func(c *engine.Conn, err error) error {
			for _, w := range writes { // a relation that leads nowhere may stand in any of them
				if found := s.blameWrite(c, w.table, w.rows, err); found != err { //nolint:errorlint // the same error means that nothing was found
					return facade.AsError(found).At(w.table.Entity.Name, "create")
				}
			}
			if last.table == nil {
				return err
			}
			return facade.AsError(err).At(last.table.Entity.Name, "create")
		},
	})
}

// seedWrite is one batch as statements.
type seedWrite struct {
	table *table
	rows  []facade.Record
	sql   string
	args  []sqltext.Value // of every row
	late  []lateWrite
}

// lateWrite sets one field of a seeded row when all rows are there.
type lateWrite struct {
	set  facade.Record
	sql  string
	args []sqltext.Value
}

// seedWrite compiles a batch before it queues, so that a value that cannot stand in its column
// fails without a transaction.
func (s *Store) seedWrite(batch facade.SeedBatch) (w seedWrite, err error) {
	if w.table, err = s.table(batch.Entity); err != nil {
		return w, err
	}
	w.rows = batch.Rows
	for _, row := range batch.Rows {
		if w.args, err = w.table.Row(w.args, row); err != nil {
			return w, err
		}
	}
	b := s.text.Builder()
	defer b.Free()
	b.Insert(&w.table.Table)
	w.sql = string(b.SQL)
	for _, late := range batch.Late {
		key, fault := sqltext.Encode(w.table.primary.Prop, late.ID)
		if fault != "" {
			return w, sqltext.Refuse(w.table.primary.Prop, fault)
		}
		for _, m := range late.Set {
			c, err := w.table.column(w.table.Entity.Property(m.Name))
			if err != nil {
				return w, err
			}
			a, fault := sqltext.Encode(c.Prop, m.Value)
			if fault != "" {
				return w, sqltext.Refuse(c.Prop, fault)
			}
			w.late = append(w.late, lateWrite{late.Set, "UPDATE " + w.table.Name + " SET " + c.Name + " = ? WHERE " + w.table.primary.Name + " = ?", []sqltext.Value{a, key}})
		}
	}
	return w, nil
}

// insert writes the rows and the mark of the entity.
func (w *seedWrite) insert(s *Store, c *engine.Conn) error {
	n := len(w.table.columns)
	for i, row := range w.rows {
		if err := c.Exec(w.sql, w.args[i*n:][:n]...); err != nil {
			return constraint(s.tables.Load(), w.table, row, err)
		}
	}
	return c.Exec(`INSERT INTO "`+seedsTable+`" (entity) VALUES (?)`, sqltext.TextValue(s.tables.Load().names.Mark(w.table.Entity.Key)))
}
