package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// migrator is the plan of one database: package migration compares the catalogue with the cards, and
// the migrator adds the work of each step. It does not change the database.
type migrator struct {
	migration.Planner
	conn   *engine.Conn
	schema string
	// process is the entry of this process in the record of gateways.
	process string
	// have has the tables of the database in the form of the catalogue.
	have map[string]*present
	// adopted has the tables of another program that entities are mapped to. before has those and
	// the tables of the task under the names that the database has; tables has them under the names
	// after the plan: a column whose type changes is another column then, which moved has the entry
	// of the ledger of.
	adopted, before, tables *tables
	moved                   map[*schema.Property]migration.Called

	work []work
	// later are the steps on foreign keys and indexes, when every table and column is there. last drop
	// searches, when those that take their place are there.
	later, last []pending
	// unfilled are columns that may be null while gateways with other cards serve, each with the group that fills it.
	unfilled []work
	// made are the new tables; they are one line in the log, changes one each.
	made map[string]bool
}

var _ migration.Database = (*migrator)(nil)

// pending is a step with its work, before it is part of the plan.
type pending struct {
	step migration.Step
	work work
}

// work executes one step.
type work struct {
	step  migration.Step
	table *table
	// groups are the statements: each group is one transaction. A group of one that is
	// concurrent runs outside of any.
	groups []group
	// index is the name of an index to build concurrently, and to remove after a failure.
	index string
	// fresh says that the step concerns tables alone that the plan makes.
	fresh bool
}

// group is some statements of a work, or values that the program computes.
type group struct {
	sql []string
	// concurrent says that the statement runs outside of a transaction.
	concurrent bool
	// fill is computed instead; swap ends what one has begun, see [Store.swapped].
	fill, swap *filling
	// again says that the values belong to rows of later writes.
	again bool
	// keep has the trigger of the search write its words instead, see [access.keepAll].
	keep bool
	// undo removes the rests of a rule whose group has failed, or is "".
	undo string
}

// one is a group of statements that are one transaction.
func one(sql ...string) group { return group{sql: sql} }

// script are the statements of a group as they are run. Those that compute values are a comment:
// the program binds values to them.
func (g group) script(t *table) []string {
	switch {
	case g.again:
		return []string{"/* the rows that were written since: " + g.fill.script(t) + " */"}
	case g.fill != nil:
		return []string{"/* " + g.fill.script(t) + " */"}
	case g.keep:
		return []string{fmt.Sprintf("/* the trigger writes the words of all rows, %d at a time:\n%s;\n%s */", batch, t.keepBatch(true), t.settleWords())}
	case g.concurrent:
		return g.sql
	}
	begin := g.begin(t)
	if g.swap != nil {
		begin = append(begin, "/* the rows that were written since: "+g.swap.script(t)+" */")
	}
	return slices.Concat(begin, g.sql, []string{"COMMIT"})
}

// begin are the statements that begin the transaction of a group.
func (g group) begin(t *table) []string {
	sql := []string{"BEGIN", "SET LOCAL lock_timeout = '" + lockTimeout + "'"}
	if g.swap != nil {
		sql = append(sql, "LOCK TABLE "+t.Name+" IN ACCESS EXCLUSIVE MODE")
	}
	return sql
}

// concurrently is a statement that runs outside of any transaction.
func concurrently(sql string) group { return group{sql: []string{sql}, concurrent: true} }

// prepare reads the catalogue and makes the plan.
func (m *migrator) prepare() (err error) {
	if m.have, err = inspect(m.conn, m.schema); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.have)) {
		m.Present = append(m.Present, m.have[name].described())
	}
	if err := m.Make(m, naming); err != nil {
		return err
	}
	for i := range m.Awaited {
		d := &m.Awaited[i]
		t := m.before.ByName[d.Table.Name]
		c := t.byName(d.Column.Name)
		if f := m.Late(d, t.Entity, m.before.Names); f != nil {
			m.unfilled = append(m.unfilled, work{table: t, groups: []group{{fill: &filling{Filling: f, column: c, to: c.Plain}}}})
		}
	}
	for _, p := range append(m.later, m.last...) {
		if p.step.Op == migration.AddForeignKey && m.made[p.step.Table] {
			p.work.fresh = m.made[p.work.table.byName(p.step.Column).def.References.Table]
		}
		m.add(p.step, p.work)
	}
	return nil
}

// Compile implements [migration.Database]. The error names the tables that the role may not read.
func (m *migrator) Compile(names *migration.Names) (err error) {
	if m.before, err = m.compile(names); err != nil {
		return err
	}
	m.tables = m.before
	var unreadable []string
	for _, t := range m.before.Order {
		if p := m.have[t.Plain]; p != nil && p.unreadable {
			unreadable = append(unreadable, m.Qualified(t.Plain))
		}
	}
	if len(unreadable) > 0 {
		return fmt.Errorf("the role of the connection may not read %[1]s; let it: GRANT SELECT ON %[1]s", strings.Join(unreadable, ", "))
	}
	return nil
}

// Wanted implements [migration.Database].
func (m *migrator) Wanted() []*migration.Table { return describedAll(m.before) }

// describedAll returns tables as package migration compares them.
func describedAll(t *tables) (all []*migration.Table) {
	for _, one := range t.Order {
		all = append(all, one.described())
	}
	return all
}

// mayNotKeep lists the tables of a schema to which the role cannot add columns and a trigger, and "" without
// plpgsql.
const mayNotKeep = `SELECT '' WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_language WHERE lanname = 'plpgsql' AND pg_catalog.has_language_privilege(oid, 'USAGE'))
UNION ALL SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT (pg_catalog.pg_has_role(c.relowner, 'USAGE') AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')) AND n.nspname = `

// keepWords decides which searches have their words kept: where all of them are, or the role can make the columns and a
// start may change the tables.
func (m *migrator) keepWords(all *tables) error {
	fixed, listed := []string(nil), false // the tables that the role cannot change
	for _, t := range all.Order {
		p := m.have[t.Plain]
		if t.Search == nil || p != nil && p.indexes[t.Search.Name].valid {
			continue
		}
		if !listed {
			var err error
			if fixed, err = m.List(mayNotKeep + literal(m.schema)); err != nil {
				return err
			}
			listed = true
		}
		if m.Task.Unchanged || slices.Contains(fixed, "") || slices.Contains(fixed, t.Plain) {
			t.useSearch(false)
		}
	}
	return nil
}

// Adopted implements [migration.Database]: a table of the bookkeeping, or one that an entity is
// mapped to.
func (m *migrator) Adopted(table string) bool {
	kept := m.schema == engine.Bookkeeping && m.before.ByName[table] == nil && slices.Contains(engine.BookkeepingTables, table)
	mapped := m.adopted.ByName[table]
	return kept || mapped != nil && !store.Own(mapped.Entity)
}

// Create implements [migration.Database]: it adds the step that makes a table, and the later ones of
// its foreign keys; or it refuses another relation of that name.
func (m *migrator) Create(d *migration.Difference) {
	t := m.before.ByName[d.Table.Name]
	step := d.Step()
	step.Effect = migration.Online
	if d.Was != nil {
		reason, remedy := "it is a view or a foreign table", "rename it, or name another schema with ?schema= in the store's URL"
		if p := m.have[d.Was.Name]; p.kind == "r" || p.kind == "p" {
			step.Does, step.Column = "make "+t.Primary.Plain+" the primary key", t.Primary.Plain
			reason, remedy = "the table has the primary key "+strings.Join(p.primary, ", "), "keep the primary key, or move the rows to a new table"
			if len(p.primary) == 0 {
				reason = "the table has no primary key"
			}
		}
		step.Refuse(reason, remedy)
		m.Plan.Add(step)
		return
	}
	m.add(step, work{table: t, groups: []group{one(t.create()...)}, fresh: true})
	if m.made == nil {
		m.made = map[string]bool{}
	}
	m.made[t.Plain] = true
	for _, c := range t.columns {
		if c.refs == nil {
			continue
		}
		m.addLater(migration.Step{Entity: t.Entity.Name, Field: c.Prop.Name, Table: t.Plain, Column: c.Plain, Effect: migration.Online}, t, c)
	}
}

// addLater adds the step of the foreign key of a column that is new, as s is.
func (m *migrator) addLater(s migration.Step, t *table, c *column) {
	s.Op, s.Does, s.Start = migration.AddForeignKey, "hold the relation to "+c.def.References.Table, migration.Applies
	m.later = append(m.later, pending{s, work{table: t, groups: []group{
		one(t.addReference(c, m.schema) + " NOT VALID"), one(t.validate(c.constraint(references))),
	}}})
}

// add appends a step with its work. A step that a start leaves alone, and a refused one, is
// listed and not executed.
func (m *migrator) add(step migration.Step, w work) {
	for _, g := range w.groups {
		step.SQL = append(step.SQL, g.script(w.table)...)
	}
	m.Plan.Add(step)
	if !m.Task.Executes(&step) || len(w.groups) == 0 {
		if step.Start == migration.Leaves && m.Task.Start {
			m.Plan.Notices = append(m.Plan.Notices, step.Where()+" ("+step.Does+")")
		}
		return
	}
	w.step = step
	m.work = append(m.work, w)
}

// Qualified implements [migration.Database]: it is a table's name as SQL has it.
func (m *migrator) Qualified(name string) string { return quote(m.schema) + "." + quote(name) }

// Number implements [migration.Database]: it runs a statement that returns one number.
func (m *migrator) Number(sql string) (n int64, err error) {
	return runner{m.conn}.Number([]byte(sql), nil)
}

// List implements [migration.Database]: it returns the first column of a statement's rows.
func (m *migrator) List(sql string) (out []string, err error) {
	err = m.conn.Run(&engine.Query{Text: []byte(sql), Row: func(v [][]byte) error {
		out = append(out, string(v[0]))
		return nil
	}})
	return out, err
}

// together is how many steps on new tables are one transaction at most: it holds some ten locks for
// each, and a server has thousands for all its connections.
const together = 50

// execute does the work of a plan. Each transaction is short; the next plan finds the finished
// steps done. Steps on new tables share transactions; after a failure each has its own.
func (s *access) execute(ctx context.Context, c *engine.Conn, m *migrator) error {
	for rest := m.work; len(rest) > 0; {
		n := 1
		for n < min(len(rest), together) && rest[n-1].fresh && rest[n].fresh {
			n++
		}
		now := rest[:n]
		rest = rest[n:]
		if n > 1 && shared(c, now) {
			continue
		}
		for _, w := range now {
			if err := s.work(ctx, c, m, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// shared executes steps in one transaction, and reports whether they are done.
func shared(c *engine.Conn, all []work) bool {
	sql := group{}.begin(nil)
	for _, w := range all {
		for _, g := range w.groups {
			sql = append(sql, g.sql...)
		}
	}
	if c.Exec(strings.Join(append(sql, "COMMIT"), ";\n")) == nil {
		return true
	}
	_ = c.Exec("ROLLBACK") // the steps by themselves report the error
	return false
}

// work executes a step, each group by itself.
func (s *access) work(ctx context.Context, c *engine.Conn, m *migrator, w work) (err error) {
	for _, g := range w.groups {
		switch {
		case g.fill != nil:
			err = s.fill(ctx, c, w, g.fill, s.progress(m.Task, w, g.fill.column.Plain))
		case g.keep:
			err = s.keepAll(ctx, c, w.table, s.progress(m.Task, w, w.index))
		default:
			err = s.statements(ctx, c, w, g)
		}
		if err != nil && g.undo != "" {
			_ = c.Exec(g.undo) // the error at hand is the one to report
		}
		if err != nil {
			return err
		}
	}
	if w.step.Op != migration.CreateTable {
		s.db.Log().Info("the store changed", "step", w.step.Where()+": "+w.step.Does)
	}
	return nil
}

// The ledger of names: what cards have called a table, or a column of it ("" for the table
// itself), parted by spaces, the name of now last.
const (
	makeNames = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.names (schema text, "table" text, "column" text, called text NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (schema, "table", "column"))`

	readNames = `SELECT "table", "column", called, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM ` + engine.Bookkeeping + `.names WHERE schema = $1 ORDER BY at, "table", "column"`
)

// readWritten says whether the ledger was ever written. Every role may ask for the size of a table.
const readWritten = `SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '` + engine.Bookkeeping + `' AND c.relname = 'names' AND pg_catalog.pg_relation_size(c.oid) > 0`

// Plain implements [migration.Database].
func (m *migrator) Plain() []*migration.Table { return describedAll(m.adopted) }

// Served implements [migration.Database].
func (m *migrator) Served() ([]map[string]string, error) {
	return readOthers(m.conn, m.schema, m.process)
}

// Accept implements [migration.Database].
func (m *migrator) Accept(d *migration.Difference) {
	for _, all := range []*tables{m.before, m.tables} {
		for _, c := range all.ByName[d.Table.Name].columns {
			if d.Column != nil && c.Plain == d.Column.Name {
				d.Keep(&c.def)
				c.NotNull = c.def.NotNull
			}
		}
	}
}

// Rename implements [migration.Database].
func (m *migrator) Rename(r *migration.Renaming) {
	m.add(r.Step, work{table: m.before.ByName[r.Table], groups: []group{one(m.nameSQL(r.Entry))}})
}

// History implements [migration.Database].
func (m *migrator) History(most int) ([]migration.Entry, error) {
	return history(m.conn, m.schema, most)
}

// Settle implements [migration.Database]. It gives each column whose type changes the name of a new
// one: a program that runs with the older cards finds no column of that name, and neither reads nor
// writes values of another type.
func (m *migrator) Settle(all []migration.Difference) (names *migration.Names, err error) {
	m.tables, m.moved = m.before, map[*schema.Property]migration.Called{}
	names = m.before.Names
	for _, d := range all {
		if d.Op != migration.ChangeType || d.Column.Primary {
			continue
		}
		p := m.before.ByName[d.Table.Name].byName(d.Column.Name).Prop
		names, m.moved[p] = names.Move(p.Owner.Key, p.Name)
	}
	if len(m.moved) == 0 {
		return names, nil
	}
	m.tables, err = m.compile(names)
	return names, err
}

// compile compiles the tables of the task under the names, beside another program's tables.
func (m *migrator) compile(names *migration.Names) (*tables, error) {
	all, err := newTables(m.Task.Entities, m.schema, names)
	if err != nil {
		return nil, err
	}
	all.Take(m.adopted)
	return all, m.keepWords(all)
}

// Ledger implements [migration.Database]. A role that may not read it works without it while it is
// empty: every table has the name of its entity then.
func (m *migrator) Ledger() (all []migration.Called, err error) {
	err = m.conn.Run(&engine.Query{Text: []byte(readNames), Values: [][]byte{[]byte(m.schema)}, Row: func(v [][]byte) error {
		all = append(all, migration.ReadCalled(string(v[0]), string(v[1]), string(v[2]), string(v[3])))
		return nil
	}})
	if engine.Missing(err) {
		return nil, nil
	}
	if engine.Lacks(err) == "" {
		return all, err
	}
	written, err := m.Number(readWritten)
	if err == nil && written > 0 {
		err = fmt.Errorf("the role of the connection may not read %[1]s.names; let it: GRANT USAGE ON SCHEMA %[1]s and GRANT SELECT ON %[1]s.names", engine.Bookkeeping)
	}
	return nil, err
}

// nameSQL writes an entry of the ledger.
func (m *migrator) nameSQL(c migration.Called) string {
	return "INSERT INTO " + engine.Bookkeeping + `.names (schema, "table", "column", called) VALUES (` +
		literal(m.schema) + ", " + literal(c.Table) + ", " + literal(c.Column) + ", " + literal(c.Text()) +
		`) ON CONFLICT (schema, "table", "column") DO UPDATE SET called = excluded.called, at = now()`
}

// forgetSQL removes the entry of a dropped column.
func (ch *change) forgetSQL(column string) string {
	return "DELETE FROM " + engine.Bookkeeping + ".names WHERE schema = " + literal(ch.m.schema) + ` AND "table" = ` + literal(ch.Was.Name) + ` AND "column" = ` + literal(column)
}
