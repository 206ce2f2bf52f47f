package postgres

import (
	"strconv"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/driver"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// selected is a statement whose columns are those of a selection; rows is set to its result.
func selected(sql []byte, args *arguments, sel *sqltext.Selection, found **rows.Rows, room int) *engine.Query {
	forms, types := make([]engine.Form, max(1, len(sel.Fields))), make([]uint32, len(sel.Fields))
	for i, c := range sel.Fields {
		forms[i], types[i] = formOf(c), typeOf(c)
	}
	reset := func() { *found = rows.New(sel.Layout, room) }
	reset()
	return &engine.Query{Text: sql, Values: args.values, Columns: forms, Types: types, Reset: reset, Row: func(values [][]byte) error {
		rows := *found
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

// query is a statement of package store as the engine runs it. Free the arguments when it has run.
func query(t *table, st *driver.Statement) (*engine.Query, *arguments) {
	bound := newArguments(st.Args)
	if st.Sel == nil {
		return &engine.Query{Text: st.SQL, Values: bound.values}, bound
	}
	q := selected(st.SQL, bound, st.Sel, &st.Rows, st.Most)
	if st.Key != nil {
		q.Columns = q.Columns[:len(st.Sel.Fields)]
		for _, c := range st.Sel.Extra {
			q.Columns = append(q.Columns, formOf(c))
		}
		row := q.Row
		q.Row = func(values [][]byte) error {
			if v := values[st.At]; v != nil {
				*st.Key, _ = sqltext.Encode(t.Primary.Prop, t.Primary.Decode(nil, v))
			}
			return row(values)
		}
	}
	return q, bound
}

// runner runs the statements of [sqltext.Terms] on a connection.
type runner struct{ *engine.Conn }

// Rows reads the row that is to be changed, and locks it until the transaction ends.
func (r runner) Rows(sql []byte, args []sqltext.Value, sel *sqltext.Selection, list *rows.Rows) error {
	bound := newArguments(args)
	defer bound.free()
	var found *rows.Rows
	err := r.Run(selected(append(sql[:len(sql):len(sql)], " FOR UPDATE"...), bound, sel, &found, 1))
	for i := range found.Len() {
		list.BeginRow()
		for f := range sel.Fields {
			list.Put(f, found.Row(i).At(f))
		}
		list.EndRow()
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
