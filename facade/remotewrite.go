package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// predicted is the known part of a row before the remote creates it: the sent values, the
// presets, and the card's values of absent fields. Ids and times that the remote makes
// are not known.
func predicted(x *execution) Record {
	var out Record
	for _, p := range x.door.Entity.Fields {
		value := x.body.Get(p.Name)
		if set := x.doorScope.Set.Get(p.Name); set != nil {
			value = set
		}
		switch rule := p.Axes.Create; {
		case !p.Stored || value != nil:
		case rule == nil && p.Link != nil && p.Link.Many:
			value = json.RawMessage("[]")
		case rule == nil:
		case rule.Value != nil:
			value = rule.Value
		case rule.Optional:
			value = json.RawMessage("null")
		}
		if p.Stored && value != nil {
			out = append(out, schema.Member{Name: p.Name, Value: value})
		}
	}
	return out
}

// checkRemoteScope refuses to change a row that a collector here hides, or to write one
// that it would hide. The remote applies its own collectors in the statement that writes;
// between this check and that statement the row may change.
func checkRemoteScope(ctx context.Context, x *execution) error {
	if x.doorScope.Rows == nil {
		return nil
	}
	where, remaining := x.doorScope.Rows, (*filter.Filter)(nil)
	if x.op.Name != "delete" {
		a := remoteWrittenRow{writtenRow{x: x, ctx: ctx, record: x.body}}
		if x.op.Name == "create" {
			a.record, a.new = predicted(x), true
		}
		var err error
		if remaining, err = where.Reduce(&a); err != nil {
			return err
		}
	}
	if x.op.Name == "create" {
		if remaining.Never() {
			return errHidden(catalog.Created)
		}
		return nil
	}
	there, err := isRemoteRow(ctx, x, where)
	switch {
	case err != nil:
		return err
	case !there:
		return kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	case remaining == nil, remaining == where, remaining.Always():
		return nil
	case !remaining.Never():
		there, err = isRemoteRow(ctx, x, filter.Both(where, remaining))
	}
	if err == nil && (remaining.Never() || !there) {
		err = errHidden(catalog.Updated)
	}
	return err
}

// isRemoteRow reports whether the row that the call names meets a condition.
func isRemoteRow(ctx context.Context, x *execution, where *filter.Filter) (bool, error) {
	res, err := findRemote(ctx, &x.viewer, x.door.Door, []string{x.door.Entity.Primary.Name}, where, x.id)
	if err != nil {
		return false, err
	}
	return res.Rows.Len() > 0, nil
}

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
			missing, err := invisible(a.ctx, a.x, link.Target, &access.Scope{Rows: sub}, others)
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
