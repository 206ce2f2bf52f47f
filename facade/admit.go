package facade

import (
	"context"
	"fmt"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// admit is the third step: everything the call carries is judged before anything runs. All
// refusals are reported at once, those of params before those of query before those of the
// body; after that the keeper of the rows decodes and fills in what was judged.
func (x *execution) admit(ctx context.Context) error {
	if x.call.Each != nil {
		if err := admitEach(ctx, x); err != nil {
			return err
		}
	}
	if asksVersion(&x.viewer) {
		var err error
		if x.versionScope, err = scopeOfVersion(ctx, &x.viewer); err != nil {
			return err
		}
	}
	switch b := x.op.builtin; {
	case b != nil:
		if err := b.admit(ctx, x); err != nil {
			return err
		}
	default:
		admitNamed(x)
	}
	if x.sel == nil && x.op.reader != nil {
		choose(ctx, x)
	}
	if err := admitIf(ctx, x); err != nil {
		return err
	}
	if err := x.refusal(); err != nil {
		return err
	}
	renameQuery(x)
	return x.door.keeper.complete(ctx, x)
}

// admitEach reads a batch: findById for many ids, list for many values of a field. A key
// that is null, or of another kind than the field, has no rows: batches are made from
// rows, and what one of them points at is not the caller's fault.
func admitEach(ctx context.Context, x *execution) error {
	each := x.call.Each
	var field *schema.Property
	if x.door.Entity != nil {
		field = x.door.Entity.Property(each.Field)
	}
	switch {
	case x.op.Name == "findById" && x.op.Builtin && field != nil && field == x.door.Entity.Primary:
	case x.op.Name == "list" && x.op.Builtin && field != nil && x.readable(x.doorScope, field) && filter.IsScalar(field):
	case x.op.Builtin && (x.op.Name == "list" || x.op.Name == "findById"):
		x.refuse(kiterror.UnknownKey("/each/field", "is not what "+x.where()+" is batched by; findById is by the primary key, list by a field with single values"))
		return nil
	default:
		return kiterror.Errorf(kiterror.BadRequest, "%s is not batched; only findById and list are", x.where())
	}
	if through := each.Through; through != nil && !followsRelation(ctx, &x.viewer, through) {
		x.refuse(kiterror.UnknownKey("/each/through", fmt.Sprintf("names %s, which %s does not have", kiterror.Quoted(through.Field), kiterror.Quoted(through.Entity))))
		return nil
	}
	e := &eachOf{field: field, order: make([]int, 0, len(each.Keys))}
	e.known.Reset(len(each.Keys))
	for _, k := range each.Keys {
		if text, why := rows.Key(field, k); why == "" {
			e.add(text)
		} else {
			e.miss()
		}
	}
	x.each = e
	return nil
}

// followsRelation reports whether a relation exists for the caller on the rows it stands on, by
// the scope that those were read with.
func followsRelation(ctx context.Context, x *viewer, through *catalog.Through) bool {
	door := x.host.catalog.Door(through.Entity)
	if x.inside || door == nil {
		return true
	}
	op := door.Operation(through.Operation)
	if op == nil {
		op = door.Reading()
	}
	if op.OutDoor != nil && op.OutDoor != door {
		door, op = op.OutDoor, op.OutDoor.Reading()
	}
	scope, err := x.scopeOf(ctx, x.host.doors.of(door), op)
	return err == nil && !scope.Hides(through.Field)
}
