package facade_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// projectOf is a project of files; the names are of docs/frond-yaml.md.
func projectOf(t testing.TB, files map[string]string) *facade.Project {
	t.Helper()
	return storetest.ProjectOf(t, files)
}

// facadeOf is a façade of files over an empty store; attach may be nil.
func facadeOf(t testing.TB, files map[string]string, attach func(*facade.Project)) *facade.Facade {
	t.Helper()
	p := storetest.ProjectOf(t, files)
	if attach != nil {
		attach(p)
	}
	return storetest.New(t, p, storetest.NewStore(), nil)
}

// do calls entity.op with parts of an invocation as text; "" is absent.
func do(t testing.TB, c facade.Caller, method, params, query, body string) (string, *kiterror.Error) {
	t.Helper()
	return storetest.Call(t, c, method, facade.Invocation{Params: raw(params), Query: raw(query), Body: raw(body)})
}

// must is do for calls that are answered.
func must(t testing.TB, c facade.Caller, method, params, query, body string) string {
	t.Helper()
	text, err := do(t, c, method, params, query, body)
	if err != nil {
		t.Fatalf("%s %s %s %s: %v", method, params, query, body, err)
	}
	return text
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// ids are the ids of a list's items, joined by spaces.
func ids(t testing.TB, list string) string {
	t.Helper()
	var page facade.List[struct{ ID any }]
	if err := json.Unmarshal([]byte(list), &page); err != nil {
		t.Fatalf("%v in %s", err, list)
	}
	var all []string
	for _, item := range page.Items {
		text, _ := json.Marshal(item.ID)
		all = append(all, strings.Trim(string(text), `"`))
	}
	return strings.Join(all, " ")
}

// refusals are the details of a validation failure, one a line: pointer code message.
func refusals(err *kiterror.Error) string {
	if err == nil {
		return "none"
	}
	details, ok := err.Details.([]schema.Detail)
	if !ok {
		return err.Error()
	}
	var lines []string
	for _, d := range details {
		lines = append(lines, d.Pointer+" "+d.Code+": "+d.Message)
	}
	return strings.Join(lines, "\n")
}

// as is a caller with a state.
func as(c facade.Caller, state access.State) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, call *facade.Call) (*facade.Result, error) {
		own := *call
		own.Invocation.State = state
		return c.Call(ctx, &own)
	})
}

// plainStore is a store of rows alone.
type plainStore struct{ facade.Store }

func (plainStore) Abilities() facade.Abilities { return facade.Abilities{} }

// explained is an explanation as JSON, and the code of the call's failure.
func explained(t testing.TB, c facade.Caller, state access.State, method, params, query, body string) (string, kiterror.Code) {
	t.Helper()
	entity, op, _ := strings.Cut(method, ".")
	x, err := explain.Call(context.Background(), c, &facade.Call{Entity: entity, Operation: op, Invocation: facade.Invocation{
		Params: raw(params), Query: raw(query), Body: raw(body), State: state,
	}})
	text, jerr := json.Marshal(x)
	if jerr != nil {
		t.Fatal(jerr)
	}
	return string(text), kiterror.CodeOf(err)
}
