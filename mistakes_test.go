package frond_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond"
)

type ring struct {
	Next *ring
	Far  []struct{ Ring ring }
}

// failure is what Open says of a program that cannot start; "" where it starts.
func failure(t *testing.T, app *frond.App) string {
	t.Helper()
	_, closeApp, err := app.Open(t.Context())
	if err == nil {
		if err := closeApp(); err != nil {
			t.Fatal(err)
		}
		return ""
	}
	return err.Error()
}

// TestMistakes: what does not fit together is an error at the start that says what to write.
func TestMistakes(t *testing.T) {
	type slim struct{ ID, Title string }
	type subtitled struct{ ID, Subtitle string }
	type tagged struct {
		Key  string `json:"id"`
		Head string `json:"title"`
		Note string `json:"-"`
		note string
	}
	type numbered struct {
		ID    string
		Title int
		Likes float64
	}
	none := func(context.Context, struct{ ID string }) (any, error) { return nil, nil }
	for _, c := range []struct {
		name  string
		write func(*frond.App)
		want  []string // "" for none
	}{
		{"a door that is not there", func(a *frond.App) { frond.Door[slim](a, "poost") }, []string{"Go code is written for poost, but no door is called that; did you mean post? the doors are post, tag"}},
		{"a field the card does not have", func(a *frond.App) { frond.Door[subtitled](a, "post") }, []string{
			"post has no field for frond_test.subtitled.Subtitle; name it as one of id, slug, title, body, status, publishedAt, likes, or keep it out with the tag `json:\"-\"`",
		}},
		{"tags and cases", func(a *frond.App) { _ = tagged{note: ""}; frond.Door[tagged](a, "POST") }, nil},
		{"a field of another type", func(a *frond.App) { frond.Door[numbered](a, "post") }, []string{"frond_test.numbered.Title is a int, and post.title is of type string; give the field a Go type for string"}},
		{"rows that are no struct", func(a *frond.App) { frond.Door[map[string]any](a, "post") }, []string{"the rows of post cannot be of type map[string]interface {}; give Door a struct"}},
		{"one type for two doors", func(a *frond.App) {
			frond.Door[struct{ ID string }](a, "post")
			frond.Door[struct{ ID string }](a, "tag")
		}, []string{"is the type of two doors, post and tag"}},
		{"an operation that is not declared", func(a *frond.App) { frond.Command(frond.Door[slim](a, "post"), "burn", none) }, []string{"a handler is attached to post.burn, but post declares no such operation", "doors: {post: {operations: {burn: {kind: command}}}}"}},
		{"a handler twice", func(a *frond.App) {
			post := frond.Door[slim](a, "post")
			frond.Command(post, "publish", none)
			frond.Command(post, "publish", none)
		}, []string{"two handlers are attached to post.publish"}},
		{"a query for a command", func(a *frond.App) { frond.Query(frond.Door[slim](a, "post"), "publish", none) }, []string{"post.publish is a command, but its handler is attached as a query"}},
		{"an input that is not sent", func(a *frond.App) {
			frond.Command(frond.Door[slim](a, "post"), "publish", func(context.Context, struct{ Slug string }) (any, error) { return nil, nil })
		}, []string{"post.publish has no field for struct { Slug string }.Slug; name it as one of id"}},
		{"an answer that lacks fields", func(a *frond.App) {
			frond.Command(frond.Door[slim](a, "post"), "publish", func(context.Context, struct{ ID string }) (*slim, error) { return nil, nil })
		}, []string{"post.publish answers post, and frond_test.slim has no field for slug, body, status, publishedAt, likes; add the missing fields"}},
		{"a computed field without a JSON Schema", func(a *frond.App) {
			post := frond.Door[slim](a, "post")
			frond.Computed(post, "pipe", func(slim) chan int { return nil })
			frond.Computed(post, "anything", func(slim) any { return nil })
			frond.Computed(post, "nested", func(slim) (v struct{ At func() }) { return v })
		}, []string{"the computed field post.pipe cannot have this type: chan int has no JSON Schema", "interface {} has no JSON Schema", "At: func() has no JSON Schema"}},
		{"a computed field with the name of another", func(a *frond.App) {
			frond.Computed(frond.Door[slim](a, "post"), "title", func(slim) string { return "" })
		}, []string{"the computed field title of post has the name of another field"}},
		{"a computed field that needs nothing there is", func(a *frond.App) {
			frond.Computed(frond.Door[slim](a, "post"), "words", func(slim) int { return 0 }, frond.Needing("text"))
		}, []string{"the computed field words of post needs text, which is no stored field"}},
		{"a hook of a query", func(a *frond.App) {
			frond.Door[slim](a, "post").Before("list", func(context.Context, *frond.Change[slim]) error { return nil })
		}, []string{"a hook is attached to post.list, which is a query"}},
		{"a hook of nothing", func(a *frond.App) {
			frond.Door[slim](a, "post").After("burn", func(context.Context, *frond.Change[slim]) {})
		}, []string{"a hook is attached to post.burn, but post has no such operation; name one of list, findById"}},
		{"a generator twice", func(a *frond.App) { a.Generator("cuid2", func() string { return "" }) }, []string{"the generator cuid2 is there already"}},
		{"a member of an object", func(a *frond.App) {
			frond.Door[struct{ Place struct{ Row, Colour string } }](a, "tag")
		}, []string{"tag.place has no field for struct { Row string; Colour string }.Colour; name it as one of row"}},
		{"a type that holds itself", func(a *frond.App) {
			frond.Door[ring](a, "post")
			frond.Computed(frond.Door[slim](a, "tag"), "ring", func(slim) ring { return ring{} })
		}, []string{"post has no field for frond_test.ring.Next", "Next: frond_test.ring holds itself, and has no JSON Schema"}},
		{"everything at once", func(a *frond.App) {
			a.Generator("cuid2", func() string { return "" })
			frond.Door[subtitled](a, "post")
			frond.Door[slim](a, "poost")
		}, []string{"cuid2 is there already", "Subtitle", "poost"}},
	} {
		app := frond.New(site)
		app.Generator("slug", func() string { return "made-up" })
		c.write(app)
		got := failure(t, app)
		if c.want == nil && got != "" {
			t.Errorf("%s: %s", c.name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwithout\n%s", c.name, got, want)
			}
		}
	}
}

func TestMistakesOfTheFolder(t *testing.T) {
	broken := maps.Clone(site)
	broken["site/gateway.yaml"] = &fstest.MapFile{Data: []byte("store: memory\nlissten: 1\n")}
	broken["site/entities/tag.yaml"] = &fstest.MapFile{Data: []byte("type: object\nproperties: {id: {type: strng}}\n")}
	app := frond.New(broken)
	app.Generator("cuid2", func() string { return "" })
	got := failure(t, app)
	for _, want := range []string{"gateway.yaml#/lissten", "entities/tag.yaml", "cuid2 is there already"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwithout %s", got, want)
		}
	}
	if got := failure(t, frond.New(fstest.MapFS{"readme.md": {}})); !strings.Contains(got, "there is no project in this folder") {
		t.Errorf("an empty folder: %s", got)
	}
}

// TestShapes: the type of a computed field in GraphQL is made of the Go type.
func TestShapes(t *testing.T) {
	type inner struct {
		N    int64
		When time.Time `json:"when,omitempty"`
	}
	app, post := journal()
	frond.Computed(post, "texts", func(Post) []string { return []string{"a"} })
	frond.Computed(post, "share", func(Post) float64 { return 0.5 })
	frond.Computed(post, "object", func(Post) *inner { return &inner{N: 1 << 40} })
	frond.Computed(post, "counts", func(Post) map[string]int { return map[string]int{"a": 1} })
	frond.Computed(post, "maybe", func(Post) *bool { return nil })
	call := served(t, app)
	got := call("POST", "/graphql", `{"query":"{ __type(name: \"Post\") { fields { name type { kind name ofType { kind name } } } } }"}`)
	for _, want := range []string{
		`{"name":"texts","type":{"kind":"LIST"`, `{"name":"share","type":{"kind":"SCALAR","name":"Float"`,
		`{"name":"object","type":{"kind":"OBJECT","name":"PostObject"`, `{"name":"counts","type":{"kind":"SCALAR","name":"JSON"`, `{"name":"maybe","type":{"kind":"SCALAR","name":"Boolean"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if got := call("GET", "/api/journal/posts/p1?fields=texts,object,counts,maybe", ""); got != `{"texts":["a"],"object":{"N":1099511627776,"when":"0001-01-01T00:00:00Z"},"counts":{"a":1},"maybe":null}` {
		t.Errorf("%s", got)
	}
}
