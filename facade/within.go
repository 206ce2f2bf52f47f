package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// stays holds a write to what the caller may see of it afterwards (decision 113):
// what follows from the body alone is said here, the rest by the store in the
// transaction that writes.
func (t *trip) stays(ctx context.Context, terms *Terms, unmet error) error {
	if t.see.Rows == nil {
		return nil
	}
	a := aftermath{trip: t, ctx: ctx, record: t.body, new: t.id == nil}
	left, err := t.see.Rows.Reduce(&a)
	switch {
	case err != nil:
		return err
	case left.Never() && a.new && len(t.points) == 0: // else the store says first whether its relations lead anywhere
		return unmet
	case left.Always(), left == t.see.Rows && !a.new: // nothing is written that it is about
	default:
		terms.After, terms.Unmet = t.see.Rows, unmet
	}
	return nil
}

// aftermath is one row as it will be: what is written into it, and whether there
// was anything before.
type aftermath struct {
	trip   *trip
	ctx    context.Context
	record Record
	new    bool
	away   bool // it is made elsewhere: ids and times that are made there are not known
}

// open says whether nothing is known of a field that is not written.
func (a *aftermath) open(p *schema.Property) bool {
	rule := p.Axes.Create
	return !a.new || a.away && rule != nil && (rule.Now || rule.Generate != "")
}

// Value implements [filter.Known].
func (a *aftermath) Value(p *schema.Property) (json.RawMessage, bool) {
	value := a.record.Get(p.Name)
	return value, value != nil || !a.open(p)
}

// Related implements [filter.Known]. It is about the rows on the other side of a relation. Of a row that is kept
// here the store says it once the row is written; of one that is kept elsewhere they
// are asked for before.
func (a *aftermath) Related(f *Filter) (*Filter, error) {
	if !a.trip.away() {
		return f, nil
	}
	link := f.Link
	var sub *Filter
	if len(f.Sub) > 0 {
		sub = f.Sub[0]
	}
	if f.Op == Every {
		sub = &Filter{Op: Not, Sub: []*Filter{{Op: And, Sub: f.Sub}}} // one of them fails it
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
		value := a.record.Get(link.Field.Name)
		if value == nil && a.open(link.Field) {
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
			missing, err := a.trip.unseen(a.ctx, link.Target, &Scope{Rows: sub}, others)
			if err != nil {
				return nil, err
			}
			met = len(missing) < len(others)
		}
	}
	if met == (f.Op == Some) {
		return &Filter{Op: And}, nil
	}
	return filter.Nothing(), nil
}

// own says whether an id is the new row's own.
func (a *aftermath) own(e *schema.Entity, id json.RawMessage) bool {
	if e != a.trip.door.Entity || !a.new || len(id) == 0 || jsontext.IsNull(id) {
		return false
	}
	key, why := rows.Key(e.Primary, a.record.Get(e.Primary.Name))
	other, not := rows.Key(e.Primary, id)
	return why == "" && not == "" && string(key) == string(other)
}

// itself says whether a new row points at itself and meets sub.
func (a *aftermath) itself(e *schema.Entity, id json.RawMessage, sub *Filter) (bool, error) {
	if !a.own(e, id) {
		return false, nil
	}
	if a.trip.depth++; a.trip.depth > maxDepth {
		return false, kiterror.Errorf(kiterror.InternalError, "a rule turns in a circle around a row that points at itself")
	}
	defer func() { a.trip.depth-- }()
	rest, err := sub.Reduce(a)
	return err == nil && rest.Always(), err
}
