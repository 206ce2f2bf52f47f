package facade

import (
	"context"
	"slices"

	"github.com/frondhost/frond/facade/kiterror"
)

// find is the first step: the operation behind entity.op.
func (t *trip) find(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.state = t.call.Invocation.State
	if s := stationOf(ctx); s != nil {
		if t.depth, t.inside, t.lent, t.within = s.depth+1, s.inside, s.lent, s.op; t.depth > maxDepth {
			return kiterror.Errorf(kiterror.InternalError, "more than %d calls stand within each other; do handlers call each other in a circle?", maxDepth)
		}
	}
	if t.state == nil {
		t.state = StateFrom(ctx)
	}
	door, op := t.facade.catalog.find(t.call.Entity, t.call.Operation)
	if op == nil {
		return t.facade.missing(ctx, t.facade.catalog, t.call, t.inside)
	}
	t.door, t.op = door, op
	return nil
}

func (c *Catalog) find(entity, operation string) (*Door, *Operation) {
	door := c.Door(entity)
	if door == nil {
		return nil, nil
	}
	return door, door.Operation(operation)
}

// missing is NOT_FOUND for what a view does not show. It names what is served there to this
// caller: an operation that a collector refuses them is left out (decision 210).
func (f *Facade) missing(ctx context.Context, view *Catalog, c *Call, inside bool) *kiterror.Error {
	state := c.Invocation.State
	if state == nil {
		state = StateFrom(ctx)
	}
	may := func(op *Operation) bool {
		if inside || op.Door.collector == nil {
			return true
		}
		_, err := op.Door.collector.Scope(ctx, state, op.Door, op)
		return err == nil
	}
	var names []string
	if door := view.Door(c.Entity); door != nil {
		for _, op := range door.Operations {
			if may(op) {
				names = append(names, op.Name)
			}
		}
		return kiterror.Errorf(kiterror.NotFound, "%s has no operation called %s%s", door.Name, kiterror.Quoted(c.Operation), kiterror.Instead(c.Operation, names, f.suggest))
	}
	for _, frond := range view.Fronds {
		for _, door := range frond.Doors {
			if len(names) <= kiterror.MaxNames && slices.ContainsFunc(door.Operations, may) {
				names = append(names, door.Name)
			}
		}
	}
	return kiterror.Errorf(kiterror.NotFound, "no entity is called %s here%s", kiterror.Quoted(c.Entity), kiterror.Instead(c.Entity, names, f.suggest))
}

// instead ends a message about a field that does not exist for the caller. In production
// it names none that do.
func (t *trip) instead(name string, names func() []string) string {
	if !t.Suggests() {
		return "; leave it out"
	}
	return kiterror.Instead(name, names(), true)
}
