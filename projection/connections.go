package projection

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
)

// The bindings that are the same in every connection.
var (
	totalBinding     = &binding.Field{Kind: binding.Total}
	hasMoreBinding   = &binding.Field{Kind: binding.HasMore}
	endCursorBinding = &binding.Field{Kind: binding.EndCursor}
	positionBinding  = &binding.Field{Kind: binding.Position}
	pageInfoBinding  = &binding.Field{Kind: binding.PageInfo}
	cursorBinding    = &binding.Field{Kind: binding.EdgeCursor}
)

// pages are the types of lists, and the arguments of the fields that give them.
type pages struct {
	*typeSet
	doors    *doors
	filters  *filters
	groups   *groups
	pageInfo *definition
}

// connection returns the page type of rows, made at the first call. It is the spec's list
// result and Relay's connection in one (spec 2.7), so that a client may read either:
//
//	items, total, hasMore, endCursor    spec 2.7
//	edges { node cursor }, pageInfo     Relay's cursor connections
//	position                            where a fact about the rows is announced
//	aggregate, groups                   where the door has the operation aggregate
//
// The rows are non-null in both: a row that the caller may not see is not in the page at all.
func (ps *pages) connection(s *shown, typ string, by *origin) *definition {
	if s.page != nil {
		return s.page
	}
	// The names come from the type of the rows, so a collision is one of the connection.
	by = &origin{what: "connection", door: by.door, op: by.op, view: by.view}
	page := ps.newObject(ps.free(typ+"Connection", by), "")
	edge := ps.newObject(ps.free(typ+"Edge", by), "")
	s.page = page
	row := ps.required(s.object.typ())
	items := &binding.Field{Kind: binding.Items, Output: s.entity}
	edges := &binding.Field{Kind: binding.Edges, Output: s.entity}
	node := &binding.Field{Kind: binding.EdgeNode, Output: s.entity}
	// A view has no door, so relations below its rows do not use one.
	if s.door != nil {
		items.Door, edges.Door, node.Door = s.door.Door, s.door.Door, s.door.Door
	}
	ps.addFields(edge, by,
		&field{name: "node", typ: row, binding: node},
		&field{name: "cursor", typ: ps.required(stringType), binding: cursorBinding})
	ps.addFields(page, by,
		&field{name: "items", typ: ps.required(ps.list(row)), binding: items},
		&field{name: "total", typ: ps.required(intType), binding: totalBinding},
		&field{name: "hasMore", typ: ps.required(booleanType), binding: hasMoreBinding},
		&field{name: "endCursor", typ: stringType, binding: endCursorBinding},
		&field{name: "edges", typ: ps.required(ps.list(ps.required(edge.typ()))), binding: edges},
		&field{name: "pageInfo", typ: ps.required(ps.pageInfoType().typ()), binding: pageInfoBinding})
	if s.door != nil && slices.ContainsFunc(s.door.Frond.Facts, func(f *catalog.Fact) bool {
		return f.Door != nil && f.Door.Entity == s.door.Entity && ps.doors.catalog.Announces(f)
	}) {
		ps.addFields(page, by, &field{name: "position", typ: stringType, description: positionText, binding: positionBinding})
	}
	if s.door != nil {
		ps.groups.addTo(page, s.door)
	}
	return page
}

// positionText describes Connection.position.
const positionText = "The position of the event log before the page was read. A subscription with this position as after receives every later change of these rows. Null while the log is not available."

// pageInfoType returns Relay's PageInfo, which all connections share. It is made with the
// first connection, so a schema without lists does not have it.
func (ps *pages) pageInfoType() *definition {
	if ps.pageInfo == nil {
		ps.pageInfo = ps.newObject("PageInfo", "The position of a page in its list.")
		yes := ps.required(booleanType)
		ps.addFields(ps.pageInfo, ownOrigin,
			&field{name: "hasNextPage", typ: yes, binding: &binding.Field{Kind: binding.HasNextPage}},
			&field{name: "hasPreviousPage", typ: yes, binding: &binding.Field{Kind: binding.HasPreviousPage}},
			&field{name: "startCursor", typ: stringType, binding: &binding.Field{Kind: binding.StartCursor}},
			&field{name: "endCursor", typ: stringType, binding: &binding.Field{Kind: binding.PageInfoEndCursor}})
	}
	return ps.pageInfo
}

// pagingArgs are the arguments of a connection over ids in a row: the ids have their own order,
// and the row bounds their number.
var (
	pagingArgs = ast.ArgumentDefinitionList{
		{Name: "first", Type: intType},
		{Name: "after", Type: stringType},
		{Name: "last", Type: intType},
		{Name: "before", Type: stringType},
		{Name: "offset", Type: intType},
	}
	pagingInto = []binding.Arg{
		{Name: "first", Into: binding.IntoFirst, Key: "limit"},
		{Name: "after", Into: binding.IntoAfter, Key: "after"},
		{Name: "last", Into: binding.IntoLast, Key: "limit"},
		{Name: "before", Into: binding.IntoBefore, Key: "before"},
		{Name: "offset", Into: binding.IntoQuery, Key: "offset"},
	}
)

// searchArg is the argument search.
var searchArg = &ast.ArgumentDefinition{
	Name: catalog.SearchKey, Type: stringType,
	Description: "Words that the rows have: all of them, \"a phrase\", a beginning*, -without, or. Order by rank for the best first.",
}

// listArgs are the arguments of a door's list, shared by its root field and by
// every relation that leads to it.
func (ps *pages) listArgs(d *door) *listArgs {
	if d.lists != nil {
		return d.lists
	}
	l := &listArgs{}
	d.lists = l
	// Arguments that a list does not take are left out of the field, so that a client is
	// refused by validation and not by the remote.
	add := func(a *ast.ArgumentDefinition, into binding.Arg) {
		// The list of a remote accepts the filters of its host.
		if op := d.builtin("list"); op == nil || op.Takes(into.Key) {
			l.args, l.into = append(l.args, a), append(l.into, into)
		}
	}
	add(&ast.ArgumentDefinition{Name: "filter", Type: ps.filters.filterOf(d).typ()}, binding.Arg{Name: "filter", Into: binding.IntoQuery, Key: "filter"})
	if order := ps.filters.orderOf(d); order != nil {
		add(&ast.ArgumentDefinition{Name: "orderBy", Type: ps.list(ps.required(order.typ()))}, binding.Arg{Name: "orderBy", Into: binding.IntoSort, Key: "sort"})
	}
	if d.Entity.Search != nil {
		add(searchArg, binding.Arg{Name: catalog.SearchKey, Into: binding.IntoQuery, Key: catalog.SearchKey})
	}
	for i, a := range pagingArgs {
		// last and first set the same member, limit; they differ by the member before, so a
		// list without before has no last.
		if a.Name == "last" && d.has("list") && !d.builtin("list").Takes("before") {
			continue
		}
		add(a, pagingInto[i])
	}
	return l
}
