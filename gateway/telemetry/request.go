package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/facade/kiterror"
)

// request is the report of one request: its span, its metrics and its line in the access log. It is
// the context of the request too, where surfaces find it. The methods of a nil request are silent.
type request struct {
	context.Context
	telemetry *Telemetry   // nil: neither a span nor metrics
	log       *slog.Logger // nil: no line
	span      trace.Span   // nil: no spans
	recorded  bool         // the span is
	trace     [1]string    // its traceparent, as a header has it
	began     time.Time
	surface   string
	labels    [3]string // of its metrics, here so that they take no allocation

	mu         sync.Mutex
	found      []attribute.KeyValue // of the span, which gets them at its end
	operations []string             // the first few
	more       int                  // how many others
	caller     string               // state.user.id; "": anonymous
}

type requestKey struct{}

// Value is the report itself for its key.
func (q *request) Value(key any) any {
	if key == (requestKey{}) {
		return q
	}
	return q.Context.Value(key)
}

// requestOf is the report of the request that ctx belongs to, or nil.
func requestOf(ctx context.Context) *request {
	q, _ := ctx.Value(requestKey{}).(*request)
	return q
}

// noSurface is the surface of a request that reached no surface.
const noSurface = "none"

var serverSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

// Begin begins the report of a request, and returns the request under the context of the report,
// derived from ctx. log takes the line; nil: no line is written. Health checks have neither spans
// nor metrics, and a line at debug alone. The report is nil without spans, metrics and a line.
//
// The request's own span takes the place of the one in its headers, since surfaces read the header.
// Without spans the headers pass unchanged, so a trace of the caller still reaches remotes.
func (t *Telemetry) Begin(ctx context.Context, r *http.Request, log *slog.Logger) (*request, *http.Request) { //nolint:revive // callers need its methods alone
	if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
		t = nil
	}
	if log != nil && !log.Enabled(ctx, levelOf(r)) {
		log = nil
	}
	if t == nil && log == nil {
		return nil, r.WithContext(ctx)
	}
	q := &request{Context: ctx, telemetry: t, log: log, began: time.Now(), surface: noSurface}
	if t != nil && t.metrics != nil {
		t.metrics.requestsInFlight.Inc()
	}
	if t == nil || t.tracer == nil {
		return q, r.WithContext(q) //nolint:contextcheck // q is under ctx
	}
	if r.Header["Traceparent"] != nil {
		ctx = w3c.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	var attributes []attribute.KeyValue
	if !t.own {
		attributes = requestAttributes(r)
	}
	q.Context, q.span = t.start(ctx, methodOf(r), attributes, serverSpan...)
	if q.recorded = q.span.IsRecording(); q.recorded && t.own {
		q.found = requestAttributes(r)
	}
	is := q.span.SpanContext()
	q.trace[0] = textOf(is)
	r = r.WithContext(q)            //nolint:contextcheck // q is under ctx
	r.Header = maps.Clone(r.Header) // it belongs to the server
	if q.trace[0] != "" {
		r.Header["Traceparent"] = q.trace[:]
	}
	if state := is.TraceState(); state.Len() > 0 {
		r.Header["Tracestate"] = []string{state.String()}
	}
	return q, r
}

// End ends the report of a request with the status and the bytes of its answer. Without whole the
// answer was cut off: it counts as a failure, and no line is written. Only a status from 500 on
// makes the span of a server an error (semantic conventions for HTTP).
func (q *request) End(r *http.Request, status int, bytes int64, whole bool) {
	if q == nil {
		return
	}
	took := time.Since(q.began)
	switch {
	case !whole:
		status = http.StatusInternalServerError
	case status == 0:
		status = http.StatusOK // net/http's own, where the handler set none
	}
	if whole {
		q.write(r, status, bytes, took)
	}
	if q.recorded {
		if status >= 500 {
			q.add(semconv.ErrorTypeKey.String(strconv.Itoa(status)))
			q.span.SetStatus(codes.Error, "")
		}
		q.span.SetAttributes(q.add(semconv.HTTPResponseStatusCode(status))...)
	}
	if q.span != nil {
		q.span.End()
	}
	if q.telemetry != nil && q.telemetry.metrics != nil {
		m := q.telemetry.metrics
		m.requestsInFlight.Dec()
		q.labels = [...]string{q.surface, methodOf(r), strconv.Itoa(status)}
		m.requests(q.labels[:]...).Inc()
		m.requestDuration(q.labels[:1]...).Observe(took.Seconds())
	}
}

// add adds attributes to the span and returns all attributes so far.
func (q *request) add(more ...attribute.KeyValue) []attribute.KeyValue {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.found = append(q.found, more...)
	return q.found
}

// requestAttributes are those known at the start of a request (semantic conventions for HTTP
// servers). The query is left out: it may hold secrets. Texts of the caller become UTF-8, since a
// span with another text, and the spans sent with it, cannot be exported.
func requestAttributes(r *http.Request) []attribute.KeyValue {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	all := append(make([]attribute.KeyValue, 0, 8),
		semconv.HTTPRequestMethodKey.String(methodOf(r)), semconv.URLScheme(scheme), semconv.URLPath(strings.ToValidUTF8(r.URL.Path, "\uFFFD")))
	if agent := r.UserAgent(); agent != "" {
		all = append(all, semconv.UserAgentOriginal(strings.ToValidUTF8(agent, "\uFFFD")))
	}
	return all
}

// methodOf is a request's method if HTTP defines it, else _OTHER: a caller must not choose
// the names of spans and the values of labels.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return r.Method
	case "":
		return http.MethodGet
	}
	return "_OTHER"
}

// At reports which surface the request reached, and by which route of it. route returns "" for a
// request without one. The span is then called METHOD ROUTE, such as GET /orders/{id}; before it
// is the method alone, since a path would make a name for each id.
func (q *request) At(surface string, route func(*http.Request) string, r *http.Request) {
	if q == nil {
		return
	}
	q.surface = surface
	if !q.recorded {
		return
	}
	q.add(attribute.String("frond.surface", surface))
	if route := route(r); route != "" {
		q.add(semconv.HTTPRoute(route))
		q.span.SetName(methodOf(r) + " " + route)
	}
}

// GraphQLOperation is a GraphQL operation that a request was answered for.
type GraphQLOperation struct {
	Name      string // "": it has none
	Kind      string // query, mutation or subscription; "": the document was refused before that was known
	Executed  bool   // else it was refused
	Coalesced bool   // an equal request's execution answered it
}

// Operation reports the GraphQL operation of the request that ctx belongs to. Its text is not
// reported. The access line names it even where t is nil. Kind "" counts as unknown.
func (t *Telemetry) Operation(ctx context.Context, op GraphQLOperation) {
	q := requestOf(ctx)
	q.did(cmp.Or(op.Name, op.Kind))
	if t == nil {
		return
	}
	if q != nil && q.recorded && op.Kind != "" {
		q.add(semconv.GraphQLOperationTypeKey.String(op.Kind))
		if op.Name != "" {
			q.add(semconv.GraphQLOperationName(op.Name))
		}
		if op.Coalesced {
			q.add(attribute.Bool("frond.coalesced", true))
		}
	}
	if m := t.metrics; m != nil {
		outcome := "executed"
		switch {
		case op.Coalesced:
			outcome = "coalesced"
		case !op.Executed:
			outcome = "refused"
		}
		m.operations(cmp.Or(op.Kind, "unknown"), outcome).Inc()
	}
}

// mostNamed is how many operations of one request a line names.
const mostNamed = 5

// did notes an operation of a request.
func (q *request) did(operation string) {
	if q == nil || q.log == nil || operation == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.operations) == mostNamed {
		q.more++
		return
	}
	q.operations = append(q.operations, cut(operation))
}

// by notes the caller. The last one noted counts; all frames of a batch have one caller.
func (q *request) by(id string) {
	if q != nil && q.log != nil && id != "" {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.caller = cut(id)
	}
}

// cut bounds a text of the caller's in the log. It drops a rune that it cuts in two.
func cut(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// levelOf is the level of a request's line: debug for probes and scrapes, which come by the
// clock. A gateway at info has no line for them.
func levelOf(r *http.Request) slog.Level {
	switch r.URL.Path {
	case "/livez", "/readyz", "/metrics":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// write writes the line.
//
//	level=INFO msg=request method=POST path=/graphql operation=Orders status=200 took=1.2ms
//	bytes=512 caller=ada from=127.0.0.1:5231 trace=4bf92f35…
//
// The query of the address is left out: it may hold values of the caller's.
func (q *request) write(r *http.Request, status int, bytes int64, took time.Duration) {
	if q.log == nil {
		return
	}
	// A handler that timed out may still note operations.
	q.mu.Lock()
	defer q.mu.Unlock()
	attrs := make([]slog.Attr, 0, 9)
	attrs = append(attrs, slog.String("method", cut(r.Method)), slog.String("path", cut(r.URL.Path)))
	if len(q.operations) > 0 {
		names := strings.Join(q.operations, ", ")
		if q.more > 0 {
			names += fmt.Sprintf(" and %d more", q.more)
		}
		attrs = append(attrs, slog.String("operation", names))
	}
	attrs = append(attrs, slog.Int("status", status), slog.Duration("took", took), slog.Int64("bytes", bytes))
	if q.caller != "" {
		attrs = append(attrs, slog.String("caller", q.caller))
	}
	attrs = append(attrs, slog.String("from", r.RemoteAddr), traceIn(r))
	q.log.LogAttrs(r.Context(), levelOf(r), "request", attrs...)
}

// Called notes, for the access line of the request that ctx belongs to, an operation that it
// calls and the id of its caller, unless they are "". It returns at once without an access log,
// and may be called from many goroutines.
func Called(ctx context.Context, operation, caller string) {
	q := requestOf(ctx)
	q.did(operation)
	q.by(caller)
}

// traceIn is the trace in a request's headers as an attribute, or empty.
func traceIn(r *http.Request) slog.Attr {
	if id := kiterror.TraceID(r.Header.Get("Traceparent")); id != "" {
		return slog.String(traceKey, id)
	}
	return slog.Attr{}
}
