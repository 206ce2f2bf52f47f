package explain_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/store/storetest"
)

// explained is an explanation as JSON, and the code of the call's failure.
func explained(t *testing.T, c facade.Caller, state access.State, method, params, query, body string) (string, kiterror.Code) {
	t.Helper()
	entity, op, _ := strings.Cut(method, ".")
	x, err := explain.Call(t.Context(), c, &facade.Call{Entity: entity, Operation: op, Invocation: facade.Invocation{
		Params: raw(params), Query: raw(query), Body: raw(body), State: state,
	}})
	text, jerr := json.Marshal(x)
	if jerr != nil {
		t.Fatal(jerr)
	}
	return string(text), kiterror.CodeOf(err)
}

// raw is the text of a part of an invocation; "" is absent.
func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func TestExplain(t *testing.T) {
	f := storetest.New(t, storetest.ProjectOf(t, storetest.Desk(storetest.DeskRules)), storetest.NewStore(), nil)
	ada := access.State{"user": map[string]any{"id": "c1", "tenant": "t"}}
	const own = `{"door":"order","for":"list","at":"frond.yaml#/collectors/order","rules":[{"when":"user.role == \"staff\"","verdict":"does not hold"},{"when":"user != nil","verdict":"holds"},{"when":"","verdict":"is not asked"}],` +
		`"rows":{"customerId":{"eq":"c1"}},"hide":["internalNote"],"set":{"customerId":"c1","tenant":"t"}}`
	for _, c := range []struct {
		name                        string
		state                       access.State
		method, params, query, body string
		want                        string
		code                        kiterror.Code
	}{
		{
			"a list", ada, "order.list", ``, `{"filter":{"status":{"in":["open","paid"]}},"fields":"id"}`, ``,
			`{"entity":"order","operation":"list","frond":"desk","kind":"query","by":"store","scopes":[` + own + `],"columns":["id"],"fields":["id"],"computed":[],` +
				`"store":[{"does":"find","entity":"order","filter":{"customerId":{"eq":"c1"},"status":{"in":["open","paid"]}},"columns":["id"],"statements":[]}],"written":"","rows":2}`, "",
		},
		{
			"who is turned away", nil, "order.list", ``, ``, ``,
			`{"entity":"order","operation":"list","frond":"desk","kind":"query","by":"store","scopes":[{"door":"order","for":"list","at":"frond.yaml#/collectors/order","rules":[{"when":"user.role == \"staff\"","verdict":"does not hold"},` +
				`{"when":"user != nil","verdict":"does not hold"},{"when":"","verdict":"holds, and denies"}],"error":{"code":"UNAUTHORIZED","message":"order.list is not for everybody; say who you are"}}],"columns":[],"fields":[],"computed":[],"store":[],"written":"","rows":0,` +
				`"error":{"code":"UNAUTHORIZED","message":"order.list is not for everybody; say who you are","entity":"order","operation":"list"}}`, kiterror.Unauthorized,
		},
		{
			"what is not there", nil, "order.burn", ``, ``, ``,
			`{"entity":"order","operation":"burn","scopes":[],"columns":[],"fields":[],"computed":[],"store":[],"written":"","rows":0,"error":{"code":"NOT_FOUND"`, kiterror.NotFound,
		},
		{
			"a write that the store could not undo", ada, "order.update", `{"id":"o1"}`, ``, `{"total":3}`,
			`"store":[{"does":"update","entity":"order","filter":{"customerId":{"eq":"c1"}},"columns":["id","customerId","code","tenant","status","total","placedAt"],"statements":[],"note":"the store was not asked: it cannot undo"}],"written":"the store was not asked: it cannot undo","rows":1}`, "",
		},
		{
			"a relation", ada, "line.list", ``, `{"fields":"id","filter":{"order":{"total":{"gt":5}}}}`, ``,
			`{"does":"find","entity":"line","filter":{"and":[{"order":{"customerId":{"eq":"c1"}}},{"order":{"customerId":{"eq":"c1"},"total":{"gt":5}}}]},"columns":["id"],"statements":[]}]`, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, code := explained(t, f, c.state, c.method, c.params, c.query, c.body)
			if code != c.code || !strings.Contains(got, c.want) {
				t.Errorf("%s\ngot\n%s\nwant\n%s", code, got, c.want)
			}
		})
	}
	text, err := storetest.Call(t, f, "order.findById", facade.Invocation{Params: raw(`{"id":"o1"}`), State: ada})
	if err != nil || !strings.Contains(text, `"total":10`) {
		t.Errorf("it was written: %s, %v", text, err)
	}
}

// What an author's own code does is reported, and a command of theirs is not run.
func TestExplainHandlers(t *testing.T) {
	p := storetest.Project(t)
	ran := false
	facade.Collect(p.Door("author"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		return access.Scope{Hide: []string{"bio"}}, nil
	}))
	facade.HandleCommand(p.Door("author"), "create", func(context.Context, struct{}) (map[string]any, error) { ran = true; return nil, nil })
	f := storetest.New(t, p, storetest.NewStore(), nil)
	got, code := explained(t, f, nil, "author.create", "", "", `{"id":"x","name":"X","email":"x@x.org","password":"long enough"}`)
	if ran || code != "" || !strings.Contains(got, `"by":"handler"`) || !strings.Contains(got, `"written":"the author's handler was not run"`) || !strings.Contains(got, `"at":"Go code"`) {
		t.Errorf("ran %v, %s, %s", ran, code, got)
	}
	got, _ = explained(t, f, nil, "post.bySlug", `{"slug":"notes-on-the-engine"}`, "", "")
	for _, want := range []string{`"by":"handler"`, `"computed":["excerpt"]`, `"calls":[{"entity":"post","operation":"list"`, `"rows":1`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

// TestExplainedRemote: a command of a remote is not sent, and a query is.
func TestExplainedRemote(t *testing.T) {
	sent := ""
	host := facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent += c.Operation + " "
		return &facade.Result{Form: facade.FormValue}, nil
	})
	p := storetest.ProjectOf(t, storetest.Desk(storetest.DeskRules))
	p.Fronds[0].Remote = "http://desk.test"
	compiled := storetest.Compiled(t, p)
	f, err := facade.New(compiled, nil, &facade.Options{Remotes: remote.New(map[string]facade.Caller{"desk": host})})
	if err != nil {
		t.Fatal(err)
	}
	staff := access.State{"user": map[string]any{"id": "s1", "role": "staff", "tenant": "t"}}
	for ctx, want := range map[context.Context]string{facade.DryRun(t.Context()): "", t.Context(): "delete "} { // nor in any other dry run
		sent = ""
		_, err := f.Call(ctx, &facade.Call{Entity: "order", Operation: "delete", Invocation: facade.Invocation{Params: raw(`{"id":"o1"}`), State: staff}})
		if sent != want || (want == "") != (kiterror.CodeOf(err) == kiterror.NotImplemented) {
			t.Errorf("sent %q, want %q: %v", sent, want, err)
		}
	}
	for method, want := range map[string]string{"order.delete": "", "order.findById": "findById "} {
		sent = ""
		text, code := explained(t, f, staff, method, `{"id":"o1"}`, ``, ``)
		if sent != want || code != "" {
			t.Errorf("%s: sent %q, want %q: %s %s", method, sent, want, code, text)
		}
		if not := strings.Contains(text, "the call was not sent to its host"); not != (want == "") {
			t.Errorf("%s: %s", method, text)
		}
	}
}
