package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers"
)

// The bindings that are the same in every connection.
var (
	totalBinding     = &resolvers.Binding{Kind: resolvers.Total}
	hasMoreBinding   = &resolvers.Binding{Kind: resolvers.HasMore}
	endCursorBinding = &resolvers.Binding{Kind: resolvers.EndCursor}
	pageInfoBinding  = &resolvers.Binding{Kind: resolvers.PageInfo}
	cursorBinding    = &resolvers.Binding{Kind: resolvers.EdgeCursor}
)

// connection is the page type of rows: the spec's list result and Relay's
// connection in one (spec 2.7, DESIGN 5).
func (b *Builder) connection(s *shown, typ string, by *origin) *object {
	if s.page != nil {
		return s.page
	}
	by = &origin{what: "connection", door: by.door, op: by.op, view: by.view}
	page := b.newObject(b.free(typ+"Connection", by), "")
	edge := b.newObject(b.free(typ+"Edge", by), "")
	s.page = page
	row := b.required(s.object.gql)
	items := &resolvers.Binding{Kind: resolvers.Items, Output: s.entity}
	edges := &resolvers.Binding{Kind: resolvers.Edges, Output: s.entity}
	node := &resolvers.Binding{Kind: resolvers.EdgeNode, Output: s.entity}
	if s.door != nil {
		items.Door, edges.Door, node.Door = s.door.Door, s.door.Door, s.door.Door
	}
	b.addFields(edge, by,
		&field{name: "node", typ: row, binding: node},
		&field{name: "cursor", typ: b.required(graphql.String), binding: cursorBinding})
	b.addFields(page, by,
		&field{name: "items", typ: b.required(b.list(row)), binding: items},
		&field{name: "total", typ: b.required(graphql.Int), binding: totalBinding},
		&field{name: "hasMore", typ: b.required(graphql.Boolean), binding: hasMoreBinding},
		&field{name: "endCursor", typ: graphql.String, binding: endCursorBinding},
		&field{name: "edges", typ: b.required(b.list(b.required(edge.gql))), binding: edges},
		&field{name: "pageInfo", typ: b.required(b.pageInfoType().gql), binding: pageInfoBinding})
	return page
}

func (b *Builder) addFields(o *object, by *origin, fields ...*field) {
	for _, f := range fields {
		b.addField(o, by, f)
	}
}

func (b *Builder) pageInfoType() *object {
	if b.pageInfo == nil {
		b.pageInfo = b.newObject("PageInfo", "Where a page stands among the others.")
		yes := b.required(graphql.Boolean)
		b.addFields(b.pageInfo, house,
			&field{name: "hasNextPage", typ: yes, binding: &resolvers.Binding{Kind: resolvers.HasNextPage}},
			&field{name: "hasPreviousPage", typ: yes, binding: &resolvers.Binding{Kind: resolvers.HasPreviousPage}},
			&field{name: "startCursor", typ: graphql.String, binding: &resolvers.Binding{Kind: resolvers.StartCursor}},
			&field{name: "endCursor", typ: graphql.String, binding: &resolvers.Binding{Kind: resolvers.PageInfoEndCursor}})
	}
	return b.pageInfo
}

// listArgs are the arguments of list, and where they go.
type listArgs struct {
	args []*arg
	into []resolvers.Arg
}

// pagingArgs are the arguments of a connection over ids that stand in a row: the
// ids have an order of their own, and the row bounds how many there are.
var (
	pagingArgs = []*arg{
		{name: "first", typ: graphql.Int},
		{name: "after", typ: graphql.String},
		{name: "last", typ: graphql.Int},
		{name: "before", typ: graphql.String},
		{name: "offset", typ: graphql.Int},
	}
	pagingInto = []resolvers.Arg{
		{Name: "first", Into: resolvers.IntoFirst, Key: "limit"},
		{Name: "after", Into: resolvers.IntoAfter, Key: "after"},
		{Name: "last", Into: resolvers.IntoLast, Key: "limit"},
		{Name: "before", Into: resolvers.IntoBefore, Key: "before"},
		{Name: "offset", Into: resolvers.IntoQuery, Key: "offset"},
	}
)

// listArgs are the arguments of a door's list, shared by its root field and by
// every relation that leads to it.
func (b *Builder) listArgs(d *door) *listArgs {
	if d.lists != nil {
		return d.lists
	}
	l := &listArgs{}
	d.lists = l
	add := func(a *arg, into resolvers.Arg) {
		// A list that runs elsewhere takes what its host understands.
		if op := d.builtin("list"); op == nil || op.Takes(into.Key) {
			l.args, l.into = append(l.args, a), append(l.into, into)
		}
	}
	add(&arg{name: "filter", typ: b.filterOf(d).gql}, resolvers.Arg{Name: "filter", Into: resolvers.IntoQuery, Key: "filter"})
	if order := b.orderOf(d); order != nil {
		add(&arg{name: "orderBy", typ: b.list(b.required(order.gql))}, resolvers.Arg{Name: "orderBy", Into: resolvers.IntoSort, Key: "sort"})
	}
	for i, a := range pagingArgs {
		if a.name == "last" && d.has("list") && !d.builtin("list").Takes("before") {
			continue
		}
		add(a, pagingInto[i])
	}
	return l
}
