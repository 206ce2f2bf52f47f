package store

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// all is a write of several rows that are there, with the keys of its change.
type all[T engineTable] struct {
	change[T]
	ids        []json.RawMessage
	layout     *rows.Layout
	statements []*Statement
	builders   []*sqltext.Builder
	found      *rows.Rows // updated rows
}

var errAbsent = kiterror.Errorf(kiterror.NotFound, "a row that is to be written is not there")

// updates writes a statement for the rows of which the same fields are set.
func (a *all[T]) updates(db DB[T], text *sqltext.Database, sets []facade.Record) error {
	t := a.write.Table
	for _, group := range sameFields(sets) {
		sel := &sqltext.Selection{}
		if err := sel.Choose(t.Base(), a.layout, nil); err != nil {
			return err
		}
		var columns []*sqltext.Column
		for _, m := range sets[group[0]] {
			c, err := t.Base().Column(t.Base().Entity.Property(m.Name))
			if err == nil && c.Parts != nil {
				err = sqltext.Refuse(c.Prop, schema.ReadOnly)
			}
			if err != nil {
				return err
			}
			columns = append(columns, c)
		}
		var args []sqltext.Value
		for _, i := range group {
			for k, m := range sets[i] {
				v, fault := sqltext.Encode(columns[k].Prop, m.Value)
				if fault != "" {
					return sqltext.Refuse(columns[k].Prop, fault)
				}
				if err := t.Fit(columns[k].Prop, &v); err != nil {
					return err
				}
				args = append(args, v)
			}
			args = append(args, a.keys[i])
		}
		b := text.Builder()
		a.builders = append(a.builders, b)
		st := &Statement{Most: len(group)}
		st.Args, st.Times = db.UpdateAll(b, t, columns, args, len(group))
		if len(sel.Fields) > 0 {
			b.Returning(sel)
			st.Sel = sel
		}
		st.SQL = b.SQL
		a.statements = append(a.statements, st)
	}
	return nil
}

// sameFields groups the places of records that set the same fields, in the order of the first of each group.
func sameFields(sets []facade.Record) (groups [][]int) {
	for i, set := range sets {
		same := func(group []int) bool {
			return slices.EqualFunc(sets[group[0]], set, func(a, b schema.Member) bool { return a.Name == b.Name })
		}
		if at := slices.IndexFunc(groups, same); at >= 0 {
			groups[at] = append(groups[at], i)
		} else {
			groups = append(groups, []int{i})
		}
	}
	return groups
}

// deletes writes the one statement.
func (a *all[T]) deletes(text *sqltext.Database) error {
	b := text.Builder()
	a.builders = append(a.builders, b)
	err := b.DeleteAll(a.write.Table.Base(), a.keys)
	a.statements = append(a.statements, &Statement{SQL: b.SQL, Args: b.Args, Times: 1})
	return err
}

// run runs the write. Each row has to be there.
func (a *all[T]) run(tx Tx) error {
	var checks Checks = &a.change
	if a.write.Written == nil {
		checks = nil
	}
	if err := tx.Run(checks, a.last(), a.statements...); err != nil {
		return err
	}
	written, returned := int64(0), map[string]rows.Row{}
	for _, st := range a.statements {
		if st.Sel == nil {
			written += st.Count
			continue
		}
		for i := range st.Rows.Len() {
			returned[string(st.Rows.Row(i).Get(a.write.Table.Base().Primary.Prop.Name))] = st.Rows.Row(i)
			written++
		}
	}
	if written != int64(len(a.keys)) {
		return errAbsent
	}
	if a.found = nil; len(returned) > 0 {
		a.found = rows.New(a.layout, len(a.ids))
		for _, id := range a.ids {
			row, ok := returned[string(id)]
			if !ok {
				return errAbsent
			}
			a.found.CopyRow(row)
		}
	}
	return a.announce(tx, a.found)
}

func (a *all[T]) free() {
	for _, b := range a.builders {
		b.Free()
	}
}
