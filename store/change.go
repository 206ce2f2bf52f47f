package store

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/sqltext"
)

// change is one write: its statement, and the conditions before and after it.
type change[T engineTable] struct {
	write     Write[T]
	terms     *sqltext.Terms // nil: nothing has to hold
	statement Statement
	// keys are the keys of the new rows; was is the row before the change.
	keys   []sqltext.Value
	was    rows.Row
	single [1]facade.Record // is write.Written of an update
}

// insert runs the write of new rows.
func (c *change[T]) insert(tx Tx) error {
	if err := tx.Run(c, c.last(), &c.statement); err != nil {
		return err
	}
	c.blank()
	return c.announce(tx, c.statement.Rows)
}

// blank sets the rows of a write of new rows that selects no field and returns no row.
func (c *change[T]) blank() {
	if c.statement.Sel != nil {
		return
	}
	c.statement.Rows = rows.New(rows.NewLayout(nil), c.statement.Most)
	for range c.statement.Most {
		c.statement.Rows.BeginRow()
		c.statement.Rows.EndRow()
	}
}

// update runs the write of a row. set has the values of the caller, b the statement that sets them.
func (c *change[T]) update(tx Tx, text *sqltext.Database, b *sqltext.Builder, sel *sqltext.Selection, set facade.Record) error {
	was, judged, there, err := c.terms.Judge(tx)
	if err != nil || !there {
		c.statement.Rows = rows.New(sel.Layout, 0)
		return err
	}
	c.was, c.single[0] = was, set
	c.statement.SQL, c.statement.Args = b.SQL, b.Args // an earlier run may have had others
	if judged != nil {
		b = text.Builder()
		defer b.Free()
		if err := c.set(b, sel, judged); err != nil {
			return err
		}
	}
	if err := tx.Run(c, c.last(), &c.statement); err != nil || c.statement.Rows.Len() == 0 {
		return err
	}
	return c.announce(tx, c.statement.Rows)
}

// set makes the statement an update.
func (c *change[T]) set(b *sqltext.Builder, sel *sqltext.Selection, set facade.Record) error {
	t := c.write.Table
	if err := b.Update(t.Base(), sel, c.write.Key, c.write.Where, set); err != nil {
		return err
	}
	for i, m := range set { // their values are the first that are bound
		if err := t.Fit(t.Base().Entity.Property(m.Name), &b.Args[i]); err != nil {
			return err
		}
	}
	c.single[0] = set
	c.write.Written = c.single[:]
	c.statement = Statement{SQL: b.SQL, Args: b.Args, Times: 1, Sel: sel, Most: 1}
	return nil
}

// delete runs the removal of a row.
func (c *change[T]) delete(tx Tx) error {
	c.statement.Count = 0
	if _, _, there, err := c.terms.Judge(tx); err != nil || !there {
		return err
	}
	if err := tx.Run(nil, c.last(), &c.statement); err != nil || c.statement.Count == 0 {
		return err
	}
	return c.announce(tx, nil)
}

// Before implements [Checks].
func (c *change[T]) Before(run sqltext.Runner) error {
	return c.terms.CheckRelations(run, c.was, c.write.Written, c.keys)
}

// After implements [Checks]. It checks new rows once all of them are written, since they
// may point at each other.
func (c *change[T]) After(run sqltext.Runner) error {
	if c.write.Key.Kind == sqltext.Null {
		return c.terms.CheckVisible(run, c.keys...)
	}
	if c.statement.Done && c.statement.Rows.Len() == 0 { // no row meets where
		return nil
	}
	return c.terms.CheckVisible(run, c.write.Key)
}

// last says that the statement ends the write.
func (c *change[T]) last() bool { return !c.write.Announces() }

// announce ends a write that has written rows with its events, if it has any.
func (c *change[T]) announce(tx Tx, found *rows.Rows) error {
	if !c.write.Announces() {
		return nil
	}
	events, err := c.write.Terms.Events(found)
	if err != nil || len(events) == 0 {
		return err
	}
	return tx.Emit(events)
}

// written returns the written rows and charges the request for them.
func (c *change[T]) written(ctx context.Context) *rows.Rows {
	budget.AccountOf(ctx).Add(c.statement.Rows.Size()) // written is written
	return c.statement.Rows
}
