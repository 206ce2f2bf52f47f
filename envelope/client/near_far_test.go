package client_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// TestNearAndFar makes the same calls of a façade and of a client whose host it is:
// the same value, the same failure, field by field (spec 7.3, 2.7).
func TestNearAndFar(t *testing.T) {
	near := storetest.Facade(t)
	server := httptest.NewServer(envelope.NewHandler(near.Catalog(), near, nil))
	defer server.Close()
	host := remote(t, server.URL+"/", nil)

	raw := func(s string) json.RawMessage {
		if s == "" {
			return nil
		}
		return json.RawMessage(s)
	}
	for _, c := range []struct{ entity, operation, params, query, body string }{
		{"post", "findById", `{"id":"p1"}`, "", ""},
		{"post", "findById", `{"id":"nothing"}`, "", ""},
		{"POST", "findById", `{"id":"p2"}`, "", ""},
		{"comment", "findById", `{"id":4}`, "", ""},
		{"post", "list", "", `{"sort":"-createdAt","limit":2}`, ""},
		{"post", "list", "", `{"filter":{"title":{"contains":"no such"}}}`, ""},
		{"post", "list", "", `{"total":false}`, ""},
		{"tag", "findByIds", "", `{"ids":["t2","t1"]}`, ""},
		{"post", "teasers", "", "", ""},
		{"post", "bySlug", `{"slug":"the-imitation-game"}`, "", ""},
		{"post", "bySlug", `{"slug":"nothing"}`, "", ""},
		{"post", "countWords", "", "", ""},
		{"health", "check", "", "", ""},
		{"author", "delete", `{"id":"nobody"}`, "", ""},

		{"nothing", "list", "", "", ""},
		{"post", "nothing", "", "", ""},
		{"post", "archive", `{"id":"p1"}`, "", ""},
		{"post", "publish", `{"id":"p1"}`, "", `{"note":null,"at":"2025-01-01T00:00:00Z"}`},
		{"post", "publish", `{"id":"nothing"}`, "", `{"note":null,"at":"2025-01-01T00:00:00Z"}`},
		{"post", "create", "", "", `{"title":"","unknown":1,"views":2,"slug":null,"authorId":"ada"}`},
		{"post", "create", "", "", ``},
		{"post", "create", "", "", `null`},
		{"post", "create", "", "", `[1]`},
		{"author", "create", "", "", `{"name":"Other","email":"ada@example.org","password":"long enough"}`},
		{"author", "delete", `{"id":"ada"}`, "", ""},
		{"author", "update", `{"id":"nobody"}`, "", `{"bio":null}`},
		{"tag", "create", "", "", `{"id":"t1","topic":"a","label":"b"}`},
		{"tag", "create", "", "", `{"id":"t8","topic":"science","label":"logic"}`},
		{"comment", "create", "", "", `{"id":77,"postId":"nothing","authorId":null,"text":"x"}`},
		{"post", "list", "", `{"limit":-1,"sort":"nothing","after":"elsewhere","filter":{"password":{"eq":1}}}`, ""},
		{"post", "findById", `{"id":7}`, "", ""},
		{"post", "findById", ``, "", ""},
	} {
		call := &facade.Call{Entity: c.entity, Operation: c.operation, Invocation: facade.Invocation{Params: raw(c.params), Query: raw(c.query), Body: raw(c.body)}}
		here, hereErr := near.Call(t.Context(), call)
		for name, host := range map[string]*client.Remote{"without a catalog": host, "with one": host.With(near.Catalog())} {
			about := c.entity + "." + c.operation + " " + c.params + c.query + c.body + " " + name
			there, thereErr := host.Call(t.Context(), call)
			if (hereErr == nil) != (thereErr == nil) {
				t.Errorf("%s: near %v, far %v", about, hereErr, thereErr)
				continue
			}
			if hereErr != nil {
				a, b := kiterror.AsError(hereErr), kiterror.AsError(thereErr)
				if diff := cmp.Diff(kitError(a), kitError(b)); diff != "" {
					t.Errorf("%s (-near +far):\n%s", about, diff)
				}
				if reflect.TypeOf(a.Details) != reflect.TypeOf(b.Details) {
					t.Errorf("%s: details are %T near, %T far", about, a.Details, b.Details)
				}
				continue
			}
			if diff := cmp.Diff(string(here.AppendJSON(nil)), string(there.AppendJSON(nil))); diff != "" {
				t.Errorf("%s (-near +far):\n%s", about, diff)
			}
			if name == "with one" && here.Form != there.Form {
				t.Errorf("%s: form %d near, %d far", about, here.Form, there.Form)
			}
		}
	}
}

// TestNearAndFarForManyKeys is the same for calls with Each.
func TestNearAndFarForManyKeys(t *testing.T) {
	near := storetest.Facade(t)
	server := httptest.NewServer(envelope.NewHandler(near.Catalog(), near, nil))
	defer server.Close()
	far := remote(t, server.URL, nil).With(near.Catalog())

	keys := func(texts ...string) (all []json.RawMessage) {
		for _, k := range texts {
			all = append(all, json.RawMessage(k))
		}
		return all
	}
	other := &facade.Call{Entity: "post", Operation: "countWords", Each: &facade.Each{Field: "id", Keys: keys(`"p1"`)}}
	_, hereErr := near.Call(t.Context(), other)
	if _, thereErr := far.Call(t.Context(), other); hereErr == nil || thereErr == nil || kitError(hereErr) != kitError(thereErr) {
		t.Errorf("near %v, far %v", hereErr, thereErr)
	}
	for _, call := range []*facade.Call{
		{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keys(`"alan"`, `"nobody"`, `"ada"`, `null`, `"alan"`)}},
		{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: keys(`"alan"`, `"nobody"`, `"ada"`)}},
		{
			Entity: "comment", Operation: "list", Each: &facade.Each{Field: "replyTo", Keys: keys(`1`, `4`)}, // a relation whose key in filters is replyToId
			Invocation: facade.Invocation{Query: json.RawMessage(`{"limit":1,"sort":"-id","filter":{"likes":{"gte":1}}}`)},
		},
		{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id"}},
	} {
		a, err := near.Call(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		b, err := far.Call(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Groups) != len(b.Groups) || a.Form != b.Form {
			t.Errorf("%s: %d groups of form %d near, %d of %d far", call.Entity, len(a.Groups), a.Form, len(b.Groups), b.Form)
			continue
		}
		for i := range a.Groups {
			if diff := cmp.Diff(group(a, i), group(b, i)); diff != "" {
				t.Errorf("%s, key %d (-near +far):\n%s", call.Entity, i, diff)
			}
		}
	}
}

// group is the answer for one key as text: its rows, and of a list its page.
func group(r *facade.Result, i int) string {
	g := r.Groups[i]
	one := &facade.Result{Form: facade.FormRows, Rows: r.Rows, Groups: []facade.Group{g}}
	if r.Form == facade.FormPage {
		one.Form = facade.FormPage
	}
	text := one.AppendJSON(nil)
	for _, v := range jsontext.Elements(text) {
		return string(v)
	}
	return ""
}
