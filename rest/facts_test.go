package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// announced is testdata/project with changes of posts and people, and rules for both.
const announced = `
changes: [post, author]
facts:
  - {name: postPublished, schema: post, on: post.update, when: before.views < 100 and after.views >= 100}
collectors:
  post:
    - when: '"staff" in user.roles'
    - when: user != nil
      rows: {views: {lt: 1000}}
      hide: [score]
    - deny: all
  author:
    - deny: all
`

// streaming is a server of a project whose facts are followed.
type streaming struct {
	*httptest.Server
	facade *facade.Facade
	facts  rest.Facts
	// answers are those that equal streams share.
	answers *facts.Answers
	end     context.CancelFunc
	// roles are those of whoever calls as Ada; nil: the token does not hold any more.
	roles atomic.Pointer[[]any]
	full  atomic.Bool // no stream has a place any more
	open  atomic.Int64
}

// feedFacts is the facts of streams over one feed.
type feedFacts struct {
	*facade.Facade
	feed *facts.Feed
}

func (f feedFacts) Subscribe(ctx context.Context, fact *catalog.Fact, after string) (rest.FactReader, error) {
	at := facts.Now
	switch after {
	case "":
	case "start":
		at = facts.Start
	default:
		var err error
		if at, err = facade.ParsePosition(after); err != nil {
			return nil, err
		}
	}
	r, err := f.feed.Subscribe(ctx, []string{fact.FullName()}, at)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func stream(t *testing.T) *streaming {
	t.Helper()
	project, err := facade.Read(os.DirFS("testdata/project"))
	if err != nil {
		t.Fatal(err)
	}
	for _, frond := range project.Fronds {
		if frond.Name == "blog" {
			frond.Config.Data = append(frond.Config.Data, announced...)
		}
	}
	store := storetest.NewStore()
	f := storetest.New(t, project, store, nil)
	feed := facts.New(store, nil)
	t.Cleanup(feed.Close)
	s := &streaming{facade: f, facts: feedFacts{f, feed}, answers: facts.NewAnswers(nil)}
	ctx, end := context.WithCancel(context.Background())
	s.end = end
	state := func(r *http.Request) (access.State, error) {
		switch r.Header.Get("X-User") {
		case "":
			return nil, nil
		case "ada":
			roles := s.roles.Load()
			if roles == nil {
				return nil, kiterror.Errorf(kiterror.Unauthorized, "the token has expired")
			}
			return access.State{"user": map[string]any{"id": "ada", "roles": *roles}}, nil
		}
		return access.State{"user": map[string]any{"id": "bob", "roles": []any{}}}, nil
	}
	s.roles.Store(&[]any{"staff"})
	h, err := rest.New(f.Catalog(), f, &rest.Options{State: state, Streams: rest.StreamOptions{
		Facts: feedFacts{f, feed}, Again: state, Ending: ctx, Answers: s.answers,
		Place: func(*http.Request, access.State) (func(), error) {
			if s.full.Load() {
				return nil, kiterror.Errorf(kiterror.TooManyRequests, "too many streams are open")
			}
			s.open.Add(1)
			return func() { s.open.Add(-1) }, nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle(streamsPath, h.Streams())
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { end(); s.Server.Close() })
	s.write(t, "author.create", "", `{"id":"a1","name":"Ada","born":1815}`)
	return s
}

// write makes a call as the author's own code.
func (s *streaming) write(t *testing.T, method, id, body string) {
	t.Helper()
	door, op, _ := strings.Cut(method, ".")
	in := facade.Invocation{State: access.State{"user": map[string]any{"roles": []any{"staff"}}}}
	if id != "" {
		in.ID = jsontext.Quote(id)
	}
	if body != "" {
		in.Body = []byte(body)
	}
	ctx := s.facade.Enter(t.Context(), in.State)
	if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: door, Operation: op, Invocation: in}); err != nil {
		t.Fatalf("%s %s %s: %v", method, id, body, err)
	}
}

// post creates a post with so many views.
func (s *streaming) post(t *testing.T, id string, views int) {
	t.Helper()
	s.write(t, "post.create", "", fmt.Sprintf(`{"id":%q,"title":"T","slug":%[1]q,"views":%d,"authorId":"a1"}`, id, views))
}

// events reads the events of one stream.
type events struct {
	t     *testing.T
	resp  *http.Response
	lines *bufio.Scanner
}

// follow opens a stream; headers are as of ask.
func (s *streaming) follow(t *testing.T, path string, headers ...string) *events {
	t.Helper()
	return s.opened(t, http.MethodGet, path, "", headers...)
}

// opened sends a request that a stream answers.
func (s *streaming) opened(t *testing.T, method, path, body string, headers ...string) *events {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d %s", path, resp.StatusCode, resp.Header)
	}
	e := readEvents(t, resp.Body)
	e.resp = resp
	return e
}

// readEvents reads a stream.
func readEvents(t *testing.T, from io.Reader) *events {
	e := &events{t: t, lines: bufio.NewScanner(from)}
	e.lines.Buffer(nil, 1<<20)
	return e
}

// block is what stands before the next empty line.
func (e *events) block() (lines []string) {
	for e.lines.Scan() {
		if e.lines.Text() == "" {
			return lines
		}
		lines = append(lines, e.lines.Text())
	}
	return nil
}

// next is the next event: its id, its name and its data. "" three times: the stream has ended.
func (e *events) next() (id, name, data string) {
	e.t.Helper()
	for {
		lines := e.block()
		if lines == nil {
			return "", "", ""
		}
		for _, line := range lines {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "id":
				id = value
			case "event":
				name = value
			case "data":
				data = value
			}
		}
		if data != "" {
			return id, name, data
		}
	}
}

// said is an event in a few words: name, change, key and the title or views of its row.
func said(data string) string {
	text := []byte(data)
	var members []string
	for name := range jsontext.Members(text) {
		members = append(members, name)
	}
	if got := strings.Join(members, " "); got != "id position name change entity key version at data" {
		return "an event with " + got
	}
	row := jsontext.Get(text, "data")
	return strings.Join([]string{
		jsontext.Unquote(jsontext.Get(text, "name")), jsontext.Unquote(jsontext.Get(text, "change")),
		jsontext.Unquote(jsontext.Get(text, "key")), string(jsontext.Get(row, "views")),
	}, " ")
}

const ada, bob = "X-User: ada", "X-User: bob"

// TestFactStream: a stream begins now, shows what its caller may see as REST shows it, and is
// resumed behind any event.
func TestFactStream(t *testing.T) {
	s := stream(t)
	before := s.follow(t, "/api/blog/facts/postChanged", ada)
	s.post(t, "p0", 1)
	before.next() // the memory's outbox gives positions some time after the commit
	all := s.follow(t, "/api/blog/facts/postChanged", ada)
	low := s.follow(t, "/api/blog/facts/postChanged?filter[views][lt]=50&fields=id,views", bob)
	hot := s.follow(t, "/api/blog/facts/postPublished", ada)
	s.post(t, "p1", 7)
	s.write(t, "post.update", "p1", `{"views":60}`)
	s.write(t, "post.update", "p1", `{"views":2000}`)
	s.post(t, "p2", 5000)
	s.write(t, "post.delete", "p1", "")
	s.post(t, "p3", 8)
	var ids []string
	for _, want := range []string{
		"postChanged created p1 7", "postChanged updated p1 60", "postChanged updated p1 2000",
		"postChanged created p2 5000", "postChanged deleted p1 2000", "postChanged created p3 8",
	} {
		id, name, data := all.next()
		if got := said(data); got != want || name != "postChanged" || id != jsontext.Unquote(jsontext.Get([]byte(data), "position")) {
			t.Fatalf("%s %s %s, want %s", id, name, data, want)
		}
		ids = append(ids, id)
	}
	for _, want := range []string{"postChanged created p1 7", "postChanged left p1 ", "postChanged created p3 8"} {
		_, _, data := low.next()
		if got := said(data); got != want || strings.Contains(data, "title") {
			t.Fatalf("%s, want %s", data, want)
		}
	}
	if _, _, data := hot.next(); said(data) != "postPublished updated p1 2000" {
		t.Fatalf("published: %s", data)
	}
	for _, again := range []*events{
		s.follow(t, "/api/blog/facts/postChanged?after="+ids[2], ada),
		s.follow(t, "/api/blog/facts/postChanged?after="+ids[0], ada, "Last-Event-ID: "+ids[2]),
	} {
		if id, _, _ := again.next(); id != ids[3] {
			t.Errorf("behind %s comes %s, want %s", ids[2], id, ids[3])
		}
	}
	if _, _, data := s.follow(t, "/api/blog/facts/postChanged?after=start", ada).next(); said(data) != "postChanged created p0 1" {
		t.Errorf("the oldest is %s", data)
	}
}

// TestSharedEvents: an event is judged and encoded once for the streams of one caller that ask for the
// same, and by itself for every other caller, filter and selection. A caller whose rights change leaves
// the others.
func TestSharedEvents(t *testing.T) {
	s := stream(t)
	const path = "/api/blog/facts/postChanged"
	equal := []*events{s.follow(t, path, bob), s.follow(t, path, bob), s.follow(t, path, bob)}
	all := []*events{s.follow(t, path, ada), s.follow(t, path+"?fields=id,views", bob), s.follow(t, path+"?filter[views][lt]=50", bob)}
	members := s.opened(t, http.MethodPost, streamsPath, `{"streams":{"1":{"fact":"blog.postChanged"},"2":{"fact":"blog.postChanged"}}}`, "Content-Type: application/json", bob)
	for range 3 { // open and both positions
		members.next()
	}
	s.post(t, "p1", 7)
	texts := map[string]int{}
	for _, e := range append(equal, all...) {
		_, _, data := e.next()
		if got := said(data); got != "postChanged created p1 7" {
			t.Fatalf("%s", data)
		}
		texts[data]++
	}
	for range 2 {
		if _, _, data := members.next(); said(string(jsontext.Get([]byte(data), "event"))) != "postChanged created p1 7" {
			t.Errorf("a member: %s", data)
		}
	}
	// The stream with a filter has the text of those without.
	if evaluated, shared := s.answers.Counts(); evaluated+shared != 8 || shared == 0 || shared > 3 || len(texts) != 3 {
		t.Errorf("%d evaluated, %d shared, texts %v", evaluated, shared, texts)
	}
	s.roles.Store(&[]any{})
	s.post(t, "p2", 8)
	_, _, his := equal[0].next()
	if _, _, hers := all[0].next(); hers != his || strings.Contains(hers, "score") {
		t.Errorf("Ada, who has the rights of Bob now: %s", hers)
	}
}

// TestHiddenEvents: nothing of a stream changes for what its caller may not see.
func TestHiddenEvents(t *testing.T) {
	s := stream(t)
	of := s.follow(t, "/api/blog/facts/postChanged", bob)
	of.block() // retry
	of.block() // where it begins
	s.post(t, "p1", 5000)
	s.write(t, "post.update", "p1", `{"views":6000}`)
	s.post(t, "p2", 1)
	if first := of.block(); len(first) != 3 || said(strings.TrimPrefix(first[2], "data: ")) != "postChanged created p2 1" || strings.Contains(first[2], "score") {
		t.Errorf("the first thing that is sent is %q", first)
	}
}

// TestManyHiddenEvents: events that fill reads of the log and that the caller may not see do not
// hold up those behind them.
func TestManyHiddenEvents(t *testing.T) {
	s := stream(t)
	all := s.follow(t, "/api/blog/facts/postChanged", bob)
	for i := range 600 { // more than one read of the log has
		s.post(t, fmt.Sprint("h", i), 5000)
	}
	s.post(t, "p1", 1)
	all.next() // every event has its position now
	began := time.Now()
	of := s.follow(t, "/api/blog/facts/postChanged?after=start", bob)
	of.block() // retry
	of.block() // where it begins
	if first := of.block(); len(first) != 3 || said(strings.TrimPrefix(first[2], "data: ")) != "postChanged created p1 1" {
		t.Errorf("the first thing that is sent is %q", first)
	}
	if took := time.Since(began); took >= sse.Interval {
		t.Errorf("it is sent after %v, at a heartbeat", took)
	}
}

// TestRefusedStreams: everything that is wrong is a problem before the stream begins.
func TestRefusedStreams(t *testing.T) {
	s := stream(t)
	for _, c := range []struct {
		request string
		headers []string
		status  int
		want    string // code and details, or a header
		says    string
	}{
		{"GET /api/blog/facts/nothing", []string{ada}, 404, "NOT_FOUND", "postChanged"},
		{"GET /api/blog/facts", []string{ada}, 404, "NOT_FOUND", "/api/blog/facts/{name}"},
		{"GET /api/blog/facts/postChanged/p1", []string{ada}, 404, "NOT_FOUND", "/api/blog/facts/{name}"},
		{"GET /api/blog/facts/postChanged", nil, 401, "UNAUTHORIZED", "say who you are"},
		{"GET /api/blog/facts/authorChanged", []string{bob}, 403, "FORBIDDEN", ""},
		{"GET /api/blog/facts/postChanged?filter[score]=1", []string{bob}, 400, "VALIDATION_FAILED /query/filter/score:unknown_key", "score"},
		{"GET /api/blog/facts/postChanged?filter={&limit=3", []string{ada}, 400, "VALIDATION_FAILED /query/limit:unknown_key /query/filter:type", "after, filter and fields"},
		{"GET /api/blog/facts/postChanged?filter[views]=1&filter={}", []string{ada}, 400, "VALIDATION_FAILED /query/filter:oneOf", ""},
		{"GET /api/blog/facts/postChanged?fields=nope", []string{ada}, 400, "VALIDATION_FAILED /query/fields/0:unknown_key", "nope"},
		{"GET /api/blog/facts/postChanged?after=x&after=y", []string{ada}, 400, "VALIDATION_FAILED /query/after:maxItems", ""},
		{"GET /api/blog/facts/postChanged?after=yesterday", []string{ada}, 400, "VALIDATION_FAILED", "is no position"},
		{"GET /api/blog/facts/postChanged", []string{ada, "Last-Event-ID: " + (facade.Position(1) << 50).String()}, 400, "VALIDATION_FAILED", "position"},
		{"GET /api/blog/facts/postChanged", []string{ada, "Accept: application/json"}, 406, "BAD_REQUEST", "Accept: text/event-stream"},
		{"POST /api/blog/facts/postChanged", []string{ada}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"},
		{"GET /api/blog/categories", []string{ada, "Accept: text/event-stream"}, 406, "BAD_REQUEST", "changes: [category]"},
		{"GET /api/blog/people", []string{bob, "Accept: text/event-stream"}, 403, "FORBIDDEN", ""},
		{"GET /api/blog/posts?filter[score]=1", []string{bob, "Accept: text/event-stream"}, 400, "VALIDATION_FAILED /query/filter/score:unknown_key", ""},
	} {
		w := ask(t, s.Config.Handler, c.request, c.headers, "")
		if got := problem(t, w); w.Code != c.status || got != c.want || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %v: %d %s, want %d %s and %q\n%s", c.request, c.headers, w.Code, got, c.status, c.want, c.says, w.Body)
		}
	}
	s.full.Store(true)
	for _, path := range []string{"/api/blog/facts/postChanged", "/api/blog/posts"} {
		if w := ask(t, s.Config.Handler, "GET "+path, []string{ada, "Accept: text/event-stream"}, ""); w.Code != 429 || problem(t, w) != "TOO_MANY_REQUESTS" {
			t.Errorf("%s without a place: %d %s", path, w.Code, w.Body)
		}
	}
	s.full.Store(false)
	for request, want := range map[string]int{"OPTIONS /api/blog/facts/postChanged": 204, "HEAD /api/blog/facts/postChanged": 200} {
		if w := ask(t, s.Config.Handler, request, []string{ada}, ""); w.Code != want || w.Body.Len() > 0 {
			t.Errorf("%s: %d %s", request, w.Code, w.Body)
		}
	}
	// What does not ask for a stream by its name gets the list.
	for _, accept := range []string{"*/*", "application/json", "application/json, text/event-stream;q=0.5"} {
		if w := ask(t, s.Config.Handler, "GET /api/blog/posts", []string{ada, "Accept: " + accept}, ""); w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("Accept: %s: %d %s", accept, w.Code, w.Header())
		}
	}
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d places were not given back", n)
	}
}

// TestEndsOfAStream: rights hold as they are when an event comes, and an end with a reason says
// it.
func TestEndsOfAStream(t *testing.T) {
	s := stream(t)
	of := s.follow(t, "/api/blog/facts/postChanged", ada)
	s.post(t, "p1", 5000)
	if _, _, data := of.next(); said(data) != "postChanged created p1 5000" {
		t.Fatalf("staff sees %s", data)
	}
	s.roles.Store(&[]any{"guest"})
	s.post(t, "p2", 5000)
	s.post(t, "p3", 3)
	if _, _, data := of.next(); said(data) != "postChanged created p3 3" {
		t.Fatalf("who is no staff any more sees %s", data)
	}
	s.roles.Store(nil)
	s.post(t, "p4", 4)
	_, name, data := of.next()
	if name != "end" || jsontext.Unquote(jsontext.Get([]byte(data), "code")) != "UNAUTHORIZED" {
		t.Errorf("the end is %s %s", name, data)
	}
	if id, _, _ := of.next(); id != "" {
		t.Errorf("after the end comes %s", id)
	}
	stops := s.follow(t, "/api/blog/facts/postChanged", bob)
	stops.block()
	s.end()
	if _, name, _ := stops.next(); name != "" {
		t.Errorf("a host that stops says %s", name)
	}
}

// TestListAndChanges: a list is followed by its changes without a gap, and without an event for
// what the list has said already.
func TestListAndChanges(t *testing.T) {
	s := stream(t)
	before := s.follow(t, "/api/blog/facts/postChanged", ada)
	for i := range 5 {
		s.post(t, fmt.Sprint("p", i), i)
		before.next()
	}
	of := s.follow(t, "/api/blog/posts?sort=id&fields=id,views&limit=500", ada, "Accept: text/event-stream")
	at, name, page := of.next()
	if name != "list" || string(jsontext.Get([]byte(page), "total")) != "5" {
		t.Fatalf("the first event is %s %s", name, page)
	}
	s.write(t, "post.update", "p3", `{"views":30}`)
	id, _, data := of.next()
	if said(data) != "postChanged updated p3 30" {
		t.Fatalf("then comes %s", data)
	}
	for from, want := range map[string]string{at: id, id: ""} {
		again := s.follow(t, "/api/blog/posts?sort=id&fields=id,views", ada, "Accept: text/event-stream", "Last-Event-ID: "+from)
		if want == "" {
			s.post(t, "p9", 9)
		}
		if got, name, _ := again.next(); name != "postChanged" || want != "" && got != want {
			t.Errorf("behind %s comes %s %s", from, got, name)
		}
	}
}

// TestListWhileWriting: whatever is written while lists are read, a list and its changes give
// every row once.
func TestListWhileWriting(t *testing.T) {
	s := stream(t)
	const rows = 60
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := range rows {
			s.post(t, fmt.Sprintf("p%02d", i), i)
			time.Sleep(time.Millisecond)
		}
	}()
	for range 6 {
		of := s.follow(t, "/api/blog/posts?sort=id&fields=id&limit=500", ada, "Accept: text/event-stream")
		var got []string
		for len(got) == 0 || got[len(got)-1] != fmt.Sprintf("p%02d", rows-1) {
			_, name, data := of.next()
			switch {
			case name == "list":
				for _, item := range jsontext.Elements(jsontext.Get([]byte(data), "items")) {
					got = append(got, jsontext.Unquote(jsontext.Get(item, "id")))
				}
			case name == "":
				t.Fatal("the stream ended")
			default:
				got = append(got, jsontext.Unquote(jsontext.Get([]byte(data), "key")))
			}
		}
		want := make([]string, rows)
		for i := range want {
			want[i] = fmt.Sprintf("p%02d", i)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	<-stopped
}

// TestRowsThatChangeWhileListed: of a row that changes more than once while the list is read, nothing
// comes behind the list that is older than what the list says.
func TestRowsThatChangeWhileListed(t *testing.T) {
	s := stream(t)
	s.post(t, "p1", 1)
	s.post(t, "p2", 1)
	ended, end := context.WithCancel(t.Context())
	h, err := rest.New(s.facade.Catalog(), facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		err := s.facade.Transact(t.Context(), "", func(ctx context.Context) error {
			for _, views := range []string{"2", "3"} {
				in := facade.Invocation{ID: []byte(`"p1"`), Body: []byte(`{"views":` + views + `}`)}
				if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "update", Invocation: in}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return s.facade.Call(ctx, c)
	}), &rest.Options{
		State: func(*http.Request) (access.State, error) {
			return access.State{"user": map[string]any{"roles": []any{"staff"}}}, nil
		},
		Streams: rest.StreamOptions{Facts: s.facts, Ending: ended},
	})
	if err != nil {
		t.Fatal(err)
	}
	own := &streaming{Server: httptest.NewServer(h), facade: s.facade}
	defer own.Close()
	defer end()
	of := own.follow(t, "/api/blog/posts?sort=id&fields=id,views", "Accept: text/event-stream")
	if _, name, page := of.next(); name != "list" || !strings.Contains(page, `[{"id":"p1","views":3},{"id":"p2","views":1}]`) {
		t.Fatalf("%s %s", name, page)
	}
	for _, id := range []string{"p2", "p1"} {
		s.write(t, "post.update", id, `{"views":9}`)
		if _, _, data := of.next(); said(data) != "postChanged updated "+id+" 9" {
			t.Errorf("then comes %s", data)
		}
	}
}

// TestListThatIsFollowed is read from the store itself: a copy may not have yet what stands
// before the position that the changes begin at.
func TestListThatIsFollowed(t *testing.T) {
	s := stream(t)
	ended, end := context.WithCancel(t.Context())
	end()
	var copies []bool
	h, err := rest.New(s.facade.Catalog(), facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		copies = append(copies, consistency.Copies(ctx) != nil)
		return s.facade.Call(ctx, c)
	}), &rest.Options{
		State: func(*http.Request) (access.State, error) {
			return access.State{"user": map[string]any{"roles": []any{"staff"}}}, nil
		},
		Streams: rest.StreamOptions{Facts: s.facts, Ending: ended},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, accept := range []string{"application/json", "text/event-stream"} {
		r := httptest.NewRequestWithContext(consistency.With(t.Context(), &consistency.Record{}), http.MethodGet, "/api/blog/posts", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 || w.Header().Get("Content-Type") != accept {
			t.Errorf("%s: %d %s", accept, w.Code, w.Body)
		}
	}
	if diff := cmp.Diff([]bool{true, false}, copies); diff != "" {
		t.Errorf("may a copy answer? (-want +got):\n%s", diff)
	}
}

// TestFactsSegment: a door cannot have the path of what its Frond announces.
func TestFactsSegment(t *testing.T) {
	frond := &catalog.Frond{Name: "shop"}
	frond.Doors = []*catalog.Door{{Name: "fact", Frond: frond, Plural: "Facts", Origin: "frond.yaml"}}
	if _, err := rest.Derive(&catalog.Catalog{Fronds: []*catalog.Frond{frond}}, ""); err != nil {
		t.Errorf("without facts: %v", err)
	}
	frond.Facts = []*catalog.Fact{{Name: "sold", Frond: frond}}
	const want = "frond.yaml#/doors/fact: the path /api/shop/Facts is that of the facts of shop; give the door another plural: fact: {plural: …}"
	if _, err := rest.Derive(&catalog.Catalog{Fronds: []*catalog.Frond{frond}}, ""); err == nil || err.Error() != want {
		t.Errorf("with facts: %v", err)
	}
}
