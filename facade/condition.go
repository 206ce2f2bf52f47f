package facade

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A condition of a write is query.where of update and delete: a filter that the row has to
// meet, decided by the statement that writes. It is in the grammar of a list's filter, and
// may compare what the caller may read (docs/decisions/writes-and-versions.md).

// admitWhere reads query.where. A null is refused: whoever sends one means to hold the row
// to something.
func (x *execution) admitWhere(ctx context.Context) error {
	value := jsontext.Get(x.call.Invocation.Query, "where")
	switch {
	case value == nil || x.full():
		return nil
	case !x.op.Takes("where"):
		return kiterror.Errorf(kiterror.NotImplemented, "%s cannot hold the row to a condition where it runs; leave where out", x.where())
	case jsontext.IsNull(value):
		x.refuseQuery("where", "type", "must be a filter of the row, such as {\"status\": {\"eq\": \"draft\"}}; leave it out to write whatever the row holds")
		return nil
	}
	if x.versionScope == nil {
		var err error
		if x.versionScope, err = x.scopeOfVersion(ctx); err != nil {
			return err
		}
	}
	if x.versionScope == nil {
		return kiterror.Errorf(kiterror.PreconditionFailed, "you may not read the row, so that no condition on it can hold; leave where out")
	}
	p := filter.Parser{Host: &x.viewer, At: "/query/where", Max: schema.MaxDetails - len(x.details)}
	x.condition = p.Parse(ctx, x.door.Entity, x.view(x.versionScope), value)
	_ = RequestOf(ctx).Spend(time.Duration(p.Conditions) * conditionWork) // the store asks what is left
	x.details = append(x.details, p.Details...)
	return nil
}

// target is what the row has to meet that a write is about: that it is there for the
// caller, and the condition.
func (x *execution) target() *filter.Filter { return filter.Both(x.writable(), x.condition) }

// absent is the failure of a write that found no row: PRECONDITION_FAILED where it is there
// and does not meet the condition, else NOT_FOUND.
func (x *execution) absent(ctx context.Context) error {
	if x.condition != nil {
		key := rows.NewLayout([]string{x.door.Entity.Primary.Name})
		rows, err := x.store().Update(ctx, x.door.Entity, x.id, x.writable(), nil, nil, key)
		switch {
		case err != nil:
			return err
		case rows.Len() > 0:
			return kiterror.Errorf(kiterror.PreconditionFailed, "the row does not meet the condition of the call, where; nothing was written")
		}
	}
	return kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
}

// withRow adds the row to a refused condition of a surface's call, as details.row: the answer of
// findById to the same caller, through the middleware, their access rules and the surface. A row
// that a remote sent was read under other rules, and is removed.
func withRow(ctx context.Context, x *execution, err error) error {
	if kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		return err
	}
	e := *kiterror.AsError(err)
	if there, _ := e.Details.(map[string]any); x.door.Frond.Remote != "" && there["row"] != nil {
		e.Details = nil
	}
	if x.depth > 0 || x.watch.on() || e.Details != nil || x.op.Name != "update" && x.op.Name != "delete" {
		return &e
	}
	read := Call{Entity: x.door.Name, Operation: "findById", Invocation: x.call.Invocation}
	read.Invocation.Query, read.Invocation.Body = nil, nil
	if x.door.ETag {
		read.Select = []string{catalog.AllFields, catalog.ETag}
	}
	if res, err := x.host.Call(ctx, &read); err == nil {
		if row := res.AppendJSON(nil); jsontext.KindOf(row) == jsontext.Object {
			e.Details = map[string]any{"row": json.RawMessage(row)}
		}
	}
	return &e
}

// withWhere is the query of a call with the condition as it was read, for the author's own
// code: values are as rows keep them.
func (x *execution) withWhere(query json.RawMessage) json.RawMessage {
	return schema.Rewrite(query, func(name string, value json.RawMessage) json.RawMessage {
		if name == "where" {
			return x.condition.AppendJSON(nil)
		}
		return value
	})
}
