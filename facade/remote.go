package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// away says whether the door's operations run at a remote (spec 1.6). The path is
// the same one: found, scoped and judged here, run there, projected here. The
// boundary is crossed there, so that nothing is decoded, filled or encoded here.
func (t *trip) away() bool { return t.door != nil && t.door.Frond != nil && t.door.Frond.Remote != "" }

// runAway hands the admitted call to whoever carries calls to the door's Frond.
// What leaves is what the caller sent, save for what this host's collectors add.
func (t *trip) runAway(ctx context.Context) (*Result, error) {
	carrier, err := t.carrier(t.door)
	if err != nil {
		return nil, err
	}
	if t.op.builtin == nil {
		return t.namedAway(ctx, carrier)
	}
	switch t.op.Name {
	case "list":
		return t.received(t.listAway(ctx, carrier))
	case "findById", "findByIds":
		return t.received(t.findAway(ctx, carrier))
	}
	switch err := t.seenAway(ctx, carrier); {
	case t.op.Name == "delete" && kiterror.CodeOf(err) == kiterror.NotFound:
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case err != nil:
		return nil, t.veiledAway(err)
	}
	if t.op.Name == "create" {
		return t.received(t.createAway(ctx, carrier))
	}
	in := t.call.Invocation
	in.Query = nil
	if t.cond != nil {
		in.Query = schema.Object{{Name: "ifMatch", Value: t.cond.matchJSON()}}.AppendJSON(nil)
	}
	return t.received(carrier.Call(ctx, t.sent(in)))
}

// carrier is who carries calls to the Frond of a door.
func (t *trip) carrier(door *Door) (Caller, error) {
	c := t.facade.remotes[door.Frond.Name]
	if c == nil {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "%s runs elsewhere, and nothing carries calls there", door.Frond.Name)
	}
	if t.told != nil {
		c = explainedCarrier{c, t.told, door.Frond.Remote}
	}
	return c, nil
}

// namedAway answers an operation of the author's. Where a collector here leaves some
// rows only, one that is named by its id is asked about before, and those that come
// back are asked about afterwards: what they are is told by their primary keys.
func (t *trip) namedAway(ctx context.Context, carrier Caller) (*Result, error) {
	if id := jsontext.Get(t.params, "id"); id != nil && t.see.Rows != nil {
		if missing, err := t.unseen(ctx, t.door.Entity, t.see, []json.RawMessage{id}); err != nil || len(missing) > 0 {
			if err == nil {
				err = kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", t.door.Name)
			}
			return nil, err
		}
	}
	res, err := carrier.Call(ctx, t.sent(t.call.Invocation))
	if err != nil || t.op.outDoor == nil || t.seeOut.Rows == nil || res.Rows.Len() == 0 {
		return t.received(res, err)
	}
	return t.received(t.shownAway(ctx, res))
}

// listAway answers list, once or for every key of a batch.
func (t *trip) listAway(ctx context.Context, carrier Caller) (*Result, error) {
	if t.see.Rows != nil || t.each != nil {
		if err := t.door.filtered(t.see.Rows); err != nil {
			return nil, err
		}
	}
	in := t.call.Invocation
	in.Query = t.awayQuery()
	call := t.sent(in)
	if t.each != nil {
		if len(t.each.values) == 0 {
			return &Result{Form: FormPage, Rows: NewRows(t.sel.stored, 0), Page: Page{Total: -1}}, nil
		}
		call.Each = &Each{Field: t.each.field.Name, Keys: t.each.values}
	}
	return carrier.Call(ctx, call)
}

// sent is the call as it leaves: in the door's own spelling, for the same caller,
// asking for what is going to be read.
func (t *trip) sent(in Invocation) *Call {
	in.State = t.state
	return &Call{Entity: t.door.Name, Operation: t.op.Name, Invocation: in, Select: t.awaySelect(), Cursors: t.call.Cursors, Partial: t.call.Partial}
}

// awaySelect is what is asked for of rows: the fields that are read, and the
// computed ones that are made there. nil is all of them.
func (t *trip) awaySelect() []string {
	wanted := t.sel != nil && (t.sel.etag || t.call.Version && t.op.reader.versioned) && t.asVersion != nil && len(t.asVersion.Hide) == 0
	switch all := t.call.Select == nil && t.list.fields == nil; {
	case t.sel == nil, all && !wanted:
		return nil
	case all: // the remote alone knows which fields the caller may read
		return []string{AllFields, ETag}
	}
	var names []string
	for _, p := range t.sel.props {
		if p.Readable() {
			names = append(names, p.Name)
		}
	}
	for _, c := range t.sel.computed {
		if c.elsewhere {
			names = append(names, c.Name)
		}
	}
	if wanted {
		names = append(names, ETag)
	}
	return names
}

// awayQuery is list's query as it leaves. The filter is the judged one, with what the
// collectors here add of the door's rows and of those behind relations; the limit is
// ours, whatever the remote's own is.
func (t *trip) awayQuery() json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(t.call.Invocation.Query) {
		switch {
		case jsontext.IsNull(value), name == "filter", name == "limit", name == "fields", name == "count":
		case t.op.Takes(name):
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	if jsontext.Get(t.call.Invocation.Query, "count") != nil {
		if name, value := t.countAway(); name != "" {
			out = append(out, schema.Member{Name: name, Value: json.RawMessage(value)})
		}
	}
	if (t.call.Cursors || t.call.Behind) && !t.list.edges && t.op.Takes("cursors") {
		out = append(out, schema.Member{Name: "cursors", Value: json.RawMessage("true")})
	}
	if f := filter.Both(t.see.Rows, t.list.filter); f != nil {
		out = append(out, schema.Member{Name: "filter", Value: f.AppendJSON(nil)})
	}
	return schema.Object(append(out, schema.Member{Name: "limit", Value: strconv.AppendInt(nil, int64(t.list.limit), 10)})).AppendJSON(nil)
}

// findAway answers findById, one row or a batch, and findByIds.
func (t *trip) findAway(ctx context.Context, carrier Caller) (*Result, error) {
	if t.each == nil {
		res, err := t.fetchAway(ctx, carrier, t.door, t.see.Rows, t.awaySelect(), t.id)
		if err == nil {
			res.Groups = nil
		}
		return res, err
	}
	res := &Result{}
	if len(t.each.values) > 0 {
		var err error
		if res, err = t.fetchAway(ctx, carrier, t.door, t.see.Rows, t.awaySelect(), t.each.values...); err != nil {
			return nil, err
		}
	} else {
		res.Rows = NewRows(t.sel.stored, 0)
	}
	if t.op.Name == "findByIds" { // each distinct id is answered once, in the order they were sent
		return &Result{Form: FormRows, Rows: inOrder(res.Rows, res.Groups)}, nil
	}
	out := &Result{Form: FormRow, Rows: res.Rows, Groups: make([]Group, len(t.each.order))}
	t.spread(out.Groups, res.Groups)
	return out, nil
}

// spread puts the answers to the distinct keys where the keys were asked.
func (t *trip) spread(groups, distinct []Group) {
	for i, at := range t.each.order {
		if at >= 0 && at < len(distinct) {
			groups[i] = distinct[at]
		}
	}
}

// fetchAway asks a remote for rows by their ids, a group for every one of them. Where
// a condition leaves some rows only, the rows are listed: it goes along.
func (t *trip) fetchAway(ctx context.Context, carrier Caller, door *Door, rows *Filter, sel []string, ids ...json.RawMessage) (*Result, error) {
	call := &Call{
		Entity: door.Name, Operation: "findById", Select: sel,
		Invocation: Invocation{State: t.state, Trace: t.call.Invocation.Trace},
		Each:       &Each{Field: door.Entity.Primary.Name, Keys: ids},
	}
	switch {
	case rows != nil:
		if err := door.filtered(rows); err != nil {
			return nil, err
		}
		call.Operation = "list"
		call.Invocation.Query = schema.Object{
			{Name: "filter", Value: rows.AppendJSON(nil)}, {Name: "limit", Value: json.RawMessage("1")},
		}.AppendJSON(nil)
	case len(ids) == 1:
		call.Each = nil
		call.Invocation.Params = schema.Object{{Name: "id", Value: ids[0]}}.AppendJSON(nil)
	}
	res, err := carrier.Call(ctx, call)
	if err != nil {
		return nil, err
	}
	out := &Result{Form: FormRow, Rows: res.Rows, Groups: res.Groups}
	if out.Groups == nil {
		out.Groups = []Group{{To: res.Rows.Len()}}
	}
	return out, nil
}

// filtered is why a remote cannot be asked for some of its rows only, or nil where it
// can: its list takes a filter, and no field of it is closed outward there.
func (d *Door) filtered(rows *Filter) error {
	if op := d.Operation("list"); op == nil || !op.Takes("filter") {
		return kiterror.Errorf(kiterror.NotImplemented, "the list of %s takes no filter where it runs, and what you may see of it cannot be told apart without one", d.Name)
	}
	if p := rows.Closed(); p != nil {
		return kiterror.Internal(fmt.Errorf("the collector of %s goes by %s.%s, which is closed outward: where it runs nobody can ask by it", d.Name, p.Owner.Name, p.Name))
	}
	return nil
}

// explainedCarrier tells what is sent to a remote.
type explainedCarrier struct {
	Caller
	told *Explanation
	to   string
}

// Call implements [Caller].
func (c explainedCarrier) Call(ctx context.Context, call *Call) (*Result, error) {
	c.told.Store = append(c.told.Store, &StoreCall{
		Does: "send", Entity: call.Entity + "." + call.Operation, Filter: jsontext.Get(call.Invocation.Query, "filter"),
		Columns: call.Select, Statements: []Statement{}, Note: "to " + c.to,
	})
	return c.Caller.Call(ctx, call)
}
