package facade

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// locate returns a cursor's place with the values that were too long for it, as the row of its key has them. If
// that row is gone, hidden from the caller, or has moved in the order, the place is in front of everything that begins
// as the long text did. If rows of the list begin so, the place is among them and not known: the cursor is refused.
// backward is the direction that is read in from there.
func locate(ctx context.Context, x *execution, from []json.RawMessage, backward bool) ([]json.RawMessage, error) {
	if !slices.ContainsFunc(from, isCut) {
		return from, nil
	}
	keys := x.list.order.keys
	one := Find{Entity: x.door.Entity, Key: from[len(from)-1]}
	found, err := x.store().Find(ctx, &Find{
		Entity: x.door.Entity, Select: noFields, Where: filter.Both(x.doorScope.Rows, one.Condition()), Sort: keys, Rank: rankOf(x), Limit: 1, Keys: true,
	})
	if err != nil {
		return nil, err
	}
	if found.Rows.Len() > 0 {
		if whole := jsontext.List(found.Keys[0]); isAtCursor(from, whole) {
			return whole, nil
		}
	}
	from = slices.Clone(from)
	for i, v := range from {
		if !isCut(v) {
			continue
		}
		text, ok := cutText(v)
		if ok {
			alike := filter.Both(narrowed(x, filter.Both(x.doorScope.Rows, x.list.filter)), &filter.Filter{Op: filter.StartsWith, Field: keys[i].Field, Values: []any{text}})
			found, err := x.store().Find(ctx, &Find{Entity: x.door.Entity, Select: noFields, Where: alike, Sort: newOrder(x.door.Entity, nil).keys, Limit: 1, NoKeys: true})
			if err != nil {
				return nil, err
			}
			ok = found.Rows.Len() == 0
		}
		if !ok {
			return nil, errCursorGone(backward)
		}
		if keys[i].Desc != backward { // read towards smaller values: from above all of them
			text += "\U0010FFFF\U0010FFFF"
		}
		from[i] = jsontext.Quote(text)
	}
	return from, nil
}

// runList reads a page, or one page for every key of a batch.
func runList(ctx context.Context, x *execution) (*Result, error) {
	if x.each != nil && x.each.pairs {
		res, err := pagesOfPairs(ctx, x, runList)
		if err == nil {
			res.Edges, res.Groups = x.list.edges, spread(x.each, res.Groups)
		}
		return res, err
	}
	l := &x.list
	if l.order.merged {
		return runMerged(ctx, x)
	}
	var err error
	if l.from, err = locate(ctx, x, l.from, l.backward); err != nil {
		return nil, err
	}
	return pageFound(ctx, x, x.store().Find)
}

// runMerged reads a page, in an order that this host makes, of rows here or elsewhere.
func runMerged(ctx context.Context, x *execution) (*Result, error) {
	m := merging{x: &x.viewer, fetch: func(ctx context.Context, ids []json.RawMessage) (*Result, error) {
		if x.door.Frond.Remote != "" {
			return findRemote(ctx, &x.viewer, x.door.Door, remoteFields(x), x.doorScope.Rows, ids...)
		}
		own := *x
		own.each = &eachOf{field: x.door.Entity.Primary, values: ids}
		for i := range ids {
			own.each.order = append(own.each.order, i)
		}
		return runEachByID(ctx, &own, FormRow)
	}}
	return pageFound(ctx, x, m.find)
}

// pageFound reads the page, or one page for every key of a batch, through find.
func pageFound(ctx context.Context, x *execution, find func(context.Context, *Find) (*Found, error)) (*Result, error) {
	l := &x.list
	q := Find{
		Entity: x.door.Entity, Select: x.sel.stored, Where: narrowed(x, filter.Both(x.doorScope.Rows, l.filter)),
		Sort: l.order.keys, Rank: rankOf(x), Limit: l.limit, Offset: l.offset, From: l.from, Until: l.until, Backward: l.backward,
		Count: l.count != uncounted, Estimate: l.count == estimated, Keys: x.call.Cursors || l.edges, NoKeys: !wantsCursors(x),
	}
	if x.each != nil {
		if len(x.each.values) == 0 {
			return pagesOf(x, &Found{Rows: rows.New(x.sel.stored, 0)}), nil
		}
		q.Each = x.each.key()
	}
	found, err := find(ctx, &q)
	if err != nil {
		return nil, err
	}
	if l.behind, err = rowsBehind(ctx, x, q, find); err != nil {
		return nil, err
	}
	return pagesOf(x, found), nil
}

// rowsBehind asks whether there are rows on the other side of a page, where reading did not
// come along: at its cursor and beyond, or among those that offset skipped. The row of a
// cursor may be gone, and all others with it. A page that is read forward is mostly read
// by those who have seen the rows before it, so there the store is asked on request alone.
func rowsBehind(ctx context.Context, x *execution, q Find, find func(context.Context, *Find) (*Found, error)) (*Found, error) {
	l := &x.list
	switch {
	case l.from == nil && l.offset == 0: // the edge
		return nil, nil
	case !l.backward && !x.call.Behind && !l.edges:
		behind := &Found{More: true}
		if q.Each != nil {
			behind.Groups = slices.Repeat([]FoundGroup{{More: true}}, len(q.Each.Values))
		}
		return behind, nil
	}
	q.Select, q.Limit, q.Offset, q.Count, q.Keys = noFields, 0, 0, false, false
	q.Backward, q.Including, q.Until = !l.backward, true, nil
	return find(ctx, &q)
}

var noFields = rows.NewLayout(nil)

// pagesOf returns the found rows as the requested page, or as one page for every key.
func pagesOf(x *execution, found *Found) *Result {
	res, behind := &Result{Form: FormPage, Rows: found.Rows, Edges: x.list.edges}, x.list.behind
	if x.each == nil {
		res.Page = groupPage(x, found, FoundGroup{To: found.Rows.Len(), Total: found.Total, More: found.More}, behind != nil && behind.More)
		return res
	}
	res.Page.Total = -1
	res.Groups = make([]Group, len(x.each.order))
	first := make([]int32, len(found.Groups)) // by key, 1 + the place of its page, which equal keys share
	for i, at := range x.each.order {
		switch to := &res.Groups[i]; {
		case at < 0:
			to.Page = groupPage(x, found, FoundGroup{}, false)
		case first[at] > 0:
			*to = res.Groups[first[at]-1]
		default:
			g := found.Groups[at]
			*to = Group{From: g.From, To: g.To, Page: groupPage(x, found, g, behind != nil && behind.Groups[at].More)}
			first[at] = int32(i + 1)
		}
	}
	return res
}

// groupPage is one group of the found rows. behind says whether there are rows against
// the direction of reading.
func groupPage(x *execution, found *Found, g FoundGroup, behind bool) Page {
	l := &x.list
	p := Page{Total: -1, HasMore: g.More, HasPrevious: behind}
	if l.count != uncounted {
		p.Total = g.Total
	}
	if l.backward {
		p.HasMore, p.HasPrevious = behind, g.More
	}
	if g.From < g.To && wantsCursors(x) && givesCursors(&x.viewer) {
		if x.call.Cursors || l.edges {
			p.Cursors = make([]string, 0, g.To-g.From)
			for i := g.From; i < g.To; i++ {
				p.Cursors = append(p.Cursors, l.order.cursor(found.Keys[i]))
			}
		} else {
			p.Cursors = []string{l.order.cursor(found.Keys[g.To-1])}
		}
	}
	return p
}

// wantsCursors reports whether cursors of the page are read.
func wantsCursors(x *execution) bool { return !x.call.NoCursors || x.call.Cursors || x.list.edges }

// runFindByID reads one row, or in a batch one row for each key.
func runFindByID(ctx context.Context, x *execution) (*Result, error) {
	if x.each != nil {
		return runEachByID(ctx, x, FormRow)
	}
	found, err := x.store().Find(ctx, &Find{Entity: x.door.Entity, Select: x.sel.stored, Where: x.doorScope.Rows, Key: x.id})
	if err != nil {
		return nil, err
	}
	return &Result{Form: FormRow, Rows: found.Rows}, nil
}

// runFindByIDs reads the rows with the ids of the call, in their order and each once.
func runFindByIDs(ctx context.Context, x *execution) (*Result, error) {
	x.each.order = x.each.order[:0]
	for i := range x.each.values {
		x.each.order = append(x.each.order, i) // an id that was sent twice is answered once
	}
	res, err := runEachByID(ctx, x, FormRows)
	if err != nil {
		return nil, err
	}
	res.Rows = inOrder(res.Rows, res.Groups)
	res.Groups = nil
	return res, nil
}

// runEachByID reads the rows of all distinct keys in one statement.
func runEachByID(ctx context.Context, x *execution, form Form) (*Result, error) {
	res := &Result{Form: form}
	if len(x.each.values) == 0 {
		res.Rows = rows.New(x.sel.stored, 0)
		res.Groups = make([]Group, len(x.each.order))
		return res, nil
	}
	q := &struct { // in one piece
		Find
		each EachKey
	}{Find{Entity: x.door.Entity, Select: x.sel.stored, Where: x.doorScope.Rows, Limit: 1}, EachKey{Field: x.each.field, Values: x.each.values}}
	q.Each = &q.each
	found, err := x.store().Find(ctx, &q.Find)
	if err != nil {
		return nil, err
	}
	res.Rows = found.Rows
	res.Groups = make([]Group, len(x.each.order))
	for i, at := range x.each.order {
		if at >= 0 {
			res.Groups[i].From, res.Groups[i].To = found.Groups[at].From, found.Groups[at].To
		}
	}
	return res, nil
}

// inOrder is rows in the order of their groups: the same rows if they have it already, which is
// the common case and needs no copy.
func inOrder(found *rows.Rows, groups []Group) *rows.Rows {
	next := 0
	for _, g := range groups {
		if g.From < g.To {
			if g.From != next {
				return picked(found, groups)
			}
			next = g.To
		}
	}
	return found
}

// picked copies the rows of the groups, in the order of the groups.
func picked(from *rows.Rows, groups []Group) *rows.Rows {
	out := rows.New(from.Layout(), from.Len())
	for _, g := range groups {
		for i := g.From; i < g.To; i++ {
			out.CopyRow(from.Row(i))
		}
	}
	return out
}

// aggregate groups the rows that a list would answer (docs/aggregates.md): it has the scope and the
// filter of list, and a field that list does not show is an unknown key here.

// admitAggregate reads the query of aggregate (see AggregateCard of package catalog for its keys).
func admitAggregate(ctx context.Context, x *execution) error {
	in, g := &x.call.Invocation, &grouping{limit: x.door.Limits.Default}
	x.groups = g
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	onlyKeys(&x.viewer, in.Query, "/query", readSearch(ctx, x, x.door.GroupKeys()))
	onlyKeys(&x.viewer, in.Body, "/body", nil)
	q, after := readGrouping(ctx, x)
	if x.full() {
		return nil
	}
	r := aggregate.Reader{Host: groupHost{&x.viewer}, Entity: x.door.Entity, Max: schema.MaxDetails - len(x.details)}
	groups, keys := r.Read(ctx, &q)
	_ = RequestOf(ctx).Spend(time.Duration(r.Conditions+len(q.By)+len(q.Select)) * conditionWork)
	if x.details = append(x.details, r.Details...); len(r.Details) > 0 {
		return nil
	}
	g.groups = groups
	for _, k := range keys {
		g.order.keys = append(g.order.keys, SortKey{Field: k.Field, Desc: k.Desc})
	}
	g.order.mark = markOf(groups.Entity, g.order.keys)
	switch {
	case x.each != nil && len(q.By) == 0 && q.Having != nil:
		x.refuseQuery("having", "exclusive", "cannot be used without by in a call for many keys; leave it out")
	case after == nil:
	case len(g.order.keys) == 0:
		x.refuseQuery("after", "cursor", "cannot be used without by: there is one group; leave it out")
	default:
		g.from = readCursor(&x.viewer, &g.order, "after", after)
	}
	return nil
}

// readGrouping reads the members of the query. The filter and the limit are kept in x.
func readGrouping(ctx context.Context, x *execution) (q aggregate.Spec, after json.RawMessage) {
	in, g := &x.call.Invocation, x.groups
	for name, value := range jsontext.Members(in.Query) {
		if jsontext.IsNull(value) {
			continue
		}
		switch name {
		case "filter":
			if x.full() {
				continue
			}
			p := filter.Parser{Host: &x.viewer, At: "/query/filter", Max: schema.MaxDetails - len(x.details), Rules: x.state.HasRules()}
			x.list.filter = p.Parse(ctx, x.door.Entity, x.view(x.doorScope), value)
			x.details = append(x.details, p.Details...)
			_ = RequestOf(ctx).Spend(time.Duration(p.Conditions) * conditionWork)
		case "by":
			q.By, _ = readNames(&x.refusals, name, "status,placedAt:month", `["status", "placedAt:month"]`, value)
		case "select":
			q.Select, _ = readNames(&x.refusals, name, "count,total.sum", `["count", "total.sum"]`, value)
		case "sort":
			q.Sort, _ = readNames(&x.refusals, name, "-total.sum,status", `["-total.sum", "status"]`, value)
		case "having":
			q.Having = value
		case "limit":
			g.limit = min(readCount(&x.refusals, name, value), x.door.Limits.Max)
		case "after":
			after = value
		case "zone":
			if jsontext.KindOf(value) != jsontext.String {
				x.refuseQuery(name, "type", "must be the name of a time zone, such as Europe/Paris")
				continue
			}
			q.Zone = jsontext.Unquote(jsontext.Trim(value))
		}
	}
	return q, after
}

// groupHost is the caller of aggregate.
type groupHost struct{ *viewer }

// Named implements [aggregate.Host]: the field that list could be sorted by under this name.
func (h groupHost) Named(name string) *schema.Property { return sortBy(h.viewer, name) }

// Names implements [aggregate.Host].
func (h groupHost) Names() []string { return sortable(h.viewer) }

// runAggregate answers a page of groups, or one for every key of a batch.
func runAggregate(ctx context.Context, x *execution) (*Result, error) {
	g := x.groups
	if x.each != nil && x.each.pairs {
		answers, err := runPairs(ctx, x, runAggregate)
		if err != nil {
			return nil, err
		}
		return g.gathered(x.each, answers), nil
	}
	q := Find{
		Entity: x.door.Entity, Select: rows.NewLayout(g.groups.Names()), Where: narrowed(x, filter.Both(x.doorScope.Rows, x.list.filter)),
		Sort: g.order.keys, Limit: g.limit, From: g.from, Group: g.groups,
	}
	found := &Found{Rows: rows.New(q.Select, 0)}
	if x.each != nil {
		q.Each = x.each.key()
		found.Groups = make([]FoundGroup, q.Each.Len())
	}
	if q.Each == nil || len(q.Each.Values) > 0 {
		var err error
		if found, err = x.store().Find(ctx, &q); err != nil {
			return nil, err
		}
	}
	res := &Result{Form: FormGroups, Page: Page{Total: -1}}
	if x.each == nil {
		res.Page = g.page(found, FoundGroup{To: found.Rows.Len(), More: found.More})
	} else {
		res.Groups = g.ofKeys(x.each, found)
	}
	res.Rows = g.groups.Shape(found.Rows)
	return res, nil
}

// page is the page of some of the groups that were found.
func (g *grouping) page(found *Found, of FoundGroup) Page {
	p := Page{Total: -1, HasMore: of.More, HasPrevious: g.from != nil}
	if of.From < of.To && len(g.order.keys) > 0 {
		p.Cursors = []string{g.order.cursor(found.Keys[of.To-1])}
	}
	return p
}

// ofKeys are the pages of the keys of a batch. If all rows are one group, keys without rows share an
// empty one, which ofKeys adds to the rows.
func (g *grouping) ofKeys(each *eachOf, found *Found) []Group {
	groups, none := make([]Group, len(each.order)), -1
	for i, at := range each.order {
		var of FoundGroup
		if at >= 0 {
			of = found.Groups[at]
		}
		if of.From == of.To && g.groups.Keys == 0 && g.limit > 0 {
			if none < 0 {
				none = found.Rows.Len()
				g.groups.AppendNone(found.Rows)
			}
			of.From, of.To = none, none+1
		}
		groups[i] = Group{From: of.From, To: of.To, Page: g.page(found, of)}
	}
	return groups
}

// aggregateRemote asks the host of a remote door for a page of groups, or for one for each key of a batch.
func aggregateRemote(ctx context.Context, x *execution, r RemoteRequest) (*Result, error) {
	where := filter.Both(x.doorScope.Rows, x.list.filter)
	if x.each == nil {
		return groupsThere(ctx, x, r, where)
	}
	if x.each.pairs {
		answers, err := runPairs(ctx, x, func(ctx context.Context, x *execution) (*Result, error) { return aggregateRemote(ctx, x, r) })
		if err != nil {
			return nil, err
		}
		return x.groups.gathered(x.each, answers), nil
	}
	lists := x.each.lists
	for i := 0; x.each.lists == nil && i < len(x.each.values); i++ {
		lists = append(lists, []int{i})
	}
	answers, err := inTurns(maxTurns, lists, func(list []int) (*Result, error) {
		is := &filter.Filter{Op: filter.In, Field: x.each.field}
		for _, at := range list {
			value, _ := x.each.field.Kind.Value(x.each.values[at])
			is.Values = append(is.Values, value)
		}
		return groupsThere(ctx, x, r, filter.Both(where, is))
	})
	if err != nil {
		return nil, err
	}
	return x.groups.gathered(x.each, answers), nil
}

// groupsThere asks the host of a remote door for a page of groups.
func groupsThere(ctx context.Context, x *execution, r RemoteRequest, where *filter.Filter) (*Result, error) {
	res, err := x.host.remotes.Aggregate(ctx, r, sentCall(ctx, x, x.groups.sent(x.call.Invocation)), where)
	if err != nil || res.Form != FormValue {
		return res, err
	}
	out := &Result{Form: FormGroups, Page: Page{Total: -1}}
	items, err := readPage(res.Value, &out.Page)
	read, ok := rows.Read(x.groups.none().Layout(), items)
	if err != nil || !ok {
		return nil, kiterror.Errorf(kiterror.BadGateway, "the host of %s answered no groups", x.where())
	}
	out.Rows = read
	return out, nil
}

// none is the group of no rows.
func (g *grouping) none() *rows.Rows {
	none := rows.New(rows.NewLayout(g.groups.Names()), 1)
	g.groups.AppendNone(none)
	return g.groups.Shape(none)
}

// gathered are the answers for the keys of a batch in one result. A key that no row can have has the group
// of no rows where all rows are one group.
func (g *grouping) gathered(each *eachOf, answers []*Result) *Result {
	none := g.none()
	out := &Result{Form: FormGroups, Page: Page{Total: -1}, Rows: rows.New(none.Layout(), len(answers))}
	distinct := make([]Group, len(answers))
	for i, a := range answers {
		distinct[i] = Group{From: out.Rows.Len(), To: out.Rows.Len() + a.Rows.Len(), Page: a.Page}
		for j := range a.Rows.Len() {
			out.Rows.CopyRow(a.Rows.Row(j))
		}
	}
	out.Groups = spread(each, distinct)
	if slices.Contains(each.order, -1) && g.groups.Keys == 0 && g.limit > 0 {
		n := out.Rows.Len()
		out.Rows.CopyRow(none.Row(0))
		for i, place := range each.order {
			if place < 0 {
				out.Groups[i] = Group{From: n, To: n + 1, Page: Page{Total: -1}}
			}
		}
	}
	return out
}
