package telemetry

import (
	"context"
	"encoding/hex"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// w3c is the one form in which traces come and go (W3C Trace Context).
var w3c propagation.TraceContext

// textOf is a span as an invocation carries it: its traceparent, or "". A tracestate goes from
// header to header separately.
//
//	traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//	tracestate:  vendor=value
func textOf(span trace.SpanContext) string {
	if !span.IsValid() {
		return ""
	}
	var room [55]byte
	id, parent := span.TraceID(), span.SpanID()
	text := hex.AppendEncode(append(room[:0], "00-"...), id[:])
	text = hex.AppendEncode(append(text, '-'), parent[:])
	return string(hex.AppendEncode(append(text, '-'), []byte{byte(span.TraceFlags() & (trace.FlagsSampled | trace.FlagsRandom))}))
}

// isOf reports whether a traceparent is of a span's trace.
func isOf(traceparent string, span trace.SpanContext) bool {
	var room [32]byte
	id := span.TraceID()
	return id.IsValid() && kiterror.TraceID(traceparent) == string(hex.AppendEncode(room[:0], id[:]))
}

// start begins a span. Samplers of this package do not look at attributes, so an unrecorded span
// does without them.
func (t *Telemetry) start(ctx context.Context, name string, attributes []attribute.KeyValue, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if !t.own {
		return t.tracer.Start(ctx, name, append(options[:len(options):len(options)], trace.WithAttributes(attributes...))...)
	}
	ctx, span := t.tracer.Start(ctx, name, options...)
	if span.IsRecording() {
		span.SetAttributes(attributes...)
	}
	return ctx, span
}

// skips reports whether a span of an invocation would not be recorded, as the request's above it is
// not: samplers of this package decide by the trace alone.
func (t *Telemetry) skips(ctx context.Context, inv *facade.Invocation) bool {
	q := requestOf(ctx)
	return t.own && q != nil && q.span != nil && !q.recorded && inv.Trace == q.trace[0] &&
		trace.SpanContextFromContext(ctx).SpanID() == q.span.SpanContext().SpanID()
}

// under is ctx with the span that a call's own is a child of. The invocation says which trace
// that is, since it goes with the call wherever it goes. Where the span of ctx is of that
// trace it is nearer: the request's, or the call's that a handler answers. Else it is another
// one's, and the span links to it.
//
//	the invocation has no trace, or an invalid one   ctx
//	ctx has a span of the invocation's trace         ctx
//	ctx has a span of another trace                  the invocation's, with a link to ctx's
//	ctx has no span                                  the invocation's
//
// Frames of one batch may each have a trace of their own (docs/decisions/telemetry.md).
func under(ctx context.Context, inv *facade.Invocation) (context.Context, []trace.SpanStartOption) {
	here := trace.SpanContextFromContext(ctx)
	if inv.Trace == "" || isOf(inv.Trace, here) {
		return ctx, nil
	}
	said := trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier{"traceparent": inv.Trace}))
	if !said.IsValid() {
		return ctx, nil
	}
	ctx = trace.ContextWithRemoteSpanContext(ctx, said)
	if here.IsValid() {
		return ctx, []trace.SpanStartOption{trace.WithLinks(trace.Link{SpanContext: here})}
	}
	return ctx, nil
}
