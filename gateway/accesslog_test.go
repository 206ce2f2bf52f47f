package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/store/storetest"
)

// accessLines is what a log says of each request, without what changes.
func accessLines(t *testing.T, log *bytes.Buffer) (lines []string) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var said map[string]any
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatal(err)
		}
		if said["msg"] != "request" {
			continue
		}
		text := said["level"].(string)
		for _, name := range []string{"method", "path", "operation", "status", "bytes", "caller", "trace"} {
			if v, ok := said[name]; ok {
				word, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				text += " " + name + "=" + strings.Trim(string(word), `"`)
			}
		}
		if said["took"] == nil || said["from"] == nil {
			t.Errorf("a line says neither how long it took nor where from: %s", line)
		}
		lines = append(lines, text)
	}
	return lines
}

// TestAccessLines: what was asked for, by whom, and what was sent.
func TestAccessLines(t *testing.T) {
	const trace = "Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		want                     string // a line at info; "": there is none
	}{
		{"REST", "GET", "/api/people/authors/nobody?secret=1", "", nil, "INFO method=GET path=/api/people/authors/nobody status=400"},
		{"by a user", "GET", "/api/people/authors/nobody", "", []string{`X-Frond-User: {"id":"ada"}`}, "caller=ada"},
		{"by a number", "GET", "/api/people/authors/nobody", "", []string{`X-Frond-User: {"id":7}`}, "caller=7"},
		{"of a trace", "GET", "/api/people/authors/nobody", "", []string{trace}, "trace=4bf92f3577b34da6a3ce929d0e0e4736"},
		{"GraphQL", "POST", "/graphql", `{"query":"query Hello { __typename }"}`, nil, "INFO method=POST path=/graphql operation=Hello status=200 bytes=31"},
		{"GraphQL without a name", "POST", "/graphql", `{"query":"{ __typename }"}`, []string{`X-Frond-User: {"id":"ada"}`}, "operation=query status=200 bytes=31 caller=ada"},
		{"GraphQL that is none", "POST", "/graphql", `{"query":"{"}`, nil, "path=/graphql status=200"},
		{"a frame", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"author.findById","params":{"params":{"id":"x"}}}`, []string{`X-Frond-User: {"id":"ada"}`}, "operation=author.findById status=200 bytes=38 caller=ada"},
		{"discovery", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, nil, "operation=rpc.discover"},
		{
			"frames", "POST", "/_kit/call", "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"},`, 7), ",") + "]",
			nil, "operation=rpc.discover, rpc.discover, rpc.discover, rpc.discover, rpc.discover and 2 more status=200",
		},
		{"nothing", "GET", "/nowhere", "", nil, "INFO method=GET path=/nowhere status=404"},
		{"another site's page", "GET", "/api/people/authors", "", []string{"Sec-Fetch-Site: cross-site"}, "status=403"},
		{"a long path", "GET", "/" + strings.Repeat("x", 5000), "", nil, "xxx… status=404"},
		{"health", "GET", "/livez", "", nil, ""},
		{"health, too", "GET", "/readyz", "", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			gw := logging(t, &log, Config{Identity: Identity{Dev: true}})
			r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = "127.0.0.1:40000"
			for _, h := range c.headers {
				name, value, _ := strings.Cut(h, ": ")
				r.Header.Set(name, value)
			}
			gw.Handler().ServeHTTP(httptest.NewRecorder(), r)
			lines := accessLines(t, &log)
			if c.want == "" && len(lines) > 0 || c.want != "" && (len(lines) != 1 || !strings.Contains(lines[0], c.want)) || strings.Contains(log.String(), "secret") {
				t.Errorf("%q, want %q", lines, c.want)
			}
		})
	}
}

// logging is a gateway whose log is read.
func logging(t *testing.T, log io.Writer, config Config) *Gateway {
	t.Helper()
	config.Store = memoryStore
	gw, err := New(storetest.Project(t), &Options{Undecided: true, Config: config, Logger: slog.New(slog.NewJSONHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw
}

// TestAccessLinesAreOptional: log.access switches them off, and health says something at
// debug alone.
func TestAccessLinesAreOptional(t *testing.T) {
	var log bytes.Buffer
	gw := logging(t, &log, Config{Log: telemetry.Log{NoAccess: true}})
	gw.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/nowhere", nil))
	if lines := accessLines(t, &log); lines != nil {
		t.Errorf("%q", lines)
	}
	h := frontOf(http.HandlerFunc(live), slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/livez", nil))
	if lines := accessLines(t, &log); len(lines) != 1 || !strings.HasPrefix(lines[0], "DEBUG method=GET path=/livez status=200 bytes=5") {
		t.Errorf("%q", lines)
	}
}

// TestAccessLinesCountWhatIsSent: compressed, an answer is shorter than it is.
func TestAccessLinesCountWhatIsSent(t *testing.T) {
	var log bytes.Buffer
	gw := logging(t, &log, Config{})
	r := httptest.NewRequest("POST", "/_kit/call", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, r)
	lines := accessLines(t, &log)
	if want := fmt.Sprintf(" bytes=%d", w.Body.Len()); len(lines) != 1 || !strings.Contains(lines[0], want) || w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%q, want%s: %v", lines, want, w.Header())
	}
}
