package facade

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// eachOf is the keys of a batch, each of them once.
type eachOf struct {
	field  *schema.Property
	values []json.RawMessage // distinct, in their one spelling
	order  []int             // of every key that was sent, its place in values; -1: it fits no row
	known  jsontext.Distinct
}

// add adds a key and remembers where the answer to it will be.
func (e *eachOf) add(text json.RawMessage) {
	e.order = append(e.order, e.known.Add(text))
	e.values = e.known.Texts()
}

// miss adds a key that no row can have.
func (e *eachOf) miss() { e.order = append(e.order, -1) }

// admitEach reads a batch: findById for many ids, list for many values of a field.
// A key that is null, or of another kind than the field, has no rows: batches are
// made from rows, and what one of them points at is not the caller's fault.
func (t *trip) admitEach(ctx context.Context) error {
	each := t.call.Each
	var field *schema.Property
	if t.door.Entity != nil {
		field = t.door.Entity.Property(each.Field)
	}
	switch {
	case t.op.Name == "findById" && t.op.Builtin && field != nil && field == t.door.Entity.Primary:
	case t.op.Name == "list" && t.op.Builtin && field != nil && t.readable(t.see, field) && filter.IsScalar(field):
	case t.op.Builtin && (t.op.Name == "list" || t.op.Name == "findById"):
		t.refuse(kiterror.UnknownKey("/each/field", "is not what "+t.where()+" is batched by; findById is by the primary key, list by a field with single values"))
		return nil
	default:
		return kiterror.Errorf(kiterror.BadRequest, "%s is not batched; only findById and list are", t.where())
	}
	if through := each.Through; through != nil && !t.follows(ctx, through) {
		t.refuse(kiterror.UnknownKey("/each/through", fmt.Sprintf("names %s, which %s does not have", kiterror.Quoted(through.Field), kiterror.Quoted(through.Entity))))
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
	t.each = e
	return nil
}

// follows says whether a relation exists for the caller on the rows it stands on,
// by the scope those were read with.
func (t *trip) follows(ctx context.Context, through *Through) bool {
	door := t.facade.catalog.Door(through.Entity)
	if t.inside || door == nil {
		return true
	}
	op := door.Operation(through.Operation)
	if op == nil {
		op = door.reading()
	}
	if op.outDoor != nil && op.outDoor != door {
		door, op = op.outDoor, op.outDoor.reading()
	}
	see, err := t.scopeOf(ctx, door, op)
	return err == nil && !see.hides(through.Field)
}
