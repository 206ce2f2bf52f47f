package leak

import "regexp"

// rehearsals asks what commands would do: nothing is written, no hidden value is in an answer, a hidden row is one that never
// was, and a change of a row that the caller sees has one answer in both worlds.
func (p *proof) rehearsals(e *entity) {
	words := map[string]any{"rehearse": true}
	update := func(id string, body any) request {
		return inEnvelope(e.name+".update", map[string]any{"id": id}, words, body)
	}
	removal := func(id string) request {
		return inEnvelope(e.name+".delete", map[string]any{"id": id}, words, nil)
	}
	body := p.patch(e)
	if r := p.visible(e); r != nil {
		if body != nil {
			p.frozen(update(r.id(), body), nil)
			p.frozen(inREST("PATCH", e.plural+"/"+r.id()+"?rehearse=true", body), nil)
		}
		p.unwritten(removal(r.id())) // rows that point at it may be hidden, and refuse it
	}
	if id := p.hidden(e); id != "" {
		absent := p.absent()
		p.same(removal, id, absent)
		if body != nil {
			p.same(func(id string) request { return update(id, body) }, id, absent)
			p.unwritten(update(id, body))
		}
	}
	p.unwritten(inEnvelope(e.name+".create", nil, words, p.body(e)))
}

// unwritten asks what must not change anything, and looks for secrets only.
func (p *proof) unwritten(r request) {
	p.ask(r)
	p.asked = append(p.asked, r)
}

// sealed is a token of a rehearsal, which is another one each time.
var sealed = regexp.MustCompile(`"rehearsal":"[^"]*"`)
