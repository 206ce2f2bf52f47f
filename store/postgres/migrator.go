package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// migrator compares the cards with the database and makes the plan. Nothing is changed here.
type migrator struct {
	conn   *engine.Conn
	schema string
	task   *migration.Task
	// present describes the tables of the database; have has them in the form of the catalogue.
	present []*migration.Table
	have    map[string]*present
	// adopted has the tables of another program that entities are mapped to. before has those and
	// the tables of the task under the names that the database has; tables has them under the names
	// after the plan: a column whose type changes is another column then.
	adopted, before, tables *tables

	plan migration.Plan
	work []work
	// later are the steps on foreign keys and indexes, when every table and column is there.
	later []pending
	// made counts new tables; they are one line in the log, changes one each.
	made int
}

// pending is a step with its work, before it is part of the plan.
type pending struct {
	step migration.Step
	work work
}

// work executes one step.
type work struct {
	step  migration.Step
	table *table
	// groups are the statements: those of one group are one transaction. A group of one that
	// is concurrent runs outside of any.
	groups []group
	// index is the name of an index that is built concurrently, to remove it after a failure.
	index string
}

// group is some statements of a work, or values that the program computes.
type group struct {
	sql []string
	// concurrent says that the statement runs outside of a transaction.
	concurrent bool
	// fill is computed instead; swap ends what one has begun, see [Store.swapped].
	fill, swap *filling
}

// one is a group of statements that are one transaction.
func one(sql ...string) group { return group{sql: sql} }

// script are the statements of a group as they are run. Those that compute values are a comment:
// the program binds values to them.
func (g group) script(t *table) []string {
	switch {
	case g.fill != nil:
		return []string{"/* " + g.fill.script(t) + " */"}
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
		m.present = append(m.present, m.have[name].compared())
	}
	if err := m.resolve(); err != nil {
		return err
	}
	wanted, byName, err := m.wanted()
	if err != nil {
		return err
	}
	all := migration.Compare(m.present, wanted)
	moved, err := m.move(all, byName)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(slices.Clone(m.present), func(t *migration.Table) bool {
		kept := m.schema == engine.Bookkeeping && byName[t.Name] == nil && slices.Contains(engine.BookkeepingTables, t.Name)
		return kept || m.adopted.byName[t.Name] != nil
	})
	undeclared, err := m.tables.names.Undeclared(m.task, own, wanted, func(table, where string) (int64, error) {
		return m.number("SELECT count(*) FROM " + m.qualified(table) + where)
	})
	if err != nil {
		return err
	}
	for _, step := range undeclared {
		m.plan.Add(step)
	}
	for _, differences := range migration.ByTable(all) {
		d := &differences[0]
		t := byName[d.Table.Name]
		if d.Op == migration.CreateTable {
			m.create(t, d)
			continue
		}
		if err := m.change(t, d, moved).settle(differences); err != nil {
			return err
		}
	}
	for _, p := range m.later {
		m.add(p.step, p.work)
	}
	for _, name := range migration.Unknown(own, wanted) {
		if m.before.byName[name] == nil {
			m.plan.Notices = append(m.plan.Notices, "table "+name)
		}
	}
	return nil
}

// wanted returns the tables of the cards, and the same by name. The error names those that the
// role may not read.
func (m *migrator) wanted() (all []*migration.Table, byName map[string]*table, err error) {
	var unreadable []string
	byName = map[string]*table{}
	for _, t := range m.before.order {
		all, byName[t.plain] = append(all, t.compared()), t
		if p := m.have[t.plain]; p != nil && p.unreadable {
			unreadable = append(unreadable, m.qualified(t.plain))
		}
	}
	if len(unreadable) > 0 {
		return nil, nil, fmt.Errorf("the role of the connection may not read %[1]s; let it: GRANT SELECT ON %[1]s", strings.Join(unreadable, ", "))
	}
	return all, byName, nil
}

// create adds the step that makes a table, and the later ones of its foreign keys; or it refuses
// another relation of that name.
func (m *migrator) create(t *table, d *migration.Difference) {
	step := d.Step()
	step.Effect = migration.Online
	if d.Was != nil {
		reason, remedy := "it is a view or a foreign table", "rename it, or name another schema with ?schema= in the store's URL"
		if p := m.have[d.Was.Name]; p.kind == "r" || p.kind == "p" {
			step.Does, step.Column = "make "+t.primary().name+" the primary key", t.primary().name
			reason, remedy = "the table has the primary key "+strings.Join(p.primary, ", "), "keep the primary key, or move the rows to a new table"
			if len(p.primary) == 0 {
				reason = "the table has no primary key"
			}
		}
		step.Refuse(reason, remedy)
		m.plan.Add(step)
		return
	}
	m.add(step, work{table: t, groups: []group{one(t.create()...)}})
	m.made++
	for _, c := range t.columns {
		if c.refs == nil {
			continue
		}
		sql := []string{t.addReference(c, m.schema) + " NOT VALID", t.validate(c.refs.name)}
		m.later = append(m.later, pending{
			migration.Step{Op: migration.AddForeignKey, Entity: t.Entity.Name, Field: c.Prop.Name, Table: t.plain, Column: c.name, Effect: migration.Online, Does: "hold the relation to " + c.refs.table, Start: migration.Applies},
			work{table: t, groups: []group{one(sql[0]), one(sql[1])}},
		})
	}
}

// add appends a step with its work. A step that a start leaves alone, or that is refused, is
// listed and not executed.
func (m *migrator) add(step migration.Step, w work) {
	for _, g := range w.groups {
		step.SQL = append(step.SQL, g.script(w.table)...)
	}
	m.plan.Add(step)
	if !m.task.Executes(&step) || len(w.groups) == 0 {
		if step.Start == migration.Leaves && m.task.Start {
			m.plan.Notices = append(m.plan.Notices, step.Where()+" ("+step.Does+")")
		}
		return
	}
	w.step = step
	m.work = append(m.work, w)
}

// qualified is a table's name as SQL has it.
func (m *migrator) qualified(name string) string { return quote(m.schema) + "." + quote(name) }

// number runs a statement that returns one number.
func (m *migrator) number(sql string) (n int64, err error) {
	return runner{m.conn}.Number([]byte(sql), nil)
}

// list returns the first column of a statement's rows.
func (m *migrator) list(sql string) (out []string, err error) {
	err = m.conn.Run(&engine.Query{Text: []byte(sql), Row: func(v [][]byte) error {
		out = append(out, string(v[0]))
		return nil
	}})
	return out, err
}

// execute does the work of a plan. Each transaction is short; the next plan finds the finished
// steps done.
func (s *Store) execute(ctx context.Context, c *engine.Conn, m *migrator) error {
	for _, w := range m.work {
		for _, g := range w.groups {
			var err error
			if g.fill != nil {
				err = s.fill(ctx, c, m.task, w, g.fill)
			} else {
				err = s.statements(ctx, c, w, g)
			}
			if err != nil {
				return err
			}
		}
		if w.step.Op != migration.CreateTable {
			s.db.Log().Info("the store changed", "step", w.step.Where()+": "+w.step.Does)
		}
	}
	return nil
}
