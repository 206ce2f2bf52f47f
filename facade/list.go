package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// listing is query of list, read: the grammar is in [listCard].
type listing struct {
	filter   *Filter
	order    order
	limit    int
	offset   int
	from     []json.RawMessage // of the row the page is read on from; nil: the edge
	until    []json.RawMessage // of the row it is read on to, without it; nil: the other edge
	backward bool
	count    counting
	fields   []string
	edges    bool // cursors of every row are answered too, and what lies before the page

	behind *Found // whether there are rows on the other side of what was found; nil: none
}

// listKeys are the keys of list's query.
var listKeys = []string{"filter", "sort", "limit", "after", "before", "backward", "offset", "fields", "total", "count", "cursors"}

// admitList reads list's query. Every value is judged here, so that a store only
// translates.
func (t *trip) admitList(ctx context.Context) error {
	in, l := &t.call.Invocation, &t.list
	t.only(in.Params, "/params", nil)
	t.only(in.Query, "/query", t.op.listKeys())
	t.only(in.Body, "/body", nil)
	l.limit = t.door.limits.Default
	l.order = t.door.byID
	var after, before, backward, total, count json.RawMessage
	for name, value := range jsontext.Members(in.Query) {
		if jsontext.IsNull(value) {
			continue // an explicit null is as good as nothing here: none of them can be null
		}
		switch name {
		case "filter":
			if t.full() {
				continue
			}
			p := filter.Parser{Host: t, At: "/query/filter", Max: schema.MaxDetails - len(t.details)}
			l.filter = p.Parse(ctx, t.door.Entity, t.view(t.see), value)
			t.details = append(t.details, p.Details...)
		case "sort":
			l.order = t.readSort(value)
		case "limit":
			l.limit = min(t.readCount("limit", value), t.door.limits.Max)
		case "offset":
			l.offset = t.readCount("offset", value)
		case "after":
			after = value
		case "before":
			before = value
		case "backward":
			backward = value
		case "fields":
			l.fields = t.readFields(value)
		case "total":
			if total = value; !t.readYes("total", value) {
				l.count = uncounted
			}
		case "count":
			count = value
			l.count = t.readCounting(value)
		case "cursors":
			l.edges = t.readYes("cursors", value)
		}
	}
	l.backward = before != nil && after == nil
	if backward != nil {
		l.backward = t.readYes("backward", backward)
	}
	if count != nil && total != nil {
		t.refuseQuery("count", "exclusive", "cannot stand beside total; send one of them")
	}
	switch {
	case after != nil && isEmptyText(after): // before may be: the end of the list
		t.refuseQuery("after", "cursor", "is empty and no cursor; leave it out to read from the beginning")
	case (after != nil || before != nil) && l.offset > 0:
		t.refuseQuery("offset", "exclusive", "cannot stand beside a cursor; send one of them")
	case l.backward && l.offset > 0:
		t.refuseQuery("offset", "exclusive", "counts from the beginning and cannot stand beside backward; send one of them")
	case t.away(): // a cursor is a word between the remote and whoever asks it
	default:
		l.from, l.until = t.readCursor("after", after), t.readCursor("before", before)
		if l.backward {
			l.from, l.until = l.until, l.from
		}
	}
	t.sel = t.pick(t.call.Select, l.fields)
	return nil
}

// isEmptyText says whether a value is the empty text.
func isEmptyText(value json.RawMessage) bool {
	return jsontext.KindOf(value) == jsontext.String && jsontext.Unquote(jsontext.Trim(value)) == ""
}

func (t *trip) readYes(name string, value json.RawMessage) bool {
	if k := jsontext.KindOf(value); k != jsontext.True && k != jsontext.False {
		t.refuseQuery(name, "type", "must be true or false")
	}
	return jsontext.KindOf(value) == jsontext.True
}

func (t *trip) runList(ctx context.Context) (*Result, error) {
	l := &t.list
	var err error
	if l.from, err = t.locate(ctx, l.from, l.backward); err != nil {
		return nil, err
	}
	q := Find{
		Entity: t.door.Entity, Select: t.sel.stored, Where: filter.Both(t.see.Rows, l.filter),
		Sort: l.order.keys, Limit: l.limit, Offset: l.offset, From: l.from, Until: l.until, Backward: l.backward,
		Count: l.count != uncounted, Estimate: l.count == estimated, Keys: t.call.Cursors || l.edges,
	}
	if t.each != nil {
		if len(t.each.values) == 0 {
			return t.pages(&Found{Rows: NewRows(t.sel.stored, 0)}), nil
		}
		q.Each = &EachKey{Field: t.each.field, Values: t.each.values}
	}
	found, err := t.store().Find(ctx, &q)
	if err != nil {
		return nil, err
	}
	if l.behind, err = t.behind(ctx, q); err != nil {
		return nil, err
	}
	return t.pages(found), nil
}

// behind asks whether there are rows on the other side of a page, where reading did
// not come along: at its cursor and beyond, or among those that offset left out. The
// row of a cursor may be gone, and all others with it. A page that is read forward
// is mostly read by those who have been there, so there it is asked on request.
func (t *trip) behind(ctx context.Context, q Find) (*Found, error) {
	l := &t.list
	switch {
	case l.from == nil && l.offset == 0: // the edge
		return nil, nil
	case !l.backward && !t.call.Behind && !l.edges:
		behind := &Found{More: true}
		if q.Each != nil {
			behind.Groups = slices.Repeat([]FoundGroup{{More: true}}, len(q.Each.Values))
		}
		return behind, nil
	}
	q.Select, q.Limit, q.Offset, q.Count, q.Keys = noFields, 0, 0, false, false
	q.Backward, q.Including, q.Until = !l.backward, true, nil
	return t.store().Find(ctx, &q)
}

var noFields = NewLayout(nil)

// pages is what a store found as the page that was asked for, or as one for every key.
func (t *trip) pages(found *Found) *Result {
	res, behind := &Result{Form: FormPage, Rows: found.Rows, Edges: t.list.edges}, t.list.behind
	if t.each == nil {
		res.Page = t.page(found, FoundGroup{To: found.Rows.Len(), Total: found.Total, More: found.More}, behind != nil && behind.More)
		return res
	}
	res.Page.Total = -1
	res.Groups = make([]Group, len(t.each.order))
	made := make([]Page, len(found.Groups)) // a page per key, shared by equal ones
	for i, g := range found.Groups {
		made[i] = t.page(found, g, behind != nil && behind.Groups[i].More)
	}
	for i, at := range t.each.order {
		if at < 0 {
			res.Groups[i].Page = t.page(found, FoundGroup{}, false)
			continue
		}
		res.Groups[i] = Group{From: found.Groups[at].From, To: found.Groups[at].To, Page: made[at]}
	}
	return res
}

// page is a group of what was found; more and behind say what lies around it, in the
// direction of reading and against it.
func (t *trip) page(found *Found, g FoundGroup, behind bool) Page {
	l := &t.list
	p := Page{Total: -1, HasMore: g.More, HasPrevious: behind}
	if l.count != uncounted {
		p.Total = g.Total
	}
	if l.backward {
		p.HasMore, p.HasPrevious = behind, g.More
	}
	if g.From < g.To && t.cursors() {
		if t.call.Cursors || l.edges {
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

// cursors says whether the caller may have cursors: the primary key stands in
// them, so they have to be able to read it (DESIGN 5: one predicate).
func (t *trip) cursors() bool { return t.readable(t.see, t.door.Entity.Primary) }

// order is how a list is sorted, and the mark its cursors carry.
type order struct {
	keys []SortKey
	mark uint64
}

// maxSortKeys is how many keys an order has at most, the primary key aside.
const maxSortKeys = 8

// readSort reads "-createdAt,title" or a list of such keys. The primary key ends
// every order, so that it is one.
func (t *trip) readSort(value json.RawMessage) order {
	var names []string
	switch jsontext.KindOf(value) {
	case jsontext.String:
		names = splitList(jsontext.Unquote(jsontext.Trim(value)))
	case jsontext.Array:
		for _, item := range jsontext.Elements(value) {
			if jsontext.KindOf(item) != jsontext.String {
				t.refuseQuery("sort", "type", `must be names of fields, such as "-createdAt,title" or ["-createdAt", "title"]`)
				return t.door.byID
			}
			names = append(names, splitList(jsontext.Unquote(item))...)
		}
	default:
		t.refuseQuery("sort", "type", `must be names of fields, such as "-createdAt,title" or ["-createdAt", "title"]`)
		return t.door.byID
	}
	if len(names) > maxSortKeys {
		t.refuseQuery("sort", "maxItems", fmt.Sprintf("must have at most %d fields", maxSortKeys))
		return t.door.byID
	}
	e := t.door.Entity
	keys := make([]SortKey, 0, len(names)+1)
	for _, name := range names {
		bare, desc := strings.CutPrefix(name, "-")
		if !desc {
			bare = strings.TrimPrefix(bare, "+")
		}
		p := sortField(e, bare)
		switch {
		case p == nil || !t.readable(t.see, p):
			t.refuseQuery("sort", schema.UnknownKey, fmt.Sprintf("names %s, which %s cannot be sorted by%s", kiterror.Quoted(bare), e.Name, t.instead(bare, t.sortable)))
			return t.door.byID
		case !filter.IsScalar(p):
			t.refuseQuery("sort", "operator", fmt.Sprintf("names %s, whose values have no order", p.Name))
			return t.door.byID
		case twice(keys, p):
			t.refuseQuery("sort", "uniqueItems", fmt.Sprintf("names %s twice; leave the second one out", p.Name))
			return t.door.byID
		}
		if len(keys) == 0 || keys[len(keys)-1].Field != e.Primary { // nothing is left to sort behind the primary key
			keys = append(keys, SortKey{p, desc})
		}
	}
	return newOrder(e, keys)
}

func splitList(s string) []string {
	parts := strings.Split(s, ",")
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func sortField(e *schema.Entity, name string) *schema.Property {
	if p := e.Property(name); p != nil {
		return p
	}
	for _, p := range e.Fields {
		if p.Link != nil && !p.Link.Many && p.Link.Key == name {
			return p
		}
	}
	return nil
}

func (t *trip) sortable() (names []string) {
	for _, p := range t.door.Entity.Fields {
		if filter.IsScalar(p) && t.readable(t.see, p) {
			names = append(names, p.Name)
		}
	}
	return names
}

func twice(keys []SortKey, p *schema.Property) bool {
	for _, k := range keys {
		if k.Field == p {
			return true
		}
	}
	return false
}

// newOrder ends keys with the primary key.
func newOrder(e *schema.Entity, keys []SortKey) order {
	if len(keys) == 0 || keys[len(keys)-1].Field != e.Primary {
		keys = append(keys, SortKey{Field: e.Primary})
	}
	return order{keys, markOf(e, keys)}
}

// readCount reads limit and offset: whole numbers from 0. A limit of 0 is a page
// without rows, for the total alone (decision 023).
func (t *trip) readCount(name string, value json.RawMessage) int {
	n, ok := schema.Integer(value)
	switch {
	case !ok:
		t.refuseQuery(name, "type", "must be a whole number")
	case n < 0:
		t.refuseQuery(name, "minimum", "must be at least 0")
	case n > maxOffset:
		return maxOffset
	default:
		return int(n)
	}
	return 0
}

// maxOffset keeps offset within what every store counts with.
const maxOffset = 1 << 31

// readFields reads "id,title" or a list of names.
func (t *trip) readFields(value json.RawMessage) []string {
	names := []string{}
	switch jsontext.KindOf(value) {
	case jsontext.String:
		return append(names, splitList(jsontext.Unquote(jsontext.Trim(value)))...)
	case jsontext.Array:
		for _, item := range jsontext.Elements(value) {
			if jsontext.KindOf(item) != jsontext.String {
				t.refuseQuery("fields", "type", `must be names of fields, such as "id,title" or ["id", "title"]`)
				return nil
			}
			names = append(names, jsontext.Unquote(item))
		}
		return names
	}
	t.refuseQuery("fields", "type", `must be names of fields, such as "id,title" or ["id", "title"]`)
	return nil
}

func (t *trip) refuseQuery(name, code, message string) {
	t.refuse(schema.Detail{Path: name, Pointer: "/query/" + name, Code: code, Message: message})
}
