package client

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/singleflight"
	"github.com/frondhost/frond/schema"
)

// Remote is another host, called with time limits, retries of queries, a breaker, a bound on
// requests in flight, batches for many keys, and one round trip for equal queries. It is a
// facade.Caller and may be used from many goroutines.
//
// docs/remotes.md says what becomes of each kind of failure. A failure that the host
// itself answers is the KitError it sent, unchanged (spec 7.3).
type Remote struct {
	host    *host
	shared  *singleflight.Group[callKey, answer]
	catalog *catalog.Catalog // nil: the form of a result follows from its text
}

// callKey identifies equal calls. Results are read by the catalog, so it is part of it. The
// whole text is compared, never a hash (docs/decisions/coalescing.md).
type callKey struct {
	catalog *catalog.Catalog
	call    string
	seen    string // the oldest state of the stores that the caller accepts
}

// answer is how a pending call ended. Callers share it and never change it.
type answer struct {
	result *facade.Result
	err    *kiterror.Error
	posts  int
}

var _ facade.Caller = (*Remote)(nil)

// New returns the host at a base address, with or without [envelope.Path] at its end. It sends no
// request before the first call. With an invalid address every call fails with
// SERVICE_UNAVAILABLE. A nil opts means the defaults of [Options].
func New(base string, opts *Options) *Remote {
	return &Remote{host: newHost(base, opts), shared: &singleflight.Group[callKey, answer]{}}
}

// With returns a view of the remote for calls whose operations a catalog describes: results
// take the form that their operation has there. All views share breaker, connections, equal
// calls in flight, and the knowledge about the host.
func (r *Remote) With(served *catalog.Catalog) *Remote {
	return &Remote{host: r.host, shared: r.shared, catalog: served}
}

// Close closes idle connections. Calls may still be made.
func (r *Remote) Close() { r.host.sender.close() }

// Status returns the current state of the remote.
func (r *Remote) Status() Status { return r.host.status() }

// Call calls the host: one post, or with Each as few as the host turns out to need. The error
// is a *facade.Error with entity and operation. A result that exceeds the caller's account is
// an error, except the result of a command.
func (r *Remote) Call(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	o := r.host.options
	r.host.sender.counters.calls.Add(1)
	event := Event{Remote: o.Name, Entity: call.Entity, Operation: call.Operation, Began: time.Now(), Trace: call.Invocation.Trace, Waiters: 1}
	if call.Each != nil {
		event.Keys = len(call.Each.Keys)
	}
	// A call that comes back to its first host must not wait for itself.
	p, err := newPending(call, r.catalog, &r.host.known, !o.NoCoalesce && envelope.HopsOf(ctx) < 2)
	if err == nil {
		err = envelope.CheckHops(ctx, o.Name)
	}
	out := answer{err: err}
	if err == nil {
		out = r.share(ctx, p, &event)
		event.Kind, event.Frond = p.kind, p.frond()
	}
	if account := budget.AccountOf(ctx); account != nil && out.err == nil {
		if p.kind == catalog.Command {
			account.Add(out.result.Size()) // it has run
		} else if err := account.Take(out.result); err != nil {
			out.err = kiterror.AsError(err)
		}
	}
	if out.err != nil && out.err.Code == kiterror.ValidationFailed && call.Each != nil && call.Operation == "findById" {
		// No caller wrote this query.
		out.err = kiterror.Errorf(kiterror.BadGateway, "the host refuses fields of its document; new cards arrive within half a minute%w", silent{out.err})
	}
	o.observe(ctx, &event, out.err)
	if out.err != nil {
		return nil, out.err.At(call.Entity, call.Operation)
	}
	result := *out.result // others may have it too
	return &result, nil
}

// share answers a call, together with equal ones that are made at the same time. A caller that
// leaves does not end the call of the others; the last one does.
func (r *Remote) share(ctx context.Context, p *pending, event *Event) answer {
	ctx, cancel := within(ctx, r.host.options.Timeout)
	defer cancel()
	if p.key == "" {
		out := r.fetch(ctx, p)
		event.Posts = out.posts
		return out
	}
	var led atomic.Bool
	out, waiters, err := r.shared.Do(ctx, callKey{r.catalog, p.key, consistency.From(ctx).Text()}, func(ctx context.Context) answer {
		led.Store(true)
		return r.fetch(ctx, p)
	})
	switch {
	// Do fails only where this caller's own context is done.
	case err != nil:
		return answer{err: kiterror.AsError(ctx.Err())}
	case led.Load():
		event.Posts = out.posts
	default:
		event.Joined = true
		r.host.sender.counters.joined.Add(1)
	}
	event.Waiters = waiters
	return out
}

// fetch makes the call.
func (r *Remote) fetch(ctx context.Context, p *pending) answer {
	ctx, cancel := within(ctx, r.host.options.Timeout) // a shared call has no deadline of its own
	defer cancel()
	// Others may share it, and its first caller may leave: the answer is charged to an account
	// of its own, and then to all callers that receive the result.
	ctx, account, refused := budget.AccountOf(ctx).Apart(ctx)
	if refused != nil {
		return answer{err: kiterror.AsError(refused)}
	}
	defer account.Close()
	result, err := r.host.fetch(ctx, p)
	return answer{result, err, int(p.posts.Load())}
}

// Discover returns the host's discovery document (spec 2.5). It only checks that the document
// is JSON within the limits of the options. The remote learns from it how the host spells its
// methods and which arguments they accept. A document over a limit is a BAD_GATEWAY with a
// [schema.OverLimit].
func (r *Remote) Discover(ctx context.Context) (json.RawMessage, error) {
	o := r.host.options
	event := Event{Remote: o.Name, Entity: "rpc", Operation: "discover", Kind: catalog.Query, Began: time.Now(), Waiters: 1}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	p := &pending{kind: catalog.Query}
	answer, f := r.host.frame(ctx, p, o.MaxDocument, envelope.Discover, nil, nil)
	err := answer.Err
	switch {
	case f != nil && f.kind == tooLarge:
		err = unusable(schema.OverLimit(fmt.Sprintf("its discovery document has more than %d bytes", o.MaxDocument)))
	case f != nil:
		err = f.err()
	case err == nil:
		if over := o.Discovery.Check(answer.Result); over != nil {
			err = unusable(over)
		}
	}
	event.Posts = int(p.posts.Load())
	o.observe(ctx, &event, err)
	if err != nil {
		return nil, err
	}
	r.host.known.learn(answer.Result)
	return answer.Result, nil
}

// unusable is the failure of a discovery document over a limit.
func unusable(over error) *kiterror.Error {
	return kiterror.Errorf(kiterror.BadGateway, "the host's discovery document cannot be used: %w", over)
}
