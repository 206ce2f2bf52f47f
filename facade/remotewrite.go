package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// createRemote sends a new row with what the collector here sets. A remote that sets such
// a field itself refuses it from anybody before it does anything: that is remembered, and
// the row is sent without the field.
func (x remoteCall) createRemote(ctx context.Context) (*Result, error) {
	in := x.call.Invocation
	in.Query = nil
	body, stamps := x.stampedBody(in.Body)
	in.Body = body
	res, err := x.client.Call(ctx, x.sent(in))
	if err == nil || len(stamps) == 0 || kiterror.CodeOf(err) != kiterror.ValidationFailed {
		return res, err
	}
	details, _ := kiterror.AsError(err).Details.([]schema.Detail)
	if len(details) == 0 {
		return nil, err // it does not say what it refuses
	}
	for _, d := range details {
		if !slices.Contains(stamps, d.Path) || d.Code != schema.ReadOnly && d.Code != schema.UnknownKey {
			return nil, err // something else is wrong as well
		}
	}
	for _, d := range details {
		x.door.stamped.Store(d.Path, true)
	}
	in.Body, _ = x.stampedBody(x.call.Invocation.Body)
	return x.client.Call(ctx, x.sent(in))
}

// stampedBody is a body with what the collector here sets, and the names of those fields:
// all but what the remote sets itself.
func (x remoteCall) stampedBody(body json.RawMessage) (json.RawMessage, []string) {
	var out schema.Object
	for name, value := range jsontext.Members(body) {
		out = append(out, schema.Member{Name: name, Value: value})
	}
	var stamps []string
	for _, m := range x.doorScope.Set {
		if _, there := x.door.stamped.Load(m.Name); !there {
			out, stamps = append(out, m), append(stamps, m.Name)
		}
	}
	if stamps == nil {
		return body, nil
	}
	return out.AppendJSON(nil), stamps
}

// predicted is what is known of a row before the remote creates it: the sent values, the
// presets, and what the card says of absent fields. Ids and times that the remote makes
// are not known.
func (x remoteCall) predicted() Record {
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
func (x remoteCall) checkRemoteScope(ctx context.Context) error {
	if x.doorScope.Rows == nil {
		return nil
	}
	where, remaining := x.doorScope.Rows, (*filter.Filter)(nil)
	if x.op.Name != "delete" {
		a := remoteWrittenRow{writtenRow{x: x.execution, ctx: ctx, record: x.body}}
		if x.op.Name == "create" {
			a.record, a.new = x.predicted(), true
		}
		var err error
		if remaining, err = where.Reduce(&a); err != nil {
			return err
		}
	}
	if x.op.Name == "create" {
		if remaining.Never() {
			return kiterror.Errorf(kiterror.Forbidden, "you may not create a row that your access rules would hide from you")
		}
		return nil
	}
	there, err := x.isThere(ctx, where)
	switch {
	case err != nil:
		return err
	case !there:
		return kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	case remaining == nil, remaining == where, remaining.Always():
		return nil
	case !remaining.Never():
		there, err = x.isThere(ctx, filter.Both(where, remaining))
	}
	if err == nil && (remaining.Never() || !there) {
		err = kiterror.Errorf(kiterror.Forbidden, "you may not make a change after which your access rules would hide the row from you")
	}
	return err
}

// isThere reports whether the row that the call names meets a condition.
func (x remoteCall) isThere(ctx context.Context, where *filter.Filter) (bool, error) {
	res, err := x.fetchRemote(ctx, x.door.Door, where, []string{x.door.Entity.Primary.Name}, x.id)
	if err != nil {
		return false, err
	}
	return res.Rows.Len() > 0, nil
}
