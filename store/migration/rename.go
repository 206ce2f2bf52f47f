package migration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
)

// Name is one rename, in the names of the database: of a table, or of one of its columns where
// Column is set. Table is the table's new name there.
type Name struct{ Table, Column, To string }

// Rename gives the tables and columns of present the names that names say, as far as they still
// have the old ones, and returns the present tables after that. A rename that was applied
// before changes nothing. names may be chains: a to b, b to c.
//
// A table that takes the place of an empty one replaces it. rows returns how many rows a table
// has. The steps are renames that cannot be: nothing has the old name nor the new one, or both
// tables have rows.
func Rename(present, wanted []*Table, names []Name, rows func(*Table) (int64, error)) (renamed []*Table, refused []Step, err error) {
	r := &renaming{wanted: wanted, names: names, rows: rows}
	for _, t := range present { // which stay as they are
		fresh := *t
		fresh.Columns = slices.Clone(t.Columns)
		for i := range fresh.Columns {
			fresh.Columns[i].Checks = slices.Clone(t.Columns[i].Checks)
		}
		r.present = append(r.present, &fresh)
	}
	for _, t := range wanted {
		if err := r.table(t); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range wanted {
		if was := find(r.present, t.Name); was != nil && !was.Foreign {
			r.columns(t, was)
		}
	}
	return r.present, r.refused, nil
}

// renaming is one run of [Rename].
type renaming struct {
	present, wanted []*Table
	names           []Name
	rows            func(*Table) (int64, error)
	refused         []Step
}

// before lists the names that lead to a name by one rename or more, the nearest first.
func (r *renaming) before(table, column, name string) (names []string) {
	for _, n := range r.names {
		if n.To != name || (n.Column == "") != (column == "") || column != "" && n.Table != table {
			continue
		}
		from := n.Table
		if column != "" {
			from = n.Column
		}
		if from == name || slices.Contains(names, from) {
			continue
		}
		names = append(names, from)
		names = append(names, r.before(table, column, from)...)
	}
	return names
}

// table finds a wanted table under one of its older names.
func (r *renaming) table(t *Table) error {
	older := r.before("", "", t.Name)
	if len(older) == 0 {
		return nil
	}
	step := Step{Op: RenameTable, Entity: t.Entity, Table: t.Name, Effect: Online, Does: "rename " + older[0] + " to " + t.Name}
	now := find(r.present, t.Name)
	var found []*Table
	for _, name := range older {
		if was := find(r.present, name); was != nil && find(r.wanted, name) == nil {
			found = append(found, was)
		}
	}
	switch {
	case len(found) == 0 && now == nil:
		if remaining := Unknown(r.present, r.wanted); len(remaining) > 0 {
			step.Refuse("there is no table "+older[0], "name one of those that no card describes, which are "+strings.Join(remaining, ", ")+", or remove the line from renamed")
			r.refused = append(r.refused, step)
		}
		return nil
	case len(found) == 0:
		return nil // applied before
	}
	from := found[0]
	if now != nil {
		there, err := r.rows(now)
		if err != nil {
			return err
		}
		remaining, err := r.rows(from)
		switch {
		case err != nil:
			return err
		case remaining == 0:
			return nil // an older program made it again, and wrote nothing
		case there > 0:
			step.Does, step.Rows = "rename "+from.Name+" to "+t.Name, remaining
			step.Refuse(fmt.Sprintf("both are there: %s has %s and %s has %s", t.Name, Count(there, "%d row", "%d rows"), from.Name, Count(remaining, "%d row", "%d rows")),
				"move the rows of "+from.Name+" and drop it, or remove the line from renamed")
			r.refused = append(r.refused, step)
			return nil
		}
	}
	r.present = slices.DeleteFunc(r.present, func(o *Table) bool { return o == now && now != nil })
	old := from.Name
	from.Name, from.Renamed, from.Replaces = t.Name, old, now != nil
	r.refer(old, "", t.Name)
	return nil
}

// columns finds the wanted columns of a table under their older names.
func (r *renaming) columns(t, was *Table) {
	for i := range t.Columns {
		c := &t.Columns[i]
		older := r.before(t.Name, c.Name, c.Name)
		if len(older) == 0 || was.Column(c.Name) != nil {
			continue
		}
		var old *Column
		for _, name := range older {
			if o := was.Column(name); o != nil && old == nil && t.Column(name) == nil {
				old = o
			}
		}
		if old == nil {
			if remaining := unknownColumns(t, was); len(remaining) > 0 {
				step := Step{Op: RenameColumn, Entity: t.Entity, Field: c.Field, Table: t.Name, Column: c.Name, Effect: Online, Does: "rename " + older[0] + " to " + c.Name}
				step.Refuse("the table has no column "+older[0], "name one of those that no card describes, which are "+strings.Join(remaining, ", ")+", or remove the line from renamed")
				r.refused = append(r.refused, step)
			}
			continue
		}
		name := old.Name
		old.Renamed, old.Name = name, c.Name
		from, to := quoted(name), quoted(c.Name)
		old.Type = strings.ReplaceAll(old.Type, from, to)
		for j := range old.Checks {
			old.Checks[j].Expression = strings.ReplaceAll(old.Checks[j].Expression, from, to)
		}
		r.refer(was.Name, name, c.Name)
	}
}

// refer gives the foreign keys that lead to a renamed table or column its new name: a database
// does the same by itself.
func (r *renaming) refer(table, column, to string) {
	for _, t := range r.present {
		for j := range t.Columns {
			ref := &t.Columns[j].References
			switch {
			case ref.Table != table || column != "" && ref.Column != column:
			case column == "":
				ref.Table = to
			default:
				ref.Column = to
			}
		}
	}
}

// unknownColumns lists the columns that no card describes.
func unknownColumns(t, was *Table) (names []string) {
	for _, c := range was.Columns {
		if t.Column(c.Name) == nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// quoted is a name as it stands in the text of a check.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Older returns the column of the rows as they were that an expression has a name for: a field of
// the entity (its key), under its name of now or of before. A rename that is declared may have been
// applied by an earlier run; the old name then means the column that has the new one. column is
// what the column of a field is called. nil: the rows have none.
func (t *Table) Older(task *Task, entity, name string, column func(field string) string) *Column {
	renamed := task.Changes.Renamed
	for range 1 + len(renamed) { // each rename is followed once at most
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Name == column(name) || c.Renamed == column(name) {
				return c
			}
		}
		next := slices.IndexFunc(renamed, func(r facade.Renamed) bool { return r.Entity == entity && r.Field == name && r.Field != "" })
		if next < 0 {
			return nil
		}
		name = renamed[next].To
	}
	return nil
}
