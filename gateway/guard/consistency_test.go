package guard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestConsistent: what a request wrote is in the header of its answer, however the answer is
// written, and a request that only read has none.
func TestConsistent(t *testing.T) {
	write := func(r *http.Request) { consistency.From(r.Context()).Wrote("a.05.x") }
	cases := []struct {
		name, sent string
		next       func(http.ResponseWriter, *http.Request)
		status     int
		answer     string
	}{
		{"a read", "b.01.y", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "rows") }, 200, ""},
		{"a write", "b.01.y", func(w http.ResponseWriter, r *http.Request) { write(r); _, _ = io.WriteString(w, "row") }, 200, "a.05.x, b.01.y"},
		{"a write with a status", "", func(w http.ResponseWriter, r *http.Request) { write(r); w.WriteHeader(201) }, 201, "a.05.x"},
		{"a write without an answer", "", func(_ http.ResponseWriter, r *http.Request) { write(r) }, 200, "a.05.x"},
		{"a 103 before the write", "", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); write(r); w.WriteHeader(201) }, 201, "a.05.x"},
		{"no token", "soon", nil, 400, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(Consistent(http.HandlerFunc(c.next), func(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
				WriteProblem(w, r, status, err)
			}))
			defer server.Close()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.sent != "" {
				req.Header.Set(consistency.Header, c.sent)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != c.status || resp.Header.Get(consistency.Header) != c.answer {
				t.Errorf("%d with %q, want %d with %q", resp.StatusCode, resp.Header.Get(consistency.Header), c.status, c.answer)
			}
			if c.status == 400 && !strings.Contains(string(body), "leave it out") {
				t.Errorf("the refusal is %s", body)
			}
		})
	}
}
