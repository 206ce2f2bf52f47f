package facade

import (
	"context"
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// runners decides who answers each operation and who keeps the rows of each door.
func (b *compiler) runners(cascades map[*schema.Entity][]cascade) {
	for _, f := range b.fronds {
		for _, d := range f.Doors {
			if f.Remote != "" {
				d.keeper, d.boundary = remoteKeeper{}, remoteKeeper{}
			} else {
				d.keeper, d.boundary = storeKeeper{}, storeKeeper{}
			}
			for _, op := range slices.AppendSeq(slices.Clone(d.Operations), maps.Values(d.inside)) {
				op.runner, op.inner = runnersOf(op)
				authored := op.Kind == Command && f.Remote == "" && op.authored()
				var alone bool
				op.emits, alone = b.emitting(op, cascades)
				op.transacts, op.recorded = authored || op.emits, op.emits && alone && !authored
			}
		}
	}
}

// runnersOf are the runners of an operation for callers, and for the author's own code: a
// handler that stands before a built-in reaches it so.
func runnersOf(op *Operation) (runner, inner runner) {
	switch {
	case op.Door.Frond.Remote != "":
		op.hooks = nil // its Frond has its hooks where it runs
		return remoteRunner{}, remoteRunner{}
	case op.handler != nil && op.builtin != nil:
		return handlerRunner{}, storeRunner{op.builtin}
	case op.handler != nil:
		return handlerRunner{}, handlerRunner{}
	case op.builtin != nil:
		return storeRunner{op.builtin}, storeRunner{op.builtin}
	}
	return nobody{}, nobody{}
}

// authored reports whether the author's code makes calls of its own within the operation,
// before it is committed: a handler that is not detached, or a hook before a built-in.
func (op *Operation) authored() bool {
	if op.handler != nil {
		return !op.detached
	}
	return slices.ContainsFunc(op.hooks, func(h Hook) bool { return h.Before != nil })
}

// nobody answers an operation that is declared, and that is all.
type nobody struct{}

// by implements [runner].
func (nobody) by() answerer { return byNobody }

// run implements [runner].
func (nobody) run(_ context.Context, x *execution) (*Result, error) {
	return nil, kiterror.Errorf(kiterror.NotImplemented, "%s.%s is declared and nothing answers it; attach a handler to it", x.door.Name, x.op.Name)
}
