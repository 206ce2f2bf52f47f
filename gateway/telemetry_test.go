package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
	traceparent  = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// recorded is a provider that keeps every span.
func recorded(t *testing.T) (*sdktrace.TracerProvider, *tracetest.SpanRecorder) {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	t.Cleanup(func() { _ = p.Shutdown(t.Context()) })
	return p, spans
}

// tree is the spans of a trace as an outline: kind, name, status and attributes of
// each, below its parent. Spans whose parent is not of ours stand at the left.
func tree(spans []sdktrace.ReadOnlySpan) string {
	ours := map[string]bool{}
	for _, s := range spans {
		ours[s.SpanContext().SpanID().String()] = true
	}
	var b strings.Builder
	var below func(parent string, depth int)
	write := func(s sdktrace.ReadOnlySpan, depth int) {
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", depth), s.SpanKind(), s.Name())
		if s.Status().Code != 0 {
			fmt.Fprintf(&b, " %s", s.Status().Code)
		}
		var said []string
		for _, a := range s.Attributes() {
			if key := string(a.Key); key != "server.port" && key != "url.scheme" && key != "user_agent.original" {
				said = append(said, key+"="+a.Value.String())
			}
		}
		slices.Sort(said)
		fmt.Fprintf(&b, " [%s]\n", strings.Join(said, " "))
		below(s.SpanContext().SpanID().String(), depth+1)
	}
	below = func(parent string, depth int) {
		for _, s := range spans {
			if s.Parent().SpanID().String() == parent {
				write(s, depth)
			}
		}
	}
	for _, s := range spans {
		if !ours[s.Parent().SpanID().String()] {
			write(s, 0)
		}
	}
	return b.String()
}

// library is a project of two Fronds, one of which may run elsewhere.
func library(t *testing.T) *facade.Project {
	t.Helper()
	return folderOf(t, map[string]string{
		"fronds/people/entities/writer.yaml": writerCard, "fronds/books/entities/book.yaml": bookCard,
		"fronds/people/seeds/writer.yaml": "[{id: w1, name: Ann}]", "fronds/books/seeds/book.yaml": "[{id: b1, title: One, writerId: w1}]",
	})
}

// TestOneTrace: what a client's trace has of a query over two hosts, on either side
// of the wire, each span below the one it was made in.
func TestOneTrace(t *testing.T) {
	provider, spans := recorded(t)
	remote := newElsewhere(t)
	var sent []http.Header
	r, err := gateway.NewReceiver(library(t), "people", &gateway.ReceiverOptions{Options: *quiet(gateway.Options{Tracing: provider})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	remote.stand(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		sent = append(sent, req.Header.Clone())
		r.Handler().ServeHTTP(w, req)
	}))
	gw, err := gateway.New(library(t), quiet(gateway.Options{
		Tracing: provider, Config: gateway.Config{Remotes: map[string]gateway.Remote{"people": {URL: remote.url()}}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })

	req := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"query Books { books { items { title writer { name } } } }"}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", traceparent)
	req.Header.Set("Tracestate", "their=own")
	sent = nil
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, req)
	if want := `{"data":{"books":{"items":[{"title":"One","writer":{"name":"Ann"}}]}}}`; w.Body.String() != want {
		t.Fatalf("%s, want %s", w.Body, want)
	}
	if got := req.Header.Get("Traceparent"); got != traceparent {
		t.Errorf("the caller's own request was changed: %s", got)
	}

	var mine []sdktrace.ReadOnlySpan
	for _, s := range spans.Ended() {
		if s.SpanContext().TraceID().String() == callersTrace {
			mine = append(mine, s)
		}
	}
	want := `server POST /graphql [frond.surface=graphql graphql.operation.name=Books graphql.operation.type=query http.request.method=POST http.response.status_code=200 http.route=/graphql url.path=/graphql]
  internal book.list [frond.entity=book frond.kind=query frond.name=books frond.operation=list frond.outcome=ok frond.rows=1]
  internal writer.findById [frond.entity=writer frond.keys=1 frond.kind=query frond.name=people frond.operation=findById frond.outcome=ok frond.rows=1]
    client writer.findById [frond.coalesced=false frond.name=people frond.requests=1 rpc.method=writer.findById rpc.system.name=jsonrpc server.address=127.0.0.1]
      server POST /_kit/call [frond.surface=envelope http.request.method=POST http.response.status_code=200 http.route=/_kit/call url.path=/_kit/call]
        internal writer.findById [frond.entity=writer frond.kind=query frond.name=people frond.operation=findById frond.outcome=ok frond.rows=1]
`
	if diff := cmp.Diff(want, tree(mine)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(sent) != 1 || sent[0].Get("Tracestate") != "their=own" {
		t.Errorf("the remote was sent %v", sent)
	}
	for _, s := range mine {
		if s.Name() == "POST /graphql" && (s.Parent().SpanID().String() != callersSpan || !s.Parent().IsRemote()) {
			t.Errorf("the request's parent is %v", s.Parent())
		}
		if s.Name() == "writer.findById" && s.SpanKind().String() == "client" {
			if want := "00-" + callersTrace + "-" + s.SpanContext().SpanID().String() + "-01"; len(sent) == 1 && sent[0].Get("Traceparent") != want {
				t.Errorf("the remote was sent %s, want %s", sent[0].Get("Traceparent"), want)
			}
		}
	}
}

// TestSpansOfSurfaces: each surface's request and call; whose mistake a failure was;
// and nothing of what a caller writes beyond what there is.
func TestSpansOfSurfaces(t *testing.T) {
	provider, spans := recorded(t)
	gw, err := gateway.New(library(t), quiet(gateway.Options{
		Tracing: provider, Middleware: []facade.Middleware{breaking},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	const (
		book = "frond.entity=book frond.kind=query frond.name=books frond.operation="
		json = "Content-Type: application/json"
	)
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		want                     string
	}{
		{"rest", "GET", "/api/books/books/b1", "", nil, `
server GET /api/books/books/{id} [frond.surface=rest http.request.method=GET http.response.status_code=200 http.route=/api/books/books/{id} url.path=/api/books/books/b1]
  internal book.findById [` + book + `findById frond.outcome=ok frond.rows=1]`},
		{"a route that is not there", "GET", "/api/books/nope", "", nil, `
server GET [frond.surface=rest http.request.method=GET http.response.status_code=404 url.path=/api/books/nope]`},
		{"a path that is not there", "GET", "/nope", "", nil, `
server GET [http.request.method=GET http.response.status_code=404 url.path=/nope]`},
		{"a path that is not UTF-8", "GET", "/nope/%FF", "", nil, `
server GET [http.request.method=GET http.response.status_code=404 url.path=/nope/�]`},
		{"a verb that is none", "BREW", "/api/books/books", "", nil, `
server _OTHER /api/books/books [frond.surface=rest http.request.method=_OTHER http.response.status_code=405 http.route=/api/books/books url.path=/api/books/books]`},
		{"the envelope, with names that are not there", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"secret.thing"}`, []string{json}, `
server POST /_kit/call [frond.surface=envelope http.request.method=POST http.response.status_code=200 http.route=/_kit/call url.path=/_kit/call]
  internal unknown [error.type=NOT_FOUND frond.entity=unknown frond.kind=unknown frond.name=unknown frond.operation=unknown frond.outcome=NOT_FOUND]`},
		{"a mistake of ours", "GET", "/api/books/books?limit=13", "", nil, `
server GET /api/books/books Error [error.type=500 frond.surface=rest http.request.method=GET http.response.status_code=500 http.route=/api/books/books url.path=/api/books/books]
  internal book.list Error [error.type=INTERNAL_ERROR ` + book + `list frond.outcome=INTERNAL_ERROR]`},
		{"a document that is refused", "POST", "/graphql", `{"query":"{ nope }"}`, []string{json}, `
server POST /graphql [frond.surface=graphql http.request.method=POST http.response.status_code=200 http.route=/graphql url.path=/graphql]`},
		{"health", "GET", "/readyz", "", nil, "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans.Reset()
			gatewaytest.Do(gw.Handler(), c.method, c.path, c.body, c.headers...)
			if diff := cmp.Diff(strings.TrimSpace(c.want), strings.TrimSpace(tree(spans.Ended()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhichTrace: the one a frame names is its call's, and the request's where both
// are of one trace. An id that goes out is that of the trace.
func TestWhichTrace(t *testing.T) {
	provider, spans := recorded(t)
	var log bytes.Buffer
	opts := quiet(gateway.Options{Tracing: provider, Middleware: []facade.Middleware{breaking}})
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	opts.Config.Log.NoAccess = true
	gw, err := gateway.New(library(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	const other = "0af7651916cd43dd8448eb211c80319c"
	for _, c := range []struct {
		name, header, frame  string
		trace, parent, links string // of the call's span; parent "request" is the request's
	}{
		{"of the header", traceparent, "", callersTrace, "request", ""},
		{"of both, the same", traceparent, traceparent, callersTrace, "request", ""},
		{"of both, each its own", traceparent, "00-" + other + "-b7ad6b7169203331-01", other, "b7ad6b7169203331", "request"},
		{"of the frame alone", "", "00-" + other + "-b7ad6b7169203331-01", other, "b7ad6b7169203331", "request"},
		{"of neither", "", "", "", "request", ""},
		{"what is none", "00-" + callersTrace + "-x", "nonsense", "", "request", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans.Reset()
			log.Reset()
			var headers []string
			if c.header != "" {
				headers = []string{"Traceparent: " + c.header}
			}
			frame := `{"jsonrpc":"2.0","id":1,"method":"book.list","params":{"query":{"limit":13}}}`
			if c.frame != "" {
				frame = strings.TrimSuffix(frame, "}}") + `,"trace":"` + c.frame + `"}}`
			}
			w := gatewaytest.Do(gw.Handler(), "POST", "/_kit/call", frame, append(headers, "Content-Type: application/json")...)
			ended := spans.Ended()
			if len(ended) != 2 {
				t.Fatalf("%d spans: %s", len(ended), w.Body)
			}
			call, request := ended[0], ended[1]
			id := call.SpanContext().TraceID().String()
			parent, links := call.Parent().SpanID().String(), ""
			for _, l := range call.Links() {
				links = l.SpanContext.SpanID().String()
			}
			requests := request.SpanContext().SpanID().String()
			parent, links = strings.Replace(parent, requests, "request", 1), strings.Replace(links, requests, "request", 1)
			if c.trace != "" && id != c.trace || parent != c.parent || links != c.links {
				t.Errorf("the call is of %s under %s with a link to %q, want %s, %s, %q", id, parent, links, c.trace, c.parent, c.links)
			}
			if c.frame == "" || c.header != "" && c.links == "" {
				if !strings.Contains(w.Body.String(), `"traceId":"`+id+`"`) || !strings.Contains(log.String(), "trace="+id) {
					t.Errorf("%s is not the id in %s and %s", id, w.Body, &log)
				}
			}
			if n := strings.Count(log.String(), "trace="); n != 1 {
				t.Errorf("the line names %d traces: %s", n, &log)
			}
		})
	}
}

// breaking breaks a list that asks for thirteen.
func breaking(next facade.Caller) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		if strings.Contains(string(c.Invocation.Query), `"limit":13`) {
			panic("thirteen")
		}
		return next.Call(ctx, c)
	})
}
