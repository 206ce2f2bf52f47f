package leak

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade"
)

// searched are the texts of an entity that are searched, hidden and closed ones among them, with their
// weights.
func (e *entity) searched() map[string]any {
	fields := map[string]any{}
	for _, f := range e.fields {
		if f.kind == text && f != e.id() && len(fields) < 8 {
			fields[f.name] = string("ABCD"[len(fields)%4])
		}
	}
	return fields
}

// headline is the field with the words of a search.
const headline = "headline"

// searches look for words of rows, hidden values and hidden rows among them: neither the rows nor their
// number, nor their order, nor a cursor differ in two worlds that differ in hidden fields and rows.
func (p *proof) searches(e *entity) {
	if len(e.searched()) == 0 {
		return
	}
	var heap []string
	for _, r := range p.view.w.rows[e] {
		for name := range e.searched() {
			if s, ok := r[name].(string); ok && s != "" && len(s) < 100 {
				heap = append(heap, s)
			}
		}
	}
	heap = append(heap, "x")
	for range 8 {
		var parts []string
		for range 1 + p.IntN(3) {
			part := strings.ReplaceAll(pick(p.maker, heap), `"`, " ")
			switch p.IntN(4) {
			case 0:
				part = `"` + part + `"`
			case 1:
				part = part[:1+p.IntN(len(part))] + "*"
			}
			parts = append(parts, pick(p.maker, []string{"", "", "-", "or "})+strings.ToValidUTF8(part, ""))
		}
		text := strings.Join(parts, " ")
		q := map[string]any{"search": text}
		for _, r := range groupRequests(e, map[string]any{"search": text}) {
			p.probe(r, nil)
		}
		if p.chance(70) {
			q["sort"] = pick(p.maker, []string{"-rank", "rank", "-rank,id"})
		}
		if p.chance(40) {
			q["limit"] = 1 + p.IntN(3)
		}
		rest := url.Values{}
		for name, v := range q {
			rest.Set(name, fmt.Sprint(v))
		}
		p.probe(inREST("GET", e.plural+"?"+rest.Encode(), nil), nil)
		p.probe(inEnvelope(e.name+".list", nil, q, nil), nil)
		p.probe(request{call: &facade.Call{Entity: e.name, Operation: "list", Invocation: facade.Invocation{Query: jsonText(q)}}}, nil)
		p.probe(inGraphQL("query($s: String) { "+e.plural+"(search: $s, orderBy: [{rank: DESC}], first: 2) { total items { id } endCursor aggregate { count } } }", map[string]any{"s": text}), nil)
		p.probe(inGraphQL("query($s: String) { "+e.plural+"(search: $s, orderBy: [{rank: DESC}], first: 2) { items { "+headline+" } } }", map[string]any{"s": text}), nil)
		rest.Set("fields", headline)
		p.probe(inREST("GET", e.plural+"?"+rest.Encode(), nil), nil)
	}
}
