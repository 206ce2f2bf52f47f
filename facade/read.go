package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// locate is a cursor's place with the values that were too long for it, as
// they are in the row of its key. Where that row is gone, is not the caller's to
// see, or has moved in the order, the place is in front of everything that begins as
// the long text did: rows may come a second time, and none is left out. backward is
// the direction that is read in from there.
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
		var whole []json.RawMessage
		for _, v := range jsontext.Elements(found.Keys[0]) {
			whole = append(whole, v)
		}
		if isAtCursor(from, whole) {
			return whole, nil
		}
	}
	from = slices.Clone(from)
	for i, v := range from {
		if !isCut(v) {
			continue
		}
		text, ok := cutText(v)
		if !ok {
			name := "after"
			if backward {
				name = "before"
			}
			const message = "leads to a row that is gone or has changed, and its value was too long to stand in the cursor; start at the beginning, or sort by another field"
			return nil, kiterror.Invalid(name+" "+message, schema.Detail{Path: name, Pointer: "/query/" + name, Code: "cursor", Message: message})
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
	l := &x.list
	var err error
	if l.from, err = locate(ctx, x, l.from, l.backward); err != nil {
		return nil, err
	}
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
	found, err := x.store().Find(ctx, &q)
	if err != nil {
		return nil, err
	}
	if l.behind, err = rowsBehind(ctx, x, q); err != nil {
		return nil, err
	}
	return pagesOf(x, found), nil
}

// rowsBehind asks whether there are rows on the other side of a page, where reading did not
// come along: at its cursor and beyond, or among those that offset skipped. The row of a
// cursor may be gone, and all others with it. A page that is read forward is mostly read
// by those who have seen the rows before it, so there the store is asked on request alone.
func rowsBehind(ctx context.Context, x *execution, q Find) (*Found, error) {
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
	return x.store().Find(ctx, &q)
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

// runFindByIDs reads the rows with the ids that were sent, in their order and each once.
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

// inOrder is rows in the order of their groups: the same rows where they have it already,
// which is the common case and copies nothing.
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
