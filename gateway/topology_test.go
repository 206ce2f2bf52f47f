package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// folderOf is a project of files.
func folderOf(t *testing.T, files map[string]string) *facade.Project {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	writerCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  books: {x-kit: {role: {relation: {to: book, kind: many}}}}
`
	bookCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  writerId: {type: string, x-kit: {role: {relation: {to: writer, kind: one}}}}
`
)

// elsewhere is an address that a host may come to stand at, and leave.
type elsewhere struct {
	t       *testing.T
	address string
	server  *httptest.Server
	calls   atomic.Int64
}

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	e := &elsewhere{t: t, address: freeport.Address(t)}
	t.Cleanup(e.stop)
	return e
}

func (e *elsewhere) url() string { return "http://" + e.address }

// serve puts one Frond of a project there, as `frond serve` does.
func (e *elsewhere) serve(frond string, p *facade.Project) {
	e.t.Helper()
	r, err := gateway.NewReceiver(p, frond, &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence, Undecided: true}})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = r.Close() })
	e.stand(r.Handler())
}

func (e *elsewhere) stand(h http.Handler) {
	e.t.Helper()
	e.stop()
	l, err := net.Listen("tcp", e.address)
	if err != nil {
		e.t.Fatal(err)
	}
	e.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.calls.Add(1)
		h.ServeHTTP(w, r)
	})}}
	e.server.Start()
}

func (e *elsewhere) stop() {
	if e.server != nil {
		e.server.CloseClientConnections()
		e.server.Close()
		e.server = nil
	}
}

var silence = slog.New(slog.DiscardHandler)

// front is a gateway over a project whose Fronds run where remotes says.
func front(t *testing.T, p *facade.Project, remotes map[string]gateway.Remote) *gateway.Gateway {
	t.Helper()
	gw, err := gateway.New(p, &gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: "memory", Remotes: remotes}, Logger: silence, Undecided: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw
}

// query asks a gateway's GraphQL.
func query(gw *gateway.Gateway, text string) string {
	r := httptest.NewRequest(http.MethodGet, "/graphql?query="+strings.NewReplacer(" ", "%20", "{", "%7B", "}", "%7D", `"`, "%22").Replace(text), nil)
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, r)
	return strings.TrimSpace(w.Body.String())
}

// eventually asks again until the answer holds what is wanted.
func eventually(t *testing.T, ask func() string, want string) {
	t.Helper()
	var got string
	for by := time.Now().Add(time.Minute); time.Now().Before(by); {
		if got = ask(); strings.Contains(got, want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never %s; last: %s", want, got)
}

// TestStartsWithEveryRemoteDown: what is kept here is answered, what runs elsewhere is
// SERVICE_UNAVAILABLE, and both recover by themselves.
func TestStartsWithEveryRemoteDown(t *testing.T) {
	there := newElsewhere(t)
	files := map[string]string{
		"fronds/people/entities/writer.yaml": writerCard,
		"fronds/people/seeds/writer.yaml":    `[{id: w1, name: Ada}]`,
		"fronds/shelf/entities/book.yaml":    bookCard,
		"fronds/shelf/seeds/book.yaml":       `[{id: b1, title: Notes, writerId: w1}]`,
	}
	gw := front(t, folderOf(t, files), map[string]gateway.Remote{"people": {URL: there.url()}})
	const ask = `{books{items{title writer{name books{total}}}}}`
	if got := query(gw, ask); !strings.Contains(got, `{"title":"Notes","writer":null}`) || !strings.Contains(got, `"code":"SERVICE_UNAVAILABLE"`) || strings.Contains(got, there.address) {
		t.Errorf("with the remote down: %s", got)
	}
	if got := health(gw); got != "ready\npeople: not known yet: SERVICE_UNAVAILABLE" {
		t.Errorf("/readyz says %q", got)
	}
	there.serve("people", folderOf(t, files))
	want := `{"data":{"books":{"items":[{"title":"Notes","writer":{"name":"Ada","books":{"total":1}}}]}}}`
	eventually(t, func() string { return query(gw, ask) }, want)
	eventually(t, func() string { return health(gw) }, "people: reached")
	there.stop()
	eventually(t, func() string { return query(gw, ask) }, `"writer":null`)
	there.serve("people", folderOf(t, files))
	eventually(t, func() string { return query(gw, ask) }, want)
}

func health(gw *gateway.Gateway) string {
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return strings.TrimSpace(w.Body.String())
}

// TestARemoteWithoutCardsHere: its part of the schema is there when it has it,
// and so are the relations that lead to it; a changed schema is taken over.
func TestARemoteWithoutCardsHere(t *testing.T) {
	there := newElsewhere(t)
	here := map[string]string{
		"fronds/shelf/entities/book.yaml": bookCard,
		"fronds/shelf/seeds/book.yaml":    `[{id: b1, title: Notes, writerId: w1}]`,
	}
	gw := front(t, folderOf(t, here), map[string]gateway.Remote{"people": {URL: there.url()}})
	if got := query(gw, `{books{items{writerId}}}`); got != `{"data":{"books":{"items":[{"writerId":"w1"}]}}}` {
		t.Fatalf("what is here: %s", got)
	}
	if sdl := gw.SDL(); strings.Contains(sdl, "Writer") {
		t.Fatalf("a type that nobody has told of:\n%s", sdl)
	}
	alone := map[string]string{
		"fronds/people/entities/writer.yaml": strings.Replace(writerCard, "  books: {x-kit: {role: {relation: {to: book, kind: many}}}}\n", "", 1),
		"fronds/people/seeds/writer.yaml":    `[{id: w1, name: Ada}]`,
	}
	there.serve("people", folderOf(t, alone))
	eventually(t, func() string { return query(gw, `{books{items{writer{name}}}}`) }, `{"data":{"books":{"items":[{"writer":{"name":"Ada"}}]}}}`)

	alone["fronds/people/entities/writer.yaml"] += "  born: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n"
	there.serve("people", folderOf(t, alone))
	eventually(t, func() string { return query(gw, `{writers{items{name born}}}`) }, `{"data":{"writers":{"items":[{"name":"Ada","born":null}]}}}`)
}

// TestAHostFollowsItsRemotes: a host that serves nothing, as a program opens it for its own
// calls, takes over the cards of a remote that comes up later.
func TestAHostFollowsItsRemotes(t *testing.T) {
	there := newElsewhere(t)
	host, err := gateway.Open(t.Context(), &facade.Project{}, &gateway.Options{Config: gateway.Config{Store: "memory", Remotes: map[string]gateway.Remote{"people": {URL: there.url()}}}, Logger: silence, Undecided: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	there.serve("people", folderOf(t, map[string]string{
		"fronds/people/entities/writer.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n",
		"fronds/people/seeds/writer.yaml":    `[{id: w1}]`,
	}))
	eventually(t, func() string {
		r, err := host.Caller().Call(t.Context(), &facade.Call{Entity: "writer", Operation: "list"})
		if err != nil {
			return err.Error()
		}
		return string(r.Rows.AppendJSON(nil))
	}, `[{"id":"w1"}]`)
}

// TestTwoOwners: a Frond elsewhere that claims a door of this project is left out, at a
// start as while the gateway runs; what is here answers.
func TestTwoOwners(t *testing.T) {
	there := newElsewhere(t)
	both := map[string]string{"fronds/people/entities/writer.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"}
	here := map[string]string{"fronds/shelf/entities/writer.yaml": both["fronds/people/entities/writer.yaml"]}
	late := front(t, folderOf(t, here), map[string]gateway.Remote{"people": {URL: there.url()}})
	there.serve("people", folderOf(t, both))
	started := front(t, folderOf(t, here), map[string]gateway.Remote{"people": {URL: there.url()}})
	for _, gw := range []*gateway.Gateway{started, late} {
		eventually(t, func() string { return health(gw) }, "people: not usable: it claims a name that is taken here")
		if got := query(gw, `{writers{total}}`); got != `{"data":{"writers":{"total":0}}}` {
			t.Errorf("what is here: %s", got)
		}
	}
}

// TestOneAddressForTwoFronds, which is asked once for both.
func TestOneAddressForTwoFronds(t *testing.T) {
	there := newElsewhere(t)
	files := map[string]string{
		"fronds/people/entities/writer.yaml": writerCard,
		"fronds/people/seeds/writer.yaml":    `[{id: w1, name: Ada}, {id: w2, name: Bob}]`,
		"fronds/shelf/entities/book.yaml":    bookCard,
		"fronds/shelf/seeds/book.yaml":       `[{id: b1, title: Notes, writerId: w1}, {id: b2, title: More, writerId: w2}]`,
	}
	host := front(t, folderOf(t, files), nil)
	there.stand(host.Handler())
	gw := front(t, &facade.Project{}, map[string]gateway.Remote{"people": {URL: there.url()}, "shelf": {URL: there.url() + "/"}})
	before := there.calls.Load()
	if before != 1 {
		t.Errorf("%d questions at the start, want 1", before)
	}
	want := `{"data":{"books":{"items":[{"writer":{"name":"Bob"}},{"writer":{"name":"Ada"}}]}}}`
	if got := query(gw, `{books(orderBy:{title:ASC}){items{writer{name}}}}`); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := there.calls.Load() - before; n != 2 {
		t.Errorf("%d posts for two levels, want 2", n)
	}
}

// TestAHostWithoutTheFrond: the state says so.
func TestAHostWithoutTheFrond(t *testing.T) {
	there := newElsewhere(t)
	there.serve("people", folderOf(t, map[string]string{"fronds/people/entities/writer.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"}))
	gw := front(t, &facade.Project{}, map[string]gateway.Remote{"billing": {URL: there.url()}})
	state := gw.Remotes()
	if len(state) != 1 || state[0].Known || state[0].Failed == nil || !strings.HasSuffix(state[0].Failed.Message, "does not host billing; it hosts people") {
		t.Errorf("%+v", state)
	}
}

// TestRequestsFinishOnTheOldSchema: those that began on it.
func TestRequestsFinishOnTheOldSchema(t *testing.T) {
	there := newElsewhere(t)
	card := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  %s: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n"
	hold, held := make(chan struct{}), make(chan struct{})
	host := func(field string, slow bool) *gateway.Gateway {
		p := folderOf(t, map[string]string{"fronds/people/entities/writer.yaml": strings.Replace(card, "%s", field, 1)})
		gw, err := gateway.New(p, &gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence, Undecided: true, Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				if slow {
					close(held)
					<-hold
				}
				return next.Call(ctx, c)
			})
		}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gw.Close() })
		return gw
	}
	old, changed := host("born", true), host("died", false)
	var serving atomic.Pointer[gateway.Gateway]
	serving.Store(old)
	there.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		serving.Load().Handler().ServeHTTP(w, r)
	}))
	gw := front(t, &facade.Project{}, map[string]gateway.Remote{"people": {URL: there.url()}})
	answer := make(chan string)
	go func() { answer <- query(gw, `{writers{items{id born}}}`) }()
	<-held
	serving.Store(changed)
	eventually(t, func() string { return gw.SDL() }, "died")
	close(hold)
	if got := <-answer; got != `{"data":{"writers":{"items":[]}}}` {
		t.Errorf("begun on the old schema: %s", got)
	}
	if got := query(gw, `{writers{items{id born}}}`); !strings.Contains(got, "GRAPHQL_VALIDATION_FAILED") {
		t.Errorf("begun on the new one: %s", got)
	}
}

// TestTheDeadlineReachesTheRemote: an operation whose time is over does not leave its
// call running there, and a client that goes takes it along too.
func TestTheDeadlineReachesTheRemote(t *testing.T) {
	there := newElsewhere(t)
	files := map[string]string{"fronds/people/entities/writer.yaml": strings.Replace(writerCard, "  books: {x-kit: {role: {relation: {to: book, kind: many}}}}\n", "", 1)}
	host := front(t, folderOf(t, files), nil)
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	there.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "writer.list") {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			host.Handler().ServeHTTP(w, r)
			return
		}
		began <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	}))
	config := gateway.Config{Store: "memory", Remotes: map[string]gateway.Remote{"people": {URL: there.url()}}}
	config.GraphQL.Limits.Execution = 100 * time.Millisecond
	gw, err := gateway.New(&facade.Project{}, &gateway.Options{Config: config, Logger: silence, Undecided: true})
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	if got := query(gw, `{writers{total}}`); !strings.Contains(got, `"EXECUTION_TIMEOUT"`) {
		t.Errorf("answered %s", got)
	}
	<-began
	<-ended

	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-began
		leave()
	}()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/people/writers", nil)
	gw.Handler().ServeHTTP(httptest.NewRecorder(), r)
	<-ended
}
