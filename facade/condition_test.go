package facade_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// TestConditions: where of update and delete is decided by the write itself. A row that does
// not meet it is PRECONDITION_FAILED, one that is not there for the caller NOT_FOUND.
func TestConditions(t *testing.T) {
	f, store := notes(t, nil)
	staff, writer, blind := user(f, "role", "staff"), user(f, "role", "writer"), user(f, "role", "blind")
	for _, c := range []struct {
		what              string
		caller            facade.Caller
		method, id, where string
		body              string
		want              string // the code, or what the answer holds
	}{
		{"a condition that holds", staff, "update", "n", `{"title":{"eq":"one"}}`, `{"title":"two"}`, `"title":"two"`},
		{"one that does not", staff, "update", "n", `{"title":{"eq":"one"}}`, `{"title":"three"}`, "PRECONDITION_FAILED"},
		{"no such row", staff, "update", "z", `{"title":{"eq":"one"}}`, `{"title":"three"}`, "NOT_FOUND"},
		{"a nested object is merged under it", staff, "update", "n", `{"title":{"startsWith":"t"}}`, `{"place":{"floor":2}}`, `"floor":2`},
		{"a nested object under one that does not hold", staff, "update", "n", `{"title":{"startsWith":"x"}}`, `{"place":{"floor":3}}`, "PRECONDITION_FAILED"},
		{"nothing to write", staff, "update", "n", `{"title":{"eq":"one"}}`, `{}`, "PRECONDITION_FAILED"},
		{"nothing to write, and it holds", staff, "update", "n", `{"title":{"eq":"two"}}`, `{}`, `"floor":2`},
		{"no condition in it", staff, "update", "n", `{}`, `{"title":"two"}`, "VALIDATION_FAILED"},
		{"an empty part", staff, "update", "n", `{"title":{"startsWith":"t"},"not":{}}`, `{"title":"x"}`, "VALIDATION_FAILED"},
		{"an empty part of delete", staff, "delete", "n", `{"title":{}}`, "", "VALIDATION_FAILED"},
		{"null", staff, "update", "n", `null`, `{"title":"x"}`, "VALIDATION_FAILED"},
		{"no filter", staff, "update", "n", `"title"`, `{"title":"x"}`, "VALIDATION_FAILED"},
		{"no such field", staff, "update", "n", `{"tilte":{"eq":"x"}}`, `{"title":"x"}`, "VALIDATION_FAILED"},
		{"a hidden field does not exist", writer, "update", "n", `{"secret":{"eq":"s"}}`, `{"title":"x"}`, "VALIDATION_FAILED"},
		{"a row that may not be read", blind, "update", "n", `{"title":{"eq":"two"}}`, `{"title":"x"}`, "PRECONDITION_FAILED"},
		{"delete under one that does not hold", staff, "delete", "n", `{"title":{"eq":"one"}}`, "", "PRECONDITION_FAILED"},
		{"delete of no row", staff, "delete", "z", `{"title":{"eq":"one"}}`, "", "false"},
		{"find takes none", staff, "findById", "n", `{"title":{"eq":"one"}}`, "", "VALIDATION_FAILED"},
		{"create takes none", staff, "create", "", `{"title":{"eq":"one"}}`, `{"title":"x"}`, "VALIDATION_FAILED"},
		{"delete under one that holds", staff, "delete", "n", `{"title":{"eq":"two"}}`, "", "true"},
	} {
		params := `{"id":"` + c.id + `"}`
		if c.id == "" {
			params = ""
		}
		text, err := do(t, c.caller, "note."+c.method, params, `{"where":`+c.where+`}`, c.body)
		if code := string(kiterror.CodeOf(errorOrNil(err))); code != c.want && (code != "" || !strings.Contains(text, c.want)) {
			t.Errorf("%s: %v %s, want %s", c.what, err, text, c.want)
		}
	}

	// Somebody writes between the judging and the write: the condition is the write's own.
	must(t, staff, "note.create", "", "", `{"id":"m","title":"one"}`)
	for _, c := range []struct{ method, body string }{{"update", `{"title":"mine"}`}, {"delete", ""}} {
		must(t, staff, "note.update", `{"id":"m"}`, "", `{"title":"one"}`)
		store.rival = func() { must(t, staff, "note.update", `{"id":"m"}`, "", `{"title":"theirs"}`) }
		if _, err := do(t, staff, "note."+c.method, `{"id":"m"}`, `{"where":{"title":{"eq":"one"}}}`, c.body); kiterror.CodeOf(errorOrNil(err)) != kiterror.PreconditionFailed {
			t.Errorf("%s after somebody else's write: %v", c.method, err)
		}
	}
	if text := must(t, staff, "note.findById", `{"id":"m"}`, "", ""); !strings.Contains(text, "theirs") {
		t.Errorf("it was written: %s", text)
	}
}

// TestConditionsBeforeAHandler: a handler in the place of update runs only where the condition
// holds, and its own write is held to it.
func TestConditionsBeforeAHandler(t *testing.T) {
	for name, options := range map[string][]facade.HandlerOption{"in a transaction": nil, "detached": {facade.Detached}} {
		ran := 0
		var interfere func()
		f, _ := notes(t, func(p *facade.Project) {
			facade.Handle(p.Door("note"), "update", func(ctx context.Context, c *facade.Call) (any, error) {
				ran++
				if interfere != nil {
					interfere()
				}
				return facade.Do[any](ctx, facade.Inside(ctx), "note.update", c.Invocation)
			}, options...)
			facade.HandleCommand(p.Door("note"), "delete", func(ctx context.Context, _ struct{}) (any, error) { ran++; return true, nil }, options...)
		})
		staff := user(f, "role", "staff")
		update := func(where, body string) error {
			_, err := do(t, staff, "note.update", `{"id":"n"}`, `{"where":`+where+`}`, body)
			return errorOrNil(err)
		}
		if err := update(`{"title":{"eq":"one"}}`, `{"title":"two"}`); err != nil || ran != 1 {
			t.Errorf("%s: it holds: %v, ran %d times", name, err, ran)
		}
		if err := update(`{"title":{"eq":"one"}}`, `{"title":"three"}`); kiterror.CodeOf(err) != kiterror.PreconditionFailed || ran != 1 {
			t.Errorf("%s: it does not: %v, ran %d times", name, err, ran)
		}
		_, err := do(t, staff, "note.delete", `{"id":"n"}`, `{"where":{"title":{"eq":"one"}}}`, "")
		if kiterror.CodeOf(errorOrNil(err)) != kiterror.PreconditionFailed || ran != 1 {
			t.Errorf("%s: delete: %v, ran %d times", name, err, ran)
		}
		if options == nil {
			continue // nobody writes between
		}
		interfere = func() {
			interfere = nil
			if _, err := facade.Do[any](f.Enter(t.Context(), nil), facade.Inside(f.Enter(t.Context(), nil)), "note.update", facade.Invocation{Params: raw(`{"id":"n"}`), Body: raw(`{"title":"theirs"}`)}); err != nil {
				t.Error(err)
			}
		}
		if err := update(`{"title":{"eq":"two"}}`, `{"title":"mine"}`); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
			t.Errorf("%s: after somebody else's write: %v", name, err)
		}
	}
}

// TestRefusedConditionsHaveTheRow: PRECONDITION_FAILED has the row as findById answers it to the
// same caller, and none where it answers none: to the author's own code, to callers whom rules or
// middleware refuse the row, and of a handler's further writes.
func TestRefusedConditionsHaveTheRow(t *testing.T) {
	files := maps.Clone(noteFiles)
	files["frond.yaml"] = strings.Replace(files["frond.yaml"], "hide: [secret]", "hide: [secret], allow: [touch, findById, update, delete]", 1) + "doors: {note: {operations: {touch: {kind: command}}}}\n"
	p := projectOf(t, files)
	facade.Handle(p.Door("note"), "touch", func(ctx context.Context, c *facade.Call) (any, error) {
		return facade.Do[any](ctx, facade.Inside(ctx), "note.update", facade.Invocation{Params: raw(`{"id":"n"}`), Query: raw(`{"where":{"secret":{"eq":"x"}}}`), Body: raw(`{"title":"t"}`)})
	})
	refusing := func(next facade.Caller) facade.Caller {
		return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if user := c.Invocation.State.User(); c.Operation == "findById" && user["unread"] != nil {
				return nil, kiterror.Errorf(kiterror.Forbidden, "not now")
			}
			return next.Call(ctx, c)
		})
	}
	f := storetest.New(t, p, storetest.NewStore(), &facade.Options{Middleware: []facade.Middleware{refusing}})
	staff, writer := user(f, "role", "staff"), user(f, "role", "writer")
	must(t, staff, "note.create", "", "", `{"id":"n","title":"one","secret":"s","place":{"street":"a","town":"b"}}`)
	for _, c := range []struct {
		what          string
		caller        facade.Caller
		method, query string
		row           bool
	}{
		{"a version, of an update", staff, "note.update", `{"ifMatch":"x"}`, true},
		{"a version, of a delete", staff, "note.delete", `{"ifMatch":"x"}`, true},
		{"a filter, of an update", writer, "note.update", `{"where":{"title":{"eq":"x"}},"fields":"title"}`, true},
		{"a filter, of a delete", writer, "note.delete", `{"where":{"title":{"eq":"x"}}}`, true},
		{"who may not read the row", user(f, "role", "blind"), "note.update", `{"ifMatch":"x"}`, false},
		{"whom the middleware refuses it", user(f, "role", "staff", "unread", true), "note.update", `{"ifMatch":"x"}`, false},
		{"a write of a handler", writer, "note.touch", "", false},
	} {
		params, body := `{"id":"n"}`, ""
		switch c.method {
		case "note.update":
			body = `{"title":"mine"}`
		case "note.touch":
			params = ""
		}
		_, err := do(t, c.caller, c.method, params, c.query, body)
		want := any(nil)
		if c.row {
			want = map[string]any{"row": raw(must(t, c.caller, "note.findById", `{"id":"n"}`, `{"fields":["*","etag"]}`, ""))}
		}
		if kiterror.CodeOf(errorOrNil(err)) != kiterror.PreconditionFailed {
			t.Errorf("%s: %v", c.what, err)
		} else if diff := cmp.Diff(want, err.Details); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
	if text := must(t, writer, "note.findById", `{"id":"n"}`, `{"fields":["*","etag"]}`, ""); strings.Contains(text, "secret") || !strings.Contains(text, `"loud":"ONE"`) || !strings.Contains(text, `"etag":"`) {
		t.Errorf("the row of a writer is %s", text)
	}
}

// TestRefusedConditionsAtARemote: the row is the one that the rules here show, and not the one
// that the remote sent.
func TestRefusedConditionsAtARemote(t *testing.T) {
	hide := func(p *facade.Project) {
		facade.Collect(p.Door("post"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
			return access.Scope{Hide: []string{"price"}}, nil
		}))
	}
	there := hosting(t, nil)
	far := atRemote(t, there, cardsAndKnown, hide)
	for _, f := range []facade.Caller{there, far} {
		_, err := do(t, f, "post.update", `{"id":"p1"}`, `{"where":{"title":{"eq":"x"}}}`, `{"title":"mine"}`)
		if kiterror.CodeOf(errorOrNil(err)) != kiterror.PreconditionFailed {
			t.Fatal(err)
		}
		row, _ := err.Details.(map[string]any)["row"].(json.RawMessage)
		if shows := strings.Contains(string(row), `"price"`); shows != (f == facade.Caller(there)) || !strings.Contains(string(row), `"id":"p1"`) {
			t.Errorf("the row is %s", row)
		}
	}
	_, err := do(t, facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		return facade.Inside(far.Enter(ctx, nil)).Call(far.Enter(ctx, nil), c)
	}), "post.update", `{"id":"p1"}`, `{"where":{"title":{"eq":"x"}}}`, `{"title":"mine"}`)
	if kiterror.CodeOf(errorOrNil(err)) != kiterror.PreconditionFailed || err.Details != nil {
		t.Errorf("the author's own code gets the remote's row: %v %s", err, err.AppendJSON(nil))
	}
}
