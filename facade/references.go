package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// References to rows of other hosts are asked about together, for all rows of a write.

// crossed are the relations of a door's rows that lead to rows elsewhere, and that this host can ask about.
func (x *execution) crossed() (all []*schema.Property) {
	for _, p := range x.door.Entity.Fields {
		if p.Link != nil && p.Stored && p.Link.Through == nil && catalog.Apart(x.host.catalog.Fronds, p.Link) && x.host.reaches(p.Link.Target) {
			all = append(all, p)
		}
	}
	return all
}

// askReferences asks which of the rows exist for the caller that n rows name across hosts. value returns a field of a row.
func (x *execution) askReferences(ctx context.Context, n int, value func(row int, p *schema.Property) json.RawMessage) error {
	if x.inside {
		return nil
	}
	x.exist = map[*schema.Entity]map[string]bool{}
	for _, p := range x.crossed() {
		e := p.Link.Target
		var ids []json.RawMessage
		known := x.exist[e]
		if known == nil {
			known = map[string]bool{}
		}
		for i := range n {
			text := value(i, p)
			if text == nil || isNull(text) {
				continue
			}
			for _, id := range idsOf(p, text) {
				if _, is := known[string(id)]; !is {
					known[string(id)], ids = true, append(ids, id)
				}
			}
		}
		if len(ids) == 0 {
			continue
		}
		scope, ok := access.Open, true
		if x.host.catalog.Door(e.Key) != nil {
			scope, ok = x.scopeOfRows(ctx, e)
		}
		if x.verdict != nil {
			return x.verdict
		}
		missing := ids
		if ok {
			missing = nil
			for some := range slices.Chunk(ids, 500) {
				gone, err := invisible(ctx, x, e, scope, some)
				if err != nil {
					return err
				}
				missing = append(missing, gone...)
			}
		}
		for _, id := range missing {
			known[string(id)] = false
		}
		x.exist[e] = known
	}
	return nil
}

// referencesOf asks about the references of new rows, and returns the answers.
func referencesOf(ctx context.Context, x *execution, bodies []json.RawMessage) (map[*schema.Entity]map[string]bool, error) {
	if len(bodies) < 2 || len(x.crossed()) == 0 {
		return x.exist, nil
	}
	err := x.askReferences(ctx, len(bodies), func(row int, p *schema.Property) json.RawMessage { return sentKeys(p, bodies[row]) })
	return x.exist, err
}

// sentKeys is the value of a relation in a body, if it can be one; nil: it cannot.
func sentKeys(p *schema.Property, body json.RawMessage) json.RawMessage {
	value := jsontext.Get(body, p.Name)
	for _, id := range idsOf(p, value) {
		if _, why := p.Link.Target.Primary.KeyText(id); why != "" {
			return nil
		}
	}
	return value
}

// idsOf are the ids that a relation holds, each once and in the one form of a key.
func idsOf(p *schema.Property, value json.RawMessage) (ids []json.RawMessage) {
	key := p.Link.Target.Primary
	add := func(v json.RawMessage) {
		if id, why := key.KeyText(v); why == "" {
			v = id
		}
		if !slices.ContainsFunc(ids, func(id json.RawMessage) bool { return string(id) == string(v) }) {
			ids = append(ids, v)
		}
	}
	if !p.Link.Many {
		add(value)
	}
	for _, v := range jsontext.Elements(value) {
		add(v)
	}
	return ids
}

// invisible returns the ids whose rows a caller with this scope cannot see.
func invisible(ctx context.Context, x *execution, e *schema.Entity, scope *access.Scope, ids []json.RawMessage) (missing []json.RawMessage, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if missing, asked := x.unknownTo(e, ids); asked {
		return missing, nil
	}
	at := x.host.local // an entity without a door is kept here
	if door := x.host.catalog.Door(e.Key); door != nil {
		at = x.host.doors.of(door).keeper
	}
	return at.missing(ctx, x, e, scope.Rows, ids)
}

// unknownTo returns the ids whose rows the caller cannot see; false: some were not asked about.
func (x *viewer) unknownTo(e *schema.Entity, ids []json.RawMessage) (missing []json.RawMessage, asked bool) {
	for _, id := range ids {
		there, is := x.exist[e][string(id)]
		if !is {
			return nil, false
		}
		if !there {
			missing = append(missing, id)
		}
	}
	return missing, true
}
