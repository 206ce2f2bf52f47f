package leak

import (
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade"
)

// behind sorts and filters by values behind relations: rows and fields of the other side that are
// hidden must show in no order, count, cursor or message.
func (p *proof) behind(e *entity) {
	for range 10 {
		q := map[string]any{"limit": 1 + p.IntN(6), "cursors": true, "fields": []string{e.fields[0].name}}
		var names []string
		for range p.IntN(3) {
			if path := p.path(e, 3); path != nil {
				names = append(names, pick(p.maker, []string{"", "-"})+strings.Join(path, "."))
			}
		}
		if len(names) > 0 {
			q["sort"] = names
		}
		if f := p.measured(e); f != nil {
			q["filter"] = map[string]any{pick(p.maker, []string{"and", "or"}): []any{f}}
			if p.chance(30) {
				q["filter"] = map[string]any{"not": f}
			}
		}
		p.pagesBehind(e, q)
	}
}

// pagesBehind asks every surface for the first page, and for the one after it.
func (p *proof) pagesBehind(e *entity, q map[string]any) {
	for range 2 {
		rest := url.Values{}
		for name, v := range q {
			if names, ok := v.([]string); ok {
				rest.Set(name, strings.Join(names, ","))
			} else {
				rest.Set(name, inQuery(v))
			}
		}
		var after string
		for _, r := range []request{
			inREST("GET", e.plural+"?"+rest.Encode(), nil),
			inEnvelope(e.name+".list", nil, q, nil),
			{call: &facade.Call{Entity: e.name, Operation: "list", Invocation: facade.Invocation{Query: jsonText(q)}}},
			p.orderedBy(e, q),
		} {
			got, _ := result(r, p.probe(r, nil))
			if page, ok := got.(map[string]any); ok && page["endCursor"] != nil && r.surface == "envelope" {
				after, _ = page["endCursor"].(string)
			}
		}
		if after == "" {
			return
		}
		q["after"] = after
	}
}

// inQuery is a value as a query string has it.
func inQuery(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return encode(v)
}

// orderedBy is the list in GraphQL. A function is before its field there.
func (p *proof) orderedBy(e *entity, q map[string]any) request {
	var keys []any
	names, _ := q["sort"].([]string)
	for _, name := range names {
		bare, desc := strings.CutPrefix(name, "-")
		at := any(map[bool]string{false: "ASC", true: "DESC"}[desc])
		path := strings.Split(bare, ".")
		if n := len(path); n > 2 && strings.Contains(" countDistinct sum avg min max ", " "+path[n-1]+" ") {
			path[n-1], path[n-2] = path[n-2], path[n-1]
		}
		for i := len(path) - 1; i >= 0; i-- {
			at = map[string]any{path[i]: at}
		}
		keys = append(keys, at)
	}
	return inGraphQL("query($o: ["+typeName(e)+"OrderBy!], $f: "+typeName(e)+"Filter, $n: Int, $a: String) { "+e.plural+
		"(orderBy: $o, filter: $f, first: $n, after: $a) { items { "+e.fields[0].name+" } endCursor } }",
		map[string]any{"o": keys, "f": q["filter"], "n": q["limit"], "a": q["after"]})
}

// path makes up the names of a value behind a relation; nil where it comes to none.
func (p *proof) path(e *entity, steps int) []string {
	f := pick(p.maker, e.fields)
	if f.to == nil {
		return nil
	}
	to := pick(p.maker, f.to.fields)
	switch {
	case f.kind != one && p.chance(50):
		return []string{f.rel, "count"}
	case f.kind != one:
		return []string{f.rel, to.filterKey(), pick(p.maker, []string{"countDistinct", "sum", "avg", "min", "max"})}
	case steps > 1 && p.chance(40):
		if rest := p.path(f.to, steps-1); rest != nil {
			return append([]string{f.rel}, rest...)
		}
	}
	return []string{f.rel, to.filterKey()}
}

// measured makes up a condition on the rows behind a relation to many; nil where it comes to none.
func (p *proof) measured(e *entity) map[string]any {
	f := pick(p.maker, e.fields)
	if f.to == nil || f.kind == one {
		return nil
	}
	if p.chance(50) {
		return map[string]any{f.rel: map[string]any{"count": map[string]any{pick(p.maker, []string{"eq", "gte", "lt"}): p.IntN(4)}}}
	}
	fn := pick(p.maker, []string{"countDistinct", "sum", "avg", "min", "max"})
	return map[string]any{f.rel: map[string]any{fn: map[string]any{pick(p.maker, f.to.fields).filterKey(): map[string]any{"isNull": p.chance(50)}}}}
}
