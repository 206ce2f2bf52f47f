package store

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// insertSparse writes rows of a table whose columns the database fills: a statement for each row,
// with the row's own columns, in one transaction. The key of a row is known when the row is there.
// See [Writes.Insert].
func (w *Writes[T]) insertSparse(ctx context.Context, t T, records []facade.Record, of *facade.Terms, sel *sqltext.Selection) (*rows.Rows, error) {
	c := &change[T]{write: Write[T]{Table: t, Terms: of, Written: records}, keys: make([]sqltext.Value, len(records))}
	at := -1
	if of != nil {
		at = sel.Also(t.Base().Primary)
	}
	statements := make([]*Statement, len(records))
	for i, record := range records {
		values, err := row(t, nil, record)
		if err != nil {
			return nil, err
		}
		c.keys[i] = t.Base().KeyOf(values)
		b := w.text.Builder()
		defer b.Free()
		if err := b.InsertSparse(t.Base(), record, values, sel); err != nil {
			return nil, err
		}
		statements[i] = &Statement{SQL: b.SQL, Args: b.Args, Times: 1, Sel: sel, Most: 1}
		if at >= 0 {
			statements[i].Key, statements[i].At = &c.keys[i], at
		}
	}
	var err error
	if c.terms, err = w.text.Terms(t.Base(), of, nil, nil); err != nil {
		return nil, err
	}
	defer c.terms.Free()
	if len(statements) == 1 {
		c.write.Alone = statements[0]
	}
	err = w.db.Write(ctx, &c.write, func(tx Tx) error {
		if err := c.Before(tx); err != nil {
			return err
		}
		if err := tx.Run(nil, false, statements...); err != nil {
			return err
		}
		if err := allWrote(statements); err != nil {
			return err
		}
		if err := c.After(tx); err != nil {
			return err
		}
		return c.announce(tx, together(statements))
	})
	if err == nil { // of a statement alone
		err = allWrote(statements)
	}
	if err != nil {
		return nil, err
	}
	c.statement.Rows = together(statements)
	return c.written(ctx), nil
}

// allWrote returns CONFLICT where the database has run a statement and left its row out.
func allWrote(statements []*Statement) error {
	if slices.ContainsFunc(statements, func(st *Statement) bool { return st.Rows.Len() == 0 }) {
		return unwritten()
	}
	return nil
}

// unwritten is the CONFLICT of a write that another program's table left out without an error.
func unwritten() error {
	return kiterror.Errorf(kiterror.Conflict, "the database wrote no row: a trigger, rule or policy left it out; ask the owner")
}

// skipped returns CONFLICT where another program's table has the row, and the write of it wrote no row; nil
// where the table does not have it.
func (w *Writes[T]) skipped(ctx context.Context, t T, e *schema.Entity, id json.RawMessage, where *filter.Filter) error {
	if !t.Base().Sparse {
		return nil
	}
	found, err := w.Update(ctx, e, id, where, nil, nil, rows.NewLayout(nil))
	if err == nil && found.Len() > 0 {
		err = unwritten()
	}
	return err
}

// together are the rows that statements have answered.
func together(statements []*Statement) *rows.Rows {
	if len(statements) == 1 {
		return statements[0].Rows
	}
	found := rows.New(statements[0].Sel.Layout, len(statements))
	for _, st := range statements {
		for i := range st.Rows.Len() {
			found.CopyRow(st.Rows.Row(i))
		}
	}
	return found
}
