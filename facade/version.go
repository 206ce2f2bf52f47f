package facade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// asksVersion reports whether a call may need the versions of rows. It may say yes where
// none is asked for, since it looks for the word alone.
func asksVersion(x *viewer) bool {
	c := x.call
	return c.Version || slices.Contains(c.Select, catalog.ETag) || bytes.Contains(c.Invocation.Query, []byte(catalog.ETag))
}

// scopeOfVersion is the scope of the rows whose versions are answered or compared: that of
// findById, whatever operation asks, so that a row has one version on every way to it. A
// version is made of the fields that the caller may read, and so discloses nothing about
// the others (docs/decisions/writes-and-versions.md). nil: they may not read the rows.
func scopeOfVersion(ctx context.Context, x *viewer) (*access.Scope, error) {
	door := x.door
	if x.op.OutDoor != nil {
		door = x.host.doors.of(x.op.OutDoor)
	}
	if door.Entity == nil || door.collector == nil {
		return access.Open, nil
	}
	op := door.Operation("findById")
	if op == nil || !op.Builtin {
		op = door.Reading()
	}
	if op == x.op.Operation && !x.inside {
		return x.doorScope, nil
	}
	s, err := door.collector.Scope(ctx, x.state, door.Door, op)
	switch {
	case err == nil:
		return &s, nil
	case kiterror.CodeOf(err) == kiterror.InternalError:
		return nil, err
	case x.inside: // the author's own code reads what its caller may not
		return access.Open, nil
	}
	return nil, nil
}

// rowVersion is the version of a row: 128 bits of the hash over the fields that it is made
// of, as they leave. encoded says that they are in that form already. "" where the row
// lacks one of them that it cannot be without.
func rowVersion(registry *schema.Registry, row rows.Row, fields []*schema.Property, encoded bool) (string, error) {
	text := []byte{'{'}
	for _, p := range fields {
		value := row.Get(p.Name)
		switch {
		case value != nil:
		case p.MayBeAbsent():
			value = json.RawMessage("null") // as the store keeps it
		default:
			return "", nil
		}
		if p.Axes.Out.Name != "" && !encoded {
			var err error
			if value, err = outward(registry, p, value); err != nil {
				return "", err
			}
		}
		text = append(jsontext.AppendName(jsontext.Comma(text), p.Name), value...)
	}
	sum := sha256.Sum256(append(text, '}'))
	return base64.RawURLEncoding.EncodeToString(sum[:16]), nil
}

// versionsOf are those of rows, as the selection that read them has it.
func versionsOf(x *execution, found *rows.Rows) ([]string, error) {
	out := make([]string, found.Len())
	for i := range out {
		var err error
		if out[i], err = x.door.boundary.version(x, found.Row(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readIfMatch reads query.ifMatch: a version, or a list of them. A null is refused:
// whoever sends one means to hold the row to something.
func readIfMatch(r *refusals, value json.RawMessage) *Precondition {
	p := &Precondition{}
	add := func(v json.RawMessage) bool {
		if jsontext.KindOf(v) == jsontext.String {
			p.Match = append(p.Match, jsontext.Unquote(v))
			return true
		}
		return false
	}
	ok := add(value)
	if jsontext.KindOf(value) == jsontext.Array {
		for _, v := range jsontext.Elements(value) {
			if ok = add(v); !ok {
				break
			}
		}
	}
	if !ok {
		r.refuseQuery("ifMatch", "type", "must be the version of the row, as its etag gives it, or a list of such texts")
	}
	return p
}

// admitIf finds out which version the row has to have: the one the caller names, or, for
// the author's own code within a handler that stands before the operation, the one that
// the handler's caller named.
func admitIf(ctx context.Context, x *execution) error {
	if own := x.call.If; own != nil {
		if x.op.builtin == nil || x.op.Name != "update" && x.op.Name != "delete" {
			return kiterror.Errorf(kiterror.PreconditionFailed, "%s holds no row to a version; leave If-Match out", x.where())
		}
		if x.precondition != nil {
			x.refuseQuery("ifMatch", "exclusive", "stands in the query and beside the call; send one of the two")
		}
		x.precondition = own
	}
	if x.pending.forRow(x) {
		if x.precondition == nil {
			x.precondition = x.pending.cond
		}
		x.condition = filter.Both(x.condition, x.pending.where)
	}
	if x.precondition == nil || x.precondition.any() {
		return nil
	}
	if x.versionScope == nil {
		var err error
		if x.versionScope, err = scopeOfVersion(ctx, &x.viewer); err != nil {
			return err
		}
	}
	if x.versionScope == nil {
		return kiterror.Errorf(kiterror.PreconditionFailed, "you may not read the row, so that you hold no version of it; leave If-Match out")
	}
	return x.door.keeper.holds(x)
}

// judgeVersion fails with PRECONDITION_FAILED where the row as it stands is not the one
// that the call is about.
func judgeVersion(x *execution, current rows.Row) error {
	if x.precondition.any() {
		return nil
	}
	version, err := rowVersion(x.host.registry, current, x.versionScope.Versioned(x.door.Entity), false)
	if err == nil && !x.precondition.holds(version) {
		err = kiterror.Errorf(kiterror.PreconditionFailed, "the row is not the one named; read it again and send its ETag")
	}
	return err
}

// writableRows is the condition on the rows that a write reaches: with a precondition or a
// condition they are those that the caller may read as well.
func writableRows(x *execution) *filter.Filter {
	if x.precondition == nil && x.condition == nil || x.versionScope == nil || x.inside {
		return x.doorScope.Rows
	}
	if x.versionScope == x.doorScope {
		return x.doorScope.Rows
	}
	return filter.Both(x.doorScope.Rows, x.versionScope.Rows)
}

// forRow reports whether the precondition is about the row that a call within the handler
// writes, and was not used yet.
func (l *pendingPrecondition) forRow(x *execution) bool {
	return l != nil && !l.used.Load() && x.inside && l.door == x.door && x.op.builtin != nil && (x.op.Name == "update" || x.op.Name == "delete") && bytes.Equal(l.id, x.id)
}
