package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// pointed holds the relations of a body to the rows that exist for the caller: one
// that leads to a row a collector hides answers as one that leads nowhere. What a
// collector presets, a default gives or the author's own code writes is not asked
// about, nor is what the row points at already. An entity without a door has no
// collector: who keeps the rows knows them (decision 114).
//
// Rows of the store that writes are looked at in its transaction. Those that are kept
// elsewhere are asked about before, and may be gone a moment later.
//
// The ids of a list are no keys of the store's: whoever writes them, each has to be a
// row's, as the store sees to for a single one.
func (t *trip) pointed(ctx context.Context) error {
	sent := t.call.Invocation.Body
	for _, m := range t.body {
		p := t.door.Entity.Property(m.Name)
		if p.Link == nil || jsontext.IsNull(m.Value) {
			continue
		}
		target := p.Link.Target
		list := p.Link.Many && !t.away() && t.facade.catalog.remoteOf(target) == t.door.Frond.Remote
		if t.inside || jsontext.Get(sent, p.Name) == nil {
			if list {
				t.points = append(t.points, Points{Field: p})
			}
			continue
		}
		see, ok := open, true
		door := t.facade.catalog.Door(target.Key)
		if door != nil {
			see, ok = t.seen(ctx, target)
		}
		if t.verdict != nil {
			return t.verdict // the collector failed
		}
		there := t.facade.catalog.remoteOf(target)
		beside := there == t.door.Frond.Remote // who keeps the row keeps these too, and knows whether they are there
		switch {
		case beside && ok && see.Rows == nil && !list, there != "" && door == nil:
			continue
		case beside && !t.away():
			where := filter.Nothing()
			if ok {
				where = see.Rows
			}
			// Who cannot read the field could guess at what it holds.
			t.points = append(t.points, Points{Field: p, Where: where, All: !t.readable(t.see, p)})
			continue
		}
		if err := t.pointedAway(ctx, p, m.Value, see, ok); err != nil {
			return err
		}
	}
	return nil
}

// pointedAway asks about the rows that a relation leads to where the row and they are
// kept in different places, or both elsewhere.
func (t *trip) pointedAway(ctx context.Context, p *schema.Property, value json.RawMessage, see *Scope, ok bool) error {
	e := p.Link.Target
	ids := idsOf(p, value)
	if e == t.door.Entity && t.id == nil {
		// A new row may point at itself; whether it may be at all is asked next.
		own, _ := rows.Key(e.Primary, t.body.Get(e.Primary.Name))
		ids = slices.DeleteFunc(ids, func(id json.RawMessage) bool { return string(id) == string(own) })
	}
	missing := ids
	if ok {
		var err error
		if missing, err = t.unseen(ctx, e, see, ids); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	had, err := t.pointedBefore(ctx, p)
	if err == nil && (had == nil || !subset(missing, had)) {
		err = kiterror.Dangling(p)
	}
	return err
}

// idsOf are the ids a relation holds, in their one spelling.
func idsOf(p *schema.Property, value json.RawMessage) (ids []json.RawMessage) {
	key := p.Link.Target.Primary
	add := func(v json.RawMessage) {
		if id, why := rows.Key(key, v); why == "" {
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
		return t.store().Update(ctx, t.door.Entity, t.id, t.see.Rows, nil, nil, NewLayout([]string{p.Name}))
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
