package projection_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestByHand: fields that cards cannot say, in a generated type, in a type of the
// author's own and at the roots, going back and forth between rows and Go values.
func TestByHand(t *testing.T) {
	var caller *counted
	caller, s := fixture(t, func(b *projection.Builder) error {
		mood := graphql.NewEnum(graphql.EnumConfig{Name: "Mood", Values: graphql.EnumValueConfigMap{"CALM": {Value: 1}, "CROSS": {Value: 2}}})
		if err := projection.RegisterType(b, "Report", graphql.Fields{
			"words": {Type: graphql.Int},
			"best":  {Type: b.Type("Post"), Description: "The best of them."},
			"all":   {Type: graphql.NewList(b.Type("Post"))},
			"mood": {Type: mood, Resolve: func(graphql.ResolveParams) (any, error) { return 2, nil }, Args: graphql.FieldConfigArgument{
				"or": {Type: mood, DefaultValue: 1}, "and": {Type: graphql.String, DefaultValue: "a \"b\""},
			}},
		}); err != nil {
			return err
		}
		if err := projection.RegisterType(b, "Post", graphql.Fields{
			"shout": {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
				var title string
				err := json.Unmarshal(p.Source.(rows.Row).Get("title"), &title)
				return strings.ToUpper(title), err
			}},
			"editor": {Type: b.Type("Author"), Resolve: func(p graphql.ResolveParams) (any, error) {
				return binding.Load(p.Context, "author", p.Source.(rows.Row).Get("authorId")), nil
			}},
			"remarks": {Type: graphql.NewList(b.Type("Comment")), Resolve: func(p graphql.ResolveParams) (any, error) {
				return binding.LoadMany(p.Context, "comment", "postId", p.Source.(rows.Row).Get("id")), nil
			}},
		}); err != nil {
			return err
		}
		list := func(ctx context.Context) (*facade.Result, error) {
			return caller.Call(ctx, &facade.Call{Entity: "post", Operation: "list"})
		}
		return errors.Join(
			projection.RegisterOperations(b, catalog.Query, graphql.Fields{
				"report": {Type: b.Type("Report"), Resolve: func(p graphql.ResolveParams) (any, error) {
					res, err := list(p.Context)
					if err != nil {
						return nil, err
					}
					return map[string]any{"words": 7, "best": res.Rows.Row(0), "all": res.Rows}, nil
				}},
				"shelf": {Type: b.Type("PostConnection"), Resolve: func(p graphql.ResolveParams) (any, error) { return list(p.Context) }},
			}),
			projection.RegisterOperations(b, catalog.Command, graphql.Fields{
				"ping": {Type: graphql.String, DeprecationReason: "Use \"pong\".", Resolve: func(graphql.ResolveParams) (any, error) { return "pong", nil }},
			}))
	})
	for _, want := range []string{
		"type Report {\n  all: [Post]\n  \"The best of them.\"\n  best: Post\n  mood(and: String = \"a \\\"b\\\"\", or: Mood = CALM): Mood\n  words: Int\n}",
		"enum Mood {\n  CALM\n  CROSS\n}", "ping: String @deprecated(reason: \"Use \\\"pong\\\".\")", "  shelf: PostConnection\n",
	} {
		if !strings.Contains(s.SDL(), want) {
			t.Errorf("the SDL lacks\n%s", want)
		}
	}
	run := func(query string) string {
		ctx := binding.WithLoaders(context.Background(), s, caller)
		text, err := json.Marshal(graphql.Do(graphql.Params{Schema: *s.GraphQL(), RequestString: query, Context: ctx}))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	same(t, `{"data": {"report": {"words": 7, "mood": "CROSS", "best": {"id": "p1", "author": {"id": "ada"}, "shout": "NOTES ON THE ENGINE"},
		"all": [{"id": "p1"}, {"id": "p2"}, {"id": "p3"}, {"id": "p4"}, {"id": "p5"}]}}}`,
		run(`{ report { words mood best { id author { id } shout } all { id } } }`))
	same(t, `{"data": {"shelf": {"total": 5, "items": [{"id": "p1"}, {"id": "p2"}, {"id": "p3"}, {"id": "p4"}, {"id": "p5"}]}}}`, run(`{ shelf { total items { id } } }`))
	same(t, `{"data": {"ping": "pong"}}`, run(`mutation { ping }`))

	caller.calls = nil
	same(t, `{"data": {"posts": {"items": [
		{"editor": {"name": "Ada Lovelace"}, "again": {"id": "ada"}, "remarks": [{"id": 1}, {"id": 2}, {"id": 3}]},
		{"editor": {"name": "Alan Turing"}, "again": {"id": "alan"}, "remarks": [{"id": 4}, {"id": 5}]},
		{"editor": {"name": "Alan Turing"}, "again": {"id": "alan"}, "remarks": []}]}}}`,
		run(`{ posts(first: 3, orderBy: [{id: ASC}]) { items { editor { name } again: editor { id } remarks { id } } } }`))
	calls := strings.Fields(caller.methods())
	count := map[string]int{}
	for _, c := range calls {
		count[c]++
	}
	if len(calls) != 3 || count["author.findById"] != 1 || count["comment.list"] != 1 {
		t.Errorf("called %v; want one call for each relation", calls)
	}
}

// TestByHandWithoutLoaders: a context without loaders is named in the log.
func TestByHandWithoutLoaders(t *testing.T) {
	_, err := binding.Load(context.Background(), "author", json.RawMessage(`"ada"`))()
	if kiterror.CodeOf(err) != kiterror.InternalError || !strings.Contains(err.Error(), "binding.WithLoaders") {
		t.Errorf("got %v", err)
	}
}

func TestLoadFailures(t *testing.T) {
	f := storetest.Facade(t)
	s, err := build(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	panics := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic("hunter2") })
	for name, tt := range map[string]struct {
		caller facade.Caller
		entity string
		code   kiterror.Code
	}{
		"an entity that is not here": {f, "nobody", kiterror.NotFound},
		"a panic":                    {panics, "author", kiterror.InternalError},
	} {
		ctx := binding.WithLoaders(context.Background(), s, tt.caller)
		first, second := binding.Load(ctx, tt.entity, json.RawMessage(`"a"`)), binding.Load(ctx, tt.entity, json.RawMessage(`"b"`))
		for _, later := range []func() (any, error){first, second, first} {
			if _, err := later(); kiterror.CodeOf(err) != tt.code {
				t.Errorf("%s: got %v, want %s", name, err, tt.code)
			}
		}
	}
	if v, err := binding.Load(context.Background(), "author", json.RawMessage("null"))(); kiterror.CodeOf(err) != kiterror.InternalError || v != nil {
		t.Errorf("without loaders: %v, %v", v, err)
	}
	ctx := binding.WithLoaders(context.Background(), s, f)
	if v, err := binding.Load(ctx, "author", json.RawMessage("null"))(); v != nil || err != nil {
		t.Errorf("a null key gave %v, %v", v, err)
	}
	if v, err := binding.Load(ctx, "author", json.RawMessage(`"nobody"`))(); v != nil || err != nil {
		t.Errorf("a key without a row gave %v, %v", v, err)
	}
}

// TestByHandFaults: what is registered by hand claims its names like all else.
func TestByHandFaults(t *testing.T) {
	text := &graphql.Field{Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return "", nil }}
	tests := []struct {
		name     string
		register func(b *projection.Builder) error
		want     string
	}{
		{"a field twice", func(b *projection.Builder) error {
			return projection.RegisterType(b, "Post", graphql.Fields{"title": text})
		}, `the GraphQL field Post.title is claimed twice: by the field title of post (fronds/blog/entities/post.yaml), and by RegisterType("Post"); register it under another name, or rename the field title of post`},
		{"a root field twice", func(b *projection.Builder) error {
			return projection.RegisterOperations(b, catalog.Query, graphql.Fields{"posts": text})
		}, "the GraphQL field Query.posts is claimed twice: by the operation post.list (fronds/blog/entities/post.yaml), and by RegisterOperations in Query; register it under another name, or write `graphql: OtherName` under doors.post in the frond.yaml of blog"},
		{"no type", func(b *projection.Builder) error {
			return projection.RegisterOperations(b, catalog.Query, graphql.Fields{"x": {Type: b.Type("Nothing")}})
		}, "the field Query.x has no type"},
		{"no name", func(b *projection.Builder) error {
			return projection.RegisterType(b, "Post", graphql.Fields{"a-b": text})
		}, "which is not a valid GraphQL name"},
		{"a reserved type", func(b *projection.Builder) error {
			return projection.RegisterType(b, "PageInfo", graphql.Fields{"hasNextPage": text})
		}, "the GraphQL field PageInfo.hasNextPage is claimed twice"},
		{"a scalar's name", func(b *projection.Builder) error {
			return projection.RegisterType(b, "JSON", graphql.Fields{"x": text})
		}, "the GraphQL type JSON is claimed twice"},
		{"a type that comes along", func(b *projection.Builder) error {
			inner := graphql.NewObject(graphql.ObjectConfig{Name: "Author", Fields: graphql.Fields{"x": text}})
			outer := graphql.NewObject(graphql.ObjectConfig{Name: "Outer", Fields: graphql.Fields{"inner": {Type: graphql.NewList(inner)}}})
			return projection.RegisterOperations(b, catalog.Query, graphql.Fields{"outer": {Type: outer}})
		}, "the GraphQL type Author is claimed twice: by the entity author (fronds/people/entities/author.yaml), and by the types of the hand-written field Query.outer"},
		{"a type that is broken", func(b *projection.Builder) error {
			return projection.RegisterOperations(b, catalog.Query, graphql.Fields{"x": {Type: graphql.NewObject(graphql.ObjectConfig{Name: "not a name"})}})
		}, `Names must match`},
		{"an enum that cannot be looked up", func(b *projection.Builder) error {
			odd := graphql.NewEnum(graphql.EnumConfig{Name: "Odd", Values: graphql.EnumValueConfigMap{"A": {Value: []int{1}}}})
			return projection.RegisterOperations(b, catalog.Query, graphql.Fields{"x": {Type: odd}})
		}, "the enum Odd has values that Go cannot compare"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := storetest.Facade(t)
			b := projection.NewBuilder()
			if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
				t.Fatal(err)
			}
			err := tt.register(b)
			s, buildErr := b.Build()
			if s != nil || buildErr == nil {
				t.Fatal("it built")
			}
			if err == nil {
				err = buildErr
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(buildErr.Error(), tt.want) {
				t.Errorf("got\n%v\nand of Build\n%v\nwant\n%s", err, buildErr, tt.want)
			}
			var faults schema.Faults
			if !errors.As(buildErr, &faults) && !strings.Contains(tt.name, "looked up") {
				t.Errorf("%T is no schema.Faults", buildErr)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	f := storetest.Facade(t)
	s, err := build(f, &projection.Options{
		Filter: func(d *catalog.Door) bool { return d.Frond.Name == "blog" && d.Name != "comment" },
	})
	if err != nil {
		t.Fatal(err)
	}
	post := s.AST.Types["Post"]
	for _, gone := range []string{"Author", "Comment", "CommentConnection", "AuthorFilter"} {
		if s.AST.Types[gone] != nil {
			t.Errorf("%s is in the schema", gone)
		}
	}
	if post.Fields.ForName("author") != nil || post.Fields.ForName("comments") != nil {
		t.Error("a relation leads to a type that is not there")
	}
	if post.Fields.ForName("authorId") == nil || s.AST.Types["PostFilter"].Fields.ForName("authorId") == nil {
		t.Error("the key of the relation went with it")
	}
	if s.AST.Types["PostFilter"].Fields.ForName("author") != nil {
		t.Error("a filter leads to a type that is not there")
	}
}

func TestBuilderIsUsedOnce(t *testing.T) {
	f := storetest.Facade(t)
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	if err := projection.RegisterAll(b, f.Catalog(), nil); err == nil {
		t.Error("a second catalog was taken")
	}
	if _, err := b.Build(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(); err == nil {
		t.Error("it built twice")
	}
	for name, again := range map[string]error{
		"RegisterAll":        projection.RegisterAll(b, f.Catalog(), nil),
		"RegisterType":       projection.RegisterType(b, "Late", graphql.Fields{"x": {Type: graphql.String}}),
		"RegisterOperations": projection.RegisterOperations(b, catalog.Query, graphql.Fields{"x": {Type: graphql.String}}),
	} {
		if again == nil || !strings.Contains(again.Error(), "has built its schema") {
			t.Errorf("%s after Build: %v", name, again)
		}
	}
}

// TestEmpty: a host without a door has a schema all the same.
func TestEmpty(t *testing.T) {
	s, err := build(mustNew(t, &facade.Project{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, `{"data": {"node": null}}`, do(t, s, `{ node(nodeId: "x") { nodeId } }`, nil))
}

func mustNew(tb testing.TB, p *facade.Project) *facade.Facade {
	tb.Helper()
	f, err := facade.New(storetest.Compiled(tb, p), nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// TestEveryFieldIsResolved: each generated field has a binding and a resolver.
func TestEveryFieldIsResolved(t *testing.T) {
	_, s := fixture(t)
	for name, typ := range s.GraphQL().TypeMap() {
		o, ok := typ.(*graphql.Object)
		if !ok || strings.HasPrefix(name, "__") {
			continue
		}
		for field, def := range o.Fields() {
			if s.Fields.Of(name, field) == nil || def.Resolve == nil {
				t.Errorf("%s.%s has no binding or no resolver", name, field)
			}
		}
	}
	for name, fields := range s.Fields {
		for field := range fields {
			if def := s.AST.Types[name]; def == nil || def.Fields.ForName(field) == nil {
				t.Errorf("there is a binding of %s.%s, and no such field", name, field)
			}
		}
	}
}

// A schema for a surface has what the surface shows: no fields of hidden operations,
// no types of hidden doors, and no relation or filter that leads to one.
func TestSurface(t *testing.T) {
	p := storetest.Project(t)
	for _, f := range p.Fronds {
		switch f.Name {
		case "blog":
			f.Config.Data = append(f.Config.Data, "\nsurfaces: {graphql: {except: [comment.list, comment.findById, post.publish, tag.findById]}, audiences: {partner: {graphql: {only: [post.list]}}}}\n"...)
		case "people":
			f.Config = project.Text{File: "frond.yaml", Data: []byte("surfaces: {graphql: false}\n")}
		}
	}
	f := storetest.New(t, p, storetest.NewStore(), nil)
	s, err := build(f, &projection.Options{Surface: catalog.OnGraphQL})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"Query.posts": true, "Query.tags": true, "Query.tag": false, "Query.comments": false, "Query.authors": false,
		"Mutation.createComment": true, "Mutation.postPublish": false, "Mutation.createAuthor": false,
		"Post.authorId": true, "Post.author": false, "Post.comments": false, "Post.tagIds": true, "Post.tags": false,
		"PostFilter.authorId": true, "PostFilter.author": false, "PostFilter.comments": false, "PostFilter.tags": true,
		"Author.id": false, "AuthorFilter.id": false, "Comment.id": true,
	} {
		typ, field, _ := strings.Cut(path, ".")
		def := s.AST.Types[typ]
		if got := def != nil && def.Fields.ForName(field) != nil; got != want {
			t.Errorf("%s is there: %t, want %t", path, got, want)
		}
	}
	if s, err = build(f, &projection.Options{Surface: catalog.OnGraphQL.For("partner"), Filter: func(*catalog.Door) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	if n := len(s.AST.Query.Fields); s.AST.Mutation != nil || s.AST.Query.Fields.ForName("posts") == nil || n != 2+3 { // node, nodes, __schema and __type beside it
		t.Errorf("an audience sees %d fields of Query", n)
	}
	if _, err = build(f, &projection.Options{Surface: "partners/graphql"}); err == nil || !strings.Contains(err.Error(), "there is graphql, rest") {
		t.Errorf("an unknown surface: %v", err)
	}
}
