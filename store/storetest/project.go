package storetest

import (
	"context"
	"embed"
	"io/fs"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

//go:embed all:testdata/project
var files embed.FS

// FS is the folder of the test project: two Fronds, people (authors) and blog (posts,
// comments, tags, an audit without a door, a health door without rows).
//
// Between them they have every axis and most shapes: a self-relation, many relations of both
// sorts, nullable and optional fields, an enum, a nested and a bare object, an array, a date,
// date-times, decimals, int64 beyond a double, a compound unique, fields that are only read
// and only written, and conversions.
//
// The files are embedded; the result is read-only and may be used concurrently.
func FS() fs.FS {
	sub, err := fs.Sub(files, "testdata/project")
	if err != nil {
		panic(err)
	}
	return sub
}

// Project is the test project with its handlers (post.bySlug, publish, teasers and countWords;
// health.check; archive is declared and unanswered) and a presenter (post.excerpt, which needs
// body). It may be changed before it is used. Each call returns a new one. It fails tb where
// the folder cannot be read.
func Project(tb testing.TB) *facade.Project {
	tb.Helper()
	p, err := facade.Read(FS())
	if err != nil {
		tb.Fatal(err)
	}
	// archive has no handler here: it is the operation that nothing answers.
	post := p.Door("post")
	facade.HandleQuery(post, "bySlug", bySlug)
	facade.HandleCommand(post, "publish", publish)
	facade.Handle(post, "teasers", teasers)
	facade.HandleQuery(post, "countWords", countWords)
	facade.HandleQuery(p.Door("health"), "check", func(context.Context, struct{}) (string, error) { return "well", nil })
	facade.Present(post, "excerpt", schema.Shape{Type: "string", Nullable: true, Description: "How the post begins."}, excerpt, "body")
	return p
}

// Facade returns the test project over an empty Store with its seeds written. Messages suggest
// names.
func Facade(tb testing.TB) *facade.Facade {
	tb.Helper()
	return New(tb, Project(tb), NewStore(), nil)
}

// New compiles a project over a store and writes its seeds. nil options are those of [Facade].
// It fails tb where either fails.
func New(tb testing.TB, p *facade.Project, store facade.Store, opts *facade.Options) *facade.Facade {
	tb.Helper()
	if opts == nil {
		opts = &facade.Options{Suggest: true}
	}
	compiled, err := compile.Project(p, &compile.Options{Now: opts.Now})
	if err != nil {
		tb.Fatal(err)
	}
	f, err := facade.New(compiled, store, opts)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := seed.Write(context.Background(), f); err != nil {
		tb.Fatal(err)
	}
	return f
}

// Compiled is a project that has no faults. It fails tb where there are some.
func Compiled(tb testing.TB, p *facade.Project) *facade.Compiled {
	tb.Helper()
	compiled, err := compile.Project(p, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return compiled
}

// Call calls entity.op and returns the result as JSON text, or the error. method is such as
// "post.findById". It fails tb where the text is not JSON.
func Call(tb testing.TB, c facade.Caller, method string, in facade.Invocation) (string, *kiterror.Error) {
	tb.Helper()
	entity, op, _ := strings.Cut(method, ".")
	res, err := c.Call(context.Background(), &facade.Call{Entity: entity, Operation: op, Invocation: in})
	if err != nil {
		return "", kiterror.AsError(err)
	}
	text := string(res.AppendJSON(nil))
	if err := jsontext.Check([]byte(text)); err != nil {
		tb.Fatalf("%s answered no JSON: %v\n%s", method, err, text)
	}
	return text, nil
}

// slugIn is the input of bySlug.
type slugIn struct {
	Slug string `json:"slug"`
}

// bySlug finds a post by its slug, with the caller's rights. It answers the rows of another
// call as they are, which a handler may do.
func bySlug(ctx context.Context, in slugIn) (*facade.Result, error) {
	res, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{
		Query: []byte(`{"filter":{"slug":{"eq":` + string(jsontext.Quote(in.Slug)) + `}},"limit":1,"total":false}`),
	}})
	if err != nil {
		return nil, err
	}
	return &facade.Result{Form: facade.FormRow, Rows: res.Rows}, nil
}

// publishIn is the input of publish.
type publishIn struct {
	ID   string  `json:"id"`
	Note *string `json:"note"`
	At   string  `json:"at"`
}

// publish writes fields that callers cannot write, through Inside. It answers NOT_FOUND
// without a post and CONFLICT for one that is published.
func publish(ctx context.Context, in publishIn) (*facade.Result, error) {
	// Only the field that the handler needs; the others are dropped.
	type post struct{ Status string }
	was, err := facade.Do[*post](ctx, facade.Inside(ctx), "post.findById", facade.Invocation{ID: jsontext.Quote(in.ID)})
	switch {
	case err != nil:
		return nil, err
	case was == nil:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no post with this id")
	case was.Status == "published":
		return nil, kiterror.Errorf(kiterror.Conflict, "the post is published already")
	}
	// status and publishedAt are closed to callers; the author's own code writes them.
	body := `{"status":"published","publishedAt":` + string(jsontext.Quote(in.At)) + `}`
	return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "update", Invocation: facade.Invocation{
		ID: jsontext.Quote(in.ID), Body: []byte(body),
	}})
}

// teasers answers whole rows, closed fields and all: its output view cuts them.
func teasers(ctx context.Context, c *facade.Call) (any, error) {
	// Published posts, or those of them that have the tag.
	filter := `{"status":{"eq":"published"}}`
	if tag := jsontext.Get(c.Invocation.Query, "tag"); tag != nil {
		filter = `{"status":{"eq":"published"},"tags":{"has":` + string(tag) + `}}`
	}
	res, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{
		Query: []byte(`{"filter":` + filter + `,"total":false}`),
	}})
	if err != nil {
		return nil, err
	}
	return res.Rows, nil
}

// countWords answers with a plain value instead of rows: the words in the bodies that the
// caller may read.
func countWords(ctx context.Context, _ struct{}) (int, error) {
	type post struct{ Body *string }
	// Posts that the caller may see, 500 at most.
	posts, err := facade.Do[facade.List[post]](ctx, facade.From(ctx), "post.list", facade.Invocation{Query: []byte(`{"limit":500}`)})
	words := 0
	for _, p := range posts.Items {
		if p.Body != nil {
			words += len(strings.Fields(*p.Body))
		}
	}
	return words, err
}

// excerpt returns the first three words of each post's body, null where it has none.
// Presenters are called with many rows at once.
func excerpt(_ context.Context, found []rows.Row) ([]*string, error) {
	out := make([]*string, len(found))
	for i, row := range found {
		body := row.Get("body")
		if body == nil || jsontext.IsNull(body) {
			continue
		}
		words := strings.Fields(jsontext.Unquote(body))
		short := strings.Join(words[:min(3, len(words))], " ")
		out[i] = &short
	}
	return out, nil
}
