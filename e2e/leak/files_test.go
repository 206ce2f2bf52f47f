package leak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	config := gateway.Config{Store: "memory", Mode: gateway.Development}
	config.Identity.Dev = true
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
	hidden string // the id of a file that members do not see, or of none
}

func newFileWorld(t *testing.T) *fileWorld {
	t.Helper()
	return &fileWorld{smallWorld: newWorld(t, fstest.MapFS{
		"fronds/shop/entities/album.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  open: {type: boolean}\n" +
			"  cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n  paper: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\nrequired: [id, open]\n")},
		"fronds/shop/frond.yaml": {Data: []byte("many: {album: [create, update, upsert]}\nfiles:\n  album.cover: {types: [image/png], max: 64KiB, sizes: {thumb: 8x8}}\n  album.paper: {types: [image/png, text/plain]}\n" +
			"collectors:\n  album:\n    - when: '\"staff\" in user.roles'\n    - {rows: {open: {eq: true}}, hide: [paper]}\n")},
	})}
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
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)))
	picture := b.Bytes()
	one, other := newFileWorld(t), newFileWorld(t)
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
	if text := one.request(worldStaff, "GET", "/api/shop/albums/a/paper", "", nil); !strings.HasSuffix(text, "secret") {
		t.Errorf("staff reads %s", text)
	}
}
