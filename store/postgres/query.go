package postgres

import (
	"strconv"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/driver"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// selected is a statement whose columns are those of a selection, with before and behind more of them
// around it.
func selected(sql []byte, args *arguments, sel *sqltext.Selection, before, behind int) *engine.Query {
	width := before + sel.Width() + behind
	forms, types := make([]engine.Form, width), make([]uint32, width)
	at := before
	for _, list := range [...][]*sqltext.Column{sel.Fields, sel.Extra} {
		for _, c := range list {
			forms[at], types[at] = formOf(c), typeOf(c)
			at++
		}
	}
	return &engine.Query{Text: sql, Values: args.values, Columns: forms, Types: types}
}

// appendRow appends the fields of a selection, which values begin with.
func appendRow(found *rows.Rows, sel *sqltext.Selection, values [][]byte) {
	found.BeginRow()
	for i, c := range sel.Fields {
		found.End(i, appendCell(found.Begin(i), values[i], c))
	}
	found.EndRow()
}

// appendCell appends a value, nil for null, by the decoder of its column.
func appendCell(dst, raw []byte, c *sqltext.Column) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	return c.Decode(dst, raw)
}

// query is a statement of package store as the engine runs it. Free the arguments when it has run.
func query(t *table, st *driver.Statement) (*engine.Query, *arguments) {
	bound := newArguments(st.Args)
	if st.Sel == nil {
		return &engine.Query{Text: st.SQL, Values: bound.values}, bound
	}
	q := selected(st.SQL, bound, st.Sel, 0, 0)
	q.Reset = func() { st.Rows = rows.New(st.Sel.Layout, st.Most) }
	q.Reset()
	q.Row = func(values [][]byte) error {
		if st.Key != nil && values[st.At] != nil {
			*st.Key, _ = sqltext.Encode(t.Primary.Prop, t.Primary.Decode(nil, values[st.At]))
		}
		appendRow(st.Rows, st.Sel, values)
		return nil
	}
	return q, bound
}

// runner runs the statements of [sqltext.Terms] on a connection.
type runner struct{ *engine.Conn }

// Rows reads the row that is to be changed, and locks it until the transaction ends.
func (r runner) Rows(sql []byte, args []sqltext.Value, sel *sqltext.Selection, list *rows.Rows) error {
	bound := newArguments(args)
	defer bound.free()
	q := selected(append(sql[:len(sql):len(sql)], " FOR UPDATE"...), bound, sel, 0, 0)
	q.Row = func(values [][]byte) error {
		appendRow(list, sel, values)
		return nil
	}
	return r.Run(q)
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
