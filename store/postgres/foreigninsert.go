package postgres

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// insertSparse writes rows of a table whose columns the database fills: a statement for each
// row, with what it has, in one transaction. See [Store.Insert].
func (s *Store) insertSparse(ctx context.Context, t *table, records []facade.Record, of *facade.Terms, sel *sqltext.Selection) (*facade.Rows, error) {
	own := make([]sqltext.Value, len(records))
	queries := make([]*engine.Query, len(records))
	answers := make([]*facade.Rows, len(records))
	at := -1
	if of != nil {
		at = sel.Also(t.Primary) // the key is known when the row is there
	}
	for i, record := range records {
		row, err := t.row(nil, record)
		if err != nil {
			return nil, err
		}
		own[i] = t.KeyOf(row)
		b := s.text.Builder()
		defer b.Free()
		if err := b.InsertSparse(&t.Table, record, row, sel); err != nil {
			return nil, err
		}
		bound := newArguments(b.Args)
		defer bound.free()
		queries[i] = selected(b.SQL, bound, sel, &answers[i], 1)
		if at >= 0 {
			queries[i].Columns = append(queries[i].Columns[:len(sel.Fields)], forms(sel.Extra)...)
			queries[i].Row = withKey(queries[i].Row, t, at, &own[i])
		}
	}
	m, err := s.text.Terms(&t.Table, of, nil, nil)
	if err != nil {
		return nil, err
	}
	defer m.Free()
	var rows *facade.Rows
	if m == nil && len(queries) == 1 {
		err = s.db.Once(ctx, queries[0])
		rows = answers[0]
	} else {
		err = s.announcing(ctx, of, s.db.Write, func(c *engine.Conn) error {
			for _, record := range records {
				if err := m.Leads(runner{c}, facade.Row{}, record, own); err != nil {
					return err
				}
			}
			if err := c.Run(queries...); err != nil {
				return err
			}
			for _, key := range own {
				if err := m.Stays(runner{c}, key); err != nil {
					return err
				}
			}
			if rows = answers[0]; len(answers) > 1 {
				rows = facade.NewRows(sel.Layout, len(answers))
				for _, one := range answers {
					rows.CopyRow(one.Row(0))
				}
			}
			return s.announce(c, of, rows)
		})
	}
	if err != nil {
		return nil, s.constraint(t, records, err)
	}
	facade.AccountOf(ctx).Add(rows.Size()) // written is written
	return rows, nil
}

// forms are the forms of columns.
func forms(columns []*sqltext.Column) (out []engine.Form) {
	for _, c := range columns {
		out = append(out, formOf(c))
	}
	return out
}

// withKey is row, and reads the key that the row has got from column at.
func withKey(row func([][]byte) error, t *table, at int, key *sqltext.Value) func([][]byte) error {
	return func(values [][]byte) error {
		if values[at] != nil {
			*key, _ = sqltext.Encode(t.Primary.Prop, t.Primary.Decode(nil, values[at]))
		}
		return row(values)
	}
}
