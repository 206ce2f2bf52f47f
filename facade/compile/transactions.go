package compile

import (
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// transactions decides which operations emit facts and which are transactions.
func transactions(m *model, k *bindings, cascades map[*schema.Entity][]catalog.Cascade) {
	for _, f := range m.fronds {
		for _, d := range f.Doors {
			for _, op := range slices.AppendSeq(slices.Clone(d.Operations), maps.Values(d.Inside)) {
				if op.IsMany() {
					continue // decided by the operations of one row, below
				}
				authored := op.Kind == catalog.Command && f.Remote == "" && k.authored[op]
				var alone bool
				op.Emits, alone = emitting(op, cascades)
				op.Transacts, op.Recorded = authored || op.Emits, op.Emits && alone && !authored
			}
			for _, op := range slices.AppendSeq(slices.Clone(d.Operations), maps.Values(d.Inside)) {
				if !op.IsMany() || f.Remote != "" {
					continue
				}
				one := op.Needs[0]
				op.Emits, op.Transacts, op.Recorded = one.Emits, one.Transacts, one.Recorded
				if op.Name != "createMany" { // it takes several statements
					op.Transacts, op.Recorded = true, false
				}
				for _, need := range op.Needs {
					op.Emits = op.Emits || need.Emits
				}
			}
		}
	}
}

// emitting reports whether the changes of an operation are announced, and whether one write does
// it: rows that go or change with a deleted one have to be read before.
func emitting(op *catalog.Operation, cascades map[*schema.Entity][]catalog.Cascade) (emits, alone bool) {
	if !op.Builtin || op.Kind != catalog.Command || op.Door.Frond.Remote != "" {
		return false, false
	}
	change := catalog.ChangeOf(op.Name)
	more := change == catalog.Deleted && cascades[op.Door.Entity] != nil
	return more || len(op.Door.Announced[change]) > 0, !more
}

// cascades finds, for each entity, the relations that have to be followed when a row of it is
// deleted: those that lead to a door whose facts hear of it.
func cascades(m *model) map[*schema.Entity][]catalog.Cascade {
	all := map[*schema.Entity][]catalog.Cascade{}
	for _, e := range m.set.Entities {
		if found := cascadesOf(m, e, map[*schema.Entity]bool{}); found != nil {
			all[e] = found
		}
	}
	return all
}

// cascadesOf are the cascades of one entity; seen are the entities on the way to it.
func cascadesOf(m *model, target *schema.Entity, seen map[*schema.Entity]bool) (found []catalog.Cascade) {
	if seen[target] {
		return nil
	}
	seen[target] = true
	defer delete(seen, target)
	for _, e := range m.set.Entities {
		for _, p := range e.Fields {
			if p.Link == nil || !p.Stored || p.Link.Many || p.Link.Target != target {
				continue
			}
			c := catalog.Cascade{Field: p, Door: m.doors[e.Key], Null: p.Axes.Relation.OnDelete == schema.SetNull}
			if c.Door != nil && c.Door.Frond.Remote != "" {
				continue
			}
			announced := false
			switch {
			case c.Null:
				announced = c.Door != nil && len(c.Door.Announced[catalog.Updated]) > 0
			case p.Axes.Relation.OnDelete == "cascade":
				announced = c.Door != nil && len(c.Door.Announced[catalog.Deleted]) > 0 || cascadesOf(m, e, seen) != nil
			}
			if announced {
				found = append(found, c)
			}
		}
	}
	return found
}
