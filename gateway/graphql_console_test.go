package gateway_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// browse asks a gateway as a browser does that is sent to an address.
func browse(gw *gateway.Gateway, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8")
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, r)
	return w
}

// queriesIn is a project's folder with queries in it.
func queriesIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, "queries", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestConsole: a browser gets the page on every GraphQL surface, with the queries of
// that surface and no other's.
func TestConsole(t *testing.T) {
	dir := queriesIn(t, map[string]string{
		"b.graphql":            "{ products { total } }",
		"a-first.graphql":      "{ __typename }",
		"notes.md":             "not a query",
		"partner/ours.graphql": "{ product(id: 1) { name } }",
		"other/hush.graphql":   "{ hush }",
	})
	gw := gatewayOf(t, store(t, "{audiences: {partner: "+partner+", other: "+partner+"}}"), gateway.Options{Config: gateway.Config{Dir: dir, Store: "memory", Mode: gateway.Development}})
	for path, want := range map[string]string{
		"/graphql":         `[{"name":"a-first","query":"{ __typename }"},{"name":"b","query":"{ products { total } }"}]`,
		"/partner/graphql": `[{"name":"ours","query":"{ product(id: 1) { name } }"}]`,
		"/other/graphql":   `[{"name":"hush","query":"{ hush }"}]`,
	} {
		page := browse(gw, path)
		if page.Code != 200 || !strings.Contains(page.Body.String(), "<title>frond · GraphQL</title>") || page.Header().Get("Vary") != "Accept" {
			t.Errorf("%s: %d %v\n%s", path, page.Code, page.Header(), page.Body)
		}
		if got := browse(gw, path+"/console/queries.json"); got.Code != 200 || got.Body.String() != want {
			t.Errorf("%s: %d %s, want %s", path, got.Code, got.Body, want)
		}
	}
	if w := browse(gw, "/graphql/console/nothing.js"); w.Code != 404 {
		t.Errorf("a file that is not there: %d", w.Code)
	}
	if w := browse(gw, "/nowhere"); strings.Contains(w.Body.String(), "console") {
		t.Errorf("a path that is not there names the console's: %s", w.Body)
	}
}

// TestConsoleBegins: a project without queries begins with the list of its own first
// door, an audience with that of the first it is shown, and each query is answered.
func TestConsoleBegins(t *testing.T) {
	gw := gatewayOf(t, store(t, "{audiences: {partner: "+partner+"}}"), gateway.Options{Config: gateway.Config{Store: "memory", Mode: gateway.Development}})
	for path, want := range map[string]string{
		"/graphql":         "query Categories {\n  categories(first: 10) {\n    total\n    endCursor\n    items {\n      id\n      label\n    }\n  }\n}",
		"/partner/graphql": "query Products {\n  products(first: 10) {\n    total\n    endCursor\n    items {\n      id\n      name\n      categoryId\n    }\n  }\n}",
	} {
		var queries []struct{ Name, Query string }
		if err := json.Unmarshal(browse(gw, path+"/console/queries.json").Body.Bytes(), &queries); err != nil || len(queries) != 1 {
			t.Fatalf("%s: %v, %+v", path, err, queries)
		}
		if !strings.Contains(queries[0].Query, want) {
			t.Errorf("%s begins with\n%s\nwant\n%s", path, queries[0].Query, want)
		}
		text, err := json.Marshal(map[string]string{"query": queries[0].Query})
		if err != nil {
			t.Fatal(err)
		}
		if w := at(t, gw, "POST "+path, string(text)); !strings.Contains(w.Body.String(), `"items":[{`) || strings.Contains(w.Body.String(), "errors") {
			t.Errorf("%s is answered %s", path, w.Body)
		}
	}
}

// TestModeDecides: the console and introspection are on in development and off in
// production, unless the setting of each says otherwise.
func TestModeDecides(t *testing.T) {
	for _, c := range []struct {
		mode, introspection, console string // "": left out
		asks, browses                bool
	}{
		{"", "", "", false, false},
		{"production", "", "", false, false},
		{"production", "true", "", true, false},
		{"production", "", "true", false, true},
		{"development", "", "", true, true},
		{"development", "false", "", false, true},
		{"development", "", "off", true, false},
		{"development", "true", "on", true, true},
	} {
		config := gateway.Config{Store: "memory"}
		for key, text := range map[string]string{"mode": c.mode, "graphql.introspection": c.introspection, "graphql.console": c.console} {
			if text == "" {
				continue
			}
			if err := config.Set(key, text); err != nil {
				t.Fatal(err)
			}
		}
		gw := gatewayOf(t, store(t, "{audiences: {partner: "+partner+"}}"), gateway.Options{Config: config})
		for _, path := range []string{"/graphql", "/partner/graphql"} {
			if w := browse(gw, path); strings.Contains(w.Body.String(), "<title>") != c.browses {
				t.Errorf("%+v: a browser at %s gets %d %s", c, path, w.Code, w.Body)
			}
			if w := browse(gw, path+"/console/queries.json"); (w.Code == 200) != c.browses {
				t.Errorf("%+v: %s/console/queries.json is %d", c, path, w.Code)
			}
			w := at(t, gw, "POST "+path, `{"query":"{ __schema { queryType { name } } }"}`)
			if asks := strings.Contains(w.Body.String(), `"name":"Query"`); asks != c.asks || asks == strings.Contains(w.Body.String(), "INTROSPECTION_DISABLED") {
				t.Errorf("%+v: introspection at %s is answered %s", c, path, w.Body)
			}
		}
	}
}

// TestNoConsole: switched off, a browser is a client like any other, and the files are
// not there either.
func TestNoConsole(t *testing.T) {
	config := gateway.Config{Dir: queriesIn(t, map[string]string{"a.graphql": "{ a }"}), Store: "memory", Mode: gateway.Development}
	if err := config.Set("graphql.console", "false"); err != nil {
		t.Fatal(err)
	}
	gw := gatewayOf(t, store(t, "{}"), gateway.Options{Config: config})
	if w := browse(gw, "/graphql"); w.Code != 400 || !strings.Contains(w.Body.String(), "there is no query") {
		t.Errorf("%d %s, want what a client gets that sends no query", w.Code, w.Body)
	}
	if w := browse(gw, "/graphql/console/queries.json"); w.Code != 404 {
		t.Errorf("the queries: %d %s, want 404", w.Code, w.Body)
	}
}

// TestConsoleQueriesAtFault: every query that cannot be offered is a fault at the start.
func TestConsoleQueriesAtFault(t *testing.T) {
	dir := queriesIn(t, map[string]string{
		"binary.graphql": "\xff\xfe",
		"fine.graphql":   "{ a }",
		"long.graphql":   strings.Repeat("#", 64<<10+1),
	})
	gw, err := gateway.New(store(t, "{}"), quiet(gateway.Options{Config: gateway.Config{Dir: dir, Store: "memory"}}))
	if err == nil {
		_ = gw.Close()
		t.Fatal("the gateway starts")
	}
	var faults schema.Faults
	if !errors.As(err, &faults) {
		t.Fatal(err)
	}
	var got []string
	for _, f := range faults {
		got = append(got, f.File)
	}
	if diff := cmp.Diff([]string{"queries/binary.graphql", "queries/long.graphql"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
