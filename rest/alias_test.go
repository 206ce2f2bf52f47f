package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/store/storetest"
)

// TestAlias: the paths of an old plural are those of the door, say where it is now, and are
// gone after their last day, whatever else is wrong with the request.
func TestAlias(t *testing.T) {
	now := time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC)
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"fronds/shop/entities/product.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}}, required: [title]}`,
		"fronds/shop/frond.yaml":            "renamed: {item: {to: product, until: 2027-06-01}}\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.New(t, project, storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
	h, err := rest.New(f.Catalog(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for i, c := range []struct {
		method, path, body string
		status             int
		contains, to       string
	}{
		{"POST", "/api/shop/items", `{"id":"p1","title":"Saw"}`, 201, `"Saw"`, "/api/shop/products"},
		{"POST", "/api/shop/items", `{"id":"p2","title":"Axe"}`, 201, `"Axe"`, "/api/shop/products"},
		{"GET", "/api/shop/Items/p1?fields=title", "", 200, `{"title":"Saw"}`, "/api/shop/products/p1"},
		{"GET", "/api/shop/items?limit=1", "", 200, `"total":2`, "/api/shop/products"},
		{"GET", "/api/shop/items/a%2Fb", "", 404, "there is no product with this id", "/api/shop/products/a%2Fb"},
		{"GET", "/api/shop/items?filter.titel=x", "", 400, `"entity":"product"`, "/api/shop/products"},
		{"PATCH", "/api/shop/items", "{}", 405, "this path is served under", "/api/shop/products"},
		{"OPTIONS", "/api/shop/items", "", 204, "", "/api/shop/products"},
		{"DELETE", "/api/shop/items/p2", "", 204, "", "/api/shop/products/p2"},
	} {
		w := send(c.method, c.path, c.body)
		links := strings.Join(w.Header()["Link"], ", ")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.contains) || !strings.HasSuffix(links, "<"+c.to+`>; rel="successor-version"`) {
			t.Errorf("%s %s: %d %q %s, want %d and %s", c.method, c.path, w.Code, links, w.Body, c.status, c.contains)
		}
		if got := w.Header().Get("Deprecation") + " " + w.Header().Get("Sunset"); got != "@1809129600 Tue, 01 Jun 2027 23:59:59 GMT" {
			t.Errorf("%s %s: %s", c.method, c.path, got)
		}
		if next := strings.Contains(links, `rel="next"`); next != strings.Contains(c.path, "limit=1") {
			t.Errorf("%s %s: the links are %s", c.method, c.path, links)
		}
		if at := w.Header().Get("Location"); i == 0 && at != "/api/shop/products/p1" {
			t.Errorf("Location: %s", at)
		}
	}
	if w := send(http.MethodGet, "/api/shop/products/p1", ""); w.Code != 200 || w.Header().Get("Sunset") != "" || w.Header().Get("Deprecation") != "" {
		t.Errorf("the new path has the headers of the old one: %v", w.Header())
	}
	now = time.Date(2027, 6, 2, 0, 0, 0, 0, time.UTC)
	for _, c := range [][3]string{{"GET", "/api/shop/items/p1", ""}, {"POST", "/api/shop/items", "not json"}, {"PATCH", "/api/shop/items", "{}"}} {
		w := send(c[0], c[1], c[2])
		if w.Code != http.StatusGone || !strings.Contains(w.Body.String(), "item was renamed to product and was answered until 2027-06-01; call product") || w.Header().Get("Link") == "" {
			t.Errorf("%s %s after the day: %d %s %v", c[0], c[1], w.Code, w.Body, w.Header())
		}
	}
	if w := send(http.MethodGet, "/api/shop/products/p1", ""); w.Code != 200 {
		t.Errorf("the new path after the day: %d %s", w.Code, w.Body)
	}
}
