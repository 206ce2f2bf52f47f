package gateway_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// numbers are those of a scrape, as Prometheus itself reads it: by name and labels,
// of a histogram how many there were and their sum.
func numbers(t *testing.T, h http.Handler) map[string]float64 {
	t.Helper()
	w := gatewaytest.Do(h, "GET", "/metrics", "")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("/metrics: %d %s", w.Code, w.Header())
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, f := range families {
		if f.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			key := name
			if labels != nil {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case m.Counter != nil:
				all[key] = m.GetCounter().GetValue()
			case m.Gauge != nil:
				all[key] = m.GetGauge().GetValue()
			case m.Histogram != nil:
				all[key+"#"] = float64(m.GetHistogram().GetSampleCount())
				all[key] = m.GetHistogram().GetSampleSum()
			}
		}
	}
	return all
}

// counted is a gateway that counts.
func counted(t *testing.T, opts gateway.Options) *gateway.Gateway {
	t.Helper()
	opts.Config.Admin.Listen = "127.0.0.1:0"
	gw, err := gateway.New(library(t), quiet(opts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw
}

// TestNumbersOfTheStore: its connections, its tables, and its statements with their failures.
func TestNumbersOfTheStore(t *testing.T) {
	gw := counted(t, gateway.Options{})
	const tables, statements, taken = "frond_store_tables{state=ready}", "frond_store_statement_duration_seconds#", "frond_store_errors_total{class=constraint}"
	before := numbers(t, gw.AdminHandler())
	for deadline := time.Now().Add(time.Minute); before["frond_store_connections_in_use"] != 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // work behind the start
		before = numbers(t, gw.AdminHandler())
	}
	if before["frond_store_connections"] < 1 || before["frond_store_connections_in_use"] != 0 || before["frond_store_connections_waiting"] != 0 {
		t.Errorf("%v", before)
	}
	if before[tables] != 1 || before["frond_store_tables{state=newer}"] != 0 || before[taken] != 0 {
		t.Errorf("tables %v, newer %v, failures %v", before[tables], before["frond_store_tables{state=newer}"], before[taken])
	}
	gatewaytest.Do(gw.Handler(), "POST", "/api/people/writers", `{"id":"w1","name":"Again"}`, gatewaytest.AsJSON)
	after := numbers(t, gw.AdminHandler())
	if after[statements] <= before[statements] || after[taken] != 1 {
		t.Errorf("%v statements, then %v; %v failures", before[statements], after[statements], after[taken])
	}
}

// TestNumbers: the numbers after a known set of calls.
func TestNumbers(t *testing.T) {
	remote := newElsewhere(t)
	remote.serve("people", library(t))
	gw := counted(t, gateway.Options{Config: gateway.Config{
		Remotes: map[string]gateway.Remote{"people": {URL: remote.url()}}, Limits: gateway.Limits{Memory: -1, Executions: -1}, // bounds are numbers too
	}})
	h := gw.Handler()
	want := maps.Clone(numbers(t, gw.AdminHandler()))
	for key, n := range want { // but for discovery, nothing is counted that nobody did
		if strings.HasPrefix(key, "frond_") && n != 0 && !strings.HasPrefix(key, "frond_remote_") && !strings.HasPrefix(key, "frond_store_") {
			t.Errorf("%s is %v before any call", key, n)
		}
	}
	const deep = `{"query":"{ books { items { writer { name } } } }"}`
	for range 2 {
		if w := gatewaytest.Do(h, "POST", "/graphql", deep, gatewaytest.AsJSON); w.Code != 200 || !strings.Contains(w.Body.String(), "Ann") {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	gatewaytest.Do(h, "POST", "/graphql", `{"query":"{ nope }"}`, gatewaytest.AsJSON)
	gatewaytest.Do(h, "POST", "/graphql", `{"query":"mutation { createBook(input: {id: \"b2\", title: \"Two\", writerId: \"w1\"}) { id } }"}`, gatewaytest.AsJSON)
	gatewaytest.Do(h, "GET", "/api/books/books/nobody", "")
	gatewaytest.Do(h, "BREW", "/", "")
	gatewaytest.Do(h, "GET", "/livez", "")
	for i := range 3 { // names that anybody can make up are no labels
		gatewaytest.Do(h, "POST", "/_kit/call", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"made%d.up"}`, i), gatewaytest.AsJSON)
		gatewaytest.Do(h, "POST", "/_kit/call", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"book.up%d"}`, i), gatewaytest.AsJSON)
	}

	got := numbers(t, gw.AdminHandler())
	exposed := map[string]float64{}
	for key, n := range got {
		if strings.HasPrefix(key, "frond_") && !strings.HasPrefix(key, "frond_remote_") && !strings.HasPrefix(key, "frond_store_") && n != 0 && (!strings.Contains(key, "duration_seconds") || strings.HasSuffix(key, "#")) {
			exposed[key] = n
		}
	}
	if diff := cmp.Diff(map[string]float64{
		"frond_http_requests_total{method=POST,status=200,surface=graphql}":                                4,
		"frond_http_requests_total{method=GET,status=404,surface=rest}":                                    1,
		"frond_http_requests_total{method=_OTHER,status=404,surface=none}":                                 1,
		"frond_http_requests_total{method=POST,status=200,surface=envelope}":                               6,
		"frond_http_request_duration_seconds{surface=graphql}#":                                            4,
		"frond_http_request_duration_seconds{surface=rest}#":                                               1,
		"frond_http_request_duration_seconds{surface=none}#":                                               1,
		"frond_http_request_duration_seconds{surface=envelope}#":                                           6,
		"frond_graphql_operations_total{outcome=executed,type=query}":                                      2,
		"frond_graphql_operations_total{outcome=executed,type=mutation}":                                   1,
		"frond_graphql_operations_total{outcome=refused,type=unknown}":                                     1,
		"frond_calls_total{entity=book,frond=books,kind=query,operation=list,outcome=ok}":                  2,
		"frond_calls_total{entity=writer,frond=people,kind=query,operation=findById,outcome=ok}":           2,
		"frond_calls_total{entity=book,frond=books,kind=command,operation=create,outcome=ok}":              1,
		"frond_calls_total{entity=book,frond=books,kind=query,operation=findById,outcome=ok}":              1,
		"frond_calls_total{entity=unknown,frond=unknown,kind=unknown,operation=unknown,outcome=NOT_FOUND}": 6,
		"frond_call_duration_seconds{entity=book,frond=books,operation=list}#":                             2,
		"frond_call_duration_seconds{entity=writer,frond=people,operation=findById}#":                      2,
		"frond_call_duration_seconds{entity=book,frond=books,operation=create}#":                           1,
		"frond_call_duration_seconds{entity=book,frond=books,operation=findById}#":                         1,
		"frond_call_duration_seconds{entity=unknown,frond=unknown,operation=unknown}#":                     6,
		"frond_call_batch_size{entity=writer,frond=people}#":                                               2,
		"frond_call_batch_size{entity=writer,frond=people}":                                                2,
	}, exposed); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for key, more := range map[string]float64{
		"frond_remote_calls_total{outcome=ok,remote=people}": 2, "frond_remote_requests_total{remote=people}": 2,
		"frond_remote_breaker_state{remote=people}": 0, "frond_remote_retries_total{remote=people}": 0,
		"frond_remote_coalesced_total{remote=people}": 0,
	} {
		now, there := got[key]
		if d := now - want[key]; !there || d < more { // discovery goes on beside it
			t.Errorf("%s grew by %v, want %v", key, d, more)
		}
	}
	eventually(t, func() string { // discovery comes and goes
		return fmt.Sprint(numbers(t, gw.AdminHandler())["frond_remote_requests_in_flight{remote=people}"])
	}, "0")
	if got["frond_remote_known{remote=people}"] != 1 || got["go_goroutines"] < 1 || got["process_start_time_seconds"] == 0 {
		t.Errorf("known is %v, goroutines %v", got["frond_remote_known{remote=people}"], got["go_goroutines"])
	}
}

// TestNumbersOfTrouble: a remote that is down, until its breaker opens; equal queries
// that share; and what is in flight.
func TestNumbersOfTrouble(t *testing.T) {
	var shut atomic.Bool
	hold := make(chan struct{})
	holding := func(next facade.Caller) facade.Caller {
		return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if shut.Load() {
				<-hold
			}
			return next.Call(ctx, c)
		})
	}
	remote := newElsewhere(t)
	gw := counted(t, gateway.Options{
		Middleware: []facade.Middleware{holding},
		Config:     gateway.Config{Remotes: map[string]gateway.Remote{"people": {URL: remote.url(), Retries: new(int)}}},
	})
	books := func() {
		gatewaytest.Do(gw.Handler(), "POST", "/graphql", `{"query":"{ books { items { id } } }"}`, gatewaytest.AsJSON)
	}
	books() // from here on the document is known, and requests for it are equal
	shut.Store(true)
	var all sync.WaitGroup
	for range 3 {
		all.Go(books)
	}
	eventually(t, func() string {
		now := numbers(t, gw.AdminHandler())
		return fmt.Sprintf("%v requests and %v calls are in flight", now["frond_http_requests_in_flight"], now["frond_calls_in_flight"])
	}, "3 requests and 1 calls are in flight")
	close(hold)
	all.Wait()
	for range 40 {
		gatewaytest.Do(gw.Handler(), "GET", "/api/people/writers/w1", "")
	}
	got := numbers(t, gw.AdminHandler())
	if n := got["frond_graphql_operations_total{outcome=coalesced,type=query}"] + got["frond_graphql_operations_total{outcome=executed,type=query}"]; n != 4 {
		t.Errorf("%v operations, want 4", n)
	}
	if n := got["frond_graphql_operations_total{outcome=coalesced,type=query}"]; n < 1 {
		t.Errorf("%v rode along", n)
	}
	for key, want := range map[string]float64{
		"frond_remote_known{remote=people}": 0,
		"frond_calls_in_flight":             0, "frond_http_requests_in_flight": 0,
		"frond_calls_total{entity=writer,frond=people,kind=query,operation=findById,outcome=SERVICE_UNAVAILABLE}": 40,
		"frond_http_requests_total{method=GET,status=503,surface=rest}":                                           40,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if got["frond_remote_breaker_state{remote=people}"] == 0 { // open, or on probation where this machine is slow
		t.Error("the breaker is closed")
	}
	if got["frond_remote_failures_total{remote=people}"] < 20 {
		t.Errorf("%v trips failed", got["frond_remote_failures_total{remote=people}"])
	}
}

// TestEveryMetricIsDocumented: the page names every family that has a number by now.
func TestEveryMetricIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	gw := counted(t, gateway.Options{})
	gatewaytest.Do(gw.Handler(), "GET", "/api/books/books", "")
	for key := range numbers(t, gw.AdminHandler()) {
		name, _, _ := strings.Cut(strings.TrimSuffix(key, "#"), "{")
		if strings.HasPrefix(name, "frond_") && !strings.Contains(string(text), "| `"+name+"` |") {
			t.Errorf("%s is exposed and not in the table", name)
		}
	}
}

// TestNumbersOfRetries: a request that was sent again is counted as such, and the call
// once.
func TestNumbersOfRetries(t *testing.T) {
	remote := newElsewhere(t)
	r, err := gateway.NewReceiver(library(t), "people", &gateway.ReceiverOptions{Options: *quiet(gateway.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	var failed atomic.Bool
	remote.stand(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if !strings.Contains(string(body), "rpc.discover") && !failed.Swap(true) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		req.Body = io.NopCloser(strings.NewReader(string(body)))
		r.Handler().ServeHTTP(w, req)
	}))
	gw := counted(t, gateway.Options{Config: gateway.Config{Remotes: map[string]gateway.Remote{"people": {URL: remote.url()}}}})
	before := numbers(t, gw.AdminHandler())
	if w := gatewaytest.Do(gw.Handler(), "GET", "/api/people/writers/w1", ""); w.Code != 200 {
		t.Fatal(w.Body)
	}
	after := numbers(t, gw.AdminHandler())
	if n := after["frond_remote_retries_total{remote=people}"] - before["frond_remote_retries_total{remote=people}"]; n != 1 {
		t.Errorf("%v requests were sent again, want 1", n)
	}
	if n := after["frond_calls_total{entity=writer,frond=people,kind=query,operation=findById,outcome=ok}"]; n != 1 {
		t.Errorf("%v calls, want 1", n)
	}
}

// TestProfiles: the admin listener serves Go's profiles where admin.pprof says so, and nowhere
// else.
func TestProfiles(t *testing.T) {
	for _, on := range []bool{false, true} {
		gw, err := gateway.New(cups(t, "collectors: {'*': open}"), &gateway.Options{
			Config: gateway.Config{Extras: all.Extras(), Store: "memory", Admin: gateway.Admin{Listen: "127.0.0.1:0", Pprof: on}}, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string]string{"/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "heap profile", "/debug/pprof/cmdline": ""} {
			want := http.StatusNotFound
			if on {
				want = http.StatusOK
			}
			if w := askHandler(gw.AdminHandler(), "GET", path, ""); w.Code != want || on && !strings.Contains(w.Body.String(), text) {
				t.Errorf("pprof %v: %s answers %d, want %d: %.200s", on, path, w.Code, want, w.Body)
			}
			if w := askHandler(gw.Handler(), "GET", path, ""); w.Code != http.StatusNotFound {
				t.Errorf("the service answers %s with %d", path, w.Code)
			}
		}
		if err := gw.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
