package facade

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// rulesFirst returns the error of a write. If it is the CONFLICT of a unique key, and the access rules would hide a
// row of the write from its writer, it is the error of the rules: the answer about a row that the caller may not
// write does not depend on hidden rows.
func rulesFirst(ctx context.Context, x *execution, terms *Terms, records []Record, err error) error {
	var v *kiterror.Violation
	if terms.After == nil || !errors.As(err, &v) || v.Kind != kiterror.Unique {
		return err
	}
	e := x.door.Entity
	if len(records) > 1 && terms.After.Reads(func(p *schema.Property) bool { return p.Link != nil && p.Link.Target == e }) {
		return err // the rows may point at each other
	}
	for _, record := range records {
		stays, failed := staysVisible(ctx, x, terms.After, record)
		switch {
		case kiterror.CodeOf(failed) == kiterror.NotImplemented: // the rule counts rows that the list of the row names
		case failed != nil:
			return failed
		case !stays:
			return terms.Unmet
		}
	}
	return err
}

// staysVisible reports whether a row would meet a rule once the record is written.
func staysVisible(ctx context.Context, x *execution, rule *filter.Filter, record Record) (bool, error) {
	a := unwrittenRow{writtenRow{x: x, ctx: ctx, record: record, new: x.id == nil}}
	if !a.new {
		layout := rows.NewLayout(catalog.StoredFields(x.door.Entity))
		current, err := x.store().Update(ctx, x.door.Entity, x.id, nil, nil, nil, layout)
		if err != nil || current.Len() == 0 {
			return true, err
		}
		a.record = laidOver(x.door.Entity, objectOf(current.Row(0).JSON()), record)
	}
	remaining, err := rule.Reduce(&a)
	if err != nil || a.new || remaining.Always() || remaining.Never() {
		return err == nil && !remaining.Never(), err
	}
	found, err := x.store().Update(ctx, x.door.Entity, x.id, remaining, nil, nil, unread)
	return err == nil && found.Len() > 0, err
}

// unwrittenRow is the writtenRow of a row at a remote: this host cannot look at it after the
// write, so it asks for the rows behind relations before.
type unwrittenRow struct{ writtenRow }

// Value implements [filter.Known]. Ids and times that a remote makes are not known here.
func (a *unwrittenRow) Value(p *schema.Property) (json.RawMessage, bool) {
	rule := p.Axes.Create
	value := a.record.Get(p.Name)
	return value, value != nil || a.new && (rule == nil || !rule.Now && rule.Generate == "")
}

// Related implements [filter.Known].
func (a *unwrittenRow) Related(f *filter.Filter) (*filter.Filter, error) {
	if f.Op == filter.Aggregate {
		return a.aggregated(f)
	}
	f = f.Hops()
	link := f.Link
	var sub *filter.Filter
	if len(f.Sub) > 0 {
		sub = f.Sub[0]
	}
	if f.Op == filter.Every {
		sub = &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{{Op: filter.And, Sub: f.Sub}}} // one of them fails it
	}
	met := false
	switch {
	case link.Inverse != nil && !a.new:
		return f, nil // what points at the row does not change with it
	case link.Inverse != nil: // nothing points at a new row but itself
		self, err := a.itself(link.Target, a.record.Get(link.Inverse.Name), sub)
		if err != nil {
			return nil, err
		}
		met = self
	default:
		value, known := a.Value(link.Field)
		if !known {
			return f, nil
		}
		if jsontext.IsNull(value) || len(value) == 0 {
			break
		}
		ids := idsOf(link.Field, value)
		for i, id := range ids {
			self, err := a.itself(link.Target, id, sub)
			if err != nil {
				return nil, err
			}
			if met = met || self; a.own(link.Target, id) {
				ids[i] = nil
			}
		}
		others := ids[:0]
		for _, id := range ids {
			if id != nil {
				others = append(others, id)
			}
		}
		if !met && len(others) > 0 {
			own := *a.x
			own.viewer = *seenBy(&a.x.viewer, f.Rule)
			missing, err := invisible(a.ctx, &own, link.Target, &access.Scope{Rows: sub}, others)
			if err != nil {
				return nil, err
			}
			met = len(missing) < len(others)
		}
	}
	return decided(met == (f.Op == filter.Some)), nil
}

// aggregated judges a value that the rows behind a relation give. A new row has no rows behind it, and
// written keys lead to rows whose value only the remote knows.
func (a *unwrittenRow) aggregated(f *filter.Filter) (*filter.Filter, error) {
	keys, written := a.Value(f.Link.Field)
	switch inverse := f.Link.Inverse != nil; {
	case inverse && a.new, !inverse && written && len(jsontext.List(keys)) == 0:
		return decided(f.MeetsNone()), nil
	case inverse, !written:
		return f, nil
	}
	return nil, kiterror.Errorf(kiterror.NotImplemented, "your access rules go by %s, which only the host of %s knows; leave %s out", f.Derived.As.Name, a.x.door.Name, f.Link.Field.Name)
}

// decided returns a filter that holds for every row or for no row.
func decided(holds bool) *filter.Filter {
	if holds {
		return &filter.Filter{Op: filter.And}
	}
	return filter.Nothing()
}

// own reports whether an id is the new row's own.
func (a *unwrittenRow) own(e *schema.Entity, id json.RawMessage) bool {
	if e != a.x.door.Entity || !a.new || len(id) == 0 || jsontext.IsNull(id) {
		return false
	}
	key, why := e.Primary.KeyText(a.record.Get(e.Primary.Name))
	other, not := e.Primary.KeyText(id)
	return why == "" && not == "" && string(key) == string(other)
}

// itself reports whether a new row points at itself and meets sub.
func (a *unwrittenRow) itself(e *schema.Entity, id json.RawMessage, sub *filter.Filter) (bool, error) {
	if !a.own(e, id) {
		return false, nil
	}
	if a.x.depth++; a.x.depth > maxDepth {
		return false, kiterror.Errorf(kiterror.InternalError, "a rule turns in a circle around a row that points at itself")
	}
	defer func() { a.x.depth-- }()
	rest, err := sub.Reduce(a)
	return err == nil && rest.Always(), err
}
