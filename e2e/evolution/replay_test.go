package evolution

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// stores makes stores for gateways: the setting store of each.
type stores interface {
	fresh(t *testing.T) string
	// copied is a copy of a store that no gateway has open.
	copied(t *testing.T, store string) string
}

// onSQLite keeps a store in a file.
type onSQLite struct{}

func (onSQLite) fresh(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "rows.db") }

func (s onSQLite) copied(t *testing.T, store string) string {
	t.Helper()
	text, err := os.ReadFile(strings.TrimPrefix(store, "sqlite:"))
	to := s.fresh(t)
	if err == nil {
		err = os.WriteFile(strings.TrimPrefix(to, "sqlite:"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// onPostgres keeps a store in a database of a server.
type onPostgres struct {
	server *pgtest.Server
	made   int
}

func (s *onPostgres) fresh(t *testing.T) string { return s.make(t, "template1") }

func (s *onPostgres) copied(t *testing.T, store string) string {
	t.Helper()
	from, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	return s.make(t, strings.TrimPrefix(from.Path, "/"))
}

// make makes a database as a copy of another one, which nobody may be connected to.
func (s *onPostgres) make(t *testing.T, template string) string {
	t.Helper()
	s.made++
	name := fmt.Sprint("evolution", s.made)
	if err := s.server.Exec("postgres", "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatal(err)
	}
	return s.server.URL(name)
}

// open is a gateway of a project over a store. The error is that of the start.
func open(t *testing.T, files fstest.MapFS, store string) (*gateway.Gateway, error) {
	t.Helper()
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	return gateway.New(project, &gateway.Options{
		Config: gateway.Config{Extras: all.Extras(), Dir: t.TempDir(), Store: store, Identity: gateway.Identity{Dev: true}},
		Logger: slog.New(slog.DiscardHandler), Undecided: true,
	})
}

// answer is the body of an answer, and whether the request passed: 2xx, and on the surfaces
// that answer failures with 200 none of those. One that is partial has failed, but may have
// written: GraphQL answers what it could do beside its errors.
type answer struct {
	passed, partial bool

	status int
	body   string
}

// send sends a request to a gateway.
func send(g *gateway.Gateway, q request) answer {
	r := httptest.NewRequest(q.method, "http://localhost"+q.path, strings.NewReader(q.body))
	r.RemoteAddr = "127.0.0.1:4000" // the development header is believed on loopback alone
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.caller != "" {
		r.Header.Set("X-Frond-User", q.caller)
	}
	w := httptest.NewRecorder()
	g.Handler().ServeHTTP(w, r)
	a := answer{status: w.Code, body: w.Body.String(), passed: w.Code/100 == 2}
	if q.path == "/graphql" || q.path == "/_kit/call" {
		var failure struct {
			Errors json.RawMessage `json:"errors"`
			Error  json.RawMessage `json:"error"`
			Data   map[string]any  `json:"data"`
		}
		ok := json.Unmarshal([]byte(a.body), &failure) == nil && a.passed
		a.passed = ok && failure.Errors == nil && failure.Error == nil
		for _, value := range failure.Data {
			a.partial = ok && !a.passed && value != nil
		}
	}
	return a
}

// recorded is a request that passed on the old version, with its answer.
type recorded struct {
	request
	was answer
}

// record sends requests to the old version over a store of its own, and keeps those that
// passed, or may have written all the same. The rows of the start are in the store start.
func record(t *testing.T, s stores, files fstest.MapFS, start string, all []request) (passed []recorded) {
	t.Helper()
	g, err := open(t, files, s.copied(t, start))
	if err != nil {
		t.Fatal("the old version does not start:", err)
	}
	defer func() { _ = g.Close() }()
	for _, q := range all {
		if a := send(g, q); a.passed || a.partial {
			passed = append(passed, recorded{q, a})
		}
	}
	return passed
}

// write makes the store of the start.
func write(t *testing.T, s stores, files fstest.MapFS, all []request) (store string) {
	t.Helper()
	store = s.fresh(t)
	g, err := open(t, files, store)
	if err != nil {
		t.Fatal("the old version does not start:", err)
	}
	refused := 0
	for _, q := range all {
		if a := send(g, q); !a.passed {
			if refused++; refused > len(all)/2 {
				t.Fatalf("most rows are refused, the last: %s\n%s", q, a.body)
			}
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return store
}

// replay sends what passed on the old version to the new one over the same rows, and returns
// what breaks: a start that fails, a request that does, an answer that lacks something.
func replay(t *testing.T, s stores, files fstest.MapFS, start string, passed []recorded) (broken []string) {
	t.Helper()
	g, err := open(t, files, s.copied(t, start))
	if err != nil {
		return []string{"the start: " + err.Error()}
	}
	defer func() { _ = g.Close() }()
	for _, p := range passed {
		a := send(g, p.request)
		if p.was.partial {
			continue
		}
		if !a.passed || a.status != p.was.status {
			broken = append(broken, fmt.Sprintf("%s by %q\nwas %d %s\nis  %d %s", p.request, p.caller, p.was.status, p.was.body, a.status, a.body))
			continue
		}
		if lack := covers(p.was.body, a.body); lack != "" {
			broken = append(broken, fmt.Sprintf("%s by %q: %s\nwas %s\nis  %s", p.request, p.caller, lack, p.was.body, a.body))
		}
	}
	return broken
}

// covers reports what the new answer lacks of the old one; "": nothing. Every key has to be
// there, lists have to be as long, and values equal.
func covers(was, is string) string {
	if was == "" || is == "" {
		if was != is {
			return "one of the answers is empty"
		}
		return ""
	}
	var a, b any
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil {
		return "an answer is not JSON"
	}
	return lacks("", a, b)
}

// versioned are members that are made of the whole row, or of its place in an order: they
// differ where a field is added.
var versioned = map[string]bool{"etag": true, "endCursor": true, "startCursor": true, "cursor": true}

// lacks names the first place where b lacks what a has.
func lacks(at string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok {
			return at + " is no object"
		}
		for name, value := range a {
			if versioned[name] {
				continue
			}
			now, there := other[name]
			if !there {
				return at + "." + name + " is gone"
			}
			if lack := lacks(at+"."+name, value, now); lack != "" {
				return lack
			}
		}
	case []any:
		other, ok := b.([]any)
		if !ok || len(other) != len(a) {
			return at + " is another list"
		}
		for i := range a {
			if lack := lacks(fmt.Sprint(at, "[", i, "]"), a[i], other[i]); lack != "" {
				return lack
			}
		}
	default:
		if a != b {
			return fmt.Sprintf("%s was %v and is %v", at, a, b)
		}
	}
	return ""
}
