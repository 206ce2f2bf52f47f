package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// open is the scope of a door without a collector, and of the author's own code.
var open = &Scope{}

// scope is the second step: the collectors say what this caller may touch and
// see, of the door and of the rows that are going to be answered.
func (t *trip) scope(ctx context.Context) (err error) {
	if t.see, err = t.scopeOf(ctx, t.door, t.op); err != nil {
		return err
	}
	t.seeOut = t.see
	if out := t.op.outDoor; out != nil && out != t.door {
		// Asked before anything runs: a caller who may not see the answer does not act either.
		t.seeOut, err = t.scopeOf(ctx, out, out.reading())
	}
	return err
}

func (t *trip) scopeOf(ctx context.Context, door *Door, op *Operation) (see *Scope, err error) {
	if t.told != nil {
		defer func() { t.explainScope(door, op, see, err) }()
	}
	if t.inside || door.collector == nil {
		return open, nil
	}
	var s Scope
	if r, is := door.collector.(*rules); is {
		var now time.Time
		if r.timed {
			now = t.now()
		}
		s, err = r.scopeAt(now, t.state, door, op)
	} else {
		s, err = door.collector.Scope(ctx, t.state, door, op)
	}
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// now is the time of the call: one moment, whatever asks for it how often.
func (t *trip) now() time.Time {
	if t.at.IsZero() {
		t.at = t.facade.now()
	}
	return t.at
}

// reading is the operation a collector is asked about where rows of a door are
// reached from elsewhere: through a relation in a filter, or in an answer.
func (d *Door) reading() *Operation {
	if op := d.Operation("list"); op != nil {
		return op
	}
	return &Operation{Name: "list", Kind: Query, Door: d, Builtin: true}
}

// reached is the scope of the entity behind a relation; false where the caller
// may not see it at all: it has no door, the surface shows none that reads it, or
// its collector turns the caller away.
func (t *trip) reached(ctx context.Context, e *schema.Entity) (*Scope, bool) {
	if !t.inside && !t.shown.Reaches(e) {
		return nil, false
	}
	return t.seen(ctx, e)
}

// Behind implements [filter.Host]: reached, for a filter that goes through a relation.
func (t *trip) Behind(ctx context.Context, l *schema.Link) (filter.Scope, bool) {
	if !samePlace(t.facade.catalog.Fronds, l) {
		return nil, false
	}
	see, ok := t.reached(ctx, l.Target)
	return t.view(see), ok
}

// Decode implements [filter.Host]. What runs elsewhere is decoded there.
func (t *trip) Decode(p *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	if t.inside || t.away() {
		return text, true
	}
	name := p.Axes.In.Name
	convert := t.facade.registry.Conversions[name].Decode
	if convert == nil {
		t.fail(fmt.Errorf("unknown generator: no conversion called %q decodes %s.%s", name, p.Owner.Name, p.Name))
		return text, true
	}
	decoded, err := convert(text)
	return decoded, err == nil
}

// Suggests reports whether a mistake is answered with names: in development.
func (t *trip) Suggests() bool { return t.facade.suggest }

// view is a scope as a filter of this call sees it.
func (t *trip) view(see *Scope) filter.Scope {
	if t.inside {
		return filter.All
	}
	return see
}

// seen is what the collector of an entity's door lets the caller see, whatever the
// surface shows of it: a key may be written to a row that cannot be read here.
func (t *trip) seen(ctx context.Context, e *schema.Entity) (*Scope, bool) {
	if t.inside {
		return open, true
	}
	door := t.facade.catalog.Door(e.Key)
	switch {
	case door == nil:
		return nil, false
	case door.collector == nil:
		return open, true
	case door == t.door && t.op == door.reading():
		return t.see, true // not of a command: its rules may be other ones than those of reading
	}
	s, asked := t.reach[door]
	if !asked {
		var err error
		if s, err = t.scopeOf(ctx, door, door.reading()); kiterror.CodeOf(err) == kiterror.InternalError {
			t.fail(err) // not a verdict on the caller: the collector itself failed
		}
		if t.reach == nil {
			t.reach = map[*Door]*Scope{}
		}
		t.reach[door] = s
	}
	return s, s != nil
}

// readable says whether a field exists for the caller of this trip, who sees see:
// the one predicate behind select, filter, sort, cursor and error text (DESIGN 5).
func (t *trip) readable(see *Scope, p *schema.Property) bool {
	return p.Stored && (t.inside || see.Readable(p))
}

// hides says whether the scope takes the field called name from the caller.
func (s *Scope) hides(name string) bool {
	return slices.Contains(s.Hide, name)
}

// readsOnly says whether the scope lets the caller see the field called name and not send it.
func (s *Scope) readsOnly(name string) bool { return slices.Contains(s.ReadOnly, name) }

// shapes says whether a card is the door's own or a view cut from it: what a
// collector says of a field holds there too.
func (d *Door) shapes(card *schema.Entity) bool {
	if card == nil || d.Entity == nil {
		return false
	}
	return card == d.Entity || card.View && card.Card.Derived != nil && schema.EntityKey(card.Card.Derived.From) == d.Entity.Key
}

// stamps says whether the operation's body is stamped with what a collector sets.
func (op *Operation) stamps() bool { return !op.Patch && op.Door.shapes(op.Input) }
