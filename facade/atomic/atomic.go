// Package atomic makes the calls of one request one after the other as one transaction (docs/atomic.md).
package atomic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// MaxCalls is how many calls [Run] takes.
const MaxCalls = 100

// queryWork is how long the statements of queries may take together among calls that write: other
// writers may wait for the transaction.
const queryWork = 500 * time.Millisecond

// tooMuchReading is the UNPROCESSABLE_ENTITY of queries beyond queryWork.
func tooMuchReading() error {
	return kiterror.Errorf(kiterror.UnprocessableEntity, "queries in a writing atomic call took over %s; narrow or send them apart", queryWork)
}

// reference is the member that takes the place of a value in an atomic call.
const reference = "$result"

// call is one of the calls that are made together. Its parts are text with references.
type call struct {
	entity, operation   string
	params, query, body json.RawMessage
}

// Run makes calls one after the other as one transaction, by caller, which answers what view shows of f.
// sent is the text of
//
//	{"calls": [{"method": "order.create", "params": {"body": {…}}},
//	           {"method": "line.create", "params": {"body": {"orderId": {"$result": "0.id"}}}}]}
//
// and the answer is {"results": […]}. {"$result": "0.id"} is replaced by a member of an earlier result. Each call
// is judged by its own rules; events and hooks after commands follow the commit. The error comes from the first
// failing call, with its index, and the transaction is rolled back. Calls of one remote are made by its host.
// Operations that no transaction holds, of several hosts and of detached handlers, are NOT_IMPLEMENTED. The words
// beside calls ([catalog.Words]) are for all calls together.
func Run(ctx context.Context, f *facade.Facade, view *catalog.Catalog, caller facade.Caller, state access.State, trace string, sent json.RawMessage) (*facade.Result, error) {
	calls, words, details := read(sent)
	if details != nil {
		return nil, kiterror.Refused(details)
	}
	writes, passed := make([]bool, len(calls)), make([]*facade.Call, len(calls))
	for i, c := range calls {
		var err error
		if writes[i], err = f.Joins(ctx, view, state, c.entity, c.operation); err != nil {
			return nil, kiterror.AsError(err).AtCall(i)
		}
		passed[i] = &facade.Call{Entity: c.entity, Operation: c.operation, Invocation: facade.Invocation{Params: c.params, Query: c.query, Body: c.body, State: state, Trace: trace}}
	}
	there, err := f.PassesOn(view, passed)
	switch {
	case err != nil:
		return nil, err
	case words.Any() && !slices.Contains(writes, true):
		return nil, kiterror.Errorf(kiterror.BadRequest, "the calls are queries, and change nothing; send them without rehearse and approve")
	case there:
		return passOn(ctx, f, caller, words, passed)
	}
	r := &run{caller: caller, calls: calls, writes: writes, state: state, trace: trace}
	if words.Any() {
		found, err := rehearse.Run(ctx, words, &rehearse.Command{Facade: f, Caller: caller, State: state, Trace: trace, Value: passed, Do: r.make})
		if err == nil && found != nil {
			return found.Answer(resultOf(r.results).Value), nil
		}
		return r.result(err)
	}
	if !slices.Contains(writes, true) {
		ctx = facade.ReadOnly(ctx)
	}
	return r.result(f.Together(ctx, trace, r.make))
}

// passOn has the host of a remote make the calls.
func passOn(ctx context.Context, f *facade.Facade, caller facade.Caller, words catalog.Words, calls []*facade.Call) (*facade.Result, error) {
	var found []*facade.Result
	var rehearsal *rehearse.Rehearsal
	var err error
	if words.Any() {
		rehearsal, found, err = rehearse.PassOn(ctx, words, f, caller, calls)
	} else {
		found, _, err = f.PassOn(ctx, caller, calls, nil)
	}
	if err != nil {
		return nil, err
	}
	var results []json.RawMessage
	for _, res := range found {
		results = append(results, res.AppendJSON(nil))
	}
	if rehearsal != nil {
		return rehearsal.Answer(resultOf(results).Value), nil
	}
	return resultOf(results), nil
}

// run is the calls on their way, as one transaction of this host.
type run struct {
	caller  facade.Caller
	calls   []call
	writes  []bool // says which of them are commands
	state   access.State
	trace   string
	results []json.RawMessage
}

// make makes the calls, within the transaction of ctx. It may run again.
func (r *run) make(ctx context.Context) error {
	r.results = r.results[:0]
	reading := ctx
	if !facade.IsReadOnly(ctx) {
		reading = facade.ShareOf(ctx, queryWork)
	}
	late := facade.JudgeKeysLate(ctx)
	for i, c := range r.calls {
		ctx := ctx
		if !r.writes[i] {
			ctx = reading
		}
		late.Next(i)
		res, err := c.make(ctx, r.caller, r.state, r.trace, r.results)
		if at, taken := late.Fault(); taken != nil {
			return kiterror.AsError(taken).AtCall(at)
		}
		if err != nil {
			if !r.writes[i] && !facade.IsReadOnly(ctx) && facade.RequestOf(reading).Exhausted() != nil {
				err = tooMuchReading()
			}
			return kiterror.AsError(err).AtCall(i)
		}
		r.results = append(r.results, res.AppendJSON(nil))
	}
	err := late.Judge(ctx)
	if at, taken := late.Fault(); taken != nil {
		return kiterror.AsError(taken).AtCall(at)
	}
	return err
}

// result is the answer of the calls, or err.
func (r *run) result(err error) (*facade.Result, error) {
	if err != nil {
		return nil, err
	}
	return resultOf(r.results), nil
}

// resultOf is the answer with the results of all calls.
func resultOf(results []json.RawMessage) *facade.Result {
	text := jsontext.AppendTexts([]byte(`{"results":`), results)
	return &facade.Result{Form: facade.FormValue, Value: append(text, '}')}
}

// make makes the call with its references replaced by members of results.
func (c *call) make(ctx context.Context, caller facade.Caller, state access.State, trace string, results []json.RawMessage) (*facade.Result, error) {
	r := resolver{results: results}
	in := facade.Invocation{
		Params: r.resolve(c.params, "/params"), Query: r.resolve(c.query, "/query"), Body: r.resolve(c.body, "/body"),
		State: state, Trace: trace,
	}
	if r.details != nil {
		return nil, kiterror.Refused(r.details).At(c.entity, c.operation)
	}
	return caller.Call(ctx, &facade.Call{Entity: c.entity, Operation: c.operation, Invocation: in})
}

// read returns the calls of the params and the words beside them, or the details of their faults.
func read(sent json.RawMessage) (calls []call, words catalog.Words, details []schema.Detail) {
	refuse := func(at, code, message string) {
		if len(details) < schema.MaxDetails {
			d := schema.Detail{Code: code, Message: message}.At("/" + at) // calls are part of the path
			d.Pointer = at
			details = append(details, d)
		}
	}
	list := jsontext.Get(sent, "calls")
	items := jsontext.List(list)
	words, details = catalog.ReadWords(sent, "")
	for name := range jsontext.Members(sent) {
		if name != "calls" && !catalog.IsWord(name) {
			refuse("/"+jsontext.Token(name), schema.UnknownKey, "is not a key of atomic; its keys are calls, and rehearse or approve")
		}
	}
	switch n := len(items); {
	case jsontext.KindOf(list) != jsontext.Array:
		refuse("/calls", "type", `must be a list of calls, such as [{"method": "order.create", "params": {"body": {…}}}]`)
	case n == 0:
		refuse("/calls", "minItems", "is empty; send at least one call")
	case n > MaxCalls:
		refuse("/calls", "maxItems", fmt.Sprintf("must have at most %d calls, and has %d; send the rest in another transaction", MaxCalls, n))
		return nil, words, details
	}
	for i, item := range items {
		at := "/calls/" + strconv.Itoa(i)
		if jsontext.KindOf(item) != jsontext.Object {
			refuse(at, "type", "must be an object with method and params")
			continue
		}
		var c call
		for name, value := range jsontext.Members(item) {
			switch name {
			case "method":
				var dotted bool
				if jsontext.KindOf(value) == jsontext.String {
					c.entity, c.operation, dotted = strings.Cut(jsontext.Unquote(value), ".")
				}
				if !dotted || c.entity == "rpc" {
					refuse(at+"/method", "pattern", "must be an entity, a dot and an operation, such as order.create")
				}
			case "params":
				c.read(value, at+"/params", refuse)
			default:
				refuse(at+"/"+jsontext.Token(name), schema.UnknownKey, "is no member of a call; its members are method and params")
			}
		}
		if jsontext.Get(item, "method") == nil {
			refuse(at+"/method", "required", "is required, such as order.create")
		}
		calls = append(calls, c)
	}
	return calls, words, details
}

// read reads the params of a call: an invocation with params, query and body.
func (c *call) read(value json.RawMessage, at string, refuse func(at, code, message string)) {
	if kind := jsontext.KindOf(value); kind != jsontext.Object && kind != jsontext.Null {
		refuse(at, "type", "must be an object with params, query and body, or be left out")
		return
	}
	for name, part := range jsontext.Members(value) {
		switch {
		case name == "body":
			c.body = part
		case name != "params" && name != "query":
			refuse(at+"/"+jsontext.Token(name), schema.UnknownKey, "is no part of a call here; its parts are params, query and body")
		case jsontext.IsNull(part):
		case jsontext.KindOf(part) != jsontext.Object:
			refuse(at+"/"+name, "type", "must be an object, or be left out")
		case name == "params":
			c.params = part
		default:
			c.query = part
		}
	}
}

// resolver replaces references by members of earlier results.
type resolver struct {
	results []json.RawMessage
	details []schema.Detail
}

// resolve is a value with its references replaced. at is its pointer within the call.
func (r *resolver) resolve(value json.RawMessage, at string) json.RawMessage {
	if !bytes.Contains(value, []byte(reference)) {
		return value
	}
	switch jsontext.KindOf(value) {
	case jsontext.Array:
		items := jsontext.List(value)
		for i := range items {
			items[i] = r.resolve(items[i], at+"/"+strconv.Itoa(i))
		}
		return jsontext.AppendTexts(nil, items)
	case jsontext.Object:
		var out schema.Object
		for name, member := range jsontext.Members(value) {
			if name == reference {
				return r.member(value, member, at)
			}
			out = append(out, schema.Member{Name: name, Value: r.resolve(member, at+"/"+jsontext.Token(name))})
		}
		return out.AppendJSON(nil)
	}
	return value
}

// member is the member of an earlier result that a reference names.
func (r *resolver) member(value, path json.RawMessage, at string) json.RawMessage {
	refuse := func(message string) json.RawMessage {
		if len(r.details) < schema.MaxDetails {
			r.details = append(r.details, schema.Detail{Code: "reference", Message: message}.At(at))
		}
		return value
	}
	members := 0
	for range jsontext.Members(value) {
		members++
	}
	if members != 1 || jsontext.KindOf(path) != jsontext.String {
		return refuse(`must be {"$result": "0.id"} alone: the index of an earlier call, a dot, and a member of its result`)
	}
	words := strings.Split(jsontext.Unquote(path), ".")
	i, err := strconv.Atoi(words[0])
	switch {
	case err != nil || i < 0:
		return refuse("does not begin with the index of a call; write 0.id for the id that the first call answered")
	case i >= len(r.results):
		return refuse(fmt.Sprintf("names call %d, which is no earlier call; put that call first", i))
	}
	found := r.results[i]
	for _, word := range words[1:] {
		switch jsontext.KindOf(found) {
		case jsontext.Array:
			items := jsontext.List(found)
			n, err := strconv.Atoi(word)
			if found = nil; err == nil && n >= 0 && n < len(items) {
				found = items[n]
			}
		default:
			found = jsontext.Get(found, word)
		}
		if found == nil {
			return refuse(fmt.Sprintf("leads nowhere: the result of call %d has no %s", i, schema.Quoted(strings.Join(words[1:], "."))))
		}
	}
	return found
}
