package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// checkRelations holds the relations of a body to the rows that exist for the caller: one that
// leads to a row a collector hides is refused like one that leads nowhere. Presets,
// defaults, values of the author's own code, and what the row points at already are not
// checked. An entity without a door has no collector: whoever keeps its rows checks them
// (docs/decisions/card-language.md).
//
// Rows of the store that writes are checked in its transaction. Rows that are kept
// elsewhere are asked about before, and may be gone a moment later.
//
// The ids of a list are no keys of the store: whoever writes them, each has to be a row's,
// as the store sees to for a single one.
func checkRelations(ctx context.Context, x *execution) error {
	sent := x.call.Invocation.Body
	for _, m := range x.body {
		p := x.door.Entity.Property(m.Name)
		if p.Link == nil || jsontext.IsNull(m.Value) {
			continue
		}
		target := p.Link.Target
		list := p.Link.Many && x.door.boundary.follows() && x.host.catalog.RemoteOf(target) == x.door.Frond.Remote
		if x.inside || jsontext.Get(sent, p.Name) == nil {
			if list {
				x.points = append(x.points, Points{Field: p})
			}
			continue
		}
		scope, ok := access.Open, true
		door := x.host.catalog.Door(target.Key)
		if door != nil {
			scope, ok = x.scopeOfRows(ctx, target)
		}
		if x.verdict != nil {
			return x.verdict // the collector failed
		}
		there := x.host.catalog.RemoteOf(target)
		beside := there == x.door.Frond.Remote // who keeps the row keeps these too, and knows whether they are there
		switch {
		case beside && ok && scope.Rows == nil && !list, there != "" && door == nil:
			continue
		case beside && x.door.boundary.follows():
			where := filter.Nothing()
			if ok {
				where = scope.Rows
			}
			// Who cannot read the field could guess at what it holds.
			x.points = append(x.points, Points{Field: p, Where: where, All: !x.readable(x.doorScope, p)})
			continue
		}
		if err := checkElsewhere(ctx, x, p, m.Value, scope, ok); err != nil {
			return err
		}
	}
	return nil
}

// checkElsewhere checks the rows that a relation leads to where the row and they are
// kept in different places, or both at a remote.
func checkElsewhere(ctx context.Context, x *execution, p *schema.Property, value json.RawMessage, scope *access.Scope, ok bool) error {
	e := p.Link.Target
	ids := idsOf(p, value)
	if e == x.door.Entity && x.id == nil {
		// A new row may point at itself; whether it may be at all is asked next.
		own, _ := rows.Key(e.Primary, x.body.Get(e.Primary.Name))
		ids = slices.DeleteFunc(ids, func(id json.RawMessage) bool { return string(id) == string(own) })
	}
	missing := ids
	if ok {
		var err error
		if missing, err = invisible(ctx, x, e, scope, ids); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	had, err := relatedBefore(ctx, x, p)
	if err == nil && (had == nil || !subset(missing, had)) {
		err = kiterror.Dangling(p)
	}
	return err
}

// idsOf are the ids that a relation holds, each once and in the one form of a key.
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

// invisible are those of the ids that no row has which exists for a caller with this scope.
func invisible(ctx context.Context, x *execution, e *schema.Entity, scope *access.Scope, ids []json.RawMessage) (missing []json.RawMessage, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	at := x.host.local // an entity without a door is kept here
	if door := x.host.catalog.Door(e.Key); door != nil {
		at = x.host.doors.of(door).keeper
	}
	return at.missing(ctx, x, e, scope.Rows, ids)
}

// relatedBefore are the ids that the row to update holds already; nil where there is no
// such row for the caller, or it is new.
func relatedBefore(ctx context.Context, x *execution, p *schema.Property) ([]json.RawMessage, error) {
	if x.id == nil || !x.readable(x.doorScope, p) { // who cannot read the field could guess at it
		return nil, nil
	}
	rows, err := x.door.keeper.visibleRow(ctx, x, []string{p.Name})
	if err != nil || rows.Len() == 0 || jsontext.IsNull(rows.Row(0).Get(p.Name)) {
		return nil, err
	}
	return idsOf(p, rows.Row(0).Get(p.Name)), nil
}

// subset reports whether all holds each of some.
func subset(some, all []json.RawMessage) bool {
	for _, id := range some {
		if !slices.ContainsFunc(all, func(other json.RawMessage) bool { return string(other) == string(id) }) {
			return false
		}
	}
	return true
}
