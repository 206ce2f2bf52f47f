package frond_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/gateway"
)

// served calls a program over HTTP as a user.
func served(t *testing.T, app *frond.App) func(method, path, body string) string {
	t.Helper()
	app.Session(func(*http.Request) (frond.State, error) { return frond.SignedIn("ada"), nil })
	app.Configure(func(o *gateway.Options) { o.Logger = slog.New(slog.DiscardHandler) })
	handler, closeApp, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeApp(); err != nil {
			t.Error(err)
		}
	})
	return func(method, path, body string) string {
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		text, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
}

// TestRows drives the methods of Rows for single rows and lists.
func TestRows(t *testing.T) {
	app, _ := journal()
	ctx := frond.Test(t, app)
	posts := frond.Inside[Post](ctx)
	for i, title := range []string{"Anchor", "Buoy", "Cleat"} {
		slug := strings.ToLower(title)
		if _, err := posts.Create(ctx, frond.Set{"id": slug, "slug": slug, "title": title, "body": "", "likes": i, "status": "published"}); err != nil {
			t.Fatal(err)
		}
	}
	titles := func(list []Post) string {
		var all []string
		for _, p := range list {
			all = append(all, p.Title)
		}
		return strings.Join(all, " ")
	}
	many, err := posts.FindMany(ctx, []string{"cleat", "nothing", "anchor"})
	if titles(many) != "Cleat Anchor" || err != nil {
		t.Errorf("FindMany: %v %v", many, err)
	}
	now := time.Now()
	for _, c := range []struct {
		what []frond.Clause
		want string
	}{
		{[]frond.Clause{frond.Sort("-status"), frond.Counted()}, "Anchor Buoy Cleat Knots"},
		{[]frond.Clause{frond.Offset(1), frond.Limit(2)}, "Buoy Cleat"},
		{[]frond.Clause{frond.Gt("likes", 0), frond.Lt("likes", 3)}, "Buoy Cleat"},
		{[]frond.Clause{frond.Gte("likes", 2), frond.Lte("likes", 2)}, "Cleat"},
		{[]frond.Clause{frond.In("title", []string{"Buoy", "Cleat"})}, "Buoy Cleat"},
		{[]frond.Clause{frond.NotIn("title", []string{"Buoy", "Cleat"}), frond.Eq("status", "published")}, "Anchor"},
		{[]frond.Clause{frond.Or(frond.Eq("title", "Buoy"), frond.And(frond.Contains("title", "ch"), frond.EndsWith("title", "or")))}, "Anchor Buoy"},
		{[]frond.Clause{frond.Not(frond.Eq("status", "published"))}, "Knots"},
		{[]frond.Clause{frond.IContains("title", "BUO"), frond.IsNull("publishedAt"), frond.Filter{}}, "Buoy"},
		{[]frond.Clause{frond.NotNull("publishedAt")}, ""},
		{[]frond.Clause{frond.Lt("publishedAt", now)}, ""},
		{[]frond.Clause{frond.Limit(0)}, ""},
	} {
		page, err := posts.List(ctx, append(c.what, frond.Sort("title"))...)
		if err != nil || titles(page.Items) != c.want {
			t.Errorf("%v: %+v, %v; want %q", c.what, page, err, c.want)
		}
	}
	if n, err := posts.Count(ctx, frond.Eq("status", "published")); n != 3 || err != nil {
		t.Errorf("Count: %d %v", n, err)
	}
	var all []Post
	for p, err := range posts.All(ctx, frond.Sort("title"), frond.Limit(3)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *p)
	}
	if titles(all) != "Anchor Buoy Cleat Knots" {
		t.Errorf("All: %s", titles(all))
	}
	p, err := posts.Update(ctx, "anchor", &Post{Title: "Grapnel", Likes: 0})
	if err != nil || p.Title != "Grapnel" || p.Status != "published" {
		t.Errorf("Update by a pointer: %v %v", p, err)
	}
	if p, err := posts.First(ctx, frond.Eq("title", "Dinghy")); p != nil || err != nil {
		t.Errorf("First of nothing: %v %v", p, err)
	}
	tags := frond.Inside[Tag](ctx)
	if _, err := tags.Create(ctx, Tag{ID: 0, Name: "", PostID: "buoy"}); err != nil { // required fields are written, zero or not
		t.Errorf("Create: %v", err)
	}
	if tag, err := tags.Update(ctx, 0, struct{ Name string }{"sea"}); err != nil || tag.Name != "sea" || tag.PostID != "buoy" {
		t.Errorf("Update by a struct: %v %v", tag, err)
	}
	if _, err := tags.Update(ctx, 0, "sea"); frond.CodeOf(err) != frond.InternalError {
		t.Errorf("Update by a text: %v", err)
	}
	if tag, err := tags.First(ctx, frond.Related("post", frond.Eq("title", "Buoy"))); err != nil || tag == nil {
		t.Errorf("Related: %v %v", tag, err)
	}
	if tag, err := tags.First(ctx, frond.Sort("-post.title", "id"), frond.Related("post", frond.Gte("likes", 0))); err != nil || tag == nil {
		t.Errorf("Sort behind a relation: %v %v", tag, err)
	}
	for name, err := range map[string]error{
		"a filter that has no JSON": second(posts.List(ctx, frond.Eq("title", make(chan int)))),
		"a set that has no JSON":    second(posts.Update(ctx, "buoy", frond.Set{"title": func() {}})),
		"an id that has no JSON":    second(posts.Find(ctx, func() {})),
	} {
		if err == nil || !strings.Contains(err.Error(), "unsupported type") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestContexts: without a context of the program, or a door with the type, a call says so
// and does not panic.
func TestContexts(t *testing.T) {
	app, _ := journal()
	ctx := frond.Test(t, app)
	for _, c := range []struct {
		ctx  context.Context
		call func(context.Context) error
		want string
	}{
		{t.Context(), func(ctx context.Context) error { return second(frond.Inside[Post](ctx).Find(ctx, "p1")) }, "not a function's"},
		{t.Context(), func(ctx context.Context) error { return second(frond.From[Post](ctx).Create(ctx, Post{})) }, "not a function's"},
		{t.Context(), func(ctx context.Context) error { return second(frond.Call[any](ctx, "post.list", nil)) }, "not a function's"},
		{frond.As(t.Context(), frond.SignedIn("ada")), func(ctx context.Context) error { return second(frond.Call[any](ctx, "post.list", nil)) }, "not a function's"},
		{ctx, func(ctx context.Context) error { type other Post; return second(frond.Inside[other](ctx).List(ctx)) }, "no door has rows of type frond_test.other"},
		{ctx, func(ctx context.Context) error { return second(frond.Call[any](ctx, "post.burn", nil)) }, "no operation post.burn"},
		{ctx, func(ctx context.Context) error { return second(frond.Call[any](ctx, "post.list", 7)) }, "give it a struct or a Set"},
	} {
		if err := c.call(c.ctx); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(c.want, "no operation ")) {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
}

// TestUser: the identity of the session reaches commands, hooks and computed fields.
func TestUser(t *testing.T) {
	app, post := journal()
	var seen []string
	note := func(where string, ctx context.Context) {
		u := frond.User(ctx)
		seen = append(seen, fmt.Sprint(where, " ", u.ID(), " ", u.Is("editor"), u.Is("owner")))
	}
	frond.Command(post, "publish", func(ctx context.Context, in struct{ ID string }) (*Post, error) {
		note("command", ctx)
		return frond.Inside[Post](ctx).Update(ctx, in.ID, frond.Set{"status": "published"})
	})
	post.Before("update", func(ctx context.Context, _ *frond.Change[Post]) error { note("hook", ctx); return nil })
	frond.ComputedMany(post, "mine", func(ctx context.Context, rows []Post) ([]bool, error) {
		note("computed", ctx)
		return make([]bool, len(rows)), nil
	})
	ctx := frond.As(frond.Test(t, app), frond.SignedIn("ada", "editor"))
	if _, err := frond.Call[Post](ctx, "post.publish", struct{ ID string }{"p1"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, ", "); got != "command ada true false, hook ada true false, computed ada true false" {
		t.Errorf("%s", got)
	}
	if u := frond.User(t.Context()); u != nil || u.ID() != "" || u.Is("editor") {
		t.Errorf("nobody: %v", u)
	}
}

// TestHooksOnEverySurface: a hook runs once for each row that is written, whoever writes it.
func TestHooksOnEverySurface(t *testing.T) {
	app, post := journal()
	var log []string
	post.Before("create", func(_ context.Context, c *frond.Change[Post]) error {
		c.Set["slug"] = "s-" + strings.ToLower(c.Row.Title)
		return nil
	})
	post.After("create", func(ctx context.Context, c *frond.Change[Post]) {
		kept, err := frond.Inside[Post](ctx).Find(ctx, c.ID) // it is committed
		log = append(log, fmt.Sprint(c.Row.Title, " ", c.Row.Slug, " ", c.ID == c.Row.ID, " ", c.Row.Status, " ", err == nil && *kept == *c.Row))
	})
	frond.Command(post, "publish", func(ctx context.Context, in struct{ ID string }) (*Post, error) {
		return frond.Inside[Post](ctx).Create(ctx, Post{Title: "Inside"})
	})
	call := served(t, app)
	answers := []string{
		call("POST", "/api/journal/posts", `{"title":"Rest","body":""}`),
		call("POST", "/graphql", `{"query":"mutation { a: createPost(input: {title: \"One\", body: \"\"}) { slug } b: createPost(input: {title: \"Two\", body: \"\"}) { id } }"}`),
		call("POST", "/_kit/call", `[{"jsonrpc":"2.0","id":1,"method":"post.create","params":{"body":{"title":"Wire","body":""}}},{"jsonrpc":"2.0","method":"post.create","params":{"body":{"title":"Silent","body":""}}}]`),
		call("POST", "/api/journal/posts/publish?id=p1", ""),
	}
	slices.Sort(log) // the frames of a batch run side by side
	want := []string{"Inside", "One", "Rest", "Silent", "Two", "Wire"}
	for i := range want {
		want[i] += " s-" + strings.ToLower(want[i]) + " true draft true"
	}
	if !slices.Equal(log, want) {
		t.Errorf("got  %s\nwant %s\nanswers %s", strings.Join(log, "; "), strings.Join(want, "; "), strings.Join(answers, "\n"))
	}
}

// TestAfterHooksOfFailures: what is not written has no hook after it.
func TestAfterHooksOfFailures(t *testing.T) {
	app, post := journal()
	ran := 0
	refuse := false
	for _, op := range []string{"create", "update", "delete", "publish"} {
		post.Before(op, func(context.Context, *frond.Change[Post]) error {
			if refuse {
				return errors.New("no")
			}
			return nil
		})
		post.After(op, func(context.Context, *frond.Change[Post]) { ran++ })
	}
	frond.Command(post, "publish", func(ctx context.Context, in struct{ ID string }) (*Post, error) {
		return nil, frond.Errorf(frond.Conflict, "not today")
	})
	ctx := frond.Test(t, app)
	posts := frond.Inside[Post](ctx)
	writes := func() []error {
		return []error{
			second(posts.Create(ctx, frond.Set{"title": "Twice", "body": "", "slug": "knots"})),
			second(posts.Create(ctx, frond.Set{"title": "", "body": ""})),
			second(posts.Update(ctx, "nothing", frond.Set{"title": "x"})),
			posts.Delete(ctx, "nothing"),
			second(frond.Call[Post](ctx, "post.publish", frond.Set{"id": "p1"})),
		}
	}
	for i, want := range []frond.Code{frond.Conflict, frond.ValidationFailed, frond.NotFound, frond.NotFound, frond.Conflict} {
		if err := writes()[i]; frond.CodeOf(err) != want {
			t.Errorf("write %d: %v, want %s", i, err, want)
		}
	}
	refuse = true
	for i, err := range []error{
		second(posts.Update(ctx, "p1", frond.Set{"title": "x"})), posts.Delete(ctx, "p1"),
		second(posts.Create(ctx, frond.Set{"title": "New", "body": ""})),
	} {
		if frond.CodeOf(err) != frond.InternalError || !strings.Contains(err.Error(), "something went wrong on our side: no") {
			t.Errorf("refused write %d: %v", i, err)
		}
	}
	if p, err := posts.Find(ctx, "p1"); ran != 0 || err != nil || p.Title != "Knots" {
		t.Errorf("%d hooks ran; the row is %v, %v", ran, p, err)
	}
}

// TestHookThatPanics: the write stands, and its caller is answered.
func TestHookThatPanics(t *testing.T) {
	app, post := journal()
	post.After("update", func(context.Context, *frond.Change[Post]) { panic("after") })
	post.Before("delete", func(context.Context, *frond.Change[Post]) error { panic("before") })
	ctx := frond.Test(t, app)
	posts := frond.Inside[Post](ctx)
	if p, err := posts.Update(ctx, "p1", frond.Set{"title": "Bends"}); err != nil || p.Title != "Bends" {
		t.Errorf("%v %v", p, err)
	}
	if err := posts.Delete(ctx, "p1"); frond.CodeOf(err) != frond.InternalError {
		t.Errorf("%v", err)
	}
	if _, err := posts.Find(ctx, "p1"); err != nil {
		t.Errorf("the row afterwards: %v", err)
	}
}

// TestHooksOfPatches: before an update a hook sees what is written and no more.
func TestHooksOfPatches(t *testing.T) {
	app, post := journal()
	var got string
	post.Before("update", func(_ context.Context, c *frond.Change[Post]) error {
		got = fmt.Sprint(c.Operation, c.ID, c.Row.Title, c.Row.Body, c.Writes("title"), c.Writes("body"), c.Writes("slug"))
		c.Set["likes"] = c.Row.Likes + 1
		return nil
	})
	post.Before("publish", func(_ context.Context, c *frond.Change[Post]) error {
		var in struct{ ID string }
		err := c.Input(&in)
		got = fmt.Sprint(c.Operation, c.ID, in.ID, c.Row == nil, c.Set == nil)
		return err
	})
	frond.Command(post, "publish", func(ctx context.Context, in struct{ ID string }) (*Post, error) {
		return frond.Inside[Post](ctx).Find(ctx, in.ID)
	})
	ctx := frond.Test(t, app)
	p, err := frond.Inside[Post](ctx).Update(ctx, "p1", frond.Set{"title": "Bends", "likes": 7})
	if err != nil || got != "updatep1Bendstrue false false" || p.Likes != 8 {
		t.Errorf("%s %v %v", got, p, err)
	}
	if _, err := frond.Call[Post](ctx, "post.publish", frond.Set{"id": "p1"}); err != nil || got != "publishp1p1true true" {
		t.Errorf("%s %v", got, err)
	}
}

// TestConcurrentCalls: typed calls and hooks from many goroutines.
func TestConcurrentCalls(t *testing.T) {
	app, post := journal()
	var before, after atomic.Int64
	post.Before("create", func(_ context.Context, c *frond.Change[Post]) error {
		c.Set["slug"] = fmt.Sprint("slug-", before.Add(1))
		return nil
	})
	post.After("create", func(context.Context, *frond.Change[Post]) { after.Add(1) })
	frond.Computed(post, "shout", func(p Post) string { return strings.ToUpper(p.Title) })
	ctx := frond.As(frond.Test(t, app), frond.SignedIn("ada"))
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			posts := frond.From[Post](ctx)
			title := fmt.Sprint("post ", i)
			p, err := posts.Create(ctx, Post{Title: title})
			if err != nil {
				t.Error(err)
				return
			}
			got, err := frond.Call[struct{ Title, Shout string }](ctx, "post.findById", frond.Set{"id": p.ID})
			if err != nil || got.Title != title || got.Shout != strings.ToUpper(title) {
				t.Errorf("%+v %v", got, err)
			}
		})
	}
	all.Wait()
	if before.Load() != 40 || after.Load() != 40 {
		t.Errorf("%d hooks before and %d after 40 writes", before.Load(), after.Load())
	}
}

// TestComputedValuesAreDecoded: a function is given text and times, not their JSON.
func TestComputedValuesAreDecoded(t *testing.T) {
	app, post := journal()
	frond.Computed(post, "words", func(p Post) int { return len(strings.Fields(p.Body)) })
	frond.Computed(post, "year", func(p Post) *int {
		if p.PublishedAt == nil {
			return nil
		}
		y := p.PublishedAt.Year()
		return &y
	})
	frond.Computed(post, "bare", func(p Post) string { return p.Title + p.Body }, frond.Needing("Title"))
	ctx := frond.As(frond.Test(t, app), frond.SignedIn("ada"))
	_, err := frond.Inside[Post](ctx).Update(ctx, "p1", frond.Set{"body": "one\ntwo\t\"three\"\u00a0four", "publishedAt": time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := frond.Call[struct {
		Words int
		Year  *int
	}](ctx, "post.findById", frond.Set{"id": "p1", "fields": "words,year"})
	if err != nil || got.Words != 4 || got.Year == nil || *got.Year != 2026 {
		t.Errorf("%+v, %v", got, err)
	}
	bare, err := frond.Call[struct{ Bare string }](ctx, "post.findById", frond.Set{"id": "p1", "fields": "bare"})
	if err != nil || bare.Bare != "Knots" {
		t.Errorf("only what is needed is read: %+v, %v", bare, err)
	}
}

// TestDoorWithoutRows: a door that stores nothing has operations all the same.
func TestDoorWithoutRows(t *testing.T) {
	files := maps.Clone(site)
	files["site/frond.yaml"] = &fstest.MapFile{Data: []byte(`
name: journal
doors:
  report: {operations: {countWords: {query: {type: object, properties: {least: {type: integer}}}}}}
  clock: {operations: {wind: {kind: command}}}
collectors: {'*': open}
`)}
	app := frond.New(files)
	app.Generator("slug", func() string { return "made-up" })
	frond.Door[Post](app, "post")
	report := frond.Door[struct{}](app, "report")
	frond.Query(report, "countWords", func(ctx context.Context, in struct{ Least int }) (map[string]int, error) {
		n := 0
		for p, err := range frond.From[Post](ctx).All(ctx) {
			if err != nil {
				return nil, err
			}
			if words := len(strings.Fields(p.Body)); words >= in.Least {
				n += words
			}
		}
		return map[string]int{"words": n}, nil
	})
	frond.Command(frond.Door[struct{}](app, "clock"), "wind", func(context.Context, struct{}) (string, error) { return "tick", nil })
	ctx := frond.Test(t, app)
	got, err := frond.Call[map[string]int](ctx, "report.countWords", frond.Set{"least": 2})
	if err != nil || got["words"] != 2 {
		t.Errorf("%v %v", got, err)
	}
	if tick, err := frond.Call[string](ctx, "clock.wind", nil); err != nil || tick != "tick" {
		t.Errorf("%v %v", tick, err)
	}
}

// TestConfigure: what the package has no function for is reached below it.
func TestConfigure(t *testing.T) {
	app, _ := journal()
	app.Conversion("shout", nil, func(s string) (string, error) { return strings.ToUpper(s), nil })
	var development bool
	app.Configure(func(o *gateway.Options) { development = o.Config.Mode == gateway.Development })
	if app.Project().Registry.Conversions["shout"].Decode != nil || app.Project().Registry.Conversions["shout"].Encode == nil {
		t.Error("a conversion in one direction")
	}
	frond.Test(t, app)
	if !development {
		t.Error("gateway.yaml of the folder is not read")
	}
}

// TestAnswersAreEncodedOnce: what a command has read with the rights of its caller leaves
// as any other answer does.
func TestAnswersAreEncodedOnce(t *testing.T) {
	type note struct{ ID, Text, Pin string }
	app := frond.New(fstest.MapFS{
		"frond.yaml": {Data: []byte(`
doors: {note: {operations: {findNewest: {output: note}, findInside: {output: note}, touch: {kind: command, output: note}}}}
collectors: {note: open}
`)},
		"entities/note.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string, x-kit: {boundary: {in: {decode: unbracket}, out: {encode: bracket}}}}
  pin: {type: string, x-kit: {boundary: {out: closed}}}
required: [id, text, pin]
`)},
		"seeds/note.yaml": {Data: []byte("- {id: a, text: x, pin: '1'}\n")},
	})
	app.Conversion("bracket", nil, func(s string) (string, error) { return "[" + s + "]", nil })
	app.Conversion("unbracket", func(s string) (string, error) { return strings.Trim(s, "[]"), nil }, nil)
	notes := frond.Door[note](app, "note")
	var seen []note
	keep := func(n *note, err error) (*note, error) {
		if err == nil {
			seen = append(seen, *n)
		}
		return n, err
	}
	frond.Query(notes, "findNewest", func(ctx context.Context, _ struct{}) (*note, error) {
		return keep(frond.From[note](ctx).First(ctx, frond.Sort("-id")))
	})
	frond.Query(notes, "findInside", func(ctx context.Context, _ struct{}) (*note, error) {
		return keep(frond.Inside[note](ctx).Find(ctx, "a"))
	})
	frond.Command(notes, "touch", func(ctx context.Context, _ struct{}) (*note, error) {
		return keep(frond.From[note](ctx).Update(ctx, "a", frond.Set{"text": "[x]"}))
	})
	ctx := frond.Test(t, app)
	for _, op := range []string{"note.findNewest", "note.findInside", "note.touch", "note.findById"} {
		in := frond.Set{}
		if op == "note.findById" {
			in["id"] = "a"
		}
		got, err := frond.Call[map[string]string](ctx, op, in)
		if err != nil || len(got) != 2 || got["text"] != "[x]" {
			t.Errorf("%s: %v, %v", op, got, err)
		}
	}
	if want := []note{{"a", "x", ""}, {"a", "x", "1"}, {"a", "x", ""}}; !slices.Equal(seen, want) {
		t.Errorf("the program has %v, want %v", seen, want)
	}
}
