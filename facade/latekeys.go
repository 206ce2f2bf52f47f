package facade

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// LateKeys judges the unique keys of several calls of one transaction at their end, so that rows may change
// places (docs/decisions/writes-and-versions.md). Databases judge a key when its row is written:
//
//	update l1 {pos: 2}   l2 has 2: l1 is written with a free value of pos
//	update l2 {pos: 1}   1 is free
//	Judge                l1 gets its 2; if another row still has it, the CONFLICT of the first call
//
// Answers, events and versions have the value of the request. Before a call that could read a free value, the keys
// are judged too. Get one with [JudgeKeysLate]. All methods take nil. Its calls are made one after the other.
type LateKeys struct {
	call  int
	fault *lateRow
	rows  []lateRow
}

// lateRow is a row with free values.
type lateRow struct {
	store  Store
	entity *schema.Entity
	key    json.RawMessage
	truth  Record // the values that it is to have
	call   int
	err    error // the CONFLICT of its call
}

// Next gives the next call its index.
func (l *LateKeys) Next(call int) {
	if l != nil {
		l.call = call
	}
}

// Judge writes the values of the rows that have free ones. The error is the CONFLICT of the first call whose key
// another row has.
func (l *LateKeys) Judge(ctx context.Context) error {
	if l == nil {
		return nil
	}
	waiting := l.rows
	l.rows = nil
	for i := range waiting {
		r := &waiting[i]
		if l.fault != nil && r.call != l.fault.call {
			break
		}
		_, err := r.store.Update(ctx, r.entity, r.key, nil, r.truth, nil, rows.NewLayout(nil)) // no row: it has gone
		switch {
		case err == nil:
		case takenKeyOf(err) == nil:
			return err
		case l.fault == nil:
			l.fault = r
		default:
			l.fault.err = withDetails(l.fault.err, r.err)
		}
	}
	if l.fault != nil {
		return l.fault.err
	}
	return nil
}

// Fault returns the CONFLICT that Judge has found, and the index of its call. A later call may have failed with it.
func (l *LateKeys) Fault() (call int, err error) {
	if l == nil || l.fault == nil {
		return 0, nil
	}
	return l.fault.call, l.fault.err
}

// waits reports whether rows have free values.
func (l *LateKeys) waits() bool { return l != nil && len(l.rows) > 0 }

// takenKeyOf returns the unique key of a CONFLICT; nil for other errors.
func takenKeyOf(err error) []*schema.Property {
	var v *kiterror.Violation
	if !errors.As(err, &v) || v.Kind != kiterror.Unique {
		return nil
	}
	return v.Fields
}

// of reports whether is holds for a row that has free values.
func (l *LateKeys) of(is func(r *lateRow) bool) bool {
	return l.waits() && slices.ContainsFunc(l.rows, func(r lateRow) bool { return is(&r) })
}

// readBy reports whether a condition reads a free value.
func (r *lateRow) readBy(f *filter.Filter) bool {
	return f.Reads(func(p *schema.Property) bool { return p.Owner == r.entity && r.truth.Get(p.Name) != nil })
}

// withDetails is an error with the details of another one behind its own.
func withDetails(err, next error) *kiterror.Error {
	own := *kiterror.AsError(err)
	details, _ := own.Details.([]schema.Detail)
	more, _ := kiterror.AsError(next).Details.([]schema.Detail)
	own.Details = append(slices.Clip(details), more[:min(len(more), schema.MaxDetails-len(details))]...)
	return own.WithCause(err)
}
