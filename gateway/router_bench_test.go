package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// BenchmarkDoors is one row by REST, GraphQL and the envelope through the whole gateway, of projects with
// 10, 100 and 1,000 doors.
func BenchmarkDoors(b *testing.B) {
	for _, doors := range []int{10, 100, 1000} {
		files := fstest.MapFS{"frond.yaml": {Data: []byte("collectors: {'*': open}\n")}, "seeds/thing0.yaml": {Data: []byte("[{id: a}]")}}
		for i := range doors {
			files[fmt.Sprintf("entities/thing%d.yaml", i)] = &fstest.MapFile{Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n")}
		}
		project, err := facade.Read(files)
		if err != nil {
			b.Fatal(err)
		}
		gw, err := gateway.New(project, quiet(gateway.Options{Config: gateway.Config{Log: gateway.Log{NoAccess: true}}}))
		if err != nil {
			b.Fatal(err)
		}
		for name, c := range map[string]struct{ method, path, body string }{
			"rest":     {"GET", "/api/app/thing0s/a", ""},
			"graphql":  {"POST", "/graphql", `{"query": "{ thing0(id: \"a\") { id } }"}`},
			"envelope": {"POST", "/_kit/call", `{"jsonrpc": "2.0", "id": 1, "method": "thing0.findById", "params": {"params": {"id": "a"}}}`},
			"health":   {"GET", "/livez", ""},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, doors), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
					r.Host = "localhost"
					r.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					if gw.Handler().ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Fatal(w.Code, w.Body)
					}
				}
			})
		}
		if err := gw.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
