package gateway_test

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// A folder with one card becomes a GraphQL schema, a REST route and a method.
func ExampleNew() {
	project, err := facade.Read(fstest.MapFS{
		"entities/book.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
`)},
		"frond.yaml": {Data: []byte(`collectors: {book: open}`)},
	})
	if err != nil {
		log.Fatal(err)
	}
	gw, err := gateway.New(project, &gateway.Options{
		Config: gateway.Config{Store: "memory"},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	send := func(path, body string) {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		answer, _ := io.ReadAll(w.Body)
		fmt.Println(strings.TrimSpace(string(answer)))
	}
	send("/api/app/books", `{"id": "b1", "title": "The Dispossessed"}`)
	send("/graphql", `{"query": "{ book(id: \"b1\") { title } }"}`)
	send("/_kit/call", `{"jsonrpc": "2.0", "id": 1, "method": "book.findById", "params": {"params": {"id": "b1"}}}`)
	// Output:
	// {"id":"b1","title":"The Dispossessed"}
	// {"data":{"book":{"title":"The Dispossessed"}}}
	// {"jsonrpc":"2.0","id":1,"result":{"id":"b1","title":"The Dispossessed"}}
}
