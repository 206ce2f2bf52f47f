package sqlite

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// migrator is one run over all tables: it reads what is there, compares it with what the cards
// want (package migration), and makes a step of each difference, with what executes it. Nothing
// is changed before [migrator.apply].
type migrator struct {
	ctx    context.Context
	conn   *engine.Conn
	log    *slog.Logger
	task   *migration.Task
	tables *tables
	// free returns how many bytes the disk has left, -1 where nobody knows.
	free func() int64
	// holds are the tables that are there, by name in lower case; nil for one that this program
	// did not make.
	holds map[string]*found
	// present describes holds, under the names that renames give.
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

// newMigrator reads what the file holds.
func newMigrator(ctx context.Context, s *Store, c *engine.Conn, task *migration.Task, all *tables) (*migrator, error) {
	holds, err := inspect(c)
	if err != nil {
		return nil, err
	}
	return &migrator{ctx: ctx, conn: c, log: s.db.Log(), free: s.db.FreeDisk, task: task, tables: all, holds: holds}, nil
}

// prepare makes the plan.
func (m *migrator) prepare() error {
	var wanted []*migration.Table
	byName := map[string]*table{}
	for _, t := range m.tables.order {
		d := t.compared()
		wanted, byName[d.Name] = append(wanted, d), t
	}
	for _, name := range sortedKeys(m.holds) {
		m.present = append(m.present, m.holds[name].compared(name))
	}
	present, refused, err := migration.Rename(m.present, wanted, m.names(), func(t *migration.Table) (int64, error) {
		return m.conn.Number("SELECT count(*) FROM " + quote(t.Actual()))
	})
	if err != nil {
		return err
	}
	m.present = present
	for _, step := range refused {
		m.plan.Add(step)
	}
	for _, differences := range migration.ByTable(migration.Compare(present, wanted)) {
		d := &differences[0]
		if d.Op == migration.CreateTable {
			m.create(byName[d.Table.Name], d)
			continue
		}
		ch := &change{migrator: m, t: byName[d.Table.Name], want: d.Table, was: d.Was, from: source(d.Was), values: map[string]*filling{}}
		if err := ch.settle(differences); err != nil {
			return err
		}
	}
	for _, name := range migration.Unknown(present, wanted) {
		m.plan.Notices = append(m.plan.Notices, "table "+name)
	}
	return nil
}

// names are the renames of the task, in the names of the file.
func (m *migrator) names() (names []migration.Name) {
	for _, r := range m.task.Changes.Renamed {
		if r.Field == "" {
			names = append(names, migration.Name{Table: tableName(r.Entity), To: tableName(r.To)})
		} else {
			names = append(names, migration.Name{Table: tableName(r.Entity), Column: columnName(r.Field), To: columnName(r.To)})
		}
	}
	return names
}

// found returns a present table by the name that it has in the plan, or nil.
func (m *migrator) found(name string) *migration.Table {
	for _, t := range m.present {
		if t.Name == name {
			return t
		}
	}
	return nil
}

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
	if m.does(&step) {
		m.work = append(m.work, work{step, run})
	}
}

// does says whether the step is executed: nothing stands against it, and a start is allowed it.
func (m *migrator) does(step *migration.Step) bool {
	return !step.Refused && (!m.task.Start || step.Start == migration.Applies)
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
