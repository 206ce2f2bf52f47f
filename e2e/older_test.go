package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

// olderFolder names the variable of the folder in which `make older` has built the last release: the program
// frond, and its sources in src/.
const olderFolder = "OLDER_RELEASE"

// release is a program of a release.
type release struct{ name, program string }

// TestOlder runs the last release's program and npm package beside those of this commit, in both orders: over one
// store, as the gateway in front of a host, and as a client of a gateway. The project is the older one.
func TestOlder(t *testing.T) {
	dir := os.Getenv(olderFolder)
	if dir == "" {
		t.Skip("no older release; `make older` builds it and runs this test")
	}
	shop := filepath.Join(dir, "src", "examples", "shop")
	older, newer := release{"older", filepath.Join(dir, "frond")}, release{"newer", binary(t)}
	for _, order := range [][2]release{{older, newer}, {newer, older}} {
		first, second := order[0], order[1]
		t.Run("a file of "+first.name+", then "+second.name, func(t *testing.T) {
			store := "sqlite:" + filepath.Join(t.TempDir(), "shop.db")
			for i, r := range []release{first, second, first} {
				p := r.gateway(t, shop, store)
				writeRows(t, p, i)
				readRows(t, p, i+1)
				r.events(t, shop, store, i+1)
				p.stop(t)
			}
		})
		t.Run(first.name+" beside "+second.name, func(t *testing.T) {
			store := pgtest.Database(t)
			one := first.gateway(t, shop, store)
			writeRows(t, one, 0)
			two := second.gateway(t, shop, store)
			writeRows(t, two, 1)
			writeRows(t, one, 2)
			readRows(t, one, 3)
			readRows(t, two, 3)
			first.events(t, shop, store, 3)
			second.events(t, shop, store, 3)
		})
		t.Run(first.name+" in front of "+second.name, func(t *testing.T) {
			host := start(t, exec.Command(second.program, "serve", "catalog", "--dir", shop, "--port", "0", "--store", "memory"))
			front := first.gateway(t, shop, "memory", "--remote", "catalog="+host.URL)
			writeRows(t, front, 0)
			readRows(t, front, 1)
			got := callAsStaff(t, front, "POST", "/graphql", `{"query": "{ orders(first: 1, orderBy: [{id: ASC}]) { items { lines(first: 1) { items { product { category { name } } } } } } }"}`)
			if !strings.Contains(got, `"category":{"name":`) {
				t.Errorf("%s of the catalog are not behind its orders: %s", second.name, got)
			}
		})
		t.Run("a client of "+first.name+" at "+second.name, func(t *testing.T) {
			need(t, "node")
			out := t.TempDir()
			write(t, out, map[string]string{"package.json": `{"private":true,"type":"module"}`, "main.js": olderClient})
			from := first.gateway(t, shop, "memory")
			cmd := exec.Command(first.program, "client", "catalog", "--from", from.URL, "--out", filepath.Join(out, "node_modules", "@shop", "catalog"), "--npm", "@shop/catalog")
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			at := second.gateway(t, shop, "memory")
			for _, transport := range []string{"rest", "envelope", "graphql"} {
				said := tool(t, out, nil, "node", "main.js", at.URL, transport)
				if want := "true Cups " + transport + " VALIDATION_FAILED 1"; strings.TrimSpace(said) != want {
					t.Errorf("%s: the client prints %q, want %q", transport, said, want)
				}
			}
		})
	}
}

// olderClient is a page's program over a generated package.
const olderClient = `import { connect } from "@shop/catalog/client";
const [, , url, transport] = process.argv;
const client = connect({ url, transport, headers: { "x-frond-user": '{"id":"eva","roles":["staff"]}' } });
const list = await client.product.list({ filter: { price: { lt: 5000 } }, sort: ["name"], limit: 2 });
const made = await client.category.create({ name: "Cups " + transport, slug: "cups-" + transport, parentId: null });
const failed = await client.category.create({ name: "", slug: "B A D", parentId: null }).then(() => "", (e) => e.code);
const page = await client.category.list({ filter: { slug: { eq: "cups-" + transport } } });
console.log(list.items.length === 2, made.name, failed, page.total);
`

// gateway starts a gateway of the release.
func (r release) gateway(t *testing.T, dir, store string, args ...string) *program {
	t.Helper()
	return start(t, exec.Command(r.program, append([]string{"gateway", dir, "--listen", "127.0.0.1:0", "--store", store}, args...)...))
}

// callAsStaff sends a request of a member of the staff, and returns the answer.
func callAsStaff(t *testing.T, p *program, method, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Frond-User", `{"id":"eva","roles":["staff"]}`)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// events reads the log of a store by the release's program: each made product has an event.
func (r release) events(t *testing.T, dir, store string, want int) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), r.program, "facts", "tail", "productChanged", "--after", "start", "--once", "--json", "--dir", dir, "--store", store).CombinedOutput()
	if err != nil || strings.Count(string(said), `"name":"Older cup`) != want {
		t.Errorf("%s does not read %d events: %v\n%s", r.name, want, err, said)
	}
}

// writeRows makes the nth category and a product in it, and changes the category.
func writeRows(t *testing.T, p *program, n int) {
	t.Helper()
	made := callAsStaff(t, p, "POST", "/api/catalog/categories", fmt.Sprintf(`{"name": "Older %d", "slug": "older-%d", "parentId": null}`, n, n))
	_, id, ok := strings.Cut(made, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	if !ok {
		t.Fatalf("no category was made: %s", made)
	}
	if got := callAsStaff(t, p, "PATCH", "/api/catalog/categories/"+id, fmt.Sprintf(`{"name": "Older %d, changed"}`, n)); !strings.Contains(got, ", changed") {
		t.Errorf("the category was not changed: %s", got)
	}
	got := callAsStaff(t, p, "POST", "/api/catalog/products", fmt.Sprintf(`{"sku": "OLD-000%d", "name": "Older cup %d", "price": 900, "weight": "0.250", "categoryId": %q, "supplierId": null}`, n, n, id))
	if !strings.Contains(got, "Older cup") {
		t.Errorf("no product was made: %s", got)
	}
}

// readRows reads the made products with their categories.
func readRows(t *testing.T, p *program, want int) {
	t.Helper()
	got := callAsStaff(t, p, "POST", "/graphql", `{"query": "{ products(filter: {name: {startsWith: \"Older cup\"}}) { items { category { name } } } }"}`)
	if strings.Count(got, ", changed") != want {
		t.Errorf("there are other than %d products with a changed category: %s", want, got)
	}
}
