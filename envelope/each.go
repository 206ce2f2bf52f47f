package envelope

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// callEach answers a call for many keys with JSON-RPC batches of single calls: one
// findById, or one list with the key in its filter, for every key. The first
// failure is the failure of the whole.
func (c *Client) callEach(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	if call.Operation != "list" && call.Operation != "findById" {
		return nil, facade.Errorf(facade.BadRequest, "%s.%s is not batched; only findById and list are", call.Entity, call.Operation).At(call.Entity, call.Operation)
	}
	single := *call
	single.Each = nil
	results := make([]*facade.Result, 0, len(call.Each.Keys))
	for keys := range slices.Chunk(call.Each.Keys, MaxBatch) {
		some, err := c.callBatch(ctx, &single, call.Each.Field, keys)
		if err != nil {
			return nil, err.At(call.Entity, call.Operation)
		}
		results = append(results, some...)
	}
	form := facade.FormRow
	if call.Operation == "list" {
		form = facade.FormPage
	}
	return gather(form, results), nil
}

func (c *Client) callBatch(ctx context.Context, call *facade.Call, field string, keys []json.RawMessage) ([]*facade.Result, *facade.Error) {
	method := call.Entity + "." + call.Operation
	place := map[string]int{}
	results := make([]*facade.Result, len(keys)) // of a key that is null, nothing
	frames := []byte{'['}
	for i, key := range keys {
		if jsontext.IsNull(key) {
			continue
		}
		if len(place) > 0 {
			frames = append(frames, ',')
		}
		inv := c.forKey(call, field, key)
		id := c.lastID.Add(1)
		place[strconv.FormatInt(id, 10)] = i
		var err error
		frames, err = appendRequest(frames, id, method, func(dst []byte) ([]byte, error) { return appendInvocation(dst, &inv) })
		if err != nil {
			return nil, facade.Errorf(facade.BadRequest, "the call cannot be written as JSON: %w", err)
		}
	}
	if len(place) == 0 {
		return results, nil
	}
	body, status, failed := c.post(ctx, MaxAnswer, append(frames, ']'))
	if failed != nil {
		return nil, failed
	}
	if jsontext.KindOf(body) != jsontext.Array || status != http.StatusOK && status != http.StatusUnauthorized {
		if one, ok := readReply(body); ok && one.failed != nil {
			return nil, one.failed // one frame for the whole batch: it was refused
		}
		return nil, notAFrame(status)
	}
	op := c.operation(call)
	for _, v := range jsontext.Elements(body) {
		reply, ok := readReply(v)
		if !ok {
			return nil, notAFrame(status)
		}
		i, asked := place[reply.id]
		if !asked {
			return nil, facade.Errorf(facade.BadGateway, "the host answered another frame than those sent")
		}
		delete(place, reply.id)
		if reply.failed != nil {
			return nil, reply.failed
		}
		if results[i], failed = readResult(reply.result, op); failed != nil {
			return nil, failed
		}
	}
	if len(place) > 0 {
		return nil, facade.Errorf(facade.BadGateway, "the host left %d of %d frames unanswered", len(place), len(keys))
	}
	return results, nil
}

// forKey is the invocation of the single call for one key.
func (c *Client) forKey(call *facade.Call, field string, key json.RawMessage) facade.Invocation {
	inv := call.Invocation
	if call.Operation != "list" {
		inv.Params = withMember(inv.Params, "id", key)
		return inv
	}
	condition := append(jsontext.AppendString([]byte{'{'}, c.filterKey(call.Entity, field)), `:{"eq":`...)
	condition = append(append(condition, key...), "}}"...)
	if own := jsontext.Get(inv.Query, "filter"); jsontext.KindOf(own) == jsontext.Object {
		both := append([]byte(`{"and":[`), own...)
		condition = append(append(append(both, ','), condition...), "]}"...)
	}
	inv.Query = withMember(inv.Query, "filter", condition)
	return inv
}

// filterKey is what a field is called in a filter: a relation goes by its key name.
func (c *Client) filterKey(entity, field string) string {
	if c.catalog == nil {
		return field
	}
	if door := c.catalog.Door(entity); door != nil && door.Entity != nil {
		if p := door.Entity.Property(field); p != nil && p.Link != nil {
			return p.Link.Key
		}
	}
	return field
}

// withMember is an object with one member set, the others as they were.
func withMember(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	out := append(jsontext.AppendString([]byte{'{'}, name), ':')
	out = append(out, value...)
	for n, v := range jsontext.Members(object) {
		if n != name {
			out = append(jsontext.AppendString(append(out, ','), n), ':')
			out = append(out, v...)
		}
	}
	return append(out, '}')
}

// gather is the results of single calls as one result with groups.
func gather(form facade.Form, results []*facade.Result) *facade.Result {
	all := &facade.Result{Form: form, Groups: make([]facade.Group, len(results))}
	var objects []json.RawMessage
	for i, r := range results {
		g := &all.Groups[i]
		g.From = len(objects)
		if r != nil {
			for row := range r.Rows.Len() {
				objects = append(objects, r.Rows.Row(row).JSON())
			}
			g.Page = r.Page
			all.Total = addTotals(all.Total, r.Total)
			all.HasMore = all.HasMore || r.HasMore
		}
		g.To = len(objects)
	}
	all.Rows = indexRows(objects...)
	return all
}

// addTotals adds what was counted; -1, not counted, wins.
func addTotals(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}
