package facade

import (
	"context"
	"slices"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
)

// terms is what has to hold for a write here, for the store to decide in its transaction:
// what the relations of the body lead to, which version the row has, and what a patch that
// reaches into nested objects makes of the row as it then stands.
func (x *execution) terms() *Terms {
	terms := &Terms{Points: x.points}
	var read []string
	if x.precondition != nil && !x.precondition.any() {
		for _, p := range x.versionScope.Versioned(x.door.Entity) {
			read = append(read, p.Name)
		}
	}
	if x.merging != nil {
		for _, name := range x.merging.fields {
			if !slices.Contains(read, name) {
				read = append(read, name)
			}
		}
	}
	if terms.Read = rows.NewLayout(read); x.precondition != nil || x.merging != nil {
		terms.Judge = x.judged
	}
	return terms
}

// judged is what is written to the row as it stands in the transaction.
func (x *execution) judged(current rows.Row) (Record, error) {
	if x.precondition != nil {
		if err := x.judgeVersion(current); err != nil {
			return nil, err
		}
	}
	if x.merging != nil {
		return x.merged(current)
	}
	return nil, nil
}

// orNone is nil for terms without a condition.
func (w *Terms) orNone() *Terms {
	if w.Judge == nil && w.After == nil && w.Points == nil && w.Events == nil {
		return nil
	}
	return w
}

// beforeHandler holds the row to the caller's precondition before the author's handler
// runs, and hands it on to the write that the handler makes. there is false where there is
// no such row.
func (x *execution) beforeHandler(ctx context.Context) (l *pendingPrecondition, there bool, err error) {
	if x.precondition == nil && x.condition == nil {
		return nil, true, nil
	}
	terms := x.terms()
	rows, err := x.store().Update(ctx, x.door.Entity, x.id, x.target(), nil, nil, terms.Read)
	if err == nil && rows.Len() == 0 {
		if err = x.absent(ctx); kiterror.CodeOf(err) == kiterror.NotFound {
			err = nil
		}
		return nil, false, err
	}
	if err == nil && x.precondition != nil {
		err = x.judgeVersion(rows.Row(0))
	}
	return &pendingPrecondition{cond: x.precondition, where: x.condition, door: x.door, id: x.id}, true, err
}
