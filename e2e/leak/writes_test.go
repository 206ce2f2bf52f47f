package leak

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
)

// writes asks for changes: first for those that have to change nothing, then for
// those that may change one row and no other.
func (p *proof) writes() {
	for _, e := range p.garden.entities {
		p.shut(e)
		p.hiddenRows(e)
		p.wide(e)
		p.fieldsOf(e)
		p.pointing(e)
		p.refusedRow(e)
		p.manyRows(e)
		p.manyWords(e)
		p.rehearsals(e)
	}
	p.still()
	for _, e := range p.garden.entities {
		if !p.changes(e) || !p.moves(e) || !p.changesMany(e) || !p.lists(e) || !p.creates(e) || !p.deletes(e) {
			return // the worlds differ now, as they do where rows depend on hidden ones
		}
	}
	for _, e := range p.garden.entities {
		p.taken(e)
		p.takenByMany(e)
	}
}

// frozen asks what must not change anything, in either world.
func (p *proof) frozen(r request, check func(answer) error) answer {
	a := p.probe(r, check)
	if p.asked = append(p.asked, r); len(p.asked) >= p.patience {
		p.still()
	}
	return a
}

// still compares both stores with what stood there when they were last looked at,
// row by row. Reading everything takes longer than asking, so it is done for some
// requests at once; a proof that fails here is run again, one by one.
func (p *proof) still() {
	for _, side := range []struct {
		was *world
		b   *host
	}{{p.view.w, p.first}, {p.counterpart.w, p.second}} {
		if is := p.rows(side.b).text(); is != side.was.text() {
			if p.patience > 1 {
				panic(closer{})
			}
			p.fail("what may not be written was written\n%s\n--- before\n%s\n--- after\n%s", p.asked[len(p.asked)-1], side.was.text(), is)
		}
	}
	p.asked = nil
}

// closer ends a proof that has to be looked at one by one.
type closer struct{}

func (p *proof) rows(b *host) *world {
	w, err := b.harvest(p.garden)
	if err != nil {
		p.fail("the store cannot be read: %v", err)
	}
	return w
}

// again looks at both worlds anew after a change, and says whether they are still
// equal to the caller.
func (p *proof) again() bool {
	p.look(p.rows(p.first), p.rows(p.second))
	return p.view.text() == p.counterpart.text()
}

// The same change on each surface that has it.

func (p *proof) updates(e *entity, id string, body map[string]any) []request {
	typ := typeName(e)
	return []request{
		inEnvelope(e.name+".update", map[string]any{"id": id}, nil, body),
		inREST("PATCH", e.plural+"/"+id, body),
		inREST("PUT", e.plural+"/"+id, body),
		inGraphQL(fmt.Sprintf("mutation($id: ID!, $input: Update%sInput!) { update%s(id: $id, input: $input) { id } }", typ, typ), map[string]any{"id": id, "input": body}),
		{call: &facade.Call{Entity: e.name, Operation: "update", Invocation: facade.Invocation{Params: jsonText(map[string]any{"id": id}), Body: jsonText(body)}}},
	}
}

func (p *proof) removals(e *entity, id string) []request {
	return []request{
		inEnvelope(e.name+".delete", map[string]any{"id": id}, nil, nil),
		inREST("DELETE", e.plural+"/"+id, nil),
		inGraphQL("mutation($id: ID!) { delete"+typeName(e)+"(id: $id) }", map[string]any{"id": id}),
		{call: &facade.Call{Entity: e.name, Operation: "delete", Invocation: facade.Invocation{Params: jsonText(map[string]any{"id": id})}}},
	}
}

func (p *proof) creations(e *entity, body map[string]any) []request {
	typ := typeName(e)
	return []request{
		inEnvelope(e.name+".create", nil, nil, body),
		inREST("POST", e.plural, body),
		inGraphQL(fmt.Sprintf("mutation($input: Create%sInput!) { create%s(input: $input) { id } }", typ, typ), map[string]any{"input": body}),
		{call: &facade.Call{Entity: e.name, Operation: "create", Invocation: facade.Invocation{Body: jsonText(body)}}},
	}
}

// creation is one of them. Of a collector in Go the schema knows nothing, and asks
// everybody for a field that cannot be null, also for one that is preset.
func (p *proof) creation(e *entity, body map[string]any) request {
	all := p.creations(e, body)
	q := pick(p.maker, all)
	if s := p.caller.scopes[e]; q.surface == "graphql" && s != nil && !p.asYAML {
		for name := range s.set {
			if f := e.field(name); !f.optional && !f.null {
				return all[0]
			}
		}
	}
	return q
}

// patch is a body for update that the caller may send: one plain field.
func (p *proof) patch(e *entity) map[string]any {
	var may []*field
	for _, f := range e.fields[1:] {
		if f.kind <= list && p.sendable(f) {
			may = append(may, f)
		}
	}
	if len(may) == 0 {
		return nil
	}
	f := pick(p.maker, may)
	return map[string]any{f.name: p.value(f.kind)}
}

// sendable says whether the caller may send a field: no collector hides or sets it.
func (p *proof) sendable(f *field) bool {
	s := p.caller.scopes[f.of]
	if s == nil {
		return f.stored()
	}
	_, set := s.set[f.name]
	return f.stored() && !set && !p.view.hides(f.of, f.name) && !p.view.fixed(f)
}

// body is a body for create that the caller may send, or nil where there is none:
// a field it takes is hidden, or there is no row to point at.
func (p *proof) body(e *entity) map[string]any {
	if p.view.closed(e, "create") {
		return nil
	}
	body := map[string]any{"id": p.absent()}
	for _, f := range e.fields[1:] {
		switch must := !f.optional; {
		case f.kind == many:
		case !p.sendable(f):
			s := p.caller.scopes[e]
			if _, set := s.set[f.name]; must && !set {
				return nil
			}
		case f.kind == one:
			to := p.visible(f.to)
			switch {
			case to != nil && (must && !f.null || p.chance(60)):
				body[f.name] = to.id()
			case must && f.null:
				body[f.name] = nil
			case must:
				return nil
			}
		case f.kind == ids:
		case must || p.chance(50):
			body[f.name] = p.value(f.kind)
		}
	}
	return body
}

// shut asks for operations that a collector refuses: nothing of them is done.
func (p *proof) shut(e *entity) {
	id, patch := p.absent(), p.patch(e)
	if r := p.visible(e); r != nil {
		id = r.id()
	}
	if patch == nil {
		patch = map[string]any{}
	}
	asks := map[string][]request{"create": p.creations(e, map[string]any{"id": p.absent()}), "update": p.updates(e, id, patch), "delete": p.removals(e, id), touch: p.touches(e, id)}
	for _, op := range []string{"create", "update", "delete", touch} {
		if !p.view.closed(e, op) {
			continue
		}
		for _, r := range asks[op] {
			a := p.frozen(r, nil)
			if _, code := result(r, a); r.surface != "graphql" && code != "FORBIDDEN" {
				p.fail("an operation that is closed answers %q\n%s\n%s", code, r, a)
			}
		}
	}
}

func (p *proof) touches(e *entity, id string) []request {
	return []request{
		inEnvelope(e.name+"."+touch, map[string]any{"id": id}, nil, nil),
		inREST("POST", e.plural+"/"+id+"/"+touch, nil),
		inGraphQL("mutation($id: String!) { "+e.name+"Touch(id: $id) { id } }", map[string]any{"id": id}),
	}
}

// hiddenRows changes and removes rows that are hidden: as with rows that never
// were, there is nothing to change.
func (p *proof) hiddenRows(e *entity) {
	id := p.hidden(e)
	body := p.patch(e)
	if id == "" || body == nil {
		return
	}
	absent := p.absent()
	for i, r := range p.updates(e, id, body) {
		a := p.frozen(r, nil)
		if _, code := result(r, a); r.surface != "graphql" && !p.view.closed(e, "update") && code != "NOT_FOUND" {
			p.fail("a change of a hidden row answers %q\n%s\n%s", code, r, a)
		}
		p.same(func(id string) request { return p.updates(e, id, body)[i] }, id, absent)
	}
	for i, r := range p.removals(e, id) {
		p.frozen(r, nil)
		p.same(func(id string) request { return p.removals(e, id)[i] }, id, absent)
	}
	for _, header := range [][]string{{"If-Match", "*"}, {"If-None-Match", "*"}, {"If-Match", `"x"`}, {"If-None-Match", `"x"`}} {
		p.frozen(inREST("PATCH", e.plural+"/"+id, body, header...), nil)
		p.same(func(id string) request { return inREST("PATCH", e.plural+"/"+id, body, header...) }, id, absent)
		p.same(func(id string) request { return inREST("DELETE", e.plural+"/"+id, nil, header...) }, id, absent)
	}
	for _, f := range e.fields {
		if f.kind == object && p.sendable(f) { // a patch of a nested object reads the row first
			p.same(func(id string) request { return p.updates(e, id, map[string]any{f.name: map[string]any{"b": 1}})[0] }, id, absent)
		}
	}
}

// wide tries to change more than one row, or one that nobody named: filters that
// are empty or null, ids that are none.
func (p *proof) wide(e *entity) {
	body := p.patch(e)
	if body == nil {
		body = map[string]any{}
	}
	known := p.absent()
	if r := p.visible(e); r != nil {
		known = r.id()
	}
	every := []any{
		nil,
		map[string]any{},
		map[string]any{"and": []any{}},
		map[string]any{"not": map[string]any{"or": []any{}}},
		map[string]any{"id": map[string]any{"in": []any{}}},
		map[string]any{"id": map[string]any{"notIn": []any{}}},
		map[string]any{"id": nil},
		map[string]any{"id": map[string]any{"ne": ""}},
		map[string]any{"id": map[string]any{"isNull": false}},
	}
	noID := []any{
		nil, "", []any{}, map[string]any{}, []any{known}, map[string]any{"ne": ""}, map[string]any{"in": []any{known}}, true, 0, "%", "*", "' or 1=1 --",
	}
	for _, op := range []string{"update", "delete"} {
		var sent any
		if op == "update" {
			sent = body
		}
		for _, id := range noID {
			p.frozen(inEnvelope(e.name+"."+op, map[string]any{"id": id}, nil, sent), nil)
		}
		p.frozen(inEnvelope(e.name+"."+op, nil, nil, sent), nil)
		p.frozen(inEnvelope(e.name+"."+op, map[string]any{}, map[string]any{"ids": []any{known}}, sent), nil)
		for i, f := range every {
			method := map[string]string{"update": "PATCH", "delete": "DELETE"}[op]
			for _, params := range []map[string]any{{}, {"filter": f}, {"id": nil, "filter": f}, {"id": known, "filter": f}} {
				p.frozen(inEnvelope(e.name+"."+op, params, map[string]any{"filter": f, "limit": 10}, sent), nil)
			}
			for _, path := range []string{"", "/", "/%20", "/*", "/" + known} {
				if strings.Trim(path, "/") == "" && i >= len(every)-2 {
					continue // a write of many rows, under a condition that says something
				}
				p.frozen(inREST(method, e.plural+path+"?filter="+url.QueryEscape(encode(f)), sent), nil)
			}
		}
	}
	for _, id := range []string{"", " ", "*", "%"} {
		p.frozen(p.removals(e, id)[2], nil)
	}
}

// fieldsOf sends fields that are not the caller's: hidden ones are answered like ones
// that do not exist, also in the condition of a write, preset ones are refused.
func (p *proof) fieldsOf(e *entity) {
	if p.view.denied(e) {
		return
	}
	id := p.absent()
	if r := p.visible(e); r != nil {
		id = r.id()
	}
	const none = "nothing"
	for _, f := range e.fields[1:] {
		if !p.view.hides(e, f.name) || f.kind == many {
			continue
		}
		var value any = "x"
		if f.kind <= list {
			value = p.value(f.kind)
		}
		for _, v := range []any{value, nil, 1, "x", map[string]any{"a": 1}} {
			asks := func(name string) []request {
				body := map[string]any{name: v}
				return []request{
					p.updates(e, id, body)[0], p.updates(e, id, body)[1], p.creations(e, body)[0], p.creations(e, body)[1],
				}
			}
			for i, r := range asks(f.name) {
				got, unknown := p.frozen(r, nil), p.frozen(asks(none)[i], nil)
				x, y := strings.ReplaceAll(string(got.body), f.name, none), string(unknown.body)
				if x != y {
					p.fail("a hidden field differs from one that does not exist\n%s\n--- hidden\n%s\n--- unknown\n%s", r, got, unknown)
				}
			}
		}
		for _, v := range []any{map[string]any{"eq": value}, map[string]any{"isNull": false}, nil, "x"} {
			asks := func(name string) []request {
				where := map[string]any{name: v}
				at := e.plural + "/" + id + "?where=" + url.QueryEscape(encode(where))
				return []request{
					inEnvelope(e.name+".update", map[string]any{"id": id}, map[string]any{"where": where}, map[string]any{}),
					inEnvelope(e.name+".delete", map[string]any{"id": id}, map[string]any{"where": where}, nil),
					inREST("PATCH", at, map[string]any{}), inREST("DELETE", at, nil),
				}
			}
			for i, r := range asks(f.name) {
				got, unknown := p.frozen(r, nil), p.frozen(asks(none)[i], nil)
				x, y := strings.ReplaceAll(string(got.body), f.name, none), string(unknown.body)
				if x != y {
					p.fail("a hidden field in a condition differs from one that does not exist\n%s\n--- hidden\n%s\n--- unknown\n%s", r, got, unknown)
				}
			}
		}
	}
	s := p.caller.scopes[e]
	if s == nil {
		return
	}
	for _, name := range s.fixed {
		f := e.field(name)
		if _, set := s.set[name]; set {
			continue
		}
		for _, v := range []any{p.view.w.comparison(p.maker, e.id(), "eq").value, nil, 1, map[string]any{"a": 1}} {
			body := map[string]any{f.name: v}
			for _, r := range append(p.creations(e, body), p.updates(e, id, body)...) {
				a := p.frozen(r, nil)
				_, code := result(r, a)
				open := !p.view.closed(e, "update") && r.surface == "envelope" && strings.Contains(r.body, ".update")
				if r.surface != "graphql" && code == "" || open && !strings.Contains(string(a.body), "read_only") {
					p.fail("what may only be read was sent and taken\n%s\n%s", r, a)
				}
			}
		}
	}
	for name := range s.set {
		f := e.field(name)
		body := p.body(e)
		if body == nil {
			body = map[string]any{}
		}
		for _, v := range []any{p.value(f.kind), s.set[name], nil} {
			body[name] = v
			for _, r := range append(p.creations(e, body), p.updates(e, id, map[string]any{name: v})...) {
				a := p.frozen(r, nil)
				if _, code := result(r, a); r.surface != "graphql" && code == "" {
					p.fail("what is preset was sent and taken\n%s\n%s", r, a)
				}
			}
		}
	}
}

// pointing writes relations that lead to rows the caller cannot see: they answer as
// those that lead nowhere.
func (p *proof) pointing(e *entity) {
	for _, f := range e.fields {
		if f.kind != one || !p.sendable(f) {
			continue
		}
		hidden, absent := p.hidden(f.to), p.absent()
		if hidden == "" {
			continue
		}
		var asks []func(to string) request
		if r := p.visible(e); r != nil && (r[f.name] == nil || !p.view.readable(f)) {
			if r[f.name] != nil { // a guess at what stands there, by one who may write it and not read it
				hidden = r[f.name].(string)
			}
			if p.view.ids[f.to][hidden] {
				continue
			}
			for i := range p.updates(e, r.id(), nil) {
				asks = append(asks, func(to string) request { return p.updates(e, r.id(), map[string]any{f.name: to})[i] })
			}
		}
		if body := p.body(e); body != nil {
			for i := range p.creations(e, body) {
				asks = append(asks, func(to string) request {
					body := maps.Clone(body)
					body[f.name] = to
					return p.creations(e, body)[i]
				})
			}
		}
		for _, ask := range asks {
			p.frozen(ask(hidden), nil)
			p.same(ask, hidden, absent)
		}
	}
}

// refusedRow sends conditions that do not hold: a failure shows the row as findById does, or none.
func (p *proof) refusedRow(e *entity) {
	r := p.visible(e)
	if r == nil {
		return
	}
	id, typ := r.id(), typeName(e)
	params, body := map[string]any{"id": id}, p.patch(e)
	if body == nil {
		body = map[string]any{}
	}
	no := map[string]any{"id": map[string]any{"eq": p.absent()}}
	for _, q := range []request{
		inEnvelope(e.name+".update", params, map[string]any{"ifMatch": "x"}, body),
		inEnvelope(e.name+".delete", params, map[string]any{"where": no}, nil),
		inREST("PATCH", e.plural+"/"+id, body, "If-Match", `"x"`),
		inREST("DELETE", e.plural+"/"+id+"?where="+url.QueryEscape(encode(no)), nil),
		inGraphQL("mutation($id: ID!) { delete"+typ+`(id: $id, ifMatch: "x") }`, params),
		{call: &facade.Call{Entity: e.name, Operation: "delete", If: facade.IfMatch("x"), Invocation: facade.Invocation{Params: jsonText(params)}}},
	} {
		a := p.frozen(q, nil)
		_, row, shown := strings.Cut(string(a.body), `"details":{"row":`)
		if _, code := result(q, a); code != "" && shown != (code == "PRECONDITION_FAILED" && !p.view.closed(e, "findById")) {
			p.fail("a condition that does not hold answers %s\n%s\n%s", code, q, a)
		}
		if shown {
			var got any
			if err := json.NewDecoder(strings.NewReader(row)).Decode(&got); err != nil {
				p.fail("%v\n%s\n%s", err, q, a)
			}
			delete(got.(map[string]any), "etag")
			if err := agree(got, p.view.expected(e, r, nil)); err != nil {
				p.fail("the row of a failure is another one: %v\n%s\n%s", err, q, a)
			}
		}
	}
}

// becomes is a world in which a row was written, and whether the caller would see
// the row in it.
func (p *proof) becomes(w *world, e *entity, id string, body map[string]any) (*world, bool) {
	next := w.clone()
	r := next.row(e, id)
	if r == nil {
		r = row{"id": id}
		for _, f := range e.fields {
			if f.kind == ids {
				r[f.name] = []any{}
			}
		}
		if s := p.caller.scopes[e]; s != nil {
			maps.Copy(r, s.set)
		}
		next.rows[e] = append(next.rows[e], r)
		next.sort()
	}
	for name, v := range body {
		o, nested := v.(map[string]any)
		if was, ok := r[name].(map[string]any); ok && nested { // merged, member by member
			was = maps.Clone(was)
			maps.Copy(was, o)
			v = was
		}
		r[name] = v
	}
	return next, next.seenBy(p.caller).ids[e][id]
}

// write writes one row in both worlds: that row, and nothing else; and it does not
// write one its writer could not see. Where that hangs on what is hidden, the
// worlds answer differently: exception 3 of docs/leaks.md.
func (p *proof) write(q request, e *entity, id string, body map[string]any) bool {
	before := []*world{p.view.w, p.counterpart.w}
	first, seen := p.becomes(p.view.w, e, id, body)
	second, also := p.becomes(p.counterpart.w, e, id, body)
	circular := p.remote && p.circular(e)
	a, b := p.ask(q)
	if seen == also && !circular && a.String() != b.String() {
		p.fail("the answers of the two worlds differ\n%s\n--- one\n%s\n--- the other\n%s", q, a, b)
	}
	for i, b := range []*host{p.first, p.second} {
		want := []*world{first, second}[i]
		if ![]bool{seen, also}[i] {
			want = before[i]
		}
		if got := p.rows(b).text(); got != want.text() && !(circular && (got == before[i].text() || got == []*world{first, second}[i].text())) {
			p.fail("what was written is not what should be\n%s\n%s\n--- it should be\n%s\n--- it is\n%s", q, a, want.text(), got)
		}
	}
	return p.again()
}

// circular says whether a collector's rows lead from a row of e to rows of e. Of rows that another
// host keeps, such a rule is judged before the write (docs/leaks.md): either answer will do, as long as
// it is one of the two.
func (p *proof) circular(e *entity) bool {
	round := false
	if s := p.caller.scopes[e]; s != nil && s.rows != nil {
		s.rows.walk(func(c *cond) { round = round || c.field != nil && c.field.to == e })
	}
	return round
}

// changes changes a row the caller may see. It says whether the worlds are still equal.
func (p *proof) changes(e *entity) bool {
	r, body := p.visible(e), p.patch(e)
	if r == nil || body == nil || p.view.closed(e, "update") {
		return true
	}
	return p.write(p.updates(e, r.id(), body)[p.IntN(5)], e, r.id(), body)
}

// lists writes ids of rows that are hidden, and of none, into a list of ids: what
// comes back is the same.
func (p *proof) lists(e *entity) bool {
	for _, f := range e.fields {
		r, hidden := p.visible(e), ""
		if f.kind == ids {
			hidden = p.hidden(f.to)
		}
		if r == nil || hidden == "" || !p.sendable(f) {
			continue
		}
		if had, _ := r[f.name].([]any); p.view.readable(f) && slices.Contains(had, any(hidden)) {
			continue // what the caller reads there may be sent back
		}
		absent := p.absent()
		for _, i := range []int{0, 3} { // no tags of rows there
			p.same(func(to string) request { return p.updates(e, r.id(), map[string]any{f.name: []any{to}})[i] }, hidden, absent)
		}
		read := func(id string) request { return p.updates(e, r.id(), map[string]any{f.name: []any{id}})[0] }
		for _, id := range []string{absent, hidden} {
			p.probe(read(id), nil)
			if f.shut {
				continue
			}
			p.probe(inGraphQL("query($id: ID!) { "+e.name+"(id: $id) { id "+f.rel+" { total hasMore items { id } } } }", map[string]any{"id": r.id()}), nil)
		}
	}
	return p.again()
}

// creates makes a row, with what a collector presets.
func (p *proof) creates(e *entity) bool {
	body := p.body(e)
	if body == nil {
		return true
	}
	q := p.creation(e, body)
	return p.write(q, e, body["id"].(string), body)
}

// hanging are the rows that go or change with a row that is removed, as far as they
// hang on it; far says whether one of them is hidden from the caller, or that it
// hangs there is.
func (v *view) hanging(e *entity, id string) (all map[string]bool, far bool) {
	all = map[string]bool{id: true}
	var follow func(e *entity, id string)
	follow = func(e *entity, id string) {
		for _, o := range v.w.garden.entities {
			for _, f := range o.fields {
				if f.kind != one || f.to != e {
					continue
				}
				for _, r := range v.w.rows[o] {
					if r[f.name] == id && !all[r.id()] {
						all[r.id()] = true
						far = far || !v.shows(o, r) || !v.readable(f)
						follow(o, r.id())
					}
				}
			}
		}
	}
	follow(e, id)
	return all, far
}

// deletes removes a row the caller may see. Where hidden rows hang on it, whether
// it goes is theirs to say: exception 2 of docs/leaks.md.
func (p *proof) deletes(e *entity) bool {
	r := p.visible(e)
	if r == nil || p.view.closed(e, "delete") {
		return true
	}
	q := p.removals(e, r.id())[p.IntN(4)]
	before := []*world{p.view.w, p.counterpart.w}
	first, far := p.view.hanging(e, r.id())
	second, further := p.counterpart.hanging(e, r.id())
	if far || further {
		p.ask(q)
	} else {
		p.probe(q, nil)
	}
	for i, b := range []*host{p.first, p.second} {
		hang := []map[string]bool{first, second}[i]
		now := p.rows(b)
		for _, o := range p.garden.entities {
			for _, r := range before[i].rows[o] {
				if !hang[r.id()] && encode(plainRow(r)) != encode(plainRow(now.row(o, r.id()))) {
					p.fail("a removal changed the row %s, which does not hang on it\n%s", r.id(), q)
				}
			}
		}
	}
	return p.again()
}

func plainRow(r row) any {
	v, _ := decode([]byte(encode(r)))
	return v
}

// taken sends values that must not stand twice and are taken by hidden rows. They
// have to be refused: exception 1 of docs/leaks.md. Nothing else is revealed, and
// nothing is written.
func (p *proof) taken(e *entity) {
	for _, f := range e.fields {
		if f != e.id() && (!f.unique || !p.sendable(f)) {
			continue
		}
		for _, o := range p.view.w.rows[e] {
			body := p.body(e)
			if body == nil || o[f.name] == nil || p.view.shows(e, o) {
				continue
			}
			body[f.name] = o[f.name]
			before := p.rows(p.first).text()
			q := p.creation(e, body)
			a := p.first.ask(p.caller, q)
			sent := []byte(q.String())
			if s := p.leaked([]byte(a.String()), append(sent, unpacked(sent)...)); s != "" {
				p.fail("a conflict contains the hidden value %s\n%s\n%s", s, q, a)
			}
			if !strings.Contains(string(a.body), "CONFLICT") && !strings.Contains(string(a.body), "FORBIDDEN") {
				p.fail("a value that is taken is taken twice\n%s\n%s", q, a)
			}
			if p.rows(p.first).text() != before {
				p.fail("a conflict changed something\n%s\n%s", q, a)
			}
			p.cases++
			break
		}
	}
}

// collectors are the scopes of the callers as frond.yaml has them.
func (g *garden) collectors(frond string, callers []*caller) map[string]any {
	all := map[string]any{}
	for _, e := range g.entities {
		if e.frond != frond {
			continue
		}
		var rules []any
		scoped := false
		for _, c := range callers {
			s := c.scopes[e]
			scoped = scoped || s != nil
			rule := map[string]any{"when": fmt.Sprintf("user != nil && user.name == %q", c.name)}
			rules = append(rules, rule)
			if s == nil {
				if c.rest != "rules" {
					rule["allow"] = "all"
				}
				continue
			}
			switch {
			case slices.Contains(s.allow, "all"):
				rule["allow"] = "all"
			case s.allow != nil:
				rule["allow"] = s.allow
			}
			if len(s.fixed) > 0 {
				rule["readOnly"] = s.fixed
			}
			if s.deny {
				rule["deny"] = "all"
				delete(rule, "allow")
				delete(rule, "readOnly")
				continue
			}
			if s.rows != nil {
				rule["rows"] = s.rows.filter(c.operand)
			}
			if len(s.hide) > 0 {
				rule["hide"] = s.hide
			}
			set := map[string]any{}
			for name, v := range s.set {
				set[name] = c.operand(v)
			}
			if len(set) > 0 {
				rule["set"] = set
			}
		}
		if scoped {
			all[e.name] = append(rules, map[string]any{"deny": "all"})
		}
	}
	switch callers[0].rest {
	case "open":
		all["*"] = "open"
	case "rules":
		all["*"] = []any{map[string]any{"when": "user != nil"}, map[string]any{"deny": "all"}}
	}
	return all
}

// operand puts some operands into the caller's state and names them there, as
// $user.v0 in frond.yaml.
func (c *caller) operand(v any) any {
	s, ok := v.(string)
	if v == nowText && !c.timeless {
		return "$now"
	}
	if !ok || strings.HasPrefix(s, "$") || len(s)%2 == 0 {
		return v
	}
	for name, known := range c.user {
		if known == v {
			return "$user." + name
		}
	}
	name := fmt.Sprintf("v%d", len(c.user))
	c.user[name] = v
	return "$user." + name
}
