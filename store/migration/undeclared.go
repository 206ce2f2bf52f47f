package migration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
)

// undeclared returns refusals of renames that frond.yaml may have left out: a table with rows has
// no card while a new entity resembles it, or a column with values has no field while the table
// gets a new one of its kind. A line in renamed says which it is. A start is also refused where all
// rows are another project's. rows returns the number of rows of a table
// that a clause selects: WHERE and a condition, or "".
func (n *Names) undeclared(task *Task, present, wanted []*Table, rows func(table, where string) (int64, error)) (refused []Step, err error) {
	for _, old := range present {
		if old.Foreign || find(wanted, old.Name) != nil {
			continue
		}
		name := n.label(old.Name)
		var heirs []string
		for _, t := range wanted {
			heir, err := heir(old, t, find(present, t.Name), rows)
			if err != nil {
				return nil, err
			}
			if heir && !task.renamedTo(t.Entity, "") {
				heirs = append(heirs, t.Entity)
			}
		}
		if len(heirs) == 0 || task.gone(name, "") {
			continue
		}
		held, err := rows(old.Name, "")
		if err != nil {
			return nil, err
		}
		if held > 0 {
			s := Step{Op: renameTable, Entity: heirs[0], Table: old.Name, Effect: Online, Does: "serve " + heirs[0] + " without its rows", Rows: held}
			s.undeclared(name, heirs, "the table "+name+" has "+Count(held, "%d row", "%d rows")+" and no card", "")
			refused = append(refused, s)
		}
	}
	for _, t := range wanted {
		was := find(present, t.Name)
		if was == nil || was.Foreign {
			continue
		}
		columns, err := undeclaredColumns(task, t, was, rows)
		if err != nil {
			return nil, err
		}
		refused = append(refused, columns...)
	}
	if refused == nil && task.Start {
		return n.strangers(task, present, wanted, rows)
	}
	return refused, nil
}

// strangers returns the refusal of a start over the tables of another project: some hold rows, and
// no card describes any of them.
func (n *Names) strangers(task *Task, present, wanted []*Table, rows func(table, where string) (int64, error)) ([]Step, error) {
	var filled []string
	var all int64
	for _, t := range present {
		if find(wanted, t.Name) != nil {
			return nil, nil
		}
		if t.Foreign || task.gone(n.label(t.Name), "") {
			continue
		}
		held, err := rows(t.Name, "")
		if err != nil {
			return nil, err
		}
		if all += held; held > 0 {
			filled = append(filled, n.label(t.Name))
		}
	}
	if filled == nil || len(wanted) == 0 {
		return nil, nil
	}
	if len(filled) > 3 {
		filled = append(filled[:3], fmt.Sprintf("%d more", len(filled)-3))
	}
	s := Step{Op: CreateTable, Entity: wanted[0].Entity, Table: wanted[0].Name, Effect: Online, Does: "make the table", Rows: all}
	s.Refuse("the store has rows of another project ("+strings.Join(filled, ", ")+") and none of this one", "name another store, or run frond migrate apply to put the tables of this project beside those")
	return []Step{s}, nil
}

// label is the name that cards had for a table.
func (n *Names) label(table string) string {
	if x := n.tables.own(table); x != nil {
		return x.label()
	}
	return table
}

// heir reports whether an entity without rows may be the new name of old: they share the primary
// key and at least half of the other columns of old, or all of them where the new table is there.
func heir(old, t, was *Table, rows func(table, where string) (int64, error)) (bool, error) {
	same, others := 0, 0
	for i := range old.Columns {
		c := &old.Columns[i]
		now := t.Column(c.Name)
		found := now != nil && now.Kind == c.Kind && now.Primary == c.Primary
		switch {
		case c.Primary && !found:
			return false, nil
		case c.Primary:
		case found:
			same++
			others++
		default:
			others++
		}
	}
	if was == nil {
		return 2*same >= others, nil
	}
	if was.Foreign || same < others {
		return false, nil
	}
	held, err := rows(was.Name, "")
	return held == 0, err
}

// undeclaredColumns are the refusals about the columns of one table.
func undeclaredColumns(task *Task, t, was *Table, rows func(table, where string) (int64, error)) (refused []Step, err error) {
	for i := range was.Columns {
		old := &was.Columns[i]
		if t.Column(old.Name) != nil || strings.HasPrefix(old.Name, "~") || task.gone(t.Entity, old.Field) || task.may(DropFlag, t.Entity, old.Field) {
			continue
		}
		var heirs []string
		for j := range t.Columns {
			c := &t.Columns[j]
			if was.Column(c.Name) == nil && c.Kind == old.Kind && !task.renamedTo(t.Entity, c.Field) && !task.valued(t.Entity, c.Field) {
				heirs = append(heirs, t.Entity+"."+c.Field)
			}
		}
		if heirs == nil {
			continue
		}
		held, err := rows(was.Name, " WHERE "+quote(old.Name)+" IS NOT NULL")
		if err != nil {
			return nil, err
		}
		if held > 0 {
			name := t.Entity + "." + old.Field
			s := Step{Op: renameColumn, Entity: t.Entity, Field: old.Field, Table: t.Name, Column: old.Name, Effect: Online, Does: "serve " + heirs[0] + " without its values", Rows: held}
			s.undeclared(name, heirs, Count(held, "%d row holds a value", "%d rows hold a value")+" in the column, and no card describes it", ", or run frond migrate apply "+DropFlag+" "+name)
			refused = append(refused, s)
		}
	}
	return refused, nil
}

// undeclared refuses the step until frond.yaml says what became of name.
func (s *Step) undeclared(name string, heirs []string, reason, drop string) {
	others := ""
	if len(heirs) > 1 {
		others = " (or " + strings.Join(heirs[1:], ", ") + ")"
	}
	s.Refuse(reason, fmt.Sprintf("write renamed: {%s: %s}%s in frond.yaml if that is its new name; if it has none, write renamed: {%s: null}%s", name, heirs[0], others, name, drop))
}

// gone reports whether frond.yaml says that an entity or a field has no new name.
func (t *Task) gone(entity, field string) bool {
	return slices.ContainsFunc(t.Changes.Gone, func(g catalog.Renamed) bool {
		return strings.EqualFold(g.Entity, entity) && g.Field == field
	})
}

// renamedTo reports whether a rename leads to an entity, or to a field of one.
func (t *Task) renamedTo(entity, field string) bool {
	return slices.ContainsFunc(t.Changes.Renamed, func(r catalog.Renamed) bool {
		if field == "" {
			return r.Field == "" && strings.EqualFold(r.To, entity)
		}
		return r.Field != "" && strings.EqualFold(r.Entity, entity) && r.To == field
	})
}

// valued reports whether frond.yaml computes a field of older rows.
func (t *Task) valued(entity, field string) bool {
	return slices.ContainsFunc(t.Changes.Values, func(v *catalog.Backfill) bool { return v.Entity.Name == entity && v.Field.Name == field })
}
