// Package remote sends calls to the hosts of the Fronds that run elsewhere (spec 1.6).
//
// The façade admits a call and judges the answer; [Hosts] writes what goes to the host in between:
// a filter in the words that the host's list takes, the values that access rules set, a batch as
// one call. A [facade.Caller] for each Frond carries the calls, such as a client of package
// envelope/client.
package remote

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Hosts implements [facade.Remotes]. It belongs to one façade and may be used from many goroutines.
type Hosts struct {
	callers map[string]facade.Caller // by the Frond's name
	sets    sync.Map                 // of hostField: the fields that a host sets itself
}

// hostField is a field of a door whose host sets it at create.
type hostField struct {
	door  *catalog.Door
	field string
}

// New makes the hosts of callers, which has a caller for each Frond by its name. Its entries may be
// replaced until the first call. A call of a Frond without an entry is SERVICE_UNAVAILABLE.
func New(callers map[string]facade.Caller) *Hosts { return &Hosts{callers: callers} }

// caller is the caller that carries calls to a Frond.
func (h *Hosts) caller(r facade.RemoteRequest, f *catalog.Frond) (facade.Caller, error) {
	return r.Through(h.callers[f.Name], f)
}

// Call implements [facade.Remotes].
func (h *Hosts) Call(ctx context.Context, r facade.RemoteRequest, c *facade.Call) (*facade.Result, error) {
	caller, err := h.caller(r, r.Door.Frond)
	if err != nil {
		return nil, err
	}
	return caller.Call(ctx, c)
}

// Together implements [facade.Remotes].
func (h *Hosts) Together(ctx context.Context, r facade.RemoteRequest, calls []*facade.Call, beside schema.Object) ([]*facade.Result, json.RawMessage, error) {
	if _, err := h.caller(r, r.Door.Frond); err != nil {
		return nil, nil, err
	}
	host, can := h.callers[r.Door.Frond.Name].(interface {
		Together(ctx context.Context, calls []*facade.Call, beside schema.Object) ([]*facade.Result, json.RawMessage, error)
	})
	if !can {
		return nil, nil, kiterror.Errorf(kiterror.NotImplemented, "the host of %s does not offer rpc.atomic; send the calls one by one", r.Door.Frond.Name)
	}
	return host.Together(ctx, calls, beside)
}

// Create implements [facade.Remotes]. A host that sets one of the fields itself refuses it from
// everybody before it does anything: Hosts remembers that and sends the row without the field.
func (h *Hosts) Create(ctx context.Context, r facade.RemoteRequest, c *facade.Call, set schema.Object) (*facade.Result, error) {
	sent := c.Invocation.Body
	body, added := h.withSet(r.Door, sent, set)
	c.Invocation.Body = body
	res, err := h.Call(ctx, r, c)
	if err == nil || len(added) == 0 || kiterror.CodeOf(err) != kiterror.ValidationFailed {
		return res, err
	}
	details, _ := kiterror.AsError(err).Details.([]schema.Detail)
	if len(details) == 0 {
		return nil, err // it does not say what it refuses
	}
	for _, d := range details {
		if !slices.Contains(added, d.Path) || d.Code != schema.ReadOnly && d.Code != schema.UnknownKey {
			return nil, err // something else is wrong as well
		}
	}
	for _, d := range details {
		h.sets.Store(hostField{r.Door, d.Path}, true)
	}
	c.Invocation.Body, _ = h.withSet(r.Door, sent, set)
	return h.Call(ctx, r, c)
}

// withSet is a body with the values that access rules set, without fields that the host sets
// itself, and the names of the added fields.
func (h *Hosts) withSet(door *catalog.Door, body json.RawMessage, set schema.Object) (json.RawMessage, []string) {
	var out schema.Object
	for name, value := range jsontext.Members(body) {
		out = append(out, schema.Member{Name: name, Value: value})
	}
	var added []string
	for _, m := range set {
		if _, there := h.sets.Load(hostField{door, m.Name}); !there {
			out, added = append(out, m), append(added, m.Name)
		}
	}
	if added == nil {
		return body, nil
	}
	return out.AppendJSON(nil), added
}

// Aggregate implements [facade.Remotes].
func (h *Hosts) Aggregate(ctx context.Context, r facade.RemoteRequest, c *facade.Call, where *filter.Filter) (*facade.Result, error) {
	caller, err := h.caller(r, r.Door.Frond)
	if err != nil {
		return nil, err
	}
	f, err := h.hostFilter(ctx, &r, where)
	if err != nil {
		return nil, err
	}
	c.Invocation.State = r.State
	if f != nil {
		query := schema.Object{{Name: "filter", Value: f.AppendJSON(nil)}}
		for name, value := range jsontext.Members(c.Invocation.Query) {
			query = append(query, schema.Member{Name: name, Value: value})
		}
		c.Invocation.Query = query.AppendJSON(nil)
	}
	return caller.Call(ctx, c)
}
