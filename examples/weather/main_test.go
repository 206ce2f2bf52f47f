package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
)

// TestWeather: the other service is asked once for each answer, whatever the number
// of warehouses, and for a city once.
func TestWeather(t *testing.T) {
	var asked [][]string
	fails := false
	t.Setenv("FROND_STORE", "memory")
	handler, closeApp, err := newApp(func(ctx context.Context, cities []string) (map[string]Weather, error) {
		asked = append(asked, slices.Sorted(slices.Values(cities)))
		if fails {
			return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "the weather is out")
		}
		return report(ctx, cities)
	}).Handler()
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp()
	server := httptest.NewServer(handler)
	defer server.Close()
	ask := func(query string) string {
		t.Helper()
		res, err := http.Post(server.URL+"/graphql", "application/json", strings.NewReader(fmt.Sprintf(`{"query":%q}`, query)))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(body))
	}
	for _, c := range []struct{ name, query, want, asked string }{
		{
			"a page", "{ warehouses(orderBy: [{id: ASC}]) { items { id weather { sky } } } }",
			`{"data":{"warehouses":{"items":[{"id":"w-hill","weather":{"sky":"sun"}},{"id":"w-quay","weather":{"sky":"rain"}},{"id":"w-shed","weather":{"sky":"rain"}},{"id":"w-yard","weather":null}]}}}`,
			"[[Bergen Porto Utrecht]]",
		},
		{
			"branches and aliases", "{ deliveries(first: 1, orderBy: [{id: ASC}]) { items { from { weather { sky } } to { weather { celsius } again: weather { sky } } } } }",
			`{"data":{"deliveries":{"items":[{"from":{"weather":{"sky":"rain"}},"to":{"weather":{"celsius":21},"again":{"sky":"sun"}}}]}}}`,
			"[[Bergen Porto]]",
		},
	} {
		asked = nil
		if got := ask(c.query); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
		if fmt.Sprint(asked) != c.asked {
			t.Errorf("%s: asked for %v, want %s", c.name, asked, c.asked)
		}
	}
	fails = true
	got := ask(`{ warehouse(id: "w-quay") { name weather { sky } } }`)
	if !strings.Contains(got, `{"data":{"warehouse":{"name":"The quay","weather":null}},"errors":[{"message":"the weather is out"`) || !strings.Contains(got, "SERVICE_UNAVAILABLE") {
		t.Errorf("without the weather: %s", got)
	}
}
