package client

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Together has the host make calls one after the other as one transaction, for the state and the trace of the first: one post of
// rpc.atomic, signed for the Frond of the first call. It is sent again only as a command is. The error is a *facade.Error with the
// index of the call that failed. beside are members of the params beside calls, and answer is the whole answer.
func (r *Remote) Together(ctx context.Context, calls []*facade.Call, beside schema.Object) (results []*facade.Result, answer json.RawMessage, failed error) {
	o := r.host.options
	r.host.sender.counters.calls.Add(1)
	event := Event{Remote: o.Name, Entity: "rpc", Operation: "atomic", Kind: catalog.Command, Began: time.Now(), Trace: calls[0].Invocation.Trace, Waiters: 1}
	ctx, cancel := within(ctx, o.Timeout)
	defer cancel()
	all, err := r.pendingTogether(calls)
	if err == nil {
		err = envelope.CheckHops(ctx, o.Name)
	}
	if err == nil {
		event.Frond = all[0].frond()
		results, answer, err = r.host.together(ctx, all, beside)
		event.Posts = int(all[0].posts.Load())
	}
	o.observe(ctx, &event, err)
	if err != nil {
		return nil, nil, err
	}
	account := budget.AccountOf(ctx)
	for _, res := range results {
		account.Add(res.Size()) // they have run
	}
	return results, answer, nil
}

// pendingTogether looks the calls up. The first has the state of all.
func (r *Remote) pendingTogether(calls []*facade.Call) ([]*pending, *kiterror.Error) {
	all := make([]*pending, len(calls))
	for i, c := range calls {
		own := *c
		own.Invocation.Trace = ""
		if i > 0 {
			own.Invocation.State = nil
		}
		p, err := newPending(&own, r.catalog, &r.host.known, false)
		if err != nil {
			return nil, err
		}
		all[i] = p
	}
	all[0].call.Invocation.Trace = calls[0].Invocation.Trace
	return all, nil
}

// together posts the calls as one frame and reads their results. The queries are sent as they are: a host with rpc.atomic reads them as
// this program does.
//
//	{"calls":[{"method":"order.create","params":{"body":{…}}},…],"state":{…}}
//
// The answer of a rehearsal has the results in its member result.
func (h *host) together(ctx context.Context, all []*pending, beside schema.Object) ([]*facade.Result, json.RawMessage, *kiterror.Error) {
	calls := []byte(`{"calls":[`)
	for _, p := range all {
		bare := pending{call: facade.Call{Invocation: facade.Invocation{Body: p.call.Invocation.Body}}}
		calls = append(jsontext.AppendString(append(jsontext.Comma(calls), `{"method":`...), p.name(&h.known, p.call.Operation)), `,"params":`...)
		calls = append(bare.appendInvocation(calls, p.call.Invocation.Params, p.call.Invocation.Query), '}')
	}
	calls = append(calls, ']')
	for _, m := range beside {
		calls = append(jsontext.AppendName(append(calls, ','), m.Name), m.Value...)
	}
	if state := all[0].state; state != nil {
		calls = append(append(calls, `,"state":`...), state...)
	}
	calls = append(calls, '}')
	all[0].kind = catalog.Command
	answer, f := h.frame(ctx, all[0], h.options.MaxAnswer, envelope.Atomic, func(dst []byte) []byte { return append(dst, calls...) }, nil)
	switch {
	case f != nil:
		return nil, nil, f.err()
	case answer.Err != nil:
		return nil, nil, answer.Err
	}
	made := answer.Result
	if beside != nil && jsontext.Get(made, "result") != nil {
		made = jsontext.Get(made, "result")
	}
	var results []*facade.Result
	for _, text := range jsontext.Elements(jsontext.Get(made, "results")) {
		if len(results) == len(all) {
			results = nil // too many
			break
		}
		p := all[len(results)]
		result, err := h.results.read(text, p.op)
		if err == nil {
			err = h.conformance.check(p, result)
		}
		if err != nil {
			return nil, nil, err
		}
		results = append(results, result)
	}
	if len(results) != len(all) {
		return nil, nil, kiterror.Errorf(kiterror.BadGateway, "the host answered another number of results than the calls that were sent")
	}
	return results, answer.Result, nil
}
