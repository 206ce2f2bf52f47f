package sqlite

import (
	"strings"

	"github.com/frondhost/frond/store/migration"
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
	*migration.Change
	m    *migrator
	t    *table
	want *migration.Table
	// rebuilt says that the table is rebuilt, and dropped which of its columns are not copied.
	rebuilt bool
	dropped map[string]bool
}

// Alter implements [migration.Database]: it adds columns, then a rebuild, then indexes. A rebuilt
// table includes the columns that could be added by themselves.
func (m *migrator) Alter(differences []migration.Difference) error {
	d := &differences[0]
	t := m.tables.ByName[d.Table.Name]
	key := "NULL"
	if d.Was.Column(t.Primary.Plain) != nil {
		key = "CAST(t." + t.Primary.Name + " AS TEXT)"
	}
	judge, err := migration.NewChange(&m.Planner, t.Entity, d.Was, m.tables.Names, migration.Rows{DB: m, Table: t.Name, Key: key})
	if err != nil {
		return err
	}
	ch := &change{Change: judge, m: m, t: t, want: d.Table, dropped: map[string]bool{}}
	steps := make([]migration.Step, len(differences))
	for i := range differences {
		if steps[i], err = ch.step(&differences[i]); err != nil {
			return err
		}
	}
	for i := range differences {
		if differences[i].Index == nil {
			ch.alterColumn(&steps[i])
		}
	}
	if ch.rebuilt {
		if err := ch.build(); err != nil {
			return err
		}
	}
	for i := range differences {
		if ix := differences[i].Index; ix != nil {
			ch.alterIndex(&steps[i], ix.Name)
		}
	}
	return nil
}

// alterColumn adds the step of a column to the plan. A rebuild of the table does it too.
func (ch *change) alterColumn(s *migration.Step) {
	if ch.rebuilt {
		s.SQL = nil
	}
	ch.m.add(*s, ch.m.statements(s.SQL))
	switch {
	case s.Start == migration.Leaves && ch.Task.Start:
		ch.m.Plan.Notices = append(ch.m.Plan.Notices, s.Where())
	case s.Op == migration.AddColumn && !ch.rebuilt:
		ch.m.note("added column %s to table %s", s.Column, s.Table)
	}
}

// alterIndex adds the step of an index to the plan.
func (ch *change) alterIndex(s *migration.Step, name string) {
	ch.m.add(*s, ch.m.statements(s.SQL))
	switch {
	case s.Start == migration.Leaves && ch.Task.Start:
		ch.m.Plan.Notices = append(ch.m.Plan.Notices, "index "+name)
	case s.Op == migration.DropIndex:
		ch.m.note("dropped index %s", name)
	default:
		ch.m.note("made index %s", name)
	}
}

// step returns the step of one difference, and records whether it needs a rebuild.
func (ch *change) step(d *migration.Difference) (migration.Step, error) {
	s, f, err := ch.Judge(d)
	if err != nil {
		return s, err
	}
	rebuild := false
	switch d.Op {
	case migration.AddIndex, migration.AddUnique:
		s.SQL = indexSQL(ch.t, d.Index)
	case migration.DropIndex:
		s.Effect, s.Rows, s.SQL = migration.Online, 0, []string{"DROP INDEX IF EXISTS " + quote(d.Index.Name)}
		if isSearch(d.Index.Name) {
			s.SQL = dropSearch(d.Index.Name)
		}
	case migration.AddColumn:
		// ADD COLUMN takes a constant for older rows, and a column that is never null needs one.
		c := d.Column
		if rebuild = f != nil || c.NotNull && !c.Filled || c.Filled && c.Default == "" || c.Primary; !rebuild {
			s.Effect, s.Rows = migration.Online, 0
			s.SQL = []string{"ALTER TABLE " + ch.t.Name + " ADD COLUMN " + columnSQL(c)}
		}
	case migration.DropColumn:
		rebuild, err = ch.dropColumn(&s, d.WasColumn)
	default:
		rebuild = true
		switch {
		case ch.Held == 0:
		case d.Op == migration.ChangeKey:
			s.Refuse("rows are known by it", "keep the primary key, or move the rows to a new entity")
		case d.Op == migration.ChangeType:
			err = ch.changeType(&s, d)
		}
	}
	// One expression computes a column, whose values then meet all that the card asks for.
	ch.Replaced[s.Column] = ch.Filled[s.Column] != nil
	ch.rebuilt = ch.rebuilt || rebuild && (!ch.Task.Start || s.Start != migration.Leaves || d.Op == migration.DropColumn)
	return s, err
}

// dropColumn drops a column that no card describes, where a start leaves it alone: an older
// program has cards without it. A start makes it one that may be null, so that rows can be
// written without it.
func (ch *change) dropColumn(s *migration.Step, was *migration.Column) (rebuild bool, err error) {
	if ch.Task.Start {
		return was.NotNull && !was.Filled && !was.Primary, nil
	}
	ch.dropped[was.Name] = true
	return true, ch.Dropped(s, was)
}

// changeType judges a change of a type. A change that keeps every value is done; else the
// values are computed by the author's expression or converted, which takes a flag.
func (ch *change) changeType(s *migration.Step, d *migration.Difference) error {
	from, to := d.WasColumn.Kind, d.Column.Kind
	held, err := ch.Count("t." + quote(s.Column) + " IS NOT NULL")
	if err != nil || held == 0 || from == to { // this program may spell a type in another way
		return err
	}
	condition, lossless := conversions[from+" to "+to]
	if lossless && ch.Value(d.Column) == nil {
		if condition == "" {
			return nil
		}
		bad, err := ch.Count("NOT (" + strings.ReplaceAll(condition, "$", quote(s.Column)) + ")")
		if err != nil || bad == 0 {
			return err
		}
	}
	f := ch.Conversion(d.Column, from, to)
	if f == nil {
		s.NoConversion(held)
		return nil
	}
	if !f.Lossy {
		s.Convert(ch.Task, held, 0)
	}
	lost, err := ch.Fill(s, f)
	if f.Lossy && s.Reason == "" && (lost > 0 || lossless || !migration.Lossless(from, to)) {
		s.Convert(ch.Task, held, lost)
	}
	return err
}

// conversions are the changes of a column's type that keep every value, by "from to to" in the
// names of kindName. Each has a condition that every row has to meet ($ is the column), or "".
// Beyond 2^53 a REAL does not hold every integer.
var conversions = map[string]string{
	"date to string":      "",
	"date-time to string": "",
	"decimal to string":   "",
	"integer to string":   "",
	"string to date":      "$ GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'",
	"integer to number":   "$ BETWEEN -9007199254740992 AND 9007199254740992",
	"number to integer":   "$ = CAST($ AS INTEGER) AND $ BETWEEN -9007199254740992 AND 9007199254740992",
}
