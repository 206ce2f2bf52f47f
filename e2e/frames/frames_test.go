package frames_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

const module = "github.com/frondhost/frond/"

// surface is one way to read a product; %s is its id.
type surface struct {
	name, method, path, body string
}

var surfaces = []surface{
	{"REST", "GET", "/api/catalog/products/%s", ""},
	{"envelope", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"product.findById","params":{"params":{"id":"%s"}}}`},
	{"GraphQL", "POST", "/graphql", `{"query":"{ product(id: \"%s\") { name } }"}`},
}

// recorder has the deepest stack of the statements since it was cleared.
type recorder struct {
	mu    sync.Mutex
	stack []string
}

func (r *recorder) record(functions []string) {
	own := functions[:0:0]
	for _, f := range functions {
		if strings.HasPrefix(f, module) && !strings.HasPrefix(f, module+"e2e/") {
			own = append(own, f)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(own) > len(r.stack) {
		r.stack = own
	}
}

// take returns the stack, the innermost function first, and clears it.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	stack := r.stack
	r.stack = nil
	return stack
}

// TestFrames holds the table of docs/walk.md: how many functions of this module are called, one within
// another, from the first handler of a request for one row to its SQL statement. On PostgreSQL they are
// counted while the statement is on the wire.
func TestFrames(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		r := new(recorder)
		sqlite3.AutoExtension(func(c *sqlite3.Conn) error {
			return c.Trace(sqlite3.TRACE_STMT, func(sqlite3.TraceEvent, any, any) error {
				callers := make([]uintptr, 256)
				frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
				var functions []string
				for {
					f, more := frames.Next()
					functions = append(functions, f.Function)
					if !more {
						break
					}
				}
				r.record(functions)
				return nil
			})
		})
		hold(t, r, "memory")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		r := new(recorder)
		hold(t, r, relay(t, r, pgtest.Database(t)))
	})
}

// hold asks every surface of the shop over a store for one row.
func hold(t *testing.T, r *recorder, store string) {
	t.Helper()
	project, err := facade.Read(os.DirFS("../../examples/shop"))
	if err != nil {
		t.Fatal(err)
	}
	config := gateway.Config{Extras: all.Extras(), Store: store}
	config.Files.Store = "mem://"
	g, err := gateway.New(project, &gateway.Options{Config: config, Logger: slog.New(slog.DiscardHandler), Undecided: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = g.Close() }()
	server := httptest.NewServer(g.Handler())
	defer server.Close()
	ask := func(s surface) string {
		req, err := http.NewRequestWithContext(t.Context(), s.method, server.URL+s.path, strings.NewReader(s.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", s.name, resp.StatusCode, body, err)
		}
		return string(body)
	}
	walk, err := os.ReadFile("../../docs/walk.md")
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{"SQLite": 1, "PostgreSQL": 2}[path.Base(t.Name())]
	const id = "p-espresso-machine"
	for _, s := range surfaces {
		s.path, s.body = strings.ReplaceAll(s.path, "%s", id), strings.ReplaceAll(s.body, "%s", id)
		ask(s) // a first request may compile the document and prepare the statement
		r.take()
		if body := ask(s); !strings.Contains(body, "name") {
			t.Errorf("%s answers %s", s.name, body)
		}
		stack := r.take()
		row := regexp.MustCompile(`(?m)^\| ` + s.name + ` \| (\d+) \| (\d+) \|$`).FindSubmatch(walk)
		if row == nil {
			t.Fatalf("docs/walk.md has no row for %s", s.name)
		}
		if known := string(row[column]); known != strconv.Itoa(len(stack)) {
			t.Errorf("%s: docs/walk.md says %s frames, and these are %d:", s.name, known, len(stack))
			for _, f := range slices.Backward(stack) {
				t.Log("  ", strings.TrimPrefix(f, module))
			}
		}
	}
}

// relay copies messages between the gateway and PostgreSQL, and records the stacks of this process
// when a statement passes. It returns the URL to use in place of database.
func relay(t *testing.T, r *recorder, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	to := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // the test closes it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	u.Host = l.Addr().String()
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to) //nolint:noctx // the copies below close it
			if err != nil {
				_ = from.Close()
				return
			}
			go func() { _, _ = io.Copy(from, server); _ = from.Close() }()
			go func() { _, _ = io.Copy(&tap{server, r}, from); _ = server.Close() }()
		}
	}()
	return u.String()
}

// arguments are those of a call in a printed stack.
var arguments = regexp.MustCompile(`\([^*]*\)$`)

// tap records the stack of the sender of a message, and then passes the message on.
type tap struct {
	net.Conn
	recorder *recorder
}

func (p *tap) Write(b []byte) (int, error) {
	for range 10 { // until the sender waits for the answer
		p.look()
		time.Sleep(time.Millisecond)
	}
	return p.Conn.Write(b)
}

// look records the stack of the request that waits for the store.
func (p *tap) look() {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	for goroutine := range bytes.SplitSeq(text, []byte("\n\n")) {
		if head, _, _ := bytes.Cut(goroutine, []byte("\n")); !bytes.Contains(head, []byte("[IO wait")) ||
			!bytes.Contains(goroutine, []byte("/store/postgres/engine.")) || !bytes.Contains(goroutine, []byte("ServeHTTP")) {
			continue
		}
		var functions []string
		for line := range strings.Lines(string(goroutine)) {
			if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "created by") {
				functions = append(functions, arguments.ReplaceAllString(strings.TrimSpace(line), ""))
			}
		}
		p.recorder.record(functions)
	}
}
