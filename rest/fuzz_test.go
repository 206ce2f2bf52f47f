package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

func projectCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	project, err := facade.Read(os.DirFS("testdata/project"))
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.Compiled(t, project)
	return f.Catalog
}

// linear finds a row the slow way: it tries every row, segment by segment, and
// takes the one with the fewest ids in it. It answers "" where none fits.
func linear(t *Table, escaped string) (pattern, id string) {
	var segments []string
	for _, s := range strings.Split(escaped, "/") {
		decoded, err := url.PathUnescape(s)
		if err != nil || !utf8.ValidString(decoded) {
			return "", ""
		}
		segments = append(segments, decoded)
	}
	fewest := 9
	for _, res := range t.order {
		for _, r := range res.rows {
			parts := strings.Split(r.path, "/")
			if len(parts) != len(segments) {
				continue
			}
			fits, ids, found := true, 0, ""
			for i, part := range parts {
				part, _ = url.PathUnescape(part)
				switch {
				case part == "{id}":
					ids++
					found = segments[i]
					fits = fits && found != ""
				default:
					fits = fits && part == segments[i]
				}
			}
			if fits && ids < fewest {
				fewest, pattern, id = ids, r.path, found
			}
		}
	}
	return pattern, id
}

// FuzzMatch compares the lookup with a plain reference implementation.
func FuzzMatch(f *testing.F) {
	table, err := Derive(projectCatalog(f), "")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range []string{
		"/api/blog/posts", "/api/blog/posts/p1", "/api/blog/posts/by-slug", "/api/blog/posts/p1/publish", "/api/blog/posts/%62y-slug",
		"/api/blog/posts/", "/api/blog/posts//", "/api/blog/posts/a%2Fb", "/api/blog/people/publish", "/api//posts", "/api/ops/healths/check",
		"/api/blog/posts/{id}", "/api/blog/posts/%7Bid%7D/publish", "//api/blog/posts", "/api", "api/blog/posts", "/apiblog/posts", "/api/blog/posts/p1/publish/x", "/api/blog/posts/%ff", "/api/blog/posts/%zz",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		pattern, id := linear(table, path)
		m, missing := table.match(path)
		if missing != nil {
			if pattern != "" {
				t.Fatalf("%q is %s, and was not found: %v", path, pattern, missing)
			}
			if code := missing.Code; code != kiterror.NotFound && code != kiterror.BadRequest {
				t.Fatalf("%q: %v", path, missing)
			}
			return
		}
		if m.row.path != pattern || m.id != id {
			t.Fatalf("%q is %s with id %q; found %s with %q", path, pattern, id, m.row.path, m.id)
		}
	})
}

// FuzzQuery reads query strings: what is read without a refusal is JSON, and the
// parameters are those net/url finds.
func FuzzQuery(f *testing.F) {
	var ops []*catalog.Operation
	catalog := projectCatalog(f)
	for _, door := range catalog.Fronds[0].Doors {
		ops = append(ops, door.Operations...)
	}
	for _, raw := range []string{
		"limit=1&sort=-a,b", "filter[views][gte]=1&filter[or][1][views]=2&filter[or][0][author][name]=x", "filter={}", "ids=a,b&ids=[1]",
		"filter[a", "filter[[]]=1", "filter[not][not][not]=1", "filter[posts][some][views]=1", "text=%22&tags=%00,\xff", "a;b=c", "&&=&=", "filter[tags][has]=[]", "filter[views][in]=[1,", "total=false&fields=a&fields=b",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		parameters, err := parseQuery(raw)
		if err != nil {
			if err.Code != kiterror.BadRequest {
				t.Fatal(err)
			}
			return
		}
		if want, err := url.ParseQuery(raw); err == nil {
			got := url.Values{}
			for _, p := range parameters {
				got[p.name] = p.values
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q (-net/url +ours):\n%s", raw, diff)
			}
		}
		for _, op := range ops {
			a := arguments{op: op, pathID: op.Name == "publish"}
			a.place(parameters)
			if err := a.refusal(); err != nil {
				if text := err.AppendJSON(nil); jsontext.Check(text) != nil {
					t.Fatalf("%s", text)
				}
				continue
			}
			for _, part := range []json.RawMessage{a.params.close(), a.query.close(), a.body.close()} {
				if part == nil {
					continue
				}
				if err := jsontext.Check(part); err != nil {
					t.Fatalf("%s %q: %v: %s", op.Name, raw, err, part)
				}
			}
		}
	})
}

// FuzzServe sends whole requests: the answer is JSON or nothing, and never a
// failure of ours.
func FuzzServe(f *testing.F) {
	h, err := New(projectCatalog(f), facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		text, err := json.Marshal(c)
		return &facade.Result{Form: facade.FormValue, Value: text}, err
	}), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("GET", "/api/blog/posts?limit=1", "", "application/json", `"a"`)
	f.Add("PATCH", "/api/blog/posts/p1", `{"a":1}`, "application/merge-patch+json", "*")
	f.Add("POST", "/api/blog/posts/p1/publish?notify=x", "null", "application/json;charset=utf-8", `W/"`)
	f.Fuzz(func(t *testing.T, method, target, body, contentType, tag string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL = method, u
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("If-Match", tag)
		r.Header.Set("Prefer", tag)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if w.Body.Len() > 0 {
			if err := jsontext.Check(w.Body.Bytes()); err != nil {
				t.Fatalf("%v: %s", err, w.Body)
			}
		}
	})
}
