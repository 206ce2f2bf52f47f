package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// admits admits everybody and shows every event with its row as Data has it, or what reveal says.
type admits struct {
	asked  *facade.Subscription
	refuse error
	reveal func(*facade.Event) ([]facade.Revealed, error)
}

func (a *admits) Watch(_ context.Context, r *facade.Subscription) (resolvers.Watch, error) {
	a.asked = r
	return a, a.refuse
}

func (a *admits) Reveal(_ context.Context, events []*facade.Event) (all []facade.Revealed, err error) {
	for _, e := range events {
		if a.reveal != nil {
			some, err := a.reveal(e)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
			continue
		}
		r := facade.Revealed{Event: e, Change: e.Change, Key: e.Key, Data: e.Data}
		if e.Data != nil {
			found, _ := rows.Read(rows.NewLayout([]string{"id", "title", "authorId", "editorId", "tags", "status"}), e.Data)
			r.Row = found.Row(0)
		}
		all = append(all, r)
	}
	return all, nil
}

// subscribing gives the blog an engine whose subscribers w admits.
func (b *blog) subscribing(t testing.TB, w *admits) {
	t.Helper()
	var err error
	watch := w.Watch
	if w == nil {
		watch = nil
	}
	if b.engine, err = resolvers.NewEngine(b.schema, b.recorder, &resolvers.Options{Logger: quiet, Watch: watch}); err != nil {
		t.Fatal(err)
	}
}

var published = &facade.Event{
	ID: "0198c0de-0000-7000-8000-000000000001", Position: 7, Frond: "blog", Name: "postPublished", Change: catalog.Created,
	Entity: "post", Key: json.RawMessage("1"), At: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
	Data: json.RawMessage(`{"id":1,"title":"Post 1","authorId":"bob","editorId":null,"tags":["go","sql"],"status":"live"}`),
}

// TestSubscription: an event becomes a response by the plan of the subscription. Its row is the
// one that the event has, and relations below it are calls with the state of the subscriber.
func TestSubscription(t *testing.T) {
	b := newBlog(t)
	w := &admits{}
	b.subscribing(t, w)
	state := access.State{"user": map[string]any{"id": "ada"}}
	s, resp := b.engine.Open(t.Context(), &resolvers.Request{
		State: state, Query: `subscription S($f: PostFilter, $after: String) {
		event: postPublished(after: $after, filter: $f) { id position at key post { title nodeId author { name mentor { name } } tags { items { label } } } __typename } }`,
		Variables: json.RawMessage(`{"f":{"title":{"eq":"x"}}}`),
	})
	if resp != nil {
		t.Fatalf("refused: %s", resp.Body)
	}
	if s.Frond != "blog" || s.Fact != "postPublished" || !s.Now || s.Name != "S" {
		t.Errorf("%+v", s)
	}
	if got := fmt.Sprint(w.asked.Select, " ", string(w.asked.Filter), " ", w.asked.State); got != `[title id authorId tags] {"title":{"eq":"x"}} map[user:map[id:ada]]` {
		t.Errorf("the watch is for %s", got)
	}
	b.calls()
	answers, _, err := s.Respond(t.Context(), []*facade.Event{published})
	if err != nil || len(answers) != 1 || answers[0].Position != 7 {
		t.Fatalf("%v, %v", answers, err)
	}
	want := `{"data":{"event":{"id":"0198c0de-0000-7000-8000-000000000001","position":"` + facade.Position(7).String() + `","at":"2026-02-03T04:05:06.000Z","key":1,` +
		`"post":{"title":"Post 1","nodeId":"` + binding.NodeIDOf(b.schema.Catalog.Set.Entity("post"), json.RawMessage("1")) + `","author":{"name":"Bob","mentor":{"name":"Ada \"the\" Great"}},` +
		`"tags":{"items":[{"label":"GO"},{"label":"SQL"}]}},"__typename":"PostPublishedEvent"}}}`
	if got := string(answers[0].Body); got != want {
		t.Error(cmp.Diff(want, got))
	}
	for _, c := range b.calls() {
		if c.Operation != "findById" || c.Invocation.State.User()["id"] != "ada" {
			t.Errorf("called %s.%s for %v", c.Entity, c.Operation, c.Invocation.State)
		}
	}
}

// TestSubscriptionOfNothing: a fact without a card, a view, and an event whose row the
// subscriber may not see.
func TestSubscriptionOfNothing(t *testing.T) {
	b := newBlog(t)
	w := &admits{}
	b.subscribing(t, w)
	ping := &facade.Event{ID: "a", Position: 1, Name: "ping", Data: json.RawMessage(`{"n":[1,2]}`)}
	for _, c := range []struct {
		query string
		event *facade.Event
		want  string
	}{
		{`subscription { ping { data } }`, ping, `{"data":{"ping":{"data":{"n":[1,2]}}}}`},
		{`subscription { ping { data id } }`, &facade.Event{ID: "b"}, `{"data":{"ping":{"data":null,"id":"b"}}}`},
		{`subscription { postShown { postCard { title } } }`, published, `{"data":{"postShown":{"postCard":{"title":"Post 1"}}}}`},
		{`subscription { postPublished { post { title author { name } } } }`, &facade.Event{ID: "b"}, `{"data":{"postPublished":{"post":null}}}`},
		{`subscription { a: postPublished { ...F } } fragment F on PostPublishedEvent { id id }`, &facade.Event{ID: "b"}, `{"data":{"a":{"id":"b"}}}`},
	} {
		s, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: c.query})
		if resp != nil {
			t.Fatalf("%s: refused: %s", c.query, resp.Body)
		}
		answers, _, err := s.Respond(t.Context(), []*facade.Event{c.event})
		if err != nil || len(answers) != 1 || string(answers[0].Body) != c.want {
			t.Errorf("%s: %v %s, want %s", c.query, err, answers[0].Body, c.want)
		}
	}
	w.reveal = func(*facade.Event) ([]facade.Revealed, error) { return nil, nil }
	s, _ := b.engine.Open(t.Context(), &resolvers.Request{Query: `subscription { ping { id } }`})
	if answers, _, err := s.Respond(t.Context(), []*facade.Event{ping}); len(answers) != 0 || err != nil {
		t.Errorf("an event that does not exist has answers: %v, %v", answers, err)
	}
	w.reveal = func(*facade.Event) ([]facade.Revealed, error) {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "later")
	}
	if _, _, err := s.Respond(t.Context(), []*facade.Event{ping}); err == nil {
		t.Error("the failure of Reveal is lost")
	}
}

// TestSubscriptionReference: the reference executor gives the same for an event.
func TestSubscriptionReference(t *testing.T) {
	b := newBlog(t)
	b.subscribing(t, &admits{})
	for _, query := range []string{
		`subscription { postPublished { id position at key post { id title status author { name mentor { name } } tags { total items { label } } } } }`,
		`subscription { ping { id data } }`,
	} {
		found, _ := rows.Read(rows.NewLayout([]string{"id", "title", "authorId", "tags", "status"}), published.Data)
		r := &facade.Revealed{Event: published, Key: published.Key, Data: published.Data, Row: found.Row(0)}
		s, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: query})
		if resp != nil {
			t.Fatalf("%s", resp.Body)
		}
		answers, _, err := s.Respond(t.Context(), []*facade.Event{published})
		if err != nil {
			t.Fatal(err)
		}
		plain := graphql.Do(graphql.Params{Schema: b.reference(), RequestString: query, RootObject: map[string]any{"event": r}, Context: t.Context()})
		text, _ := json.Marshal(plain.Data)
		var got struct{ Data any }
		var want any
		decode(t, string(answers[0].Body), &got)
		decode(t, string(text), &want)
		if d := cmp.Diff(want, got.Data, numbers); d != "" || len(plain.Errors) > 0 {
			t.Errorf("%s\nreference -, engine +:\n%s\n%v", query, d, plain.Errors)
		}
	}
	if plain := graphql.Do(graphql.Params{Schema: b.reference(), RequestString: `subscription { ping { id } }`}); len(plain.Errors) == 0 {
		t.Error("without an event nothing fails")
	}
}

// TestSubscriptionRefused: what stands before the first event, with its code and its place.
func TestSubscriptionRefused(t *testing.T) {
	b := newBlog(t)
	w := &admits{}
	b.subscribing(t, w)
	for _, c := range []struct{ query, want string }{
		{`subscription { ping { id } postPublished { id } }`, `must select only one top level field`},
		{`subscription { ping { id } other: ping { id } }`, `must select only one top level field`},
		{`subscription S { ...F } fragment F on Subscription { ping { id } postShown { id } }`, `Subscription \"S\" must select only one`},
		{`subscription { ... on Subscription { ping { id } } ...F } fragment F on Subscription { b: ping { id } }`, `must select only one`},
		{`subscription { __typename }`, `must not select an introspection`},
		{`subscription { __schema { queryType { name } } }`, `__schema`},
		{`subscription($a: Boolean!) { ping @include(if: $a) { id } postShown @skip(if: $a) { id } }`, `must not use \"@include\" at its top level`},
		{`subscription { ... @skip(if: false) { ping { id } } }`, `must not use \"@skip\"`},
		{`subscription($a: Boolean!) { ...F @include(if: $a) } fragment F on Subscription { ping { id } }`, `must not use \"@include\"`},
		{`subscription { nope { id } }`, `Cannot query field`},
		{`subscription { ping(after: "nope") { id } }`, `"path":["ping"],"extensions":{"code":"VALIDATION_FAILED"`},
		{`subscription { ping(filter: {}) { id } }`, `Unknown argument`},
		{`subscription { postPublished { post { comments { items { post { comments { items { post { comments { items { post { comments { items { post { comments { items { id } } } } } } } } } } } } } } } } }`, `DEPTH_LIMIT_EXCEEDED`},
	} {
		if _, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: c.query}); resp == nil || resp.Executed || resp.Status != 400 || !strings.Contains(string(resp.Body), c.want) {
			t.Errorf("%s: %+v", c.query, resp)
		}
	}
	w.refuse = kiterror.Errorf(kiterror.Forbidden, "not for you")
	if _, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: `subscription { ping { id } }`}); resp == nil || resp.Status != 403 || resp.Type != "subscription" ||
		string(resp.Body) != `{"errors":[{"message":"not for you","locations":[{"line":1,"column":16}],"path":["ping"],"extensions":{"code":"FORBIDDEN"}}]}` {
		t.Errorf("%+v %s", resp, resp.Body)
	}
	if resp := b.engine.Execute(t.Context(), &resolvers.Request{Query: `subscription { ping { id } }`}); resp.Status != 400 || !strings.Contains(string(resp.Body), "many answers") {
		t.Errorf("%s", resp.Body)
	}
	if s, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: `{ post(id: 1) { title } }`}); s != nil || !resp.Executed || resp.Type != "query" {
		t.Errorf("a query: %v %+v", s, resp)
	}
	b.subscribing(t, nil)
	if _, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: `subscription { ping { id } }`}); resp == nil || resp.Status != 501 {
		t.Errorf("without a watcher: %+v", resp)
	}
}

// TestSubscriptionKey: subscribers whose answers are equal share a key, wherever they begin.
func TestSubscriptionKey(t *testing.T) {
	b := newBlog(t)
	b.subscribing(t, &admits{})
	const query = `subscription($after: String, $f: PostFilter) { postPublished(after: $after, filter: $f) { id } }`
	key := func(query, vars string, state access.State) any {
		s, resp := b.engine.Open(t.Context(), &resolvers.Request{Query: query, Variables: json.RawMessage(vars), State: state})
		if resp != nil {
			t.Fatalf("%s", resp.Body)
		}
		return s.Key
	}
	ada := access.State{"user": map[string]any{"id": "ada"}}
	first := key(query, `{"f":{"title":{"eq":"x"}}}`, ada)
	if first == nil || first != key(query, `{"f":{"title":{"eq":"x"}},"after":"start"}`, access.State{"user": map[string]any{"id": "ada"}}) {
		t.Error("equal subscriptions have different keys")
	}
	for name, other := range map[string]any{
		"filter":   key(query, `{"f":{"title":{"eq":"y"}}}`, ada),
		"state":    key(query, `{"f":{"title":{"eq":"x"}}}`, access.State{"user": map[string]any{"id": "bob"}}),
		"nobody":   key(query, `{"f":{"title":{"eq":"x"}}}`, nil),
		"document": key(query+" ", `{"f":{"title":{"eq":"x"}}}`, ada),
	} {
		if other == first {
			t.Errorf("another %s has the same key", name)
		}
	}
	type odd struct{}
	if key(query, ``, access.State{"odd": odd{}}) != nil {
		t.Error("a state that cannot be compared has a key")
	}
	const used = `subscription($after: String) { postPublished(after: $after, filter: {title: {eq: $after}}) { id } }`
	if key(used, `{"after":"start"}`, nil) == key(used, `{"after":null}`, nil) {
		t.Error("a variable that decides more than where to begin is no part of the key")
	}
}
