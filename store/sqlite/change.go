package sqlite

import (
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// An existing table is changed to the form of its card (docs/migrations.md). Each difference is one
// of
//
//	a new column that may be null,     ALTER TABLE … ADD COLUMN
//	or has a constant for older rows
//	an index                           CREATE INDEX, DROP INDEX
//	anything else                      the table is rebuilt, once for all of them (rebuild.go)
//
// A SELECT counts the rows that block a step, so that a refusal names them. An empty table allows
// everything.

// change is how one table changes.
type change struct {
	*migrator
	t         *table
	want, was *migration.Table
	held      migration.Rows
	rows      int64

	// rebuilt says that the table is rebuilt, values how its columns are filled, and dropped which
	// of them are not copied.
	rebuilt bool
	values  map[string]*filling
	dropped map[string]bool
}

// change is the change of a table of which d is a difference.
func (m *migrator) change(t *table, d *migration.Difference) *change {
	key := "NULL"
	if d.Was.Column(t.primary.column) != nil {
		key = "CAST(t." + t.primary.Name + " AS TEXT)"
	}
	held := migration.Rows{Table: t.Name, Key: key, Number: m.number, List: m.list}
	return &change{migrator: m, t: t, want: d.Table, was: d.Was, held: held, values: map[string]*filling{}}
}

// settle adds the steps of the differences, which are all of this table: columns, then a rebuild,
// then indexes. A rebuilt table includes the columns that could be added by themselves.
func (ch *change) settle(differences []migration.Difference) (err error) {
	if ch.rows, err = ch.conn.Number("SELECT count(*) FROM " + ch.t.Name); err != nil {
		return err
	}
	steps := make([]migration.Step, len(differences))
	for i := range differences {
		if steps[i], err = ch.step(&differences[i]); err != nil {
			return err
		}
	}
	for i := range differences {
		switch s := steps[i]; s.Op {
		case migration.AddIndex, migration.AddUnique, migration.DropIndex:
		default:
			if ch.rebuilt {
				s.SQL = nil
			}
			ch.add(s, ch.statements(s.SQL))
			switch {
			case s.Start == migration.Leaves && ch.task.Start:
				ch.migrator.plan.Notices = append(ch.migrator.plan.Notices, s.Where())
			case s.Op == migration.AddColumn && !ch.rebuilt:
				ch.note("added column %s to table %s", s.Column, s.Table)
			}
		}
	}
	if ch.rebuilt {
		if err := ch.build(); err != nil {
			return err
		}
	}
	for i, d := range differences {
		switch s := steps[i]; {
		case d.Index == nil:
		case s.Start == migration.Leaves && ch.task.Start:
			ch.add(s, nil)
			ch.migrator.plan.Notices = append(ch.migrator.plan.Notices, "index "+d.Index.Name)
		case s.Op == migration.DropIndex:
			ch.add(s, ch.statements(s.SQL))
			ch.note("dropped index %s", d.Index.Name)
		default:
			ch.add(s, ch.statements(s.SQL))
			ch.note("made index %s", d.Index.Name)
		}
	}
	return nil
}

// step returns the step of one difference, and records whether it needs a rebuild.
func (ch *change) step(d *migration.Difference) (s migration.Step, err error) {
	s = d.Step()
	s.Effect, s.Rows = migration.Slow, ch.rows
	if ch.rows == 0 {
		s.Effect = migration.Online
	}
	rebuild := false
	switch d.Op {
	case migration.AddIndex:
		s.SQL = []string{d.Index.Text}
	case migration.DropIndex:
		s.Effect, s.Rows, s.SQL = migration.Online, 0, []string{"DROP INDEX IF EXISTS " + quote(d.Index.Name)}
	case migration.AddUnique:
		s.SQL = []string{d.Index.Text}
		err = ch.unique(&s, d.Index)
	case migration.AddColumn:
		rebuild, err = ch.addColumn(&s, d.Column)
	case migration.DropColumn:
		rebuild, err = ch.dropColumn(&s, d.WasColumn)
	default:
		rebuild = true
		if ch.rows > 0 {
			err = ch.changeColumn(&s, d)
		}
	}
	ch.rebuilt = ch.rebuilt || rebuild && (!ch.task.Start || s.Start != migration.Leaves || d.Op == migration.DropColumn)
	return s, err
}

// unique refuses a unique constraint that rows break.
func (ch *change) unique(s *migration.Step, ix *migration.Index) error {
	for _, name := range ix.Columns {
		if ch.was.Column(name) == nil || ch.values[name] != nil {
			return nil // its values are not there yet; the index itself will say
		}
	}
	return ch.held.Unique(s, ix.Columns)
}

// addColumn plans a new column; rebuild reports that it needs a rebuild. ADD COLUMN takes a constant
// for older rows, and a column that is never null needs one.
func (ch *change) addColumn(s *migration.Step, c *migration.Column) (rebuild bool, err error) {
	def := ch.t.definition(c.Name)
	property := ch.t.byName(c.Name).Prop
	switch value := ch.task.Value(property, ch.t.Entity); {
	case value != nil && ch.rows > 0:
		return true, ch.fill(s, c.Name, &filling{value: value})
	case c.NotNull && !c.Filled && ch.rows > 0:
		s.NoValue(ch.rows)
		return true, nil
	case c.NotNull && !c.Filled, c.Filled && def.dflt == "", c.Primary:
		return true, nil
	}
	s.Effect, s.Rows = migration.Online, 0
	s.SQL = []string{"ALTER TABLE " + ch.t.Name + " ADD COLUMN " + def.sql()}
	return false, nil
}

// dropColumn drops a column that no card describes, where a start leaves it alone: an older
// program has cards without it. A start makes it one that may be null, so that rows can be
// written without it. A column that holds nothing can be dropped without a flag; an empty list
// of ids is nothing too.
func (ch *change) dropColumn(s *migration.Step, was *migration.Column) (rebuild bool, err error) {
	if ch.task.Start {
		return was.NotNull && !was.Filled && !was.Primary, nil
	}
	name := quote(was.Name)
	kept, err := ch.held.Count("t." + name + " IS NOT NULL AND t." + name + " IS NOT '[]'")
	if err != nil {
		return false, err
	}
	if kept > 0 {
		s.Drop(ch.task, kept)
	}
	if ch.dropped == nil {
		ch.dropped = map[string]bool{}
	}
	ch.dropped[was.Name] = true
	return true, nil
}

// changeColumn judges a change of a column by the rows, of which there are some.
func (ch *change) changeColumn(s *migration.Step, d *migration.Difference) error {
	c := ch.t.byName(s.Column)
	value := ch.task.Value(c.Prop, ch.t.Entity)
	switch d.Op {
	case migration.ChangeKey:
		s.Refuse("rows are known by it", "keep the primary key, or move the rows to a new entity")
	case migration.ChangeType:
		return ch.changeType(s, d)
	case migration.SetNotNull:
		switch {
		case ch.values[s.Column] != nil: // its new values are judged
		case value != nil:
			return ch.fill(s, s.Column, &filling{value: value, when: quote(s.Column) + " IS NULL"})
		case c.fill.Kind == sqltext.Null:
			return ch.held.NotNull(s, s.Column)
		}
	case migration.AddCheck:
		switch {
		case ch.values[s.Column] != nil:
		case value != nil:
			return ch.fill(s, s.Column, &filling{value: value, when: "NOT (" + d.Check.Expression + ")"})
		default:
			return ch.held.Check(s, d.Check)
		}
	case migration.AddForeignKey:
		if ch.values[s.Column] != nil {
			return nil
		}
		// SQLite would not report it: it checks only the rows of later writes.
		return ch.held.Points(s, s.Column, ch.present, d.Column.References, quote)
	}
	return nil
}

// changeType judges a change of a type: one that loses nothing is done; else the values are
// computed by the author's expression or converted, which takes a flag.
func (ch *change) changeType(s *migration.Step, d *migration.Difference) error {
	held, err := ch.held.Count("t." + quote(s.Column) + " IS NOT NULL")
	if err != nil || held == 0 {
		return err
	}
	c := ch.t.byName(s.Column)
	from, to := d.WasColumn.Kind, d.Column.Kind
	if value := ch.task.Value(c.Prop, ch.t.Entity); value != nil && from != to {
		s.Convert(ch.task, held, 0)
		return ch.fill(s, s.Column, &filling{value: value})
	}
	condition, lossless := conversions[from+" to "+to]
	switch {
	case from == to:
		return nil // this program spells the type in another way
	case lossless && condition == "":
		return nil
	case lossless:
		bad, err := ch.held.Count("NOT (" + strings.ReplaceAll(condition, "$", quote(s.Column)) + ")")
		if err != nil || bad == 0 {
			return err
		}
	}
	return ch.convert(s, c, from, to, held, !lossless && migration.Lossless(from, to))
}

// conversions are the changes of a column's type that lose nothing, by "from to to" in the names of
// kindName, with a condition that each row has to meet ($ is the column; "" is none). Beyond 2^53 a
// REAL does not hold every integer.
var conversions = map[string]string{
	"date to string":      "",
	"date-time to string": "",
	"decimal to string":   "",
	"integer to string":   "",
	"string to date":      "$ GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'",
	"integer to number":   "$ BETWEEN -9007199254740992 AND 9007199254740992",
	"number to integer":   "$ = CAST($ AS INTEGER) AND $ BETWEEN -9007199254740992 AND 9007199254740992",
}

// byName returns the column of this name in the file, or nil.
func (t *table) byName(name string) *column {
	for _, c := range t.columns {
		if c.column == name {
			return c
		}
	}
	return nil
}

// definition returns the definition of a wanted column, which has to be there.
func (t *table) definition(name string) *definition { return &t.byName(name).definition }
