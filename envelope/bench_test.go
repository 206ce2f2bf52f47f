package envelope_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/store/storetest"
)

// BenchmarkFrame is one findById, from the HTTP request to its answer.
func BenchmarkFrame(b *testing.B) {
	f := storetest.Facade(b)
	handler := envelope.NewHandler(f.Catalog(), f, nil)
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
