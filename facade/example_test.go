package facade_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// library is a project's folder; usually it is os.DirFS or an embed.FS.
var library = fstest.MapFS{
	"entities/book.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string, minLength: 1}
  lent: {type: boolean, x-kit: {lifecycle: {create: {value: false}}, boundary: {in: closed}}}
`)},
	"frond.yaml": {Data: []byte(`
doors:
  book:
    operations:
      lend: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}, output: book}
`)},
}

// A project is read, code is attached to its doors, and the façade over a store
// answers calls.
func Example() {
	ctx := context.Background()
	project, err := facade.Read(library)
	if err != nil {
		panic(err)
	}
	type in struct{ ID string }
	type book struct {
		ID, Title string
		Lent      bool
	}
	facade.HandleCommand(project.Door("book"), "lend", func(ctx context.Context, in in) (*facade.Result, error) {
		params := facade.Invocation{Params: []byte(`{"id":"` + in.ID + `"}`)}
		was, err := facade.Do[*book](ctx, facade.Inside(ctx), "book.findById", params)
		switch {
		case err != nil:
			return nil, err
		case was == nil:
			return nil, kiterror.Errorf(kiterror.NotFound, "there is no such book")
		case was.Lent:
			return nil, kiterror.Errorf(kiterror.Conflict, "the book is lent already")
		}
		params.Body = []byte(`{"lent":true}`) // closed to callers, open to the author's own code
		return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "update", Invocation: params})
	})
	compiled, err := compile.Project(project, nil)
	if err != nil {
		panic(err)
	}
	f, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		panic(err)
	}

	call := func(op, params, body string) {
		res, err := f.Call(ctx, &facade.Call{
			Entity: "book", Operation: op,
			Invocation: facade.Invocation{Params: []byte(params), Body: []byte(body)},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", res.AppendJSON(nil))
	}
	call("create", "", `{"id":"b1","title":"Emma"}`)
	call("create", "", `{"id":"b2","titel":"Emma","lent":true}`)
	call("lend", `{"id":"b1"}`, "")
	call("lend", `{"id":"b1"}`, "")
	// Output:
	// {"id":"b1","title":"Emma","lent":false}
	// book.create: VALIDATION_FAILED: 3 things are refused, each with a detail; the first: titel is not part of the card; leave it out
	// {"id":"b1","title":"Emma","lent":true}
	// book.lend: CONFLICT: the book is lent already
}

// A collector says which rows and fields exist for a caller.
func ExampleCollect() {
	project, _ := facade.Read(library)
	facade.Collect(project.Door("book"), access.CollectorFunc(
		func(_ context.Context, state access.State, door *catalog.Door, _ *catalog.Operation) (access.Scope, error) {
			if state.User() == nil {
				return access.Scope{}, kiterror.Errorf(kiterror.Unauthorized, "say who you are")
			}
			rows, _ := filter.Parse(door.Entity, []byte(`{"title":{"startsWith":"A"}}`), "")
			return access.Scope{Rows: rows, Hide: []string{"lent"}}, nil
		}))
	// (Handlers may be missing: what nobody answers is NOT_IMPLEMENTED.)
	compiled, _ := compile.Project(project, nil)
	f, _ := facade.New(compiled, storetest.NewStore(), nil)
	_, err := f.Call(context.Background(), &facade.Call{Entity: "book", Operation: "list"})
	fmt.Println(err)
	user := access.State{"user": map[string]any{"id": "u1"}}
	_, err = f.Call(context.Background(), &facade.Call{
		Entity: "book", Operation: "list",
		Invocation: facade.Invocation{State: user, Query: []byte(`{"sort":"lent"}`)},
	})
	fmt.Println(err)
	// Output:
	// book.list: UNAUTHORIZED: say who you are
	// book.list: VALIDATION_FAILED: sort names lent, which book cannot be sorted by; leave it out
}

// A presenter makes a computed field for all rows of an answer at once.
func ExamplePresent() {
	project, _ := facade.Read(library)
	facade.Present(project.Door("book"), "shout", schema.Shape{Type: "string"},
		func(_ context.Context, found []rows.Row) ([]string, error) {
			out := make([]string, len(found))
			for i, row := range found {
				var b struct{ Title string }
				if err := row.Decode(&b); err != nil {
					return nil, err
				}
				out[i] = strings.ToUpper(b.Title) + "!"
			}
			return out, nil
		}, "title")
	compiled, _ := compile.Project(project, nil)
	f, _ := facade.New(compiled, storetest.NewStore(), nil)
	res, _ := f.Call(context.Background(), &facade.Call{
		Entity: "book", Operation: "create",
		Invocation: facade.Invocation{Body: []byte(`{"id":"b1","title":"Emma"}`)},
	})
	fmt.Printf("%s\n", res.AppendJSON(nil))
	// Output: {"id":"b1","title":"Emma","lent":false,"shout":"EMMA!"}
}

// Every failure is an *Error, with a code that has an HTTP status.
func ExampleError() {
	compiled, _ := compile.Project(libraryProject(), nil)
	f, _ := facade.New(compiled, storetest.NewStore(), nil)
	_, err := f.Call(context.Background(), &facade.Call{Entity: "book", Operation: "lst"})
	var e *kiterror.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, e.Code.Status())
		fmt.Println(e.Message)
	}
	// Output:
	// NOT_FOUND 404
	// book has no operation called lst; there is list, findById, findByIds, aggregate, create, update, delete, lend
}

func libraryProject() *facade.Project {
	p, err := facade.Read(library)
	if err != nil {
		panic(err)
	}
	return p
}
