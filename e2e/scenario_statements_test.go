package e2e_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/store/sqlite"
)

// statements are the SQL texts a store ran.
type statements struct {
	mu   sync.Mutex
	text []string
}

func (s *statements) trace(sql string, _ ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, sql)
}

// take is what was run since the last take, without the brackets of transactions.
func (s *statements) take() (out []string) {
	for _, sql := range s.takeAll() {
		switch word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(sql)), " "); word {
		case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA":
		default:
			// The relay of facts and the sweep of files look at tables of the store's own meanwhile.
			if !strings.Contains(sql, `_frond_`) && !strings.Contains(sql, "sqlite_schema") {
				out = append(out, sql)
			}
		}
	}
	return out
}

// takeAll is everything that was run since the last take.
func (s *statements) takeAll() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.text
	s.text = nil
	return out
}

// tracedShop is the shop in this process, over a store that traces its statements.
func tracedShop(t *testing.T) (url string, ran *statements) {
	t.Helper()
	ran = &statements{}
	store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Trace: ran.trace, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	project, err := facade.Read(os.DirFS(shopDir))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}, Files: files.Config{Store: "mem://"}}, Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g.Handler())
	t.Cleanup(func() {
		server.Close()
		_ = g.Close()
		_ = store.Close()
	})
	ran.take()
	return server.URL, ran
}

// TestStatements: how many statements a GraphQL request takes depends on the depth
// of the query, and never on how many rows it meets, nor on who is asking: what a
// collector says is part of a statement, not one more.
func TestStatements(t *testing.T) {
	t.Parallel()
	address, ran := tracedShop(t)
	for _, c := range []struct {
		name  string
		query string // %d is how many rows
		most  int
	}{
		{"one level", `{ products(first: %d) { items { name price } } }`, 1},
		{"two levels", `{ products(first: %d) { items { name category { name } } } }`, 2},
		{"three levels", `{ products(first: %d) { items { name category { name parent { name } } } } }`, 3},
		{"four levels", `{ products(first: %d) { items { name category { name parent { name parent { name } } } } } }`, 4},
		{"two relations side by side", `{ products(first: %d) { items { name category { name } supplier { name } } } }`, 3},
		{"lists within a list", `{ products(first: %d) { items { name reviews(first: 3) { items { rating customer { name } } } } } }`, 3},
		{"a list of ids within a list", `{ products(first: %d) { items { name companions { items { name } } } } }`, 2},
		{"down and up again", `{ orders(first: %d) { items { reference customer { name } lines { items { quantity product { name category { name } } } } } } }`, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			counts := map[int]int{}
			var last []string
			for _, rows := range []int{2, 20, 80} {
				document := encode(t, map[string]string{"query": fmt.Sprintf(c.query, rows)})
				for _, user := range []string{staff, tom} {
					if user == tom && strings.Contains(c.query, "supplier") {
						continue // hidden from him
					}
					res := send(t, "POST", address+"/graphql", document, "X-Frond-User: "+user)
					if strings.Contains(string(res.Body), `"errors"`) {
						t.Fatalf("%s", res.Body)
					}
					last = ran.take()
					if n, asked := counts[rows]; asked && n != len(last) {
						t.Errorf("%d statements for staff, %d for a customer:\n%s", n, len(last), strings.Join(last, "\n"))
					}
					counts[rows] = len(last)
				}
			}
			if counts[2] != counts[20] || counts[20] != counts[80] {
				t.Errorf("statements by rows: %v, want the same number for all", counts)
			}
			if counts[80] > c.most || counts[80] == 0 {
				t.Errorf("%d statements, want at most %d:\n%s", counts[80], c.most, strings.Join(last, "\n"))
			}
		})
	}
	t.Run("counting costs one more, and only where asked", func(t *testing.T) {
		for query, most := range map[string]int{
			`{ products(first: 2) { items { id } } }`:       1,
			`{ products(first: 2) { total items { id } } }`: 2,
		} {
			send(t, "POST", address+"/graphql", encode(t, map[string]string{"query": query}))
			if got := ran.take(); len(got) > most || len(got) == 0 {
				t.Errorf("%s: %d statements, want at most %d\n%s", query, len(got), most, strings.Join(got, "\n"))
			}
		}
	})
}

// TestNothingReachesSQLAsText: whatever a caller sends, and wherever, the text of
// the statements stays the house's own.
func TestNothingReachesSQLAsText(t *testing.T) {
	t.Parallel()
	address, ran := tracedShop(t)
	const mark = "zzhostilezz"
	hostile := []string{mark + `' or '1'='1`, mark + `"; drop table product; --`, mark + `) union select 1--`, "`" + mark + "`", mark + "\\", mark + "%_", "$" + mark, "?1" + mark, mark + "\u0000"}
	for _, h := range hostile {
		q, text := url.QueryEscape(h), encode(t, h)
		for name, do := range map[string]func() reply{
			"an id": func() reply { return send(t, "GET", address+"/api/catalog/products/"+url.PathEscape(h), "", asStaff) },
			"a filter's value": func() reply {
				return send(t, "GET", address+"/api/catalog/products?filter[name][contains]="+q, "", asStaff)
			},
			"a filter's field":    func() reply { return send(t, "GET", address+"/api/catalog/products?filter["+q+"][eq]=1", "") },
			"a filter's operator": func() reply { return send(t, "GET", address+"/api/catalog/products?filter[name]["+q+"]=1", "") },
			"a filter as JSON": func() reply {
				return send(t, "GET", address+"/api/catalog/products?filter="+url.QueryEscape(`{"tags":{"has":`+text+`}}`), "", asStaff)
			},
			"a sort":          func() reply { return send(t, "GET", address+"/api/catalog/products?sort="+q, "", asStaff) },
			"a cursor":        func() reply { return send(t, "GET", address+"/api/catalog/products?after="+q, "", asStaff) },
			"fields":          func() reply { return send(t, "GET", address+"/api/catalog/products?fields=id,"+q, "", asStaff) },
			"a limit":         func() reply { return send(t, "GET", address+"/api/catalog/products?limit="+q, "", asStaff) },
			"a key of a body": func() reply { return send(t, "POST", address+"/api/catalog/categories", "{"+text+":1}", asStaff) },
			"a value of a body": func() reply {
				return send(t, "POST", address+"/api/catalog/categories", `{"name":`+text+`,"slug":`+text+`,"parentId":`+text+`}`, asStaff)
			},
			"a value that is stored": func() reply {
				return send(t, "POST", address+"/api/catalog/reviews", `{"productId":"p-tamper","customerId":null,"rating":3,"title":`+text+`,"body":`+text+`}`, asStaff)
			},
			"a GraphQL variable": func() reply {
				return send(t, "POST", address+"/graphql", object("query", `"query($f: ProductFilter) { products(filter: $f) { total } }"`, "variables", `{"f":{"name":{"startsWith":`+text+`}}}`), asStaff)
			},
			"an envelope's keys": func() reply {
				return send(t, "POST", address+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"product.findByIds","params":{"query":{"ids":[`+text+`]}}}`, asStaff)
			},
			"an envelope's filter": func() reply {
				return send(t, "POST", address+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"product.list","params":{"query":{"filter":{"category":{`+text+`:{"eq":1}}}}}}`, asStaff)
			},
		} {
			if res := do(); res.Status >= 500 {
				t.Errorf("%s as %s: %d %s", h, name, res.Status, res.Body)
			}
			for _, sql := range ran.take() {
				if strings.Contains(strings.ToLower(sql), mark) {
					t.Errorf("%s as %s stands in the statement %s", h, name, sql)
				}
			}
		}
	}
	if res := send(t, "GET", address+"/api/catalog/products?limit=1", "", asStaff); res.Status != 200 || !strings.Contains(string(res.Body), `"total":84`) {
		t.Errorf("the products afterwards: %d %s", res.Status, res.Body)
	}
}
