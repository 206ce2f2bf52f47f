package leak

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// A write of many rows is judged as those of one row are. Its answer, the count and the conflict
// included, says nothing of rows and fields that are hidden.

// direct is a call without a surface.
func direct(e *entity, op string, query, body any) request {
	return request{call: &facade.Call{Entity: e.name, Operation: op, Invocation: facade.Invocation{Query: jsonText(query), Body: jsonText(body)}}}
}

// writesWhere are updateMany, or deleteMany without a body, on every surface.
func (p *proof) writesWhere(e *entity, where, body map[string]any, most int) []request {
	query := map[string]any{"where": where, "max": most}
	typ, at := typeName(e), fmt.Sprintf("%s?max=%d&filter=%s", e.plural, most, url.QueryEscape(encode(where)))
	if body == nil {
		return []request{
			inEnvelope(e.name+".deleteMany", nil, query, nil), inREST("DELETE", at, nil), direct(e, "deleteMany", query, nil),
			inGraphQL(fmt.Sprintf("mutation($where: %sFilter!, $max: Int) { delete%s(where: $where, max: $max) { count items { id } } }", typ, schema.Plural(typ)), query),
		}
	}
	asked := maps.Clone(query)
	asked["fields"] = []string{"*"}
	return []request{
		inEnvelope(e.name+".updateMany", nil, query, body), inEnvelope(e.name+".updateMany", nil, asked, body), inREST("PATCH", at, body), direct(e, "updateMany", query, body),
		inGraphQL(fmt.Sprintf("mutation($where: %sFilter!, $set: Update%sInput!, $max: Int) { update%s(where: $where, set: $set, max: $max) { count items { id } } }", typ, typ, schema.Plural(typ)),
			map[string]any{"where": where, "set": body, "max": most}),
	}
}

// manyRows asks for writes of many rows that change nothing: the rows are hidden, or there are more
// than may be written, which are counted.
func (p *proof) manyRows(e *entity) {
	body := p.patch(e)
	if body == nil {
		return
	}
	if hidden := p.hidden(e); hidden != "" {
		absent := p.absent()
		for i := range p.writesWhere(e, nil, body, 5) {
			p.frozen(p.writesWhere(e, map[string]any{"id": map[string]any{"eq": hidden}}, body, 5)[i], nil)
			p.same(func(id string) request {
				return p.writesWhere(e, map[string]any{"id": map[string]any{"eq": id}}, body, 5)[i]
			}, hidden, absent)
		}
		for i := range p.writesWhere(e, nil, nil, 5) {
			p.frozen(p.writesWhere(e, map[string]any{"id": map[string]any{"in": []any{hidden}}}, nil, 5)[i], nil)
			p.same(func(id string) request {
				return p.writesWhere(e, map[string]any{"id": map[string]any{"in": []any{id}}}, nil, 5)[i]
			}, hidden, absent)
		}
		p.same(func(id string) request {
			return together(map[string]any{"method": e.name + ".update", "params": map[string]any{"params": map[string]any{"id": id}, "body": body}})
		}, hidden, absent)
		p.same(func(id string) request {
			return together(map[string]any{"method": e.name + ".findById", "params": map[string]any{"params": map[string]any{"id": id}}},
				map[string]any{"method": e.name + ".update", "params": map[string]any{"params": map[string]any{"id": map[string]any{"$result": "0.id"}}, "body": body}})
		}, hidden, absent)
	}
	for range 4 {
		l := p.listing(e, 2)
		l.sort, l.fields = nil, nil
		if l.where == nil || !p.view.allowed(l) {
			continue
		}
		n := len(p.view.rowsOf(l))
		if n == 1 {
			continue
		}
		for op, all := range map[string][]request{"update": p.writesWhere(e, l.where.filter(nil), body, 1), "delete": p.writesWhere(e, l.where.filter(nil), nil, 1)} {
			for _, r := range all {
				a := p.frozen(r, nil)
				value, code := result(r, a)
				answered, _ := value.(map[string]any)
				switch {
				case r.surface == "graphql", code == "NOT_IMPLEMENTED" && p.remote, code == "VALIDATION_FAILED" && l.where.filter(nil) != nil && strings.Contains(string(a.body), "is empty"):
				case p.view.closed(e, op):
					if code != "FORBIDDEN" {
						p.fail("a write that is closed answers %q\n%s\n%s", code, r, a)
					}
				case n > 1 && (code != "UNPROCESSABLE_ENTITY" || !strings.Contains(string(a.body), fmt.Sprintf(`"count":%d`, n))):
					p.fail("a write of %d rows, which may be 1, answers %q\n%s\n%s", n, code, r, a)
				case n == 0 && fmt.Sprint(answered["count"]) != "0":
					p.fail("a write of no row answers %q\n%s\n%s", code, r, a)
				}
			}
		}
	}
}

// together are calls as one transaction.
func together(calls ...any) request {
	return request{surface: "rest", method: "POST", path: "/api/atomic", body: encode(map[string]any{"calls": calls})}
}

// manyWords names hidden fields in writes of many rows: each answers as a name of nothing.
func (p *proof) manyWords(e *entity) {
	if p.view.denied(e) {
		return
	}
	const none = "nothing"
	for _, f := range e.fields[1:] {
		if !p.view.hides(e, f.name) || f.kind == many {
			continue
		}
		for _, v := range []any{nil, 1, "x", map[string]any{"a": 1}} {
			asks := func(name string) []request {
				where, body := map[string]any{name: v}, map[string]any{name: v}
				return []request{
					p.writesWhere(e, where, map[string]any{}, 5)[0], p.writesWhere(e, where, nil, 5)[1],
					p.writesWhere(e, map[string]any{"id": map[string]any{"eq": "x"}}, body, 5)[0],
					inEnvelope(e.name+".createMany", nil, nil, []any{map[string]any{}, body}), inREST("POST", e.plural, []any{body}),
					inEnvelope(e.name+".upsert", nil, map[string]any{"by": name}, body), inREST("PUT", e.plural+"?by=id", body),
					inEnvelope(e.name+".import", nil, map[string]any{"by": "id", "dryRun": true}, []any{body}),
					inEnvelope(e.name+".import", nil, map[string]any{"by": "id", "columns": []any{name}, "dryRun": true}, []any{}),
					together(map[string]any{"method": e.name + ".create", "params": map[string]any{"body": body}}),
				}
			}
			for i, r := range asks(f.name) {
				got, unknown := p.frozen(r, nil), p.frozen(asks(none)[i], nil)
				x, y := strings.ReplaceAll(string(got.body), f.name, none), string(unknown.body)
				if x != y {
					p.fail("a hidden field in a write of many rows differs from one that does not exist\n%s\n--- hidden\n%s\n--- unknown\n%s", r, got, unknown)
				}
			}
		}
	}
}

// takenByMany sends keys of hidden rows: upsert and import answer the conflict that create does.
func (p *proof) takenByMany(e *entity) {
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
			for _, q := range []request{
				inEnvelope(e.name+".upsert", nil, map[string]any{"by": f.name}, body), inREST("PUT", e.plural+"?by="+f.name, body),
				inEnvelope(e.name+".createMany", nil, nil, []any{body}), inEnvelope(e.name+".import", nil, map[string]any{"by": f.name}, []any{body}),
				together(map[string]any{"method": e.name + ".upsert", "params": map[string]any{"query": map[string]any{"by": f.name}, "body": body}}),
			} {
				a := p.first.ask(p.caller, q)
				sent := []byte(q.String())
				if s := p.leaked([]byte(a.String()), append(sent, unpacked(sent)...)); s != "" {
					p.fail("a conflict contains the hidden value %s\n%s\n%s", s, q, a)
				}
				said := string(a.body)
				refused := strings.Contains(said, "CONFLICT") || strings.Contains(said, "FORBIDDEN") || strings.Contains(said, "VALIDATION_FAILED") || p.remote && strings.Contains(said, "NOT_IMPLEMENTED")
				if !refused && !strings.Contains(said, `"unique"`) {
					p.fail("a value that is taken is taken twice\n%s\n%s", q, a)
				}
				if p.rows(p.first).text() != before {
					p.fail("a conflict changed something\n%s\n%s", q, a)
				}
				p.cases++
			}
			break
		}
	}
}

// changesMany changes the rows that meet a condition. Only rows that the caller sees and that meet it
// become others.
func (p *proof) changesMany(e *entity) bool {
	l, body := p.listing(e, 1), p.patch(e)
	if l.sort, l.fields = nil, nil; l.where == nil || body == nil || !p.view.allowed(l) || p.circular(e) {
		return true
	}
	requests := p.writesWhere(e, l.where.filter(nil), body, 500)
	q, before := pick(p.maker, requests), []*world{p.view.w, p.counterpart.w}
	p.ask(q)
	for i, b := range []*host{p.first, p.second} {
		may, now := map[string]bool{}, p.rows(b)
		for _, r := range []*view{p.view, p.counterpart}[i].rowsOf(l) {
			may[r.id()] = true
		}
		for _, o := range p.garden.entities {
			for _, r := range before[i].rows[o] {
				if (o != e || !may[r.id()]) && encode(plainRow(r)) != encode(plainRow(now.row(o, r.id()))) {
					p.fail("a write of many rows changed %s, which is none of them\n%s", r.id(), q)
				}
			}
		}
	}
	return p.again()
}
