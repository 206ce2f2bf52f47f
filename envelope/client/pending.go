package client

import (
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// pending is a call on its way to a host. A shared one owns its texts: it may outlast
// the caller who made it.
type pending struct {
	call   facade.Call
	state  json.RawMessage // of the invocation, as text; nil: none
	key    string          // equal calls have equal keys; "": it is not shared
	kind   catalog.Kind
	door   *catalog.Door      // of the catalog, or nil
	op     *catalog.Operation // nil as well
	method *method            // of the host's discovery document, or nil
	posts  atomic.Int32       // HTTP requests made for it
	list   listState          // of a built-in list
}

// listState is the request of a list to the host, and its answer. The lists of one call with
// Each share it and request the same window. The three answers are atomic because the frames of
// Each set them from many goroutines.
type listState struct {
	from  position // where the page begins, if known
	known bool     // false: the page is read backward
	drop  int      // rows before from that are requested too, and dropped
	asked int      // how many rows are requested; -1: the query does not say

	bare, full, pages atomic.Bool // the answer was a bare array; one as long as requested; a list result
}

// newPending looks a call up in the catalog, which may be nil, and in the host's document. A
// query gets a key if coalesce is set. The kind comes from the catalog, else from the document,
// else from the name (facade.KindOf).
func newPending(call *facade.Call, served *catalog.Catalog, host *knowledge, coalesce bool) (*pending, *kiterror.Error) {
	p := &pending{call: *call}
	// The wire has the id in params. Equal calls get equal keys, whichever form they came in.
	p.call.Invocation.ID, p.call.Invocation.Params = nil, call.Invocation.ParamsJSON()
	if served != nil {
		if p.door = served.Door(call.Entity); p.door != nil {
			p.op = p.door.Operation(call.Operation)
		}
	}
	p.method, _ = host.method(call.Entity, call.Operation)
	switch {
	case p.op != nil:
		p.kind = p.op.Kind
	case p.method != nil:
		p.kind = p.method.kind
	default:
		p.kind = catalog.KindOf(call.Operation)
	}
	if call.Invocation.State != nil {
		state, err := json.Marshal(call.Invocation.State)
		if err != nil {
			return nil, kiterror.Errorf(kiterror.BadRequest, "the call cannot be written as JSON: %w", err)
		}
		p.state = state
	}
	if coalesce && p.kind == catalog.Query {
		p.own()
	}
	return p, nil
}

// own copies the caller's values, and makes the key of the copy: all parts that the answer
// depends on, each with its length before it, so that different calls never have one key. The
// trace is left out. An absent part is "-", an empty object "2:{}".
func (p *pending) own() {
	in := &p.call.Invocation
	size := 64 + len(in.Params) + len(in.Query) + len(in.Body) + len(p.state)
	if each := p.call.Each; each != nil {
		for _, k := range each.Keys {
			size += len(k) + 4
		}
	}
	text := make([]byte, 0, size)
	add := func(part []byte) json.RawMessage {
		if part == nil {
			text = append(text, '-')
			return nil
		}
		text = strconv.AppendInt(text, int64(len(part)), 10)
		text = append(text, ':')
		from := len(text)
		text = append(text, part...)
		return text[from:len(text):len(text)]
	}
	add([]byte(envelope.MethodKey(p.call.Entity, p.call.Operation)))
	in.Params, in.Query, in.Body = add(in.Params), add(in.Query), add(in.Body)
	add(p.state)
	text = strconv.AppendBool(text, p.call.Cursors)
	if p.call.Select != nil {
		names := make([]string, len(p.call.Select))
		for i, name := range p.call.Select {
			names[i] = name
			add([]byte(name))
		}
		p.call.Select = names
	}
	if each := p.call.Each; each != nil {
		own := &facade.Each{Field: each.Field, Keys: make([]json.RawMessage, len(each.Keys))}
		text = append(text, '@')
		add([]byte(each.Field))
		for i, k := range each.Keys {
			own.Keys[i] = add(k)
		}
		p.call.Each = own
	}
	p.key = string(text)
}

// name is the JSON-RPC method of an operation of the call's door: as the host's document
// spells it, else as the catalog, else as the caller.
func (p *pending) name(host *knowledge, operation string) string {
	if m, _ := host.method(p.call.Entity, operation); m != nil {
		return m.name
	}
	if p.door != nil {
		return p.door.Name + "." + operation
	}
	return p.call.Entity + "." + operation
}

// frond is the name of the Frond whose door it is; "": no catalog says so.
func (p *pending) frond() string {
	if p.door == nil || p.door.Frond == nil {
		return ""
	}
	return p.door.Frond.Name
}

// entity is the card of the call's door, or nil.
func (p *pending) entity() *schema.Entity {
	if p.door == nil {
		return nil
	}
	return p.door.Entity
}

// isList says whether the call is a built-in list, whose query is known.
func (p *pending) isList() bool {
	return p.call.Operation == "list" && p.kind == catalog.Query && (p.op == nil || p.op.Builtin)
}

// appendInvocation appends the invocation as a frame's params; absent parts stay absent. This
// is the one place where a call becomes text.
//
//	{"params":{"id":"p1"},"query":{"fields":["id"]},"state":{"user":{"id":"ada"}},"trace":"00-…"}
func (p *pending) appendInvocation(dst []byte, params, query json.RawMessage) []byte {
	member := func(name string, text []byte) {
		if len(text) > 0 {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(jsontext.AppendName(dst, name), text...)
		}
	}
	dst = append(dst, '{')
	member("params", params)
	member("query", query)
	member("body", p.call.Invocation.Body)
	member("state", p.state)
	if trace := p.call.Invocation.Trace; trace != "" {
		member("trace", jsontext.Quote(trace))
	}
	return append(dst, '}')
}
