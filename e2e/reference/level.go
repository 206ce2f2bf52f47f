package reference

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// level holds the rows of one call. They share the calls of their relations: graphql-go
// resolves the fields of one row after another, each relation returns a thunk, and the thunk
// that runs first makes the call for all rows.
//
// A level belongs to one request and is used by one goroutine, as graphql-go runs thunks.
type level struct {
	rows []rows.Row
	// typ is the type of the rows of Query.node and Query.nodes, "" for all others.
	typ string // of Query.node and Query.nodes
	// failed are the computed fields that could not be made, by name.
	failed  map[string]error
	batches map[*ast.Field]*relationBatch
}

// newLevel returns a level with the rows of a result, and why its computed fields failed.
func newLevel(res *facade.Result) *level {
	l := &level{rows: make([]rows.Row, res.Rows.Len()), batches: map[*ast.Field]*relationBatch{}}
	for i := range l.rows {
		l.rows[i] = res.Rows.Row(i)
	}
	for _, f := range res.Failed {
		if l.failed == nil {
			l.failed = map[string]error{}
		}
		l.failed[f.Field] = f.Err
	}
	return l
}

// row returns row i of the level as a source.
func (l *level) row(i int) *row { return &row{l, i} }

// cut returns the rows [from, to) as sources.
func (l *level) cut(from, to int) []*row {
	rows := make([]*row, 0, to-from)
	for ; from < to; from++ {
		rows = append(rows, l.row(from))
	}
	return rows
}

// get returns the text of a column, nil where the row does not have it.
func (r *row) get(column string) json.RawMessage { return r.rows[r.i].Get(column) }

// get returns the text of a member, nil where the object does not have it.
func (n nested) get(column string) json.RawMessage { return jsontext.Get(n, column) }

// sourceOf turns a value of the façade into the source of generated fields. Other values stay
// as they are.
//
//	facade.Row                  *row; nil for the zero Row
//	[]facade.Row, *facade.Rows  []*row
//	*facade.Result              by its form: *row, []*row, *page, or the value
func sourceOf(v any) any {
	switch v := v.(type) {
	case rows.Row:
		if v == (rows.Row{}) {
			return nil
		}
		return (&level{rows: []rows.Row{v}, batches: map[*ast.Field]*relationBatch{}}).row(0)
	case []rows.Row:
		return (&level{rows: v, batches: map[*ast.Field]*relationBatch{}}).cut(0, len(v))
	case *rows.Rows:
		if v == nil {
			return nil
		}
		return sourceOf(&facade.Result{Form: facade.FormRows, Rows: v})
	case *facade.Result:
		if v == nil {
			return nil
		}
		l := newLevel(v)
		switch {
		case v.Form == facade.FormValue:
			return v.Value
		case v.Form == facade.FormRows, v.Form == facade.FormItems:
			return l.cut(0, len(l.rows))
		case v.Form != facade.FormRow: // a page, or the answer of a write of many rows
			return &page{rows: l.cut(0, len(l.rows)), Page: v.Page}
		case len(l.rows) == 0:
			return nil
		}
		return l.row(0)
	}
	return v
}

// plain returns a value in the form that functions of the author's types read: graphql-go
// passes them the value that the Resolve returned, and needs to iterate over rows. A generated
// field below makes a source of its own row, so rows of one list share no calls there.
//
//	*facade.Rows     []facade.Row
//	*facade.Result   by its form: facade.Row, []facade.Row, the value; a page stays a result
//
// A failed computed field cannot be reported with plain rows, and fails the field.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case rows.Row:
		if v == (rows.Row{}) {
			return nil, nil
		}
	case *rows.Rows:
		if v == nil {
			return nil, nil
		}
		return newLevel(&facade.Result{Rows: v}).rows, nil
	case *facade.Result:
		switch {
		case v == nil:
			return nil, nil
		case len(v.Failed) > 0:
			return nil, v.Failed[0].Err
		case v.Form == facade.FormValue:
			return v.Value, nil
		case v.Form == facade.FormPage:
			return v, nil
		case v.Form == facade.FormRows:
			return newLevel(v).rows, nil
		case v.Rows.Len() == 0:
			return nil, nil
		}
		return v.Rows.Row(0), nil
	}
	return v, nil
}

// relationBatch is one relation of all rows of a level: one call, made when the value of the
// first row is read.
type relationBatch struct {
	run     func() ([]any, error) // one value per row of the level
	done    bool
	values  []any
	failure error
}

// value returns the value of row i, and makes the call where no row did so before. A failure
// is that of every row.
func (b *relationBatch) value(i int) (any, error) {
	if !b.done {
		// Set first: run may panic, and must not be repeated for the next row.
		b.done = true
		defer func() {
			// run panicked: every row fails alike, and the panic itself goes on to the thunk
			// that made the call.
			if b.values == nil && b.failure == nil { // run panicked: every row fails alike
				b.failure = kiterror.Internal(nil)
			}
		}()
		b.values, b.failure = b.run()
	}
	if b.failure != nil {
		return nil, b.failure
	}
	return b.values[i], nil
}

// relation returns a thunk, so that graphql-go asks for the rows of a relation when the whole
// level is resolved. Calls are shared by the place in the document: one field under two
// aliases makes two calls, unlike in package resolvers.
func (e *executor) relation(b *binding.Field, r *row, p graphql.ResolveParams) (any, error) {
	// The first of the merged fields represents all of them.
	at := p.Info.FieldASTs[0]
	todo := r.batches[at]
	if todo == nil {
		todo = &relationBatch{}
		switch b.Kind {
		case binding.ToOne:
			todo.run = func() ([]any, error) { return e.toOne(b, r.level, p) }
		case binding.ToMany:
			todo.run = func() ([]any, error) { return e.toMany(b, r.level, p) }
		default:
			todo.run = func() ([]any, error) { return e.toManyIDs(b, r.level, p) }
		}
		r.batches[at] = todo
	}
	return thunk(func() (any, error) { return todo.value(r.i) }), nil
}

// keys returns the texts of a column in all rows, "null" where a row has none, so that groups
// and rows have the same indexes.
func (l *level) keys(column string) []json.RawMessage {
	keys := make([]json.RawMessage, len(l.rows))
	for i, r := range l.rows {
		if keys[i] = r.Get(column); keys[i] == nil {
			keys[i] = json.RawMessage("null")
		}
	}
	return keys
}

// toOne fetches the rows that the keys of the level point at, and returns one for each row, nil
// if it is not found.
func (e *executor) toOne(b *binding.Field, l *level, p graphql.ResolveParams) ([]any, error) {
	c := e.call(p.Context, b.Door.Name, "findById")
	c.Each = &facade.Each{Field: b.Output.Primary.Name, Keys: l.keys(b.Column)}
	return e.groups(c, b, p, func(there *level, g facade.Group) any {
		if g.From < g.To {
			return there.row(g.From)
		}
		return nil
	})
}

// groups makes a call with Each, and returns for each key the value of its group.
func (e *executor) groups(c *facade.Call, b *binding.Field, p graphql.ResolveParams, value func(there *level, g facade.Group) any) ([]any, error) {
	e.narrow(c, b, p)
	res, err := e.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newLevel(res)
	values := make([]any, len(res.Groups))
	for i, g := range res.Groups {
		values[i] = value(there, g)
	}
	return values, nil
}

// toMany lists the rows that point back at the rows of the level, and returns a page for each.
func (e *executor) toMany(b *binding.Field, l *level, p graphql.ResolveParams) ([]any, error) {
	list := newListed(b, p.Args, l)
	if e.groupsAlone(b, p) {
		return list.pages(), nil
	}
	c := e.call(p.Context, b.Door.Name, "list")
	if err := invoke(&c.Invocation, b.Args, p.Args); err != nil {
		return nil, err
	}
	c.Each = &facade.Each{Field: b.Relation.Each, Keys: l.keys(b.Column), Through: b.Relation.Through("", "")}
	i := -1
	return e.groups(c, b, p, func(there *level, g facade.Group) any {
		i++
		return &page{rows: there.cut(g.From, g.To), Page: g.Page, list: list, i: i}
	})
}

// toManyIDs fetches the rows of all ids of the level in one call, and cuts each list into its
// page (docs/decisions/graphql-schema.md).
func (e *executor) toManyIDs(b *binding.Field, l *level, p graphql.ResolveParams) ([]any, error) {
	list := newListed(b, p.Args, l)
	if e.groupsAlone(b, p) {
		return list.pages(), nil
	}
	window := windowOf(p.Args)
	if err := window.Check(); err != nil {
		return nil, err
	}
	var keys []json.RawMessage
	ends := make([]int, len(l.rows)) // where the ids of each row end in keys
	for i, ids := range l.keys(b.Column) {
		for _, id := range jsontext.Elements(ids) {
			keys = append(keys, id)
		}
		ends[i] = len(keys)
	}
	c := e.call(p.Context, b.Door.Name, "findById")
	c.Each = &facade.Each{Field: b.Output.Primary.Name, Keys: keys}
	e.narrow(c, b, p)
	c.Cursors = false // findById has none; PageIDs makes them
	res, err := e.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newLevel(res)
	values := make([]any, len(l.rows))
	from := 0
	for i, end := range ends {
		var ids []json.RawMessage
		var visible []bool
		var rows []*row
		for k := from; k < end; k++ {
			// An id that a list holds twice is one row of the page: its cursor would name two
			// places.
			if jsontext.IsNull(keys[k]) || slices.ContainsFunc(ids, func(id json.RawMessage) bool { return bytes.Equal(id, keys[k]) }) {
				continue
			}
			g := res.Groups[k]
			ids, visible = append(ids, keys[k]), append(visible, g.From < g.To)
			if g.From < g.To {
				rows = append(rows, there.row(g.From))
			}
		}
		from = end
		a, z, info, err := binding.PageIDs(ids, visible, window)
		if err != nil {
			return nil, err
		}
		if len(res.Groups) > 0 {
			info.Position = res.Groups[0].Page.Position
		}
		values[i] = &page{rows: rows[a:z], Page: info, list: list, i: i}
	}
	return values, nil
}
