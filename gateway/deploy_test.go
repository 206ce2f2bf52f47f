package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestDeploysBesideAGateway changes cards under a gateway that runs with older ones. A rename
// changes nothing for it. Another type and a required field take what they concern out of service
// there, and turn /readyz to 503.
func TestDeploysBesideAGateway(t *testing.T) {
	store := pgtest.Database(t)
	project := func(entity, more string, fields ...string) *facade.Project {
		return folderOf(t, map[string]string{"frond.yaml": "collectors: {'*': open}\n" + more, "entities/" + entity + ".yaml": thingCard(fields...)})
	}
	config := gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: store}}
	text := "label: type: string"
	older, _ := run(t, project("thing", "", text, "qty: type: integer, minimum: 0"), config)
	check := func(url, verb, path, body string, status int, want string) {
		t.Helper()
		if got, answer := send(t, verb, url+path, body); got != status || !strings.Contains(answer, want) {
			t.Errorf("%s %s: %d %s, want %d %s", verb, path, got, answer, status, want)
		}
	}
	things, wares := "/api/app/things", "/api/app/wares"
	check(older, http.MethodPost, things, `{"id":"1","label":"x","qty":7}`, 201, "")

	renamed := "renamed: {thing: ware, thing.qty: {to: ware.quantity, until: 2099-01-01}}\n"
	newer, stop := run(t, project("ware", renamed, text, "quantity: type: integer, minimum: 0"), config)
	check(older, http.MethodPost, things, `{"id":"2","label":"y","qty":8}`, 201, "")
	check(newer, http.MethodGet, wares+"/2", "", 200, `"quantity":8,"qty":8`)
	check(newer, http.MethodPatch, wares+"/1", `{"qty":9}`, 200, `"quantity":9`)
	check(older, http.MethodGet, things+"/1", "", 200, `"qty":9`)
	check(older, http.MethodPost, things, `{"id":"3","label":"z","qty":-1}`, 400, "qty")
	check(older, http.MethodGet, "/readyz", "", 200, "ready")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	back, stop := run(t, project("thing", "", text, "qty: type: integer, minimum: 0"), config)
	check(back, http.MethodGet, things, "", 200, `{"id":"1","label":"x","qty":9},{"id":"2","label":"y","qty":8}`)
	if err := stop(); err != nil {
		t.Fatal(err)
	}

	last := project("ware", renamed+"values: {ware.quantity: quantity + 0.5, ware.code: lower(label)}", text, "quantity: type: number, minimum: 0", "code: type: string")
	if _, err := gateway.Migrate(t.Context(), last, quiet(config), &gateway.MigrateOptions{Convert: []string{"ware.quantity"}}); err != nil {
		t.Fatal(err)
	}
	newer, _ = run(t, last, config)
	check(newer, http.MethodGet, wares, "", 200, `{"id":"1","label":"x","quantity":9.5,"code":"x","qty":9.5},{"id":"2"`)
	const why = "the tables follow newer cards than those of this gateway"
	check(older, http.MethodGet, things, "", 503, why)
	check(older, http.MethodPost, "/graphql", `{"query":"{ things { items { qty } } }"}`, 200, why)
	check(older, http.MethodPatch, things+"/1", `{"qty":5}`, 503, why)
	check(older, http.MethodGet, things+"?filter="+`{"qty":{"eq":9}}`+"&fields=id", "", 503, why)
	check(older, http.MethodGet, "/readyz", "", 503, "its tables follow newer cards")
	check(older, http.MethodGet, things+"?fields=id,label", "", 200, `{"id":"1","label":"x"}`)
	check(older, http.MethodGet, "/livez", "", 200, "")
}
