package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// kitError is a failure as every surface writes it.
func kitError(err error) string { return string(kiterror.AsError(err).AppendJSON(nil)) }

// near and far: a client whose host answers by caller.
func far(t testing.TB, caller facade.Caller, opts *envelope.Options) *client.Remote {
	t.Helper()
	server := httptest.NewServer(envelope.NewHandler(mathCatalog(), caller, opts))
	t.Cleanup(server.Close)
	return remote(t, server.URL, nil)
}

// remote is a host at an address, asked once: what is sent again is tested for itself.
func remote(t testing.TB, address string, opts *client.Options) *client.Remote {
	t.Helper()
	if opts == nil {
		opts = &client.Options{Retries: -1}
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	r := client.New(address, opts)
	t.Cleanup(r.Close)
	return r
}

func TestFailureIsRevivedAsItWas(t *testing.T) {
	failures := []struct {
		name string
		near *kiterror.Error
		want any // the details, as Go has them
	}{
		{"a conflict", &kiterror.Error{Code: kiterror.Conflict, Message: "already published", Entity: "math", Operation: "sum"}, nil},
		{"quotes, HTML and other letters", &kiterror.Error{Code: kiterror.NotFound, Message: "no <b>\"Ünïcode\"</b> & no \u2028", Entity: "math", Operation: "sum"}, nil},
		{
			"a validation", kiterror.Invalid("two things",
				schema.Detail{Path: "a.b", Pointer: "/body/a/b", Code: "minLength", Message: "is too short", Params: map[string]any{"limit": 3.0}},
				schema.Detail{Path: "c", Pointer: "/body/c", Code: schema.UnknownKey, Message: "is not known"}).At("math", "sum"),
			[]schema.Detail{
				{Path: "a.b", Pointer: "/body/a/b", Code: "minLength", Message: "is too short", Params: map[string]any{"limit": 3.0}},
				{Path: "c", Pointer: "/body/c", Code: schema.UnknownKey, Message: "is not known"},
			},
		},
		{
			"details of an author's own", &kiterror.Error{
				Code: kiterror.UnprocessableEntity, Message: "not enough", Entity: "math", Operation: "sum",
				Details: map[string]any{"balance": 3.5, "accounts": []any{"a", nil}},
			},
			map[string]any{"balance": 3.5, "accounts": []any{"a", nil}},
		},
		{
			"a list that is no list of details",
			&kiterror.Error{Code: kiterror.Conflict, Message: "m", Entity: "math", Operation: "sum", Details: []any{map[string]any{"code": "x"}}},
			[]any{map[string]any{"code": "x"}},
		},
		{"another entity than the one called", &kiterror.Error{Code: kiterror.Locked, Message: "m", Entity: "other", Operation: "op"}, nil},
	}
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			c := far(t, facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return nil, f.near }), nil)
			_, err := c.Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum"})
			if diff := cmp.Diff(kitError(f.near), kitError(err)); diff != "" {
				t.Errorf("far (-near +far):\n%s", diff)
			}
			if diff := cmp.Diff(f.want, kiterror.AsError(err).Details); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
		})
	}
}

// TestForeignAnswers is what a host in another language may send, and what no
// host should.
func TestForeignAnswers(t *testing.T) {
	answers := []struct {
		name   string
		status int
		body   string // %d is the id that was asked
		want   string // the error as every surface writes it, or the result
	}{
		{"a result", 200, `{"jsonrpc":"2.0","id":%d,"result":{"a":1}}`, `{"a":1}`},
		{"a result beside an error of null", 200, `{"jsonrpc":"2.0","id":%d,"result":7,"error":null}`, `7`},
		{"a result of null", 200, `{"jsonrpc":"2.0","id":%d,"result":null}`, `null`},
		{
			"an unknown code", 200,
			`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no","data":{"code":"CARD_DECLINED","message":"declined","details":{"left":2}}}}`,
			`{"code":"INTERNAL_ERROR","message":"declined","entity":"math","operation":"sum","details":{"details":{"left":2},"originalCode":"CARD_DECLINED"}}`,
		},
		{
			"method not found without a KitError", 200,
			`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"Method not found"}}`,
			`{"code":"NOT_FOUND","message":"Method not found","entity":"math","operation":"sum"}`,
		},
		{
			"invalid params without a KitError", 200,
			`{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"Invalid params","data":"a must be set"}}`,
			`{"code":"BAD_REQUEST","message":"Invalid params","entity":"math","operation":"sum","details":"a must be set"}`,
		},
		{
			"an integer of its own", 200,
			`{"jsonrpc":"2.0","id":%d,"error":{"code":-32050,"message":"odd"}}`,
			`{"code":"INTERNAL_ERROR","message":"odd","entity":"math","operation":"sum","details":{"details":null,"originalCode":-32050}}`,
		},
		{
			"a failure without an id", 200,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":{"code":"BAD_REQUEST","message":"m"}}}`,
			`{"code":"BAD_REQUEST","message":"m","entity":"math","operation":"sum"}`,
		},
		{"another id", 200, `{"jsonrpc":"2.0","id":1234567,"result":1}`, badGateway("the host answered another frame than the one sent")},
		{"the id as a string", 200, `{"jsonrpc":"2.0","id":"%d","result":1}`, `1`},
		{"a frame under another status", 500, `{"jsonrpc":"2.0","id":%d,"result":1}`, badGateway("the host answered status 500 and no JSON-RPC 2.0 frame")},
		{"no id", 200, `{"jsonrpc":"2.0","result":1}`, badGateway("the host answered status 200 and no JSON-RPC 2.0 frame")},
		{"a result and an error", 200, `{"jsonrpc":"2.0","id":%d,"result":1,"error":{"code":1}}`, badGateway("the host answered status 200 and no JSON-RPC 2.0 frame")},
		{"JSON-RPC 1.0", 200, `{"id":%d,"result":1}`, badGateway("the host answered status 200 and no JSON-RPC 2.0 frame")},
		{"an array", 200, `[{"jsonrpc":"2.0","id":%d,"result":1}]`, badGateway("the host answered status 200 and no JSON-RPC 2.0 frame")},
		{"a page of HTML", 200, `<html>`, badGateway("the host answered status 200 and no JSON-RPC 2.0 frame")},
		{"nothing", 204, ``, badGateway("the host answered status 204 and no JSON-RPC 2.0 frame")},
		{"no such page", 404, `<html>`, badGateway("the host answered status 404 and no JSON-RPC 2.0 frame")},
		{"a key twice", 200, `{"jsonrpc":"2.0","id":%d,"result":{"a":1,"a":2}}`, badGateway("the host answered status 200 and no JSON-RPC 2.0 frame")},
		{"a balancer without hosts", 503, `<html>`, `{"code":"SERVICE_UNAVAILABLE","message":"the host cannot be reached; start it, or correct its address","entity":"math","operation":"sum"}`},
		{"a proxy that waited", 504, ``, `{"code":"GATEWAY_TIMEOUT","message":"the host did not answer in time","entity":"math","operation":"sum"}`},
		{"more than fits", 200, `"` + strings.Repeat("x", envelope.MaxAnswer) + `"`, badGateway("the host answered more than fits; ask for less at once")},
	}
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked, _ := io.ReadAll(r.Body)
				body := strings.ReplaceAll(a.body, "%d", string(jsontext.Get(asked, "id")))
				w.WriteHeader(a.status)
				_, _ = io.WriteString(w, body)
			}))
			defer server.Close()
			result, err := remote(t, server.URL, nil).Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum"})
			got := ""
			if err != nil {
				got = kitError(err)
			} else {
				got = string(result.AppendJSON(nil))
			}
			if diff := cmp.Diff(a.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func badGateway(message string) string {
	return fmt.Sprintf(`{"code":"BAD_GATEWAY","message":%s,"entity":"math","operation":"sum"}`, jsontext.Quote(message))
}

func TestUnreachableHost(t *testing.T) {
	server := httptest.NewServer(nil)
	address := server.URL
	server.Close()
	_, err := remote(t, address, nil).Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum"})
	want := `{"code":"SERVICE_UNAVAILABLE","message":"the host cannot be reached; start it, or correct its address","entity":"math","operation":"sum"}`
	if diff := cmp.Diff(want, kitError(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if errors.Unwrap(kiterror.AsError(err)) == nil {
		t.Error("the cause is lost: nothing could be logged")
	}
}

func TestLateHost(t *testing.T) {
	late := facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	call := &facade.Call{Entity: "math", Operation: "sum"}
	for name, ask := range map[string]func() error{
		"the caller's deadline": func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			_, err := far(t, late, nil).Call(ctx, call)
			return err
		},
		"the remote's timeout": func() error {
			server := httptest.NewServer(envelope.NewHandler(mathCatalog(), late, nil))
			defer server.Close()
			_, err := remote(t, server.URL, &client.Options{Timeout: 30 * time.Millisecond}).Call(t.Context(), call)
			return err
		},
		"the host's own": func() error {
			_, err := far(t, late, &envelope.Options{Timeout: 30 * time.Millisecond}).Call(t.Context(), call)
			return err
		},
	} {
		if code := kiterror.CodeOf(ask()); code != kiterror.GatewayTimeout {
			t.Errorf("%s: %s, want GATEWAY_TIMEOUT", name, code)
		}
	}
}

// TestInvocationArrivesAsItWas sends every part, absent, null and given.
func TestInvocationArrivesAsItWas(t *testing.T) {
	var got facade.Call
	c := far(t, facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		got = *c
		return &facade.Result{Form: facade.FormValue, Value: json.RawMessage("true")}, nil
	}), &envelope.Options{TrustState: true})
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, call := range map[string]facade.Call{
		"nothing":        {},
		"all of it":      {Invocation: facade.Invocation{Params: raw(`{"id":"a/b"}`), Query: raw(`{"limit":1}`), Body: raw(`{"a":null}`), State: access.State{"user": map[string]any{"id": "u1"}}, Trace: "00-1-2-01"}},
		"a body of null": {Invocation: facade.Invocation{Body: raw(`null`)}},
		"a body that is a list: the façade's to refuse": {Invocation: facade.Invocation{Body: raw(`[1]`)}},
	} {
		call.Entity, call.Operation = "math", "sum"
		if _, err := c.Call(t.Context(), &call); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(call, got); diff != "" {
			t.Errorf("%s (-sent +arrived):\n%s", name, diff)
		}
	}
}

// TestEachGoesInBatches asks for 250 rows by id, some of which are not there.
func TestEachGoesInBatches(t *testing.T) {
	var posts, calls atomic.Int32
	handler := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		calls.Add(1)
		id := jsontext.Get(c.Invocation.Params, "id")
		if string(id) == `"7"` {
			return &facade.Result{Form: facade.FormValue, Value: json.RawMessage("null")}, nil
		}
		return &facade.Result{Form: facade.FormValue, Value: fmt.Appendf(nil, `{"id":%s,"extra":%d}`, id, len(id))}, nil
	}), nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	call := &facade.Call{Entity: "math", Operation: "findById", Each: &facade.Each{Field: "id"}}
	for i := range 250 {
		call.Each.Keys = append(call.Each.Keys, fmt.Appendf(nil, `"%d"`, i))
	}
	call.Each.Keys[9] = json.RawMessage("null")
	result, err := remote(t, server.URL, nil).Call(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	if posts.Load() != 3 || calls.Load() != 249 {
		t.Errorf("%d posts with %d calls, want 3 with 249", posts.Load(), calls.Load())
	}
	if result.Form != facade.FormRow || len(result.Groups) != 250 || result.Rows.Len() != 248 {
		t.Fatalf("form %d, %d groups, %d rows", result.Form, len(result.Groups), result.Rows.Len())
	}
	for i, g := range result.Groups {
		if i == 7 || i == 9 {
			if g.From != g.To {
				t.Errorf("key %d has a row", i)
			}
			continue
		}
		if got := string(result.Rows.Row(g.From).Get("id")); g.To != g.From+1 || got != fmt.Sprintf(`"%d"`, i) {
			t.Errorf("key %d has row %s", i, got)
		}
	}
}

// TestEachOfList puts every key into the filter, beside the caller's own.
func TestEachOfList(t *testing.T) {
	var query atomic.Value
	c := far(t, facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		query.Store(string(c.Invocation.Query))
		return &facade.Result{Form: facade.FormValue, Value: json.RawMessage(`{"items":[{"id":"x"}],"total":4,"hasMore":true,"endCursor":"c"}`)}, nil
	}), nil)
	result, err := c.Call(t.Context(), &facade.Call{
		Entity: "math", Operation: "list",
		Invocation: facade.Invocation{Query: json.RawMessage(`{"limit":1,"filter":{"done":{"eq":true}}}`)},
		Each:       &facade.Each{Field: "authorId", Keys: []json.RawMessage{[]byte(`"a1"`), []byte(`null`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"filter":{"authorId":{"eq":"a1"},"done":{"eq":true}},"limit":1}`
	if diff := cmp.Diff(want, query.Load()); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	wantGroups := []facade.Group{
		{From: 0, To: 1, Page: facade.Page{Total: 4, HasMore: true, Cursors: []string{"c"}}},
		{},
	}
	if diff := cmp.Diff(wantGroups, result.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func TestResultsTakeTheirForm(t *testing.T) {
	door := &catalog.Door{Name: "math"}
	for _, r := range []struct {
		text string
		card catalog.Cardinality // "": no catalog
		form facade.Form
		want string // "": BAD_GATEWAY
	}{
		{`{"id":"a","b":[1, 2]}`, "", facade.FormRow, `{"id":"a","b":[1, 2]}`},
		{`[{"b":1,"a":2},{"a":3,"c":4}]`, "", facade.FormRows, `[{"b":1,"a":2},{"a":3,"c":4}]`},
		{`[]`, "", facade.FormRows, `[]`},
		{`[1]`, "", facade.FormValue, `[1]`},
		{`null`, "", facade.FormValue, `null`},
		{`{"items":[{"a":1}],"total":1,"hasMore":false,"endCursor":null}`, "", facade.FormPage, ``},
		{`{"items":[{"a":1}],"total":1,"hasMore":false,"endCursor":"x","more":1}`, "", facade.FormRow, `{"items":[{"a":1}],"total":1,"hasMore":false,"endCursor":"x","more":1}`},
		{`{"a":1}`, catalog.One, facade.FormRow, `{"a":1}`},
		{`null`, catalog.Maybe, facade.FormRow, `null`},
		{`null`, catalog.One, 0, ``},
		{`[{"a":1}]`, catalog.One, 0, ``},
		{`[{"a":1}]`, catalog.Many, facade.FormRows, `[{"a":1}]`},
		{`{"a":1}`, catalog.Many, 0, ``},
		{`[{"a":1},{"a":2}]`, catalog.PageOf, facade.FormPage, ``},
		{`7`, catalog.PageOf, 0, ``},
		{`{"items":[{"a":1}],"total":1,"hasMore":false,"endCursor":"x"}`, catalog.NoOutput, facade.FormValue, `{"items":[{"a":1}],"total":1,"hasMore":false,"endCursor":"x"}`},
	} {
		op := &catalog.Operation{Name: "sum", Door: door, Cardinality: r.card}
		if r.card == "" {
			op = nil
		}
		got, err := client.ReadResult(json.RawMessage(r.text), op)
		if r.want == "" && r.form == 0 {
			if kiterror.CodeOf(err) != kiterror.BadGateway {
				t.Errorf("%s as %s: %v, want BAD_GATEWAY", r.text, r.card, err)
			}
			continue
		}
		if err != nil || got.Form != r.form {
			t.Errorf("%s as %q: %v, form %d, want %d", r.text, r.card, err, got.Form, r.form)
			continue
		}
		if r.form == facade.FormPage {
			if got.Rows.Len() == 0 || got.Total != int64(got.Rows.Len()) || got.HasMore {
				t.Errorf("%s as %q: %+v", r.text, r.card, got.Page)
			}
			continue
		}
		if text := string(got.AppendJSON(nil)); text != r.want {
			t.Errorf("%s as %q: written as %s", r.text, r.card, text)
		}
	}
}

func TestDiscover(t *testing.T) {
	document, err := far(t, echo, nil).Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read, err := schema.ReadDiscovery(document)
	if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	if len(read.Fronds) != 1 || read.Fronds[0].Name != "numbers" || len(read.Fronds[0].Doors[0].Ops) != 6 {
		t.Errorf("%s", document)
	}
}

// The document of a host with a thousand entities is larger than any answer of a call.
func TestDiscoverALargeHost(t *testing.T) {
	document := `{"x-kit-version":1,"fronds":[],"more":"` + strings.Repeat("x", envelope.MaxAnswer) + `"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+document+`}`)
	}))
	defer server.Close()
	got, err := remote(t, server.URL, nil).Discover(t.Context())
	if err != nil || string(got) != document {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(document))
	}
}

// A host that leaves frames of a batch out has not answered for them.
func TestUnansweredFrames(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, frame := range jsontext.Elements(body) { // the first alone
			_, _ = fmt.Fprintf(w, `[{"jsonrpc":"2.0","id":%s,"result":{"id":"a"}}]`, jsontext.Get(frame, "id"))
			return
		}
	}))
	defer server.Close()
	_, err := remote(t, server.URL, nil).Call(t.Context(), &facade.Call{
		Entity: "math", Operation: "findById",
		Each: &facade.Each{Field: "id", Keys: []json.RawMessage{[]byte(`"a"`), []byte(`"b"`), []byte(`"c"`)}},
	})
	if want := `{"code":"BAD_GATEWAY","message":"the host left 2 of 3 frames unanswered","entity":"math","operation":"findById"}`; kitError(err) != want {
		t.Errorf("%s, want %s", kitError(err), want)
	}
}
