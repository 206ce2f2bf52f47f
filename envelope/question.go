package envelope

import (
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// question is a call on its way to a host. Its texts are its own: the flight that
// carries it may outlast the caller who asked.
type question struct {
	call   facade.Call
	state  json.RawMessage // of the invocation, as text; nil: none
	key    string          // equal calls have equal keys; "" where none are shared
	kind   facade.Kind
	door   *facade.Door      // of the catalog, or nil
	op     *facade.Operation // likewise
	method *method           // of the host's discovery document, or nil
	posts  atomic.Int32      // HTTP requests made for it

	window                        // of a list
	bare, full, pages atomic.Bool // what came: a bare array, one as long as was asked for, a list result
}

// ask makes a call a question. shared says whether equal ones may be answered together.
func (r *Remote) ask(call *facade.Call, coalesce bool) (*question, *facade.Error) {
	q := &question{call: *call}
	if r.catalog != nil {
		if q.door = r.catalog.Door(call.Entity); q.door != nil {
			q.op = q.door.Operation(call.Operation)
		}
	}
	q.method, _ = r.peer.method(call.Entity, call.Operation)
	switch {
	case q.op != nil:
		q.kind = q.op.Kind
	case q.method != nil:
		q.kind = q.method.kind
	default:
		q.kind = facade.KindOf(call.Operation)
	}
	if call.Invocation.State != nil {
		state, err := json.Marshal(call.Invocation.State)
		if err != nil {
			return nil, facade.Errorf(facade.BadRequest, "the call cannot be written as JSON: %w", err)
		}
		q.state = state
	}
	if coalesce && q.kind == facade.Query {
		q.own()
	}
	return q, nil
}

// own copies what the caller holds, and makes the key of the copy: everything the
// answer depends on, each part with its length before it, so that no two different
// calls can have one key. The trace is no part of it.
func (q *question) own() {
	in := &q.call.Invocation
	size := 64 + len(in.Params) + len(in.Query) + len(in.Body) + len(q.state)
	if each := q.call.Each; each != nil {
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
	add([]byte(methodKey(q.call.Entity, q.call.Operation)))
	in.Params, in.Query, in.Body = add(in.Params), add(in.Query), add(in.Body)
	add(q.state)
	text = strconv.AppendBool(text, q.call.Cursors)
	if q.call.Select != nil {
		names := make([]string, len(q.call.Select))
		for i, name := range q.call.Select {
			names[i] = name
			add([]byte(name))
		}
		q.call.Select = names
	}
	if each := q.call.Each; each != nil {
		own := &facade.Each{Field: each.Field, Keys: make([]json.RawMessage, len(each.Keys))}
		text = append(text, '@')
		add([]byte(each.Field))
		for i, k := range each.Keys {
			own.Keys[i] = add(k)
		}
		q.call.Each = own
	}
	q.key = string(text)
}

// name is the JSON-RPC method of an operation of the question's door, as the host
// spells it: as its document does, else as the catalog, else as it was asked for.
func (r *Remote) name(q *question, operation string) string {
	if m, _ := r.peer.method(q.call.Entity, operation); m != nil {
		return m.name
	}
	if q.door != nil {
		return q.door.Name + "." + operation
	}
	return q.call.Entity + "." + operation
}

// entity is the card of the question's door, or nil.
func (q *question) entity() *schema.Entity {
	if q.door == nil {
		return nil
	}
	return q.door.Entity
}

// limit is how many rows a list is asked for, or -1 where it does not say.
func (q *question) limit() int {
	if n, ok := schema.Integer(jsontext.Get(q.call.Invocation.Query, "limit")); ok && n >= 0 && n < 1<<31 {
		return int(n)
	}
	return -1
}

// appendRequest appends one frame.
func appendRequest(dst []byte, id int64, method string, params func([]byte) []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":`...)
	dst = jsontext.AppendString(dst, method)
	if params != nil {
		dst = params(append(dst, `,"params":`...))
	}
	return append(dst, '}')
}

// appendInvocation appends an invocation as a frame's params; what is absent stays
// absent. This is the one place where a call becomes text.
func (q *question) appendInvocation(dst []byte, params, query json.RawMessage) []byte {
	member := func(name string, text []byte) {
		if len(text) > 0 {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(jsontext.AppendString(dst, name), ':')
			dst = append(dst, text...)
		}
	}
	dst = append(dst, '{')
	member("params", params)
	member("query", query)
	member("body", q.call.Invocation.Body)
	member("state", q.state)
	if trace := q.call.Invocation.Trace; trace != "" {
		member("trace", jsontext.Quote(trace))
	}
	return append(dst, '}')
}
