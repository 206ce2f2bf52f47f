package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// rowJudge says which of the rows of events meet a filter. Fields are judged by the row as the
// event has it; the store is asked about rows behind relations, one statement for all rows and
// each relation of the filter.
//
// A row that is gone has no relations left to look up, and a row without all fields lacks
// values. A condition that depends on them is decided so that the row is not shown.
type rowJudge struct {
	x      *execution
	entity *schema.Entity
	rows   []knownRow
}

// knownRow is the row of one event.
type knownRow struct {
	text json.RawMessage
	key  json.RawMessage
	gone bool // it was deleted
}

// holds returns the places, among of, of the rows that meet f. negated says that an odd number
// of nots is around f: a condition that cannot be known holds then.
func (j *rowJudge) holds(ctx context.Context, f *filter.Filter, of []int, negated bool) ([]int, error) {
	if f == nil || len(of) == 0 {
		return of, nil
	}
	switch f.Op {
	case filter.And:
		for _, sub := range f.Sub {
			var err error
			if of, err = j.holds(ctx, sub, of, negated); err != nil {
				return nil, err
			}
		}
		return of, nil
	case filter.Or:
		open := of
		for _, sub := range f.Sub {
			more, err := j.holds(ctx, sub, open, negated)
			if err != nil {
				return nil, err
			}
			open = without(open, more)
		}
		return without(of, open), nil
	case filter.Not:
		met, err := j.holds(ctx, f.Sub[0], of, !negated)
		return without(of, met), err
	case filter.Some, filter.None, filter.Every:
		return j.related(ctx, f, of, negated)
	}
	return j.compared(ctx, f, of, negated)
}

// without returns the places of all outside of some; both are in order, and so is the result,
// which is a new slice.
func without(all, some []int) []int {
	in := make(map[int]bool, len(some))
	for _, i := range some {
		in[i] = true
	}
	out := make([]int, 0, len(all))
	for _, i := range all {
		if !in[i] {
			out = append(out, i)
		}
	}
	return out
}

// compared judges a comparison. A field that the event lacks is compared by the store.
func (j *rowJudge) compared(ctx context.Context, f *filter.Filter, of []int, negated bool) (met []int, err error) {
	ask := keysOf{field: j.entity.Primary}
	for _, i := range of {
		r := &j.rows[i]
		var value json.RawMessage
		if f.Op != filter.Aggregate { // the store has the rows behind a relation
			value = jsontext.Get(r.text, f.Field.Name)
		}
		switch {
		case value != nil:
			if f.Meets(value) {
				met = append(met, i)
			}
		case r.gone || r.key == nil || j.x.door.Frond.Remote != "" || f.Field != nil && f.Field.Owner != j.entity:
			if negated {
				met = append(met, i)
			}
		default:
			ask.add(i, r.key)
		}
	}
	there, err := j.found(ctx, j.entity, f, &ask)
	return merged(met, there), err
}

// related judges a filter on the rows behind a relation.
func (j *rowJudge) related(ctx context.Context, f *filter.Filter, of []int, negated bool) ([]int, error) {
	f = f.Hops()
	link := f.Link
	sub := &filter.Filter{Op: filter.And, Sub: f.Sub}
	if f.Op == filter.Every {
		sub = &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{sub}} // met where none is found
	}
	ask := keysOf{field: link.Target.Primary}
	if link.Inverse != nil {
		ask.field = link.Inverse
	}
	var unknown []int
	for _, i := range of {
		r := &j.rows[i]
		if j.x.door.Frond.Remote != "" { // the rows behind it are kept there
			unknown = append(unknown, i)
			continue
		}
		if link.Inverse != nil {
			if r.gone || r.key == nil {
				unknown = append(unknown, i)
			} else {
				ask.add(i, r.key)
			}
			continue
		}
		value := jsontext.Get(r.text, link.Field.Name)
		switch {
		case value == nil:
			unknown = append(unknown, i)
		case !jsontext.IsNull(value):
			ask.add(i, idsOf(link.Field, value)...)
		}
	}
	find := j.found
	if j.x.host.catalog.RemoteOf(link.Target) != "" {
		find = func(ctx context.Context, _ *schema.Entity, sub *filter.Filter, ask *keysOf) ([]int, error) {
			return j.foundElsewhere(ctx, seenBy(&j.x.viewer, f.Rule), sub, ask)
		}
	}
	there, err := find(ctx, link.Target, sub, &ask)
	if err != nil {
		return nil, err
	}
	if f.Op != filter.Some {
		there = without(of, there)
	}
	there = without(there, unknown)
	if negated {
		there = merged(there, unknown)
	}
	return there, nil
}

// found are the rows that one of whose keys is a row's of e that meets f.
func (j *rowJudge) found(ctx context.Context, e *schema.Entity, f *filter.Filter, ask *keysOf) (met []int, err error) {
	if len(ask.values) == 0 {
		return nil, nil
	}
	answer, err := j.x.store().Find(ctx, &Find{
		Entity: e, Select: noFields, Where: f, Sort: newOrder(e, nil).keys, Limit: 1, NoKeys: true,
		Each: &EachKey{Field: ask.field, Values: ask.values},
	})
	if err != nil {
		return nil, err
	}
	return ask.rowsOf(func(value int) bool { return answer.Groups[value].From < answer.Groups[value].To }), nil
}

// foundElsewhere is found for rows that another host keeps.
func (j *rowJudge) foundElsewhere(ctx context.Context, x *viewer, f *filter.Filter, ask *keysOf) ([]int, error) {
	if len(ask.values) == 0 {
		return nil, nil
	}
	var keys []any
	for _, text := range ask.values {
		if key, why := ask.field.Kind.Value(text); why == "" {
			keys = append(keys, key)
		}
	}
	there, err := allKeys(ctx, x, ask.field, filter.Both(f, filter.OneOf(ask.field, keys, 500)))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, key := range there {
		known[string(schema.AppendValue(nil, key))] = true
	}
	return ask.rowsOf(func(value int) bool {
		key, why := ask.field.Kind.Value(ask.values[value])
		return why == "" && known[string(schema.AppendValue(nil, key))]
	}), nil
}

// rowsOf are the rows one of whose keys is there.
func (k *keysOf) rowsOf(there func(value int) bool) (met []int) {
	for _, a := range k.by {
		if there(a.value) && (len(met) == 0 || met[len(met)-1] != a.row) {
			met = append(met, a.row)
		}
	}
	return met
}

// keysOf are the distinct keys that rows lead to.
type keysOf struct {
	field  *schema.Property
	values []json.RawMessage
	places map[string]int
	by     []struct{ row, value int } // in the order of the rows
}

// add adds the keys of one row.
func (k *keysOf) add(row int, keys ...json.RawMessage) {
	if k.places == nil {
		k.places = map[string]int{}
	}
	for _, key := range keys {
		at, known := k.places[string(key)]
		if !known {
			at = len(k.values)
			k.places[string(key)] = at
			k.values = append(k.values, key)
		}
		k.by = append(k.by, struct{ row, value int }{row, at})
	}
}

// merged are the places of two lists in order, without a common one.
func merged(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}
