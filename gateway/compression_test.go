package gateway

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway/gatewaytest"
	"github.com/frondhost/frond/store/storetest"
)

// TestCompressedAnswersOfSurfaces: all of them, and a row that has not changed stays 304
// by the same ETag.
func TestCompressedAnswersOfSurfaces(t *testing.T) {
	gw, err := New(storetest.Project(t), &Options{Undecided: true, Config: Config{Store: memoryStore}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	ask := func(method, path, body string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		return w
	}
	made := ask("POST", "/api/people/authors", `{"name":"Ada","email":"ada@example.com","password":"long enough","bio":"`+strings.Repeat("long ", 300)+`"}`)
	if made.Code != 201 {
		t.Fatal(made.Body)
	}
	row := made.Header().Get("Location")
	for name, a := range map[string][3]string{
		"REST":         {"GET", row, ""},
		"the envelope": {"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"author.list"}`},
		"GraphQL":      {"POST", "/graphql", `{"query":"{ authors { items { name bio } } }"}`},
		"the console":  {"GET", "/graphql/console/queries.json", ""},
		"the page":     {"GET", "/", ""},
	} {
		plain := ask(a[0], a[1], a[2], "Accept", "text/html;q=0.5, */*")
		for _, coding := range []string{"gzip", "zstd"} {
			w := ask(a[0], a[1], a[2], "Accept", "text/html;q=0.5, */*", "Accept-Encoding", coding)
			sent := w.Header().Get("Content-Encoding")
			if long := plain.Body.Len() >= 1024; (sent == coding) != long || !strings.HasSuffix(a[1], "/") && name != "the console" && !long {
				t.Errorf("%s of %d bytes: %v", name, plain.Body.Len(), w.Header())
			}
			if got, err := gatewaytest.Uncompressed(sent, w.Body.Bytes()); err != nil || got != plain.Body.String() {
				t.Errorf("%s as %s: %s", name, coding, got)
			}
			if w.Header().Get("Etag") != plain.Header().Get("Etag") {
				t.Errorf("%s: %v", name, w.Header())
			}
		}
	}
	tag := ask("GET", row, "", "Accept-Encoding", "gzip").Header().Get("Etag")
	if w := ask("GET", row, "", "Accept-Encoding", "gzip", "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 || !strings.Contains(strings.Join(w.Header()["Vary"], ","), "Accept-Encoding") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := ask("PATCH", row, `{"bio":"short"}`, "Accept-Encoding", "gzip", "If-Match", tag); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	off, err := New(storetest.Project(t), &Options{Undecided: true, Config: Config{Store: memoryStore, NoCompression: true}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = off.Close() })
	gw = off
	if w := ask("POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" || w.Body.Len() < 1024 {
		t.Errorf("%d bytes, %v", w.Body.Len(), w.Header())
	}
}

// TestCompressedHalfAnswers: one that ends in a panic must not look whole.
func TestCompressedHalfAnswers(t *testing.T) {
	gatewaytest.CutOff(t, frontOf(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "4000")
		_, _ = io.WriteString(w, strings.Repeat("a", 2000))
		panic("and then")
	}), slog.New(slog.DiscardHandler)))
}
