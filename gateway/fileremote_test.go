package gateway_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"image/color"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// filesBehind is a gateway in front of the host of the albums, whose requests pass through between.
func filesBehind(t *testing.T, rules string, between func(http.Handler) http.Handler) *fileSite {
	t.Helper()
	dir := t.TempDir()
	private, public := keysIn(t, dir)
	host, err := url.Parse(receiverOfFiles(t, gateway.Config{Dir: dir, Signing: gateway.Signing{Keys: []string{public}}}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(host)
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server := httptest.NewServer(between(proxy))
	t.Cleanup(server.Close)
	c := gateway.Config{Dir: dir, Store: "memory", Mode: gateway.Development, Signing: gateway.Signing{Key: private}, Remotes: map[string]gateway.Remote{"shop": {URL: server.URL, Attempt: 2 * time.Second}}}
	c.Identity.Dev = true
	p := pictured(t)
	for _, f := range p.Fronds {
		if rules != "" {
			f.Config.Data = []byte(rules)
		}
	}
	return fileSiteOf(t, p, c)
}

// TestRemoteFilesAreSigned: the host takes no request of others, and no file that was changed on the way.
func TestRemoteFilesAreSigned(t *testing.T) {
	var change atomic.Bool
	s := filesBehind(t, "", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if change.Load() && r.Method == http.MethodPost && r.URL.Path == "/_kit/files" {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("five"), []byte("FIVE"), 1)))
			}
			if r.URL.Path == "/_kit/files" && r.Header.Get("Authorization") == "" {
				t.Error("an unsigned request")
			}
			next.ServeHTTP(w, r)
		})
	})
	const at = "/api/shop/albums/a/paper"
	s.want(200, "", "PUT", at, []byte("four"), keeper, "Content-Type: text/plain")
	change.Store(true)
	s.want(502, "the host does not take the call as it is signed", "PUT", at, []byte("five"), keeper, "Content-Type: text/plain")
	if _, body := s.want(200, "", "GET", at, nil, keeper); body != "four" {
		t.Errorf("the row has %q", body)
	}
}

// TestRemoteFilesByTheirId: the host gives a file to callers who may read its row, and to no others who know its id.
func TestRemoteFilesByTheirId(t *testing.T) {
	host := &fileSite{t, receiverOfFiles(t, gateway.Config{})}
	c := gateway.Config{Store: "memory", Mode: gateway.Development, Remotes: map[string]gateway.Remote{"shop": {URL: host.url}}}
	c.Identity.Dev = true
	s := fileSiteOf(t, pictured(t), c)
	put := func(at string, media string) string {
		_, text := s.want(200, "", "PUT", at, []byte("secret"), keeper, media)
		return sent(t, text)
	}
	state := func(user string) string {
		return "X-Kit-State: " + base64.RawURLEncoding.EncodeToString([]byte(`{"user":`+user+`}`))
	}
	ida, eva := state(`{"id":"ida","roles":[]}`), state(`{"id":"eva","roles":["staff"]}`)
	closed := sent(t, func() string {
		_, text := s.want(200, "", "PUT", "/api/shop/albums/c/cover", pngOf(3, 3, color.White), keeper, aPNG)
		return text
	}())
	hidden := put("/api/shop/albums/a/paper", "Content-Type: text/plain")
	for _, id := range []string{closed, hidden, "nope", ""} {
		host.want(404, "there is no file with this id", "GET", "/_kit/files?id="+id, nil, ida)
		if _, text := host.want(200, "", "GET", "/_kit/files?ids="+id, nil, ida); text != `{"files":[]}` {
			t.Error(text)
		}
	}
	host.want(206, "ec", "GET", "/_kit/files?id="+hidden, nil, eva, "Range: bytes=1-2")
	host.want(200, `"name":"file","type":"text/plain","size":6`, "GET", "/_kit/files?ids="+hidden, nil, eva)
	host.want(400, "is not a state", "GET", "/_kit/files?id="+hidden, nil, "X-Kit-State: x")
	host.want(405, "GET, POST, DELETE", "PUT", "/_kit/files", nil, eva)
	host.want(400, "the form cannot be read", "POST", "/_kit/files?fields=album.cover", []byte("x"), eva)
	host.want(403, "you may write no files", "POST", "/_kit/files?fields=album.paper", []byte("x"), ida)

	_, text := s.want(201, "", "POST", "/api/files?field=album.paper", []byte("waits"), keeper, "Content-Type: text/plain")
	host.want(204, "", "DELETE", "/_kit/files?id="+sent(t, text), nil, ida) // not theirs: it stays
	s.want(200, "", "PATCH", "/api/shop/albums/b", []byte(`{"paper":"`+sent(t, text)+`"}`), keeper, "Content-Type: application/json")
	s.want(400, "must be one of the fields album.cover", "POST", "/api/files?field=album.title", []byte("x"), keeper, "Content-Type: text/plain")
	s.want(400, "is not a key here", "POST", "/api/files?for=album.paper", []byte("x"), keeper, "Content-Type: text/plain")
}

// TestRemoteFilesUnderTheRulesHere: the gateway's own rules hold for the files of a remote.
func TestRemoteFilesUnderTheRulesHere(t *testing.T) {
	const rules = "files: {album.cover: {types: [image/png]}}\ncollectors:\n  album:\n    - when: '\"staff\" in user.roles'\n    - {rows: {id: {ne: b}}, hide: [cover]}\n"
	s := filesBehind(t, rules, func(next http.Handler) http.Handler { return next })
	for _, row := range []string{"a", "b"} {
		s.want(200, "", "PUT", "/api/shop/albums/"+row+"/cover", pngOf(3, 3, color.White), keeper, aPNG)
	}
	s.want(404, "this album has no cover", "GET", "/api/shop/albums/a/cover", nil, member)
	s.want(404, "there is no album with this id", "GET", "/api/shop/albums/b/cover", nil, member)
	s.want(400, "cover is not part of the card", "PUT", "/api/shop/albums/a/cover", pngOf(3, 3, color.White), member, aPNG)
	if text := s.ask(`{ album(id: "a") { coverId cover { id } } b: album(id: "b") { id } }`, member); !strings.Contains(text, `"coverId":null,"cover":null},"b":null`) {
		t.Error(text)
	}
}

// TestRemoteWithoutFiles: a host that does not give files, as those of earlier versions, is known by its
// discovery document.
func TestRemoteWithoutFiles(t *testing.T) {
	s := filesBehind(t, "", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			if r.URL.Path != "/_kit/files" {
				next.ServeHTTP(answer, r)
			} else {
				answer.WriteHeader(http.StatusNotFound)
			}
			w.WriteHeader(answer.Code)
			_, _ = w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte(`"fileFields"`), []byte(`"otherField"`)))
		})
	})
	const message = "the host of shop does not give the files of album.cover to gateways"
	s.want(501, message, "GET", "/api/shop/albums/a/cover", nil, keeper)
	s.want(501, message, "PUT", "/api/shop/albums/a/cover", pngOf(3, 3, color.White), keeper, aPNG)
	s.want(404, "", "POST", "/api/files", pngOf(3, 3, color.White), keeper, aPNG)
	s.want(200, "", "PATCH", "/api/shop/albums/a", []byte(`{"title":"B"}`), keeper, "Content-Type: application/json")
	if text := s.ask(`{ album(id: "a") { title coverId cover { id } } }`, keeper); !strings.Contains(text, `"coverId":null,"cover":null`) {
		t.Error(text)
	}
}

// TestRemoteFilesThatStop: a host that stops in the middle of a file ends the request, and the gateway holds
// nothing of it.
func TestRemoteFilesThatStop(t *testing.T) {
	var stop atomic.Bool
	ended := make(chan struct{}, 9)
	s := filesBehind(t, "", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !stop.Load() || r.URL.Path != "/_kit/files" || r.URL.Query().Has("ids") {
				next.ServeHTTP(w, r)
				return
			}
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Length", "400000")
				_, _ = w.Write(make([]byte, 100000))
				_ = http.NewResponseController(w).Flush()
			}
			_, _ = io.Copy(io.Discard, r.Body) // a server learns that its client is gone behind the body
			<-r.Context().Done()
			ended <- struct{}{}
		})
	})
	const at = "/api/shop/albums/a/paper"
	s.want(200, "", "PUT", at, bytes.Repeat([]byte("word "), 80000), keeper, "Content-Type: text/plain")
	stop.Store(true)
	s.want(504, "the host did not answer in time", "PUT", at, []byte("four"), keeper, "Content-Type: text/plain")
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+at, nil)
	name, value, _ := strings.Cut(keeper, ": ")
	r.Header.Set(name, value)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, res.Body); err == nil || n > 100000 {
		t.Errorf("half a file looks whole: %d bytes, %v", n, err)
	}
	_ = res.Body.Close()
	for range 2 {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("a request at the host goes on")
		}
	}
}

// TestRemoteFilesThatAreRefusedHere: files that this gateway refuses in the middle are no failures of the host, whose
// other calls go on.
func TestRemoteFilesThatAreRefusedHere(t *testing.T) {
	s := filesBehind(t, "", func(next http.Handler) http.Handler { return next })
	const at = "/api/shop/albums/a/paper"
	for range 30 {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/files?field=album.paper", io.MultiReader(bytes.NewReader(make([]byte, 1<<20+1)))) // of no length
		name, value, _ := strings.Cut(keeper, ": ")
		r.Header.Set(name, value)
		r.Header.Set("Content-Type", "text/plain")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != 413 {
			t.Fatalf("a file that is too large is %d", res.StatusCode)
		}
	}
	s.want(200, "", "PUT", at, []byte("four"), keeper, "Content-Type: text/plain")
	s.want(200, `"items":[`, "GET", "/api/shop/albums", nil, keeper)
}

// TestRemoteFilesThatAreCompressed: a host, or a proxy in front of it, that compresses unasked is read, also the smaller images and
// parts of a file. A coding that is unknown here is named.
func TestRemoteFilesThatAreCompressed(t *testing.T) {
	var coding atomic.Value
	coding.Store("gzip")
	s := filesBehind(t, "", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/_kit/files" || r.Method != http.MethodGet {
				next.ServeHTTP(w, r)
				return
			}
			r.Header.Del("Range") // as proxies do that compress
			plain := httptest.NewRecorder()
			next.ServeHTTP(plain, r)
			maps.Copy(w.Header(), plain.Header())
			w.Header().Del("Content-Length")
			w.Header().Set("Content-Encoding", coding.Load().(string))
			w.WriteHeader(plain.Code)
			out := gzip.NewWriter(w)
			_, _ = out.Write(plain.Body.Bytes())
			_ = out.Close()
		})
	})
	s.want(200, "", "PUT", "/api/shop/albums/a/paper", []byte("some paper"), keeper, "Content-Type: text/plain")
	s.want(200, "", "PUT", "/api/shop/albums/a/cover", pngOf(30, 30, color.White), keeper, aPNG)
	if _, body := s.want(200, "", "GET", "/api/shop/albums/a/paper", nil, keeper); body != "some paper" {
		t.Errorf("the file is %q", body)
	}
	if _, body := s.want(206, "", "GET", "/api/shop/albums/a/paper", nil, keeper, "Range: bytes=5-9"); body != "paper" {
		t.Errorf("the part is %q", body)
	}
	if _, body := s.want(200, "", "GET", "/api/shop/albums/a/cover?size=thumb", nil, keeper); !strings.HasPrefix(body, "\x89PNG") {
		t.Errorf("the smaller image is %.20q", body)
	}
	coding.Store("br")
	s.want(502, "in a coding other than gzip and deflate; turn compression off there", "GET", "/api/shop/albums/a/paper", nil, keeper)
}
