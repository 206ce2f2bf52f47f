package leak

import "maps"

// A write may move a row: it writes the key of a relation through which a rule reads. The row is
// judged as it is afterwards, whichever call writes it.

// moves moves rows that the caller may see, by every form of a write. It reports whether the worlds are still
// equal.
func (p *proof) moves(e *entity) bool {
	for range 3 {
		r := p.visible(e)
		if r == nil || p.view.closed(e, "update") {
			return true
		}
		var body map[string]any
		for range 6 { // a move that hides the row says most, and most of all in one world alone
			next := p.move(e)
			if next == nil {
				return true
			}
			_, seen := p.becomes(p.view.w, e, r.id(), next)
			_, also := p.becomes(p.counterpart.w, e, r.id(), next)
			if body == nil || !seen || !also {
				body = next
			}
			if seen != also {
				break
			}
		}
		q, sent := p.moving(e, r, body)
		if !p.write(q, e, r.id(), sent) {
			return false
		}
	}
	return true
}

// move is a body for update that leads somewhere else, at times with a plain field; nil: the caller may send
// no relation.
func (p *proof) move(e *entity) map[string]any {
	body := map[string]any{}
	for _, f := range e.fields {
		if f.kind != one && f.kind != ids || !p.sendable(f) || len(body) > 0 && p.chance(60) {
			continue
		}
		to := p.visible(f.to)
		switch {
		case f.kind == one && f.null && p.chance(15):
			body[f.name] = nil
		case to == nil:
		case f.kind == one:
			body[f.name] = to.id()
		default:
			body[f.name] = []any{to.id()}
		}
	}
	if len(body) == 0 {
		return nil
	}
	if p.chance(30) {
		maps.Copy(body, p.patch(e))
	}
	return body
}

// moving returns a request that writes a body over a row, and the written body.
func (p *proof) moving(e *entity, r row, body map[string]any) (request, map[string]any) {
	all := p.updates(e, r.id(), body)
	if p.remote || p.view.closed(e, "list") || p.view.closed(e, "findById") {
		return pick(p.maker, all), body
	}
	if full := p.body(e); full != nil && p.chance(40) {
		full["id"] = r.id()
		for name, v := range body {
			full[name] = v
		}
		return pick(p.maker, []request{
			inEnvelope(e.name+".upsert", nil, map[string]any{"by": "id"}, full), inREST("PUT", e.plural+"?by=id", full),
			inEnvelope(e.name+".import", nil, map[string]any{"by": "id"}, []any{full}),
			together(map[string]any{"method": e.name + ".upsert", "params": map[string]any{"query": map[string]any{"by": "id"}, "body": full}}),
		}), full
	}
	all = append(all, p.writesWhere(e, map[string]any{"id": map[string]any{"eq": r.id()}}, body, 5)...)
	all = append(all, together(map[string]any{"method": e.name + ".update", "params": map[string]any{"params": map[string]any{"id": r.id()}, "body": body}}))
	own := maps.Clone(body)
	own["id"] = r.id()
	var nested []request
	for _, b := range p.garden.nestings() {
		owner := p.view.w.row(b.of, r[b.back.name])
		if _, moved := body[b.back.name]; b.to == e && owner != nil && !moved && p.view.shows(b.of, owner) && p.view.reachable(b) && !p.view.fixed(b) && !p.view.closed(b.of, "update") {
			nested = append(nested, p.updates(b.of, owner.id(), map[string]any{b.name: map[string]any{"update": []any{own}}})...)
		}
	}
	if nested != nil && p.chance(40) {
		all = nested
	}
	return pick(p.maker, all), body
}

// nestings are the relations whose rows may be written with their owner.
func (g *garden) nestings() (all []*field) {
	for _, e := range g.entities {
		for _, f := range e.fields {
			if f.kind == many && f.back.onDelete == "cascade" && f.to != e && f.to.frond == e.frond {
				all = append(all, f)
			}
		}
	}
	return all
}
