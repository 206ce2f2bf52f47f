package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// hops are a gateway in front of another one, which has the albums or is in front of their host. Every
// request between them is signed, with a key for each hop.
type hops struct {
	front, middle, host *fileSite                       // host is nil where the middle has the rows
	signers             [2]*signing.Signer              // of front and middle
	between             [2]atomic.Pointer[http.Handler] // takes the requests of front and middle; nil: they pass
	passes              [2]http.Handler
}

// noCards are rules of a gateway that has no cards of the albums.
const noCards = "none"

// newHops starts them. rules are the rules of the middle; "": those of the albums.
func newHops(t *testing.T, rules string, hosted bool) *hops {
	t.Helper()
	h := &hops{}
	var private, public [2]string
	for i, name := range []string{"front", "middle"} {
		private[i], public[i] = keysIn(t, t.TempDir())
		text, err := os.ReadFile(private[i])
		if err != nil {
			t.Fatal(err)
		}
		key, err := signing.ReadPrivate(text)
		if err != nil {
			t.Fatal(err)
		}
		h.signers[i] = signing.NewSigner(key, name)
	}
	middle := gateway.Config{Store: "memory", Mode: gateway.Development, Signing: gateway.Signing{Keys: []string{"front=" + public[0]}}}
	if hosted {
		h.host = &fileSite{t, receiverOfFiles(t, gateway.Config{Signing: gateway.Signing{Keys: []string{public[1]}}})}
		middle.Signing.Key, middle.Signing.Name, middle.Remotes = private[1], "middle", map[string]gateway.Remote{"shop": {URL: h.proxy(t, 1, h.host.url)}}
	}
	middle.Identity.Dev = true
	h.middle = fileSiteOf(t, albumsUnder(t, rules), middle)
	front := gateway.Config{Store: "memory", Mode: gateway.Development, Signing: gateway.Signing{Key: private[0], Name: "front"}, Remotes: map[string]gateway.Remote{"shop": {URL: h.proxy(t, 0, h.middle.url)}}}
	front.Identity.Dev = true
	h.front = fileSiteOf(t, albumsUnder(t, noCards), front)
	return h
}

// proxy is the address of a proxy that hands requests to between.
func (h *hops) proxy(t *testing.T, hop int, to string) string {
	t.Helper()
	at, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	h.passes[hop] = proxy
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if other := h.between[hop].Load(); other != nil {
			(*other).ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// through has the requests of a hop pass through a handler.
func (h *hops) through(hop int, with http.HandlerFunc) {
	handler := http.Handler(with)
	h.between[hop].Store(&handler)
}

// albumsUnder is the project of the albums under other rules.
func albumsUnder(t *testing.T, rules string) *facade.Project {
	t.Helper()
	if rules == noCards {
		return folderOf(t, map[string]string{"fronds/desk/frond.yaml": "collectors: {'*': open}\n"})
	}
	p := pictured(t)
	for _, f := range p.Fronds {
		if rules != "" {
			f.Config.Data = []byte(rules)
		}
	}
	return p
}

// signed sends a request for files that a gateway has signed for a Frond and a user.
func (h *hops) signed(at *fileSite, signer int, frond, user, method, query string) (int, string) {
	at.t.Helper()
	token, refused := h.signers[signer].Authorize(signing.Request{Method: method, Path: "/_kit/files", Query: query}, frond, json.RawMessage(`{"user":`+user+`}`))
	if refused != nil {
		at.t.Fatal(refused)
	}
	status, _, text := at.do(method, "/_kit/files?"+query, nil, "Authorization: "+token)
	return status, text
}

// TestFileHopsUnderTheRulesOfEach: who may not read a file at the middle or at the host reads it nowhere, also where
// the id is known.
func TestFileHopsUnderTheRulesOfEach(t *testing.T) {
	const rules = "files: {album.cover: {types: [image/png]}, album.paper: {types: [text/plain]}}\ncollectors:\n  album:\n    - when: '\"staff\" in user.roles'\n    - {rows: {id: {ne: b}}, hide: [cover]}\n"
	const ida, eva = `{"id":"ida","roles":[]}`, `{"id":"eva","roles":["staff"]}`
	h := newHops(t, rules, true)
	ids := map[string]string{}
	for _, at := range []string{"a/cover", "a/paper", "b/paper", "c/paper"} {
		file, media := []byte("text"), "Content-Type: text/plain"
		if strings.HasSuffix(at, "cover") {
			file, media = pngOf(3, 3, color.White), aPNG
		}
		_, text := h.front.want(200, "", "PUT", "/api/shop/albums/"+at, file, keeper, media)
		ids[at] = sent(t, text)
		h.front.want(200, "", "GET", "/api/shop/albums/"+at, nil, keeper)
		h.front.want(404, "", "GET", "/api/shop/albums/"+at, nil, member)
		if status, text := h.signed(h.middle, 0, "shop", eva, "GET", "id="+ids[at]); status != 200 || text != string(file) {
			t.Errorf("%s of staff is %d %s", at, status, text)
		}
		if status, text := h.signed(h.middle, 0, "shop", ida, "GET", "id="+ids[at]); status != 404 || !strings.Contains(text, "there is no file with this id") {
			t.Errorf("%s of a member is %d %s", at, status, text)
		}
		if status, text := h.signed(h.middle, 0, "shop", ida, "GET", "ids="+ids[at]); status != 200 || text != `{"files":[]}` {
			t.Errorf("%s is described to a member: %d %s", at, status, text)
		}
	}
	if text := h.front.ask(`{ albums { items { id coverId cover { id } paperId paper { id } } } }`, member); !strings.Contains(text, `[{"id":"a","coverId":null,"cover":null,"paperId":null,"paper":null}]`) {
		t.Error(text)
	}
	// A file that waits is its sender's at each hop.
	_, text := h.front.want(201, "", "POST", "/api/files?field=album.paper", []byte("waits"), keeper, "Content-Type: text/plain")
	waits := sent(t, text)
	for _, user := range []string{eva, ida} {
		if status, text := h.signed(h.middle, 0, "shop", user, "GET", "id="+waits); status != 404 {
			t.Errorf("a file without a row is %d %s", status, text)
		}
	}
	if status, text := h.signed(h.middle, 0, "shop", ida, "DELETE", "id="+waits); status != 204 {
		t.Errorf("%d %s", status, text)
	}
	h.front.want(200, "", "PATCH", "/api/shop/albums/a", []byte(`{"paper":"`+waits+`"}`), keeper, "Content-Type: application/json")
	_, text = h.front.want(201, "", "POST", "/api/files?field=album.paper", []byte("waits"), keeper, "Content-Type: text/plain")
	if status, text := h.signed(h.middle, 0, "shop", eva, "DELETE", "id="+sent(t, text)); status != 204 {
		t.Errorf("%d %s", status, text)
	}
	h.front.want(400, "is not the id of a file", "PATCH", "/api/shop/albums/a", []byte(`{"paper":"`+sent(t, text)+`"}`), keeper, "Content-Type: application/json")
	if status, text := h.signed(h.middle, 0, "shop", ida, "POST", "fields=album.cover"); status != 403 {
		t.Errorf("a member may send a file: %d %s", status, text)
	}
}

// TestFileHopsAreSigned: each hop takes what its neighbour has signed for it, once, and nothing else.
func TestFileHopsAreSigned(t *testing.T) {
	h := newHops(t, "", true)
	var mu sync.Mutex
	tokens := [2][]*http.Request{}
	for hop := range tokens {
		h.through(hop, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/_kit/files" && r.Method == http.MethodGet {
				mu.Lock()
				tokens[hop] = append(tokens[hop], r.Clone(r.Context()))
				mu.Unlock()
			}
			h.passes[hop].ServeHTTP(w, r)
		})
	}
	_, text := h.front.want(200, "", "PUT", "/api/shop/albums/a/paper", []byte("secret"), keeper, "Content-Type: text/plain")
	id := sent(t, text)
	h.front.want(200, "secret", "GET", "/api/shop/albums/a/paper", nil, keeper)
	if len(tokens[0]) < 2 || len(tokens[1]) < len(tokens[0]) {
		t.Fatalf("%d and %d requests were signed", len(tokens[0]), len(tokens[1]))
	}
	for hop, requests := range tokens {
		for _, r := range requests {
			at, token := r.URL.Path+"?"+r.URL.RawQuery, "Authorization: "+r.Header.Get("Authorization")
			for i, site := range []*fileSite{h.middle, h.host} {
				want := "signed with a key that is not known here"
				if i == hop {
					want = "the token has been used"
				}
				site.want(401, want, "GET", at, nil, token)
			}
		}
	}
	h.middle.want(401, "this host answers signed ones alone", "GET", "/_kit/files?id="+id, nil, keeper)
	h.middle.want(401, "this host answers signed ones alone", "GET", "/_kit/files?id="+id, nil, "X-Kit-State: eyJ1c2VyIjp7ImlkIjoiZXZhIiwicm9sZXMiOlsic3RhZmYiXX19")
	const eva = `{"id":"eva","roles":["staff"]}`
	if status, text := h.signed(h.middle, 0, "desk", eva, "GET", "id="+id); status != 404 || !strings.Contains(text, `the files of desk are not given here`) {
		t.Errorf("for another Frond: %d %s", status, text)
	}
	// The state of a frame is not believed, and that of a post is the signed one.
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"album.findById","params":{"params":{"id":"c"},"state":{"user":` + eva + `}}}`)
	h.middle.want(200, `"result":null`, "POST", "/_kit/call", frame, "Content-Type: application/json")
	sealed, refused := h.signers[0].Seal(frame, "shop", json.RawMessage(`{"user":`+eva+`}`))
	if refused != nil {
		t.Fatal(refused)
	}
	h.middle.want(200, `"title":"C"`, "POST", "/_kit/call", sealed.Post(), "Content-Type: application/json")
	h.host.want(401, "signed with a key that is not known here", "POST", "/_kit/call", sealed.Post(), "Content-Type: application/json")
}

// TestFileHopsOfHiddenDoors: a gateway gives files of doors that its envelope shows to everybody, and of no others.
func TestFileHopsOfHiddenDoors(t *testing.T) {
	const files = "files: {album.paper: {types: [text/plain]}}\ncollectors: {album: open}\nsurfaces: "
	for surfaces, want := range map[string]string{
		"{envelope: {except: [album.update]}}":   "200 four",
		"{envelope: {except: [album.findById]}}": "there is no file with this id",
		"{envelope: false}":                      "no route at /_kit/files",
	} {
		h := newHops(t, files+surfaces+"\n", true)
		_, text := h.middle.want(200, "", "PUT", "/api/shop/albums/a/paper", []byte("four"), keeper, "Content-Type: text/plain")
		status, text := h.signed(h.middle, 0, "shop", `{"id":"eva","roles":["staff"]}`, "GET", "id="+sent(t, text))
		if got := fmt.Sprint(status, " ", text); !strings.Contains(got, want) {
			t.Errorf("%s: the file is %s", surfaces, got)
		}
	}
}

// TestFileHopsOfChangedBytes: bytes that change on the way to the middle or to the host are not kept.
func TestFileHopsOfChangedBytes(t *testing.T) {
	h := newHops(t, "", true)
	const at = "/api/shop/albums/a/paper"
	h.front.want(200, "", "PUT", at, []byte("four"), keeper, "Content-Type: text/plain")
	for hop := range 2 {
		h.through(hop, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path == "/_kit/files" {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("five"), []byte("FIVE"), 1)))
			}
			h.passes[hop].ServeHTTP(w, r)
		})
		h.front.want(502, "does not take the call as it is signed", "PUT", at, []byte("five"), keeper, "Content-Type: text/plain")
		h.through(hop, h.passes[hop].ServeHTTP)
		h.front.want(200, "four", "GET", at, nil, keeper)
	}
	h.front.want(400, "the file is empty", "PUT", at, nil, keeper, "Content-Type: text/plain")
	h.front.want(413, "over its maximum of 1048576 bytes", "PUT", at, make([]byte, 1<<20+1), keeper, "Content-Type: text/plain")
}

// TestFileHopsOfOtherVersions: a host whose descriptions name no rows, and a middle that gives no files, are
// clear errors.
func TestFileHopsOfOtherVersions(t *testing.T) {
	h := newHops(t, "", true)
	const at = "/api/shop/albums/a/paper"
	h.front.want(200, "", "PUT", at, []byte("four"), keeper, "Content-Type: text/plain")
	h.through(1, func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.passes[1].ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte(`"row"`), []byte(`"column"`)))
	})
	h.front.want(502, "the host of shop describes files without their rows", "GET", at, nil, keeper)
	h.middle.want(200, "four", "GET", at, nil, keeper)

	c := gateway.Config{Store: "memory", Mode: gateway.Development, Remotes: map[string]gateway.Remote{"shop": {URL: receiverOfFiles(t, gateway.Config{})}}}
	c.Identity.Dev = true
	middle := fileSiteOf(t, albumsUnder(t, noCards), c) // without keys of others
	middle.want(404, "", "GET", "/_kit/files?ids=x", nil, keeper)
	c.Remotes = map[string]gateway.Remote{"shop": {URL: middle.url}}
	front := fileSiteOf(t, albumsUnder(t, ""), c)
	front.want(501, "the host of shop does not give the files of album.cover to gateways", "GET", "/api/shop/albums/a/cover", nil, keeper)

	// A gateway gives no files of a host that gives it none.
	_, public := keysIn(t, t.TempDir())
	c.Signing.Keys = []string{public}
	withheld := fileSiteOf(t, albumsUnder(t, ""), c)
	if _, text := withheld.want(200, `"files":["cover","paper"]`, "POST", "/_kit/call", []byte(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`), "Content-Type: application/json"); strings.Contains(text, "fileFields") {
		t.Errorf("it gives them: %s", text)
	}
}
