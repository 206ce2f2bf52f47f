package telemetry

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Remotes puts a span around every call of a remote: it wraps each caller in clients, which are
// by Frond. url is the base address of a Frond's host. It changes the map. Without spans it
// leaves the map alone: the numbers of remotes come from [Telemetry.Client].
func (t *Telemetry) Remotes(clients map[string]facade.Caller, url func(frond string) string) {
	if t == nil || t.tracer == nil {
		return
	}
	for frond, next := range clients {
		clients[frond] = &tracedRemote{t, next, remoteAttributes(frond, url(frond))}
	}
}

// tracedRemote calls a remote, each time in a client span, which the remote host's own
// spans are children of.
type tracedRemote struct {
	telemetry  *Telemetry
	next       facade.Caller
	attributes []attribute.KeyValue
}

var clientSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient)}

// remoteAttributes are the attributes of every span of a remote (semantic conventions for RPC).
// A port that the address does not name is left out.
func remoteAttributes(frond, address string) []attribute.KeyValue {
	all := []attribute.KeyValue{semconv.RPCSystemNameJSONRPC, attribute.String("frond.name", frond)}
	if u, err := url.Parse(address); err == nil {
		all = append(all, semconv.ServerAddress(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			all = append(all, semconv.ServerPort(port))
		}
	}
	return all
}

// Call calls the remote. The span has the door's names, as the façade sends them. The sent call has the
// trace of this span, so that the host continues it (docs/decisions/telemetry.md).
func (w *tracedRemote) Call(ctx context.Context, c *facade.Call) (res *facade.Result, err error) {
	if w.telemetry.skips(ctx, &c.Invocation) {
		return w.next.Call(ctx, c)
	}
	method := c.Entity + "." + c.Operation
	ctx, span := w.telemetry.start(ctx, method, append(w.attributes[:len(w.attributes):len(w.attributes)], semconv.RPCMethod(method)), clientSpan...)
	code := kiterror.InternalError // should it panic
	defer func() {
		if code != "" {
			failed(span, code)
		}
		span.End()
	}()
	own := *c
	own.Invocation.Trace = textOf(span.SpanContext())
	res, err = w.next.Call(ctx, &own)
	code = kiterror.CodeOf(err)
	return res, err
}

// observe counts a finished call of a remote's client, and adds its work to the span of
// the call, if there is one.
func (t *Telemetry) observe(ctx context.Context, e client.Event) {
	if e.Breaker != "" {
		return // breaker states are read at each scrape
	}
	if t.metrics != nil {
		t.metrics.calledRemote(&e)
	}
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(attribute.Int("frond.requests", e.Posts), attribute.Bool("frond.coalesced", e.Joined))
		// A call that others joined has their number; one is the usual case and is left out.
		if e.Waiters > 1 {
			span.SetAttributes(attribute.Int("frond.waiters", e.Waiters))
		}
		if e.Keys > 0 {
			span.SetAttributes(attribute.Int("frond.keys", e.Keys))
		}
	}
}

// header adds the tracestate of the span to a request; its traceparent is in the call.
func header(ctx context.Context, h http.Header) {
	if trace.SpanContextFromContext(ctx).TraceState().Len() > 0 {
		w3c.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// Client adds the observers of calls to the options of a remote's client. It returns o,
// changed: Observe counts the calls, Header adds the tracestate.
func (t *Telemetry) Client(o *client.Options) *client.Options {
	if t == nil {
		return o
	}
	o.Observe = t.observe
	if t.tracer != nil {
		o.Header = header
	}
	return o
}
