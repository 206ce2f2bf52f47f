package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// scope is the second step: the collectors say what this caller may do and see, of the
// door and of the rows that will be answered. It comes before anything runs: a caller who
// may not see the answer does not act either.
func (x *execution) scope(ctx context.Context) (err error) {
	if x.doorScope, err = x.scopeOf(ctx, x.door, x.op.Operation); err != nil {
		return err
	}
	x.resultScope = x.doorScope
	if out := x.op.OutDoor; out != nil && out != x.door.Door {
		// Asked before anything runs: a caller who may not see the answer does not act either.
		x.resultScope, err = x.scopeOf(ctx, x.host.doors.of(out), out.Reading())
	}
	return err
}

// scopeOf is what the collector of a door says about an operation. The error is its
// verdict.
func (x *viewer) scopeOf(ctx context.Context, door *boundDoor, op *catalog.Operation) (scope *access.Scope, err error) {
	scope, err = x.collect(ctx, door, op)
	x.watch.scoped(x, door, op, scope, err)
	return scope, err
}

// collect calls the collector of a door. A door without one is open, and so is every door
// for the author's own code.
func (x *viewer) collect(ctx context.Context, door *boundDoor, op *catalog.Operation) (*access.Scope, error) {
	if x.inside || door.collector == nil {
		return access.Open, nil
	}
	s, err := access.ScopeOf(ctx, door.collector, x.now, x.state, door.Door, op)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// scopeBehind is the scope of the entity behind a relation; false where the caller may not
// see it at all: it has no door, the surface shows none that reads it, or its collector
// denies the caller.
func (x *viewer) scopeBehind(ctx context.Context, e *schema.Entity) (*access.Scope, bool) {
	if !x.inside && !x.catalogView.Reaches(e) {
		return nil, false
	}
	return x.scopeOfRows(ctx, e)
}

// Behind implements [filter.Host].
func (x *viewer) Behind(ctx context.Context, l *schema.Link) (filter.Scope, bool) {
	if !catalog.SamePlace(x.host.catalog.Fronds, l) {
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
func (x *viewer) view(scope *access.Scope) filter.Scope {
	if x.inside {
		return filter.All
	}
	return scope
}

// scopeOfRows is what the collector of an entity's door lets the caller see, whatever the
// surface shows of it: a key may be written to a row that cannot be read here. It is asked
// once in a call.
func (x *viewer) scopeOfRows(ctx context.Context, e *schema.Entity) (*access.Scope, bool) {
	if x.inside {
		return access.Open, true
	}
	there := x.host.catalog.Door(e.Key)
	if there == nil {
		return nil, false
	}
	door := x.host.doors.of(there)
	switch {
	case door.collector == nil:
		return access.Open, true
	case door == x.door && x.op.Operation == door.Reading():
		return x.doorScope, true // not of a command: its rules may be other ones than those of reading
	}
	s, asked := x.scopes[there]
	if !asked {
		var err error
		if s, err = x.scopeOf(ctx, door, door.Reading()); kiterror.CodeOf(err) == kiterror.InternalError {
			x.fail(err) // not a verdict on the caller: the collector itself failed
		}
		if x.scopes == nil {
			x.scopes = map[*catalog.Door]*access.Scope{}
		}
		x.scopes[there] = s
	}
	return s, s != nil
}

// readable reports whether a field exists for a caller with this scope: the one predicate
// behind select, filter, sort, cursor and error text (docs/calls.md).
func (x *viewer) readable(scope *access.Scope, p *schema.Property) bool {
	return p.Stored && (x.inside || scope.Readable(p))
}
