package engine

import (
	"cmp"
	"slices"

	"github.com/frondhost/frond/facade"
)

// lendings are the transactions that wait for the writer's connection. Callers take turns: the second
// transaction of a caller comes after the first one of each other caller, so that the others
// wait for one transaction of a busy caller.
type lendings struct {
	ops  []*Op
	last any // the caller of the one that ended last
}

func (l *lendings) add(op *Op) { l.ops = append(l.ops, op) }

// inTurns returns the transactions in the order of their callers' turns.
func (l *lendings) inTurns() []*Op {
	type place struct {
		op   *Op
		turn int // how many of the same caller come first
	}
	places, turns := make([]place, len(l.ops)), map[any]int{}
	if l.last != nil {
		turns[l.last] = 1
	}
	for i, op := range l.ops {
		places[i].op = op
		if caller := callerOf(op); caller != nil {
			places[i].turn = turns[caller]
			turns[caller]++
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.turn, b.turn) })
	ops := make([]*Op, len(places))
	for i, p := range places {
		ops[i] = p.op
	}
	return ops
}

// callerOf returns the sender of the request that an Op is part of, or nil.
func callerOf(op *Op) any {
	caller, _ := facade.RequestOf(op.Ctx).Shares()
	return caller
}
