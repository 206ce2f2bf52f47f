package sqlite

import (
	"context"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// seedsTable names the entities whose seeds the store has had (docs/decisions/sqlite.md). A mark
// stays when the rows are deleted, so that they do not come back at the next start.
const seedsTable = ownPrefix + "seeds"

// makeSeeds makes it on first use, in the transaction of the seeds.
const makeSeeds = `CREATE TABLE IF NOT EXISTS "` + seedsTable + `" (entity TEXT PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT`

// Seeded says which of entities have had their seeds in this store's life, whether or not the
// rows are still there. A store without the table has had no seeds; Seeded does not make the
// table.
func (s *access) Seeded(ctx context.Context, entities []*schema.Entity) (done map[*schema.Entity]bool, err error) {
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		done = map[*schema.Entity]bool{}
		there, err := has(c, seedsTable)
		if err != nil || !there {
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
func (s *access) seeded(c *engine.Conn, e *schema.Entity) (bool, error) {
	n, err := c.Number(`SELECT count(*) FROM "`+seedsTable+`" WHERE entity = ?`, sqltext.TextValue(s.tables.Load().Names.Mark(e.Key)))
	return n > 0, err
}

// Seed implements [store.DB].
func (d database) Seed(ctx context.Context, all []*store.Write[*table], do func(store.Seeding[*table]) error) error {
	x := &seeding{store: d.access}
	return d.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			x.conn = c
			if err := c.Exec(makeSeeds); err != nil {
				return err
			}
			return do(x)
		},
		Blame: func(c *engine.Conn, err error) error {
			for _, w := range all { // a relation that leads nowhere may stand in any of them
				if found := d.blameWrite(c, w.Table, w.Written, err); found != err { //nolint:errorlint // the same error means that nothing was found
					return kiterror.AsError(found).At(w.Table.Entity.Name, "create")
				}
			}
			if x.last == nil {
				return err
			}
			return kiterror.AsError(err).At(x.last.Entity.Name, "create")
		},
	})
}

// seeding is the transaction of seeds.
type seeding struct {
	store *access
	conn  *engine.Conn
	last  *table // whose statement ran last; nil: none has
}

// Mark implements [store.Seeding].
func (x *seeding) Mark(t *table) (fresh bool, err error) {
	done, err := x.store.seeded(x.conn, t.Entity)
	if err != nil || done {
		return false, err
	}
	return true, x.conn.Exec(`INSERT INTO "`+seedsTable+`" (entity) VALUES (?)`, sqltext.TextValue(x.store.tables.Load().Names.Mark(t.Entity.Key)))
}

// Run implements [store.Seeding].
func (x *seeding) Run(w *store.Write[*table], st *store.Statement) error {
	x.last = w.Table
	if err := run(x.conn, w.Table, st); err != nil {
		return kiterror.AsError(x.store.constraint(w.Table, err)).At(w.Table.Entity.Name, "create")
	}
	return nil
}
