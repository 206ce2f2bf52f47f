package compile

import (
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// transactions decides which operations emit facts and which are transactions.
func (b *compiler) transactions(cascades map[*schema.Entity][]catalog.Cascade) {
	for _, f := range b.fronds {
		for _, d := range f.Doors {
			for _, op := range slices.AppendSeq(slices.Clone(d.Operations), maps.Values(d.Inside)) {
				authored := op.Kind == catalog.Command && f.Remote == "" && b.authored[op]
				var alone bool
				op.Emits, alone = b.emitting(op, cascades)
				op.Transacts, op.Recorded = authored || op.Emits, op.Emits && alone && !authored
			}
		}
	}
}

// presets notes at each door which fields a caller does not have to send.
func (b *compiler) presets() {
	for _, d := range b.doors {
		d.Presets = d.NotRequired
		if p, ok := b.collected[d].(access.Presetter); ok {
			d.Presets = append(p.Presets(), d.NotRequired...)
		}
	}
}

// emitting reports whether the changes of an operation are announced, and whether one write does
// it: rows that go or change with a deleted one have to be read before.
func (b *compiler) emitting(op *catalog.Operation, cascades map[*schema.Entity][]catalog.Cascade) (emits, alone bool) {
	if !op.Builtin || op.Kind != catalog.Command || op.Door.Frond.Remote != "" {
		return false, false
	}
	change := catalog.ChangeOf(op.Name)
	more := change == catalog.Deleted && cascades[op.Door.Entity] != nil
	return more || len(op.Door.Announced[change]) > 0, !more
}
