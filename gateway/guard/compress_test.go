package guard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway/gatewaytest"
)

// TestNegotiate is RFC 9110, section 12.5.3.
func TestNegotiate(t *testing.T) {
	for sent, want := range map[string]string{
		"":                               "plain",
		"gzip":                           "gzip",
		"x-gzip":                         "gzip",
		"GZIP":                           "gzip",
		"zstd":                           "zstd",
		"gzip, deflate, br, zstd":        "gzip",
		"gzip;q=1.0, zstd;q=0.9":         "gzip",
		"gzip;q=0.5,zstd;q=0.501":        "zstd",
		"gzip ; q=0 , zstd;q=0":          "plain",
		"gzip;q=0.000":                   "plain",
		"gzip;q=0, *":                    "zstd",
		"*":                              "gzip",
		"*;q=0":                          "nothing",
		"*;q=0, identity":                "plain",
		"identity":                       "plain",
		"identity;q=0":                   "nothing",
		"identity;q=0, gzip":             "gzip, and nothing plain",
		"identity;q=1, gzip;q=0.5":       "plain",
		"identity;q=0.5, gzip;q=1":       "gzip",
		"br, deflate":                    "plain",
		"gzip;q=2":                       "plain",
		"gzip;q=x":                       "plain",
		"gzip;foo=bar;q=0.5, zstd;q=0.1": "gzip",
		"gzipped":                        "plain",
		"deflate|zstd":                   "zstd", // two headers
		",;,":                            "plain",
	} {
		var lines []string
		if sent != "" {
			lines = strings.Split(sent, "|")
		}
		chosen, plain := negotiate(lines)
		got := "plain"
		switch {
		case chosen != nil && plain:
			got = chosen.name[0]
		case chosen != nil:
			got = chosen.name[0] + ", and nothing plain"
		case !plain:
			got = "nothing"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", sent, got, want)
		}
	}
}

// TestCompressedAnswers: the answer is the same, and says how it is coded.
func TestCompressedAnswers(t *testing.T) {
	long := strings.Repeat(`{"title":"a row among others"}`, 100)
	shared := []string{"Accept"} // between all answers of a surface
	answer := func(media, text string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			w.Header()["Vary"] = shared
			w.Header().Set("Etag", `"v1"`)
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			if r.Method != http.MethodHead {
				_, _ = io.WriteString(w, text)
			}
		}
	}
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		method  string
		accept  string
		coding  string
		varies  bool
	}{
		{"JSON as gzip", answer("application/json", long), "GET", "gzip", "gzip", true},
		{"JSON as zstd", answer("application/json", long), "GET", "gzip;q=0.5, zstd", "zstd", true},
		{"a problem", answer("application/problem+json", long), "GET", "gzip", "gzip", true},
		{"a GraphQL response", answer("application/graphql-response+json; charset=utf-8", long), "POST", "gzip", "gzip", true},
		{"a page", answer("text/html; charset=utf-8", long), "GET", "gzip", "gzip", true},
		{"to who takes none", answer("application/json", long), "GET", "", "", true},
		{"to who refuses", answer("application/json", long), "GET", "gzip;q=0", "", true},
		{"a HEAD", answer("application/json", long), "HEAD", "gzip", "gzip", true},
		{"1,024 bytes", answer("application/json", long[:1024]), "GET", "gzip", "gzip", true},
		{"1,023 bytes", answer("application/json", long[:1023]), "GET", "gzip", "", false},
		{"a short one for who takes nothing else", answer("application/json", long[:30]), "GET", "identity;q=0, gzip", "gzip", true},
		{"an image", answer("image/png", long), "GET", "gzip", "", false},
		{"a font", answer("font/ttf", long), "GET", "gzip", "", false},
		{"events", answer("text/event-stream", long), "GET", "gzip", "", false},
		{"what is packed already", answer("text/javascript", long, "Content-Encoding", "gzip"), "GET", "zstd", "gzip", false},
		{"what is to stay as it is", answer("text/plain", long, "Cache-Control", "public, no-transform"), "GET", "gzip", "", false},
		{"a stream", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Etag", `"v1"`)
			_, _ = io.WriteString(w, long)
		}, "GET", "gzip", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(Compress(c.handler))
			defer s.Close()
			req, err := http.NewRequest(c.method, s.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.accept != "" {
				req.Header.Set("Accept-Encoding", c.accept)
			}
			resp, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			h := resp.Header
			if h.Get("Content-Encoding") != c.coding || h.Get("Etag") != `"v1"` {
				t.Errorf("%v, want %q", h, c.coding)
			}
			if varies := strings.Contains(strings.Join(h["Vary"], ","), "Accept-Encoding"); varies != c.varies || c.name != "a stream" && h["Vary"][0] != "Accept" {
				t.Errorf("Vary: %q", h["Vary"])
			}
			if c.method == "HEAD" {
				if len(body) > 0 || h.Get("Content-Length") != "" {
					t.Errorf("a HEAD: %d bytes, %v", len(body), h)
				}
				return
			}
			if c.coding != "" && h.Get("Content-Length") == strconv.Itoa(len(long)) && c.name != "what is packed already" {
				t.Errorf("the length is that of the text: %v", h)
			}
			if c.name == "what is packed already" {
				c.coding = "" // by word alone
			}
			if text, err := gatewaytest.Uncompressed(c.coding, body); err != nil || !strings.HasPrefix(long, text) || len(text) < 30 {
				t.Errorf("%d bytes: %.100s", len(text), text)
			}
		})
	}
	if len(shared) != 1 {
		t.Errorf("what answers share was changed: %q", shared)
	}
}

// TestFlushedAnswers: what is flushed arrives, compressed or not.
func TestFlushedAnswers(t *testing.T) {
	for _, length := range []string{"", "4000"} {
		next := make(chan struct{})
		s := httptest.NewServer(Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			_, _ = io.WriteString(w, strings.Repeat("a", 2000))
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-next
			_, _ = io.WriteString(w, strings.Repeat("b", 2000))
		})))
		resp, err := http.Get(s.URL) // which unpacks gzip by itself
		if err != nil {
			t.Fatal(err)
		}
		half := make([]byte, 2000)
		if _, err := io.ReadFull(resp.Body, half); err != nil || resp.Uncompressed != (length != "") {
			t.Errorf("%v, unpacked: %v", err, resp.Uncompressed)
		}
		close(next)
		if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != strings.Repeat("b", 2000) {
			t.Errorf("%v %.20s", err, rest)
		}
		_ = resp.Body.Close()
		s.Close()
	}
}

// discarding is a writer of an answer that keeps nothing.
type discarding struct{ header http.Header }

func (d *discarding) Header() http.Header         { return d.header }
func (d *discarding) Write(b []byte) (int, error) { return len(b), nil }
func (d *discarding) WriteHeader(int)             {}

// page is a list of rows as JSON.
func page(rows int) []byte {
	b := []byte(`{"items":[`)
	for i := range rows {
		b = append(b, `{"id":"p-`+strconv.Itoa(i*7919%1000)+`","name":"Product `+strconv.Itoa(i)+`","price":`+strconv.Itoa(i*31%997)+`.5,"status":"available","createdAt":"2026-01-`+strconv.Itoa(10+i%20)+`T10:00:00Z"},`...)
	}
	return append(b[:len(b)-1], `]}`...)
}

// compressedOnce answers a body once.
func compressedOnce(accept string, body []byte) func() {
	h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
		_, _ = w.Write(body)
	}))
	r := httptest.NewRequest("GET", "/", nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := &discarding{header: http.Header{}}
	return func() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}

// BenchmarkCompression is what it costs to send a page of 100 rows (11 KB).
func BenchmarkCompression(b *testing.B) {
	body := page(100)
	for _, accept := range []string{"", "gzip", "zstd"} {
		b.Run("accept="+accept, func(b *testing.B) {
			one := compressedOnce(accept, body)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				one()
			}
		})
	}
	for _, accept := range []string{"gzip", "zstd"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", accept)
		Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body)
		})).ServeHTTP(w, r)
		b.Logf("%s: %d bytes of %d", accept, w.Body.Len(), len(body))
	}
}
