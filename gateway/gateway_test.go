package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/schema"
)

const noteCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string, minLength: 1}
`

// notes is a project of one entity.
func notes(t *testing.T, files ...string) *facade.Project {
	t.Helper()
	fsys := fstest.MapFS{"entities/note.yaml": {Data: []byte(noteCard)}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return read(t, fsys)
}

func read(t *testing.T, fsys fs.FS) *facade.Project {
	t.Helper()
	project, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func quiet(opts gateway.Options) *gateway.Options {
	if opts.Config.Store == "" {
		opts.Config.Store = "memory"
	}
	if opts.Config.Extras == nil {
		opts.Config.Extras = all.Extras()
	}
	opts.Logger = slog.New(slog.DiscardHandler)
	opts.Undecided = true // who may do what is the matter of access_test.go
	return &opts
}

// run runs a gateway on a free port and answers its address and how to stop it.
func run(t *testing.T, project *facade.Project, opts gateway.Options) (url string, stop func() error) {
	t.Helper()
	urls, ended := make(chan string, 1), make(chan error, 1)
	opts.Config.Listen = "127.0.0.1:0"
	opts.Listening = func(url string) { urls <- url }
	gw, err := gateway.New(project, quiet(opts))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- gw.Run(ctx) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the drain: %v", err)
		}
	})
	select {
	case url = <-urls:
	case err := <-ended:
		stopped = true
		t.Fatalf("it did not start: %v", err)
	case <-time.After(2 * time.Minute):
		t.Fatal("it did not start")
	}
	return url, stop
}

// send sends a request with headers as "Name: value" and answers status and body.
func send(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// The same row over every surface, written on one and kept over a restart.
func TestSurfacesShareOneStore(t *testing.T) {
	config := gateway.Config{Dir: t.TempDir(), Store: "sqlite:rows/notes.db"}
	url, stop := run(t, notes(t), gateway.Options{Config: config})
	if status, body := send(t, "POST", url+"/api/app/notes", `{"id":"n1","title":"Bread"}`); status != 201 {
		t.Fatalf("create: %d %s", status, body)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(config.Dir, "rows", "notes.db")); err != nil {
		t.Errorf("a relative store is not below the project's folder: %v", err)
	}
	url, _ = run(t, notes(t), gateway.Options{Config: config})
	for _, c := range []struct{ name, method, path, body, want string }{
		{"REST", "GET", "/api/app/notes/n1", "", `{"id":"n1","title":"Bread"}`},
		{"the envelope", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":7,"method":"note.findById","params":{"params":{"id":"n1"}}}`, `"result":{"id":"n1","title":"Bread"}`},
		{"GraphQL", "POST", "/graphql", `{"query":"{ note(id: \"n1\") { title } }"}`, `{"data":{"note":{"title":"Bread"}}}`},
		{"discovery", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":7,"method":"rpc.discover"}`, `"x-kit-version":1`},
	} {
		if status, body := send(t, c.method, url+c.path, c.body); status != 200 || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s, want %s", c.name, status, body, c.want)
		}
	}
}

// Every surface asks the same session, and none of them lets an invalid
// credential pass for an anonymous caller.
func TestEverySurfaceAsksTheSession(t *testing.T) {
	var seen []access.State
	opts := gateway.Options{
		Session: func(r *http.Request) (access.State, error) {
			switch token := r.Header.Get("Authorization"); token {
			case "":
				return nil, nil
			case "Bearer good":
				return access.State{"user": map[string]any{"id": "ada"}}, nil
			default:
				return nil, kiterror.Errorf(kiterror.Unauthorized, "this token is none of ours")
			}
		},
		Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				seen = append(seen, c.Invocation.State)
				return next.Call(ctx, c)
			})
		}},
	}
	url, _ := run(t, notes(t), opts)
	for _, c := range []struct{ name, method, path, body string }{
		{"REST", "GET", "/api/app/notes", ""},
		{"the envelope", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":7,"method":"note.list","params":{"state":{"user":{"id":"mallory"}}}}`},
		{"GraphQL", "POST", "/graphql", `{"query":"{ notes { total } }"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, token := range []string{"", "Authorization: Bearer good", "Authorization: Bearer bad"} {
				seen = nil
				var headers []string
				if token != "" {
					headers = []string{token}
				}
				_, body := send(t, c.method, url+c.path, c.body, headers...)
				switch token {
				case "Authorization: Bearer bad":
					if len(seen) != 0 || !strings.Contains(body, "UNAUTHORIZED") {
						t.Errorf("an invalid token reached the façade %d times: %s", len(seen), body)
					}
				case "":
					if len(seen) != 1 || seen[0].User() != nil {
						t.Errorf("without a token the façade saw %v", seen)
					}
				default:
					if len(seen) != 1 || seen[0].User()["id"] != "ada" {
						t.Errorf("with a token the façade saw %v", seen)
					}
				}
			}
		})
	}
}

func TestDevIdentityReachesTheFacade(t *testing.T) {
	var seen access.State
	url, _ := run(t, notes(t), gateway.Options{
		Config: gateway.Config{Identity: gateway.Identity{Dev: true}},
		Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				seen = c.Invocation.State
				return next.Call(ctx, c)
			})
		}},
	})
	if status, body := send(t, "GET", url+"/api/app/notes", "", identity.DevHeader+`: {"id":"ada"}`); status != 200 || seen.User()["id"] != "ada" {
		t.Errorf("%d %s, the façade saw %v", status, body, seen)
	}
	if status, body := send(t, "GET", url+"/api/app/notes", "", identity.DevHeader+": ada"); status != 401 {
		t.Errorf("a header that is no object: %d %s", status, body)
	}
}

// A server that has other paths takes the surfaces beside them (spec 1.4).
func TestMountOnYourOwnRouter(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	standard, gorilla := http.NewServeMux(), mux.NewRouter()
	gw.Mount(standard)
	gw.Mount(gateway.Mux(gorilla))
	for name, router := range map[string]http.Handler{"net/http": standard, "gorilla": gorilla} {
		s := httptest.NewServer(router)
		for _, path := range []string{"/api/app/notes", "/livez", "/readyz"} {
			if status, body := send(t, "GET", s.URL+path, ""); status != 200 {
				t.Errorf("%s: GET %s is %d %s", name, path, status, body)
			}
		}
		if status, body := send(t, "POST", s.URL+"/graphql", `{"query":"{ notes { total } }"}`); status != 200 {
			t.Errorf("%s: POST /graphql is %d %s", name, status, body)
		}
		s.Close()
	}
}

// TestMountedPathsAreCompressedAndLogged: a mounted surface answers as Handler does, and
// the settings switch both off.
func TestMountedPathsAreCompressedAndLogged(t *testing.T) {
	for _, off := range []bool{false, true} {
		var log bytes.Buffer
		gw, err := gateway.New(notes(t), &gateway.Options{
			Config: gateway.Config{Store: "memory", Mode: "development", NoCompression: off, Log: gateway.Log{NoAccess: off}},
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		router := http.NewServeMux()
		gw.Mount(router)
		r := httptest.NewRequest("POST", "/graphql", strings.NewReader(`{"query":"{ __schema { types { name description } } }"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		if coding := w.Header().Get("Content-Encoding"); w.Code != 200 || (coding == "gzip") == off {
			t.Errorf("off %t: %d, coded %q, %d bytes", off, w.Code, coding, w.Body.Len())
		}
		if logged := strings.Count(log.String(), "msg=request"); (logged == 1) == off {
			t.Errorf("off %t: %d access lines in\n%s", off, logged, &log)
		}
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownPathsNameWhatIsServed(t *testing.T) {
	url, _ := run(t, notes(t), gateway.Options{})
	status, body := send(t, "GET", url+"/grpahql", "")
	var problem struct {
		Status int
		Detail string
		Data   struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(body), &problem); err != nil {
		t.Fatal(err)
	}
	if status != 404 || problem.Status != 404 || problem.Data.Code != "NOT_FOUND" || !strings.Contains(problem.Detail, "/graphql, /api/, /_kit/call") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := send(t, "POST", url+"/readyz", "{}"); status != 405 {
		t.Errorf("POST /readyz: %d %s", status, body)
	}
}

func TestLimitsReachTheSurfaces(t *testing.T) {
	url, _ := run(t, notes(t), gateway.Options{Config: gateway.Config{Limits: gateway.Limits{Body: 200, List: gateway.ListLimits{Default: 2, Max: 3}}}})
	for i := range 5 {
		if status, body := send(t, "POST", url+"/api/app/notes", `{"id":"n`+string(rune('0'+i))+`","title":"x"}`); status != 201 {
			t.Fatalf("%d %s", status, body)
		}
	}
	long := `{"id":"n9","title":"` + strings.Repeat("x", 300) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/api/app/notes", long, 413},
		{"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"note.create","params":{"body":` + long + `}}`, 413},
		{"POST", "/graphql", `{"query":"{ notes { total } } #` + strings.Repeat("x", 300) + `"}`, 413},
	} {
		if status, body := send(t, c.method, url+c.path, c.body); status != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, status, body, c.status)
		}
	}
	for query, want := range map[string]int{"": 2, "?limit=100": 3} {
		_, body := send(t, "GET", url+"/api/app/notes"+query, "")
		var list struct{ Items []any }
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Items) != want {
			t.Errorf("%q gave %d rows (%v), want %d: %s", query, len(list.Items), err, want, body)
		}
	}
}

// Faults of the settings and of the cards are reported together, and a project with faults
// creates no store.
func TestFaultsAreReportedTogether(t *testing.T) {
	dir := t.TempDir()
	project := notes(t, "entities/broken.yaml", "type: object\nproperties:\n  id: {type: strin}\n")
	_, err := gateway.New(project, &gateway.Options{Config: gateway.Config{
		Dir: dir, Listen: "0.0.0.0:0", Identity: gateway.Identity{Dev: true},
	}, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		t.Fatal("it started")
	}
	for _, want := range []string{"gateway.yaml#/identity/dev", "entities/broken.yaml#/properties/id/type"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not tell of %s:\n%v", want, err)
		}
	}
	var faults schema.Faults
	if !errors.As(err, &faults) {
		t.Errorf("the faults are not to be had as schema.Faults: %T", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".frond", "*")); len(files) > 0 {
		t.Errorf("it created %v", files)
	}
}

func TestStoresThatCannotBeOpened(t *testing.T) {
	for store, want := range map[string]string{
		"mysql:x":     "write sqlite:PATH",
		"sqlite:/dev": "cannot be opened",
	} {
		_, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Store: store}}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", store, err, want)
		}
	}
}

func TestCloseTwice(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gw.Close(), gw.Close()); err != nil {
		t.Error(err)
	}
}
