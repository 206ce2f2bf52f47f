package resolvers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
)

// Twin runs the fields of a schema as plain graphql-go resolvers, so that
// graphql.Do on the schema works by itself. It is what [Engine] is tested against:
// slow, decoding every value, and as easy to follow as it gets. What graphql-go
// cannot do it cannot do either: it knows no null literal, drops null variables,
// loses the order of fields, and an error below a required field of a relation
// costs the whole answer.
//
// A request's state is read from its context (see [facade.WithState]).
type Twin struct {
	caller   facade.Caller
	bindings Bindings
	types    map[string]*Node // by schema.EntityKey
}

// NewTwin is a twin whose fields do what bindings say, by calling caller.
func NewTwin(caller facade.Caller, bindings Bindings, nodes map[string]*Node) *Twin {
	return &Twin{caller: caller, bindings: bindings, types: nodes}
}

// The values that generated fields stand on. facade.Row, *facade.Rows and
// *facade.Result of hand-written resolvers are turned into them.
type (
	// row is one row of a level.
	twinRow struct {
		*twinLevel
		i int
	}
	// nested is an object inside a row.
	twinNested json.RawMessage
	// page is a connection: some rows of a level.
	twinPage struct {
		rows []*twinRow
		facade.Page
	}
	// edge is one row of a connection with its cursor.
	twinEdge struct {
		page *twinPage
		i    int
	}
)

// cursor is the cursor of the i-th row, or "" where the caller may have none.
func (p *twinPage) cursor(i int) string {
	if i < 0 || i >= len(p.rows) || len(p.Cursors) != len(p.rows) {
		return ""
	}
	return p.Cursors[i]
}

// Resolver is the resolver of a generated field.
func (t *Twin) Resolver(b *Binding) graphql.FieldResolveFn {
	return func(p graphql.ResolveParams) (value any, err error) {
		defer twinRescue(&err)
		value, err = t.resolve(b, p)
		return value, fieldError(err)
	}
}

func (t *Twin) resolve(b *Binding, p graphql.ResolveParams) (any, error) {
	switch b.Kind {
	case Operation:
		return t.operation(b, p)
	case NodeRoot:
		return t.node(p)
	}
	switch source := twinValue(p.Source).(type) {
	case *twinRow:
		return t.ofRow(b, source, p)
	case twinNested:
		return twinDecode(source.get(b.Column), p.Info.ReturnType)
	case *twinPage:
		return twinOfPage(b, source)
	case *twinEdge:
		return twinOfEdge(b, source)
	}
	return nil, fmt.Errorf("%s.%s stands on a %T, which no generated field gives", p.Info.ParentType, p.Info.FieldName, p.Source)
}

func (t *Twin) ofRow(b *Binding, r *twinRow, p graphql.ResolveParams) (any, error) {
	switch b.Kind {
	case Column:
		return twinDecode(r.get(b.Column), p.Info.ReturnType)
	case Computed:
		if err := r.failed[b.Column]; err != nil {
			return nil, err
		}
		return twinDecode(r.get(b.Column), p.Info.ReturnType)
	case NodeID:
		if key := r.get(b.Column); key != nil {
			return NodeIDOf(b.Output, key), nil
		}
		return nil, nil
	}
	return t.relation(b, r, p)
}

func twinOfPage(b *Binding, p *twinPage) (any, error) {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	switch b.Kind {
	case Items:
		return p.rows, nil
	case Edges:
		edges := make([]*twinEdge, len(p.rows))
		for i := range p.rows {
			edges[i] = &twinEdge{p, i}
		}
		return edges, nil
	case PageInfo:
		return p, nil
	case Total:
		return p.Page.Total, nil
	case HasMore, HasNextPage:
		return p.Page.HasMore, nil
	case HasPreviousPage:
		return p.HasPrevious, nil
	case StartCursor:
		return text(p.cursor(0)), nil
	case EndCursor, PageInfoEndCursor:
		return text(p.Page.EndCursor()), nil
	}
	return nil, fmt.Errorf("a connection has no field of the kind %d", b.Kind)
}

func twinOfEdge(b *Binding, e *twinEdge) (any, error) {
	if b.Kind == EdgeNode {
		return e.page.rows[e.i], nil
	}
	if c := e.page.cursor(e.i); c != "" {
		return c, nil
	}
	return nil, facade.Errorf(facade.Forbidden, "this list gives no cursors")
}

// operation makes the call of a root field.
func (t *Twin) operation(b *Binding, p graphql.ResolveParams) (any, error) {
	c := t.call(p.Context, b.Operation.Door.Name, b.Operation.Name)
	if err := twinInvoke(&c.Invocation, b.Args, p.Args); err != nil {
		return nil, err
	}
	t.narrow(c, b, p)
	res, err := t.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	if res.Form == facade.FormValue {
		return twinDecode(res.Value, p.Info.ReturnType)
	}
	return twinValue(res), nil
}

// ByHand wraps the resolver of a hand-written field: rows come in as [facade.Row]
// and may go out so too, its errors and panics leave as those of generated fields.
func (t *Twin) ByHand(resolve graphql.FieldResolveFn) graphql.FieldResolveFn {
	return func(p graphql.ResolveParams) (value any, err error) {
		defer twinRescue(&err)
		if r, ok := p.Source.(*twinRow); ok {
			p.Source = r.rows[r.i]
		}
		value, err = resolve(p)
		if err != nil {
			return nil, fieldError(err)
		}
		if later, ok := value.(func() (any, error)); ok {
			return twinThunk(later), nil
		}
		return twinValue(value), nil
	}
}

// call is a call of the request's caller, with nothing in it yet.
func (t *Twin) call(ctx context.Context, entity, operation string) *facade.Call {
	return &facade.Call{Entity: entity, Operation: operation, Partial: true, Invocation: facade.Invocation{State: facade.StateFrom(ctx)}}
}

// narrow says which fields of the rows the request reads, and whether it counts.
func (t *Twin) narrow(c *facade.Call, b *Binding, p graphql.ResolveParams) {
	if b.Output == nil {
		return
	}
	typ := graphql.GetNamed(p.Info.ReturnType).String()
	if b.isPage() {
		var total bool
		c.Select, total, c.Cursors, c.Behind = t.pageColumns(p.Info, p.Info.FieldASTs, typ)
		if isList(b) && !total {
			c.Invocation.Query = twinWith(c.Invocation.Query, "total", json.RawMessage("false"))
		}
		return
	}
	c.Select = t.columns(p.Info, p.Info.FieldASTs, typ)
}

// isPage says whether the field gives a connection.
func (b *Binding) isPage() bool {
	return b.Kind == ToMany || b.Kind == ToManyIDs || b.Kind == Operation && b.Operation.Cardinality == facade.PageOf
}

// isList says whether the field's query is the grammar of list.
func isList(b *Binding) bool {
	return b.Kind == ToMany || b.Kind == Operation && b.Operation.Builtin && b.Operation.Name == "list"
}
