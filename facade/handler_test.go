package facade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// bookRoom is a project whose operations are answered by what a test gives them.
var bookRoom = map[string]string{
	"entities/book.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string, x-kit: {boundary: {in: {decode: trim}, out: {encode: uppercase}}}}
  secret: {type: string, x-kit: {boundary: {out: closed}, lifecycle: {create: optional}}}
  at: {type: string, format: date-time, x-kit: {lifecycle: {create: optional}}}
`,
	"views/card.yaml": `{of: book, pick: [title, secret], properties: {pages: {type: integer}}}`,
	"views/lendInput.yaml": `
type: object
properties:
  to: {type: string, x-kit: {boundary: {in: {decode: trim}}}}
  days: {type: integer, x-kit: {lifecycle: {create: {value: 14}}}}
required: [to]
`,
	"frond.yaml": `
doors:
  book:
    operations:
      one: {kind: query, output: book}
      maybe: {kind: query, output: book, cardinality: maybe}
      many: {kind: query, output: book, cardinality: many}
      page: {kind: query, output: book, cardinality: page}
      viewed: {kind: query, output: card}
      plain: {kind: query}
      lend: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}, query: {type: object, properties: {loud: {type: boolean}}}, input: lendInput}
`,
}

// bookKey is a struct without tags that others have in them.
type bookKey struct{ ID string }

// TestAnswersThatDoNotFitAreLogged: with the entity, the operation, the field and the
// trace id that is all that the caller learns.
func TestAnswersThatDoNotFitAreLogged(t *testing.T) {
	for _, c := range []struct {
		answer      any
		field, says string
	}{
		{map[string]any{"id": "b1", "titel": "t"}, "titel", "is none of book"},
		{map[string]any{"id": "b1"}, "title", "is required"},
		{map[string]any{"id": "b1", "title": "t", "TITLE": "t"}, "title", "is answered twice"},
	} {
		f := facadeOf(t, bookRoom, func(p *facade.Project) {
			facade.Handle(p.Door("book"), "one", func(context.Context, *facade.Call) (any, error) { return c.answer, nil })
		})
		_, err := f.Call(t.Context(), &facade.Call{Entity: "book", Operation: "one"})
		var log bytes.Buffer
		out := kiterror.Report(t.Context(), slog.New(slog.NewJSONHandler(&log, nil)), err, "")
		var line struct{ Level, Entity, Operation, Field, Trace, Error string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, log.String())
		}
		details, _ := out.Details.(map[string]any)
		if line.Level != "ERROR" || line.Entity != "book" || line.Operation != "one" || line.Field != c.field || !strings.Contains(line.Error, c.says) {
			t.Errorf("%+v", line)
		}
		if out.Code != kiterror.InternalError || strings.Contains(out.Message, c.field) || details["traceId"] != line.Trace || line.Trace == "" {
			t.Errorf("told %+v, logged %+v", out, line)
		}
	}
}

// TestAnswersThatDoNotFitAreDisclosed: in development the caller learns the field and the
// problem, in production neither.
func TestAnswersThatDoNotFitAreDisclosed(t *testing.T) {
	for _, c := range []struct {
		op             string
		answer         any
		field, problem string
	}{
		{"plain", map[string]any{"lines": []any{1, map[string]any{"price": math.NaN()}}}, "lines[1].price", "unsupported value: NaN"},
		{"one", map[string]any{"id": "b1", "title": make(chan int)}, "title", "unsupported type: chan int"},
		{"one", map[string]any{"id": "b1", "titel": "t"}, "titel", "is none of book"},
	} {
		for _, development := range []bool{true, false} {
			p := projectOf(t, bookRoom)
			facade.Handle(p.Door("book"), c.op, func(context.Context, *facade.Call) (any, error) { return c.answer, nil })
			f := storetest.New(t, p, storetest.NewStore(), &facade.Options{Suggest: development})
			_, err := f.Call(t.Context(), &facade.Call{Entity: "book", Operation: c.op})
			out := kiterror.Report(t.Context(), slog.New(slog.DiscardHandler), err, "")
			details, _ := out.Details.(map[string]any)
			field, problem := details["field"], fmt.Sprint(details["problem"])
			if out.Code != kiterror.InternalError || details["traceId"] == nil {
				t.Errorf("%s: %+v", c.field, out)
			}
			if development && (field != c.field || !strings.Contains(problem, c.problem)) {
				t.Errorf("development tells %v; want the field %s and %q", details, c.field, c.problem)
			}
			if !development && len(details) != 1 {
				t.Errorf("production tells %v", details)
			}
		}
	}
}

func TestHandlerAnswers(t *testing.T) {
	row := map[string]any{"id": "b1", "title": "a <b>", "secret": "s", "at": "2024-01-01T00:00:00+01:00"}
	const out = `{"id":"b1","title":"A <B>","at":"2023-12-31T23:00:00.000Z"}`
	for _, c := range []struct {
		name, op string
		answer   any
		want     string
	}{
		{"one", "one", row, out},
		{"a struct", "one", struct {
			ID, Title string
			At        time.Time
		}{"b1", "a <b>", time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))}, out},
		{"a struct in a struct", "one", struct {
			bookKey
			Title string
		}{bookKey{"b1"}, "t"}, `{"id":"b1","title":"T"}`},
		{"a struct without tags in a page", "page", struct {
			Items []bookKey
			Total int
		}{}, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{"a field the card does not have", "one", map[string]any{"id": "b1", "title": "t", "titel": "t"}, "INTERNAL_ERROR"},
		{"a field that is missing", "one", map[string]any{"id": "b1"}, "INTERNAL_ERROR"},
		{"a key that is missing", "many", []any{row, map[string]any{"title": "t"}}, "INTERNAL_ERROR"},
		{"a field twice", "one", map[string]any{"id": "b1", "title": "t", "Title": "u"}, "INTERNAL_ERROR"},
		{"json", "one", json.RawMessage(`{"id":"b1","secret":"s","title":"t"}`), `{"id":"b1","title":"T"}`},
		{"one is never null", "one", nil, "INTERNAL_ERROR"},
		{"maybe is", "maybe", nil, `null`},
		{"a nil pointer too", "maybe", (*struct{})(nil), `null`},
		{"a nil result too", "maybe", (*facade.Result)(nil), `null`},
		{"many", "many", []any{row, row}, "[" + out + "," + out + "]"},
		{"a nil slice is empty", "many", []string(nil), `[]`},
		{"rows of another shape", "many", []int{1}, "INTERNAL_ERROR"},
		{"one where many are due", "many", row, "INTERNAL_ERROR"},
		{"many where one is due", "one", []any{row}, "INTERNAL_ERROR"},
		{"a page", "page", facade.List[any]{Items: []any{row}, Total: 7, HasMore: true, EndCursor: "c"}, `{"items":[` + out + `],"total":7,"hasMore":true,"endCursor":"c"}`},
		{"a bare list becomes a page", "page", []any{row, row}, `{"items":[` + out + `,` + out + `],"total":2,"hasMore":false,"endCursor":null}`},
		{"no page", "page", 5, "INTERNAL_ERROR"},
		{"a view has its fields and no others", "viewed", map[string]any{"id": "x", "title": "t", "secret": "s", "pages": 3}, `{"title":"T","pages":3}`},
		{"a value passes as it is", "plain", map[string]any{"a": []int{1}, "html": "<&>"}, `{"a":[1],"html":"<&>"}`},
		{"a value that is nothing", "plain", nil, `null`},
		{"empty text is nothing", "plain", json.RawMessage{}, `null`},
		{"text that is no JSON", "plain", json.RawMessage(`{"a":`), "INTERNAL_ERROR"},
		{"a value JSON has no word for", "plain", make(chan int), "INTERNAL_ERROR"},
		{"a failure of the domain", "plain", kiterror.Errorf(kiterror.Conflict, "it is lent"), "CONFLICT"},
		{"a failure nobody coded", "plain", errors.New("secret"), "INTERNAL_ERROR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := facadeOf(t, bookRoom, func(p *facade.Project) {
				facade.Handle(p.Door("book"), c.op, func(context.Context, *facade.Call) (any, error) {
					if err, ok := c.answer.(error); ok {
						return nil, err
					}
					return c.answer, nil
				})
			})
			text, err := do(t, f, "book."+c.op, "", "", "")
			if err != nil {
				text = string(err.Code)
				if strings.Contains(err.Message, "secret") {
					t.Errorf("the text leaves: %s", err.Message)
				}
			}
			if text != c.want {
				t.Errorf("got %s want %s (%v)", text, c.want, err)
			}
		})
	}
}

func TestTypedHandlerIsGivenOneObject(t *testing.T) {
	type lend struct {
		ID, To string
		Days   int
		Loud   *bool
	}
	var got lend
	f := facadeOf(t, bookRoom, func(p *facade.Project) {
		facade.HandleCommand(p.Door("book"), "lend", func(_ context.Context, in lend) (bool, error) {
			got = in
			return true, nil
		})
	})
	if text := must(t, f, "book.lend", `{"id":"b1"}`, `{"loud":true}`, `{"to":"  Ada "}`); text != "true" {
		t.Error(text)
	}
	if got.ID != "b1" || got.To != "Ada" || got.Days != 14 || got.Loud == nil || !*got.Loud {
		t.Errorf("%+v", got)
	}
	_, err := do(t, f, "book.lend", `{"ID":"b1"}`, `{"loud":"yes"}`, `{"days":"x","z":1}`)
	if got, want := refusals(err), "/params/ID unknown_key: is not part of the card; leave it out\n"+
		"/params/id required: is required\n"+
		"/query/loud type: must be a boolean\n"+
		"/body/z unknown_key: is not part of the card; leave it out\n"+
		"/body/to required: is required\n"+
		"/body/days type: must be an integer"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, err = do(t, f, "book.maybe", `{"id":"b1"}`, ``, `{"x":1}`)
	if got, want := refusals(err), "/params/id unknown_key: is not a key of book.maybe; leave it out\n"+
		"/body/x unknown_key: is not a key of book.maybe; leave it out"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFromAndInside(t *testing.T) {
	seen := map[string]string{}
	files := map[string]string{"seeds/book.yaml": `[{id: b1, title: one, secret: s}]`}
	for name, text := range bookRoom {
		files[name] = text
	}
	p := projectOf(t, files)
	book := p.Door("book")
	facade.Collect(book, access.CollectorFunc(func(_ context.Context, state access.State, _ *catalog.Door, _ *catalog.Operation) (access.Scope, error) {
		if state.User() == nil {
			return access.Scope{}, kiterror.Errorf(kiterror.Unauthorized, "who are you?")
		}
		return access.Scope{Hide: []string{"at"}}, nil
	}))
	facade.Handle(book, "plain", func(ctx context.Context, _ *facade.Call) (any, error) {
		for name, caller := range map[string]facade.Caller{"from": facade.From(ctx), "inside": facade.Inside(ctx)} {
			text, err := storetest.Call(t, caller, "book.findById", facade.Invocation{Params: raw(`{"id":"b1"}`)})
			if err != nil {
				return nil, err
			}
			seen[name] = text
		}
		return nil, nil
	})
	// What is read through From has crossed the boundary and is not encoded twice;
	// what is read inside has not, and its closed fields go no further.
	facade.Handle(book, "one", func(ctx context.Context, _ *facade.Call) (any, error) {
		return facade.From(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "findById", Invocation: facade.Invocation{Params: raw(`{"id":"b1"}`)}})
	})
	facade.Handle(book, "maybe", func(ctx context.Context, _ *facade.Call) (any, error) {
		return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "findById", Invocation: facade.Invocation{Params: raw(`{"id":"b1"}`)}})
	})
	f := storetest.New(t, p, storetest.NewStore(), nil)
	user := as(f, access.State{"user": map[string]any{"id": "u"}})
	must(t, user, "book.plain", "", "", "")
	if got, want := seen["from"], `{"id":"b1","title":"ONE"}`; got != want {
		t.Errorf("from: got %s want %s", got, want)
	}
	if got, want := seen["inside"], `{"id":"b1","title":"one","secret":"s","at":null}`; got != want {
		t.Errorf("inside: got %s want %s", got, want)
	}
	for _, op := range []string{"book.one", "book.maybe"} {
		if got, want := must(t, user, op, "", "", ""), `{"id":"b1","title":"ONE"}`; got != want {
			t.Errorf("%s: got %s want %s", op, got, want)
		}
	}
	if _, err := facade.From(context.Background()).Call(context.Background(), &facade.Call{Entity: "book", Operation: "list"}); err == nil {
		t.Error("From without a handler's context answers")
	}
}

// Rows that a handler read through From leave as they came, in whatever wrapping:
// not encoded twice, their computed fields not made anew from encoded values.
func TestRowsCrossOnce(t *testing.T) {
	files := map[string]string{"seeds/book.yaml": `[{id: b1, title: one}, {id: b2, title: two}]`}
	for name, text := range bookRoom {
		files[name] = text
	}
	runs := 0
	read := func(ctx context.Context) *facade.Result {
		res, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "list"})
		if err != nil {
			panic(err)
		}
		return res
	}
	f := facadeOf(t, files, func(p *facade.Project) {
		book := p.Door("book")
		facade.Present(book, "kept", schema.Shape{}, func(_ context.Context, found []rows.Row) ([]json.RawMessage, error) {
			runs++
			out := make([]json.RawMessage, len(found))
			for i, r := range found {
				out[i] = r.Get("title")
			}
			return out, nil
		}, "title")
		facade.Handle(book, "page", func(ctx context.Context, _ *facade.Call) (any, error) { return read(ctx), nil })
		facade.Handle(book, "many", func(ctx context.Context, _ *facade.Call) (any, error) { return read(ctx).Rows, nil })
		facade.Handle(book, "one", func(ctx context.Context, _ *facade.Call) (any, error) { return read(ctx).Rows.Row(1), nil })
		facade.Handle(book, "maybe", func(ctx context.Context, _ *facade.Call) (any, error) { return rows.Row{}, nil })
	})
	b1, b2 := `{"id":"b1","title":"ONE","kept":"one"}`, `{"id":"b2","title":"TWO","kept":"two"}`
	for op, want := range map[string]string{
		"page": `{"items":[` + b1 + `,` + b2 + `],"total":2,"hasMore":false,"endCursor":"…"}`, "many": `[` + b1 + `,` + b2 + `]`, "one": b2, "maybe": `null`,
	} {
		runs = 0
		if got := masked(must(t, f, "book."+op, "", "", "")); got != want || runs > 1 {
			t.Errorf("%s: got %s want %s after %d runs", op, got, want, runs)
		}
	}
}

// A handler may stand in for a built-in operation: its calls are admitted like the
// built-in's, and inside it reaches that one.
func TestHandlerInPlaceOfABuiltIn(t *testing.T) {
	f := facadeOf(t, bookRoom, func(p *facade.Project) {
		facade.Handle(p.Door("book"), "create", func(ctx context.Context, c *facade.Call) (any, error) {
			if strings.Contains(string(c.Invocation.Body), "banned") {
				return nil, kiterror.Errorf(kiterror.Forbidden, "this is not printed here")
			}
			return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "create", Invocation: facade.Invocation{Body: c.Invocation.Body}})
		})
		facade.Handle(p.Door("book"), "findById", func(_ context.Context, c *facade.Call) (any, error) {
			return json.RawMessage(`{"id":` + strings.TrimSuffix(strings.TrimPrefix(string(c.Invocation.Params), `{"id":`), "}") + `,"title":"made up","secret":"s"}`), nil
		})
		facade.Handle(p.Door("book"), "list", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.From(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "findByIds", Invocation: facade.Invocation{Query: raw(`{"ids":["b1"]}`)}})
		})
	})
	if got, want := must(t, f, "book.create", "", "", `{"id":"b1","title":" x "}`), `{"id":"b1","title":"X"}`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if _, err := do(t, f, "book.create", "", "", `{"id":"b2","title":"banned"}`); kiterror.CodeOf(err) != kiterror.Forbidden {
		t.Errorf("%v", err)
	}
	if _, err := do(t, f, "book.create", "", "", `{"id":"b2"}`); refusals(err) != "/body/title required: is required" {
		t.Errorf("%v", refusals(err))
	}
	res, err := f.Call(t.Context(), &facade.Call{Entity: "book", Operation: "findById", Each: &facade.Each{Field: "id", Keys: []json.RawMessage{raw(`"b2"`), raw(`"b3"`), raw(`"b2"`)}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(res.AppendJSON(nil)), `[{"id":"b2","title":"MADE UP"},{"id":"b3","title":"MADE UP"},{"id":"b2","title":"MADE UP"}]`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got, want := must(t, f, "book.list", "", `{"fields":"id"}`, ""), `{"items":[{"id":"b1"}],"total":1,"hasMore":false,"endCursor":null}`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// A handler in place of list is called once for each key of a batch: its query has the key as one
// more condition, and keeps the rest.
func TestListHandlerForManyKeys(t *testing.T) {
	var queries []string
	f := facadeOf(t, bookRoom, func(p *facade.Project) {
		facade.Handle(p.Door("book"), "list", func(ctx context.Context, c *facade.Call) (any, error) {
			queries = append(queries, string(c.Invocation.Query))
			return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "list", Invocation: facade.Invocation{Query: c.Invocation.Query}})
		})
	})
	for query, want := range map[string]string{
		`{"limit":2}`:                          `{"limit":2,"filter":{"title":{"eq":"ONE"}}}`,
		`{"filter":null,"limit":2}`:            `{"limit":2,"filter":{"title":{"eq":"ONE"}}}`,
		`{"filter":{"id":{"in":["b1","b2"]}}}`: `{"filter":{"and":[{"id":{"in":["b1","b2"]}},{"title":{"eq":"ONE"}}]}}`,
	} {
		queries = nil
		res, err := f.Call(t.Context(), &facade.Call{
			Entity: "book", Operation: "list", Invocation: facade.Invocation{Query: raw(query)},
			Each: &facade.Each{Field: "title", Keys: []json.RawMessage{raw(`"ONE"`)}},
		})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if len(res.Groups) != 1 || len(queries) != 1 || queries[0] != want {
			t.Errorf("%s: the handler got %v, want %s", query, queries, want)
		}
	}
}

func TestHandlersInACircle(t *testing.T) {
	f := facadeOf(t, bookRoom, func(p *facade.Project) {
		facade.Handle(p.Door("book"), "plain", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.From(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "plain"})
		})
	})
	_, err := do(t, f, "book.plain", "", "", "")
	if kiterror.CodeOf(err) != kiterror.InternalError || !strings.Contains(err.Error(), "circle") {
		t.Errorf("%v", err)
	}
}

func TestPresenter(t *testing.T) {
	runs := 0
	files := map[string]string{"seeds/book.yaml": `[{id: b1, title: one, secret: s}, {id: b2, title: two}]`}
	for name, text := range bookRoom {
		files[name] = text
	}
	f := facadeOf(t, files, func(p *facade.Project) {
		book := p.Door("book")
		facade.Present(book, "shout", schema.Shape{Type: "string"}, func(_ context.Context, found []rows.Row) ([]string, error) {
			runs++
			out := make([]string, len(found))
			for i, r := range found {
				out[i] = string(r.Get("title")) + "!" // what is kept, not what is encoded
			}
			return out, nil
		}, "title")
		facade.Present(book, "sees", schema.Shape{Type: "array"}, func(_ context.Context, found []rows.Row) ([][]string, error) {
			out := make([][]string, len(found))
			for i, r := range found {
				for _, name := range []string{"id", "title", "secret", "at"} {
					if r.Get(name) != nil {
						out[i] = append(out[i], name)
					}
				}
			}
			return out, nil
		})
		facade.Present(book, "short", schema.Shape{Type: "integer"}, func(context.Context, []rows.Row) ([]int, error) { return []int{1}, nil })
		facade.Present(book, "wild", schema.Shape{Type: "integer"}, func(context.Context, []rows.Row) ([]int, error) { panic("secret") })
		facade.Handle(book, "many", func(context.Context, *facade.Call) (any, error) { return raw(`[{"id":"x","title":"y"}]`), nil })
	})
	if got, want := must(t, f, "book.list", "", `{"fields":"id"}`, ""), `"items":[{"id":"b1"},{"id":"b2"}]`; !strings.Contains(got, want) || runs != 0 {
		t.Errorf("%s after %d runs", got, runs)
	}
	if got, want := must(t, f, "book.list", "", `{"fields":"shout,id,sees"}`, ""),
		`"items":[{"id":"b1","shout":"\"one\"!","sees":["id","title","at"]},{"id":"b2","shout":"\"two\"!","sees":["id","title","at"]}]`; !strings.Contains(got, want) || runs != 1 {
		t.Errorf("%s after %d runs", got, runs)
	}
	if got, want := must(t, f, "book.list", "", `{"fields":"shout","limit":1}`, ""), `"items":[{"shout":"\"one\"!"}]`; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	for _, field := range []string{"short", "wild"} {
		call := &facade.Call{Entity: "book", Operation: "list", Select: []string{"id", field, "shout"}}
		_, err := f.Call(t.Context(), call)
		if kiterror.CodeOf(err) != kiterror.InternalError || !strings.Contains(err.Error(), "book."+field) || strings.Contains(kiterror.AsError(err).Message, "secret") {
			t.Errorf("%s: %v", field, err)
		}
		call.Partial = true
		res, err := f.Call(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(res.Rows.AppendJSON(nil)), `[{"id":"b1","shout":"\"one\"!"},{"id":"b2","shout":"\"two\"!"}]`; got != want {
			t.Errorf("got %s want %s", got, want)
		}
		if len(res.Failed) != 1 || res.Failed[0].Field != field || res.Failed[0].Err.Code != kiterror.InternalError || res.Failed[0].Err.Operation != "list" {
			t.Errorf("%+v", res.Failed)
		}
	}
	// The rows of a handler that answers the door's entity have its computed fields.
	res, err := f.Call(t.Context(), &facade.Call{Entity: "book", Operation: "many", Select: []string{"shout"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(res.AppendJSON(nil)), `[{"shout":"\"y\"!"}]`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestDo(t *testing.T) {
	f := storetest.Facade(t)
	ctx := t.Context()
	type tag struct{ ID, Label string }
	one, err := facade.Do[*tag](ctx, f, "tag.findById", facade.Invocation{Params: raw(`{"id":"t2"}`)})
	if err != nil || one == nil || one.Label != "LOGIC" {
		t.Errorf("%v %v", one, err)
	}
	none, err := facade.Do[*tag](ctx, f, "tag.findById", facade.Invocation{Params: raw(`{"id":"t9"}`)})
	if err != nil || none != nil {
		t.Errorf("%v %v", none, err)
	}
	list, err := facade.Do[facade.List[tag]](ctx, f, "tag.list", facade.Invocation{})
	if err != nil || len(list.Items) != 3 || list.Total != 3 {
		t.Errorf("%v %v", list, err)
	}
	if _, err := facade.Do[int](ctx, f, "tag.list", facade.Invocation{}); kiterror.CodeOf(err) != kiterror.InternalError {
		t.Errorf("%v", err)
	}
	if _, err := facade.Do[int](ctx, f, "tag", facade.Invocation{}); kiterror.CodeOf(err) != kiterror.BadRequest {
		t.Errorf("%v", err)
	}
}
