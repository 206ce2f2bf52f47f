package reference

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// level is the rows that one call gave. All of them ask for a relation together:
// whichever is resolved first makes the call for the others too.
type twinLevel struct {
	rows    []facade.Row
	typ     string // of Query.node and Query.nodes
	failed  map[string]error
	batches map[*ast.Field]*twinBatch
}

// newLevel is the rows of a result.
func newTwinLevel(res *facade.Result) *twinLevel {
	l := &twinLevel{rows: make([]facade.Row, res.Rows.Len()), batches: map[*ast.Field]*twinBatch{}}
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

func (l *twinLevel) row(i int) *twinRow { return &twinRow{l, i} }

// cut is the rows from up to but without to.
func (l *twinLevel) cut(from, to int) []*twinRow {
	rows := make([]*twinRow, 0, to-from)
	for ; from < to; from++ {
		rows = append(rows, l.row(from))
	}
	return rows
}

func (r *twinRow) get(column string) json.RawMessage { return r.rows[r.i].Get(column) }

func (n twinNested) get(column string) json.RawMessage { return jsontext.Get(n, column) }

// own turns what the façade gives into what generated fields stand on.
func twinValue(v any) any {
	switch v := v.(type) {
	case facade.Row:
		if v == (facade.Row{}) {
			return nil
		}
		return (&twinLevel{rows: []facade.Row{v}, batches: map[*ast.Field]*twinBatch{}}).row(0)
	case []facade.Row:
		return (&twinLevel{rows: v, batches: map[*ast.Field]*twinBatch{}}).cut(0, len(v))
	case *facade.Rows:
		if v == nil {
			return nil
		}
		return twinValue(&facade.Result{Form: facade.FormRows, Rows: v})
	case *facade.Result:
		if v == nil {
			return nil
		}
		l := newTwinLevel(v)
		switch {
		case v.Form == facade.FormValue:
			return v.Value
		case v.Form == facade.FormRows:
			return l.cut(0, len(l.rows))
		case v.Form == facade.FormPage:
			return &twinPage{rows: l.cut(0, len(l.rows)), Page: v.Page}
		case len(l.rows) == 0:
			return nil
		}
		return l.row(0)
	}
	return v
}

// batch is one relation of a level: one call for all its rows, made when the
// first of them is wanted.
type twinBatch struct {
	run     func() ([]any, error) // one value per row of the level
	done    bool
	values  []any
	failure error
}

func (b *twinBatch) value(i int) (any, error) {
	if !b.done {
		b.done = true
		defer func() {
			if b.values == nil && b.failure == nil { // it panicked: every row fails alike
				b.failure = facade.Internal(nil)
			}
		}()
		b.values, b.failure = b.run()
	}
	if b.failure != nil {
		return nil, b.failure
	}
	return b.values[i], nil
}

// relation answers with a function that graphql-go runs after the whole level.
func (t *Twin) relation(b *binding.Field, r *twinRow, p graphql.ResolveParams) (any, error) {
	at := p.Info.FieldASTs[0]
	todo := r.batches[at]
	if todo == nil {
		todo = &twinBatch{}
		switch b.Kind {
		case binding.ToOne:
			todo.run = func() ([]any, error) { return t.toOne(b, r.twinLevel, p) }
		case binding.ToMany:
			todo.run = func() ([]any, error) { return t.toMany(b, r.twinLevel, p) }
		default:
			todo.run = func() ([]any, error) { return t.toManyIDs(b, r.twinLevel, p) }
		}
		r.batches[at] = todo
	}
	return twinThunk(func() (any, error) { return todo.value(r.i) }), nil
}

// keys are the texts of a column over a level, "null" where a row has none.
func (l *twinLevel) keys(column string) []json.RawMessage {
	keys := make([]json.RawMessage, len(l.rows))
	for i, r := range l.rows {
		if keys[i] = r.Get(column); keys[i] == nil {
			keys[i] = json.RawMessage("null")
		}
	}
	return keys
}

func (t *Twin) toOne(b *binding.Field, l *twinLevel, p graphql.ResolveParams) ([]any, error) {
	c := t.call(p.Context, b.Door.Name, "findById")
	c.Each = &facade.Each{Field: b.Output.Primary.Name, Keys: l.keys(b.Column)}
	t.narrow(c, b, p)
	res, err := t.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newTwinLevel(res)
	values := make([]any, len(l.rows))
	for i, g := range res.Groups {
		if g.From < g.To {
			values[i] = there.row(g.From)
		}
	}
	return values, nil
}

func (t *Twin) toMany(b *binding.Field, l *twinLevel, p graphql.ResolveParams) ([]any, error) {
	c := t.call(p.Context, b.Door.Name, "list")
	if err := twinInvoke(&c.Invocation, b.Args, p.Args); err != nil {
		return nil, err
	}
	c.Each = &facade.Each{Field: b.Link.Inverse.Name, Keys: l.keys(b.Column), Through: b.Through("", "")}
	t.narrow(c, b, p)
	res, err := t.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newTwinLevel(res)
	values := make([]any, len(l.rows))
	for i, g := range res.Groups {
		values[i] = &twinPage{rows: there.cut(g.From, g.To), Page: g.Page}
	}
	return values, nil
}

// toManyIDs fetches the rows of all ids of the level, and pages each list by itself.
func (t *Twin) toManyIDs(b *binding.Field, l *twinLevel, p graphql.ResolveParams) ([]any, error) {
	window := twinWindow(p.Args)
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
	c := t.call(p.Context, b.Door.Name, "findById")
	c.Each = &facade.Each{Field: b.Output.Primary.Name, Keys: keys}
	t.narrow(c, b, p)
	c.Cursors = false // of a list by id there are none; PageIDs makes them
	res, err := t.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newTwinLevel(res)
	values := make([]any, len(l.rows))
	from := 0
	for i, end := range ends {
		var ids []json.RawMessage
		var visible []bool
		var rows []*twinRow
		for k := from; k < end; k++ {
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
		values[i] = &twinPage{rows: rows[a:z], Page: info}
	}
	return values, nil
}
