package facade

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// conflictOfMany is the CONFLICT of rows that were written together, as the caller may know it, with
// the index of the row at fault. The store says which constraint it was; the row is looked for
// here, after the write has failed.
func conflictOfMany(ctx context.Context, x *execution, err error) error {
	var v *kiterror.Violation
	if !errors.As(err, &v) || len(v.Fields) == 0 {
		return err
	}
	at := -1
	var failed error
	switch v.Kind {
	case kiterror.Unique:
		at, failed = takenBy(ctx, x, v.Fields)
	case kiterror.Restrict:
	default:
		at, failed = danglingIn(ctx, x, v.Fields[0])
	}
	if failed != nil {
		return failed
	}
	if at < 0 {
		return maskedConflict(ctx, &x.viewer, err)
	}
	one := x.oneRow(x.needed(0), elements(x.call.Invocation.Body)[at])
	return atRow(maskedConflict(ctx, &one.viewer, err), at)
}

// takenBy is the index of the first row whose values of a unique key are those of an earlier one or
// of a stored row; -1: it is not found.
func takenBy(ctx context.Context, x *execution, key []*schema.Property) (int, error) {
	seen := map[string]bool{}
	for i, record := range x.many.records {
		values, whole := UniqueKey(key, record)
		if !whole {
			continue
		}
		if seen[values] {
			return i, nil
		}
		seen[values] = true
		stored, err := storedRow(ctx, x, keyFilter(key, record))
		if err != nil || stored != nil {
			return i, err
		}
	}
	return -1, nil
}

// keyFilter is the condition that a row has the values of a key that a record has.
func keyFilter(key []*schema.Property, record Record) *filter.Filter {
	all := &filter.Filter{Op: filter.And}
	for _, p := range key {
		value, _ := rows.Value(p.Kind, record.Get(p.Name))
		all.Sub = append(all.Sub, &filter.Filter{Op: filter.Eq, Field: p, Values: []any{value}})
	}
	return all
}

// storedRow is the primary key of the row that meets a condition, without access rules; nil: no row does.
func storedRow(ctx context.Context, x *execution, where *filter.Filter) (json.RawMessage, error) {
	e := x.door.Entity
	found, err := x.store().Find(ctx, &Find{
		Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Where: where, Sort: newOrder(e, nil).keys, Limit: 1, NoKeys: true,
	})
	if err != nil || found.Rows.Len() == 0 {
		return nil, err
	}
	return found.Rows.Row(0).Get(e.Primary.Name), nil
}

// danglingIn is the index of the first row whose relation leads to no row that the caller may name;
// -1: it is not found.
func danglingIn(ctx context.Context, x *execution, p *schema.Property) (int, error) {
	e := p.Link.Target
	for i, record := range x.many.records {
		value := record.Get(p.Name)
		if value == nil || isNull(value) {
			continue
		}
		var where *filter.Filter
		for _, point := range x.many.terms.Points {
			if point.Field == p && (point.Of == nil || slices.Contains(point.Of, i)) {
				where = point.Where
			}
		}
		ids := idsOf(p, value)
		if e == x.door.Entity {
			ids = slices.DeleteFunc(ids, func(id json.RawMessage) bool {
				return slices.ContainsFunc(x.many.records, func(other Record) bool {
					own, _ := rows.Key(e.Primary, other.Get(e.Primary.Name))
					return string(own) == string(id)
				})
			})
		}
		if len(ids) == 0 {
			continue
		}
		missing, err := storeKeeper{}.missing(ctx, x, e, where, ids)
		if err != nil || len(missing) > 0 {
			return i, err
		}
	}
	return -1, nil
}

// UniqueKey returns the values of a constraint's members as one text; false where one
// of them is null, which is never taken.
func UniqueKey(members []*schema.Property, r Record) (string, bool) {
	var b strings.Builder
	for _, p := range members {
		v := r.Get(p.Name)
		if v == nil || jsontext.IsNull(v) {
			return "", false
		}
		if k, why := rows.Key(p, v); why == "" {
			v = k
		}
		b.Write(v)
		b.WriteByte(0)
	}
	return b.String(), b.Len() > 0
}
