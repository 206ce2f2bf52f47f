package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// checkVisible holds a write to what the caller may see of the row afterwards (docs/decisions/writes-and-versions.md).
// What follows from the body alone is decided here, the rest by the store in the
// transaction that writes.
func (x *execution) checkVisible(ctx context.Context, terms *Terms, unmet error) error {
	if x.doorScope.Rows == nil {
		return nil
	}
	a := writtenRow{x: x, ctx: ctx, record: x.body, new: x.id == nil}
	remaining, err := x.doorScope.Rows.Reduce(&a)
	switch {
	case err != nil:
		return err
	case remaining.Never() && a.new && len(x.points) == 0: // else the store says first whether its relations lead anywhere
		return unmet
	case remaining.Always(), remaining == x.doorScope.Rows && !a.new: // nothing is written that it is about
	default:
		terms.After, terms.Unmet = x.doorScope.Rows, unmet
	}
	return nil
}

// writtenRow is one row as it will be once it is written: what is written into it, and
// whether it is new.
type writtenRow struct {
	x      *execution
	ctx    context.Context
	record Record
	new    bool
}

// Value implements [filter.Known]: a field that is not written keeps what it has.
func (a *writtenRow) Value(p *schema.Property) (json.RawMessage, bool) {
	value := a.record.Get(p.Name)
	return value, value != nil || a.new
}

// Related implements [filter.Known]: the store looks at the other side of a relation once
// the row is written.
func (a *writtenRow) Related(f *filter.Filter) (*filter.Filter, error) { return f, nil }

// remoteWrittenRow is the writtenRow of a row at a remote: nobody looks at it once
// it is written, so the rows behind relations are asked for before.
type remoteWrittenRow struct{ writtenRow }

// Value implements [filter.Known]. Ids and times that are made there are not known here.
func (a *remoteWrittenRow) Value(p *schema.Property) (json.RawMessage, bool) {
	rule := p.Axes.Create
	value := a.record.Get(p.Name)
	return value, value != nil || a.new && (rule == nil || !rule.Now && rule.Generate == "")
}

// Related implements [filter.Known].
func (a *remoteWrittenRow) Related(f *filter.Filter) (*filter.Filter, error) {
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
			missing, err := a.x.invisible(a.ctx, link.Target, &access.Scope{Rows: sub}, others)
			if err != nil {
				return nil, err
			}
			met = len(missing) < len(others)
		}
	}
	if met == (f.Op == filter.Some) {
		return &filter.Filter{Op: filter.And}, nil
	}
	return filter.Nothing(), nil
}

// own reports whether an id is the new row's own.
func (a *remoteWrittenRow) own(e *schema.Entity, id json.RawMessage) bool {
	if e != a.x.door.Entity || !a.new || len(id) == 0 || jsontext.IsNull(id) {
		return false
	}
	key, why := rows.Key(e.Primary, a.record.Get(e.Primary.Name))
	other, not := rows.Key(e.Primary, id)
	return why == "" && not == "" && string(key) == string(other)
}

// itself reports whether a new row points at itself and meets sub.
func (a *remoteWrittenRow) itself(e *schema.Entity, id json.RawMessage, sub *filter.Filter) (bool, error) {
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
