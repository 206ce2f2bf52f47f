package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// pictured is a project of albums with covers, and of notes with papers. Members see open albums and no
// papers; staff see everything.
func pictured(t *testing.T) *facade.Project {
	t.Helper()
	return folderOf(t, map[string]string{
		"fronds/shop/entities/album.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  open: {type: boolean}
  cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  paper: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
required: [id, title, open]
`,
		"fronds/shop/seeds/album.yaml": "- {id: a, title: A, open: true}\n- {id: b, title: B, open: true}\n- {id: c, title: C, open: false}\n",
		"fronds/shop/frond.yaml": `
many: {album: '*'}
files:
  album.cover: {types: [image/png, image/jpeg], max: 64KiB, sizes: {thumb: 20x20}}
  album.paper: {types: [application/pdf, text/plain, text/html], max: 1MiB}
collectors:
  album:
    - when: '"staff" in user.roles'
    - rows: {open: {eq: true}}
      hide: [paper]
      deny: [delete, create]
`,
	})
}

// The callers of these tests.
const (
	keeper = `X-Frond-User: {"id":"eva","roles":["staff"]}`
	second = `X-Frond-User: {"id":"tom","roles":["staff"]}`
	member = `X-Frond-User: {"id":"ida","roles":[]}`
)

// overFileStores runs a test over each store, with the files in memory or in a folder.
func overFileStores(t *testing.T, test func(t *testing.T, s *fileSite)) {
	t.Helper()
	for name, config := range map[string]func(t *testing.T) gateway.Config{
		"memory": func(*testing.T) gateway.Config { return gateway.Config{Store: "memory"} },
		"sqlite": func(t *testing.T) gateway.Config {
			return gateway.Config{Store: "sqlite:" + filepath.Join(t.TempDir(), "shop.db")}
		},
		"postgres": func(t *testing.T) gateway.Config {
			c := gateway.Config{Extras: all.Extras(), Store: pgtest.Database(t)}
			c.Files.Store = "file://" + filepath.ToSlash(t.TempDir())
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			c.Mode, c.Identity.Dev = gateway.Development, true
			test(t, fileSiteOf(t, pictured(t), c))
		})
	}
	t.Run("remote", func(t *testing.T) {
		dir := t.TempDir()
		private, public := keysIn(t, dir)
		host := receiverOfFiles(t, gateway.Config{Dir: dir, Signing: gateway.Signing{Keys: []string{public}}})
		c := gateway.Config{Dir: dir, Store: "memory", Mode: gateway.Development, Signing: gateway.Signing{Key: private}, Remotes: map[string]gateway.Remote{"shop": {URL: host}}}
		c.Identity.Dev = true
		test(t, fileSiteOf(t, pictured(t), c))
	})
	t.Run("remote without cards here", func(t *testing.T) {
		c := gateway.Config{Store: "memory", Mode: gateway.Development, Remotes: map[string]gateway.Remote{"shop": {URL: receiverOfFiles(t, gateway.Config{})}}}
		c.Identity.Dev = true
		test(t, fileSiteOf(t, folderOf(t, map[string]string{"fronds/desk/frond.yaml": "collectors: {'*': open}\n"}), c))
	})
	t.Run("two hops", func(t *testing.T) { test(t, newHops(t, "", true).front) })
	t.Run("two hops without cards here", func(t *testing.T) { test(t, newHops(t, noCards, true).front) })
	t.Run("a gateway with the rows", func(t *testing.T) { test(t, newHops(t, "", false).front) })
}

// receiverOfFiles is the address of a host of the albums.
func receiverOfFiles(t *testing.T, c gateway.Config) string {
	t.Helper()
	c.Store, c.Mode = "memory", gateway.Development
	r, err := gateway.NewReceiver(pictured(t), "shop", &gateway.ReceiverOptions{Options: gateway.Options{Config: c, Logger: slog.New(slog.DiscardHandler)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	server := httptest.NewServer(r.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// fileSiteOf is a gateway of a project.
func fileSiteOf(t *testing.T, project *facade.Project, c gateway.Config) *fileSite {
	t.Helper()
	g, err := gateway.New(project, &gateway.Options{Config: c, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	return &fileSite{t, server.URL}
}

// fileSite is a gateway that answers over HTTP.
type fileSite struct {
	t   *testing.T
	url string
}

// do sends a request and returns the status, the headers and the body.
func (s *fileSite) do(method, path string, body []byte, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}

// want is do with a status that has to come, and words of the answer.
func (s *fileSite) want(status int, words, method, path string, body []byte, headers ...string) (http.Header, string) {
	s.t.Helper()
	got, header, text := s.do(method, path, body, headers...)
	if got != status || !strings.Contains(text, words) {
		s.t.Errorf("%s %s is %d %s; want %d with %q", method, path, got, text, status, words)
	}
	return header, text
}

// ask sends a document to GraphQL.
func (s *fileSite) ask(query string, headers ...string) string {
	s.t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	_, _, text := s.do("POST", "/graphql", body, append(headers, "Content-Type: application/json")...)
	return text
}

// sent describes a file that was sent.
func sent(t *testing.T, text string) (id string) {
	t.Helper()
	var file struct{ ID string }
	if err := json.Unmarshal([]byte(text), &file); err != nil || file.ID == "" {
		t.Fatalf("%s is no file", text)
	}
	return file.ID
}

// pngOf is a picture in PNG, of one colour.
func pngOf(w, h int, c color.Color) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, painted(w, h, c))
	return b.Bytes()
}

func painted(w, h int, c color.Color) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, c)
	}
	return m
}

const aPNG = "Content-Type: image/png"

// TestFileOfARow: a file is put, read whole and in part, shrunk, replaced and removed.
func TestFileOfARow(t *testing.T) {
	red, blue := pngOf(60, 30, color.RGBA{255, 0, 0, 255}), pngOf(10, 10, color.RGBA{0, 0, 255, 255})
	overFileStores(t, func(t *testing.T, s *fileSite) {
		const at = "/api/shop/albums/a/cover"
		s.want(404, "this album has no cover", "GET", at, nil)
		_, text := s.want(200, `"name":"Ünder.png"`, "PUT", at, red, keeper, aPNG, `Content-Disposition: attachment; filename*=UTF-8''..%2F%C3%9Cnder.png`)
		s.want(200, `"cover":"`+sent(t, text)+`"`, "GET", "/api/shop/albums/a", nil)

		header, body := s.want(200, "", "GET", at, nil)
		tag := header.Get("ETag")
		if body != string(red) || header.Get("Content-Type") != "image/png" || header.Get("X-Content-Type-Options") != "nosniff" || len(tag) != 66 ||
			header.Get("Content-Disposition") != "inline; filename*=utf-8''%C3%9Cnder.png" || header.Get("Last-Modified") == "" {
			t.Errorf("the file is %d bytes with %v", len(body), header)
		}
		s.want(304, "", "GET", at, nil, "If-None-Match: "+tag)
		if header, body := s.want(200, "", "HEAD", at, nil); body != "" || header.Get("Content-Length") != fmt.Sprint(len(red)) {
			t.Errorf("HEAD is %q with %v", body, header)
		}
		if header, body := s.want(206, "", "GET", at, nil, "Range: bytes=1-3"); body != "PNG" || header.Get("Content-Range") != fmt.Sprintf("bytes 1-3/%d", len(red)) {
			t.Errorf("the range is %q with %v", body, header)
		}
		s.want(416, "", "GET", at, nil, "Range: bytes=9999999-")
		if header, _ := s.want(416, "", "GET", at, nil, "Range: bytes=-0"); header.Get("Content-Range") != fmt.Sprintf("bytes */%d", len(red)) {
			t.Errorf("the last 0 bytes are %v", header)
		}
		if _, body := s.want(206, "", "GET", at, nil, "Range: Bytes=-0, 1-3"); body != "PNG" {
			t.Errorf("a range beside one that cannot be is %q", body)
		}
		if _, body := s.want(200, "", "GET", at, nil, "Range: lines=1-3"); body != string(red) {
			t.Errorf("an unknown unit is %q", body)
		}
		for range 2 { // made, and kept
			header, body := s.want(200, "", "GET", at+"?size=thumb", nil)
			m, err := png.Decode(strings.NewReader(body))
			if err != nil || m.Bounds().Dx() != 20 || m.Bounds().Dy() != 10 || header.Get("ETag") == tag {
				t.Errorf("the thumb is %v, %v, with %v", m.Bounds(), err, header)
			}
		}
		s.want(400, "size must be one of the sizes thumb", "GET", at+"?size=huge", nil)
		s.want(400, "is not a key of a file", "GET", at+"?width=3", nil)

		s.want(412, "send its ETag", "PUT", at, blue, keeper, aPNG, `If-Match: "other"`)
		s.want(200, "", "PUT", at, blue, keeper, aPNG, "If-Match: "+tag)
		if _, body := s.want(200, "", "GET", at, nil, "If-None-Match: "+tag); body != string(blue) {
			t.Error("the file was not replaced")
		}
		s.want(204, "", "DELETE", at, nil, keeper)
		s.want(404, "this album has no cover", "GET", at, nil)
		s.want(405, "GET, HEAD, PUT, DELETE, OPTIONS", "POST", at, []byte("{}"), keeper)
	})
}

// TestFilesRefused: what a file is refused for; nothing of it is written.
func TestFilesRefused(t *testing.T) {
	small := pngOf(4, 4, color.White)
	var jpg bytes.Buffer
	_ = jpeg.Encode(&jpg, painted(4, 4, color.White), nil)
	overFileStores(t, func(t *testing.T, s *fileSite) {
		const at = "/api/shop/albums/a/cover"
		s.want(400, "sent as image/jpeg, and its content is image/png", "PUT", at, small, keeper, "Content-Type: image/jpeg")
		s.want(400, "sent as image/png, and its content is text/html", "PUT", at, []byte("<html><script>"), keeper, aPNG)
		s.want(400, "a file of type image/gif is not taken here; send one of image/png, image/jpeg", "PUT", at, []byte("GIF89a"), keeper, "Content-Type: image/gif")
		s.want(400, `"details":[{"path":"cover","pointer":"/body/cover","code":"contentMediaType","message":"a file of type`, "PUT", at, []byte("GIF89a"), keeper, "Content-Type: image/gif")
		s.want(413, `"details":[{"path":"cover","pointer":"/body/cover","code":"maxSize","message":"the file is over`, "POST", "/api/files?field=album.cover", append(bytes.Clone(small), make([]byte, 1<<16)...), keeper, aPNG)
		s.want(400, "the file has no type", "PUT", at, small, keeper)
		s.want(400, "the file is empty", "PUT", at, nil, keeper, aPNG)
		s.want(400, "is no such image", "PUT", at, small[:20], keeper, aPNG)
		s.want(413, "over its maximum of 65536 bytes", "PUT", at, append(bytes.Clone(small), make([]byte, 1<<16)...), keeper, aPNG)
		bomb := bytes.Clone(small)
		copy(bomb[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536 by 65536, and the checksum of its head
		copy(bomb[29:], []byte{0x1f, 0x2a, 0, 0})
		s.want(400, "is no such image", "PUT", at, bomb, keeper, aPNG)
		s.want(200, "", "PUT", at, jpg.Bytes(), keeper, "Content-Type: image/jpeg")
		s.want(404, "there is no album with this id", "PUT", "/api/shop/albums/nope/cover", small, keeper, aPNG)
		s.want(404, "no route here", "GET", "/api/shop/albums/a/nope", nil, keeper)

		// A member sees neither the closed row nor the papers.
		s.want(200, "", "PUT", "/api/shop/albums/c/cover", small, keeper, aPNG)
		s.want(200, "", "PUT", "/api/shop/albums/a/paper", []byte("secret"), keeper, "Content-Type: text/plain")
		s.want(404, "there is no album with this id", "GET", "/api/shop/albums/c/cover", nil, member)
		s.want(404, "there is no album with this id", "PUT", "/api/shop/albums/c/cover", small, member, aPNG)
		s.want(404, "there is no album with this id", "DELETE", "/api/shop/albums/c/cover", nil, member)
		_, full := s.want(404, "this album has no paper", "GET", "/api/shop/albums/a/paper", nil, member)
		if _, empty := s.want(404, "", "GET", "/api/shop/albums/b/paper", nil, member); strings.ReplaceAll(full, "albums/a", "albums/b") != empty {
			t.Errorf("a hidden file differs from none: %s, %s", full, empty)
		}
		s.want(400, "paper is not part of the card", "PUT", "/api/shop/albums/a/paper", []byte("mine"), member, "Content-Type: text/plain")
		s.want(400, "paper is not part of the card", "DELETE", "/api/shop/albums/a/paper", nil, member)
		s.want(200, "", "PUT", "/api/shop/albums/b/paper", []byte("<html><script>"), keeper, "Content-Type: text/html")
		if header, _ := s.want(200, "<script>", "GET", "/api/shop/albums/b/paper", nil, keeper); !strings.HasPrefix(header.Get("Content-Disposition"), "attachment") || !strings.Contains(header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("a page is sent with %v", header)
		}
		if text := s.ask(`{ album(id: "a") { paperId paper { id } cover { id } } }`, member); !strings.Contains(text, `"paperId":null,"paper":null,"cover":{"id":"`) {
			t.Error(text)
		}
	})
}

// TestFilesWithoutARow: a file that was sent is taken by one row, of the caller who sent it.
func TestFilesWithoutARow(t *testing.T) {
	small := pngOf(4, 4, color.White)
	overFileStores(t, func(t *testing.T, s *fileSite) {
		send := func(headers ...string) string {
			_, text := s.want(201, `"type":"image/png"`, "POST", "/api/files", small, append(headers, aPNG)...)
			return sent(t, text)
		}
		id := send(keeper)
		const unknown = "cover is not the id of a file that you have sent and that no row has"
		patch := func(row, id string) []byte { return []byte(`{"cover":"` + id + `"}`) }
		s.want(400, unknown, "PATCH", "/api/shop/albums/a", patch("a", id), second, "Content-Type: application/json")
		s.want(400, unknown, "PATCH", "/api/shop/albums/a", patch("a", "nope"), keeper, "Content-Type: application/json")
		s.want(400, "paper is a file of type image/png, and must be application/pdf, text/plain or text/html", "PATCH", "/api/shop/albums/a", []byte(`{"paper":"`+id+`"}`), keeper, "Content-Type: application/json")
		s.want(200, id, "PATCH", "/api/shop/albums/a", patch("a", id), keeper, "Content-Type: application/json")
		s.want(200, id, "PATCH", "/api/shop/albums/a", patch("a", id), keeper, "Content-Type: application/json") // the row holds it already
		s.want(400, unknown, "PATCH", "/api/shop/albums/b", patch("b", id), keeper, "Content-Type: application/json")
		other := send(keeper)
		if text := s.ask(`mutation { createAlbum(input: {id: "n", title: "N", open: true, cover: "`+other+`"}) { coverId cover { name size url(size: THUMB) } } }`, keeper); !strings.Contains(text, `"coverId":"`+other+`","cover":{"name":"file","size":`) || !strings.Contains(text, `"url":"/api/shop/albums/n/cover?size=thumb"`) {
			t.Error(text)
		}
		rows := fmt.Sprintf(`[{"id":"x","title":"X","open":true,"cover":%q},{"id":"y","title":"Y","open":true,"cover":%q}]`, send(keeper), other)
		s.want(400, "/body/1/cover", "POST", "/api/shop/albums", []byte(rows), keeper, "Content-Type: application/json")
		s.want(404, "", "GET", "/api/shop/albums/x", nil, keeper)
		rows = fmt.Sprintf(`[{"id":"x","title":"X","open":true,"cover":%q},{"id":"y","title":"Y","open":true,"cover":%q}]`, send(keeper), send(keeper))
		s.want(201, "", "POST", "/api/shop/albums", []byte(rows), keeper, "Content-Type: application/json")
		s.want(200, "PNG", "GET", "/api/shop/albums/y/cover", nil)
		rows = fmt.Sprintf(`[{"id":"v","title":"V","open":true,"cover":%q},{"id":"w","title":"W","open":true,"cover":%[1]q}]`, send(keeper))
		s.want(400, "/body/1/cover", "POST", "/api/shop/albums", []byte(rows), keeper, "Content-Type: application/json")
		s.want(404, "", "GET", "/api/shop/albums/v", nil, keeper)
		s.want(400, "is not part of the card", "PATCH", "/api/shop/albums/a", []byte(`{"paper":"`+send(keeper)+`"}`), member, "Content-Type: application/json")
		frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"album.updateMany","params":{"query":{"where":{"open":{"eq":true}}},"body":{"cover":%q}}}`, send(keeper))
		s.want(200, unknown, "POST", "/_kit/call", []byte(frame), keeper, "Content-Type: application/json") // one file is not given to several rows
		s.want(415, "", "PATCH", "/api/shop/albums/a", small, keeper, aPNG)
		s.want(405, "POST, OPTIONS", "GET", "/api/files", nil, keeper)
		const noAddress = "has no pre-signed addresses for these files; send the bytes as the body"
		s.want(501, noAddress, "POST", "/api/files?field=album.cover&size=9&sha256="+strings.Repeat("0", 64), nil, keeper, aPNG)
		s.want(501, noAddress, "POST", "/api/files?sent="+id, nil, keeper)
	})
}

// TestFilesInForms: create and update take a form.
func TestFilesInForms(t *testing.T) {
	small := pngOf(4, 4, color.White)
	overFileStores(t, func(t *testing.T, s *fileSite) {
		form := func(body string, files map[string][]byte) ([]byte, string) {
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			if body != "" {
				_ = w.WriteField("body", body)
			}
			for name, file := range files {
				part, _ := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + name + `"; filename="a b.png"`}, "Content-Type": {"image/png"}})
				_, _ = part.Write(file)
			}
			_ = w.Close()
			return b.Bytes(), "Content-Type: " + w.FormDataContentType()
		}
		body, media := form(`{"id":"f","title":"F","open":true}`, map[string][]byte{"cover": small})
		s.want(403, "", "POST", "/api/shop/albums", body, member, media)
		s.want(201, `"cover":"`, "POST", "/api/shop/albums", body, keeper, media)
		if header, _ := s.want(200, "PNG", "GET", "/api/shop/albums/f/cover", nil); header.Get("Content-Disposition") != `inline; filename="a b.png"` {
			t.Errorf("the file has %v", header)
		}
		body, media = form("", map[string][]byte{"cover": pngOf(5, 5, color.Black)})
		s.want(200, `"title":"F"`, "PATCH", "/api/shop/albums/f", body, keeper, media)
		body, media = form(`{"title":"G"}`, map[string][]byte{"title": small})
		s.want(400, "title does not name a field with files", "PATCH", "/api/shop/albums/f", body, keeper, media)
		body, media = form(`{"title":7}`, map[string][]byte{"cover": small})
		s.want(400, "title", "PATCH", "/api/shop/albums/f", body, keeper, media)
		s.want(400, "the form could not be read", "PATCH", "/api/shop/albums/f", body[:40], keeper, media)
		// An input without a chosen file is no file; two files of one field are named.
		body, media = form(`{"title":"H"}`, nil)
		part := func(filename string, file []byte) []byte {
			_, boundary, _ := strings.Cut(media, "boundary=")
			return append(fmt.Appendf(nil, "--%s\r\nContent-Disposition: form-data; name=\"cover\"; filename=%q\r\nContent-Type: image/png\r\n\r\n%s\r\n", boundary, filename, file), body...)
		}
		s.want(200, `"title":"H"`, "PATCH", "/api/shop/albums/f", part("", nil), keeper, media)
		s.want(200, "PNG", "GET", "/api/shop/albums/f/cover", nil)
		body = part("a.png", small)
		s.want(400, "cover has two parts in the form; send one file", "PATCH", "/api/shop/albums/f", part("b.png", small), keeper, media)
		// Its smaller images could never be made.
		body, media = form(`{"title":"I"}`, map[string][]byte{"cover": small[:len(small)-20]})
		s.want(422, "cannot be decoded", "PATCH", "/api/shop/albums/f", body, keeper, media)
		body, media = form("", map[string][]byte{"file": small})
		s.want(201, `"name":"a b.png"`, "POST", "/api/files", body, keeper, media)
	})
}

// TestFilesAtOnce: of many who put a file at once, one is the last; no file is half of two.
func TestFilesAtOnce(t *testing.T) {
	overFileStores(t, func(t *testing.T, s *fileSite) {
		var all sync.WaitGroup
		files := map[string]bool{}
		for i := range 8 {
			file := pngOf(10+i, 10, color.Gray{uint8(20 * i)})
			files[string(file)] = true
			all.Go(func() {
				if status, _, text := s.do("PUT", "/api/shop/albums/a/cover", file, keeper, aPNG); status != 200 {
					t.Errorf("a file is %d %s", status, text)
				}
			})
		}
		all.Wait()
		if _, body := s.want(200, "", "GET", "/api/shop/albums/a/cover", nil); !files[body] {
			t.Error("the row has none of the files")
		}
		taken := sent(t, func() string {
			_, text := s.want(201, "", "POST", "/api/files", pngOf(3, 3, color.White), keeper, aPNG)
			return text
		}())
		won := make(chan string, 4)
		for _, row := range []string{"a", "b", "c"} {
			all.Go(func() {
				if status, _, _ := s.do("PATCH", "/api/shop/albums/"+row, []byte(`{"cover":"`+taken+`"}`), keeper, "Content-Type: application/json"); status == 200 {
					won <- row
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Errorf("%d rows have one file", len(won))
		}
	})
}

// TestFilesAtTheStart: faults of files in a project are reported at the start, with the text to write.
func TestFilesAtTheStart(t *testing.T) {
	const card = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  n: {type: integer}\n  cover: {type: string}\n  day: {type: string, format: date}\nrequired: [id]\n"
	for _, c := range []struct{ files, want, remedy string }{
		{"nope.cover: {types: [image/png]}", "nope is not a door with rows", "name an entity of app"},
		{"item.nope: {types: [image/png]}", "item has no field nope", "nope: {type: [string, 'null']}"},
		{"item.n: {types: [image/png]}", "item.n is not a plain text", "n: {type: [string, 'null']}"},
		{"item.day: {types: [image/png]}", "item.day is not a plain text", "in the card"},
		{"item.id: {types: [image/png]}", "item.id is not a plain text", "in the card"},
		{"item: {types: [image/png]}", `"item" does not name a field`, "product.image"},
		{"item.cover: {max: 3MiB}", "item.cover does not say which files it takes", "types: [image/png, image/jpeg]"},
		{"item.cover: {types: [png]}", `"png" is no media type`, "such as image/png"},
		{"item.cover: {types: [image/png], max: lots}", "max has to be a number of bytes", "max: 5MiB"},
		{"item.cover: {types: [image/png], sizes: {thumb: big}}", "a size has to be a width and a height", "thumb: 200x200"},
		{"item.cover: {types: [image/png], sizes: {thumb: 9000x1}}", "a size has to be a width and a height", "4096"},
		{"item.cover: {types: [application/pdf], sizes: {thumb: 9x9}}", "item.cover takes no images", "add image/png"},
		{"item.cover: {types: [image/png], size: 3}", "has no key size", "its keys are types, max, sizes"},
	} {
		_, err := gateway.New(folderOf(t, map[string]string{"entities/item.yaml": card, "frond.yaml": "files: {" + c.files + "}\n"}), &gateway.Options{Config: gateway.Config{Store: "memory", Mode: gateway.Development}, Logger: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("%s: the error is %v; want %s, %s", c.files, err, c.want, c.remedy)
		}
	}
	frond := map[string]string{"entities/item.yaml": card, "frond.yaml": "doors: {item: {operations: {only: [list]}}}\nfiles: {item.cover: {types: [image/png]}}\n"}
	config := gateway.Config{Extras: all.Extras(), Store: "postgres://localhost/none"}
	checked := config
	checked.KeepInMemory()
	if _, err := gateway.New(folderOf(t, frond), &gateway.Options{Config: checked, Logger: slog.New(slog.DiscardHandler), Undecided: true}); err == nil || !strings.Contains(err.Error(), "a store on PostgreSQL has no place for them") {
		t.Errorf("a check without a place for files is %v", err)
	}
	if _, err := gateway.New(folderOf(t, frond), &gateway.Options{Config: config, Logger: slog.New(slog.DiscardHandler), Undecided: true}); err == nil || !strings.Contains(err.Error(), "a store on PostgreSQL has no place for them") || !strings.Contains(err.Error(), "files: {store: file:///var/lib/shop/files}") {
		t.Errorf("without a place for files the error is %v", err)
	}
	for _, text := range []string{"ftp://x", "file://relative", "mem://x", "s3://", "s3://bucket?colour=red"} {
		if err := new(gateway.Config).Set("files.store", text); err == nil {
			t.Errorf("files.store takes %s", text)
		}
	}
}

// TestFilesStoreOfAVariable: files.store may name a variable, which is read at the start.
func TestFilesStoreOfAVariable(t *testing.T) {
	frond := map[string]string{
		"entities/item.yaml": "type: object\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}, cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}}\n",
		"frond.yaml":         "collectors: {item: open}\nfiles: {item.cover: {types: [image/png]}}\n",
	}
	for text, want := range map[string]string{
		"":            "files.store is env:FROND_TEST_FILES, which is not set; set FROND_TEST_FILES to the storage's URL",
		"ftp://x":     "the variable FROND_TEST_FILES does not hold the URL of a storage: write file:///FOLDER",
		"env:ANOTHER": "does not hold the URL of a storage",
		"file://" + filepath.ToSlash(t.TempDir()): "",
	} {
		t.Setenv("FROND_TEST_FILES", text)
		config := gateway.Config{}
		if err := config.Set("files.store", "env:FROND_TEST_FILES"); err != nil {
			t.Fatal(err)
		}
		gw, err := gateway.New(folderOf(t, frond), quiet(gateway.Options{Config: config}))
		if err == nil {
			_ = gw.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestFilesThatFail: missing bytes are GONE on the surfaces, and a folder that is gone turns /readyz, until it is
// there again; both are counted.
func TestFilesThatFail(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "files")
	c := gateway.Config{Extras: all.Extras(), Store: "memory", Mode: gateway.Development}
	c.Identity.Dev, c.Admin.Listen, c.Files.Store = true, "127.0.0.1:0", "file://"+filepath.ToSlash(dir)
	g, err := gateway.New(pictured(t), &gateway.Options{Config: c, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	s := &fileSite{t, server.URL}
	counted := func(failing, failures, missing float64) {
		t.Helper()
		all := numbers(t, g.AdminHandler())
		if all["frond_files_failing"] != failing || all["frond_files_failures_total"] != failures || all["frond_files_missing_total"] != missing {
			t.Errorf("the numbers are %v, %v, %v", all["frond_files_failing"], all["frond_files_failures_total"], all["frond_files_missing_total"])
		}
	}
	red := pngOf(30, 20, color.White)
	_, text := s.want(200, "", "PUT", "/api/shop/albums/a/cover", red, keeper, "Content-Type: image/png")
	s.want(200, "ready", "GET", "/readyz", nil)
	counted(0, 0, 0)
	if err := os.Remove(filepath.Join(dir, sent(t, text), "original")); err != nil {
		t.Fatal(err)
	}
	s.want(410, "send the file again", "GET", "/api/shop/albums/a/cover", nil, keeper)
	s.want(410, "GONE", "GET", "/api/shop/albums/a/cover?size=thumb", nil, keeper)
	s.want(200, "ready", "GET", "/readyz", nil)
	counted(0, 0, 2)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.want(503, "the storage of files", "PUT", "/api/shop/albums/a/cover", red, keeper, "Content-Type: image/png")
	s.want(503, "the storage of files", "GET", "/api/shop/albums/a/cover", nil, keeper)
	s.want(503, "the storage of files takes no files", "GET", "/readyz", nil)
	s.want(200, "A", "GET", "/api/shop/albums/a", nil, keeper)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.want(200, "ready", "GET", "/readyz", nil)
	s.want(200, "", "PUT", "/api/shop/albums/a/cover", red, keeper, "Content-Type: image/png")
	s.want(200, "", "GET", "/api/shop/albums/a/cover", nil, keeper)
}
