package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// Prepare makes those parts of the cards that the database does not have: tables, columns that
// older rows can have, indexes, constraints that every row meets. If a change would lose data or
// cannot hold, the error is [migration.Refused], and the database is unchanged. Other errors come
// from a card that no table can follow, or from the server, its role or the URL, with the remedy
// for their operator. Tables that no card describes are left alone. One gateway at a time changes
// a database; the others wait for it. Prepare may be called again, with other cards, while the
// store is in use.
//
// Where the server cannot be reached the error is nil: calls return SERVICE_UNAVAILABLE until
// it can, and the database is prepared then.
func (s *access) Prepare(ctx context.Context, entities []*schema.Entity) error {
	return s.start(ctx, entities, catalog.SchemaChanges{}, false)
}

// start is the Prepare of [facade.Abilities].
func (s *access) start(ctx context.Context, entities []*schema.Entity, changes catalog.SchemaChanges, unchanged bool) error {
	_, err := s.Migrate(ctx, &migration.Task{Entities: entities, Changes: changes, Start: true, Unchanged: unchanged})
	return err
}

// await prepares the database as soon as it can be reached.
func (s *access) await(ctx context.Context, task *migration.Task, all *tables, err error) {
	s.db.Log().Warn("calls get SERVICE_UNAVAILABLE until the database is reached", "error", err)
	s.waiting.start(ctx, func(ctx context.Context) error {
		if _, err := s.prepare(ctx, task, all); err != nil {
			return s.operators(err)
		}
		s.db.Log().Info("the database is reached, and prepared")
		return nil
	}, func(err error) {
		if !engine.Unavailable(err) {
			s.db.Log().Error("the database cannot be prepared", "error", err)
		}
	})
}

// operators returns an error as its operator reads it.
func (s *access) operators(err error) error {
	if better := s.db.Refusal(err); better != nil {
		return better
	}
	if engine.Unavailable(err) {
		config := s.db.Address().Config
		return kiterror.Errorf(kiterror.ServiceUnavailable, "the database server at %s:%d cannot be reached; start it, or correct the address%w", config.Host, config.Port, maskedError{err})
	}
	if what := engine.Lacks(err); what != "" {
		config := s.db.Address().Config
		return fmt.Errorf("the role %s may not change the database %s (%s); let it: GRANT USAGE, CREATE ON SCHEMA %s TO %s, or run the start once as the owner of the tables",
			config.User, config.Database, what, quote(s.db.Address().Schema), quote(config.User))
	}
	return err
}

// Plan returns the plan of Migrate without a change to the database. After the plan of an unchanged task the store reads rows.
func (s *access) Plan(ctx context.Context, task *migration.Task) (*migration.Plan, error) {
	all, err := newTables(task.Entities, s.db.Address().Schema, migration.DefaultNames(naming))
	if err != nil {
		return nil, err
	}
	if err := adopt(ctx, s.db, all); err != nil {
		return nil, s.operators(err)
	}
	m := &migrator{Planner: migration.Planner{}, tables: all}
	if len(all.Order) > 0 {
		if m, err = s.compared(ctx, task, all); err != nil {
			return nil, s.operators(err)
		}
	}
	if task.Unchanged {
		s.serve(m.tables)
	}
	return &m.Plan, nil
}

// Migrate changes the tables to the form of the cards, step by step while others use the database
// (docs/migrations.md). One process at a time changes a database; the others wait for it. A
// refused step stops it before the first change: the error is [migration.Refused], and the plan is
// returned with it. A process that dies leaves steps that are whole, and the next one goes on from
// there. At a start, a server that cannot be reached is no error: it is prepared when it can be,
// and calls return SERVICE_UNAVAILABLE until then.
func (s *access) Migrate(ctx context.Context, task *migration.Task) (*migration.Plan, error) {
	if task.Physical {
		plan, err := s.Plan(ctx, task)
		if err == nil {
			err = plan.Stop(task)
		}
		if err != nil {
			return plan, err
		}
	}
	whole := &migration.Plan{}
	for _, pass := range task.Passes() {
		plan, err := s.migrate(ctx, pass)
		if plan != nil {
			whole.Join(plan)
		}
		if err != nil {
			return whole, err
		}
	}
	return whole, nil
}

// migrate is one pass of Migrate.
func (s *access) migrate(ctx context.Context, task *migration.Task) (plan *migration.Plan, err error) {
	all, err := newTables(task.Entities, s.db.Address().Schema, migration.DefaultNames(naming))
	if err != nil {
		return nil, err // nothing is written while a card cannot become a table
	}
	s.waiting.stop()
	s.late.stop()
	s.changing.Store(true)
	defer s.changing.Store(false)
	plan, err = s.prepare(ctx, task, all)
	if err == nil {
		return plan, nil
	}
	if !task.Start || !engine.Unavailable(err) || s.db.Refusal(err) != nil || ctx.Err() != nil {
		return plan, s.operators(err)
	}
	s.await(ctx, task, all, err)
	return &migration.Plan{}, nil
}

// prepare settles the tables and, for a start, fills rows that gateways with older cards write.
func (s *access) prepare(ctx context.Context, task *migration.Task, all *tables) (*migration.Plan, error) {
	m, err := s.settle(ctx, task, all)
	if m == nil {
		return nil, err
	}
	if err == nil && task.Start {
		s.late.start(ctx, task, all, m)
	}
	return &m.Plan, err
}

// settle compares and, where something is to do, takes the lease, compares again and does it.
// Then the tables are served under the names that they have. Tables that another program made are
// adopted as they are. all are the tables as they would be in an empty database.
func (s *access) settle(ctx context.Context, task *migration.Task, all *tables) (m *migrator, err error) {
	if err := adopt(ctx, s.db, all); err != nil {
		return nil, err
	}
	if len(all.Order) == 0 {
		s.serve(all)
		return &migrator{}, nil
	}
	if m, err = s.compared(ctx, task, all); err != nil {
		return nil, err
	}
	if err := m.Plan.Stop(task); err != nil {
		return m, err
	}
	if task.Start {
		if err := s.serving.enter(ctx, m.Current, func(ctx context.Context) { s.late.look(ctx, task, all, m.Current) }); err != nil {
			return nil, err
		}
	}
	fits := len(m.work) == 0 && (len(m.before.Names.Unwritten()) == 0 || task.Unchanged)
	if fits && len(m.Defined) == 0 {
		s.notices(m)
		s.serve(m.tables)
		s.current.Store(&m.Current)
		return m, nil
	}
	err = leased(ctx, s.db, "prepare "+s.db.Address().Schema, func(ctx context.Context) error {
		if m, err = s.compared(ctx, task, all); err != nil {
			return err
		}
		if err := m.Plan.Stop(task); err != nil {
			return err
		}
		return s.apply(ctx, m)
	})
	if fits && engine.Withheld(err) { // the role may not write the record of definitions, and nothing else is to do
		s.notices(m)
		err = nil
	}
	if err == nil {
		s.serve(m.tables)
		s.current.Store(&m.Current)
	}
	return m, err
}

// compared reads the catalogue and makes the plan. adopted has the tables that another program
// made.
func (s *access) compared(ctx context.Context, task *migration.Task, adopted *tables) (*migrator, error) {
	m := &migrator{Planner: migration.Planner{Task: task}, schema: s.db.Address().Schema, adopted: adopted, process: s.serving.id}
	err := s.db.Maintain(ctx, func(c *engine.Conn) error {
		m.conn = c
		defer func() { m.conn = nil }()
		return m.prepare()
	})
	return m, err
}

// notices logs the rules that the start leaves as they are.
func (s *access) notices(m *migrator) {
	for _, what := range m.Plan.Skipped {
		s.db.Log().Warn(migration.SkippedMessage, "what", what)
	}
	for _, what := range m.Plan.Notices {
		s.db.Log().Warn("the store holds something that no card describes; it is left alone", "what", what)
	}
	for _, t := range m.tables.Order {
		if t.Search != nil && !t.Search.Kept.Load() {
			s.db.Log().Warn("searches of a table are slow by rank: no columns keep its words, since the role may not add them and a trigger, or migrate is off; run frond migrate apply as the owner of the table", "table", t.Plain)
		}
	}
}

// lockTimeout is how long a change waits for those who use the table. All others that want it wait
// for the change.
const lockTimeout = "3s"

// apply does the work of a plan, and remembers it.
func (s *access) apply(ctx context.Context, m *migrator) error {
	if err := s.db.Own(ctx, "definitions", makeMigrations, makeNames, makeDefinitions); err != nil { // the last one that came
		return err
	}
	if err := s.define(ctx, m); err != nil {
		return err
	}
	err := s.db.Maintain(ctx, func(c *engine.Conn) error {
		there, err := runner{c}.Number([]byte("SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = "+literal(m.schema)), nil)
		if err == nil && there == 0 {
			err = c.Exec("CREATE SCHEMA IF NOT EXISTS " + quote(m.schema))
		}
		if err != nil && !engine.Exists(err) {
			return err
		}
		for _, entry := range m.before.Names.Unwritten() {
			if err := c.Exec(m.nameSQL(entry)); err != nil {
				return err
			}
		}
		return s.execute(ctx, c, m)
	})
	if err != nil {
		return err
	}
	if len(m.made) > 0 {
		s.db.Log().Info("the store made tables", "count", len(m.made))
	}
	s.notices(m)
	return s.record(ctx, m)
}

// The history of a database, for frond migrate status.
const (
	makeMigrations = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.migrations (schema text NOT NULL, at timestamptz NOT NULL DEFAULT now(), steps text NOT NULL)`

	writeMigration = `INSERT INTO ` + engine.Bookkeeping + `.migrations (schema, steps) VALUES ($1, $2)`

	readMigrations = `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), steps FROM ` + engine.Bookkeeping + `.migrations WHERE schema = $1 ORDER BY at DESC LIMIT `
)

// record writes the steps into the history.
func (s *access) record(ctx context.Context, m *migrator) error {
	if len(m.work) == 0 {
		return nil // names alone
	}
	steps := make([]migration.Step, len(m.work))
	for i := range m.work {
		steps[i] = m.work[i].step
	}
	text, err := migration.Record(steps)
	if err != nil {
		return err
	}
	return s.db.Once(ctx, &engine.Query{Text: []byte(writeMigration), Values: [][]byte{[]byte(m.schema), text}})
}

// History returns the migrations of the store, the latest first, at most limit of them.
func (s *access) History(ctx context.Context, limit int) (all []migration.Entry, err error) {
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		all, err = history(c, s.db.Address().Schema, limit)
		return err
	})
	return all, err
}

// history reads the migrations of a schema, the latest first.
func history(c *engine.Conn, schema string, limit int) (all []migration.Entry, err error) {
	err = c.Run(&engine.Query{Text: []byte(readMigrations + strconv.Itoa(limit)), Values: [][]byte{[]byte(schema)}, Row: func(v [][]byte) error {
		all = append(all, migration.ReadEntry(string(v[0]), v[1]))
		return nil
	}})
	if engine.Missing(err) {
		return nil, nil
	}
	return all, err
}

// statements runs one group, again where others held the table for too long.
func (s *access) statements(ctx context.Context, c *engine.Conn, w work, g group) (err error) {
	for range 10 {
		switch {
		case g.swap != nil:
			err = s.swapped(ctx, c, w, g)
		case g.concurrent:
			err = c.Exec(g.sql[0])
		default:
			err = c.Exec(strings.Join(g.script(w.table), ";\n"))
		}
		if err == nil {
			return nil
		}
		if !g.concurrent {
			_ = c.Exec("ROLLBACK") // the error at hand is the one to report
		}
		if !engine.Busy(err) {
			break
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if engine.Busy(err) {
		return fmt.Errorf("table %s: long transactions blocked it (%s, ten times); start again without them: %w", w.table.Plain, lockTimeout, err)
	}
	if code, _, _, _ := engine.Violated(err); code != "" {
		if w.index != "" { // a part of it is there, which is not valid
			_ = c.Exec("DROP INDEX CONCURRENTLY IF EXISTS " + quote(s.db.Address().Schema) + "." + quote(w.index))
		}
		step := w.step
		step.Refuse("rows that were written during the change break it", "change those rows first")
		return migration.Refused{step}
	}
	return err
}

// A lease is a row that one process holds for a while, so that one of several gateways does
// what must not be done twice at once. It is a row and not an advisory lock, which a pooler in
// transaction mode and most distributed engines do not keep (docs/decisions/postgresql.md).
const (
	makeLeases = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.lease (name text PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL)`

	takeLease = `INSERT INTO ` + engine.Bookkeeping + `.lease AS l (name, holder, until) VALUES ($1, $2, now() + interval '5 seconds')
 ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
 WHERE l.until < now() OR l.holder = excluded.holder RETURNING 1`

	dropLease = `DELETE FROM ` + engine.Bookkeeping + `.lease WHERE name = $1 AND holder = $2`
)

// leased runs do while this process holds the lease of that name. Others wait until it is
// over, or until the holder has not been heard of for five seconds.
func leased(ctx context.Context, db *engine.DB, name string, do func(context.Context) error) error {
	if err := db.Own(ctx, "lease", makeLeases); err != nil {
		return err
	}
	values := [][]byte{[]byte(name), []byte(rand.Text())}
	take := func(ctx context.Context) (bool, error) {
		q := &engine.Query{Text: []byte(takeLease), Values: values}
		err := db.Once(ctx, q)
		return q.Count == 1, err
	}
	for waited := false; ; waited = true {
		held, err := take(ctx)
		if err != nil {
			return err
		}
		if held {
			break
		}
		if !waited {
			db.Log().Info("another gateway changes the database; this one waits for it", "lease", name)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("waited for another gateway that changes the database: %w", ctx.Err())
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() { // renews it until do is over
		defer close(kept)
		for {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return
			}
			if held, err := take(ctx); err == nil && !held {
				cancel() // another process took it for dead: it works now
				return
			}
		}
	}()
	err := do(ctx)
	cancel()
	<-kept
	given, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if failed := db.Once(given, &engine.Query{Text: []byte(dropLease), Values: values}); failed != nil {
		db.Log().Warn("a lease was not given back; it ends by itself in five seconds", "lease", name, "error", failed)
	}
	return err
}
