package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// foreignHost is a host of another make: HTTP and encoding/json, and nothing of ours.
type foreignHost struct {
	document string                          // result of rpc.discover
	answers  map[string]func(in invoked) any // by method; a *kitError is a failure

	batch  func(http.ResponseWriter)                     // what a batch gets; nil: its answers
	always func(http.ResponseWriter, *http.Request) bool // true: it has answered; nil: never
	echo   func(id any) any                              // of the frame's id; nil: as it came

	mu     sync.Mutex
	frames []string // "post.list {query}" of what was asked, without discovery
	posts  int      // HTTP requests, without discovery
}

// invoked is an invocation as it arrived.
type invoked struct {
	Params, Query, State map[string]any
	Body                 any
}

type rpcFrame struct {
	ID     any     `json:"id"`
	Method string  `json:"method"`
	Params invoked `json:"params"`
}

// always is an answer that is always the same.
func always(text string) func(invoked) any {
	return func(invoked) any { return json.RawMessage(text) }
}

func (f *foreignHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.always == nil || !f.always(w, r) {
		f.serve(w, r)
	}
}

func (f *foreignHost) serve(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/_kit/call" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var many []rpcFrame
	if json.Unmarshal(text, &many) == nil {
		f.count(many...)
		if f.batch != nil {
			f.batch(w)
			return
		}
		var replies []map[string]any
		for _, one := range many {
			replies = append(replies, f.reply(one))
		}
		_ = json.NewEncoder(w).Encode(replies)
		return
	}
	var one rpcFrame
	if err := json.Unmarshal(text, &one); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.count(one)
	_ = json.NewEncoder(w).Encode(f.reply(one))
}

func (f *foreignHost) count(frames ...rpcFrame) {
	if frames[0].Method == "rpc.discover" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts++
	for _, one := range frames {
		in, _ := json.Marshal(map[string]any{"params": one.Params.Params, "query": one.Params.Query, "body": one.Params.Body})
		f.frames = append(f.frames, one.Method+" "+string(in))
	}
}

// counted is how many posts there were since it was asked last.
func (f *foreignHost) counted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.posts
	f.posts, f.frames = 0, nil
	return n
}

func (f *foreignHost) asked() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.frames, "; ")
}

func (f *foreignHost) reply(frame rpcFrame) map[string]any {
	id := frame.ID
	if f.echo != nil {
		id = f.echo(id)
	}
	answer := f.answers[frame.Method]
	switch {
	case frame.Method == "rpc.discover":
		return map[string]any{"jsonrpc": "2.0", "id": id, "result": json.RawMessage(f.document)}
	case answer == nil:
		return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32601, "message": "Method not found"}}
	}
	switch result := answer(frame.Params).(type) {
	case *kitError:
		return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32000, "message": result.Message, "data": result}}
	default:
		return map[string]any{"jsonrpc": "2.0", "id": id, "result": result}
	}
}

// served is a handler on a port of its own.
func served(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// housed is a gateway in this process over files, with Fronds elsewhere; log has
// what it says.
func housed(t testing.TB, files map[string]string, remotes map[string]gateway.Remote) (url string, gw *gateway.Gateway, log *syncBuffer) {
	t.Helper()
	remotes = maps.Clone(remotes)
	for name, r := range remotes {
		r.Open = true // the hosts decide
		remotes[name] = r
	}
	project, err := &facade.Project{}, error(nil) // nothing is here
	if files != nil {
		project, err = facade.Read(os.DirFS(folder(t, files)))
	}
	if err != nil {
		t.Fatal(err)
	}
	log = &syncBuffer{}
	gw, err = gateway.New(project, &gateway.Options{
		Config: gateway.Config{Store: "memory", Remotes: remotes, Identity: gateway.Identity{Dev: true}},
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return served(t, gw.Handler()), gw, log
}

// syncBuffer is a buffer for many writers.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// inquiry is a request over one surface, and its answer as JSON: GraphQL's data or its
// errors' codes, REST's body or its status and code, the envelope's result or its code.
type inquiry struct {
	graphql string // a document
	rest    string // "GET /api/…", and a body behind a blank
	method  string // of the envelope, with the invocation behind a blank
	want    string
}

func (a inquiry) of(t testing.TB, url string) string {
	t.Helper()
	switch {
	case a.graphql != "":
		res := send(t, "POST", url+"/graphql", encode(t, map[string]string{"query": a.graphql}))
		var out struct {
			Data   json.RawMessage
			Errors []struct {
				Message    string
				Extensions struct{ Code string }
			}
		}
		if err := json.Unmarshal(res.Body, &out); err != nil {
			return string(res.Body)
		}
		text := string(out.Data)
		for _, e := range out.Errors {
			text += " " + e.Extensions.Code
		}
		return strings.TrimSpace(text)
	case a.rest != "":
		verb, rest, _ := strings.Cut(a.rest, " ")
		path, body, _ := strings.Cut(rest, " ")
		res := send(t, verb, url+path, body)
		if res.Status >= 400 {
			code, _, _ := failureOf(&testing.T{}, res)
			return http.StatusText(res.Status) + " " + code
		}
		return strings.TrimSpace(string(res.Body))
	}
	method, in, _ := strings.Cut(a.method, " ")
	if in == "" {
		in = "{}"
	}
	res := send(t, "POST", url+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+in+`}`)
	var out struct {
		Result json.RawMessage
		Error  *struct{ Data struct{ Code string } }
	}
	if err := json.Unmarshal(res.Body, &out); err != nil {
		return string(res.Body)
	}
	if out.Error != nil {
		return out.Error.Data.Code
	}
	return string(out.Result)
}

func (a inquiry) String() string { return a.graphql + a.rest + a.method }

func (a inquiry) check(t testing.TB, url string) {
	t.Helper()
	got := a.of(t, url)
	var g, w any
	if json.Unmarshal([]byte(got), &g) == nil && json.Unmarshal([]byte(a.want), &w) == nil {
		if diff := cmp.Diff(w, g); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a, diff)
		}
		return
	}
	if got != a.want {
		t.Errorf("%s\n got %s\nwant %s", a, got, a.want)
	}
}
