// Package store writes rows to any SQL store, and checks the conditions of a write in one order. A
// database engine implements [DB]; the engines are store/sqlite and store/postgres.
package store

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// Writes are the writes of a [facade.Store] over the tables of an engine. Use [NewWrites].
//
// A write takes these steps, in one transaction:
//
//	Judge     the row as it is, read for Terms.Judge     Update, Delete
//	Before    relations lead to rows that exist          Insert, Update
//	          the statement, which returns the written rows
//	After     the row meets Terms.After                  Insert, Update
//	Emit      the events of the written rows
type Writes[T engineTable] struct {
	db   DB[T]
	text *sqltext.Database
}

// NewWrites returns the writes to a database. text writes its statements.
func NewWrites[T engineTable](db DB[T], text *sqltext.Database) Writes[T] {
	return Writes[T]{db, text}
}

// Insert implements [facade.Store]: it writes all rows or fails. of may be nil: then only the
// table's constraints apply. Errors: CONFLICT for a taken value or a relation to a missing row,
// VALIDATION_FAILED for a value that its column cannot hold, and the errors of Terms. A returned
// row is durable. Rows of one call may relate to each other in any order.
func (w *Writes[T]) Insert(ctx context.Context, e *schema.Entity, records []facade.Record, of *facade.Terms, layout *rows.Layout) (*rows.Rows, error) {
	t, err := w.db.Table(e)
	if err != nil {
		return nil, err
	}
	sel := &sqltext.Selection{}
	if err := sel.Choose(t.Base(), layout, nil); err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return rows.New(sel.Layout, 0), nil
	}
	if t.Base().Sparse {
		return w.insertSparse(ctx, t, records, of, sel)
	}
	c := &change[T]{write: Write[T]{Table: t, Terms: of, Written: records}}
	if c.terms, err = w.text.Terms(t.Base(), of, nil, nil); err != nil {
		return nil, err
	}
	defer c.terms.Free()
	width := len(t.Base().Columns)
	args := make([]sqltext.Value, 0, len(records)*width)
	for i, record := range records {
		if args, err = row(t, args, record); err != nil {
			return nil, err
		}
		if of != nil {
			c.keys = append(c.keys, t.Base().KeyOf(args[i*width:]))
		}
	}
	b := w.text.Builder()
	defer b.Free()
	c.statement.Args, c.statement.Times = w.db.Insert(b, t, args, len(records))
	if len(sel.Fields) > 0 {
		b.Returning(sel)
		c.statement.Sel = sel
	}
	c.statement.SQL, c.statement.Most = b.SQL, len(records)
	c.write.Alone = &c.statement
	if err = w.db.Write(ctx, &c.write, c.insert); err != nil {
		return nil, err
	}
	c.blank()
	return c.written(ctx), nil
}

// Update implements [facade.Store]: it returns the row after the change, or no rows if no row
// with the key id meets where. Terms.Judge may replace set after it has seen the row. Without
// set and terms Update is a read. The errors are the errors of Insert.
func (w *Writes[T]) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, of *facade.Terms, layout *rows.Layout) (*rows.Rows, error) {
	t, err := w.db.Table(e)
	if err != nil {
		return nil, err
	}
	sel := &sqltext.Selection{}
	if err := sel.Choose(t.Base(), layout, nil); err != nil {
		return nil, err
	}
	key, isKey := t.Key(id)
	if !isKey {
		return rows.New(sel.Layout, 0), nil // a key of another kind is no row's
	}
	c := &change[T]{write: Write[T]{Table: t, Terms: of, Key: key, Where: where}}
	b := w.text.Builder()
	defer b.Free()
	if err := c.set(b, sel, set); err != nil {
		return nil, err
	}
	if len(set) == 0 && of == nil {
		err := w.db.Read(ctx, t, &c.statement)
		return c.statement.Rows, err
	}
	if c.terms, err = w.text.Terms(t.Base(), of, &c.write.Key, where); err != nil {
		return nil, err
	}
	defer c.terms.Free()
	c.write.Alone = &c.statement
	err = w.db.Write(ctx, &c.write, func(tx Tx) error { return c.update(tx, w.text, b, sel, set) })
	if err == nil && c.statement.Rows.Len() == 0 {
		err = w.skipped(ctx, t, e, id, where)
	}
	if err != nil {
		return nil, err
	}
	return c.written(ctx), nil
}

// Delete implements [facade.Store]: it removes the row with the key id if it meets where, and
// reports whether it did. The error is CONFLICT if another row points at it and its relation's
// onDelete keeps it.
func (w *Writes[T]) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, of *facade.Terms) (bool, error) {
	t, err := w.db.Table(e)
	if err != nil {
		return false, err
	}
	key, isKey := t.Key(id)
	if !isKey {
		return false, nil
	}
	b := w.text.Builder()
	defer b.Free()
	if err := b.Delete(t.Base(), key, where); err != nil {
		return false, err
	}
	c := &change[T]{write: Write[T]{Table: t, Terms: of, Key: key, Where: where}}
	if c.terms, err = w.text.Terms(t.Base(), of, &c.write.Key, where); err != nil {
		return false, err
	}
	defer c.terms.Free()
	c.statement = Statement{SQL: b.SQL, Args: b.Args, Times: 1}
	c.write.Alone = &c.statement
	err = w.db.Write(ctx, &c.write, c.delete)
	if err == nil && c.statement.Count == 0 {
		err = w.skipped(ctx, t, e, id, where)
	}
	return err == nil && c.statement.Count > 0, err
}

// WriteAll implements [facade.Abilities], by one statement for all rows of which the same fields are set.
func (w *Writes[T]) WriteAll(ctx context.Context, e *schema.Entity, ids []json.RawMessage, sets []facade.Record, of *facade.Terms, layout *rows.Layout) (*rows.Rows, error) {
	t, err := w.db.Table(e)
	if err != nil {
		return nil, err
	}
	a := &all[T]{change: change[T]{write: Write[T]{Table: t, Terms: of, Written: sets}}, ids: ids, layout: layout}
	if a.terms, err = w.text.Terms(t.Base(), of, nil, nil); err != nil {
		return nil, err
	}
	defer a.terms.Free()
	for _, id := range ids {
		key, isKey := t.Key(id)
		if !isKey {
			return nil, errAbsent
		}
		a.keys = append(a.keys, key)
	}
	a.write.Keys = a.keys
	if sets == nil {
		err = a.deletes(w.text)
	} else {
		err = a.updates(w.db, w.text, sets)
	}
	defer a.free()
	if err == nil {
		err = w.db.Write(ctx, &a.write, a.run)
	}
	return a.found, err
}

// row appends the values of one row in the order of the columns. VALIDATION_FAILED for a value
// that its column cannot hold, and for a row without a key.
func row[T engineTable](t T, args []sqltext.Value, record facade.Record) ([]sqltext.Value, error) {
	from := len(args)
	args, err := t.Base().Row(args, record)
	if err != nil {
		return args, err
	}
	for i, c := range t.Base().Columns {
		if err := t.Fit(c.Prop, &args[from+i]); err != nil {
			return args, err
		}
	}
	return args, nil
}
