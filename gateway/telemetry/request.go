package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// noted has the notes about a request while it is answered; a surface fills it in.
type noted struct {
	surface string
	span    trace.Span // nil: there are no spans
}

// notedKey is the key of the *noted in the context of a request.
type notedKey struct{}

// noSurface is the surface of a request that reached none.
const noSurface = "none"

// Requests reports every request that next answers, except health checks. The request's own
// span takes the place of the one in its headers, since surfaces read the header. Without
// spans the headers pass unchanged, so a trace of the caller still reaches remotes.
func (t *Telemetry) Requests(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		began := time.Now()
		n := &noted{surface: noSurface}
		ctx := context.WithValue(r.Context(), notedKey{}, n)
		if t.tracer != nil {
			ctx = w3c.Extract(ctx, propagation.HeaderCarrier(r.Header))
			ctx, n.span = t.tracer.Start(ctx, methodOf(r), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(requestAttributes(r)...))
			r = r.WithContext(ctx)
			r.Header = r.Header.Clone() // it belongs to the server
			w3c.Inject(ctx, propagation.HeaderCarrier(r.Header))
		} else {
			r = r.WithContext(ctx)
		}
		if t.metrics != nil {
			t.metrics.requestsInFlight.Inc()
		}
		seen := &response{ResponseWriter: w}
		// Without recover: a panic goes on to net/http, and whole stays false.
		whole := false
		defer func() {
			status := seen.status
			switch {
			case !whole:
				status = http.StatusInternalServerError // it panicked, or was cut off
			case status == 0:
				status = http.StatusOK
			}
			t.answered(n, methodOf(r), status, time.Since(began))
		}()
		next.ServeHTTP(seen, r)
		whole = true
	})
}

// answered reports the end of a request. Only a status from 500 on makes the span of a server
// an error (semantic conventions for HTTP).
func (t *Telemetry) answered(n *noted, method string, status int, took time.Duration) {
	if n.span != nil {
		n.span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		if status >= 500 {
			n.span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(status)))
			n.span.SetStatus(codes.Error, "")
		}
		n.span.End()
	}
	if m := t.metrics; m != nil {
		m.requestsInFlight.Dec()
		m.requests.WithLabelValues(n.surface, method, strconv.Itoa(status)).Inc()
		m.requestDuration.WithLabelValues(n.surface).Observe(took.Seconds())
	}
}

// requestAttributes are those known at the start of a request (semantic conventions for HTTP
// servers). The query is left out: it may hold what must not be exported.
func requestAttributes(r *http.Request) []attribute.KeyValue {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	all := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(methodOf(r)), semconv.URLScheme(scheme), semconv.URLPath(r.URL.Path),
	}
	if agent := r.UserAgent(); agent != "" {
		all = append(all, semconv.UserAgentOriginal(agent))
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

// At reports which surface a request reached, and by which route of it. route returns "" for a
// request that matches none. The span is then called METHOD ROUTE, such as GET /orders/{id};
// before it is the method alone, since a path would make a name for each id.
func (t *Telemetry) At(surface string, route func(*http.Request) string, next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, ok := r.Context().Value(notedKey{}).(*noted); ok {
			n.surface = surface
			if n.span != nil {
				n.span.SetAttributes(attribute.String("frond.surface", surface))
				if route := route(r); route != "" {
					n.span.SetAttributes(semconv.HTTPRoute(route))
					n.span.SetName(methodOf(r) + " " + route)
				}
			}
		}
		next.ServeHTTP(w, r)
	})
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
	accessOf(ctx).did(cmp.Or(op.Name, op.Kind))
	if t == nil {
		return
	}
	if n, ok := ctx.Value(notedKey{}).(*noted); ok && n.span != nil && op.Kind != "" {
		n.span.SetAttributes(semconv.GraphQLOperationTypeKey.String(op.Kind))
		if op.Name != "" {
			n.span.SetAttributes(semconv.GraphQLOperationName(op.Name))
		}
		if op.Coalesced {
			n.span.SetAttributes(attribute.Bool("frond.coalesced", true))
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
		m.operations.WithLabelValues(cmp.Or(op.Kind, "unknown"), outcome).Inc()
	}
}
