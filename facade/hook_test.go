package facade_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// bookFiles are a door with a nested object, a closed field and a named command.
var bookFiles = map[string]string{
	"entities/book.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string, maxLength: 10}
  size: {type: object, properties: {w: {type: integer}, h: {type: integer}}, x-kit: {lifecycle: {create: optional}}}
  stamp: {type: [string, 'null'], x-kit: {boundary: {in: closed}, lifecycle: {create: optional}}}
required: [id, title]
`,
	"frond.yaml": `
doors: {book: {operations: {burn: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}, output: book}}}}
collectors: {book: open}
`,
}

// TestHooks: hooks run around what is written, in their order, once for each call.
func TestHooks(t *testing.T) {
	var log []string
	set := schema.Object{{Name: "stamp", Value: raw(`"seen"`)}}
	f := facadeOf(t, bookFiles, func(p *facade.Project) {
		door := p.Door("book")
		for _, op := range []string{"create", "update", "delete", "burn"} {
			facade.Attach(door, op, facade.Hook{
				Before: func(_ context.Context, c *facade.Call) (schema.Object, error) {
					log = append(log, fmt.Sprintf("before %s %s%s", c.Operation, c.Invocation.Params, c.Invocation.Body))
					if strings.Contains(string(c.Invocation.Body), "bad") {
						return nil, kiterror.Errorf(kiterror.Forbidden, "no")
					}
					if op == "create" || op == "update" {
						return set, nil
					}
					return nil, nil
				},
				After: func(_ context.Context, c *facade.Call, res *facade.Result) {
					log = append(log, fmt.Sprintf("after %s %s", c.Operation, res.AppendJSON(nil)))
				},
			})
		}
		facade.Handle(door, "burn", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.Do[any](ctx, facade.Inside(ctx), "book.update", facade.Invocation{Params: c.Invocation.Params, Body: raw(`{"title":"ashes"}`)})
		})
	})
	for _, c := range []struct{ method, params, body, code, log string }{
		{"book.create", "", `{"id":"a","title":"Kim"}`, "", `before create {"id":"a","title":"Kim"}; after create {"id":"a","title":"Kim","size":null,"stamp":"seen"}`},
		{"book.create", "", `{"id":"b","title":"bad"}`, "FORBIDDEN", `before create {"id":"b","title":"bad"}`},
		{"book.create", "", `{"id":"b","title":"far too long"}`, "VALIDATION_FAILED", ""}, // hooks are for calls that are admitted
		{"book.create", "", `{"id":"a","title":"Kim"}`, "CONFLICT", `before create {"id":"a","title":"Kim"}`},
		{"book.update", `{"id":"a"}`, `{"size":{"w":1,"h":2}}`, "", `before update {"id":"a"}{"size":{"w":1,"h":2}}; after update {"id":"a","title":"Kim","size":{"w":1,"h":2},"stamp":"seen"}`},
		{"book.update", `{"id":"a"}`, `{"size":{"h":3}}`, "", `before update {"id":"a"}{"size":{"w":1,"h":3}}; after update {"id":"a","title":"Kim","size":{"w":1,"h":3},"stamp":"seen"}`},
		{"book.update", `{"id":"a"}`, `{}`, "", ""},
		{"book.update", `{"id":"z"}`, `{"title":"Z"}`, "NOT_FOUND", `before update {"id":"z"}{"title":"Z"}`},
		{"book.burn", `{"id":"a"}`, "", "", `before burn {"id":"a"}; before update {"id":"a"}{"title":"ashes"}; ` +
			`after update {"id":"a","title":"ashes","size":{"w":1,"h":3},"stamp":"seen"}; after burn {"id":"a","title":"ashes","size":{"h":3,"w":1},"stamp":"seen"}`},
		{"book.delete", `{"id":"a"}`, "", "", `before delete {"id":"a"}; after delete true`},
		{"book.delete", `{"id":"a"}`, "", "", `before delete {"id":"a"}`},
	} {
		log = nil
		_, err := do(t, f, c.method, c.params, "", c.body)
		if got := strings.Join(log, "; "); got != c.log || string(kiterror.CodeOf(errorOrNil(err))) != c.code {
			t.Errorf("%s %s %s: %v\n got %s\nwant %s", c.method, c.params, c.body, err, got, c.log)
		}
	}
	set = schema.Object{{Name: "title", Value: raw(`7`)}}
	if _, err := do(t, f, "book.create", "", "", `{"id":"c","title":"C"}`); kiterror.CodeOf(errorOrNil(err)) != kiterror.InternalError || !strings.Contains(err.Error(), "a hook before book.create") {
		t.Errorf("a hook that writes what does not fit: %v", err)
	}
}

func errorOrNil(err *kiterror.Error) error {
	if err == nil {
		return nil
	}
	return err
}

// TestHookOfAHandlerInPlace: a handler that stands in for a built-in operation and calls
// that one has its hooks run once.
func TestHookOfAHandlerInPlace(t *testing.T) {
	n := 0
	f := facadeOf(t, bookFiles, func(p *facade.Project) {
		facade.Attach(p.Door("book"), "create", facade.Hook{After: func(context.Context, *facade.Call, *facade.Result) { n++ }})
		facade.Handle(p.Door("book"), "create", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.Do[any](ctx, facade.Inside(ctx), "book.create", facade.Invocation{Body: c.Invocation.Body})
		})
	})
	must(t, f, "book.create", "", "", `{"id":"a","title":"Kim"}`)
	if n != 1 {
		t.Errorf("the hook ran %d times", n)
	}
}

// TestHooksRunWhereTheCommandRuns: those of a door that runs elsewhere do not run here, and
// those of an explained call nowhere.
func TestHooksRunWhereTheCommandRuns(t *testing.T) {
	var ran []string
	hooks := func(where string) func(*facade.Project) {
		return func(p *facade.Project) {
			facade.Attach(p.Door("author"), "update", facade.Hook{
				Before: func(context.Context, *facade.Call) (schema.Object, error) {
					ran = append(ran, "before "+where)
					return nil, nil
				},
				After: func(context.Context, *facade.Call, *facade.Result) { ran = append(ran, "after "+where) },
			})
		}
	}
	there := hosting(t, hooks("there"))
	here := atRemote(t, there, cardsHere, hooks("here"))
	must(t, here, "author.update", `{"id":"ada"}`, "", `{"name":"Ada"}`)
	if got := strings.Join(ran, ", "); got != "before there, after there" {
		t.Errorf("%s", got)
	}
	ran = nil
	if _, err := explain.Call(t.Context(), there, &facade.Call{Entity: "author", Operation: "update", Invocation: facade.Invocation{
		Params: raw(`{"id":"ada"}`), Body: raw(`{"name":"Countess"}`),
	}}); err != nil || ran != nil {
		t.Errorf("explained: %v, %v", ran, err)
	}
}

func TestHookFaults(t *testing.T) {
	p := projectOf(t, bookFiles)
	for _, at := range [][2]string{{"novel", "create"}, {"book", "list"}, {"book", "publish"}} {
		facade.Attach(p.Door(at[0]), at[1], facade.Hook{})
	}
	_, err := compile.Project(p, nil)
	for _, want := range []string{"no door is called novel", "book.list, which is a query", "book has no such operation"} {
		if err == nil || !slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
