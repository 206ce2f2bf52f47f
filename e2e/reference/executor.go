package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// executor makes the resolvers of a schema's fields. It is immutable and may be used from
// many goroutines; the values that its resolvers return belong to one request.
type executor struct {
	caller facade.Caller
	fields binding.Fields
	nodes  map[string]*binding.Node // by schema.EntityKey
}

// Attach gives the fields of graphql-go's form of a schema their resolvers, and the interface
// Node its types: generated fields do what their bindings say, by calls of caller, and fields by
// hand run the Resolve of their author. graphql.Do must not run on the schema meanwhile.
func Attach(s *binding.Schema, caller facade.Caller) {
	e := &executor{caller: caller, fields: s.Fields, nodes: s.Nodes}
	types := s.GraphQL()
	types.Type("Node").(*graphql.Interface).ResolveType = typeOfNode
	for name, t := range types.TypeMap() {
		o, ok := t.(*graphql.Object)
		if !ok {
			continue
		}
		for field, def := range o.Fields() {
			if given := s.ByHand[name][field]; given != nil {
				def.Resolve = e.wrap(given.Resolve)
			} else if b := s.Fields.Of(name, field); b != nil {
				def.Resolve = e.resolver(b)
			}
		}
	}
}

// The Source values of generated fields. sourceOf turns the façade's values into them.
type (
	// row is one row of a level.
	row struct {
		*level
		i int
	}
	// nested is an object inside a row.
	nested json.RawMessage
	// page is a connection: some rows of a level.
	page struct {
		rows []*row
		facade.Page
		list *listed // nil: no list answered it
		i    int     // the row of list.above that it is below
	}
	// edge is one row of a connection with its cursor.
	edge struct {
		page *page
		i    int
	}
)

// cursor returns the cursor of row i, or "" if the page has no cursor for each row.
func (p *page) cursor(i int) string {
	if i < 0 || i >= len(p.rows) || len(p.Cursors) != len(p.rows) {
		return ""
	}
	return p.Cursors[i]
}

// resolver returns the Resolve of a generated field: ResolveFieldValue (specification
// 6.4.2) by the field's binding. Every error it returns is a [*fieldError]; it never panics
// but in a thunk.
func (e *executor) resolver(b *binding.Field) graphql.FieldResolveFn {
	return func(p graphql.ResolveParams) (value any, err error) {
		defer recovered(&err)
		value, err = e.resolve(b, p)
		return value, asFieldError(err)
	}
}

// resolve returns the value of a field by the kind of its binding and the kind of its source.
// Root fields have no source.
func (e *executor) resolve(b *binding.Field, p graphql.ResolveParams) (any, error) {
	switch b.Kind {
	case binding.Operation:
		return e.operation(b, p)
	case binding.NodeRoot:
		return e.node(p)
	case binding.Event:
		return eventOf(p)
	}
	switch source := sourceOf(p.Source).(type) {
	case *row:
		return e.ofRow(b, source, p)
	case *event:
		if b.Kind == binding.EventRow {
			return sourceOf(source.revealed.Row), nil
		}
		return e.ofRow(b, source.row, p)
	case nested:
		return decode(source.get(b.Column), p.Info.ReturnType)
	case *page:
		if b.Kind == binding.Aggregate || b.Kind == binding.Groups {
			return e.grouped(b, source, p)
		}
		return pageField(b, source)
	case *edge:
		return edgeField(b, source)
	}
	return nil, fmt.Errorf("%s.%s has a %T as its source, which no generated field gives", p.Info.ParentType, p.Info.FieldName, p.Source)
}

// ofRow returns a field of a row: its columns as Go values, its relations as thunks. A
// computed field that the façade could not make fails with the reason.
func (e *executor) ofRow(b *binding.Field, r *row, p graphql.ResolveParams) (any, error) {
	switch b.Kind {
	case binding.Column:
		return decode(r.get(b.Column), p.Info.ReturnType)
	case binding.Computed:
		if err := r.failed[b.Column]; err != nil {
			return nil, err
		}
		return decode(r.get(b.Column), p.Info.ReturnType)
	case binding.NodeID:
		if key := r.get(b.Column); key != nil {
			return binding.NodeIDOf(b.Output, key), nil
		}
		return nil, nil
	}
	return e.relation(b, r, p)
}

// pageField returns a field of a connection or of its PageInfo. Both have the page as their
// source.
func pageField(b *binding.Field, p *page) (any, error) {
	// A cursor that is missing is null.
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	switch b.Kind {
	case binding.Items:
		return p.rows, nil
	case binding.Created:
		return p.Page.Created, nil
	case binding.WrittenRow:
		return p.rows[0], nil
	case binding.Edges:
		edges := make([]*edge, len(p.rows))
		for i := range p.rows {
			// An edge has no row of its own: it points into the page, which has its cursor
			// too.
			edges[i] = &edge{p, i}
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
	case binding.Position:
		if p.Page.Position == 0 {
			return nil, nil
		}
		return p.Page.Position.String(), nil
	case binding.StartCursor:
		return text(p.cursor(0)), nil
	case binding.EndCursor, binding.PageInfoEndCursor:
		return text(p.Page.EndCursor()), nil
	}
	return nil, fmt.Errorf("a connection has no field of the kind %d", b.Kind)
}

// edgeField returns a field of an edge. A cursor that is missing is an error, since the field
// is non-null.
func edgeField(b *binding.Field, e *edge) (any, error) {
	if b.Kind == binding.EdgeNode {
		return e.page.rows[e.i], nil
	}
	if c := e.page.cursor(e.i); c != "" {
		return c, nil
	}
	return nil, kiterror.Errorf(kiterror.Forbidden, "this list gives no cursors")
}

// operation makes the one call of a root field, and returns its rows as sources, or its value
// decoded.
func (e *executor) operation(b *binding.Field, p graphql.ResolveParams) (any, error) {
	if e.groupsAlone(b, p) {
		return &page{list: newListed(b, p.Args, nil)}, nil
	}
	c := e.call(p.Context, b.Entity(), b.Operation.Name)
	if err := invoke(&c.Invocation, b.Args, p.Args); err != nil {
		return nil, err
	}
	e.narrow(c, b, p)
	res, err := e.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	if res.Form == facade.FormValue {
		return decode(res.Value, p.Info.ReturnType)
	}
	source := sourceOf(res)
	if of, ok := source.(*page); ok && b.IsList() {
		of.list = newListed(b, p.Args, nil)
	}
	return source, nil
}

// wrap returns the Resolve of a field that was registered by hand, for graphql-go: the
// Source of resolve is the [rows.Row] where it is a row, its rows become sources of
// generated fields, and its errors and panics become [*fieldError]. Where the author's own types
// read the value (ResolveType, IsTypeOf, Resolve), rows stay what [plain] says.
func (e *executor) wrap(resolve graphql.FieldResolveFn) graphql.FieldResolveFn {
	return func(p graphql.ResolveParams) (value any, err error) {
		defer recovered(&err)
		// An author's Resolve gets the plain row, not a type of this package.
		if r, ok := p.Source.(*row); ok {
			p.Source = r.rows[r.i]
		}
		value, err = resolve(p)
		if err != nil {
			return nil, asFieldError(err)
		}
		given := plain
		if generated := len(e.fields[graphql.GetNamed(p.Info.ReturnType).String()]) > 0; generated {
			given = func(v any) (any, error) { return sourceOf(v), nil }
		}
		// A thunk of the author's; its value becomes a source when it has run.
		if later, ok := value.(func() (any, error)); ok {
			return thunk(func() (any, error) {
				value, err := later()
				if err != nil {
					return nil, err
				}
				return given(value)
			}), nil
		}
		value, err = given(value)
		return value, asFieldError(err)
	}
}

// call returns a call by the caller of the request, without arguments. Partial lets a computed
// field fail without its row.
func (e *executor) call(ctx context.Context, entity, operation string) *facade.Call {
	return &facade.Call{Entity: entity, Operation: operation, Partial: true, Invocation: facade.Invocation{State: facade.StateFrom(ctx)}}
}

// narrow sets which columns of the rows a call selects. A list does not count its rows where
// total is not selected.
func (e *executor) narrow(c *facade.Call, b *binding.Field, p graphql.ResolveParams) {
	if b.Output == nil {
		return
	}
	typ := graphql.GetNamed(p.Info.ReturnType).String()
	// The selections of the rows are two levels lower, below items and edges.node.
	if b.IsPage() {
		if total := e.pageColumns(c, p.Info, p.Info.FieldASTs, typ); b.IsList() && !total {
			c.Invocation.Query = jsontext.With(c.Invocation.Query, "total", json.RawMessage("false"))
		}
		return
	}
	c.Select = e.columns(p.Info, p.Info.FieldASTs, typ)
}

// event is the source of the fields of an event. Its own members are the columns of row.
type event struct {
	*row
	revealed *facade.Revealed
}

// eventKey is the member of the RootObject of graphql.Do that holds the event, a
// *facade.Revealed, for which a subscription is executed.
const eventKey = "event"

// eventColumns are the members that an event may have, see [binding.AppendEvent].
var eventColumns = rows.NewLayout([]string{"id", "position", "at", "change", "key", "data", "actor"})

// eventOf returns the event of a root field of Subscription.
func eventOf(p graphql.ResolveParams) (any, error) {
	root, _ := p.Source.(map[string]any)
	r, ok := root[eventKey].(*facade.Revealed)
	if !ok {
		return nil, errors.New("a subscription is executed for an event, and there is none; pass it as the member \"event\" of the root object")
	}
	rows := rows.New(eventColumns, 1)
	binding.AppendEvent(rows, r)
	return &event{sourceOf(rows.Row(0)).(*row), r}, nil
}
