package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// migrator is one run over all tables: package migration compares the tables of the file with the
// tables of the cards, and the migrator adds a function to each step that executes it. The file
// stays unchanged until [migrator.apply].
type migrator struct {
	migration.Planner
	ctx    context.Context
	store  *access
	conn   *engine.Conn
	tables *tables // under the names of the file

	work []work
	// filled are the tables with values that the plan's application computes.
	filled []*table
	// tallied are the tables whose number of rows is kept, by name.
	tallied map[string]bool
	// made counts new tables; they are one line in the log, changes one each.
	made  int
	lines []string
}

var _ migration.Database = (*migrator)(nil)

// work executes one step.
type work struct {
	step migration.Step
	run  func() error
}

// migrator is a run over the tables of a task; all are these as [access.compiled] has them.
func (s *access) migrator(ctx context.Context, c *engine.Conn, task *migration.Task, all *tables) *migrator {
	return &migrator{Planner: migration.Planner{Task: task}, ctx: ctx, store: s, conn: c, tables: all}
}

// prepare reads the tables of the file and makes the plan.
func (m *migrator) prepare() (err error) {
	// See migrate.
	m.Plan.Begin, m.Plan.End = []string{"PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE"}, []string{"COMMIT", "PRAGMA foreign_keys = ON"}
	if m.Present, err = inspect(m.conn); err != nil {
		return err
	}
	return m.Make(m, naming)
}

// Compile implements [migration.Database].
func (m *migrator) Compile(names *migration.Names) (err error) {
	m.tables.Names = names
	if slices.ContainsFunc(m.tables.Order, func(t *table) bool { return !t.isCalled(names) }) {
		m.tables, err = newTables(m.store.db, m.Task.Entities, names)
	}
	return err
}

// Plain implements [migration.Database].
func (m *migrator) Plain() []*migration.Table { return m.Wanted() }

// Wanted implements [migration.Database].
func (m *migrator) Wanted() (all []*migration.Table) {
	for _, t := range m.tables.Order {
		all = append(all, t.described())
	}
	return all
}

// Served implements [migration.Database]: one process serves a file.
func (*migrator) Served() ([]map[string]string, error) { return nil, nil }

// Accept implements [migration.Database].
func (m *migrator) Accept(d *migration.Difference) {
	for _, c := range m.tables.ByName[d.Table.Name].columns {
		if d.Column != nil && c.Plain == d.Column.Name {
			d.Keep(&c.def)
			c.NotNull = c.def.NotNull
		}
	}
}

// Settle implements [migration.Database]. Every column keeps its name.
func (m *migrator) Settle([]migration.Difference) (*migration.Names, error) {
	return m.tables.Names, nil
}

// Adopted implements [migration.Database].
func (*migrator) Adopted(string) bool { return false }

// Qualified implements [migration.Database].
func (*migrator) Qualified(name string) string { return quote(name) }

// Number implements [migration.Database].
func (m *migrator) Number(sql string) (int64, error) { return m.conn.Number(sql) }

// Create implements [migration.Database]: it adds the step that makes a table with its indexes, or
// refuses one that is there and that this program did not make.
func (m *migrator) Create(d *migration.Difference) {
	t := m.tables.ByName[d.Table.Name]
	step := d.Step()
	step.Effect = migration.Online
	if d.Was != nil {
		step.Refuse("it was not made by this program", "name another store, or rename that table")
		m.Plan.Add(step)
		return
	}
	step.SQL = []string{t.sql(t.Name)}
	for i := range t.Indexes {
		step.SQL = append(step.SQL, t.indexSQL(&t.Indexes[i]))
	}
	if t.Search != nil {
		step.SQL = append(step.SQL, createSearch(&t.Table)...)
	}
	m.add(step, m.statements(step.SQL))
	m.made++
}

// add appends a step with what executes it. A step that a start leaves alone, or that is
// refused, is listed and not executed.
func (m *migrator) add(step migration.Step, run func() error) {
	m.Plan.Add(step)
	if m.Task.Executes(&step) {
		m.work = append(m.work, work{step, run})
	}
}

// statements executes SQL.
func (m *migrator) statements(list []string) func() error {
	return func() error {
		for _, sql := range list {
			if err := m.conn.Once(sql); err != nil {
				return err
			}
		}
		return nil
	}
}

// note keeps a line for the log; it is written after the commit.
func (m *migrator) note(format string, args ...any) {
	m.lines = append(m.lines, fmt.Sprintf(format, args...))
}

// List implements [migration.Database]: it returns the first column of a statement's rows.
func (m *migrator) List(sql string) (out []string, err error) {
	err = m.conn.Each(func(st *engine.Stmt) { out = append(out, st.ColumnText(0)) }, sql)
	return out, err
}
