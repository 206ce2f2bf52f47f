package reference

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
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
	bindings binding.Fields
	types    map[string]*binding.Node // by schema.EntityKey
}

// NewTwin is a twin whose fields do what bindings say, by calling caller.
func NewTwin(caller facade.Caller, bindings binding.Fields, nodes map[string]*binding.Node) *Twin {
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
func (t *Twin) Resolver(b *binding.Field) graphql.FieldResolveFn {
	return func(p graphql.ResolveParams) (value any, err error) {
		defer twinRescue(&err)
		value, err = t.resolve(b, p)
		return value, fieldError(err)
	}
}

func (t *Twin) resolve(b *binding.Field, p graphql.ResolveParams) (any, error) {
	switch b.Kind {
	case binding.Operation:
		return t.operation(b, p)
	case binding.NodeRoot:
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

func (t *Twin) ofRow(b *binding.Field, r *twinRow, p graphql.ResolveParams) (any, error) {
	switch b.Kind {
	case binding.Column:
		return twinDecode(r.get(b.Column), p.Info.ReturnType)
	case binding.Computed:
		if err := r.failed[b.Column]; err != nil {
			return nil, err
		}
		return twinDecode(r.get(b.Column), p.Info.ReturnType)
	case binding.NodeID:
		if key := r.get(b.Column); key != nil {
			return binding.NodeIDOf(b.Output, key), nil
		}
		return nil, nil
	}
	return t.relation(b, r, p)
}

func twinOfPage(b *binding.Field, p *twinPage) (any, error) {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	switch b.Kind {
	case binding.Items:
		return p.rows, nil
	case binding.Edges:
		edges := make([]*twinEdge, len(p.rows))
		for i := range p.rows {
			edges[i] = &twinEdge{p, i}
		}
		return edges, nil
	case binding.PageInfo:
		return p, nil
	case binding.Total:
		return p.Page.Total, nil
	case binding.HasMore, binding.HasNextPage:
		return p.Page.HasMore, nil
	case binding.HasPreviousPage:
		return p.HasPrevious, nil
	case binding.StartCursor:
		return text(p.cursor(0)), nil
	case binding.EndCursor, binding.PageInfoEndCursor:
		return text(p.Page.EndCursor()), nil
	}
	return nil, fmt.Errorf("a connection has no field of the kind %d", b.Kind)
}

func twinOfEdge(b *binding.Field, e *twinEdge) (any, error) {
	if b.Kind == binding.EdgeNode {
		return e.page.rows[e.i], nil
	}
	if c := e.page.cursor(e.i); c != "" {
		return c, nil
	}
	return nil, facade.Errorf(facade.Forbidden, "this list gives no cursors")
}

// operation makes the call of a root field.
func (t *Twin) operation(b *binding.Field, p graphql.ResolveParams) (any, error) {
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
func (t *Twin) narrow(c *facade.Call, b *binding.Field, p graphql.ResolveParams) {
	if b.Output == nil {
		return
	}
	typ := graphql.GetNamed(p.Info.ReturnType).String()
	if b.IsPage() {
		var total bool
		c.Select, total, c.Cursors, c.Behind = t.pageColumns(p.Info, p.Info.FieldASTs, typ)
		if b.IsList() && !total {
			c.Invocation.Query = twinWith(c.Invocation.Query, "total", json.RawMessage("false"))
		}
		return
	}
	c.Select = t.columns(p.Info, p.Info.FieldASTs, typ)
}
