package leak

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
)

// reads asks for rows in every way that is not GraphQL.
func (p *proof) reads() {
	for _, e := range p.garden.entities {
		p.byID(e)
		for _, f := range e.fields {
			for _, op := range p.some(operators(f), 3) {
				if f.kind == many {
					break
				}
				p.list(&listing{e: e, where: p.view.w.comparison(p.maker, f, op), total: true})
			}
			p.list(&listing{e: e, sort: []sortKey{{f, p.chance(50)}}, total: true})
		}
		for range 6 {
			p.list(p.listing(e, 2))
		}
		p.words(e)
		p.aggregates(e)
		p.behind(e)
		p.groupWords(e)
		p.searches(e)
		p.pages(e)
		p.batches(e)
		p.handlers(e)
		for range 4 {
			p.relations(e, p.IntN(4))
		}
		p.relationWords(e)
	}
}

// some are a few of many.
func (p *proof) some(from []string, n int) []string {
	from = slices.Clone(from)
	p.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:min(n, len(from))]
}

// hidden is the id of a row the caller may not see, in both worlds if it can be.
func (p *proof) hidden(e *entity) string {
	var both, some []string
	for _, r := range p.view.w.rows[e] {
		if !p.view.shows(e, r) {
			some = append(some, r.id())
			if p.counterpart.w.row(e, r.id()) != nil {
				both = append(both, r.id())
			}
		}
	}
	switch {
	case len(both) > 0 && p.chance(70):
		return pick(p.maker, both)
	case len(some) > 0:
		return pick(p.maker, some)
	}
	return ""
}

// absent is an id no row has.
func (p *proof) absent() string { return p.id() }

// visible is a row the caller may see, or nil.
func (p *proof) visible(e *entity) row {
	if rows := p.view.rows[e]; len(rows) > 0 {
		return pick(p.maker, rows)
	}
	return nil
}

// expected is a row as the caller gets it: what they may read, of the fields asked
// for (nil: all).
func (v *view) expected(e *entity, r row, fields []string) map[string]any {
	out := map[string]any{}
	for name, value := range v.cells(e, r) {
		if fields == nil || slices.Contains(fields, name) {
			out[name] = value
		}
	}
	return out
}

// agree compares what came back with what the oracle says. Computed fields are not
// the oracle's; that they are there, or not, is.
func agree(got, want any) error {
	var strip func(any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{}
			for name, member := range v {
				if !strings.HasSuffix(name, "Dump") {
					out[name] = strip(member)
				}
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = strip(v[i])
			}
			return out
		}
		return v
	}
	clean, _ := decode([]byte(encode(want)))
	if at := differ("", strip(got), strip(clean)); at != "" {
		return fmt.Errorf("the oracle says otherwise, at %s", at)
	}
	return nil
}

// differ is where two values differ first, or "".
func differ(at string, got, want any) string {
	switch x := got.(type) {
	case map[string]any:
		y, ok := want.(map[string]any)
		if !ok {
			break
		}
		names := slices.Sorted(maps.Keys(x))
		for name := range y {
			if _, both := x[name]; !both {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if d := differ(at+"."+name, x[name], y[name]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		y, ok := want.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if d := differ(fmt.Sprintf("%s[%d]", at, i), x[i], y[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if x, y := encode(got), encode(want); x != y {
		return fmt.Sprintf("%s\n  it allows  %s\n  there came %s", at, y, x)
	}
	return ""
}

// result is what an answer holds on its surface: a value, or the code of a failure.
func result(r request, a answer) (value any, code string) {
	v, err := decode(a.body)
	if err != nil && len(a.body) > 0 {
		return nil, "no JSON: " + err.Error()
	}
	o, _ := v.(map[string]any)
	text := func(v any) string { s, _ := v.(string); return s }
	switch {
	case r.call != nil:
		if a.status != 200 {
			return nil, text(o["code"])
		}
		return v, ""
	case r.surface == "envelope":
		if e, ok := o["error"].(map[string]any); ok {
			data, _ := e["data"].(map[string]any)
			return nil, text(data["code"])
		}
		return o["result"], ""
	case a.status >= 400:
		data, _ := o["data"].(map[string]any)
		return nil, text(data["code"])
	}
	return v, ""
}

// listing is a call of list.
type listing struct {
	e             *entity
	where         *cond
	sort          []sortKey
	limit, offset int // 0: not sent
	fields        []string
	total         bool
}

type sortKey struct {
	f    *field
	desc bool
}

// listing is a random one.
func (p *proof) listing(e *entity, depth int) *listing {
	l := &listing{e: e, total: p.chance(70)}
	allow := p.view.readable
	if p.chance(15) {
		allow = func(*field) bool { return true }
	}
	if p.chance(75) {
		l.where = p.view.w.condition(p.maker, e, depth, func(f *field) bool { return allow(f) })
	}
	for range p.IntN(3) {
		f := pick(p.maker, e.fields)
		if f.sortable() && allow(f) && !slices.ContainsFunc(l.sort, func(k sortKey) bool { return k.f == f }) {
			l.sort = append(l.sort, sortKey{f, p.chance(50)})
		}
	}
	if p.chance(50) {
		l.limit = 1 + p.IntN(6)
	}
	if p.chance(30) {
		l.offset = p.IntN(5)
	}
	if p.chance(40) {
		l.fields = []string{}
		for _, f := range e.fields {
			if f.stored() && p.chance(50) && allow(f) {
				l.fields = append(l.fields, f.name)
			}
		}
	}
	return l
}

func (f *field) sortable() bool { return f.kind <= enum || f.kind == one }

// query is the listing as list's query.
func (l *listing) query() map[string]any {
	q := map[string]any{}
	if l.where != nil {
		q["filter"] = l.where.filter(nil)
	}
	if l.sort != nil {
		q["sort"] = l.sortText()
	}
	if l.limit > 0 {
		q["limit"] = l.limit
	}
	if l.offset > 0 {
		q["offset"] = l.offset
	}
	if l.fields != nil {
		q["fields"] = l.fields
	}
	if !l.total {
		q["total"] = false
	}
	return q
}

func (l *listing) sortText() string {
	var names []string
	for _, k := range l.sort {
		name := k.f.name
		if k.desc {
			name = "-" + name
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

// allowed says whether the caller may ask for the listing at all.
func (v *view) allowed(l *listing) bool {
	if v.denied(l.e) || l.where != nil && !v.may(l.where) {
		return false
	}
	for _, k := range l.sort {
		if !k.f.sortable() || !v.readable(k.f) {
			return false
		}
	}
	for _, name := range l.fields {
		if f := l.e.field(name); !v.readable(f) {
			return false
		}
	}
	return true
}

// rowsOf are all rows that meet the listing, in its order.
func (v *view) rowsOf(l *listing) []row {
	var all []row
	for _, r := range v.rows[l.e] {
		if l.where == nil || l.where.holds(v.w, v.shows, r) {
			all = append(all, r)
		}
	}
	return l.sorted(all)
}

func (l *listing) sorted(rows []row) []row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int {
		for _, k := range l.sort {
			n := compare(k.f.kind, a[k.f.name], b[k.f.name])
			if k.desc {
				n = -n
			}
			if n != 0 {
				return n
			}
		}
		// Rows that are equal stand in the direction of the last key.
		if n := len(l.sort); n > 0 && l.sort[n-1].desc {
			a, b = b, a
		}
		return strings.Compare(a.id(), b.id())
	})
	return rows
}

// page cuts the rows of one page.
func (l *listing) page(all []row) (page []row, more bool) {
	from := min(l.offset, len(all))
	to := min(from+cmp.Or(l.limit, 50), len(all))
	return all[from:to], to < len(all)
}

// list asks for a listing on every surface but GraphQL.
func (p *proof) list(l *listing) {
	q := l.query()
	rest := url.Values{}
	for name, v := range q {
		switch v := v.(type) {
		case string:
			rest.Set(name, v)
		case []string:
			rest.Set(name, strings.Join(v, ","))
		default:
			rest.Set(name, encode(v))
		}
	}
	for _, r := range []request{
		inREST("GET", l.e.plural+"?"+rest.Encode(), nil),
		inEnvelope(l.e.name+".list", nil, q, nil),
		{call: &facade.Call{Entity: l.e.name, Operation: "list", Invocation: facade.Invocation{Query: jsonText(q)}, Cursors: p.chance(50)}},
	} {
		if len(l.fields) == 0 && l.fields != nil && r.surface == "rest" {
			continue // fields= is no field in a URL; what it selects is tested elsewhere
		}
		p.probe(r, func(a answer) error { return p.isPage(l, r, a) })
	}
	p.file(l, rest)
}

// file asks for a listing as a file.
func (p *proof) file(l *listing, query url.Values) {
	query = maps.Clone(query)
	query.Del("total")
	query.Del("fields")
	at := inREST("GET", l.e.plural+"?"+query.Encode(), nil)
	at.headers = []string{"Accept", "text/csv"}
	p.probe(at, nil)
	at.headers = []string{"Accept", "application/x-ndjson"}
	p.probe(at, func(a answer) error {
		l := *l
		if l.fields = nil; l.limit == 0 {
			l.limit = math.MaxInt32
		}
		if a.status != 200 || !p.view.allowed(&l) || p.view.denied(l.e) {
			l.total = false
			return p.isPage(&l, at, a)
		}
		items := []any{}
		for line := range strings.Lines(string(a.body)) {
			item, err := decode([]byte(line))
			if err != nil {
				return fmt.Errorf("a line is no JSON: %w", err)
			}
			items = append(items, item)
		}
		want := []any{}
		rows, _ := l.page(p.view.rowsOf(&l))
		for _, r := range rows {
			want = append(want, p.view.expected(l.e, r, nil))
		}
		return agree(items, want)
	})
}

func (p *proof) isPage(l *listing, r request, a answer) error {
	got, code := result(r, a)
	switch {
	case p.view.denied(l.e):
		if code != "FORBIDDEN" {
			return fmt.Errorf("a door that is closed to the caller answers %q", code)
		}
		return nil
	case !p.view.allowed(l):
		if code != "VALIDATION_FAILED" {
			return fmt.Errorf("a field the caller may not read can be asked for: %q", code)
		}
		return nil
	case code != "":
		return fmt.Errorf("what the caller may ask is refused: %s", code)
	}
	page, _ := got.(map[string]any)
	all := p.view.rowsOf(l)
	rows, more := l.page(all)
	items := []any{}
	for _, r := range rows {
		items = append(items, p.view.expected(l.e, r, l.fields))
	}
	want := map[string]any{"items": items, "hasMore": more, "total": -1}
	if l.total {
		want["total"] = len(all)
	}
	delete(page, "endCursor")
	for _, item := range page["items"].([]any) {
		_, has := item.(map[string]any)[l.e.dump]
		if has && p.view.hides(l.e, l.e.dump) {
			return fmt.Errorf("a hidden computed field is there")
		}
	}
	return agree(page, want)
}

// byID asks for single rows: seen, hidden and absent ones.
func (p *proof) byID(e *entity) {
	find := []func(string) request{
		func(id string) request { return inREST("GET", e.plural+"/"+id, nil) },
		func(id string) request { return inREST("HEAD", e.plural+"/"+id, nil) },
		func(id string) request { return inREST("GET", e.plural+"/"+id, nil, "If-None-Match", "*") },
		func(id string) request { return inREST("GET", e.plural+"/"+id, nil, "If-Match", "*") },
		func(id string) request { return inEnvelope(e.name+".findById", map[string]any{"id": id}, nil, nil) },
		func(id string) request {
			return inEnvelope(e.name+".findByIds", nil, map[string]any{"ids": []string{id}}, nil)
		},
		func(id string) request { return inREST("GET", e.plural+"/find-by-ids?ids="+id, nil) },
		func(id string) request {
			return inREST("GET", e.plural+"?filter="+url.QueryEscape(encode(map[string]any{"id": map[string]any{"eq": id}})), nil)
		},
		func(id string) request { return inREST("GET", e.plural+"?filter[id][in]="+id, nil) },
		func(id string) request {
			return inGraphQL("query($id: ID!) { "+e.name+"(id: $id) { id __typename } }", map[string]any{"id": id})
		},
		func(id string) request {
			return inGraphQL("query($id: ID!) { node(nodeId: $id) { nodeId __typename } }", map[string]any{"id": nodeID(e, id)})
		},
		func(id string) request {
			return inGraphQL("query($ids: [ID!]!) { "+e.plural+"ByIds(ids: $ids) { id } }", map[string]any{"ids": []string{id}})
		},
		func(id string) request {
			return request{call: &facade.Call{Entity: e.name, Operation: "findById", Each: &facade.Each{Field: "id", Keys: []json.RawMessage{json.RawMessage(encode(id))}}}}
		},
	}
	if id := p.hidden(e); id != "" {
		absent := p.absent()
		for _, ask := range find {
			p.same(ask, id, absent)
		}
	}
	r := p.visible(e)
	if r == nil {
		return
	}
	q := find[0](r.id())
	a := p.probe(q, func(a answer) error {
		got, code := result(q, a)
		if code != "" {
			return fmt.Errorf("a row the caller may see answers %s", code)
		}
		return agree(got, p.view.expected(e, r, nil))
	})
	tag := a.header.Get("ETag")
	p.probe(inREST("GET", e.plural+"/"+r.id(), nil, "If-None-Match", tag), func(a answer) error {
		if a.status != 304 {
			return fmt.Errorf("the tag of the row gives %d", a.status)
		}
		return nil
	})
	p.probe(find[1](r.id()), nil)
	q = find[4](r.id())
	p.probe(q, func(a answer) error {
		got, _ := result(q, a)
		return agree(got, p.view.expected(e, r, nil))
	})
}

func nodeID(e *entity, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(e.name + ":" + encode(id)))
}

// words asks by names: of hidden fields, and of none. The answers are the same, and what
// a message lists instead never names what is hidden.
func (p *proof) words(e *entity) {
	if p.view.denied(e) {
		return
	}
	var hidden []string
	for _, f := range e.fields {
		if !p.view.readable(f) {
			hidden = append(hidden, f.name)
		}
	}
	if e.dump != "" && p.view.hides(e, e.dump) {
		hidden = append(hidden, e.dump)
	}
	asks := func(name string) []request {
		q := []map[string]any{
			{"fields": []string{name}},
			{"sort": name},
			{"filter": map[string]any{name: map[string]any{"eq": "x"}}},
			{"filter": map[string]any{"not": map[string]any{"or": []any{map[string]any{name: map[string]any{"isNull": true}}}}}},
		}
		var all []request
		for _, q := range q {
			all = append(all, inEnvelope(e.name+".list", nil, q, nil))
		}
		return append(all,
			request{call: &facade.Call{Entity: e.name, Operation: "list", Select: []string{name}}},
			request{call: &facade.Call{Entity: e.name, Operation: "findById", Select: []string{name}, Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"x"}`)}}},
			request{call: &facade.Call{Entity: e.name, Operation: "listRaw", Select: []string{name}}},
			request{call: &facade.Call{Entity: e.name, Operation: "list", Each: &facade.Each{Field: name, Keys: []json.RawMessage{json.RawMessage(`"x"`)}}}})
	}
	const none = "nothing"
	for _, r := range asks(none) {
		p.probe(r, func(a answer) error {
			for _, name := range hidden {
				if strings.Contains(string(a.body), name) {
					return fmt.Errorf("a message names the hidden field %s", name)
				}
			}
			return nil
		})
	}
	for _, name := range hidden {
		for i, r := range asks(name) {
			got, unknown := p.probe(r, nil), p.probe(asks(none)[i], nil)
			x, cx := result(r, got)
			_, cu := result(r, unknown)
			if cx != cu {
				p.fail("the hidden field %s answers %q, and an unknown one %q\n%s\n%s", name, cx, cu, r, encode(x))
			}
		}
	}
	p.malformed(e)
}

// operands are what may be sent behind a name in a filter, most of it nonsense for most
// fields; brackets are the same for a URL.
var (
	operands = []any{
		1, "x", nil, true,
		[]any{},
		[]any{1},
		map[string]any{},
		map[string]any{"eq": nil},
		map[string]any{"eq": map[string]any{}},
		map[string]any{"nope": 1},
		map[string]any{"some": 1},
		map[string]any{"some": map[string]any{"id": 1}},
		map[string]any{"none": nil},
		map[string]any{"in": "x"},
		map[string]any{"has": map[string]any{}},
		map[string]any{"isNull": "x"},
		map[string]any{"and": 1},
		map[string]any{"id": map[string]any{"eq": "x"}},
		map[string]any{"id": 1},
	}
	brackets = []string{
		"=x", "[eq]=x", "[in]=1,x", "[isNull]=maybe", "[id]=x", "[id][eq]=x", "[some]=1", "[some][id]=x", "[every][nope][eq]=x", "[has]=", "[nope]=1", "[gte][lt]=1",
		"=x&filter[%]=y", "=x&filter[%][eq]=y", "=x&filter[%][id]=y", "[in]=x&filter[%][in]=y", "[and]=1", "[or][id]=1", "[or][0][id]=1", "[not]=1", "[not][id]=1",
	}
)

// malformed asks by names that do not exist for the caller, with anything behind them:
// each is refused in the words for a name that nobody has.
func (p *proof) malformed(e *entity) {
	var names []string
	for _, f := range e.fields {
		switch {
		case !p.view.readable(f):
			names = append(names, f.name)
			if f.to != nil {
				names = append(names, f.rel, f.key)
			}
		case f.to != nil && f.kind != ids && !p.view.reachable(f):
			names = append(names, f.rel)
		}
	}
	const none = "nobody"
	for _, name := range names {
		where := func(name string, v any) request {
			return inEnvelope(e.name+".list", nil, map[string]any{"filter": map[string]any{name: v}}, nil)
		}
		asks := []func(string) request{}
		for range 3 {
			v := pick(p.maker, operands)
			asks = append(asks, func(name string) request { return where(name, v) })
		}
		for range 3 {
			b := pick(p.maker, brackets)
			asks = append(asks, func(name string) request {
				return inREST("GET", e.plural+"?filter["+name+"]"+strings.ReplaceAll(b, "%", name), nil)
			})
		}
		for _, ask := range asks {
			got, unknown := p.probe(ask(name), nil), p.probe(ask(none), nil)
			if x, y := strings.ReplaceAll(string(got.body), name, none), string(unknown.body); x != y {
				p.fail("a name that does not exist for the caller differs from one that nobody has\n%s\n--- %s\n%s\n--- unknown\n%s", ask(name), name, got, unknown)
			}
		}
	}
}

// pages reads a list page by page, and then with cursors that were not meant for it.
func (p *proof) pages(e *entity) {
	if p.view.denied(e) {
		return
	}
	var l *listing
	for l == nil || !p.view.allowed(l) {
		l = p.listing(e, 1)
	}
	l.limit, l.offset, l.fields = 1+p.IntN(3), 0, nil
	want := p.view.rowsOf(l)
	var got []string
	q := l.query()
	cursor := ""
	for range len(want) + 2 {
		r := inEnvelope(e.name+".list", nil, q, nil)
		v, code := result(r, p.probe(r, nil))
		if code != "" {
			p.fail("a page is refused: %s\n%s", code, r)
		}
		page := v.(map[string]any)
		for _, item := range page["items"].([]any) {
			got = append(got, item.(map[string]any)["id"].(string))
		}
		next, _ := page["endCursor"].(string)
		if next != "" {
			cursor = next
		}
		if page["hasMore"] != true {
			break
		}
		q["after"] = next
	}
	var ids []string
	for _, r := range want {
		ids = append(ids, r.id())
	}
	if !slices.Equal(got, ids) {
		p.fail("page by page there is %v, at once %v\n%s", got, ids, encode(q))
	}
	if cursor != "" {
		p.cursors(l, cursor)
	}
}

// cursors tries cursors of another order, another caller, another door, and ones
// made up from values of rows that are hidden.
func (p *proof) cursors(l *listing, own string) {
	ask := func(e *entity, q map[string]any) {
		p.probe(inEnvelope(e.name+".list", nil, q, nil), nil)
		p.probe(request{call: &facade.Call{Entity: e.name, Operation: "list", Invocation: facade.Invocation{Query: jsonText(q)}, Cursors: true}}, nil)
	}
	with := func(way, cursor string) map[string]any {
		q := l.query()
		delete(q, "offset")
		q[way] = cursor
		return q
	}
	for _, way := range []string{"after", "before"} {
		ask(l.e, with(way, own))
		for _, r := range p.view.w.rows[l.e] { // hidden and seen ones
			if p.chance(40) {
				ask(l.e, with(way, l.forge(own, r)))
			}
			if p.chance(20) { // a range that ends at it
				q := with(way, l.forge(own, r))
				q[map[string]string{"after": "before", "before": "after"}[way]] = own
				ask(l.e, q)
			}
		}
	}
	for _, e := range p.garden.entities {
		ask(e, map[string]any{"after": own})
		theirs := p.listing(e, 0)
		theirs.fields, theirs.offset, theirs.where = nil, 0, nil
		q := theirs.query()
		r := inEnvelope(e.name+".list", nil, q, nil)
		if v, code := result(r, p.first.ask(p.other, r)); code == "" {
			q["after"], _ = v.(map[string]any)["endCursor"].(string)
			ask(e, q)
			ask(e, map[string]any{"after": q["after"]})
		}
	}
}

// forge is a cursor of the listing's order for a row, seen or not: the head of a
// real one, and the row's values.
func (l *listing) forge(genuine string, r row) string {
	raw, _ := base64.RawURLEncoding.DecodeString(genuine)
	var values []any
	last := false
	for _, k := range l.sort {
		values = append(values, r[k.f.name])
		last = last || k.f == l.e.id()
		if last {
			break
		}
	}
	if !last {
		values = append(values, r.id())
	}
	return base64.RawURLEncoding.EncodeToString(append(raw[:9:9], encode(values)...))
}

// batches asks for many at once: frames, and keys.
func (p *proof) batches(e *entity) {
	var frames []any
	for i := range 3 {
		l := p.listing(pick(p.maker, p.garden.entities), 1)
		frames = append(frames, frame(i, l.e.name+".list", nil, l.query(), nil))
	}
	batch := request{surface: "envelope", method: "POST", path: "/_kit/call", body: encode(frames)}
	a, b := p.ask(batch)
	if inOrder(a) != inOrder(b) { // answers stand in any order
		p.fail("the batches of the two worlds differ\n%s\n--- one\n%s\n--- the other\n%s", batch, a, b)
	}
	for _, f := range e.fields {
		var keys []json.RawMessage
		for _, r := range p.view.w.rows[e] {
			if f.stored() && r[f.name] != nil && p.chance(50) {
				keys = append(keys, json.RawMessage(encode(r[f.name])))
			}
		}
		for _, op := range []string{"list", "findById"} {
			p.probe(request{call: &facade.Call{Entity: e.name, Operation: op, Each: &facade.Each{Field: f.name, Keys: keys}, Cursors: p.chance(50)}}, nil)
		}
	}
	var ids []string
	var want []any
	for _, r := range p.view.w.rows[e] {
		if p.chance(70) {
			ids = append(ids, r.id())
			if p.view.shows(e, r) {
				want = append(want, p.view.expected(e, r, nil))
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	for _, r := range []request{
		inEnvelope(e.name+".findByIds", nil, map[string]any{"ids": ids}, nil),
		inREST("GET", e.plural+"/find-by-ids?ids="+strings.Join(ids, ","), nil),
	} {
		p.probe(r, func(a answer) error { return p.areRows(e, r, a, want) })
	}
}

func inOrder(a answer) string {
	v, _ := decode(a.body)
	frames, _ := v.([]any)
	slices.SortFunc(frames, func(a, b any) int { return strings.Compare(encode(a), encode(b)) })
	return encode(frames)
}

func (p *proof) areRows(e *entity, r request, a answer, want []any) error {
	got, code := result(r, a)
	switch {
	case p.view.denied(e):
		if code != "FORBIDDEN" {
			return fmt.Errorf("a door that is closed to the caller answers %q", code)
		}
		return nil
	case code != "":
		return fmt.Errorf("what the caller may ask is refused: %s", code)
	}
	if page, ok := got.(map[string]any); ok {
		got = page["items"]
	}
	if want == nil {
		want = []any{}
	}
	return agree(got, want)
}

// handlers asks the operations whose handlers answer more than they may.
func (p *proof) handlers(e *entity) {
	if !p.view.closed(e, touch) {
		if r := p.visible(e); r != nil {
			q := p.touches(e, r.id())[p.IntN(2)]
			p.probe(q, func(a answer) error {
				got, code := result(q, a)
				if code != "" {
					return fmt.Errorf("a command that is open answers %s", code)
				}
				return agree(got, p.view.expected(e, r, nil))
			})
		}
		if id := p.hidden(e); id != "" {
			for i := range p.touches(e, id) {
				p.same(func(id string) request { return p.touches(e, id)[i] }, id, p.absent())
			}
		}
	}
	for _, op := range []struct {
		name, path string
		fields     []string
	}{{"listRaw", "list-raw", nil}, {"listCut", "list-cut", e.cut}, {"getPage", "get-page", nil}} {
		var want []any
		for _, r := range p.view.rows[e] {
			want = append(want, p.view.expected(e, r, op.fields))
		}
		for _, r := range []request{
			inEnvelope(e.name+"."+op.name, nil, nil, nil),
			inREST("GET", e.plural+"/"+op.path, nil),
		} {
			p.probe(r, func(a answer) error { return p.areRows(e, r, a, want) })
		}
	}
}
