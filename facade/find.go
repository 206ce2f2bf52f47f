package facade

import (
	"context"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// find is the first step: the operation behind entity.op, and the runner that answers it.
// An operation that is not there is NOT_FOUND, with the names that are served.
func (x *execution) find(ctx context.Context) error {
	err := lookUp(ctx, x)
	x.watch.found(x)
	return err
}

// lookUp finds door and operation. It fails first where ctx has ended, and where calls
// stand within each other too deep: handlers that call each other in a circle end here and
// not on the stack.
func lookUp(ctx context.Context, x *execution) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := RequestOf(ctx).Spend(callWork); err != nil {
		return err
	}
	x.state = x.call.Invocation.State
	if s := callContextOf(ctx); s != nil {
		x.transaction = x.host.transactionOf(ctx)
		if x.depth, x.inside, x.kept, x.pending, x.within = s.depth+1, s.inside, s.kept, s.pending, s.op; x.depth > maxDepth {
			return kiterror.Errorf(kiterror.InternalError, "more than %d calls stand within each other; do handlers call each other in a circle?", maxDepth)
		}
	}
	if x.state == nil {
		x.state = StateFrom(ctx)
	}
	door, op := x.host.catalog.Find(x.call.Entity, x.call.Operation)
	if op == nil && x.inside && door != nil {
		op = door.Inside[x.call.Operation]
	}
	if op == nil {
		return x.host.missing(ctx, x.host.catalog, x.call, x.inside)
	}
	x.door, x.op = x.host.doors.of(door), x.host.operations.of(op)
	x.runner = x.op.runner
	if x.inside {
		x.runner = x.op.inner
	}
	return nil
}

// missing is NOT_FOUND for what a view does not show. It names what is served there to
// this caller: an operation that a collector refuses them is left out (docs/decisions/errors.md).
func (h *host) missing(ctx context.Context, view *catalog.Catalog, c *Call, inside bool) *kiterror.Error {
	state := c.Invocation.State
	if state == nil {
		state = StateFrom(ctx)
	}
	may := func(op *catalog.Operation) bool {
		collector := h.doors.of(op.Door).collector
		if inside || collector == nil {
			return true
		}
		_, err := collector.Scope(ctx, state, op.Door, op)
		return err == nil
	}
	var names []string
	if door := view.Door(c.Entity); door != nil {
		for _, op := range door.Operations {
			if may(op) {
				names = append(names, op.Name)
			}
		}
		return kiterror.Errorf(kiterror.NotFound, "%s has no operation called %s%s", door.Name, kiterror.Quoted(c.Operation), kiterror.Instead(c.Operation, names, h.suggest))
	}
	for door := range view.Doors() {
		if len(names) <= kiterror.MaxNames && slices.ContainsFunc(door.Operations, may) {
			names = append(names, door.Name)
		}
	}
	return kiterror.Errorf(kiterror.NotFound, "no entity is called %s here%s", kiterror.Quoted(c.Entity), kiterror.Instead(c.Entity, names, h.suggest))
}
