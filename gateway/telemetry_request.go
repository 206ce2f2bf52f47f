package gateway

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/resolvers"
)

// noted is what is found out about a request on its way down.
type noted struct {
	surface string
	span    trace.Span // nil: spans are not told
}

type notedKey struct{}

// elsewhereSurface is a request's surface that came to none.
const elsewhereSurface = "none"

// requests tells of every request that next answers, but those of who asks whether
// the service is well. What is said of its trace is replaced by its own span: surfaces
// read the header.
func (t *telemetry) requests(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		began := time.Now()
		n := &noted{surface: elsewhereSurface}
		ctx := context.WithValue(r.Context(), notedKey{}, n)
		if t.tracer != nil {
			ctx = w3c.Extract(ctx, propagation.HeaderCarrier(r.Header))
			ctx, n.span = t.tracer.Start(ctx, methodOf(r), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(requestAttributes(r)...))
			r = r.WithContext(ctx)
			r.Header = r.Header.Clone() // it is the server's, or whose router we stand on
			w3c.Inject(ctx, propagation.HeaderCarrier(r.Header))
		} else {
			r = r.WithContext(ctx)
		}
		if t.metrics != nil {
			t.metrics.requestsInFlight.Inc()
		}
		seen := &response{ResponseWriter: w}
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

// answered tells how a request went.
func (t *telemetry) answered(n *noted, method string, status int, took time.Duration) {
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

// methodOf is a request's method, where HTTP knows it: what anybody can write is no
// name of a span and no label.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return r.Method
	case "":
		return http.MethodGet
	}
	return "_OTHER"
}

// at notes which surface a request came to, and by which route of it.
func (t *telemetry) at(surface string, route func(*http.Request) string, next http.Handler) http.Handler {
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

// executed tells which GraphQL operation a request asked for. Its text stays here.
func (t *telemetry) executed(ctx context.Context, res *resolvers.Response) {
	if n, ok := ctx.Value(notedKey{}).(*noted); ok && n.span != nil && res.Type != "" {
		n.span.SetAttributes(semconv.GraphQLOperationTypeKey.String(res.Type))
		if res.Name != "" {
			n.span.SetAttributes(semconv.GraphQLOperationName(res.Name))
		}
		if res.RodeAlong {
			n.span.SetAttributes(attribute.Bool("frond.coalesced", true))
		}
	}
	if m := t.metrics; m != nil {
		kind, outcome := res.Type, "executed"
		if kind == "" {
			kind = "unknown"
		}
		switch {
		case res.RodeAlong:
			outcome = "coalesced"
		case !res.Executed:
			outcome = "refused"
		}
		m.operations.WithLabelValues(kind, outcome).Inc()
	}
}
