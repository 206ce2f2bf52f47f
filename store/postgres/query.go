package postgres

import (
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// selected is a statement whose columns are those of a selection; rows is set to what it
// returns.
func selected(sql []byte, args *arguments, sel *sqltext.Selection, rows **facade.Rows, room int) *engine.Query {
	forms, types := make([]engine.Form, max(1, len(sel.Fields))), make([]uint32, len(sel.Fields))
	for i, c := range sel.Fields {
		forms[i], types[i] = formOf(c), typeOf(c)
	}
	reset := func() { *rows = facade.NewRows(sel.Layout, room) }
	reset()
	return &engine.Query{Text: sql, Values: args.values, Columns: forms, Types: types, Reset: reset, Row: func(values [][]byte) error {
		rows := *rows
		rows.BeginRow()
		for i, c := range sel.Fields {
			dst := rows.Begin(i)
			if values[i] == nil {
				dst = append(dst, "null"...)
			} else {
				dst = c.Decode(dst, values[i])
			}
			rows.End(i, dst)
		}
		rows.EndRow()
		return nil
	}}
}

// runner runs the statements of [sqltext.Terms] on a connection.
type runner struct{ *engine.Conn }

// Rows reads the row that is to be changed, and locks it until the transaction ends.
func (r runner) Rows(sql []byte, args []sqltext.Value, sel *sqltext.Selection, rows *facade.Rows) error {
	bound := newArguments(args)
	defer bound.free()
	var found *facade.Rows
	err := r.Run(selected(append(sql[:len(sql):len(sql)], " FOR UPDATE"...), bound, sel, &found, 1))
	for i := range found.Len() {
		rows.BeginRow()
		for f := range sel.Fields {
			rows.Put(f, found.Row(i).At(f))
		}
		rows.EndRow()
	}
	return err
}

// Number returns the one integer that a statement returns.
func (r runner) Number(sql []byte, args []sqltext.Value) (n int64, err error) {
	bound := newArguments(args)
	defer bound.free()
	err = r.Run(&engine.Query{Text: sql, Values: bound.values, Row: func(values [][]byte) (err error) {
		n, err = strconv.ParseInt(string(values[0]), 10, 64)
		return err
	}})
	return n, err
}
