package facade

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// storeRunner answers a built-in operation over the store of this host.
type storeRunner struct{ *builtin }

// by implements [runner].
func (storeRunner) by() answerer { return byStore }

// run implements [runner].
func (r storeRunner) run(ctx context.Context, x *execution) (*Result, error) {
	return r.answer(ctx, x)
}

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

// decode implements [boundary].
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

// gives implements [boundary]: what the lifecycle fills in is known to the judge already.
func (storeKeeper) gives(*viewer, schema.Mode, string, string) bool { return false }

// version implements [boundary].
func (storeKeeper) version(x *execution, row rows.Row) (string, error) {
	if x.sel.version == nil {
		return "", nil
	}
	return rowVersion(x.host.registry, row, x.sel.version, x.sel.encoded)
}

// follows implements [boundary].
func (storeKeeper) follows() bool { return true }
