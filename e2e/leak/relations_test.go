package leak

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade"
)

// paths is a list of fields that leads through relations, being written.
type paths struct {
	p     *proof
	names []string
	bad   bool // it names something that does not exist for the caller
}

// row adds fields of an entity, with prefix in front of each, and answers what the oracle expects
// of a row.
func (l *paths) row(prefix string, e *entity, depth int) wanted {
	p, v := l.p, l.p.view
	members := map[string]func(row) any{}
	add := func(f *field) {
		l.names = append(l.names, prefix+f.name)
		l.bad = l.bad || !v.readable(f)
		members[f.name] = func(r row) any { return r[f.name] }
	}
	add(e.id())
	for _, f := range e.fields[1:] {
		if !v.readable(f) && !p.chance(3) || !p.chance(60) {
			continue
		}
		if f.to == nil || depth == 0 || f.kind != many && p.chance(20) {
			if f.kind != many {
				add(f)
			}
			continue
		}
		if !v.reachable(f) && !p.chance(5) {
			continue
		}
		l.bad = l.bad || !v.reachable(f)
		limit, name := 50, f.rel
		if f.kind != one && p.chance(50) {
			limit = 1 + p.IntN(3)
			name = fmt.Sprintf("%s(limit:%d)", f.rel, limit)
		}
		want := l.row(prefix+name+".", f.to, depth-1)
		members[f.rel] = func(r row) any {
			all := v.w.related(f, r, v.shows)
			if f.kind == one {
				if len(all) == 0 {
					return nil
				}
				return want(all[0])
			}
			items := []any{}
			for _, o := range all[:min(limit, len(all))] {
				items = append(items, want(o))
			}
			return map[string]any{"items": items, "hasMore": len(all) > limit}
		}
	}
	return func(r row) map[string]any {
		out := map[string]any{}
		for name, member := range members {
			if m := member(r); m != nil {
				out[name] = m
			}
		}
		return out
	}
}

// relations asks for rows with what their relations lead to, by every operation that takes fields.
func (p *proof) relations(e *entity, depth int) {
	l := &paths{p: p}
	want := l.row("", e, depth)
	text := url.QueryEscape(strings.Join(l.names, ","))
	q := map[string]any{"fields": l.names, "total": false}
	items := []any{}
	for _, r := range p.view.rows[e] {
		items = append(items, want(r))
	}
	page := map[string]any{"items": items[:min(50, len(items))], "hasMore": len(items) > 50, "total": -1}
	check := func(r request, want any) func(answer) error {
		return func(a answer) error { return p.isSelected(e, l, r, a, want) }
	}
	for _, r := range []request{
		inREST("GET", e.plural+"?total=false&fields="+text, nil),
		inEnvelope(e.name+".list", nil, q, nil),
		{call: &facade.Call{Entity: e.name, Operation: "list", Invocation: facade.Invocation{Query: jsonText(q)}}},
	} {
		p.probe(r, check(r, page))
	}
	r := inREST("GET", e.plural+"/list-raw?fields="+text, nil)
	p.probe(r, check(r, items))
	ids := []string{p.absent()}
	var found []any
	if seen := p.visible(e); seen != nil {
		ids, found = append(ids, seen.id()), []any{want(seen)}
		q := inREST("GET", e.plural+"/"+seen.id()+"?fields="+text, nil)
		a := p.probe(q, check(q, found[0]))
		if tag := a.header.Get("ETag"); tag != "" {
			p.probe(inREST("GET", e.plural+"/"+seen.id()+"?fields="+text, nil, "If-None-Match", tag), func(a answer) error {
				if a.status != 304 {
					return fmt.Errorf("the tag of the row gives %d", a.status)
				}
				return nil
			})
		}
		q = inEnvelope(e.name+".findById", map[string]any{"id": seen.id()}, map[string]any{"fields": l.names}, nil)
		p.probe(q, check(q, found[0]))
	}
	if id := p.hidden(e); id != "" {
		ids = append(ids, id)
		p.same(func(id string) request { return inREST("GET", e.plural+"/"+id+"?fields="+text, nil) }, id, p.absent())
	}
	r = inEnvelope(e.name+".findByIds", nil, map[string]any{"ids": ids, "fields": l.names}, nil)
	p.probe(r, check(r, append([]any{}, found...)))
}

// isSelected holds an answer to the oracle: rows with their relations, or a refusal.
func (p *proof) isSelected(e *entity, l *paths, r request, a answer, want any) error {
	got, code := result(r, a)
	switch {
	case p.view.denied(e) || p.view.closed(e, "list") && strings.Contains(r.path, "list-raw"):
		if code != "FORBIDDEN" {
			return fmt.Errorf("a door that is closed to the caller answers %q", code)
		}
		return nil
	case l.bad:
		if code != "VALIDATION_FAILED" {
			return fmt.Errorf("what does not exist for the caller can be asked for: %q", code)
		}
		return nil
	case code != "":
		return fmt.Errorf("what the caller may ask is refused: %s", code)
	}
	if page, ok := got.(map[string]any); ok {
		delete(page, "endCursor")
	}
	return agree(got, want)
}

// relationWords asks for fields behind relations that do not exist for the caller, and behind none:
// the answers are the same.
func (p *proof) relationWords(e *entity) {
	if p.view.denied(e) {
		return
	}
	for _, f := range e.fields[1:] {
		if f.to == nil || p.view.reachable(f) {
			continue
		}
		for _, behind := range []string{"id", "nothing", "id.id", f.to.id().name + "(limit:1).x"} {
			for _, ask := range []func(name string) request{
				func(name string) request { return inREST("GET", e.plural+"?fields="+name+"."+behind, nil) },
				func(name string) request {
					return inEnvelope(e.name+".findByIds", nil, map[string]any{"ids": []string{}, "fields": []string{"id", name + "." + behind}}, nil)
				},
			} {
				p.same(ask, f.rel, strings.Repeat(p.absent(), 3)[:len(f.rel)]) // as long, for the Content-Length
			}
		}
	}
}
