package resolvers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// blog is the project of testdata over a store in memory, with rows, behind a
// recorder; its schema is built once, for the engine and the reference executor alike.
type blog struct {
	*recorder
	facade *facade.Facade
	schema *binding.Schema
	engine *resolvers.Engine
}

// recorder is a Caller that keeps what it was called with.
type recorder struct {
	next facade.Caller
	mu   sync.Mutex
	list []*facade.Call
}

func (r *recorder) Call(ctx context.Context, c *facade.Call) (*facade.Result, error) {
	r.mu.Lock()
	r.list = append(r.list, c)
	r.mu.Unlock()
	return r.next.Call(ctx, c)
}

// calls are those made since it was asked last.
func (r *recorder) calls() []*facade.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

type publishInput struct {
	ID    int
	Note  *string
	Level *int
	Flags []string
	Place json.RawMessage
	Kind  string
}

func newBlog(t testing.TB) *blog { return newBlogWith(t, nil) }

func newBlogWith(t testing.TB, register func(b *projection.Builder) error) *blog {
	t.Helper()
	p, err := facade.Read(os.DirFS("testdata/project"))
	if err != nil {
		t.Fatal(err)
	}
	attach(p)
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	bl := &blog{facade: f, recorder: &recorder{next: f}}
	b := projection.NewBuilder()
	err = projection.RegisterAll(b, f.Catalog(), nil)
	if err == nil && register != nil {
		err = register(b)
	}
	if err == nil {
		bl.schema, err = b.Build()
	}
	if err == nil {
		bl.engine, err = resolvers.NewEngine(bl.schema, bl.recorder, &resolvers.Options{Logger: quiet})
	}
	if err != nil {
		t.Fatal(err)
	}
	bl.fill(t)
	bl.calls()
	return bl
}

// attach answers the operations that frond.yaml declares.
func attach(p *facade.Project) {
	post := p.Door("post")
	find := func(ctx context.Context, call *facade.Call) (*facade.Result, error) {
		return facade.From(ctx).Call(ctx, call)
	}
	facade.HandleCommand(post, "publish", func(ctx context.Context, in publishInput) (*facade.Result, error) {
		switch {
		case in.ID == 404:
			return nil, kiterror.Errorf(kiterror.NotFound, "there is no post 404")
		case in.ID == 500:
			return nil, errors.New("the secret of the disk is 42")
		case in.ID == 501:
			panic("the secret of the stack")
		}
		res, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "update", Invocation: facade.Invocation{
			Params: json.RawMessage(fmt.Sprintf(`{"id":%d}`, in.ID)), Body: json.RawMessage(`{"status":"live"}`),
		}})
		return res, err
	})
	facade.HandleQuery(post, "latest", func(ctx context.Context, in struct{ N int }) (*facade.Result, error) {
		res, err := find(ctx, &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{
			Query: json.RawMessage(fmt.Sprintf(`{"sort":"-id","limit":%d,"fields":["id","title","status","authorId"]}`, in.N)),
		}})
		if err != nil {
			return nil, err
		}
		return &facade.Result{Form: facade.FormRows, Rows: res.Rows}, nil
	})
	facade.HandleQuery(post, "byTitle", func(ctx context.Context, in struct{ Title string }) (*facade.Result, error) {
		filter, _ := json.Marshal(map[string]any{"filter": map[string]any{"title": map[string]any{"eq": in.Title}}, "limit": 1})
		res, err := find(ctx, &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{Query: filter}})
		if err != nil {
			return nil, err
		}
		return &facade.Result{Form: facade.FormRow, Rows: res.Rows}, nil
	})
	facade.HandleQuery(post, "hot", func(ctx context.Context, _ struct{}) (*facade.Result, error) {
		return find(ctx, &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(`{"limit":2}`)}})
	})
	facade.HandleQuery(post, "ping", func(context.Context, struct{}) (map[string]any, error) {
		return map[string]any{"pong": []any{1, "zwei", nil, true}}, nil
	})
	facade.HandleQuery(post, "fails", func(context.Context, struct{}) (*facade.Result, error) {
		return nil, kiterror.Errorf(kiterror.Conflict, "it always does")
	})
	facade.HandleQuery(p.Door("health"), "check", func(context.Context, struct{}) (bool, error) { return true, nil })

	text := schema.Shape{Type: "string"}
	facade.Present(post, "excerpt", text, func(_ context.Context, found []rows.Row) ([]*string, error) {
		list := make([]*string, len(found))
		for i, r := range found {
			var body *string
			if json.Unmarshal(r.Get("body"), &body) == nil && body != nil {
				s := strings.ToUpper((*body)[:min(4, len(*body))])
				list[i] = &s
			}
		}
		return list, nil
	}, "body")
	facade.Present(post, "broken", text, func(context.Context, []rows.Row) ([]string, error) {
		return nil, errors.New("the secret of the presenter")
	})
}

// create writes a row.
func (b *blog) create(t testing.TB, entity, body string, args ...any) {
	t.Helper()
	_, err := b.facade.Call(context.Background(), &facade.Call{
		Entity: entity, Operation: "create", Select: []string{"id"},
		Invocation: facade.Invocation{Body: json.RawMessage(fmt.Sprintf(body, args...))},
	})
	if err != nil {
		t.Fatalf("%s: %v: %+v", entity, err, kiterror.AsError(err).Details)
	}
}

func (b *blog) fill(t testing.TB) {
	t.Helper()
	create := func(entity, body string, args ...any) {
		t.Helper()
		b.create(t, entity, body, args...)
	}
	create("author", `{"id":"ada","name":"Ada \"the\" Great","email":"ada@example.org","age":36,"fans":9007199254740993,"rating":4.5,"address":{"street":"Hill 1","zip":null,"geo":{"lat":51.5,"lon":-0.25}},"links":[{"label":"home","url":"https://ada.example"},{"label":"x","url":"y","weight":3}],"settings":{"a":[1,2,{"b":null}],"é":"ü"}}`)
	create("author", `{"id":"bob","name":"Bob","email":null,"age":null,"rating":null,"address":null,"mentorId":"ada"}`)
	create("author", `{"id":"cyd","name":"Çyd","email":null,"age":7,"rating":1e2,"address":{"street":"S"},"mentorId":"bob"}`)
	for _, tag := range []string{"go", "sql", "web", "none"} {
		create("tag", `{"id":%q,"label":%q}`, tag, strings.ToUpper(tag))
	}
	authors := []string{"ada", "bob", "cyd"}
	for i := 1; i <= 9; i++ {
		body := `"text of it"`
		if i%4 == 0 {
			body = "null"
		}
		editor := "null"
		if i%2 == 0 {
			editor = `"ada"`
		}
		create("post", `{"id":%d,"title":"Post %d","body":%s,"status":%q,"mood":%s,"views":%d,"price":"%d.50","words":["a","b%d"],"grid":[[%d,2],[]],"meta":%s,"authorId":%q,"editorId":%s,"tags":%s}`,
			i, i, body, []string{"draft", "live", "gone"}[i%3], []string{`"very good"`, "null"}[i%2], i*10, i, i, i,
			[]string{"null", `{"k":1}`, `[true]`, `"s"`}[i%4], authors[i%2], editor, []string{`[]`, `["go","sql"]`, `["web","go","web"]`, `["none","sql"]`}[i%4])
	}
	// What some posts name is gone.
	if _, err := b.facade.Call(t.Context(), &facade.Call{Entity: "tag", Operation: "delete", Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"none"}`)}}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 20; i++ {
		author := "null"
		if i%3 > 0 {
			author = fmt.Sprintf("%q", authors[i%3])
		}
		create("comment", `{"id":%d,"text":"c%d","likes":%d,"post":%d,"authorId":%s}`, i, i, i%5, 1+i%7, author)
	}
	// A tag goes, and posts keep its id.
	if _, err := b.facade.Call(t.Context(), &facade.Call{Entity: "tag", Operation: "delete", Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"none"}`)}}); err != nil {
		t.Fatalf("tag.delete: %v", err)
	}
}

// limit gives the blog an engine with other limits.
func (b *blog) limit(t testing.TB, l resolvers.Limits) {
	t.Helper()
	var err error
	if b.engine, err = resolvers.NewEngine(b.schema, b.recorder, &resolvers.Options{Logger: quiet, Limits: l}); err != nil {
		t.Fatal(err)
	}
}

// do runs a query on the engine.
func (b *blog) do(query, variables string) string {
	r := b.engine.Execute(context.Background(), &resolvers.Request{Query: query, Variables: json.RawMessage(variables)})
	return string(r.Body)
}

// reference is the schema as graphql.Do runs it.
func (b *blog) reference() graphql.Schema {
	reference.Attach(b.schema, b.recorder)
	return *b.schema.GraphQL()
}

// plain runs a query on the reference executor.
func (b *blog) plain(query, variables string) *graphql.Result {
	ctx := binding.WithLoaders(context.Background(), b.schema, b.recorder)
	p := graphql.Params{Schema: b.reference(), RequestString: query, Context: ctx}
	if variables != "" {
		_ = json.Unmarshal([]byte(variables), &p.VariableValues)
	}
	return graphql.Do(p)
}
