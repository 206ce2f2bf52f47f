package leak

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade"
)

// aggregates asks for groups: the number of the rows that a list would answer, and random functions
// of random fields, hidden ones among them.
func (p *proof) aggregates(e *entity) {
	for range 6 {
		l := p.listing(e, 2)
		l.sort, l.fields = nil, nil
		q := map[string]any{}
		if l.where != nil {
			q["filter"] = l.where.filter(nil)
		}
		for _, r := range groupRequests(e, q) {
			p.probe(r, func(a answer) error { return p.isCount(l, r, a) })
		}
		functions := []string{"countDistinct", "sum", "avg", "min", "max"}
		names := []string{"count"}
		for range 1 + p.IntN(3) {
			names = append(names, pick(p.maker, e.fields).name+"."+pick(p.maker, functions))
		}
		q["select"], q["sort"] = names, []string{pick(p.maker, []string{"", "-"}) + pick(p.maker, names)}
		if p.chance(80) {
			q["by"] = []string{pick(p.maker, e.fields).name + pick(p.maker, []string{"", "", ":month", ":hour"})}
		}
		if name, fn, ok := strings.Cut(pick(p.maker, names), "."); ok && p.chance(50) {
			q["having"] = map[string]any{name: map[string]any{fn: map[string]any{"isNull": p.chance(50)}}}
		}
		if p.chance(40) {
			q["limit"] = 1 + p.IntN(3)
		}
		for _, r := range groupRequests(e, q) {
			p.probe(r, nil)
		}
	}
}

// groupRequests are a query of aggregate on every surface.
func groupRequests(e *entity, q map[string]any) []request {
	rest := url.Values{}
	for name, v := range q {
		if names, ok := v.([]string); ok {
			rest.Set(name, strings.Join(names, ","))
		} else {
			rest.Set(name, encode(v))
		}
	}
	return []request{
		inREST("GET", e.plural+"/aggregate?"+rest.Encode(), nil),
		inEnvelope(e.name+".aggregate", nil, q, nil),
		{call: &facade.Call{Entity: e.name, Operation: "aggregate", Invocation: facade.Invocation{Query: jsonText(q)}}},
	}
}

// isCount holds the one group of all rows to the oracle.
func (p *proof) isCount(l *listing, r request, a answer) error {
	got, code := result(r, a)
	switch {
	case p.view.denied(l.e) && code == "FORBIDDEN", !p.view.denied(l.e) && !p.view.allowed(l) && code == "VALIDATION_FAILED":
		return nil
	case p.view.denied(l.e) || !p.view.allowed(l):
		return fmt.Errorf("a refused count answers %q", code)
	case code != "":
		return fmt.Errorf("aggregate refuses the caller: %s", code)
	}
	want := map[string]any{"items": []any{map[string]any{"key": map[string]any{}, "count": len(p.view.rowsOf(l))}}, "hasMore": false, "endCursor": nil}
	return agree(got, want)
}

// groupWords asks for groups by a name: one of a hidden field, and one of none, answer the same.
func (p *proof) groupWords(e *entity) {
	const none = "nobody"
	for _, f := range e.fields {
		if p.view.readable(f) || p.view.denied(e) {
			continue
		}
		for _, q := range []func(string) map[string]any{
			func(name string) map[string]any { return map[string]any{"by": name} },
			func(name string) map[string]any { return map[string]any{"by": []string{name + ":day"}} },
			func(name string) map[string]any { return map[string]any{"select": name + ".sum"} },
			func(name string) map[string]any { return map[string]any{"select": name} },
			func(name string) map[string]any { return map[string]any{"sort": "-" + name + ".max"} },
			func(name string) map[string]any {
				return map[string]any{"having": map[string]any{name: map[string]any{"min": map[string]any{"eq": "x"}}}}
			},
		} {
			hidden, unknown := groupRequests(e, q(f.name)), groupRequests(e, q(none))
			for i := range hidden {
				got, want := p.probe(hidden[i], nil), p.probe(unknown[i], nil)
				if x, y := strings.ReplaceAll(string(got.body), f.name, none), string(want.body); x != y {
					p.fail("the hidden field %s differs from one that nobody has\n%s\n%s\n--- unknown\n%s", f.name, hidden[i], got, want)
				}
				if _, code := result(hidden[i], got); code != "VALIDATION_FAILED" {
					p.fail("the hidden field %s answers %q\n%s", f.name, code, hidden[i])
				}
			}
		}
	}
}
