package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// storeKeeper is the keeper of rows in the store of this host, and the boundary that their
// values cross here.
type storeKeeper struct{}

// missing implements [keeper], in one statement for all ids.
func (storeKeeper) missing(ctx context.Context, x *execution, e *schema.Entity, where *filter.Filter, ids []json.RawMessage) (missing []json.RawMessage, err error) {
	found, err := x.store().Find(ctx, &Find{
		Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Where: where, Limit: 1,
		Each: &EachKey{Field: e.Primary, Values: ids},
	})
	if err != nil {
		return nil, err
	}
	for i, g := range found.Groups {
		if g.From == g.To {
			missing = append(missing, ids[i])
		}
	}
	return missing, nil
}

// visibleRow implements [keeper]: an update that sets nothing reads the row.
func (storeKeeper) visibleRow(ctx context.Context, x *execution, fields []string) (*rows.Rows, error) {
	return x.store().Update(ctx, x.door.Entity, x.id, x.doorScope.Rows, nil, nil, rows.NewLayout(fields))
}

// merge implements [keeper]. The patch is merged again in the transaction that writes, so
// this read needs no lock.
func (k storeKeeper) merge(ctx context.Context, x *execution) error {
	stands, err := k.visibleRow(ctx, x, x.merging.fields)
	if err == nil && stands.Len() > 0 { // that there is no such row is reported when it is updated
		x.merging.merged = x.merging.over(x.door.Entity, stands.Row(0).Get)
	}
	return err
}

// complete implements [keeper]: conversions and the lifecycle, the hooks before a command,
// relations.
func (storeKeeper) complete(ctx context.Context, x *execution) error {
	if err := fill(ctx, x); err != nil {
		return err
	}
	if x.op.hooks != nil {
		if err := runBefore(ctx, x); err != nil {
			return err
		}
	}
	if x.op.builtin == nil || x.op.builtin.fill == fillNothing {
		return nil
	}
	return checkRelations(ctx, x)
}

// holds implements [keeper]: the store judges every precondition in its transaction.
func (storeKeeper) holds(*execution) error { return nil }

// decode implements [keeper].
func (storeKeeper) decode(x *viewer, p *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	name := p.Axes.In.Name
	convert := x.host.registry.Conversions[name].Decode
	if convert == nil {
		x.fail(fmt.Errorf("unknown generator: no conversion called %q decodes %s.%s", name, p.Owner.Name, p.Name))
		return text, true
	}
	decoded, err := convert(text)
	return decoded, err == nil
}

// gives implements [keeper]: the judge knows the fields that the lifecycle fills in.
func (storeKeeper) gives(*viewer, schema.Mode, string, string) bool { return false }

// version implements [keeper].
func (storeKeeper) version(x *execution, row rows.Row) (string, error) {
	if x.sel.version == nil {
		return "", nil
	}
	return rowVersion(x.host.registry, row, x.sel.version, x.sel.encoded)
}

// follows implements [keeper].
func (storeKeeper) follows() bool { return true }

// remoteKeeper is the keeper of rows at the host that a remote Frond runs at (spec 1.6).
// Their values cross the boundary there: nothing is decoded, filled in or encoded here.
type remoteKeeper struct{}

// missing implements [keeper]: the remote is asked for the rows by their ids.
func (remoteKeeper) missing(ctx context.Context, x *execution, e *schema.Entity, where *filter.Filter, ids []json.RawMessage) (missing []json.RawMessage, err error) {
	res, err := findRemote(ctx, &x.viewer, x.host.catalog.Door(e.Key), []string{e.Primary.Name}, where, ids...)
	if err != nil {
		return nil, err
	}
	for i, g := range res.Groups {
		if g.From == g.To {
			missing = append(missing, ids[i])
		}
	}
	return missing, nil
}

// visibleRow implements [keeper].
func (remoteKeeper) visibleRow(ctx context.Context, x *execution, fields []string) (*rows.Rows, error) {
	res, err := findRemote(ctx, &x.viewer, x.door.Door, fields, x.doorScope.Rows, x.id)
	if err != nil {
		return nil, err
	}
	return res.Rows, nil
}

// merge judges a patch as far as that can be done here: it is merged where the row is kept.
func (remoteKeeper) merge(_ context.Context, x *execution) error {
	e := x.door.Entity
	for _, name := range x.merging.fields {
		if e.Property(name).Shape.Properties == nil {
			return kiterror.Errorf(kiterror.NotImplemented, "the update of %s runs elsewhere, and merges no object such as %s there; send it as application/json, which replaces it", x.door.Name, name)
		}
	}
	x.merging.merged = x.merging.over(e, func(string) json.RawMessage { return json.RawMessage("{}") })
	return nil
}

// complete implements [keeper]: defaults and conversions are applied where the Frond runs,
// so relations alone are followed here.
func (remoteKeeper) complete(ctx context.Context, x *execution) error {
	if x.op.builtin == nil || x.op.builtin.fill == fillNothing {
		return nil
	}
	return checkRelations(ctx, x)
}

// holds implements [keeper]. The version of a row that is partly hidden here is not the
// one that its host computes, and an older host takes none.
func (remoteKeeper) holds(x *execution) error {
	if len(x.versionScope.Hide) > 0 || x.precondition.NoneMatch != nil || !x.op.Takes("ifMatch") {
		return kiterror.Errorf(kiterror.NotImplemented, "%s cannot hold the row to a version where it runs; leave If-Match and If-None-Match out", x.where())
	}
	return nil
}

// decode implements [keeper]: operands are decoded where the Frond runs.
func (remoteKeeper) decode(_ *viewer, _ *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	return text, true
}

// gives implements [keeper]: the remote says in its discovery which fields it does not require,
// and keeps the members that a patch of a nested object leaves out.
func (remoteKeeper) gives(x *viewer, mode schema.Mode, top, path string) bool {
	return slices.Contains(x.door.NotRequired, top) || mode == schema.Update && path != top
}

// version is the one that came with the row.
func (remoteKeeper) version(_ *execution, row rows.Row) (string, error) {
	return jsontext.Unquote(row.Get(catalog.ETag)), nil
}

// follows implements [keeper].
func (remoteKeeper) follows() bool { return false }
