package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// remoteCall is an execution that calls a remote.
type remoteCall struct {
	*execution
	client Caller // of the Frond that is called
}

// remoteAt is the execution as it calls the Frond of a door; SERVICE_UNAVAILABLE where
// nobody carries calls there.
func remoteAt(x *execution, door *catalog.Door) (remoteCall, error) {
	client := x.remotes[door.Frond.Name]
	if client == nil {
		return remoteCall{}, kiterror.Errorf(kiterror.ServiceUnavailable, "%s runs elsewhere, and nothing carries calls there", door.Frond.Name)
	}
	return remoteCall{x, x.watch.remote(client, door.Frond.Remote)}, nil
}

// sent is the call as it is sent: with the door's own name, for the same caller, and for
// the fields that will be read.
func (x remoteCall) sent(in Invocation) *Call {
	in.State = x.state
	return &Call{Entity: x.door.Name, Operation: x.op.Name, Invocation: in, Select: x.remoteSelect(), Cursors: x.call.Cursors, Partial: x.call.Partial}
}

// remoteSelect is the fields that are asked for: those that are read, and the computed
// ones that the remote makes. nil means all of them.
func (x remoteCall) remoteSelect() []string {
	wanted := x.sel != nil && (x.sel.etag || x.call.Version && x.op.reader.versioned) && x.versionScope != nil && len(x.versionScope.Hide) == 0
	switch all := x.call.Select == nil && x.list.fields == nil; {
	case x.sel == nil, all && !wanted:
		return nil
	case all: // the remote alone knows which fields the caller may read
		return []string{catalog.AllFields, catalog.ETag}
	}
	var names []string
	for _, p := range x.sel.props {
		if p.Readable() {
			names = append(names, p.Name)
		}
	}
	for _, c := range x.sel.computed {
		if c.Elsewhere {
			names = append(names, c.Name)
		}
	}
	if wanted {
		names = append(names, catalog.ETag)
	}
	return names
}

// remoteQuery is the query of list as it is sent, with a filter for its host; the limit is ours,
// whatever the remote's own is.
func (x remoteCall) remoteQuery(f *filter.Filter) (json.RawMessage, error) {
	out, where, err := inSentWords(x.call, x.op.Operation, f)
	if err != nil {
		return nil, err
	}
	for name, value := range jsontext.Members(x.call.Invocation.Query) {
		switch {
		case jsontext.IsNull(value), name == "filter", name == "limit", name == "fields", name == "count":
		case x.op.Takes(name):
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	if jsontext.Get(x.call.Invocation.Query, "count") != nil {
		if name, value := x.remoteCount(); name != "" {
			out = append(out, schema.Member{Name: name, Value: json.RawMessage(value)})
		}
	}
	if (x.call.Cursors || x.call.Behind) && !x.list.edges && x.op.Takes("cursors") {
		out = append(out, schema.Member{Name: "cursors", Value: json.RawMessage("true")})
	}
	if f != nil && !where {
		out = append(out, schema.Member{Name: "filter", Value: f.AppendJSON(nil)})
	}
	return schema.Object(append(out, schema.Member{Name: "limit", Value: strconv.AppendInt(nil, int64(x.list.limit), 10)})).AppendJSON(nil), nil
}

// inSentWords are the members of a list's query that the host takes in the consumer's words, and
// whether where is among them, which has the filter:
//
//	{"where": {"status": "open"}, "orderBy": "createdAt", "order": "desc", "page": 2}
func inSentWords(call *Call, op *catalog.Operation, f *filter.Filter) (out schema.Object, where bool, err error) {
	for name, value := range jsontext.Members(call.SentQuery) {
		switch {
		case jsontext.IsNull(value), !op.AnswersIn(name) && (name != "order" || !op.AnswersIn("orderBy")):
			continue
		case name == "where":
			if value, where = f.AppendEqualities(nil); !where {
				return nil, false, kiterror.Errorf(kiterror.NotImplemented, "remote %s.list takes no filter; where takes equal values alone", op.Door.Name)
			}
		case name == "orderBy":
			sort := jsontext.Unquote(jsontext.Get(call.Invocation.Query, "sort"))
			value = jsontext.Quote(strings.TrimPrefix(sort, "-"))
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return out, where, nil
}

// spread copies the answers to the distinct keys to the places of all keys.
func (x remoteCall) spread(groups, distinct []Group) {
	for i, at := range x.each.order {
		if at >= 0 && at < len(distinct) {
			groups[i] = distinct[at]
		}
	}
}

// fetchRemote reads rows by their ids, a group for each of them. Where a condition keeps
// some rows only, the rows are listed, since findById takes no filter.
func (x remoteCall) fetchRemote(ctx context.Context, door *catalog.Door, found *filter.Filter, sel []string, ids ...json.RawMessage) (*Result, error) {
	call := &Call{
		Entity: door.Name, Operation: "findById", Select: sel,
		Invocation: Invocation{State: x.state, Trace: x.call.Invocation.Trace},
		Each:       &Each{Field: door.Entity.Primary.Name, Keys: ids},
	}
	switch {
	case found != nil:
		if err := filtered(door, found); err != nil {
			return nil, err
		}
		f, err := x.hostFilter(ctx, door, found)
		if err != nil {
			return nil, err
		}
		var some []int
		call.Each.Keys, some, f = decided(door.Entity.Primary, ids, f)
		if len(some) == 0 {
			return &Result{Form: FormRow, Rows: rows.New(rows.NewLayout(sel), 0), Groups: make([]Group, len(ids))}, nil
		}
		call.Operation = "list"
		call.Invocation.Query = schema.Object{{Name: "limit", Value: json.RawMessage("1")}}.AppendJSON(nil)
		if f != nil {
			call.Invocation.Query = schema.Object{
				{Name: "filter", Value: f.AppendJSON(nil)}, {Name: "limit", Value: json.RawMessage("1")},
			}.AppendJSON(nil)
		}
		res, err := x.client.Call(ctx, call)
		if err != nil {
			return nil, err
		}
		return &Result{Form: FormRow, Rows: res.Rows, Groups: inPlaces(res.Groups, some, len(ids))}, nil
	case len(ids) == 1:
		call.Each = nil
		call.Invocation.ID = ids[0]
	}
	res, err := x.client.Call(ctx, call)
	if err != nil {
		return nil, err
	}
	out := &Result{Form: FormRow, Rows: res.Rows, Groups: res.Groups}
	if out.Groups == nil {
		out.Groups = []Group{{To: res.Rows.Len()}}
	}
	return out, nil
}

// filtered is why a remote cannot be asked for some of its rows only, or nil: its list has
// to take a filter, and no field of the condition may be closed outward there.
func filtered(d *catalog.Door, rows *filter.Filter) error {
	if op := d.Operation("list"); op == nil || !op.Takes("filter") {
		return kiterror.Errorf(kiterror.NotImplemented, "remote %s.list does not support filter, which your access rules require", d.Name)
	}
	if p := rows.Closed(); p != nil {
		return kiterror.Internal(fmt.Errorf("the collector of %s goes by %s.%s, which is closed outward: where it runs nobody can ask by it", d.Name, p.Owner.Name, p.Name))
	}
	return nil
}

// remoteCount is query.count as the remote takes it: a host that takes total beside it
// knows the words, another one true and false. "" means that there is nothing to send.
func (x remoteCall) remoteCount() (name, value string) {
	switch c := x.list.count; {
	case c == uncounted && x.op.Takes("total"):
		return "total", "false"
	case !x.op.Takes("count"):
	case c == uncounted:
		return "count", "false"
	case c == estimated && x.op.Takes("total"):
		return "count", `"estimated"`
	case !x.op.Takes("total"):
		return "count", "true"
	}
	return "", ""
}
