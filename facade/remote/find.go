package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Find implements [facade.Remotes]. Rows with a condition are listed, since findById takes no
// filter.
func (h *Hosts) Find(ctx context.Context, r facade.RemoteRequest, fields []string, where *filter.Filter, ids []json.RawMessage) (*facade.Result, error) {
	caller, err := h.caller(r, r.Door.Frond)
	if err != nil {
		return nil, err
	}
	call := &facade.Call{
		Entity: r.Door.Name, Operation: "findById", Select: fields,
		Invocation: facade.Invocation{State: r.State, Trace: r.Trace},
		Each:       &facade.Each{Field: r.Door.Entity.Primary.Name, Keys: ids},
	}
	switch {
	case len(ids) == 0:
		return &facade.Result{Form: facade.FormRow, Rows: rows.New(rows.NewLayout(fields), 0)}, nil
	case where != nil:
		return h.findBy(ctx, r, caller, call, where)
	case len(ids) == 1:
		call.Each = nil
		call.Invocation.ID = ids[0]
	}
	res, err := caller.Call(ctx, call)
	if err != nil {
		return nil, err
	}
	out := &facade.Result{Form: facade.FormRow, Rows: res.Rows, Groups: res.Groups}
	if out.Groups == nil {
		out.Groups = []facade.Group{{To: res.Rows.Len()}}
	}
	return out, nil
}

// findBy makes a call of findById a list of the rows that meet a condition.
func (h *Hosts) findBy(ctx context.Context, r facade.RemoteRequest, caller facade.Caller, call *facade.Call, where *filter.Filter) (*facade.Result, error) {
	if err := filtered(r.Door, where); err != nil {
		return nil, err
	}
	f, err := h.hostFilter(ctx, &r, where)
	if err != nil {
		return nil, err
	}
	call.Invocation.State = r.State
	ids := call.Each.Keys
	var some []int
	call.Each.Keys, some, f = decided(r.Door.Entity.Primary, ids, f)
	if len(some) == 0 {
		return &facade.Result{Form: facade.FormRow, Rows: rows.New(rows.NewLayout(call.Select), 0), Groups: make([]facade.Group, len(ids))}, nil
	}
	call.Operation = "list"
	query := schema.Object{{Name: "limit", Value: json.RawMessage("1")}}
	if f != nil {
		query = append(schema.Object{{Name: "filter", Value: f.AppendJSON(nil)}}, query...)
	}
	call.Invocation.Query = query.AppendJSON(nil)
	res, err := caller.Call(ctx, call)
	if err != nil {
		return nil, err
	}
	return &facade.Result{Form: facade.FormRow, Rows: res.Rows, Groups: inPlaces(res.Groups, some, len(ids))}, nil
}

// filtered returns an error where a host cannot be asked for some rows of a door only: its list
// takes no filter, or a field of the condition is closed outward there.
func filtered(d *catalog.Door, rows *filter.Filter) error {
	if op := d.Operation("list"); op == nil || !op.Takes("filter") {
		return kiterror.Errorf(kiterror.NotImplemented, "remote %s.list does not support filter, which your access rules require", d.Name)
	}
	if p := rows.Closed(); p != nil {
		return kiterror.Internal(fmt.Errorf("the collector of %s goes by %s.%s, closed outward at its host; open it there", d.Name, p.Owner.Name, p.Name))
	}
	return nil
}

// decided are the keys of a batch that the filter's own conditions on the field of the batch let
// through, with their places, and the filter without those conditions: a host takes each name
// once.
func decided(field *schema.Property, keys []json.RawMessage, f *filter.Filter) (some []json.RawMessage, places []int, rest *filter.Filter) {
	if f.Never() {
		return nil, nil, nil
	}
	var own, others []*filter.Filter
	for _, c := range f.Conditions() {
		if c.Field == field && field.Axes.In.Name == "" {
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	for i, key := range keys {
		if !slices.ContainsFunc(own, func(c *filter.Filter) bool { return !c.Meets(key) }) {
			some, places = append(some, key), append(places, i)
		}
	}
	if len(others) > 0 {
		rest = &filter.Filter{Op: filter.And, Sub: others}
	}
	return some, places, rest
}

// inPlaces are the groups of some of n keys at the places of those keys; the others have no rows.
func inPlaces(groups []facade.Group, places []int, n int) []facade.Group {
	out := make([]facade.Group, n)
	for i, at := range places {
		if i < len(groups) {
			out[at] = groups[i]
		}
	}
	return out
}
