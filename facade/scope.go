package facade

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// scope is the second step: the collectors say what this caller may do and see, of the
// door and of the rows that will be answered. It comes before anything runs: a caller who
// may not see the answer does not act either.
func (x *execution) scope(ctx context.Context) (err error) {
	if x.doorScope, err = x.scopeOf(ctx, x.door, x.op); err != nil {
		return err
	}
	x.resultScope = x.doorScope
	if out := x.op.outDoor; out != nil && out != x.door {
		// Asked before anything runs: a caller who may not see the answer does not act either.
		x.resultScope, err = x.scopeOf(ctx, out, out.reading())
	}
	return err
}

// scopeOf is what the collector of a door says about an operation. The error is its
// verdict.
func (x *viewer) scopeOf(ctx context.Context, door *Door, op *Operation) (scope *Scope, err error) {
	scope, err = x.collect(ctx, door, op)
	x.watch.scoped(x, door, op, scope, err)
	return scope, err
}

// collect calls the collector of a door. A door without one is open, and so is every door
// for the author's own code.
func (x *viewer) collect(ctx context.Context, door *Door, op *Operation) (*Scope, error) {
	if x.inside || door.collector == nil {
		return open, nil
	}
	var s Scope
	var err error
	if r, is := door.collector.(*rules); is {
		var now time.Time
		if r.timed {
			now = x.now()
		}
		s, err = r.scopeAt(now, x.state, door, op)
	} else {
		s, err = door.collector.Scope(ctx, x.state, door, op)
	}
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// scopeBehind is the scope of the entity behind a relation; false where the caller may not
// see it at all: it has no door, the surface shows none that reads it, or its collector
// denies the caller.
func (x *viewer) scopeBehind(ctx context.Context, e *schema.Entity) (*Scope, bool) {
	if !x.inside && !x.catalogView.Reaches(e) {
		return nil, false
	}
	return x.scopeOfRows(ctx, e)
}

// Behind implements [filter.Host].
func (x *viewer) Behind(ctx context.Context, l *schema.Link) (filter.Scope, bool) {
	if !samePlace(x.catalog.Fronds, l) {
		return nil, false
	}
	scope, ok := x.scopeBehind(ctx, l.Target)
	return x.view(scope), ok
}

// Decode implements [filter.Host].
func (x *viewer) Decode(p *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	if x.inside {
		return text, true
	}
	return x.door.boundary.decode(x, p, text)
}

// view is a scope as a filter of this call asks about it.
func (x *viewer) view(scope *Scope) filter.Scope {
	if x.inside {
		return filter.All
	}
	return scope
}

// scopeOfRows is what the collector of an entity's door lets the caller see, whatever the
// surface shows of it: a key may be written to a row that cannot be read here. It is asked
// once in a call.
func (x *viewer) scopeOfRows(ctx context.Context, e *schema.Entity) (*Scope, bool) {
	if x.inside {
		return open, true
	}
	door := x.catalog.Door(e.Key)
	switch {
	case door == nil:
		return nil, false
	case door.collector == nil:
		return open, true
	case door == x.door && x.op == door.reading():
		return x.doorScope, true // not of a command: its rules may be other ones than those of reading
	}
	s, asked := x.scopes[door]
	if !asked {
		var err error
		if s, err = x.scopeOf(ctx, door, door.reading()); kiterror.CodeOf(err) == kiterror.InternalError {
			x.fail(err) // not a verdict on the caller: the collector itself failed
		}
		if x.scopes == nil {
			x.scopes = map[*Door]*Scope{}
		}
		x.scopes[door] = s
	}
	return s, s != nil
}

// readable reports whether a field exists for a caller with this scope: the one predicate
// behind select, filter, sort, cursor and error text (docs/calls.md).
func (x *viewer) readable(scope *Scope, p *schema.Property) bool {
	return p.Stored && (x.inside || scope.Readable(p))
}
