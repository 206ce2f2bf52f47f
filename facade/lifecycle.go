package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// fill ends the third step: what was judged is decoded, brought into the form it
// is kept in, and completed by the rules of the lifecycle (spec 2.2).
func (t *trip) fill(context.Context) (err error) {
	switch {
	case t.op.builtin == nil && t.op.Input != nil:
		var set schema.Object
		if t.door.shapes(t.op.Input) {
			set = t.see.Set
		}
		t.body, err = t.filled(t.op.Input, t.body, set)
	case t.op.builtin == nil:
	case t.op.builtin.fill == fillCreate:
		t.body, err = t.filled(t.door.Entity, t.body, t.see.Set)
	case t.op.builtin.fill == fillUpdate:
		t.body, err = t.patched(t.door.Entity, t.body)
	}
	if err != nil {
		return err
	}
	return t.refusal() // what could not be decoded
}

// filled is a body at creation with what was left out: preset by a collector, or
// given by the field's create rule, or an empty list for ids.
func (t *trip) filled(card *schema.Entity, sent, set schema.Object) (schema.Object, error) {
	now := t.now()
	out := make(schema.Object, 0, len(card.Fields))
	for _, p := range card.Fields {
		if !p.Stored {
			continue
		}
		value := sent.Get(p.Name)
		switch {
		case value != nil:
			value = t.inward(p, value)
		case set.Get(p.Name) != nil:
			value = set.Get(p.Name)
		case p.Axes.Create != nil:
			var err error
			if value, err = t.facade.created(p, now); err != nil {
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

// patched is a patch with the fields that lifecycle.update answers for. A patch
// that changes nothing stays empty: reading a row does not touch it.
func (t *trip) patched(card *schema.Entity, sent schema.Object) (schema.Object, error) {
	if len(sent) == 0 {
		return nil, nil
	}
	now := t.now()
	out := make(schema.Object, 0, len(sent)+2)
	for _, p := range card.Fields {
		switch value := sent.Get(p.Name); {
		case !p.Stored:
		case value != nil:
			out = append(out, schema.Member{Name: p.Name, Value: t.inward(p, value)})
		case p.Axes.Update == schema.UpdateNow:
			out = append(out, schema.Member{Name: p.Name, Value: nowFor(p, now)})
		}
	}
	return out, nil
}

// created is the value a create rule gives; nil for optional, which leaves the field out.
func (f *Facade) created(p *schema.Property, now time.Time) (json.RawMessage, error) {
	switch rule := p.Axes.Create; {
	case rule.Value != nil:
		return rule.Value, nil
	case rule.Now:
		return nowFor(p, now), nil
	case rule.Generate != "":
		generate := f.registry.Generators[rule.Generate]
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

// nowFor is this moment as a value of the field: text, or milliseconds since 1970
// where the field is a number.
func nowFor(p *schema.Property, now time.Time) json.RawMessage {
	switch p.Kind {
	case schema.KindInteger, schema.KindNumber:
		return fmt.Appendf(nil, "%d", now.UnixMilli())
	case schema.KindDate:
		return jsontext.Quote(now.UTC().Format(time.DateOnly))
	}
	if p.Shape.Format == "time" {
		return jsontext.Quote(now.UTC().Format("15:04:05.000Z"))
	}
	return rows.AppendDateTime(nil, now.Truncate(time.Millisecond))
}
