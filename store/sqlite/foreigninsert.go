package sqlite

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// insertSparse writes rows of a table whose columns the database fills: a statement for each
// row, with what it has. See [Store.Insert].
func (s *Store) insertSparse(ctx context.Context, t *table, records []facade.Record, of *facade.Terms, sel *sqltext.Selection) (*facade.Rows, error) {
	writes := make([]*sqltext.Builder, len(records))
	own := make([]sqltext.Value, len(records))
	at := -1
	if of != nil {
		at = sel.Also(t.Primary) // the key is known when the row is there
	}
	for i, record := range records {
		row, err := t.Row(nil, record)
		if err != nil {
			return nil, err
		}
		writes[i], own[i] = s.text.Builder(), t.KeyOf(row)
		defer writes[i].Free()
		if err := writes[i].InsertSparse(&t.Table, record, row, sel); err != nil {
			return nil, err
		}
	}
	m, err := s.text.Terms(&t.Table, of, nil, nil)
	if err != nil {
		return nil, err
	}
	defer m.Free()
	var rows *facade.Rows
	err = s.db.Write(&engine.Op{
		Ctx: ctx,
		Run: func(c *engine.Conn) error {
			rows = facade.NewRows(sel.Layout, len(records))
			for _, record := range records {
				if err := m.Leads(runner{c}, facade.Row{}, record, own); err != nil {
					return err
				}
			}
			for i, b := range writes {
				if err := s.insertOne(c, t, b, sel, rows, at, &own[i]); err != nil {
					return constraint(s.tables.Load(), t, records[i], err)
				}
			}
			for _, key := range own {
				if err := m.Stays(runner{c}, key); err != nil {
					return err
				}
			}
			return s.recorder(of).record(c, rows)
		},
		Blame: func(c *engine.Conn, err error) error { return s.blameWrite(c, t, records, err) },
	})
	if err != nil {
		return nil, err
	}
	facade.AccountOf(ctx).Add(rows.Size()) // written is written
	return rows, nil
}

// insertOne runs the INSERT of one row and appends the row. With a place, at, it reads the key
// that the row has got.
func (s *Store) insertOne(c *engine.Conn, t *table, b *sqltext.Builder, sel *sqltext.Selection, rows *facade.Rows, at int, key *sqltext.Value) error {
	st, err := c.Start(b.SQL, b.Args)
	if err != nil {
		return err
	}
	for st.Step() {
		appendRow(rows, sel, st, 0)
		if at >= 0 {
			*key, _ = sqltext.Encode(t.Primary.Prop, appendColumn(nil, st, at, t.Primary))
		}
	}
	return c.Finish(st)
}
