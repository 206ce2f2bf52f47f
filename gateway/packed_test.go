package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
)

// TestPacked: a long document is kept packed, and read as the text that it was: whole, in parts, from anywhere.
func TestPacked(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat(`{"name":"a field of a card"},`, packedFrom/16)} {
		doc := keep([]byte(text))
		if long := len(text) > packedFrom; long != (len(doc.packed) > 0) || long && (doc.text != nil || len(doc.packed) > len(text)/20) {
			t.Errorf("%d bytes are kept as %d and %d", len(text), len(doc.text), len(doc.packed))
		}
		if err := iotest.TestReader(doc.open(), []byte(text)); err != nil && len(text) < packedFrom {
			t.Error(err)
		}
		r := doc.open()
		for _, at := range []int64{0, int64(len(text)), int64(len(text)) / 2, 1, int64(len(text)) / 3} {
			at = min(at, int64(len(text)))
			if _, err := r.Seek(at, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != text[at:] {
				t.Errorf("from %d: %d bytes of %d, %v", at, len(got), len(text), err)
			}
		}
	}
	if _, err := keep([]byte(strings.Repeat("a", packedFrom))).open().Seek(-1, io.SeekStart); err == nil {
		t.Error("a place before the text is read")
	}
}

// TestServePacked: a packed document is answered as any other: whole, as HEAD, a part, or not at all.
func TestServePacked(t *testing.T) {
	text := strings.Repeat("0123456789", packedFrom/8)
	writes := 0
	handler := serveDocument("application/json", func() []byte { writes++; return []byte(text) })
	ask := func(method string, header ...string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(method, "/openapi.json", nil), httptest.NewRecorder()
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		handler.ServeHTTP(w, r)
		return w
	}
	whole := ask(http.MethodGet)
	tag := whole.Header().Get("ETag")
	for _, c := range []struct {
		got  *httptest.ResponseRecorder
		code int
		body string
	}{
		{whole, http.StatusOK, text},
		{ask(http.MethodGet), http.StatusOK, text},
		{ask(http.MethodHead), http.StatusOK, ""},
		{ask(http.MethodGet, "If-None-Match", tag), http.StatusNotModified, ""},
		{ask(http.MethodGet, "Range", "bytes=1000003-1000007"), http.StatusPartialContent, "34567"},
	} {
		if c.got.Code != c.code || c.got.Body.String() != c.body {
			t.Errorf("%d and %d bytes, want %d and %d", c.got.Code, c.got.Body.Len(), c.code, len(c.body))
		}
	}
	if writes != 1 {
		t.Errorf("it was written %d times", writes)
	}
}
