package gateway_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// environ sets the variables of OpenTelemetry to these alone.
func environ(t *testing.T, pairs ...string) {
	t.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, "")
	}
	for i := 0; i < len(pairs); i += 2 {
		t.Setenv(pairs[i], pairs[i+1])
	}
}

// sink takes what exporters send.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	bodies bytes.Buffer
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			if z, err := gzip.NewReader(r.Body); err == nil {
				body = z
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = s.bodies.ReadFrom(body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies.String()
}

// TestWhatVariablesAskFor: with none of them nothing is sent; and what is still to
// be sent is, when the gateway closes.
func TestWhatVariablesAskFor(t *testing.T) {
	s := newSink(t)
	for _, c := range []struct {
		name string
		env  []string
		want []string // in what arrives; nil: nothing does
	}{
		{"nothing", nil, nil},
		{"an endpoint", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", s.URL}, []string{"book.list", "frond"}},
		{"one of traces", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", s.URL}, []string{"book.list"}},
		{"an exporter", []string{"OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", s.URL}, []string{"book.list"}},
		{"a name", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", s.URL, "OTEL_SERVICE_NAME", "shop-front"}, []string{"book.list", "shop-front"}},
		{"none", []string{"OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", s.URL}, nil},
		{"off", []string{"OTEL_SDK_DISABLED", "TRUE", "OTEL_EXPORTER_OTLP_ENDPOINT", s.URL}, nil},
		{"no samples", []string{"OTEL_TRACES_SAMPLER", "always_off", "OTEL_EXPORTER_OTLP_ENDPOINT", s.URL}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			environ(t, c.env...)
			s.mu.Lock()
			s.bodies.Reset()
			s.mu.Unlock()
			gw, err := gateway.New(library(t), quiet(gateway.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			if w := gatewaytest.Do(gw.Handler(), "GET", "/api/books/books", ""); w.Code != 200 {
				t.Error(w.Body)
			}
			if err := gw.Close(); err != nil {
				t.Error(err)
			}
			got := s.text()
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s is not in %q", want, got)
				}
			}
			if c.want == nil && got != "" {
				t.Errorf("sent was %q", got)
			}
		})
	}
}

// TestSampledFlagGoesOn: a remote gets the request's trace with the decision about it, whether a span
// is recorded here or not.
func TestSampledFlagGoesOn(t *testing.T) {
	s := newSink(t)
	const asked = `{"query":"{ books { items { writer { name } } } }"}`
	frame := func(trace string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"writer.findById","params":{"params":{"id":"w1"},"trace":"` + trace + `"}}`
	}
	parent := func(span, flag string) string { return "00-" + callersTrace + "-" + span + "-" + flag }
	for _, c := range []struct{ name, sampler, path, parent, body, want string }{
		{"a new trace", "", "/graphql", "", asked, "01"},
		{"a new trace that is not sampled", "always_off", "/graphql", "", asked, "00"},
		{"the caller samples", "", "/graphql", parent(callersSpan, "01"), asked, "01"},
		{"the caller does not sample", "", "/graphql", parent(callersSpan, "00"), asked, "00"},
		{"the sampler alone decides", "always_on", "/graphql", parent(callersSpan, "00"), asked, "01"},
		{"the sampler alone decides against", "always_off", "/graphql", parent(callersSpan, "01"), asked, "00"},
		{"a frame says otherwise in the same trace", "", "/_kit/call", parent(callersSpan, "00"), frame(parent("00f067aa0ba902b8", "01")), "00"},
		{"a frame has a trace of its own", "", "/_kit/call", parent(callersSpan, "00"), frame("00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01"), "01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environ(t, "OTEL_EXPORTER_OTLP_ENDPOINT", s.URL, "OTEL_TRACES_SAMPLER", c.sampler)
			there, err := gateway.NewReceiver(library(t), "people", &gateway.ReceiverOptions{Options: *quiet(gateway.Options{})})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = there.Close() })
			var sent atomic.Value
			remote := newElsewhere(t)
			remote.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.Store(r.Header.Get("Traceparent"))
				there.Handler().ServeHTTP(w, r)
			}))
			gw := front(t, library(t), map[string]gateway.Remote{"people": {URL: remote.url()}})
			r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			if c.parent != "" {
				r.Header.Set("Traceparent", c.parent)
			}
			w := httptest.NewRecorder()
			if gw.Handler().ServeHTTP(w, r); !strings.Contains(w.Body.String(), `"name":"Ann"`) {
				t.Fatal(w.Body)
			}
			trace, span := "", ""
			if parts := strings.Split(sent.Load().(string), "-"); len(parts) == 4 && parts[3] == c.want {
				trace, span = parts[1], parts[2]
			}
			own := strings.Contains(c.body, "5bf92f35")
			if trace == "" || trace == strings.Repeat("0", 32) || span == callersSpan || c.parent != "" && !own && trace != callersTrace || own && trace[:8] != "5bf92f35" {
				t.Errorf("the remote got %q", sent.Load())
			}
		})
	}
}

// TestVariablesThatAreWrong stop the start, and say what to write.
func TestVariablesThatAreWrong(t *testing.T) {
	for _, env := range [][]string{
		{"OTEL_TRACES_EXPORTER", "zipkin"},
		{"OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"},
	} {
		environ(t, env...)
		_, err := gateway.New(library(t), quiet(gateway.Options{}))
		if err == nil || !strings.Contains(err.Error(), "otlp, console or none") || !strings.Contains(err.Error(), "http/protobuf or grpc") {
			t.Errorf("%v: %v", env, err)
		}
	}
}

// TestSpansThatAreLost: a collector that is down stops nothing, and is logged once.
func TestSpansThatAreLost(t *testing.T) {
	environ(t, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+freeport.Address(t))
	var log bytes.Buffer
	opts := quiet(gateway.Options{Config: gateway.Config{Shutdown: gateway.Shutdown{Timeout: 2 * time.Second}}})
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	gw, err := gateway.New(library(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	if w := gatewaytest.Do(gw.Handler(), "GET", "/api/books/books", ""); w.Code != 200 {
		t.Error(w.Body)
	}
	if err := gw.Close(); err != nil {
		t.Errorf("a collector that is away spoils the end: %v", err)
	}
	if n := strings.Count(log.String(), "spans cannot be sent and are lost"); n != 1 {
		t.Errorf("told %d times: %s", n, &log)
	}
}

// TestAdminListener: it stands beside the other one, says where, and answers during
// the drain; and it is nobody's but the operator's.
func TestAdminListener(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	text := func() string {
		mu.Lock()
		defer mu.Unlock()
		return log.String()
	}
	held, finish := make(chan struct{}), make(chan struct{})
	opts := quiet(gateway.Options{
		Config: gateway.Config{Extras: all.Extras(), Listen: "127.0.0.1:0", Admin: gateway.Admin{Listen: "127.0.0.1:0"}},
		Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				close(held)
				<-finish
				return next.Call(ctx, c)
			})
		}},
	})
	opts.Logger = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(b)
	}), nil))
	front := make(chan string, 1)
	opts.Listening = func(url string) { front <- url }
	gw, err := gateway.New(library(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- gw.Run(ctx) }()
	url := <-front
	eventually(t, text, "the admin listener is up")
	_, rest, _ := strings.Cut(text(), "url=")
	admin, _, _ := strings.Cut(rest, "\n")
	get := func(url string) (int, string) {
		resp, err := http.Get(url)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	for at, want := range map[string]int{
		admin + "/metrics": 200, admin + "/livez": 200, admin + "/readyz": 200, admin + "/graphql": 404,
		url + "/metrics": 404, url + "/readyz": 200,
	} {
		if status, body := get(at); status != want {
			t.Errorf("%s: %d %s, want %d", at, status, body, want)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if status, _ := get(url + "/api/books/books"); status != 200 {
			t.Errorf("the request under way got %d", status)
		}
	}()
	<-held
	stop()
	eventually(t, func() string { _, body := get(admin + "/readyz"); return body }, "draining")
	if status, body := get(admin + "/metrics"); status != 200 || !strings.Contains(body, "frond_calls_in_flight 1\n") {
		t.Errorf("during the drain: %d %s", status, body)
	}
	close(finish)
	<-done
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if status, _ := get(admin + "/metrics"); status != 0 {
		t.Errorf("it goes on after the end: %d", status)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestWhereTheAdminListenerMayBe: on this machine alone, unless it is said otherwise;
// and where it cannot be, the gateway does not start without it.
func TestWhereTheAdminListenerMayBe(t *testing.T) {
	for _, c := range []struct {
		admin gateway.Admin
		want  string // in the error
	}{
		{gateway.Admin{}, ""},
		{gateway.Admin{Listen: "127.0.0.1:9464"}, ""},
		{gateway.Admin{Listen: "localhost:9464"}, ""},
		{gateway.Admin{Listen: "[::1]:9464"}, ""},
		{gateway.Admin{Listen: "0.0.0.0:9464"}, "write 127.0.0.1 before the port"},
		{gateway.Admin{Listen: ":9464"}, "admin: {public: true}"},
		{gateway.Admin{Listen: "10.0.0.7:9464"}, "can be reached from other machines"},
		{gateway.Admin{Listen: ":9464", Public: true}, ""},
	} {
		err := gateway.Config{Admin: c.admin}.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.admin, err, c.want)
		}
	}
	if err := new(gateway.Config).Set("admin.listen", "9464"); err == nil || !strings.Contains(err.Error(), "host:port") {
		t.Errorf("a port alone: %v", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	gw, err := gateway.New(library(t), quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Listen: "127.0.0.1:0", Admin: gateway.Admin{Listen: taken.Addr().String()}}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := gw.Run(t.Context()); !errors.Is(err, gateway.ErrListen) || !strings.Contains(err.Error(), "admin.listen") || !strings.Contains(err.Error(), "another program has this port") {
		t.Errorf("got %v", err)
	}
}
