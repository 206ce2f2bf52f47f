package files_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/gateway/s3"
	"github.com/frondhost/frond/store/storetest"
)

// albums is a project of albums with covers.
func albums(t *testing.T) *facade.Project {
	t.Helper()
	p, err := facade.Read(fstest.MapFS{
		"fronds/shop/entities/album.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\nrequired: [id]\n")},
		"fronds/shop/seeds/album.yaml":    {Data: []byte("- {id: a}\n")},
		"fronds/shop/frond.yaml":          {Data: []byte("files: {album.cover: {types: [image/png], max: 2KiB}}\ncollectors:\n  album:\n    - when: user.id != 'eve'\n    - deny: [create, update]\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shop is a gateway of the albums, and a page that speaks to it and to S3.
type shop struct {
	t   *testing.T
	url string
}

func opened(t *testing.T, store string, presign time.Duration) *shop {
	t.Helper()
	c := gateway.Config{Extras: all.Extras(), Store: "memory", Mode: gateway.Development}
	c.Identity.Dev, c.Files.Store, c.Files.Presign = true, store, presign
	g, err := gateway.New(albums(t), &gateway.Options{Config: c, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	return &shop{t, server.URL}
}

// do sends a request, to the gateway where url is a path.
func (s *shop) do(method, url string, body []byte, headers map[string]string) (int, string) {
	s.t.Helper()
	if strings.HasPrefix(url, "/") {
		url = s.url + url
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
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
	return res.StatusCode, string(text)
}

// want is do as a user, with a status that has to come and words of the answer.
func (s *shop) want(status int, words, method, url string, body []byte, user, media string) string {
	s.t.Helper()
	headers := map[string]string{"X-Frond-User": `{"id":"` + user + `"}`, "Content-Disposition": `attachment; filename="a b.png"`}
	if media != "" {
		headers["Content-Type"] = media
	}
	got, text := s.do(method, url, body, headers)
	if got != status || !strings.Contains(text, words) {
		s.t.Errorf("%s %s is %d %s; want %d with %q", method, url, got, text, status, words)
	}
	return text
}

// announce is the request for an address for some bytes.
func announce(body []byte) string {
	return fmt.Sprintf("/api/files?field=album.cover&size=%d&sha256=%x", len(body), sha256.Sum256(body))
}

// address asks for the address of some bytes as ada.
func (s *shop) address(body []byte) facade.FileAddress {
	s.t.Helper()
	return s.addressFor(announce(body))
}

func (s *shop) addressFor(path string) (a facade.FileAddress) {
	s.t.Helper()
	text := s.want(201, `"url":"http`, "POST", path, nil, "ada", "image/png")
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

// put sends bytes to an address of S3, which has to answer with a status.
func (s *shop) put(status int, a facade.FileAddress, body []byte, more ...string) {
	s.t.Helper()
	headers := map[string]string{}
	for name, value := range a.Headers {
		headers[name] = value
	}
	for i := 0; i < len(more); i += 2 {
		headers[more[i]] = more[i+1]
	}
	if got, text := s.do("PUT", a.URL, body, headers); got != status {
		s.t.Errorf("S3 answers %d %s, want %d", got, text, status)
	}
}

// pngOf is a picture.
func pngOf(w, h int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)))
	return b.Bytes()
}

// TestSentToS3: a page sends the bytes of a file to S3, and a row takes the file.
func TestSentToS3(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	s, picture := opened(t, store, time.Hour), pngOf(9, 9)
	a := s.address(picture)
	if until := time.Until(a.Expires); until > 15*time.Minute || until < 14*time.Minute || !strings.Contains(a.URL, "X-Amz-Expires=900&") {
		t.Errorf("the address is valid for %s", until)
	}
	s.want(400, "are not there; send them to its url first", "POST", "/api/files?sent="+a.ID, nil, "ada", "")
	s.put(200, a, picture, "Content-Encoding", "br")
	s.want(404, "no file with this id waits for its bytes", "POST", "/api/files?sent="+a.ID, nil, "tom", "")
	s.want(403, "", "POST", "/api/files?sent="+a.ID, nil, "eve", "")
	sum := sha256.Sum256(picture)
	s.want(201, fmt.Sprintf(`{"id":"%s","name":"a b.png","type":"image/png","size":%d,"sha256":"%x"}`, a.ID, len(picture), sum), "POST", "/api/files?sent="+a.ID, nil, "ada", "")
	if keys := fake.Keys(); !slices.Equal(keys, []string{a.ID + "/original"}) {
		t.Errorf("S3 has %q", keys)
	}
	s.want(404, "no file with this id waits for its bytes", "POST", "/api/files?sent="+a.ID, nil, "ada", "")
	s.want(200, a.ID, "PATCH", "/api/shop/albums/a", []byte(`{"cover":"`+a.ID+`"}`), "ada", "application/json")
	s.want(200, string(picture), "GET", "/api/shop/albums/a/cover", nil, "ada", "")
	var read facade.FileAddress
	if text := s.want(200, `"url":"http`, "GET", "/api/shop/albums/a/cover?address=true", nil, "ada", ""); json.Unmarshal([]byte(text), &read) != nil || !strings.Contains(read.URL, "X-Amz-Expires=3600&") || time.Until(read.Expires) < 59*time.Minute {
		t.Errorf("the address to read at is %s", text)
	}
	if status, body := s.do("GET", read.URL, nil, nil); status != 200 || body != string(picture) {
		t.Errorf("S3 gives %d, %d bytes", status, len(body))
	}
	a = s.address(picture)
	s.want(400, "not the id of a file that you have sent", "PATCH", "/api/shop/albums/a", []byte(`{"cover":"`+a.ID+`"}`), "ada", "application/json")
}

// TestAddressesRefused: a request for an address is judged as an upload is, before there is one.
func TestAddressesRefused(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	s, picture := opened(t, store, time.Hour), pngOf(9, 9)
	ask, sum := announce(picture), strings.Repeat("0", 64)
	s.want(200, `{"name":"sha256","in":"query"`, "GET", "/openapi.json", nil, "ada", "")
	s.want(413, "its maximum of 2048 bytes", "POST", "/api/files?size=2049&sha256="+sum, nil, "ada", "image/png")
	s.want(400, "send one of image/png", "POST", ask, nil, "ada", "text/plain")
	s.want(400, "the file has no type", "POST", ask, nil, "ada", "")
	s.want(403, "", "POST", ask, nil, "eve", "image/png")
	s.want(400, "size must be the number of bytes", "POST", "/api/files?sha256="+sum, nil, "ada", "image/png")
	s.want(400, "size must be the number of bytes", "POST", "/api/files?size=0&sha256="+sum, nil, "ada", "image/png")
	s.want(400, "sha256 must be the SHA-256", "POST", "/api/files?size=9", nil, "ada", "image/png")
	s.want(400, "sha256 must be the SHA-256", "POST", "/api/files?size=9&sha256=00", nil, "ada", "image/png")
	s.want(400, "size is sent more than once; send it once", "POST", "/api/files?size=9&size=8&sha256="+sum, nil, "ada", "image/png")
	s.want(400, "which goes to the pre-signed address", "POST", ask, picture, "ada", "image/png")
	s.want(400, "which goes to the pre-signed address", "POST", "/api/files?sent=x", picture, "ada", "image/png")
	s.want(404, "no file with this id", "POST", "/api/files?sent=x", nil, "ada", "")
	if keys := fake.Keys(); keys != nil {
		t.Errorf("S3 has %q", keys)
	}
}

// TestAddressesAreOff: without files.presign S3 has no addresses.
func TestAddressesAreOff(t *testing.T) {
	_, store := files.NewFakeS3(t)
	s := opened(t, store, 0)
	s.want(501, "send the bytes as the body", "POST", announce(pngOf(9, 9)), nil, "ada", "image/png")
	s.want(201, "a b.png", "POST", "/api/files?field=album.cover", pngOf(9, 9), "ada", "image/png")
}

// TestAddressIsBound: an address takes the announced bytes under their type, for its time, and no others.
func TestAddressIsBound(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	s, picture := opened(t, store, time.Hour), pngOf(9, 9)
	other := slices.Clone(picture)
	other[len(other)-1]++
	a := s.address(picture)
	s.put(403, a, other)
	fake.Careless = true
	s.put(403, a, append(slices.Clone(picture), 0))
	s.put(403, a, picture, "Content-Type", "text/html")
	sum := sha256.Sum256(other)
	s.put(403, a, other, "X-Amz-Checksum-Sha256", hex.EncodeToString(sum[:]))
	s.put(403, a, picture, "X-Amz-Acl", "public-read")
	s.put(403, facade.FileAddress{URL: a.URL}, picture)
	s.put(403, facade.FileAddress{URL: strings.Replace(a.URL, "/sent?", "/original?", 1), Headers: a.Headers}, picture)
	fake.Now = func() time.Time { return a.Expires.Add(2 * time.Second) }
	s.put(403, a, picture)
	if keys := fake.Keys(); keys != nil {
		t.Errorf("S3 has %q", keys)
	}
	s.want(400, "are not there", "POST", "/api/files?sent="+a.ID, nil, "ada", "")
}

// TestSentBytesAreChecked: bytes that have a fault are dropped, also where S3 does not compare their hash.
func TestSentBytesAreChecked(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	fake.Careless = true
	s, picture := opened(t, store, time.Hour), pngOf(9, 9)
	other := slices.Clone(picture)
	other[len(other)-1]++
	for _, c := range []struct {
		announced, sent []byte
		want            string
	}{
		{picture, other, "the file did not arrive whole"},
		{[]byte("some text"), []byte("some text"), "its content is text/plain"},
		{picture[:20], picture[:20], "is no such image"},
	} {
		a := s.address(c.announced)
		s.put(200, a, c.sent)
		s.want(400, c.want, "POST", "/api/files?sent="+a.ID, nil, "ada", "")
		s.want(404, "no file with this id", "POST", "/api/files?sent="+a.ID, nil, "ada", "")
		if keys := fake.Keys(); keys != nil {
			t.Errorf("%s: S3 has %q", c.want, keys)
		}
	}
}

// TestSizeOfSentBytes: bytes of another size than the announced one are refused, and those over the maximum of the
// field before they are copied, whatever S3 let pass.
func TestSizeOfSentBytes(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	s, picture := opened(t, store, time.Hour), pngOf(9, 9)
	copies := 0
	fake.Before = func(r *http.Request) {
		if r.Header.Get("X-Amz-Copy-Source") != "" {
			copies++
		}
	}
	for _, c := range []struct {
		more, status, copies int
		want                 string
	}{{7, 400, 1, "the file did not arrive whole"}, {2048, 413, 1, "its maximum of 2048 bytes"}} {
		body := append(slices.Clone(picture), make([]byte, c.more)...)
		a := s.addressFor(fmt.Sprintf("/api/files?size=%d&sha256=%x", len(picture), sha256.Sum256(body)))
		fake.Keep(a.ID+"/sent", body)
		s.want(c.status, c.want, "POST", "/api/files?sent="+a.ID, nil, "ada", "")
		if keys := fake.Keys(); keys != nil || copies != c.copies {
			t.Errorf("S3 has %q after %d copies", keys, copies)
		}
	}
}

// TestLateBytes: bytes that are sent to an address after the check change nothing that was checked, also where
// another request was about to check the file.
func TestLateBytes(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	fake.Careless = true
	s, picture := opened(t, store, time.Hour), pngOf(9, 9)
	late := slices.Clone(picture)
	late[len(late)-1]++
	a := s.address(picture)
	s.put(200, a, picture)
	var once atomic.Bool
	fake.Before = func(r *http.Request) {
		if r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, "/sent") && !once.Swap(true) {
			s.want(201, a.ID, "POST", "/api/files?sent="+a.ID, nil, "ada", "")
			s.put(200, a, late)
		}
	}
	s.want(404, "no file with this id waits", "POST", "/api/files?sent="+a.ID, nil, "ada", "")
	s.want(200, a.ID, "PATCH", "/api/shop/albums/a", []byte(`{"cover":"`+a.ID+`"}`), "ada", "application/json")
	s.put(200, a, late)
	s.want(200, string(picture), "GET", "/api/shop/albums/a/cover", nil, "ada", "")
}

// TestSweepOfAddresses: a sweep finds the bytes of files that were announced and never reported, and those that come
// while their address is valid, though the file was dropped.
func TestSweepOfAddresses(t *testing.T) {
	fake, store := files.NewFakeS3(t)
	now := time.Now().Truncate(time.Second)
	f, err := facade.New(storetest.Compiled(t, albums(t)), storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := files.Open(store, s3.Files, &files.Config{Presign: time.Hour}, func() *facade.Facade { return f }, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ada, picture, s := access.State{"user": map[string]any{"id": "ada"}}, pngOf(9, 9), &shop{t: t}
	sum := sha256.Sum256(picture)
	address := func() facade.FileAddress {
		takes, err := f.FieldsForFiles(t.Context(), f.Catalog(), ada)
		if err != nil {
			t.Fatal(err)
		}
		a, err := kept.Presign(t.Context(), ada, &facade.IncomingFile{Type: "image/png", Length: int64(len(picture)), SHA256: hex.EncodeToString(sum[:]), Takes: takes})
		if err != nil {
			t.Fatal(err)
		}
		return *a
	}
	sweep := func(after time.Duration, want ...string) {
		t.Helper()
		now = now.Add(after)
		if err := kept.Job().Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if keys := fake.Keys(); !slices.Equal(keys, want) {
			t.Errorf("S3 has %q, want %q", keys, want)
		}
	}
	never, dropped := address(), address()
	s.put(200, never, picture)
	s.put(200, dropped, picture)
	kept.Drop(t.Context(), ada, dropped.ID)
	sweep(14*time.Minute, never.ID+"/sent")
	s.put(200, dropped, picture)
	sweep(time.Minute, never.ID+"/sent")
	s.put(200, dropped, picture) // it was begun in time
	sweep(45*time.Minute, never.ID+"/sent")
	sweep(time.Second)
}
