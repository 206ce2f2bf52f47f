package sqlite

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// migrator is one run over all tables: it reads the tables of the file, compares them with those of
// the cards (package migration), and makes a step of each difference, with the function that
// executes it. Nothing changes before [migrator.apply].
type migrator struct {
	ctx    context.Context
	store  *Store
	conn   *engine.Conn
	log    *slog.Logger
	task   *migration.Task
	tables *tables // under the names of the file
	// free returns how many bytes the disk has left, -1 where that is unknown.
	free func() int64
	// holds are the tables that are there, by name in lower case; nil for one that this program
	// did not make.
	holds map[string]*found
	// present describes holds.
	present []*migration.Table

	plan migration.Plan
	work []work
	// filled are the tables with values that are computed while the plan is applied.
	filled []*table
	// tallied are the tables whose number of rows is kept, by name.
	tallied map[string]bool
	// made counts new tables; they are one line in the log, changes one each.
	made  int
	lines []string
}

// work executes one step.
type work struct {
	step migration.Step
	run  func() error
}

// migrator is a run over the tables of a task.
func (s *Store) migrator(ctx context.Context, c *engine.Conn, task *migration.Task) *migrator {
	return &migrator{ctx: ctx, store: s, conn: c, log: s.db.Log(), free: s.db.FreeDisk, task: task}
}

// prepare reads the tables of the file and makes the plan.
func (m *migrator) prepare() (err error) {
	if m.holds, err = inspect(m.conn); err != nil {
		return err
	}
	// See migrate.
	m.plan.Begin, m.plan.End = []string{"PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE"}, []string{"COMMIT", "PRAGMA foreign_keys = ON"}
	for _, name := range sortedKeys(m.holds) {
		m.present = append(m.present, m.holds[name].compared(name))
	}
	if err := m.resolve(); err != nil {
		return err
	}
	var wanted []*migration.Table
	byName := map[string]*table{}
	for _, t := range m.tables.order {
		wanted, byName[t.plain] = append(wanted, t.compared()), t
	}
	undeclared, err := m.tables.names.Undeclared(m.task, m.present, wanted, func(table, where string) (int64, error) {
		return m.number("SELECT count(*) FROM " + quote(table) + where)
	})
	if err != nil {
		return err
	}
	for _, step := range undeclared {
		m.plan.Add(step)
	}
	for _, differences := range migration.ByTable(migration.Compare(m.present, wanted)) {
		d := &differences[0]
		if d.Op == migration.CreateTable {
			m.create(byName[d.Table.Name], d)
			continue
		}
		if err := m.change(byName[d.Table.Name], d).settle(differences); err != nil {
			return err
		}
	}
	for _, name := range migration.Unknown(m.present, wanted) {
		m.plan.Notices = append(m.plan.Notices, "table "+name)
	}
	return nil
}

// number runs a statement that returns one number.
func (m *migrator) number(sql string) (int64, error) { return m.conn.Number(sql) }

// create adds the step that makes a table with its indexes, or refuses one that is there and
// that this program did not make.
func (m *migrator) create(t *table, d *migration.Difference) {
	step := d.Step()
	step.Effect = migration.Online
	if d.Was != nil {
		step.Refuse("it was not made by this program", "name another store, or rename that table")
		m.plan.Add(step)
		return
	}
	step.SQL = []string{t.sql(t.Name)}
	for _, ix := range t.indexes {
		step.SQL = append(step.SQL, t.indexSQL(ix))
	}
	m.add(step, m.statements(step.SQL))
	m.made++
}

// add appends a step with what executes it. A step that a start leaves alone, or that is
// refused, is listed and not executed.
func (m *migrator) add(step migration.Step, run func() error) {
	m.plan.Add(step)
	if m.task.Executes(&step) {
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

// list returns the first column of a statement's rows.
func (m *migrator) list(sql string) (out []string, err error) {
	st, err := m.conn.Start([]byte(sql), nil)
	if err != nil {
		return nil, err
	}
	for st.Step() {
		out = append(out, st.ColumnText(0))
	}
	return out, m.conn.Finish(st)
}
