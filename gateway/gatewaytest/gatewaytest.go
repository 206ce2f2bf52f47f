// Package gatewaytest makes requests to handlers in tests, and reads what they answer, for the
// tests of gateway and of the packages below it.
package gatewaytest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// AsJSON is the header of a request with a JSON body.
const AsJSON = "Content-Type: application/json"

// Do sends a handler one request without a socket and returns the answer. A header is
// "Name: value".
func Do(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Uncompressed returns a body as it was before a content coding: gzip, zstd, or any other for
// none.
func Uncompressed(coding string, body []byte) (string, error) {
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", coding, err)
	}
	return string(text), nil
}

// CutOff fails the test where a client takes the answer of a handler for a whole one.
func CutOff(t *testing.T, h http.Handler) {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	resp, err := http.Get(s.URL)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil {
		t.Error("the client received a whole answer")
	}
}
