package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Prepare makes or changes the tables of entities as a start does: in one transaction it
// applies the changes that the cards need and that keep every value. If the cards need more,
// the error is [migration.Refused], and the database is unchanged. Other errors come from the
// database, or from a card that no table can follow. Views and entities without a primary key
// have no table. Tables and columns that no card describes are left alone. Prepare may be
// called again, with other cards, while the store is in use: writes wait for it, and reads that
// began before it keep their tables.
func (s *access) Prepare(ctx context.Context, entities []*schema.Entity) error {
	return s.start(ctx, entities, catalog.SchemaChanges{}, false)
}

// start is the Prepare of [facade.Abilities].
func (s *access) start(ctx context.Context, entities []*schema.Entity, changes catalog.SchemaChanges, unchanged bool) error {
	_, err := s.Migrate(ctx, &migration.Task{Entities: entities, Changes: changes, Start: true, Unchanged: unchanged})
	return err
}

// Plan returns the plan of Migrate without a change to the database. After the plan of an unchanged task the store reads rows.
func (s *access) Plan(ctx context.Context, task *migration.Task) (plan *migration.Plan, err error) {
	all, err := s.compiled(ctx, task.Entities)
	if err != nil {
		return nil, err
	}
	if all.Foreign != nil { // another program's tables are served as they are
		if task.Unchanged {
			s.tables.Store(all)
		}
		return &migration.Plan{}, nil
	}
	err = s.db.Write(&engine.Op{Ctx: ctx, Alone: true, Run: func(c *engine.Conn) error {
		m := s.migrator(ctx, c, task, all)
		err := failure(m.prepare())
		if plan = &m.Plan; err == nil && task.Unchanged {
			s.tables.Store(m.tables)
		}
		return err
	}})
	return plan, err
}

// Migrate changes the tables to the form of the cards: it applies all steps of the plan in one
// transaction. A process that dies in the middle leaves the file as it was. If steps are refused,
// the error is [migration.Refused], and the plan is returned with it. The plan of a start has only
// the applied steps.
func (s *access) Migrate(ctx context.Context, task *migration.Task) (plan *migration.Plan, err error) {
	all, err := s.compiled(ctx, task.Entities)
	if err != nil {
		return nil, err
	}
	if all.Foreign != nil {
		s.tables.Store(all)
		return &migration.Plan{}, nil
	}
	s.changing.Store(true)
	defer s.changing.Store(false)
	err = s.db.Write(&engine.Op{Ctx: ctx, Alone: true, Run: func(c *engine.Conn) error {
		m, steps, err := s.migrate(ctx, c, task, all)
		if plan = steps; err == nil {
			s.tables.Store(m.tables)
			s.older.Store(m.Older)
		}
		return err
	}})
	return plan, err
}

// compiled compiles the tables of the entities that have one, under the names of a database
// without tables. The error has the faults of all cards that no table can follow: the author
// reads them before anything is written.
func (s *access) compiled(ctx context.Context, entities []*schema.Entity) (*tables, error) {
	all, err := newTables(s.db, entities, migration.DefaultNames(naming))
	if err != nil || !s.db.Foreign() {
		return all, err
	}
	var found *dbschema.Database
	err = s.db.Read(ctx, func(c *engine.Conn) (err error) {
		found, err = describe(c, func(*dbschema.Table) bool { return false })
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, all.Adopt(found)
}

// migrate runs on the writer, outside a transaction: a table can only be rebuilt while foreign keys
// are not enforced, and a transaction ignores PRAGMA foreign_keys. It writes its log lines after
// the commit, and returns the last migrator with the steps of all passes.
func (s *access) migrate(ctx context.Context, c *engine.Conn, task *migration.Task, all *tables) (m *migrator, plan *migration.Plan, err error) {
	plan = &migration.Plan{}
	if err := c.Once("PRAGMA foreign_keys = OFF"); err != nil {
		return nil, plan, failure(err)
	}
	defer func() { err = errors.Join(err, c.Once("PRAGMA foreign_keys = ON")) }()
	if tempFiles() { // the sort of an index would take the memory of all its keys
		if err := c.Once("PRAGMA temp_store = FILE"); err != nil {
			return nil, plan, failure(err)
		}
		defer func() { err = errors.Join(err, c.Once("PRAGMA temp_store = MEMORY")) }()
	}
	var made int
	var lines []string
	err = c.InTransaction(func(*engine.Conn) error {
		return c.Until(ctx, func() error {
			for _, pass := range task.Passes() {
				m = s.migrator(ctx, c, pass, all)
				err := m.prepare()
				plan.Join(&m.Plan)
				if err == nil {
					err = m.apply()
				}
				if err != nil {
					return err
				}
				made, lines = made+m.made, append(lines, m.lines...)
			}
			return nil
		})
	})
	if err != nil && ctx.Err() != nil {
		return nil, plan, fmt.Errorf("the change was stopped, and the store is unchanged: %w", ctx.Err())
	}
	if err != nil {
		return nil, plan, failure(err)
	}
	if made > 0 {
		s.db.Log().Info("the store made tables", "count", made)
	}
	for _, line := range lines {
		s.db.Log().Info("the store changed", "step", line)
	}
	for _, line := range m.Plan.Skipped {
		s.db.Log().Warn(migration.SkippedMessage, "what", line)
	}
	for _, line := range m.Plan.Notices {
		s.db.Log().Warn("the store holds something that no card describes; it is left alone", "what", line)
	}
	return m, plan, nil
}

// tempFiles reports whether SQLite can make temporary files: the file system of a container may be read-only.
func tempFiles() bool {
	f, err := os.CreateTemp(os.Getenv("SQLITE_TMPDIR"), "frond-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// failure returns the error of a migration as it leaves the store.
func failure(err error) error {
	var refused migration.Refused
	if err != nil && !errors.As(err, &refused) && engine.Unavailable(err) {
		return engine.Public(context.Background(), err)
	}
	return err
}

// apply executes the plan, in a transaction.
func (m *migrator) apply() error {
	if err := m.Plan.Stop(m.Task); err != nil {
		return err
	}
	if err := m.write(); err != nil {
		return err
	}
	if err := m.define(); err != nil {
		return err
	}
	if err := m.tallies(); err != nil {
		return err
	}
	if err := m.execute(); err != nil {
		return err
	}
	if err := m.broken(); err != nil {
		return err
	}
	for _, t := range m.tables.Order {
		if err := m.tally(t); err != nil {
			return err
		}
		if err := m.search(t); err != nil {
			return err
		}
	}
	return m.record()
}

// execute takes the steps.
func (m *migrator) execute() (err error) {
	large := m.made == len(m.work) && m.made > fewTables
	if large {
		defer func() { err = errors.Join(err, m.conn.Once("PRAGMA writable_schema = OFF")) }()
	}
	for i, w := range m.work {
		if large && i%fewTables == 0 {
			sql := shrinkSchema
			if i == 0 {
				sql = beginLarge
			}
			if err := m.conn.Once(sql); err != nil {
				return err
			}
		}
		if err := w.run(); err != nil {
			if errors.Is(err, sqlite3.CONSTRAINT) {
				// Each column was checked before; this error comes from two columns together,
				// or from a computed value.
				step := w.step
				step.Refuse("some rows break a constraint", "change those rows first")
				return migration.Refused{step}
			}
			return err
		}
	}
	if large {
		return m.conn.Once(endLarge)
	}
	return nil
}

// SQLite reads the whole of sqlite_schema, without an index, after each CREATE: the time of n of them grows as n². So a migration that
// makes many tables, and changes no other, keeps the rows of those that it has made in a temporary table until the last one is
// made. SQLite itself has their form in memory then. It is a part of the transaction, so that no other connection sees it, and a
// process that ends leaves the file as it was.
const (
	fewTables = 100

	heldSchema   = `temp."` + ownPrefix + `schema"`
	beginLarge   = `PRAGMA writable_schema = ON; CREATE TABLE ` + heldSchema + ` (at INTEGER PRIMARY KEY, type, name, tbl_name, rootpage, sql); ` + shrinkSchema
	shrinkSchema = `INSERT INTO ` + heldSchema + ` (type, name, tbl_name, rootpage, sql) SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_schema ORDER BY rowid; DELETE FROM main.sqlite_schema`
	endLarge     = shrinkSchema + `; INSERT INTO main.sqlite_schema (type, name, tbl_name, rootpage, sql) SELECT type, name, tbl_name, rootpage, sql FROM ` + heldSchema + ` ORDER BY at; DROP TABLE ` + heldSchema
)

// broken refuses foreign keys that a computed value has broken; the others were looked at when
// the plan was made.
func (m *migrator) broken() error {
	for _, t := range m.filled {
		bad, err := m.conn.Number("SELECT count(*) FROM pragma_foreign_key_check(?)", sqltext.TextValue(t.Plain))
		if err != nil {
			return err
		}
		if bad > 0 {
			step := migration.Step{Op: migration.AddForeignKey, Entity: t.Entity.Name, Table: t.Plain, Does: "hold its relations"}
			step.Refuse(migration.Count(bad, "%d row points at none with the value that was computed for it", "%d rows point at none with the values that were computed for them"), "correct values in frond.yaml")
			return migration.Refused{step}
		}
	}
	return nil
}

// historyTable keeps the applied migrations, for frond migrate status.
const historyTable = ownPrefix + "migrations"

// record writes the applied steps into the history. A plan without steps leaves no line.
func (m *migrator) record() error {
	if len(m.work) == 0 {
		return nil
	}
	if err := m.conn.Once(`CREATE TABLE IF NOT EXISTS "` + historyTable + `" (at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, steps TEXT NOT NULL) STRICT`); err != nil {
		return err
	}
	text, err := migration.Record(m.Plan.Steps)
	if err != nil {
		return err
	}
	return m.conn.Exec(`INSERT INTO "`+historyTable+`" (steps) VALUES (?)`, sqltext.TextValue(string(text)))
}

// History returns the migrations of the store, the latest first, at most limit of them.
func (s *access) History(ctx context.Context, limit int) (all []migration.Entry, err error) {
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		all, err = history(c, limit)
		return err
	})
	return all, err
}

// history reads the migrations of a file, the latest first.
func history(c *engine.Conn, limit int) (all []migration.Entry, err error) {
	err = eachOwn(c, historyTable, func(st *engine.Stmt) {
		all = append(all, migration.ReadEntry(st.ColumnText(0), []byte(st.ColumnText(1))))
	}, `SELECT replace(at, ' ', 'T') || 'Z', steps FROM "`+historyTable+`" ORDER BY rowid DESC LIMIT ?`, sqltext.IntValue(int64(limit)))
	return all, err
}
