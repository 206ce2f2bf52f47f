package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/resolvers"
)

// gate is a Caller whose calls wait to be let through, once it is shut.
type gate struct {
	next facade.Caller
	hold chan struct{}
	made atomic.Int64
}

func (g *gate) Call(ctx context.Context, c *facade.Call) (*facade.Result, error) {
	g.made.Add(1)
	select {
	case <-g.hold:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return g.next.Call(ctx, c)
}

func gated(t *testing.T, opts resolvers.Options) (*gate, *resolvers.Engine) {
	t.Helper()
	b := newBlogWith(t, handWritten)
	g := &gate{next: b.recorder, hold: make(chan struct{})}
	opts.Logger = quiet
	engine, err := resolvers.NewEngine(b.schema, g, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return g, engine
}

const oneTitle = `query One($id: Int!) { post(id: $id) { title } } query Two($id: Int!) { post(id: $id) { title } }`

// TestEqualRequestsShare: a request runs, and so does another one. Then come one
// like the first and four like the other, and wait for what runs, or do not.
func TestEqualRequestsShare(t *testing.T) {
	base := resolvers.Request{
		Query: oneTitle, OperationName: "One", Variables: json.RawMessage(`{"id":1}`),
		State: access.State{"user": map[string]any{"id": "u1", "roles": []any{"a", "b"}}},
	}
	const (
		together  = 2 // calls of all seven: the first one's, and one for the rest
		apart     = 4 // each kind for itself
		byItself  = 7 // nobody shares
		onlyFirst = 7 // the two first share; the others are as many as they are
	)
	for _, c := range []struct {
		name  string
		edit  func(*resolvers.Request) // what is different about the other
		opts  resolvers.Options
		calls int64
	}{
		{"equal", func(*resolvers.Request) {}, resolvers.Options{}, together},
		{"by another trace", func(r *resolvers.Request) { r.Trace = "00-1" }, resolvers.Options{}, together},
		{"over GET", func(r *resolvers.Request) { r.ReadOnly = true }, resolvers.Options{}, together},
		{"equal, and switched off", func(*resolvers.Request) {}, resolvers.Options{NoCoalesce: true}, byItself},
		{"another variable", func(r *resolvers.Request) { r.Variables = json.RawMessage(`{"id":2}`) }, resolvers.Options{}, apart},
		{"another operation", func(r *resolvers.Request) { r.OperationName = "Two" }, resolvers.Options{}, apart},
		{"another document", func(r *resolvers.Request) { r.Query += " " }, resolvers.Options{}, apart},
		{"another user", func(r *resolvers.Request) { r.State = access.State{"user": map[string]any{"id": "u2"}} }, resolvers.Options{}, apart},
		{"nobody", func(r *resolvers.Request) { r.State = nil }, resolvers.Options{}, apart},
		{"a state that cannot be compared", func(r *resolvers.Request) { r.State = access.State{"user": &struct{}{}} }, resolvers.Options{}, onlyFirst},
		{"a mutation", func(r *resolvers.Request) { *r = resolvers.Request{Query: `mutation { postPublish(id: 1) { id } }`} }, resolvers.Options{}, onlyFirst},
		{"a field written by hand", func(r *resolvers.Request) {
			*r = resolvers.Request{Query: `{ author(id: "ada") { ...f } } fragment f on Author { name greeting }`}
		}, resolvers.Options{}, onlyFirst},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, engine := gated(t, c.opts)
				var all sync.WaitGroup
				ask := func(edit func(*resolvers.Request)) {
					r := base
					edit(&r)
					all.Go(func() {
						resp := engine.Execute(t.Context(), &r)
						if resp.Status != 200 || strings.Contains(string(resp.Body), "errors") {
							t.Errorf("%d %s", resp.Status, resp.Body)
						}
						resp.Release()
					})
					synctest.Wait()
				}
				like := func(*resolvers.Request) {}
				for _, edit := range []func(*resolvers.Request){like, c.edit, like, c.edit, c.edit, c.edit, c.edit} {
					ask(edit)
				}
				close(g.hold)
				all.Wait()
				if n := g.made.Load(); n != c.calls {
					t.Errorf("%d calls, want %d", n, c.calls)
				}
			})
		})
	}
}

// TestWhoGivesUp: of three that wait for the same, one goes and one is out of time.
// The third has its answer, and the ones who went report why.
func TestWhoGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, engine := gated(t, resolvers.Options{Limits: resolvers.Limits{Execution: time.Hour}})
		r := &resolvers.Request{Query: `{ post(id: 1) { title } }`}
		var all sync.WaitGroup
		ask := func(ctx context.Context) *string {
			body := new(string)
			all.Go(func() {
				resp := engine.Execute(ctx, r)
				*body = string(resp.Body)
				resp.Release()
			})
			synctest.Wait()
			return body
		}
		ask(t.Context())
		goes, leave := context.WithCancel(t.Context())
		gone := ask(goes)
		time.Sleep(time.Minute)
		stays := ask(t.Context())
		leave()
		synctest.Wait()
		if want := `"code":"REQUEST_TIMEOUT"`; !strings.Contains(*gone, want) || !strings.HasPrefix(*gone, `{"data":null,"errors":[`) {
			t.Errorf("who went has %s, want %s", *gone, want)
		}
		g.hold <- struct{}{} // the first one's, and the second execution starts
		synctest.Wait()
		late := ask(t.Context())
		time.Sleep(59*time.Minute + 30*time.Second) // an hour is over for who stays, not for the execution
		synctest.Wait()
		if *stays != "" {
			t.Errorf("who stays has %s before its time", *stays)
		}
		close(g.hold)
		all.Wait()
		for _, body := range []*string{stays, late} {
			if want := `{"data":{"post":{"title":"Post 1"}}}`; *body != want {
				t.Errorf("who stayed has %s, want %s", *body, want)
			}
		}
	})
}

// TestOutOfTime: who waits is out of time by its own clock, not by that of the work
// it waits for.
func TestOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, engine := gated(t, resolvers.Options{Limits: resolvers.Limits{Execution: time.Second}})
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				resp := engine.Execute(t.Context(), &resolvers.Request{Query: `{ post(id: 1) { title } }`})
				if want := `"code":"EXECUTION_TIMEOUT"`; !strings.Contains(string(resp.Body), want) {
					t.Errorf("%s, want %s", resp.Body, want)
				}
			})
			synctest.Wait()
			time.Sleep(400 * time.Millisecond)
		}
		all.Wait()
	})
}

// TestSharedBodies: a body stays as it is until the last one has released it.
func TestSharedBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, engine := gated(t, resolvers.Options{})
		r := &resolvers.Request{Query: `{ post(id: 1) { title } }`}
		got := make(chan *resolvers.Response, 3)
		for range 3 {
			go func() { got <- engine.Execute(t.Context(), r) }()
			synctest.Wait()
		}
		close(g.hold)
		all := []*resolvers.Response{<-got, <-got, <-got}
		const want = `{"data":{"post":{"title":"Post 1"}}}`
		for i := range all {
			all[i].Release()
			all[i].Release() // twice is once
			for range 100 {  // whoever comes now may have what was released
				engine.Execute(t.Context(), &resolvers.Request{Query: `{ post(id: 2) { t: title } }`}).Release()
			}
			for _, still := range all[i+1:] {
				if string(still.Body) != want {
					t.Fatalf("after %d of 3 were released, one has %s", i+1, still.Body)
				}
			}
		}
	})
}

// TestStatesThatDiffer have texts that differ, however alike they look.
func TestStatesThatDiffer(t *testing.T) {
	type m = map[string]any
	type l = []any
	states := []any{
		m{},
		m{"user": nil},
		m{"user": m{}},
		m{"user": l{}},
		m{"user": ""},
		m{"user": "nil"},
		m{"user": false},
		m{"user": true},
		m{"user": 1},
		m{"user": int64(1)},
		m{"user": 1.0},
		m{"user": json.Number("1")},
		m{"user": "1"},
		m{"user": m{"id": "a", "tenant": "b"}},
		m{"user": m{"id": "atenant", "b": nil}},
		m{"user": m{"id": "a"}, "tenant": "b"},
		m{"user": l{"a", "b"}},
		m{"user": l{"ab"}},
		m{"user": l{"a", l{"b"}}},
		m{"user": []string{"a", "b"}},
		m{"user": []string{"a,b"}},
		m{"a": "1s1:b", "b": nil},
		m{"a": "1", "b": nil},
		m{"a": l{"s1:b"}},
		m{"user": l{nil, nil}},
		m{"user": l{nil}},
		m{"user": "\x00"},
		m{"user": "é"},
	}
	by := map[string]any{}
	for _, s := range states {
		text, ok := resolvers.AppendPlain(s)
		if !ok {
			t.Errorf("%#v is not compared", s)
		}
		if other, there := by[text]; there {
			t.Errorf("%#v and %#v are both %q", s, other, text)
		}
		by[text] = s
	}
	for range 100 { // the order of a map is no part of it
		a, _ := resolvers.AppendPlain(m{"a": 1, "b": 2, "c": m{"d": 1, "e": 2}})
		if b, _ := resolvers.AppendPlain(m{"c": m{"e": 2, "d": 1}, "b": 2, "a": 1}); a != b {
			t.Fatalf("%q and %q", a, b)
		}
	}
	circle := m{}
	circle["user"] = circle
	for _, s := range []any{m{"user": &struct{ ID string }{"u"}}, m{"user": time.Time{}}, m{"user": []byte("u")}, m{"user": func() {}}, circle} {
		if text, ok := resolvers.AppendPlain(s); ok {
			t.Errorf("%T is compared as %q", s, text)
		}
	}
}

// TestReadYourWrites: clients write a row and read it by one query, all at once, over
// HTTP. Whoever reads after its write was acknowledged sees it, or a later one.
func TestReadYourWrites(t *testing.T) {
	h := readWritten(t, nil, nil)
	const clients, rounds = 8, 25
	var at atomic.Int64 // the last write that was begun; a row only ever goes up
	var lock sync.Mutex // of writes: the row holds their number
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range rounds {
				lock.Lock()
				n := at.Add(1)
				writeViews(t, h, n)
				lock.Unlock()
				if saw := readViews(t, h); saw < n {
					t.Errorf("a client wrote %d and then read %d", n, saw)
				}
			}
		})
	}
	all.Wait()
}

// TestReadsDoNotJoinWhatRuns: a read has looked at the row and is on its way; the row is
// written, and whoever wrote it reads. A group whose arrivals join what is under way
// gives them the old row.
func TestReadsDoNotJoinWhatRuns(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong resolvers.Shared
		want  int64
	}{{"the engine's", nil, 7}, {"one that joins what runs", resolvers.NewJoinsRunning(), 1}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hold := make(chan struct{})
				h := readWritten(t, c.wrong, hold)
				writing := make(chan struct{})
				go func() {
					defer close(writing)
					writeViews(t, h, 1)
				}()
				<-writing
				var all sync.WaitGroup
				all.Go(func() { readViews(t, h) })
				synctest.Wait() // it has looked, and is held
				writeViews(t, h, 7)
				var saw int64
				all.Go(func() { saw = readViews(t, h) })
				synctest.Wait() // it waits, for the one before it or for its own
				close(hold)
				all.Wait()
				if saw != c.want {
					t.Errorf("who wrote 7 reads %d, want %d", saw, c.want)
				}
			})
		})
	}
}

// readWritten answers GraphQL over a blog. Its findById takes a while, or until hold is
// closed, when it has looked.
func readWritten(t *testing.T, shared resolvers.Shared, hold <-chan struct{}) http.Handler {
	t.Helper()
	b := newBlog(t)
	slow := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		res, err := b.facade.Call(ctx, c)
		if c.Operation == "findById" {
			if hold != nil {
				<-hold
			}
			for range 50 {
				runtime.Gosched()
			}
		}
		return res, err
	})
	engine, err := resolvers.NewEngine(b.schema, slow, &resolvers.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if shared != nil {
		engine.SetShared(shared)
	}
	return gateway.NewGraphQL(engine, &gateway.GraphQLOptions{Log: quiet})
}

func writeViews(t *testing.T, h http.Handler, n int64) {
	t.Helper()
	answeredOver(t, h, fmt.Sprintf(`mutation { updatePost(id: 1, input: {views: %d}) { views } }`, n))
}

func readViews(t *testing.T, h http.Handler) int64 {
	t.Helper()
	return answeredOver(t, h, `{ post(id: 1) { views } }`).Data.Post.Views
}

type viewsRead struct {
	Data struct{ Post struct{ Views int64 } }
}

// answeredOver is the answer to a query that has no errors.
func answeredOver(t *testing.T, h http.Handler, query string) (read viewsRead) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		t.Error(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &read); err != nil || w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
		t.Errorf("%s: %d %v %s", query, w.Code, err, w.Body)
	}
	return read
}

// TestResponseMembers: which operation it answers, and whether another request's
// execution did.
func TestResponseMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, engine := gated(t, resolvers.Options{})
		var all sync.WaitGroup
		var rode, own atomic.Int64
		for range 4 { // one is under way, three share the next
			all.Go(func() {
				resp := engine.Execute(t.Context(), &resolvers.Request{Query: oneTitle, OperationName: "Two", Variables: json.RawMessage(`{"id":1}`)})
				if resp.Type != "query" || resp.Name != "Two" {
					t.Errorf("it answers %s %s", resp.Type, resp.Name)
				}
				if resp.Coalesced {
					rode.Add(1)
				} else {
					own.Add(1)
				}
			})
			synctest.Wait()
		}
		close(g.hold)
		all.Wait()
		if rode.Load() != 2 || own.Load() != 2 {
			t.Errorf("%d rode along, %d ran, want 2 and 2", rode.Load(), own.Load())
		}
	})
	_, engine := gated(t, resolvers.Options{})
	for query, want := range map[string]string{
		"{ __typename }": "query ", "{": " ", "{ nope }": " ", "query A { a: __typename } query B { b: __typename }": " ",
	} {
		if resp := engine.Execute(t.Context(), &resolvers.Request{Query: query}); resp.Type+" "+resp.Name != want || resp.Coalesced {
			t.Errorf("%s: %q, want %q", query, resp.Type+" "+resp.Name, want)
		}
	}
}
