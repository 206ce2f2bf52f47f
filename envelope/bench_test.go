package envelope_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope"
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

// BenchmarkRoundTrip is one findById: through the façade alone, through the
// handler, and from a client through a handler.
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
	b.Run("handler", func(b *testing.B) {
		const frame = `{"jsonrpc":"2.0","id":1,"method":"post.findById","params":{"params":{"id":"p1"}}}`
		r := httptest.NewRequest(http.MethodPost, envelope.Path, nil)
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = int64(len(frame))
		body := strings.NewReader(frame)
		r.Body = io.NopCloser(body)
		w := discard{header: http.Header{}}
		b.ReportAllocs()
		for b.Loop() {
			body.Reset(frame)
			handler.ServeHTTP(&w, r)
		}
		if w.status != 200 {
			b.Fatal(w.status)
		}
	})
	b.Run("client and handler", func(b *testing.B) {
		c := remote(b, "http://host", &envelope.RemoteOptions{Transport: inProcess{handler}})
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
		if result, err := envelope.ReadReply(body); err != nil || result.Rows.Len() != 100 {
			b.Fatal(err)
		}
	}
}

// BenchmarkBatch is ten findByIds in one batch.
func BenchmarkBatch(b *testing.B) {
	f := storetest.Facade(b)
	handler := envelope.NewHandler(f.Catalog(), f, nil)
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"post.findById","params":{"params":{"id":"p1"}}},`)
	body := append(append([]byte{'['}, bytes.TrimSuffix(bytes.Repeat(frame, 10), []byte(","))...), ']')
	w := discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, envelope.Path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(&w, r)
	}
}

// discard is a ResponseWriter that keeps the status alone.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
