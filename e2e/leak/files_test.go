package leak

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// smallWorld is a gateway over a project that is written out, with staff, who sees everything, and a member.
type smallWorld struct {
	t       *testing.T
	handler http.Handler
}

const (
	worldStaff  = `{"id":"eva","roles":["staff"]}`
	worldMember = `{"id":"ida","roles":[]}`
)

func newWorld(t *testing.T, files fstest.MapFS) *smallWorld {
	t.Helper()
	return worldOf(t, files, gateway.Config{})
}

func worldOf(t *testing.T, files fstest.MapFS, config gateway.Config) *smallWorld {
	t.Helper()
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	config.Store, config.Mode, config.Identity.Dev = "memory", gateway.Development, true
	g, err := gateway.New(project, &gateway.Options{Config: config, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return &smallWorld{t: t, handler: g.Handler()}
}

// fileWorld has albums. Members see the open ones, and no papers.
type fileWorld struct {
	*smallWorld
	hidden string          // the id of a file that members do not see, or of none
	middle *smallWorld     // the second gateway; nil: there is one
	signer *signing.Signer // of requests to middle
}

// newFileWorld has the albums in one gateway, or in the last of three, which hides rows. The second hides fields,
// and the first nothing.
func newFileWorld(t *testing.T, hops bool) *fileWorld {
	t.Helper()
	const files = "many: {album: [create, update, upsert]}\nfiles:\n  album.cover: {types: [image/png], max: 64KiB, sizes: {thumb: 8x8}}\n  album.paper: {types: [image/png, text/plain]}\n" +
		"collectors:\n  album:\n    - when: '\"staff\" in user.roles'\n    - {RULE}\n"
	albums := func(rule string) fstest.MapFS {
		return fstest.MapFS{
			"fronds/shop/entities/album.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  open: {type: boolean}\n" +
				"  cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n  paper: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\nrequired: [id, open]\n")},
			"fronds/shop/frond.yaml": {Data: []byte(strings.Replace(files, "RULE", rule, 1))},
		}
	}
	const rows, fields = "rows: {open: {eq: true}}", "hide: [paper]"
	if !hops {
		return &fileWorld{smallWorld: newWorld(t, albums(rows+", "+fields))}
	}
	frontKey, frontPublic := keyFiles(t)
	middleKey, middlePublic := keyFiles(t)
	host := worldOf(t, albums(rows), gateway.Config{Signing: gateway.Signing{Keys: []string{middlePublic}}})
	at := func(h http.Handler) map[string]gateway.Remote {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return map[string]gateway.Remote{"shop": {URL: server.URL, Open: true}}
	}
	w := &fileWorld{middle: worldOf(t, albums(fields), gateway.Config{Signing: gateway.Signing{Key: middleKey, Keys: []string{frontPublic}}, Remotes: at(host.handler)})}
	w.smallWorld = worldOf(t, fstest.MapFS{"fronds/desk/frond.yaml": {Data: []byte("collectors: {'*': open}\n")}}, gateway.Config{Signing: gateway.Signing{Key: frontKey}, Remotes: at(w.middle.handler)})
	text, err := os.ReadFile(frontKey)
	if err != nil {
		t.Fatal(err)
	}
	key, err := signing.ReadPrivate(text)
	if err != nil {
		t.Fatal(err)
	}
	w.signer = signing.NewSigner(key, "gateway")
	return w
}

// keyFiles are files with the two halves of a key.
func keyFiles(t *testing.T) (private, public string) {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string, der []byte, err error) string {
		path := filepath.Join(t.TempDir(), "key.pem")
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	private = write("PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(pub)
	return private, write("PUBLIC KEY", der, err)
}

// knocks are the answers of the second gateway to the first, for a member who knows the id.
func (w *fileWorld) knocks() (all []string) {
	for _, c := range [][2]string{{"GET", "id="}, {"GET", "size=thumb&id="}, {"GET", "ids=nope,"}, {"DELETE", "id="}} {
		query := c[1] + w.hidden
		token, refused := w.signer.Authorize(signing.Request{Method: c[0], Path: "/_kit/files", Query: query}, "shop", json.RawMessage(`{"user":`+worldMember+`}`))
		if refused != nil {
			w.t.Fatal(refused)
		}
		all = append(all, w.middle.request(worldMember, c[0], "/_kit/files?"+query, "", nil, "Authorization", token))
	}
	return all
}

// request sends a request and returns the answer as text: the status, the headers, the body.
func (w *smallWorld) request(user, method, path, media string, body []byte, more ...string) string {
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.RemoteAddr = "127.0.0.1:9"
	r.Host = "127.0.0.1"
	r.Header.Set("X-Frond-User", user)
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	for i := 0; i < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	text := fmt.Sprintln(answer.Code)
	for _, name := range slices.Sorted(maps.Keys(answer.Header())) {
		if name != "Date" && name != "Last-Modified" {
			text += fmt.Sprintln(name, answer.Header()[name])
		}
	}
	return text + answer.Body.String()
}

// plant writes as staff, which has to succeed, and returns the answer's id.
func (w *smallWorld) plant(method, path, media string, body []byte) string {
	w.t.Helper()
	text := w.request(worldStaff, method, path, media, body)
	if text[0] != '2' {
		w.t.Fatalf("%s %s is %s", method, path, text)
	}
	var file struct{ ID string }
	_ = json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &file)
	return file.ID
}

// TestLeakOfFiles: two worlds differ only in files and rows that the member may not see. The same
// requests of a member get the same answers from both.
func TestLeakOfFiles(t *testing.T) {
	t.Parallel()
	for name, hops := range map[string]bool{"one gateway": false, "three gateways": true} {
		t.Run(name, func(t *testing.T) { leakOfFiles(t, hops) })
	}
}

func leakOfFiles(t *testing.T, hops bool) {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)))
	picture := b.Bytes()
	one, other := newFileWorld(t, hops), newFileWorld(t, hops)
	for _, w := range []*fileWorld{one, other} {
		w.plant("POST", "/api/shop/albums", "application/json", []byte(`{"id":"a","open":true}`))
		w.plant("POST", "/api/shop/albums", "application/json", []byte(`{"id":"b","open":true}`))
		w.hidden = "01a21f84-04ba-78c8-9f31-d01987ab0ba1"
	}
	one.plant("POST", "/api/shop/albums", "application/json", []byte(`{"id":"c","open":false}`))
	one.plant("PUT", "/api/shop/albums/c/cover", "image/png", picture)
	one.hidden = one.plant("PUT", "/api/shop/albums/a/paper", "text/plain", []byte("secret"))
	form := func(w *fileWorld) (string, []byte) {
		return "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=\"cover\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n" + string(picture) + "\r\n--x--\r\n")
	}
	paper := func(w *fileWorld) (string, []byte) {
		return "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=\"paper\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nmine\r\n--x--\r\n")
	}
	raw := func(media string, body []byte) func(*fileWorld) (string, []byte) {
		return func(*fileWorld) (string, []byte) { return media, body }
	}
	text := func(format string) func(*fileWorld) (string, []byte) {
		return func(w *fileWorld) (string, []byte) {
			return "application/json", []byte(strings.ReplaceAll(format, "HIDDEN", w.hidden))
		}
	}
	none := raw("", nil)
	for _, c := range []struct {
		method, path string
		send         func(*fileWorld) (string, []byte)
		headers      []string
	}{
		{"GET", "/api/shop/albums/c/cover", none, nil},
		{"HEAD", "/api/shop/albums/c/cover", none, nil},
		{"GET", "/api/shop/albums/c/cover?size=thumb", none, nil},
		{"GET", "/api/shop/albums/c/cover?size=nope", none, nil},
		{"GET", "/api/shop/albums/c/cover", none, []string{"Range", "bytes=0-1"}},
		{"GET", "/api/shop/albums/c/cover", none, []string{"If-None-Match", "*"}},
		{"PUT", "/api/shop/albums/c/cover", raw("image/png", picture), nil},
		{"PUT", "/api/shop/albums/c/cover", raw("image/png", []byte("no picture")), nil},
		{"PUT", "/api/shop/albums/c/cover", raw("image/png", picture), []string{"If-None-Match", "*"}},
		{"DELETE", "/api/shop/albums/c/cover", none, nil},
		{"PATCH", "/api/shop/albums/c", form, nil},
		{"GET", "/api/shop/albums/a/paper", none, nil},
		{"HEAD", "/api/shop/albums/a/paper", none, nil},
		{"GET", "/api/shop/albums/a/paper?size=thumb", none, nil},
		{"GET", "/api/shop/albums/a/paper", none, []string{"If-None-Match", "*"}},
		{"PUT", "/api/shop/albums/a/paper", raw("text/plain", []byte("mine")), nil},
		{"PUT", "/api/shop/albums/a/paper", raw("text/plain", []byte("mine")), []string{"If-None-Match", "*"}},
		{"PUT", "/api/shop/albums/a/paper", raw("text/plain", []byte("mine")), []string{"If-Match", "*"}},
		{"DELETE", "/api/shop/albums/a/paper", none, nil},
		{"DELETE", "/api/shop/albums/a/paper", none, []string{"If-Match", "*"}},
		{"PATCH", "/api/shop/albums/a", paper, nil},
		{"PATCH", "/api/shop/albums/a", text(`{"paper":"HIDDEN"}`), nil},
		{"PATCH", "/api/shop/albums/a", text(`{"cover":"HIDDEN"}`), nil},
		{"PATCH", "/api/shop/albums/b", text(`{"cover":"HIDDEN"}`), nil},
		{"POST", "/api/shop/albums", text(`{"id":"n","open":true,"cover":"HIDDEN"}`), nil},
		{"POST", "/api/shop/albums", text(`[{"id":"n","open":true,"cover":"HIDDEN"}]`), nil},
		{"PUT", "/api/shop/albums?by=id", text(`{"id":"b","open":true,"cover":"HIDDEN"}`), nil},
		{"GET", "/api/shop/albums?filter[paper][isNull]=false", none, nil},
		{"GET", "/api/shop/albums?fields=id,paper", none, nil},
		{"GET", "/api/shop/albums", none, nil},
		{"POST", "/graphql", text(`{"query":"{ albums { items { id coverId cover { id url } paperId paper { id name size url } } } }"}`), nil},
		{"POST", "/graphql", text(`{"query":"mutation { updateAlbum(id: \"b\", input: {cover: \"HIDDEN\"}) { id } }"}`), nil},
	} {
		var answers []string
		for _, w := range []*fileWorld{one, other} {
			media, body := c.send(w)
			answers = append(answers, w.request(worldMember, c.method, c.path, media, body, c.headers...))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %s %v tells the worlds apart:\n%s\n---\n%s", c.method, c.path, c.headers, answers[0], answers[1])
		}
		if c.path == "/api/shop/albums" && c.method == "GET" && !strings.HasPrefix(answers[0], "200") {
			t.Errorf("a member lists %s", answers[0])
		}
		if strings.Contains(answers[0], "secret") || strings.Contains(answers[0], one.hidden) {
			t.Errorf("%s %s shows it: %s", c.method, c.path, answers[0])
		}
	}
	if hops {
		first, second := one.knocks(), other.knocks()
		for i := range first {
			if first[i] != second[i] || strings.HasPrefix(first[i], "401") {
				t.Errorf("an id tells the worlds apart:\n%s\n---\n%s", first[i], second[i])
			}
		}
	}
	if text := one.request(worldStaff, "GET", "/api/shop/albums/a/paper", "", nil); !strings.HasSuffix(text, "secret") {
		t.Errorf("staff reads %s", text)
	}
}
