package store

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/driver"
	"github.com/frondhost/frond/store/sqltext"
)

// all is a write of several rows that are there, with the keys of its change.
type all[T driver.Table] struct {
	change[T]
	statements []*driver.Statement
	builders   []*sqltext.Builder
	found      *rows.Rows // updated rows
}

var errAbsent = kiterror.Errorf(kiterror.NotFound, "a row that is to be written is not there")

// updates writes the statement of each row.
func (a *all[T]) updates(text *sqltext.Database, layout *rows.Layout, sets []facade.Record) error {
	t := a.write.Table
	for i, set := range sets {
		sel := &sqltext.Selection{}
		if err := sel.Choose(t.Base(), layout, nil); err != nil {
			return err
		}
		if len(sel.Fields) == 0 {
			sel = nil
		}
		b := text.Builder()
		a.builders = append(a.builders, b)
		if err := b.Update(t.Base(), sel, a.keys[i], nil, set); err != nil {
			return err
		}
		for k, m := range set { // their values are the first that are bound
			if err := t.Fit(t.Base().Entity.Property(m.Name), &b.Args[k]); err != nil {
				return err
			}
		}
		a.statements = append(a.statements, &driver.Statement{SQL: b.SQL, Args: b.Args, Times: 1, Sel: sel, Most: 1})
	}
	return nil
}

// deletes writes the one statement.
func (a *all[T]) deletes(text *sqltext.Database) error {
	b := text.Builder()
	a.builders = append(a.builders, b)
	err := b.DeleteAll(a.write.Table.Base(), a.keys)
	a.statements = append(a.statements, &driver.Statement{SQL: b.SQL, Args: b.Args, Times: 1})
	return err
}

// run runs the write. Each row has to be there.
func (a *all[T]) run(tx driver.Tx) error {
	var checks driver.Checks = &a.change
	if a.write.Written == nil {
		checks = nil
	}
	if err := tx.Run(checks, a.last(), a.statements...); err != nil {
		return err
	}
	written, parts := int64(0), make([]*rows.Rows, 0, len(a.statements))
	for _, st := range a.statements {
		if st.Sel != nil {
			written, parts = written+int64(st.Rows.Len()), append(parts, st.Rows)
		} else {
			written += st.Count
		}
	}
	if written != int64(len(a.keys)) {
		return errAbsent
	}
	if a.found = nil; len(parts) > 0 {
		a.found = rows.Join(parts[0].Layout(), parts)
	}
	return a.announce(tx, a.found)
}

func (a *all[T]) free() {
	for _, b := range a.builders {
		b.Free()
	}
}
