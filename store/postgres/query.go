package postgres

import (
	"slices"
	"strconv"
	"sync"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// selected is a statement with the columns of a selection, with before and behind more columns around
// them. It is a part of args.
func selected(sql []byte, args *arguments, sel *sqltext.Selection, before, behind int) *engine.Query {
	width := before + sel.Width() + behind
	args.forms, args.types = slices.Grow(args.forms[:0], width)[:width], slices.Grow(args.types[:0], width)[:width]
	clear(args.forms)
	clear(args.types)
	at := before
	for _, list := range [...][]*sqltext.Column{sel.Fields, sel.Extra} {
		for _, c := range list {
			if args.types[at] = c.OID; c.Binary {
				args.forms[at] = engine.BinaryForm
			}
			at++
		}
	}
	args.query = engine.Query{Text: sql, Values: args.values, Columns: args.forms, Types: args.types}
	return &args.query
}

// cells are the values of a row; nil is null.
type cells [][]byte

var _ sqltext.Row = cells{}

// Int returns column i.
func (v cells) Int(i int) (n int64, has bool, err error) {
	if v[i] == nil {
		return 0, false, nil
	}
	n, err = strconv.ParseInt(string(v[i]), 10, 64)
	return n, true, err
}

// AppendCell appends column i as JSON, by the decoder of its column.
func (v cells) AppendCell(dst []byte, i int, c *sqltext.Column) []byte {
	if raw := v[i]; raw != nil {
		return c.Decode(dst, raw)
	}
	return append(dst, "null"...)
}

// AppendKey appends column i as a cursor has it.
func (v cells) AppendKey(dst []byte, i int, c *sqltext.Column) []byte {
	if c.Key == nil || v[i] == nil {
		return v.AppendCell(dst, i, c)
	}
	return c.Key(dst, v[i])
}

// query is a statement of package store as the engine runs it. Free the arguments when it has run.
func query(t *table, st *store.Statement) (*engine.Query, *arguments) {
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
		sqltext.AppendRow(st.Rows, st.Sel, cells(values), 0)
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
		sqltext.AppendRow(list, sel, cells(values), 0)
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

// arguments are the bound values of one statement in PostgreSQL's text form, which the server
// reads by the type that each placeholder has. They keep their room in a pool: take them with
// [newArguments], give them back with free when the statement has run.
type arguments struct {
	values [][]byte
	room   []byte
	// query is the statement of [selected], with the forms and types of its columns.
	query engine.Query
	forms []engine.Form
	types []uint32
}

var argumentPool = sync.Pool{New: func() any { return new(arguments) }}

// newArguments returns the text forms of values; nil is null.
func newArguments(values []sqltext.Value) *arguments {
	a := argumentPool.Get().(*arguments)
	size := 0
	for i := range values {
		size += len(values[i].S) + 24 // a number's digits
	}
	if cap(a.room) < size {
		a.room = make([]byte, 0, size) // enough: no value moves while others point at it
	}
	a.room, a.values = a.room[:0], a.values[:0]
	for _, v := range values {
		if v.Kind == sqltext.Null {
			a.values = append(a.values, nil)
			continue
		}
		from := len(a.room)
		a.room = appendValue(a.room, v)
		a.values = append(a.values, a.room[from:len(a.room):len(a.room)])
	}
	return a
}

// maxKeptRoom is how many bytes of values are kept for the next statement.
const maxKeptRoom = 64 << 10

// free gives the arguments back. The caller must not use them any more.
func (a *arguments) free() {
	if cap(a.room) <= maxKeptRoom {
		a.query = engine.Query{}
		argumentPool.Put(a)
	}
}

// appendValue appends the text form of a value, never null. An integer's form is a boolean's
// too: PostgreSQL reads 1 and 0 as true and false.
func appendValue(dst []byte, v sqltext.Value) []byte {
	switch v.Kind {
	case sqltext.Int:
		return strconv.AppendInt(dst, v.I, 10)
	case sqltext.Float:
		return strconv.AppendFloat(dst, v.F, 'g', -1, 64)
	}
	return append(dst, v.S...)
}
