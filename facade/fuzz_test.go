package facade_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// answers says whether a query of list is answered or refused as the caller's own
// fault; anything else is ours.
func answers(t *testing.T, f *facade.Facade, query []byte) {
	t.Helper()
	res, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{Query: query}})
	switch code := kiterror.CodeOf(err); {
	case err == nil:
		if text := res.AppendJSON(nil); jsontext.Check(text) != nil {
			t.Errorf("%s: answered %s", query, text)
		}
	case code != kiterror.ValidationFailed:
		t.Errorf("%s: %v", query, err)
	case strings.Contains(string(kiterror.AsError(err).AppendJSON(nil)), "editorNote") && !strings.Contains(string(query), "editorNote"):
		t.Errorf("%s: names a closed field: %v", query, err)
	}
}

// FuzzListQuery: whatever the query of a list says, it is answered or refused, and
// never an INTERNAL_ERROR.
func FuzzListQuery(f *testing.F) {
	house := storetest.Facade(f)
	for _, s := range []string{
		`{"filter":{"title":{"contains":"x"},"or":[{"price":{"gte":"1.5"}},{"not":{"comments":{"some":{"likes":{"in":[1,2]}}}}}]}}`,
		`{"sort":["-createdAt","title"],"limit":3,"offset":1,"fields":"id,excerpt","total":false}`,
		`{"filter":{"createdAt":{"lt":"2024-03-03T08:00:60Z"}},"after":"","sort":"dueOn"}`,
		`{"filter":{"author":{"mentor":{"karma":{"eq":1e3}}},"tags":{"has":"t1"},"keywords":{"has":"x"}}}`,
		`{"before":"AQ","filter":{"views":{"notIn":[]}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, query []byte) {
		if jsontext.Check(query) != nil { // the surfaces let nothing else in
			return
		}
		answers(t, house, query)
	})
}

// FuzzCursor: nothing in a cursor is trusted.
func FuzzCursor(f *testing.F) {
	house := storetest.Facade(f)
	for _, sort := range []string{"", "-rating,createdAt", "price", "featured,-dueOn"} {
		page, err := facade.Do[facade.List[any]](f.Context(), house, "post.list", facade.Invocation{Query: raw(`{"limit":1,"sort":"` + sort + `"}`)})
		if err != nil {
			f.Fatal(err)
		}
		text, _ := base64.RawURLEncoding.DecodeString(page.EndCursor)
		f.Add(text, sort)
	}
	f.Fuzz(func(t *testing.T, cursor []byte, sort string) {
		for _, key := range []string{"after", "before"} {
			query, _ := json.Marshal(map[string]any{key: base64.RawURLEncoding.EncodeToString(cursor), "sort": sort, "limit": 2})
			answers(t, house, query)
		}
	})
}

// FuzzBody: whatever is written, the row is written or refused.
func FuzzBody(f *testing.F) {
	house := storetest.Facade(f)
	for _, s := range []string{
		`{"slug":"a","title":"A","body":null,"authorId":"ada"}`, `{"address":{"city":"x","zip":null}}`, `{"meta":{"a":[1,{"b":null}]}}`, `{"title":1}`, `null`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if jsontext.Check(body) != nil {
			return
		}
		for _, c := range []*facade.Call{
			{Entity: "post", Operation: "create", Invocation: facade.Invocation{Body: body}},
			{Entity: "post", Operation: "update", Invocation: facade.Invocation{Params: raw(`{"id":"p1"}`), Body: body}},
			{Entity: "author", Operation: "update", Invocation: facade.Invocation{Params: raw(`{"id":"ada"}`), Body: body}},
		} {
			res, err := house.Call(t.Context(), c)
			if err == nil {
				if text := res.AppendJSON(nil); jsontext.Check(text) != nil {
					t.Errorf("%s: answered %s", body, text)
				}
				continue
			}
			if code := kiterror.CodeOf(err); code != kiterror.ValidationFailed && code != kiterror.Conflict {
				t.Errorf("%s.%s %s: %v", c.Entity, c.Operation, body, err)
			}
		}
	})
}
