package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// w3c is the one form in which traces come and go (W3C Trace Context).
var w3c propagation.TraceContext

// traceText is a trace as an invocation carries it: its traceparent. A tracestate
// goes from header to header separately.
//
//	traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//	tracestate:  vendor=value
type traceText struct{ parent, state string }

var _ propagation.TextMapCarrier = (*traceText)(nil)

// Get is one of the two headers.
func (t *traceText) Get(name string) string {
	switch name {
	case "traceparent":
		return t.parent
	case "tracestate":
		return t.state
	}
	return ""
}

// Set sets one of them.
func (t *traceText) Set(name, value string) {
	switch name {
	case "traceparent":
		t.parent = value
	case "tracestate":
		t.state = value
	}
}

// Keys names them.
func (*traceText) Keys() []string { return []string{"traceparent", "tracestate"} }

// traceOf is the traceparent of the span of ctx. "": there is no valid span in it.
func traceOf(ctx context.Context) string {
	var t traceText
	w3c.Inject(ctx, &t)
	return t.parent
}

// under is ctx with the span that a call's own is a child of. The invocation says which trace
// that is, since it goes with the call wherever it goes. Where the span of ctx is of that
// trace it is nearer: the request's, or the call's that a handler answers. Else it is another
// one's, and the span links to it.
//
//	the invocation has no trace, or an invalid one   ctx
//	ctx has a span of the invocation's trace         ctx
//	ctx has a span of another trace                  the invocation's, with a link to that of ctx
//	ctx has none                                     the invocation's
//
// Frames of one batch may each have a trace of their own (docs/decisions/telemetry.md).
func under(ctx context.Context, inv *facade.Invocation) (context.Context, []trace.SpanStartOption) {
	here := trace.SpanContextFromContext(ctx)
	if inv.Trace == "" || here.IsValid() && kiterror.TraceID(inv.Trace) == here.TraceID().String() {
		return ctx, nil
	}
	said := trace.SpanContextFromContext(w3c.Extract(context.Background(), &traceText{parent: inv.Trace}))
	if !said.IsValid() {
		return ctx, nil
	}
	ctx = trace.ContextWithRemoteSpanContext(ctx, said)
	if here.IsValid() {
		return ctx, []trace.SpanStartOption{trace.WithLinks(trace.Link{SpanContext: here})}
	}
	return ctx, nil
}
