package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// JudgeKeysLate has the unique keys of the next calls in the transaction of ctx judged by [LateKeys.Judge]. It
// returns nil outside of a transaction, where each call judges its keys. So do the calls of handlers and
// hooks, and imports.
func JudgeKeysLate(ctx context.Context) *LateKeys {
	s := callContextOf(ctx)
	if s == nil || s.transaction == nil {
		return nil
	}
	s.transaction.late = &LateKeys{}
	return s.transaction.late
}

// judgedLate runs do, whose calls write rows of the call x, and judges their unique keys at its end, or, within other
// calls, at their end. failed makes the error of the calls with an index an error of x.
func (x *execution) judgedLate(ctx context.Context, do func(late *LateKeys) error, failed func(call int, err error) error) error {
	t := x.transaction
	if t == nil {
		return do(nil)
	}
	own, outer := &LateKeys{}, t.late
	t.late = own
	defer func() { t.late = outer }()
	err := do(own)
	switch {
	case err != nil:
	case x.late != nil:
		for _, r := range own.rows {
			r.err, r.call = failed(r.call, r.err), x.late.call
			x.late.rows = append(x.late.rows, r)
		}
	default:
		err = own.Judge(ctx)
	}
	if call, why := own.Fault(); why != nil {
		return failed(call, why)
	}
	return err
}

// mostFreeValues is how many free values a row is tried with.
const mostFreeValues = 16

// heldRows are rows that are being written with free values.
type heldRows struct {
	x       *execution
	terms   *Terms
	records []Record // as they are to be; of an update the fields that are set
	free    []Record // the free values of each
	truth   []Record // the values in place of them
	errs    []error  // the CONFLICT of each; nil: it has no free values
	update  bool
}

// write writes rows again with free values in place of the keys that other rows have. broken is the CONFLICT of
// the first try, conflicts returns the rows that one is about, put writes, and named is the CONFLICT of a row as
// the caller knows it. Without free values the error is broken.
func (l *LateKeys) write(ctx context.Context, h *heldRows, broken error, conflicts func(error) ([]rowConflict, error),
	put func([]Record, *Terms) (*rows.Rows, error), named func(rowConflict) error,
) (*rows.Rows, error) {
	n := len(h.records)
	h.free, h.truth, h.errs = make([]Record, n), make([]Record, n), make([]error, n)
	last := broken
	for try := range mostFreeValues {
		if takenKeyOf(last) != nil {
			at, err := conflicts(last)
			if err != nil || len(at) == 0 {
				return nil, broken
			}
			for _, c := range at {
				if !h.hold(c, try) {
					return nil, withoutPlace(broken)
				}
				if h.errs[c.row] == nil {
					h.errs[c.row] = named(c)
				}
			}
		} else {
			for i := range h.free {
				h.renew(i, try)
			}
		}
		found, err := put(h.written(), h.heldTerms())
		switch {
		case err == nil:
			for i, why := range h.errs {
				if why != nil && (!h.update || found.Len() > 0) {
					key := h.x.id
					if !h.update {
						key = keyOfWritten(h.x, h.records[i], found, i)
					}
					l.rows = append(l.rows, lateRow{h.x.store(), h.x.door.Entity, key, h.truth[i], l.call, why})
				}
			}
			return h.shown(found), nil
		case takenKeyOf(err) == nil && kiterror.CodeOf(err) != kiterror.ValidationFailed:
			return nil, err
		}
		last = err
	}
	return nil, broken
}

// hold gives a row a free value in a field of its key; false if no field has one.
func (h *heldRows) hold(c rowConflict, try int) bool {
	key, record := takenKeyOf(c.err), h.records[c.row]
	for _, p := range key {
		if h.free[c.row].Get(p.Name) != nil {
			h.renew(c.row, try)
			return true
		}
	}
	var best *schema.Property
	for _, p := range key {
		sent := record.Get(p.Name) != nil
		switch {
		case p.Axes.Primary, freeValue(p, try) == nil, h.terms.After.Reads(func(q *schema.Property) bool { return q == p }):
		case slices.ContainsFunc(h.terms.Points, func(q Points) bool { return q.Field == p }):
		case !sent && (!h.update || h.x.precondition != nil):
		case best == nil, p.MayBeNull() && !best.MayBeNull(), sent && record.Get(best.Name) == nil && p.MayBeNull() == best.MayBeNull():
			best = p
		}
	}
	if best == nil {
		return false
	}
	h.free[c.row] = append(h.free[c.row], schema.Member{Name: best.Name, Value: freeValue(best, try)})
	h.truth[c.row] = append(h.truth[c.row], schema.Member{Name: best.Name, Value: record.Get(best.Name)})
	return true
}

// renew gives a row other free values.
func (h *heldRows) renew(row, try int) {
	for i, m := range h.free[row] {
		h.free[row][i].Value = freeValue(h.x.door.Entity.Property(m.Name), try)
	}
}

// written are the records with their free values.
func (h *heldRows) written() []Record {
	all := slices.Clone(h.records)
	for i, free := range h.free {
		if free != nil {
			all[i] = laidOver(h.x.door.Entity, all[i], free)
		}
	}
	return all
}

// heldTerms are the terms under which the rows are written: a row is judged before it gets free values, and events
// have the values in place of them.
func (h *heldRows) heldTerms() *Terms {
	own := *h.terms
	if own.Events != nil {
		own.Events = func(found *rows.Rows) ([]Event, error) { return h.terms.Events(h.shown(found)) }
	}
	if !h.update {
		return own.orNone()
	}
	fields := slices.Clone(own.Read.Fields)
	for _, m := range h.free[0] {
		if h.records[0].Get(m.Name) == nil && !slices.Contains(fields, m.Name) {
			fields = append(fields, m.Name)
		}
	}
	own.Read = rows.NewLayout(fields)
	own.Judge = func(current rows.Row) (Record, error) {
		record := h.records[0]
		if h.terms.Judge != nil {
			judged, err := h.terms.Judge(current)
			if err != nil {
				return nil, err
			}
			if judged != nil {
				record = judged
			}
		}
		for i, m := range h.truth[0] {
			value := record.Get(m.Name)
			if value == nil {
				value = slices.Clone(current.Get(m.Name))
			}
			h.truth[0][i].Value = value
		}
		return laidOver(h.x.door.Entity, record, h.free[0]), nil
	}
	return &own
}

// shown are written rows, with the values in place of free ones.
func (h *heldRows) shown(found *rows.Rows) *rows.Rows {
	all := rows.New(found.Layout(), found.Len())
	for i := range found.Len() {
		all.BeginRow()
		for k, name := range found.Layout().Fields {
			value := found.Row(i).At(k)
			if truth := h.truth[i].Get(name); truth != nil {
				if value = truth; h.x.door.Entity.Property(name).Kind != schema.KindJSON {
					if text, why := h.x.door.Entity.Property(name).KeyText(truth); why == "" {
						value = text
					}
				}
			}
			all.Put(k, value)
		}
		all.EndRow()
	}
	return all
}

// withoutPlace returns the CONFLICT of a key whose fields take no free value.
func withoutPlace(err error) error {
	own := *kiterror.AsError(err)
	own.Message += "; rows cannot swap values of this key, whose fields take no others"
	return own.WithCause(err)
}

// A call that could read a row with free values ([LateKeys]) is preceded by the judgement of its keys. Plain writes
// of other rows, and reads by the key of other entities, go without it.

// judgeBeforeCall judges the keys before a call that finds rows by other fields than their key, or runs the author's code.
func judgeBeforeCall(ctx context.Context, x *execution) error {
	switch x.op.Name {
	case "create", "update", "delete", "createMany", "upsert":
		if x.op.Builtin && x.runner.by == byStore && x.op.hooks == nil && x.nestable == nil {
			return nil // see judgeBeforeWrite
		}
	case "findById", "findByIds":
		if x.op.Builtin && x.runner.by == byStore && !x.late.of(func(r *lateRow) bool { return r.entity == x.door.Entity || r.readBy(x.doorScope.Rows) }) {
			return nil
		}
	}
	return x.late.Judge(ctx)
}

// judgeBeforeWrite judges the keys before a write that reads a row with free values: the row itself, the rows that go with
// it, and those that its conditions read.
func judgeBeforeWrite(ctx context.Context, x *execution, terms *Terms, change catalog.Change) error {
	reads := x.late.of(func(r *lateRow) bool {
		return r.entity == x.door.Entity && x.id != nil && bytes.Equal(r.key, x.id) ||
			change == catalog.Deleted && x.host.catalog.Cascades[x.door.Entity] != nil ||
			r.readBy(targetOf(x)) || r.readBy(terms.After) ||
			slices.ContainsFunc(terms.Points, func(p Points) bool { return r.readBy(p.Where) })
	})
	if !reads {
		return nil
	}
	return x.late.Judge(ctx)
}

// judgeBeforeKey judges the keys before a row is found by a unique key one of whose fields is free in a row.
func judgeBeforeKey(ctx context.Context, x *execution, key []*schema.Property) error {
	if !x.late.of(func(r *lateRow) bool {
		return r.entity == x.door.Entity && slices.ContainsFunc(key, func(p *schema.Property) bool { return r.truth.Get(p.Name) != nil })
	}) {
		return nil
	}
	return x.late.Judge(ctx)
}

// judgeBeforeRow judges the keys before a row is read that has free values.
func judgeBeforeRow(ctx context.Context, x *execution, id json.RawMessage) error {
	if !x.late.of(func(r *lateRow) bool { return r.entity == x.door.Entity && bytes.Equal(r.key, id) }) {
		return nil
	}
	return x.late.Judge(ctx)
}
