package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
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
	*migration.Change
	m *migrator
	// t is the table under the names of now, and next under those after the plan.
	t, next *table
}

// Alter implements [migration.Database].
func (m *migrator) Alter(differences []migration.Difference) error {
	d := &differences[0]
	t := m.before.ByName[d.Table.Name]
	judge, err := migration.NewChange(&m.Planner, t.Entity, d.Was, m.before.Names, migration.Rows{DB: m, Table: m.Qualified(d.Was.Name), Key: "t." + t.Primary.Name + "::text"})
	if err != nil {
		return err
	}
	judge.Keeps = keeps
	ch := &change{Change: judge, m: m, t: t, next: m.tables.ByEntity[t.Entity]}
	for i := range differences {
		if err := ch.step(&differences[i]); err != nil {
			return err
		}
	}
	return nil
}

// step adds the step of one difference. A column of another type takes its constraints along.
func (ch *change) step(d *migration.Difference) error {
	s, f, err := ch.Judge(d)
	if err != nil {
		return err
	}
	w := work{table: ch.t}
	switch d.Op {
	case migration.DropNotNull, migration.DropCheck, migration.DropForeignKey:
		s.Effect, s.Rows = migration.Online, 0
		w.groups = ch.dropped(&s, d)
	case migration.AddColumn:
		w.groups = ch.addColumn(&s, d, f)
	case migration.DropColumn:
		w.groups, err = ch.dropColumn(&s, d.WasColumn)
	case migration.ChangeKey:
		s.Refuse("rows are known by it", "keep the primary key, or move the rows to a new table")
	case migration.ChangeType:
		w.groups, err = ch.changeType(&s, d)
	case migration.SetNotNull:
		w.groups = ch.setNotNull(&s, f)
	case migration.AddCheck:
		w.groups = ch.addCheck(&s, d, f)
	case migration.AddForeignKey:
		w.groups = ch.addReference(&s)
		ch.m.later = append(ch.m.later, pending{s, w})
		return nil
	case migration.DropIndex:
		s.Effect, s.Rows, w.groups = migration.Online, 0, ch.dropIndex(d.Index.Name)
		switch {
		case ch.t.Search != nil && ch.t.Search.Name == d.Index.Name: // it was interrupted, and goes on
			return nil
		case isSearch(d.Index.Name):
			ch.m.last = append(ch.m.last, pending{s, w})
			return nil
		}
	case migration.AddIndex, migration.AddUnique:
		w.table, w.index = ch.next, d.Index.Name
		w.groups, err = ch.addIndex(&s, d)
		ch.m.later = append(ch.m.later, pending{s, w})
		return err
	}
	ch.m.add(s, w)
	return err
}

// dropped are the statements that drop a constraint. Those of a column that gets
// another type are dropped with it.
func (ch *change) dropped(s *migration.Step, d *migration.Difference) []group {
	switch {
	case ch.Replaced[s.Column]:
		return nil
	case d.Op == migration.DropNotNull:
		return []group{one(ch.t.alter() + "ALTER COLUMN " + quote(s.Column) + " DROP NOT NULL")}
	case d.Op == migration.DropCheck:
		return []group{one(ch.t.alter() + "DROP CONSTRAINT IF EXISTS " + quote(shorten(s.Column+":"+d.Check.Keyword)))}
	}
	return []group{one(ch.t.alter() + "DROP CONSTRAINT IF EXISTS " + quote(ch.m.have[ch.Was.Name].column(d.WasColumn.Name).reference))}
}

// addColumn adds a column, with its constant as a default: older programs write rows without
// it. A column that is never null and has no constant is filled first.
func (ch *change) addColumn(s *migration.Step, d *migration.Difference, f *migration.Filling) []group {
	if s.Refused {
		return nil
	}
	c := d.Column
	col := ch.t.byName(c.Name)
	def := col.def
	def.NotNull = def.NotNull && def.Filled
	groups := []group{one(ch.t.alter() + "ADD COLUMN " + columnSQL(&def))}
	switch {
	case f != nil:
		def.NotNull, def.Default = false, ""
		groups = []group{one(ch.t.alter() + "ADD COLUMN IF NOT EXISTS " + columnSQL(&def)), {fill: &filling{Filling: f, column: col, to: col.Plain}}}
		switch {
		case c.NotNull:
			groups = append(groups, ch.neverNull(c.Name, groups[1].fill)...)
		case ch.m.Awaits(s.Table, s.Column) != nil:
			s.Await(d.Others)
		}
	case c.NotNull && !c.Filled:
		groups = append(groups, ch.neverNull(c.Name, nil)...)
	default:
		s.Effect, s.Rows = migration.Online, 0
	}
	groups = append(groups, ch.holdAll(col)...)
	if col.refs != nil {
		ch.m.addLater(migration.Step{Entity: s.Entity, Field: s.Field, Table: s.Table, Column: s.Column, Effect: s.Effect, Rows: s.Rows}, ch.t, col)
	}
	return groups
}

// hold are the groups that hold the table to a check. One that an interrupted change has left
// without validation is made again.
func (ch *change) hold(c *column, ck *migration.Check) []group {
	name := c.constraint(ck.Keyword)
	return []group{
		one(ch.t.alter()+"DROP CONSTRAINT IF EXISTS "+quote(name), ch.t.alter()+"ADD "+c.checkSQL(ck)+" NOT VALID", ch.t.comment(c, ck)),
		ch.validate(name),
	}
}

// holdAll are the groups that hold a new column to its checks.
func (ch *change) holdAll(c *column) (groups []group) {
	for i := range c.def.Checks {
		groups = append(groups, ch.hold(c, &c.def.Checks[i])...)
	}
	return groups
}

// validate is the group that holds all rows to a constraint, and drops the constraint if a row
// breaks it.
func (ch *change) validate(constraint string) group {
	g := one(ch.t.validate(constraint))
	g.undo = ch.t.alter() + "DROP CONSTRAINT IF EXISTS " + quote(constraint)
	return g
}

// neverNull are the groups that make a column never null. A validated check spares SET NOT NULL its scan
// under a lock. fill gives a value to rows from before the check; nil: those rows have one.
func (ch *change) neverNull(column string, fill *filling) []group {
	name := shorten(column + ":" + migration.Required)
	groups := []group{
		one(ch.t.alter()+"DROP CONSTRAINT IF EXISTS "+quote(name), ch.t.alter()+"ADD CONSTRAINT "+quote(name)+" CHECK ("+quote(column)+" IS NOT NULL) NOT VALID"),
		ch.validate(name),
		one(ch.t.alter()+"ALTER COLUMN "+quote(column)+" SET NOT NULL", ch.t.alter()+"DROP CONSTRAINT "+quote(name)),
	}
	if fill == nil {
		return groups
	}
	groups = []group{groups[0], {fill: fill, again: true, undo: groups[1].undo}, groups[1], groups[2]}
	if index := ch.t.unfilled(column); ch.m.have[ch.Was.Name].indexes[index].columns != "" {
		groups = append(groups, concurrently("DROP INDEX CONCURRENTLY IF EXISTS "+ch.m.Qualified(index)))
	}
	return groups
}

// dropColumn drops a column that no card describes, where a start leaves it alone: an older program
// has cards without it. A start makes it one that may be null, so that rows can be written without
// it. A column that an interrupted change has left is dropped at once.
func (ch *change) dropColumn(s *migration.Step, was *migration.Column) ([]group, error) {
	s.Effect = migration.Online
	name := quote(was.Name)
	drop := []group{one(ch.t.alter() + "DROP COLUMN IF EXISTS " + name)}
	if ch.m.before.Names.Noted(ch.Was.Name, was.Name) {
		drop = append(drop, one(ch.forgetSQL(was.Name)))
	}
	switch {
	case strings.HasPrefix(was.Name, helpers+"new ") || strings.HasPrefix(was.Name, helpers+"seen "):
		s.Does, s.Start, s.Rows = "remove the remains of an interrupted change", migration.Applies, 0
		return drop, nil
	case ch.Task.Start && helped(was):
		s.Op, s.Does, s.Start, s.Rows = migration.DropCheck, "remove the remains of an interrupted change", migration.Applies, 0
		return []group{one(ch.t.alter() + "DROP CONSTRAINT IF EXISTS " + quote(shorten(was.Name+":"+migration.Required)))}, nil
	case ch.Task.Start && was.NotNull && !was.Filled && !was.Primary:
		s.Op, s.Does, s.Start, s.Rows = migration.DropNotNull, "let the column be null, since no card describes it", migration.Applies, 0
		return []group{one(ch.t.alter() + "ALTER COLUMN " + name + " DROP NOT NULL")}, nil
	case ch.Task.Start:
		return nil, nil
	}
	return drop, ch.Dropped(s, was)
}

// helped reports whether a column has the check of [change.neverNull], which an interrupted change has left.
func helped(c *migration.Column) bool {
	return slices.ContainsFunc(c.Checks, func(ck migration.Check) bool { return ck.Keyword == migration.Required })
}

// setNotNull makes a column never null, after rows that hold null have got a value.
func (ch *change) setNotNull(s *migration.Step, f *migration.Filling) []group {
	if ch.Replaced[s.Column] || s.Refused {
		return nil // part of the new column
	}
	col := ch.t.byName(s.Column)
	var groups []group
	var fill *filling
	switch {
	case f != nil:
		fill = &filling{Filling: f, column: col, to: col.Plain}
		groups = []group{{fill: fill}}
	case ch.Held > 0 && col.def.Filled:
		groups = []group{one("UPDATE " + ch.t.Name + " SET " + col.Name + " = " + col.def.Default + " WHERE " + col.Name + " IS NULL")}
	}
	return append(groups, ch.neverNull(s.Column, fill)...)
}

// addCheck holds a column to a keyword, after rows that break it have got a value.
func (ch *change) addCheck(s *migration.Step, d *migration.Difference, f *migration.Filling) []group {
	if ch.Replaced[s.Column] || s.Refused {
		return nil
	}
	col := ch.t.byName(s.Column)
	if f == nil {
		return ch.hold(col, d.Check)
	}
	fill := group{fill: &filling{Filling: f, column: col, to: col.Plain}}
	hold := ch.hold(col, d.Check)
	again := fill // once no row without a value can follow
	again.again, again.undo = true, hold[1].undo
	return []group{fill, hold[0], again, hold[1]}
}

// addReference adds the foreign key of a column.
func (ch *change) addReference(s *migration.Step) []group {
	if ch.Replaced[s.Column] || s.Refused {
		return nil // it comes with the new column
	}
	col := ch.t.byName(s.Column)
	name := col.constraint(references)
	return []group{
		one(ch.t.alter()+"DROP CONSTRAINT IF EXISTS "+quote(name), ch.t.addReference(col, ch.m.schema)+" NOT VALID"),
		ch.validate(name),
	}
}

// addIndex makes an index while others write. It first drops an invalid or different index of
// the same name.
func (ch *change) addIndex(s *migration.Step, d *migration.Difference) ([]group, error) {
	if s.Refused {
		return nil, nil
	}
	if ch.t.Search != nil && ch.t.Search.Name == d.Index.Name {
		return ch.addSearch(), nil
	}
	for i := range ch.t.Indexes {
		if ch.t.Indexes[i].Name == d.Index.Name {
			return ch.makeIndex(&ch.next.Indexes[i]), nil
		}
	}
	return nil, fmt.Errorf("there is no index %s", d.Index.Name)
}

// addSearch are the groups that make the search of an existing table. An interrupted search goes on with its
// columns.
func (ch *change) addSearch() (groups []group) {
	t, p := ch.next, ch.m.have[ch.Was.Name]
	if names := t.kept(); names != nil {
		var columns []string
		for _, name := range names {
			if !p.hasAll(names) && p.column(name) != nil { // the trigger has written none while one was not there
				columns = append(columns, t.alter()+"DROP COLUMN "+quote(name))
			}
		}
		for _, name := range names {
			columns = append(columns, t.alter()+"ADD COLUMN IF NOT EXISTS "+quote(name)+" tsvector")
		}
		groups = append(groups, one(append(columns, t.keep()...)...), group{keep: true})
	}
	groups = append(groups, concurrently("DROP INDEX CONCURRENTLY IF EXISTS "+ch.m.Qualified(t.Search.Name)), concurrently(t.searchIndex("CONCURRENTLY")))
	if ch.Held > 0 { // the planner has to know the words, and each row was written anew
		groups = append(groups, concurrently("VACUUM (ANALYZE) "+t.Name))
	}
	return groups
}

// dropIndex are the groups that drop an index, and the columns with the words of a search.
func (ch *change) dropIndex(index string) []group {
	groups := []group{concurrently("DROP INDEX CONCURRENTLY IF EXISTS " + ch.m.Qualified(index))}
	sql := []string{"DROP TRIGGER IF EXISTS " + quote(keeper(index)) + " ON " + ch.t.Name, "DROP FUNCTION IF EXISTS " + ch.t.keepsBy(index)}
	n := len(sql)
	for _, c := range ch.m.have[ch.Was.Name].columns {
		if strings.HasPrefix(c.Name, keeper(index)+" ") {
			sql = append(sql, ch.t.alter()+"DROP COLUMN IF EXISTS "+quote(c.Name))
		}
	}
	if len(sql) > n {
		groups = append(groups, one(sql...))
	}
	return groups
}

// makeIndex are the groups that make an index while others write.
func (ch *change) makeIndex(ix *sqltext.Index) []group {
	return []group{
		concurrently("DROP INDEX CONCURRENTLY IF EXISTS " + ch.m.Qualified(ix.Name)),
		concurrently(ch.next.createIndex(ix, "CONCURRENTLY")),
	}
}
