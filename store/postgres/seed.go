package postgres

import (
	"context"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/postgres/engine"
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
// the rows are still there. A database without the table has had no seeds; Seeded does not make
// the table.
func (s *access) Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error) {
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
	names := s.tables.Load().Names
	for _, e := range entities {
		done[e] = marks[names.Mark(e.Key)]
	}
	return done, err
}

// Seed implements [store.DB].
func (d database) Seed(ctx context.Context, _ []*store.Write[*table], do func(store.Seeding[*table]) error) error {
	if err := d.db.Own(ctx, "seeds", makeSeeds); err != nil {
		return d.db.Public(ctx, err)
	}
	return d.db.Write(ctx, func(c *engine.Conn) error { return do(seeding{ctx, d.access, c}) })
}

// seeding is the transaction of seeds.
type seeding struct {
	ctx   context.Context //nolint:containedctx // that of the one call it is made for
	store *access
	conn  *engine.Conn
}

// Mark implements [store.Seeding].
func (x seeding) Mark(t *table) (fresh bool, err error) {
	mark := &engine.Query{Text: []byte(markSeeds), Values: [][]byte{[]byte(x.store.db.Address().Schema), []byte(x.store.tables.Load().Names.Mark(t.Entity.Key))}}
	err = x.conn.Run(mark)
	return mark.Count > 0, err
}

// Run implements [store.Seeding].
func (x seeding) Run(w *store.Write[*table], st *store.Statement) error {
	q, bound := query(w.Table, st)
	defer bound.free()
	err := x.conn.Run(q)
	if err == nil || engine.Passes(err) {
		return err
	}
	return kiterror.AsError(x.store.constraint(w.Table, w.Written, x.store.db.Public(x.ctx, err))).At(w.Table.Entity.Name, "create")
}
