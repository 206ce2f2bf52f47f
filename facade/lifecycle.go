package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// fill ends the third step for rows that are kept here: what was judged is decoded,
// brought into the form it is kept in, and completed by the rules of the lifecycle (spec
// 2.2).
func fill(_ context.Context, x *execution) (err error) {
	switch {
	case x.op.builtin == nil && x.op.Input != nil:
		var set schema.Object
		if x.door.Shapes(x.op.Input) {
			set = x.doorScope.Set
		}
		x.body, err = filled(&x.viewer, x.op.Input, x.body, set)
	case x.op.builtin == nil:
	case x.op.builtin.fill == fillCreate:
		x.body, err = filled(&x.viewer, x.door.Entity, x.body, x.doorScope.Set)
	case x.op.builtin.fill == fillUpdate:
		x.body, err = patched(&x.viewer, x.door.Entity, x.body)
	}
	if err != nil {
		return err
	}
	return x.refusal() // what could not be decoded
}

// filled is a body at creation, completed with what was left out: a preset of a collector,
// the value of the field's create rule, or an empty list of ids.
func filled(x *viewer, card *schema.Entity, sent, set schema.Object) (schema.Object, error) {
	now := x.now()
	out := make(schema.Object, 0, len(card.Fields))
	for _, p := range card.Fields {
		if !p.Stored {
			continue
		}
		value := sent.Get(p.Name)
		switch {
		case value != nil:
			value = inward(x, p, value)
		case set.Get(p.Name) != nil:
			value = set.Get(p.Name)
		case p.Axes.Create != nil:
			var err error
			if value, err = created(x.host.registry, p, now); err != nil {
				return nil, err
			}
		case p.Link != nil && p.Link.Many:
			value = json.RawMessage("[]") // spec 2.3: an absent many relation becomes an empty list
		}
		if value != nil {
			out = append(out, schema.Member{Name: p.Name, Value: value})
		}
	}
	return out, nil
}

// patched is a patch, completed with the fields that lifecycle.update sets. A patch that
// changes nothing stays empty: reading a row does not touch it.
func patched(x *viewer, card *schema.Entity, sent schema.Object) (schema.Object, error) {
	if len(sent) == 0 {
		return nil, nil
	}
	now := x.now()
	out := make(schema.Object, 0, len(sent)+2)
	for _, p := range card.Fields {
		switch value := sent.Get(p.Name); {
		case !p.Stored:
		case value != nil:
			out = append(out, schema.Member{Name: p.Name, Value: inward(x, p, value)})
		case p.Axes.Update == schema.UpdateNow:
			out = append(out, schema.Member{Name: p.Name, Value: rows.Now(p, now)})
		}
	}
	return out, nil
}

// created is the value that a create rule gives; nil for optional, which leaves the field
// out.
func created(registry *schema.Registry, p *schema.Property, now time.Time) (json.RawMessage, error) {
	switch rule := p.Axes.Create; {
	case rule.Value != nil:
		return rule.Value, nil
	case rule.Now:
		return rows.Now(p, now), nil
	case rule.Generate != "":
		generate := registry.Generators[rule.Generate]
		if generate == nil {
			// spec 2.2.3: resolved against the consumer's registry, an unknown name is a local error.
			return nil, kiterror.Internal(fmt.Errorf("unknown generator %q, named by %s.%s", rule.Generate, p.Owner.Name, p.Name))
		}
		value, err := generate()
		if err != nil {
			return nil, kiterror.Internal(fmt.Errorf("generator %q: %w", rule.Generate, err))
		}
		return value, nil
	}
	return nil, nil
}
