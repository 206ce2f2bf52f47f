package postgres

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// An existing table is changed to the form of its card while others use it (docs/migrations.md):
//
//	a column, NOT NULL off           ALTER TABLE, a matter of a moment
//	a check, a foreign key           ADD CONSTRAINT … NOT VALID, then VALIDATE, which lets others write
//	never null                       a check that says so, SET NOT NULL by it, and no check
//	an index                         CREATE INDEX CONCURRENTLY; one that failed is dropped first
//	another type, computed values    a second column, filled in batches, put in the place of the
//	                                 first one in a short transaction (swap.go)
//
// A SELECT counts the rows that block a step, so that a refusal names them.

// change is how one table changes.
type change struct {
	*migrator
	// t is the table under the names of now, and next under those after the plan; moved are the
	// entries of the ledger of columns that get another type.
	t, next   *table
	moved     map[*schema.Property]migration.Called
	want, was *migration.Table
	from      string // the table that the plan's SELECTs read
	held      migration.Rows
	rows      int64
	// filled are the columns whose values are computed, so that they need not be looked at.
	filled map[string]bool
	// swapped are those that get another type: their constraints are made with them.
	swapped map[string]bool
}

// alter begins an ALTER TABLE.
func (t *table) alter() string { return "ALTER TABLE " + t.Name + " " }

// validate returns the statement that looks whether all rows meet a constraint.
func (t *table) validate(constraint string) string {
	return t.alter() + "VALIDATE CONSTRAINT " + quote(constraint)
}

// change is the change of a table of which d is a difference.
func (m *migrator) change(t *table, d *migration.Difference, moved map[*schema.Property]migration.Called) *change {
	from := m.qualified(d.Was.Name)
	return &change{
		migrator: m, t: t, next: m.tables.byEntity[t.Entity], moved: moved, want: d.Table, was: d.Was, from: from,
		held:   migration.Rows{Table: from, Key: "t." + t.Primary.Name + "::text", Number: m.number, List: m.list},
		filled: map[string]bool{}, swapped: map[string]bool{},
	}
}

// settle adds the steps of the differences, which are all of this table.
func (ch *change) settle(differences []migration.Difference) (err error) {
	if ch.rows, err = ch.number("SELECT count(*) FROM " + ch.from); err != nil {
		return err
	}
	for i := range differences {
		if err := ch.step(&differences[i]); err != nil {
			return err
		}
	}
	return nil
}

// step adds the step of one difference. A column of another type takes its constraints along.
func (ch *change) step(d *migration.Difference) (err error) {
	s := d.Step()
	s.Effect, s.Rows = migration.Slow, ch.rows
	if ch.rows == 0 {
		s.Effect = migration.Online
	}
	w := work{table: ch.t}
	switch d.Op {
	case migration.DropNotNull, migration.DropCheck, migration.DropForeignKey, migration.DropIndex:
		s.Effect, s.Rows = migration.Online, 0
		w.groups = ch.dropped(&s, d)
	case migration.AddColumn:
		w.groups, err = ch.addColumn(&s, d.Column)
	case migration.DropColumn:
		w.groups, err = ch.dropColumn(&s, d.WasColumn)
	case migration.ChangeKey:
		s.Refuse("rows are known by it", "keep the primary key, or move the rows to a new table")
	case migration.ChangeType:
		w.groups, err = ch.changeType(&s, d)
	case migration.SetNotNull:
		w.groups, err = ch.setNotNull(&s, d)
	case migration.AddCheck:
		w.groups, err = ch.addCheck(&s, d)
	case migration.AddForeignKey:
		w.groups, err = ch.addReference(&s, d)
		ch.later = append(ch.later, pending{s, w})
		return err
	case migration.AddIndex, migration.AddUnique:
		w.index = d.Index.Name
		w.groups, err = ch.addIndex(&s, d)
		ch.later = append(ch.later, pending{s, w})
		return err
	}
	ch.add(s, w)
	return err
}

// dropped are the statements that drop a constraint or an index. Those of a column that gets
// another type are dropped with it.
func (ch *change) dropped(s *migration.Step, d *migration.Difference) []group {
	switch {
	case d.Op == migration.DropIndex:
		return []group{concurrently("DROP INDEX CONCURRENTLY IF EXISTS " + ch.qualified(d.Index.Name))}
	case ch.swapped[s.Column]:
		return nil
	case d.Op == migration.DropNotNull:
		return []group{one(ch.t.alter() + "ALTER COLUMN " + quote(s.Column) + " DROP NOT NULL")}
	case d.Op == migration.DropCheck:
		return []group{one(ch.t.alter() + "DROP CONSTRAINT IF EXISTS " + quote(shorten(s.Column+":"+d.Check.Keyword)))}
	}
	return []group{one(ch.t.alter() + "DROP CONSTRAINT IF EXISTS " + quote(ch.have[ch.was.Name].column(d.WasColumn.Name).refs.name))}
}

// addColumn adds a column, with its constant as a default: older programs write rows without
// it. A column that is never null and has no constant is filled first.
func (ch *change) addColumn(s *migration.Step, c *migration.Column) ([]group, error) {
	col := ch.t.byName(c.Name)
	value := ch.task.Value(col.Prop, ch.t.Entity)
	def := col.definition
	def.notNull = def.notNull && c.Filled
	add := ch.t.alter() + "ADD COLUMN " + def.sql()
	if c.Filled {
		add = ch.t.alter() + "ADD COLUMN " + def.withDefault(col.fill)
	}
	groups := []group{one(add)}
	switch {
	case value != nil && ch.rows > 0:
		def.notNull = false
		f := &filling{value: value, column: col, to: col.name}
		if err := ch.try(s, f); err != nil || s.Refused {
			return nil, err
		}
		groups = []group{one(ch.t.alter() + "ADD COLUMN IF NOT EXISTS " + def.sql()), {fill: f}}
		if c.NotNull {
			groups = append(groups, ch.neverNull(c.Name)...)
		}
	case c.NotNull && !c.Filled && ch.rows > 0:
		s.NoValue(ch.rows)
		return nil, nil
	case c.NotNull && !c.Filled:
		groups = append(groups, ch.neverNull(c.Name)...)
	default:
		s.Effect, s.Rows = migration.Online, 0
	}
	for _, ck := range col.checks {
		groups = append(groups, ch.hold(ck)...)
	}
	if col.refs != nil {
		sql := []string{ch.t.addReference(col, ch.schema) + " NOT VALID", ch.t.validate(col.refs.name)}
		ch.later = append(ch.later, pending{
			migration.Step{Op: migration.AddForeignKey, Entity: s.Entity, Field: s.Field, Table: s.Table, Column: s.Column, Effect: s.Effect, Does: "hold the relation to " + col.refs.table, Start: migration.Applies, Rows: s.Rows},
			work{table: ch.t, groups: []group{one(sql[0]), one(sql[1])}},
		})
	}
	return groups, nil
}

// hold are the groups that hold the table to a check. One that an interrupted change has left
// without validation is made again.
func (ch *change) hold(ck check) []group {
	return []group{
		one(ch.t.alter()+"DROP CONSTRAINT IF EXISTS "+quote(ck.name), ch.t.alter()+"ADD "+ck.sql()+" NOT VALID", ck.comment(ch.t)),
		one(ch.t.validate(ck.name)),
	}
}

// neverNull are the groups that make a column never null. A check that was validated spares
// SET NOT NULL its scan under a lock.
func (ch *change) neverNull(column string) []group {
	name := quote(shorten(column + ":required"))
	return []group{
		one(ch.t.alter()+"DROP CONSTRAINT IF EXISTS "+name, ch.t.alter()+"ADD CONSTRAINT "+name+" CHECK ("+quote(column)+" IS NOT NULL) NOT VALID"),
		one(ch.t.alter() + "VALIDATE CONSTRAINT " + name),
		one(ch.t.alter()+"ALTER COLUMN "+quote(column)+" SET NOT NULL", ch.t.alter()+"DROP CONSTRAINT "+name),
	}
}

// dropColumn drops a column that no card describes, where a start leaves it alone: an older program
// has cards without it. A start makes it one that may be null, so that rows can be written without
// it. A column that an interrupted change has left is dropped at once.
func (ch *change) dropColumn(s *migration.Step, was *migration.Column) ([]group, error) {
	s.Effect = migration.Online
	name := quote(was.Name)
	drop := []group{one(ch.t.alter() + "DROP COLUMN IF EXISTS " + name)}
	if ch.before.names.Noted(ch.was.Name, was.Name) {
		drop = append(drop, one(ch.forgetSQL(was.Name)))
	}
	switch {
	case strings.HasPrefix(was.Name, helpers+"new ") || strings.HasPrefix(was.Name, helpers+"seen "):
		s.Does, s.Start, s.Rows = "remove the remains of an interrupted change", migration.Applies, 0
		return drop, nil
	case ch.task.Start && was.NotNull && !was.Filled && !was.Primary:
		s.Op, s.Does, s.Start, s.Rows = migration.DropNotNull, "let the column be null, since no card describes it", migration.Applies, 0
		return []group{one(ch.t.alter() + "ALTER COLUMN " + name + " DROP NOT NULL")}, nil
	case ch.task.Start:
		return nil, nil
	}
	kept, err := ch.held.Count("t." + name + " IS NOT NULL AND t." + name + "::text <> '[]'")
	if err == nil && kept > 0 {
		s.Drop(ch.task, kept)
	}
	return drop, err
}

// setNotNull makes a column never null, after rows that hold null have got a value.
func (ch *change) setNotNull(s *migration.Step, d *migration.Difference) ([]group, error) {
	if ch.swapped[s.Column] {
		return nil, nil // part of the new column
	}
	col := ch.t.byName(s.Column)
	value := ch.task.Value(col.Prop, ch.t.Entity)
	var groups []group
	switch {
	case ch.rows == 0:
	case value != nil:
		f := &filling{value: value, column: col, to: col.name, when: "t." + quote(s.Column) + " IS NULL"}
		if err := ch.try(s, f); err != nil || s.Refused {
			return nil, err
		}
		groups = []group{{fill: f}}
	case col.fill != "":
		groups = []group{one("UPDATE " + ch.t.Name + " SET " + quote(s.Column) + " = " + col.fill + " WHERE " + quote(s.Column) + " IS NULL")}
	default:
		if err := ch.held.NotNull(s, s.Column); err != nil || s.Refused {
			return nil, err
		}
	}
	return append(groups, ch.neverNull(s.Column)...), nil
}

// addCheck holds a column to a keyword, after rows that break it have got a value.
func (ch *change) addCheck(s *migration.Step, d *migration.Difference) ([]group, error) {
	if ch.swapped[s.Column] {
		return nil, nil
	}
	col := ch.t.byName(s.Column)
	ck := check{shorten(s.Column + ":" + d.Check.Keyword), d.Check.Expression}
	value := ch.task.Value(col.Prop, ch.t.Entity)
	switch {
	case ch.rows == 0:
	case value != nil:
		f := &filling{value: value, column: col, to: col.name, when: "NOT (" + ck.expr + ")"}
		if err := ch.try(s, f); err != nil || s.Refused {
			return nil, err
		}
		return append([]group{{fill: f}}, ch.hold(ck)...), nil
	default:
		if err := ch.held.Check(s, d.Check); err != nil || s.Refused {
			return nil, err
		}
	}
	return ch.hold(ck), nil
}

// addReference adds the foreign key of a column.
func (ch *change) addReference(s *migration.Step, d *migration.Difference) ([]group, error) {
	col := ch.t.byName(s.Column)
	if ch.swapped[s.Column] {
		return nil, nil // it comes with the new column
	}
	if ch.rows > 0 && !ch.filled[s.Column] {
		if err := ch.held.Points(s, s.Column, ch.present, d.Column.References, ch.qualified); err != nil || s.Refused {
			return nil, err
		}
	}
	name := quote(col.refs.name)
	return []group{
		one(ch.t.alter()+"DROP CONSTRAINT IF EXISTS "+name, ch.t.addReference(col, ch.schema)+" NOT VALID"),
		one(ch.t.validate(col.refs.name)),
	}, nil
}

// addIndex makes an index while others write. One of the same name that is not valid, or another
// one, is dropped first.
func (ch *change) addIndex(s *migration.Step, d *migration.Difference) ([]group, error) {
	if d.Op == migration.AddUnique && ch.rows > 0 {
		if err := ch.unique(s, d.Index); err != nil || s.Refused {
			return nil, err
		}
	}
	for i, ix := range ch.t.indexes {
		if ix.name == d.Index.Name {
			return ch.makeIndex(ch.next.indexes[i]), nil
		}
	}
	return nil, fmt.Errorf("there is no index %s", d.Index.Name)
}

// makeIndex are the groups that make an index while others write.
func (ch *change) makeIndex(ix index) []group {
	return []group{
		concurrently("DROP INDEX CONCURRENTLY IF EXISTS " + ch.qualified(ix.name)),
		concurrently(ch.next.createIndex(ix, "CONCURRENTLY")),
	}
}

// unique refuses a unique constraint that rows break.
func (ch *change) unique(s *migration.Step, ix *migration.Index) error {
	for _, name := range ix.Columns {
		if ch.was.Column(name) == nil || ch.filled[name] {
			return nil // its values are not there yet; the index itself will say
		}
	}
	return ch.held.Unique(s, ix.Columns)
}

// byName returns the column of this name in the database, which a card has to describe.
func (t *table) byName(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// conversion returns how a column's values become those of another type: by the author's
// expression, or as package migration converts them; nil where there is no way.
func (ch *change) conversion(c *column, from, to string) (f *filling) {
	if value := ch.task.Value(c.Prop, ch.t.Entity); value != nil {
		return &filling{value: value, column: c}
	}
	if how := migration.Convert(from, to); how != nil {
		return &filling{value: catalog.NewConversion(ch.t.Entity, c.Prop, how), column: c, lossy: true}
	}
	return nil
}
