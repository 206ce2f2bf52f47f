package gateway

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
)

// trips tells of every trip to a remote: a carrier around each one that carries.
// urls are where they go, by Frond.
func (t *telemetry) trips(carriers map[string]facade.Caller, remotes map[string]Remote) {
	if t == nil || t.tracer == nil {
		return
	}
	for frond, next := range carriers {
		carriers[frond] = &tripWatch{tracer: t.tracer, next: next, attributes: trace.WithAttributes(tripAttributes(frond, remotes[frond].URL)...)}
	}
}

// tripWatch is the carrier of a remote's calls, each with a span of its own, which is
// what the host there goes on from.
type tripWatch struct {
	tracer     trace.Tracer
	next       facade.Caller
	attributes trace.SpanStartEventOption
}

func tripAttributes(frond, address string) []attribute.KeyValue {
	all := []attribute.KeyValue{semconv.RPCSystemNameJSONRPC, attribute.String("frond.name", frond)}
	if u, err := url.Parse(address); err == nil {
		all = append(all, semconv.ServerAddress(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			all = append(all, semconv.ServerPort(port))
		}
	}
	return all
}

// Call makes the trip. Its names are the door's, as the façade sends them.
func (w *tripWatch) Call(ctx context.Context, c *facade.Call) (res *facade.Result, err error) {
	method := c.Entity + "." + c.Operation
	ctx, span := w.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindClient), w.attributes, trace.WithAttributes(semconv.RPCMethod(method)))
	code := facade.InternalError // should it panic
	defer func() {
		if code != "" {
			failed(span, code)
		}
		span.End()
	}()
	own := *c
	own.Invocation.Trace = traceOf(ctx)
	res, err = w.next.Call(ctx, &own)
	code = facade.CodeOf(err)
	return res, err
}

// observe is told of every call of a remote, by the remote: within the span of the
// trip, where there is one.
func (t *telemetry) observe(ctx context.Context, e envelope.Event) {
	if e.Breaker != "" {
		return // a scrape asks how it stands
	}
	if t.metrics != nil {
		t.metrics.tripped(&e)
	}
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(attribute.Int("frond.requests", e.Posts), attribute.Bool("frond.coalesced", e.RodeAlong))
		if e.Aboard > 1 {
			span.SetAttributes(attribute.Int("frond.aboard", e.Aboard))
		}
		if e.Keys > 0 {
			span.SetAttributes(attribute.Int("frond.keys", e.Keys))
		}
	}
}

// header adds the tracestate of the trip; its traceparent goes along with the call.
func header(ctx context.Context, h http.Header) {
	if trace.SpanContextFromContext(ctx).TraceState().Len() > 0 {
		w3c.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// remote is a remote's options with the telemetry told of what it does.
func (t *telemetry) remote(o *envelope.RemoteOptions) *envelope.RemoteOptions {
	if t == nil {
		return o
	}
	o.Observe = t.observe
	if t.tracer != nil {
		o.Header = header
	}
	return o
}
