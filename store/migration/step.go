package migration

import "strings"

// Step returns the difference as a step without its effect, SQL and rows, which the store adds. A
// start applies it, unless it drops a column or index that the cards do not need.
func (d *Difference) Step() Step {
	s := Step{Op: d.Op, Entity: d.Table.Entity, Table: d.Table.Name, Does: d.does(), Start: Applies}
	switch {
	case d.Column != nil:
		s.Field, s.Column = d.Column.Field, d.Column.Name
	case d.WasColumn != nil:
		s.Field, s.Column = d.WasColumn.Field, d.WasColumn.Name
	case d.Index != nil:
		s.Column = strings.Join(d.Index.Columns, ", ")
		s.Field = d.Table.fields(d.Index.Columns)
	}
	// An index that requires unique rows cannot stay, and neither can an index whose name another
	// one takes.
	if d.skipped || d.Op == DropColumn || d.Op == DropIndex && !d.Index.Unique && d.Table.Index(d.Index.Name) == nil {
		s.Start, s.skipped = Leaves, d.skipped
	}
	return s
}

// fields are the card's names of columns, parted by commas; a column that no card describes has
// its own.
func (t *Table) fields(columns []string) string {
	names := make([]string, len(columns))
	for i, name := range columns {
		names[i] = name
		if c := t.Column(name); c != nil && c.Field != "" {
			names[i] = c.Field
		}
	}
	return strings.Join(names, ", ")
}

// plainly are the words of the steps that need no more, a verb first.
var plainly = map[string]string{
	CreateTable: "make the table", AddColumn: "add the column", DropColumn: "drop the column", ChangeKey: "change the primary key",
	SetNotNull: "make the column never null", DropNotNull: "let the column be null", AddUnique: "make the values unique",
}

// does is the difference in words, a verb first.
func (d *Difference) does() string {
	switch {
	case d.Op == CreateTable && d.Was != nil:
		return "keep rows in it"
	case d.Op == AddColumn && d.Column.NotNull:
		return "add a column that is never null"
	case plainly[d.Op] != "":
		return plainly[d.Op]
	}
	switch d.Op {
	case ChangeType:
		return "change the type from " + d.WasColumn.Kind + " to " + d.Column.Kind
	case AddCheck:
		return "hold the column to " + d.Check.Keyword
	case DropCheck:
		return "no longer hold the column to " + d.Check.Keyword
	case AddForeignKey:
		return "hold the relation to " + d.Column.References.Table
	case DropForeignKey:
		return "no longer hold the relation to " + d.WasColumn.References.Table
	case AddIndex:
		return "make the index " + d.Index.Name
	case DropIndex:
		return "drop the index " + d.Index.Name
	}
	return d.Op
}

// The refusals that every store has, by the rows that block a step.

// NoValue refuses a new column that is never null and has no value for n rows.
func (s *Step) NoValue(n int64) {
	s.Rows = n
	s.Refuse(Count(n, "there is %d row", "there are %d rows")+", and none has a value for it",
		"let the field be null, say what older rows get with lifecycle.create: {value: …}, or write values: {"+s.Entity+"."+s.Field+": …} in frond.yaml")
}

// drop makes the step one that drops n values, which the flag allows.
func (s *Step) drop(task *Task, n int64) {
	s.Effect, s.Rows = Loses, n
	s.flag(task, DropFlag, Count(n, "%d row holds a value in it", "%d rows hold a value in it"), "declare the field again, empty the column first")
}

// Convert makes the step one that loses n values of the old type, which the flag allows. lost
// is how many of them become null because they have no value of the new type.
func (s *Step) Convert(task *Task, n, lost int64) {
	s.Effect, s.Rows, s.Lost, s.Start = Loses, n, lost, Refuses
	reason := Count(n, "%d row holds a value of the old type", "%d rows hold values of the old type")
	if lost > 0 {
		reason += Count(lost, ", of which %d cannot be converted and becomes null", ", of which %d cannot be converted and become null")
	}
	s.flag(task, ConvertFlag, reason, "keep the type, add a field of another name and move the values")
}

// flag refuses the step unless its flag was given.
func (s *Step) flag(task *Task, flag, reason, remedy string) {
	s.Flag = flag + " " + s.Entity + "." + s.Field
	if !task.may(flag, s.Entity, s.Field) {
		s.Refused, s.Reason, s.Remedy = true, reason, remedy+", or run frond migrate apply "+s.Flag
	}
}
