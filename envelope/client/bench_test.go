package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/storetest"
)

// inProcess is a RoundTripper that serves a request where it stands: what is left
// of a round trip is what this package does.
type inProcess struct{ handler http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// BenchmarkRoundTrip is one findById: through the façade alone, and from a
// client through a handler.
func BenchmarkRoundTrip(b *testing.B) {
	f := storetest.Facade(b)
	handler := envelope.NewHandler(f.Catalog(), f, nil)
	call := &facade.Call{Entity: "post", Operation: "findById", Invocation: facade.Invocation{Params: []byte(`{"id":"p1"}`)}}
	ctx := context.Background()

	b.Run("façade", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := f.Call(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("client and handler", func(b *testing.B) {
		c := remote(b, "http://host", &client.Options{Transport: inProcess{handler}})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Call(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRows is a page of a hundred rows as a remote reads it, checked and laid out.
func BenchmarkRows(b *testing.B) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"result":{"items":[`)
	for i := range 100 {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"id":"p%d","title":"The title of a post","slug":"the-title","body":"What it says","views":%d,"authorId":"ada","tags":["a","b"],"draft":false,"createdAt":"2025-01-01T00:00:00Z","updatedAt":null}`, i, i)
	}
	body = append(body, `],"total":100,"hasMore":false,"endCursor":null}}`...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if result, err := client.ReadReply(body); err != nil || result.Rows.Len() != 100 {
			b.Fatal(err)
		}
	}
}
