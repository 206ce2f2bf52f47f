//go:build !race

// Under the race detector pools lose what they keep at random, and nothing can be counted.

package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/storetest"
)

// TestOffCostsNothing: without spans and metrics a call and a GraphQL request allocate what
// they do on the bare façade and the bare handler. With them they allocate more, or this
// test has measured nothing.
func TestOffCostsNothing(t *testing.T) {
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		t.Setenv(name, "")
	}
	off := measured(t, &Options{})
	if off.host.telemetry != nil {
		t.Fatal("there is telemetry that nothing asks for")
	}
	other := measured(t, &Options{}) // a store is made ready for one façade
	bare, err := facade.New(storetest.Compiled(t, storetest.Project(t)), other.host.store.Store, nil)
	if err == nil {
		err = other.host.prepare(t.Context(), bare)
	}
	if err != nil {
		t.Fatal(err)
	}
	direct := func() http.Handler {
		schema, err := off.current.Load().project(off.current.Load().places[0])
		if err != nil {
			t.Fatal(err)
		}
		engine, err := resolvers.NewEngine(schema, bare, &resolvers.Options{Logger: off.host.log, Budget: off.host.budget})
		if err != nil {
			t.Fatal(err)
		}
		return frontOf(NewGraphQL(engine, &GraphQLOptions{Session: off.session, Budget: off.host.budget, Log: off.host.log}), off.host.log)
	}()
	calls, requests := callCost(bare), requestCost(t, direct)
	if got := callCost(off.Caller()); got != calls {
		t.Errorf("a call allocates %v times, on the bare façade %v", got, calls)
	}
	if got := requestCost(t, off.handler); got != requests {
		t.Errorf("a GraphQL request allocates %v times, at the bare handler %v", got, requests)
	}

	provider := sdktrace.NewTracerProvider()
	defer func() { _ = provider.Shutdown(t.Context()) }()
	for name, opts := range map[string]*Options{
		"spans": {Tracing: provider}, "numbers": {Config: Config{Extras: all.Extras(), Admin: Admin{Listen: "127.0.0.1:0"}}},
	} {
		on := measured(t, opts)
		call, request := callCost(on.Caller()), requestCost(t, on.handler)
		t.Logf("%s: a call allocates %v times instead of %v, a GraphQL request %v instead of %v", name, call, calls, request, requests)
		if call < calls || request <= requests {
			t.Errorf("%s: a call allocates %v times, a GraphQL request %v; without %v and %v", name, call, request, calls, requests)
		}
	}
}

func measured(t *testing.T, opts *Options) *Gateway {
	t.Helper()
	opts.Undecided = true
	opts.Config.Store, opts.Logger = memoryStore, slog.New(slog.DiscardHandler)
	gw, err := New(storetest.Project(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw
}

func callCost(c facade.Caller) float64 {
	ctx := context.Background()
	call := &facade.Call{Entity: "author", Operation: "findById", Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"nobody"}`)}}
	return testing.AllocsPerRun(200, func() { _, _ = c.Call(ctx, call) })
}

func requestCost(t *testing.T, h http.Handler) float64 {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	r.Header.Set("Content-Type", "application/json")
	const body = `{"query":"{ author(id: \"nobody\") { name } }"}`
	w := httptest.NewRecorder()
	ask := func() {
		r.Body = readCloser{strings.NewReader(body)}
		h.ServeHTTP(w, r)
	}
	if ask(); !strings.Contains(w.Body.String(), `{"data":{"author":null}}`) {
		t.Fatal(w.Body)
	}
	return testing.AllocsPerRun(200, ask)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
