package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// pointed holds the relations of a body to the rows that exist for the caller: one
// that leads to a row a collector hides answers as one that leads nowhere. What a
// collector presets, a default gives or the author's own code writes is not asked
// about, nor is what the row points at already. An entity without a door has no
// collector: the store knows its rows (decision 114).
func (t *trip) pointed(ctx context.Context) error {
	if t.inside {
		return nil
	}
	sent := t.call.Invocation.Body
	for _, m := range t.body {
		p := t.door.Entity.Property(m.Name)
		if p.Link == nil || jsontext.IsNull(m.Value) || jsontext.Get(sent, p.Name) == nil {
			continue
		}
		door := t.facade.catalog.Door(p.Link.Target.Key)
		// That a row is there the store knows, or the remote, of the rows it keeps.
		knows := door == nil || door.Frond.Remote == "" || t.away()
		if door == nil || door.collector == nil && knows {
			continue
		}
		see, ok := t.seen(ctx, p.Link.Target)
		switch {
		case t.verdict != nil: // the collector failed
			return t.verdict
		case ok && see.Rows == nil && knows:
			continue
		}
		ids := idsOf(p, m.Value)
		if door == t.door && t.id == nil {
			// A new row may point at itself; whether it may be at all is asked next.
			own, _ := keyText(door.Entity.Primary, t.body.Get(door.Entity.Primary.Name))
			ids = slices.DeleteFunc(ids, func(id json.RawMessage) bool { return string(id) == string(own) })
		}
		missing := ids
		if ok {
			var err error
			if missing, err = t.unseen(ctx, door.Entity, see, ids); err != nil {
				return err
			}
		}
		if len(missing) == 0 {
			continue
		}
		if had, err := t.pointedBefore(ctx, p); err != nil || had == nil || !subset(missing, had) {
			if err == nil {
				err = Dangling(p)
			}
			return err
		}
	}
	return nil
}

// idsOf are the ids a relation holds, in their one spelling.
func idsOf(p *schema.Property, value json.RawMessage) (ids []json.RawMessage) {
	key := p.Link.Target.Primary
	add := func(v json.RawMessage) {
		if id, why := keyText(key, v); why == "" {
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

// unseen are those of the ids that no row has which exists for a caller who sees see.
func (t *trip) unseen(ctx context.Context, e *schema.Entity, see *Scope, ids []json.RawMessage) (missing []json.RawMessage, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if door := t.facade.catalog.Door(e.Key); door != nil && door.Frond.Remote != "" {
		return t.unseenAway(ctx, door, see, ids)
	}
	found, err := t.store().Find(ctx, &Find{
		Entity: e, Select: NewLayout([]string{e.Primary.Name}), Where: see.Rows, Limit: 1,
		Each: &EachKey{Field: e.Primary, Values: ids},
	})
	if err != nil {
		return nil, err
	}
	for i, g := range found.Groups {
		if g.From == g.To {
			missing = append(missing, ids[i])
		}
	}
	return missing, nil
}

// pointedBefore are the ids the row that is updated holds already; nil where there
// is no such row for the caller, or it is new.
func (t *trip) pointedBefore(ctx context.Context, p *schema.Property) ([]json.RawMessage, error) {
	if t.id == nil || !t.readable(t.see, p) { // who cannot read the field could guess at it
		return nil, nil
	}
	rows, err := t.standing(ctx, p)
	if err != nil || rows.Len() == 0 || jsontext.IsNull(rows.Row(0).Get(p.Name)) {
		return nil, err
	}
	return idsOf(p, rows.Row(0).Get(p.Name)), nil
}

// standing is a field of the row that is updated, as it stands for the caller.
func (t *trip) standing(ctx context.Context, p *schema.Property) (*Rows, error) {
	if !t.away() {
		return t.store().Update(ctx, t.door.Entity, t.id, t.see.Rows, nil, NewLayout([]string{p.Name}))
	}
	carrier, err := t.carrier(t.door)
	if err != nil {
		return nil, err
	}
	res, err := t.fetchAway(ctx, carrier, t.door, t.see.Rows, []string{p.Name}, t.id)
	if err != nil {
		return nil, err
	}
	return res.Rows, nil
}

func subset(some, all []json.RawMessage) bool {
	for _, id := range some {
		if !slices.ContainsFunc(all, func(other json.RawMessage) bool { return string(other) == string(id) }) {
			return false
		}
	}
	return true
}
