package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// TestSpansOfHandlers: what a handler calls stands below the call it answers, whoever
// it calls as.
func TestSpansOfHandlers(t *testing.T) {
	provider, spans := recorded(t)
	p := folderOf(t, map[string]string{
		"entities/book.yaml": strings.Replace(bookCard, "writerId: {type: string, x-kit: {role: {relation: {to: writer, kind: one}}}}", "pages: {type: integer}", 1),
		"frond.yaml":         "doors: {book: {operations: {shelf: {kind: query, cardinality: none}}}}",
	})
	facade.HandleQuery(p.Door("book"), "shelf", func(ctx context.Context, _ struct{}) (bool, error) {
		for _, caller := range []facade.Caller{facade.From(ctx), facade.Inside(ctx)} {
			if _, err := caller.Call(ctx, &facade.Call{Entity: "book", Operation: "list"}); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	gw, err := gateway.New(p, quiet(gateway.Options{Tracing: provider}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	if _, err := gw.Caller().Call(t.Context(), &facade.Call{Entity: "BOOK", Operation: "shelf", Invocation: facade.Invocation{Trace: traceparent}}); err != nil {
		t.Fatal(err)
	}
	const of = " [frond.entity=book frond.kind=query frond.name=app frond.operation="
	want := `internal book.shelf` + of + `shelf frond.outcome=ok]
  internal book.list` + of + `list frond.outcome=ok frond.rows=0]
  internal book.list` + of + `list frond.outcome=ok frond.rows=0]
`
	got := tree(spans.Ended())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range spans.Ended() {
		if s.SpanContext().TraceID().String() != callersTrace {
			t.Errorf("%s is of another trace", s.Name())
		}
	}
}

// TestSpansOfSharedRoundTrips: equal calls that share a round trip have a span each, and one
// of them made the request.
func TestSpansOfSharedRoundTrips(t *testing.T) {
	provider, spans := recorded(t)
	remote := newElsewhere(t)
	r, err := gateway.NewReceiver(library(t), "people", &gateway.ReceiverOptions{Options: *quiet(gateway.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	var asked atomic.Int64
	hold := make(chan struct{})
	remote.stand(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Traceparent") != "" { // discovery has none
			asked.Add(1)
			<-hold
		}
		r.Handler().ServeHTTP(w, req)
	}))
	gw, err := gateway.New(library(t), quiet(gateway.Options{
		Tracing: provider, Config: gateway.Config{Remotes: map[string]gateway.Remote{"people": {URL: remote.url()}}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	spans.Reset()
	var all sync.WaitGroup
	const callers = 4
	for range callers {
		all.Go(func() {
			_, err := gw.Caller().Call(t.Context(), &facade.Call{Entity: "writer", Operation: "list"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, func() string {
		return fmt.Sprint(gw.Remotes()[0].Calls.InFlight, asked.Load() > 0, len(spans.Started()))
	}, fmt.Sprint("1 true ", 2*callers))
	close(hold)
	all.Wait()
	alone, shared := 0, 0
	for _, s := range spans.Ended() {
		if s.SpanKind() != trace.SpanKindClient {
			continue
		}
		said := map[string]string{}
		for _, a := range s.Attributes() {
			said[string(a.Key)] = a.Value.String()
		}
		switch said["frond.coalesced"] + " " + said["frond.requests"] {
		case "false 1":
			alone++
		case "true 0":
			if shared++; said["frond.waiters"] == "" {
				t.Errorf("one that shared says %v", said)
			}
		default:
			t.Errorf("a trip says %v", said)
		}
	}
	if alone+shared != callers || alone != int(asked.Load()) || shared == 0 {
		t.Errorf("%d made requests and %d shared, of %d callers; the host was asked %d times", alone, shared, callers, asked.Load())
	}
}
