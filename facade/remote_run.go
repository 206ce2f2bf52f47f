package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// remoteRunner answers an operation at the host that its Frond runs at (spec 1.6). What is
// sent is what the caller sent, save for what this host's collectors add.
type remoteRunner struct{}

// by implements [runner].
func (remoteRunner) by() answerer { return byRemote }

// run implements [runner].
func (remoteRunner) run(ctx context.Context, x *execution) (*Result, error) {
	r, err := remoteAt(x, x.door.Door)
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// run sends the call. Writes are checked against the collectors of this host first.
func (x remoteCall) run(ctx context.Context) (*Result, error) {
	if x.op.builtin == nil {
		return x.runNamed(ctx)
	}
	switch x.op.Name {
	case "list":
		return x.received(x.listRemote(ctx))
	case "findById", "findByIds":
		return x.received(x.findRemote(ctx))
	}
	switch err := x.checkRemoteScope(ctx); {
	case x.op.Name == "delete" && kiterror.CodeOf(err) == kiterror.NotFound:
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case err != nil:
		return nil, x.maskedRemote(err)
	}
	if x.op.Name == "create" {
		return x.received(x.createRemote(ctx))
	}
	in := x.call.Invocation
	in.Query = nil
	var query schema.Object
	if x.precondition != nil {
		query = append(query, schema.Member{Name: "ifMatch", Value: x.precondition.matchJSON()})
	}
	if x.condition != nil {
		query = append(query, schema.Member{Name: "where", Value: x.condition.AppendJSON(nil)})
	}
	if query != nil {
		in.Query = query.AppendJSON(nil)
	}
	return x.received(x.client.Call(ctx, x.sent(in)))
}

// runNamed calls a named operation. Where a collector here keeps some rows only, the row
// that is named by its id is looked up before, and the rows that come back are looked up
// afterwards by their primary keys.
func (x remoteCall) runNamed(ctx context.Context) (*Result, error) {
	if id := jsontext.Get(x.params, "id"); id != nil && x.doorScope.Rows != nil {
		if missing, err := x.invisible(ctx, x.door.Entity, x.doorScope, []json.RawMessage{id}); err != nil || len(missing) > 0 {
			if err == nil {
				err = kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
			}
			return nil, err
		}
	}
	res, err := x.client.Call(ctx, x.sent(x.call.Invocation))
	if err != nil || x.op.OutDoor == nil || x.resultScope.Rows == nil || res.Rows.Len() == 0 {
		return x.received(res, err)
	}
	return x.received(x.visibleRemote(ctx, res))
}

// listRemote reads a page, or one page for every key of a batch.
func (x remoteCall) listRemote(ctx context.Context) (*Result, error) {
	if x.doorScope.Rows != nil || x.each != nil {
		if err := filtered(x.door.Door, x.doorScope.Rows); err != nil {
			return nil, err
		}
	}
	f, err := x.hostFilter(ctx, x.door.Door, filter.Both(x.doorScope.Rows, x.list.filter))
	if err != nil {
		return nil, err
	}
	var each *Each
	var places []int
	if x.each != nil {
		each = &Each{Field: x.each.field.Name}
		each.Keys, places, f = decided(x.each.field, x.each.values, f)
	}
	if f.Never() || x.each != nil && len(places) == 0 {
		return x.noRows(), nil
	}
	in := x.call.Invocation
	if in.Query, err = x.remoteQuery(f); err != nil {
		return nil, err
	}
	call := x.sent(in)
	call.Each = each
	res, err := x.client.Call(ctx, call)
	if err == nil && x.each != nil && len(places) < len(x.each.values) {
		all := *res
		all.Groups = inPlaces(res.Groups, places, len(x.each.values))
		res = &all
	}
	return res, err
}

// noRows is the page, or the page for every key of a batch, of a list that no row meets.
func (x remoteCall) noRows() *Result {
	res := &Result{Form: FormPage, Rows: rows.New(x.sel.stored, 0)}
	if x.list.count == uncounted {
		res.Page.Total = -1
	}
	if x.each != nil {
		res.Groups = slices.Repeat([]Group{{Page: res.Page}}, len(x.each.values))
	}
	return res
}

// findRemote reads one row, a batch of rows, or the rows of findByIds.
func (x remoteCall) findRemote(ctx context.Context) (*Result, error) {
	if x.each == nil {
		res, err := x.fetchRemote(ctx, x.door.Door, x.doorScope.Rows, x.remoteSelect(), x.id)
		if err == nil {
			res.Groups = nil
		}
		return res, err
	}
	res := &Result{}
	if len(x.each.values) > 0 {
		var err error
		if res, err = x.fetchRemote(ctx, x.door.Door, x.doorScope.Rows, x.remoteSelect(), x.each.values...); err != nil {
			return nil, err
		}
	} else {
		res.Rows = rows.New(x.sel.stored, 0)
	}
	if x.op.Name == "findByIds" { // each distinct id is answered once, in the order they were sent
		return &Result{Form: FormRows, Rows: inOrder(res.Rows, res.Groups)}, nil
	}
	out := &Result{Form: FormRow, Rows: res.Rows, Groups: make([]Group, len(x.each.order))}
	x.spread(out.Groups, res.Groups)
	return out, nil
}
