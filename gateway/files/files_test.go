package files

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// fakeS3 is a server of the part of S3's protocol that files need.
type fakeS3 struct {
	t  *testing.T
	mu sync.Mutex
	// all are the objects by their paths, parts those of uploads that are not complete.
	all, parts map[string][]byte
	encodings  map[string]string // the Content-Encoding of objects that have one

	Now      func() time.Time
	Careless bool // it keeps bytes whose hash is another one
	Before   func(r *http.Request)
	Refuse   func(r *http.Request) string // the code of the error; nil, and "": it is answered
}

// NewFakeS3 starts a server of S3 and returns the URL of its bucket, as files.store has it.
func NewFakeS3(t *testing.T) (fake *fakeS3, store string) {
	t.Helper()
	fake = &fakeS3{t: t, all: map[string][]byte{}, parts: map[string][]byte{}, encodings: map[string]string{}, Now: time.Now}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return fake, "s3://pictures?region=eu-central-1&insecure=true&endpoint=" + strings.TrimPrefix(server.URL, "http://")
}

// Keys are the keys of the objects, each with its encoding where it has one.
func (s *fakeS3) Keys() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.all {
		keys = append(keys, strings.TrimSuffix(key+" "+s.encodings[key], " "))
	}
	slices.Sort(keys)
	return keys
}

// Keep keeps an object.
func (s *fakeS3) Keep(key string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[key] = body
}

// refuses returns the reason to refuse a request with a signature in its query, or "".
func (s *fakeS3) refuses(r *http.Request, body []byte) string {
	q := r.URL.Query()
	signature := q.Get("X-Amz-Signature")
	q.Del("X-Amz-Signature")
	at, _ := time.Parse("20060102T150405Z", q.Get("X-Amz-Date"))
	if seconds, _ := strconv.Atoi(q.Get("X-Amz-Expires")); s.Now().After(at.Add(time.Duration(seconds) * time.Second)) {
		return "AccessDenied"
	}
	names := strings.Split(q.Get("X-Amz-SignedHeaders"), ";")
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !slices.Contains(names, name) {
			return "AccessDenied"
		}
	}
	text := r.Method + "\n" + r.URL.EscapedPath() + "\n" + strings.ReplaceAll(q.Encode(), "+", "%20") + "\n"
	for _, name := range names {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		text += name + ":" + value + "\n"
	}
	text += "\n" + strings.Join(names, ";") + "\nUNSIGNED-PAYLOAD"
	key, scope, _ := strings.Cut(q.Get("X-Amz-Credential"), "/")
	whole := sha256.Sum256([]byte(text))
	sum := []byte("AWS4secret")
	for _, part := range append(strings.Split(scope, "/"), "AWS4-HMAC-SHA256\n"+q.Get("X-Amz-Date")+"\n"+scope+"\n"+hex.EncodeToString(whole[:])) {
		mac := hmac.New(sha256.New, sum)
		_, _ = mac.Write([]byte(part))
		sum = mac.Sum(nil)
	}
	if key != "key" || signature != hex.EncodeToString(sum) {
		return "SignatureDoesNotMatch"
	}
	if hash := sha256.Sum256(body); r.Method == http.MethodPut && !s.Careless && r.Header.Get("X-Amz-Checksum-Sha256") != base64.StdEncoding.EncodeToString(hash[:]) {
		return "BadDigest"
	}
	return ""
}

func (s *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Before != nil {
		s.Before(r)
	}
	if s.Refuse != nil {
		if code := s.Refuse(r); code != "" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	q, key := r.URL.Query(), strings.TrimPrefix(r.URL.Path, "/pictures/")
	if q.Has("X-Amz-Signature") {
		if why := s.refuses(r, body); err != nil || why != "" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", why)
			return
		}
	} else if err != nil || !strings.Contains(r.Header.Get("Authorization"), "Credential=key/") {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if r.Header.Get("X-Amz-Content-Sha256") == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" || r.Header.Get("X-Amz-Trailer") != "" {
		body = unchunked(body)
	}
	found, there := s.all[key]
	switch {
	case r.Method == http.MethodGet && q.Has("list-type"):
		fmt.Fprint(w, "<ListBucketResult><IsTruncated>false</IsTruncated>")
		for name, bytes := range s.all {
			if strings.HasPrefix(name, q.Get("prefix")) {
				fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", name, len(bytes))
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	case r.Method == http.MethodPost && q.Has("uploads"):
		fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
	case r.Method == http.MethodPut && q.Has("partNumber"):
		n, _ := strconv.Atoi(q.Get("partNumber"))
		s.parts[fmt.Sprintf("%s#%05d", key, n)] = body
		w.Header().Set("ETag", `"p"`)
	case r.Method == http.MethodPost && q.Has("uploadId"):
		var names []string
		for name := range s.parts {
			if strings.HasPrefix(name, key+"#") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		whole := []byte{}
		for _, name := range names {
			whole = append(whole, s.parts[name]...)
			delete(s.parts, name)
		}
		s.all[key] = whole
		fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>pictures</Bucket><ETag>e</ETag></CompleteMultipartUploadResult>")
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		for name := range s.parts {
			delete(s.parts, name)
		}
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != "":
		from := strings.TrimPrefix(r.Header.Get("X-Amz-Copy-Source"), "pictures/")
		s.all[key], s.encodings[key] = s.all[from], s.encodings[from]
		if r.Header.Get("X-Amz-Metadata-Directive") == "REPLACE" {
			s.encodings[key] = r.Header.Get("Content-Encoding")
		}
		fmt.Fprint(w, "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>")
	case r.Method == http.MethodPut:
		s.all[key], s.encodings[key] = body, r.Header.Get("Content-Encoding")
		w.Header().Set("ETag", `"e"`)
	case r.Method == http.MethodDelete:
		delete(s.all, key)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Last-Modified", "Fri, 27 Nov 2026 12:00:00 GMT")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found))
	}
}

// unchunked is a body without the signatures of its chunks.
func unchunked(body []byte) (all []byte) {
	for {
		head, rest, ok := bytes.Cut(body, []byte("\r\n"))
		size, _, _ := strings.Cut(string(head), ";")
		n, err := strconv.ParseInt(size, 16, 64)
		if !ok || err != nil || n == 0 || int(n)+2 > len(rest) {
			return all
		}
		all, body = append(all, rest[:n]...), rest[n+2:]
	}
}

// overStorages runs a test over each storage. kept counts the keys that it has.
func overStorages(t *testing.T, test func(t *testing.T, s storage, kept func() int)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		test(t, opened(t, "file://"+filepath.ToSlash(dir)), func() int {
			n := 0
			_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
				if path != dir {
					n++ // folders too
				}
				return nil
			})
			return n
		})
	})
	t.Run("memory", func(t *testing.T) {
		s := opened(t, "mem://")
		test(t, s, func() int {
			return len(s.(*memory).all)
		})
	})
	t.Run("s3", func(t *testing.T) {
		fake, store := NewFakeS3(t)
		test(t, opened(t, store), func() int {
			fake.mu.Lock()
			defer fake.mu.Unlock()
			return len(fake.all) + len(fake.parts)
		})
	})
}

func opened(t *testing.T, url string) storage {
	t.Helper()
	if err := checkURL(url); err != nil {
		t.Fatal(err)
	}
	s, err := openStorage(url, LinkedBuckets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestStorages: bytes are whole or not there, can be read from any place, and go with their id.
func TestStorages(t *testing.T) {
	overStorages(t, func(t *testing.T, s storage, kept func() int) {
		ctx := t.Context()
		large := bytes.Repeat([]byte("0123456789"), 1_200_000) // parts of S3
		for name, text := range map[string][]byte{"a/original": []byte("hello"), "a/9x9": []byte("h"), "ab/original": []byte("other"), "b/original": large} {
			if err := s.Write(ctx, name, "text/plain", bytes.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		before := kept()
		broken := errors.New("it breaks off")
		if err := s.Write(ctx, "c/original", "text/plain", io.MultiReader(bytes.NewReader(large), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("a write that breaks off is %v", err)
		}
		if err := s.Remove(ctx, "c"); err != nil || kept() != before {
			t.Errorf("%d keys stay of a write that breaks off, %v", kept()-before, err)
		}
		r, err := s.Open(ctx, "b/original")
		if err != nil {
			t.Fatal(err)
		}
		end, err := r.Seek(0, io.SeekEnd)
		if err != nil || end != int64(len(large)) {
			t.Errorf("the end is at %d, %v", end, err)
		}
		if _, err := r.Seek(-3, io.SeekEnd); err != nil {
			t.Error(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != "789" {
			t.Errorf("the end is %q, %v", text, err)
		}
		if _, err := r.Seek(12, io.SeekStart); err != nil {
			t.Error(err)
		}
		part := make([]byte, 4)
		if _, err := io.ReadFull(r, part); err != nil || string(part) != "2345" {
			t.Errorf("the middle is %q, %v", part, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := s.Remove(ctx, "a"); err != nil {
				t.Error(err)
			}
		}
		for name, there := range map[string]bool{"a/original": false, "a/9x9": false, "ab/original": true, "z/original": false} {
			r, err := s.Open(ctx, name)
			if there != (err == nil) || !there && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
			if r != nil {
				_ = r.Close()
			}
		}
		for _, id := range []string{"ab", "b"} {
			if err := s.Remove(ctx, id); err != nil {
				t.Error(err)
			}
		}
		if n := kept(); n != 0 {
			t.Errorf("%d keys stay", n)
		}
	})
}

// TestAgrees: a type is compared with the type of the content.
func TestAgrees(t *testing.T) {
	contents := map[string]string{
		"png": "\x89PNG\r\n\x1a\n", "jpeg": "\xff\xd8\xff\xe0", "pdf": "%PDF-1.7", "zip": "PK\x03\x04", "html": "<!doctype html>", "text": "a,b\n1,2\n",
		"xml": "<?xml version='1.0'?><svg/>", "svg": "<svg xmlns='http://www.w3.org/2000/svg'/>", "bytes": "\x00\x01\x02", "gzip": "\x1f\x8b\x08",
	}
	for _, c := range []struct{ media, is, isNot string }{
		{"image/png", "png", "jpeg pdf zip html text xml bytes"},
		{"application/pdf", "pdf", "png html text bytes"},
		{"text/plain", "text", "png html pdf zip"},
		{"text/csv", "text", "png html pdf zip"},
		{"application/json", "text", "png html pdf"},
		{"image/svg+xml", "xml svg", "png html pdf zip"},
		{"text/html", "html text", "png pdf zip"},
		{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "zip", "png html pdf"},
		{"application/gzip", "gzip", "zip png text"},
		{"application/octet-stream", "bytes zip html png", ""},
	} {
		for name, want := range map[string]bool{c.is: true, c.isNot: false} {
			for _, content := range strings.Fields(name) {
				if got := sniff([]byte(contents[content])); agrees(c.media, got) != want {
					t.Errorf("%s with %s (%s): %t", c.media, content, got, !want)
				}
			}
		}
	}
}

// TestSafeName: names lose paths and signs that headers and file systems read otherwise.
func TestSafeName(t *testing.T) {
	for sent, want := range map[string]string{
		"a.png": "a.png", "../../etc/passwd": "passwd", `C:\x\b.png`: "b.png", "": "file", "..": "file", "a\r\nSet-Cookie: b.png": "aSet-Cookie b.png",
		"ä \u202egnp.exe": "ä gnp.exe", `q"uote.png`: "quote.png", strings.Repeat("ü", 300): strings.Repeat("ü", 100), ".hidden": "hidden", "a/": "a",
	} {
		if got := safeName(sent); got != want {
			t.Errorf("%q becomes %q, want %q", sent, got, want)
		}
	}
}

// TestShrink: an image keeps its proportions, and none becomes larger.
func TestShrink(t *testing.T) {
	size := catalog.FileSize{Name: "thumb", Width: 20, Height: 10}
	for _, c := range [][4]int{{100, 100, 10, 10}, {400, 100, 20, 5}, {5, 4, 5, 4}, {3000, 1, 20, 1}, {1, 3000, 1, 10}, {20, 10, 20, 10}} {
		if w, h := fit(c[0], c[1], size); w != c[2] || h != c[3] {
			t.Errorf("%d by %d becomes %d by %d", c[0], c[1], w, h)
		}
	}
	files := &Files{storage: opened(t, "mem://"), log: slog.New(slog.DiscardHandler), shrinking: make(chan struct{}, 1)}
	file := &facade.File{ID: "f", Type: "image/png"}
	if _, _, err := files.Open(t.Context(), file, &size); err == nil {
		t.Error("a file without bytes is shrunk")
	}
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 100, 100)))
	if err := files.storage.Write(t.Context(), "f/original", "image/png", &b); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, media, err := files.Open(t.Context(), file, &size)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = r.Close() }()
			if config, _, err := image.DecodeConfig(r); err != nil || media != "image/png" || config.Width != 10 {
				t.Errorf("%s of %d, %v", media, config.Width, err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	files.shrinking <- struct{}{}
	cancel()
	other := catalog.FileSize{Name: "other", Width: 5, Height: 5}
	if _, _, err := files.Open(ctx, file, &other); err == nil {
		t.Error("an image is made for a caller who has left")
	}
}

// TestShrinkRefuses: an image that cannot be decoded, and one with more pixels than memory can hold, is
// refused for good, and not as a storage that may come back.
func TestShrinkRefuses(t *testing.T) {
	size := catalog.FileSize{Name: "thumb", Width: 20, Height: 10}
	var whole bytes.Buffer
	_ = png.Encode(&whole, image.NewGray(image.Rect(0, 0, 1000, 1000)))
	for _, c := range []struct {
		name   string
		bytes  []byte
		memory *budget.Budget
		code   kiterror.Code
	}{
		{"broken", whole.Bytes()[:whole.Len()-30], nil, kiterror.UnprocessableEntity},
		{"no image", []byte("a text"), nil, kiterror.UnprocessableEntity},
		{"more pixels than memory", whole.Bytes(), budget.New(4<<20, 0), kiterror.PayloadTooLarge},
		{"as many as memory has", whole.Bytes(), budget.New(16<<20, 0), ""},
	} {
		files := &Files{storage: opened(t, "mem://"), memory: c.memory, log: slog.New(slog.DiscardHandler), shrinking: make(chan struct{}, 1)}
		if err := files.storage.Write(t.Context(), "f/original", "image/png", bytes.NewReader(c.bytes)); err != nil {
			t.Fatal(err)
		}
		_, _, err := files.Open(t.Context(), &facade.File{ID: "f", Type: "image/png"}, &size)
		if code := kiterror.CodeOf(err); err == nil && c.code != "" || err != nil && code != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
		if used := files.memory.State().Used; used != 0 {
			t.Errorf("%s: %d bytes are held", c.name, used)
		}
	}
}

// withEXIF is a JPEG with an orientation, as a phone writes it.
func withEXIF(m image.Image, orientation byte) []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, m, &jpeg.Options{Quality: 100})
	tiff := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x02\x00" + "\x0f\x01\x02\x00\x05\x00\x00\x00\x40\x00\x00\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00" + string(orientation) + "\x00\x00\x00\x00\x00\x00\x00"
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(tiff) + 2)}, tiff...)
	return append(head, b.Bytes()[2:]...)
}

// TestOrientation: the smaller image of a JPEG is upright and has no EXIF.
func TestOrientation(t *testing.T) {
	const w, h = 80, 40
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h { // red, green, blue and white quarters
		x, y := i%w, i/w
		m.Set(x, y, [...]color.Color{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}, color.White}[x/(w/2)+2*(y/(h/2))])
	}
	files := &Files{storage: opened(t, "mem://"), log: slog.New(slog.DiscardHandler), shrinking: make(chan struct{}, 1)}
	size := catalog.FileSize{Name: "thumb", Width: 20, Height: 20}
	// The quarters of the image as it is seen: above left, above right, below left, below right.
	for o, want := range []string{"rgbw", "rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"} {
		id := strconv.Itoa(o)
		b := withEXIF(m, byte(o))
		if err := files.storage.Write(t.Context(), id+"/original", "image/jpeg", bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		r, _, err := files.Open(t.Context(), &facade.File{ID: id, Type: "image/jpeg"}, &size)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		_ = r.Close()
		small, err := jpeg.Decode(bytes.NewReader(text))
		if err != nil || bytes.Contains(text, []byte("Exif")) {
			t.Fatal(err, "or it has EXIF")
		}
		got, high := "", small.Bounds()
		for _, at := range [][2]int{{1, 1}, {3, 1}, {1, 3}, {3, 3}} {
			red, green, blue, _ := small.At(high.Dx()*at[0]/4, high.Dy()*at[1]/4).RGBA()
			got += map[[3]bool]string{{true, false, false}: "r", {false, true, false}: "g", {false, false, true}: "b", {true, true, true}: "w"}[[3]bool{red > 1<<15, green > 1<<15, blue > 1<<15}]
		}
		if lying := o >= 5; got != want || lying != (high.Dy() == 20) || lying == (high.Dx() == 20) {
			t.Errorf("orientation %d gives %s of %v, want %s", o, got, high, want)
		}
	}
	for _, broken := range []string{"", "\xff\xd8", "\xff\xd8\xff\xe1\x00\x00", "\xff\xd8\xff\xe1\x00\x0eExif\x00\x00II*\x00", "\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff", "\xff\xd8\xff\xe1\x00\x12Exif\x00\x00II*\x00\x08\x00\x00\x00\x09\x00"} {
		if o := orientation(strings.NewReader(broken)); o != 1 {
			t.Errorf("%q has the orientation %d", broken, o)
		}
	}
}

// TestLink: a pre-signed address names the bytes, their type and name, and is valid for the time that is set.
func TestLink(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	files := &Files{storage: opened(t, "s3://pictures?region=eu-central-1&insecure=true&endpoint=127.0.0.1:9"), presign: 5 * time.Minute, log: slog.New(slog.DiscardHandler)}
	file := &facade.File{ID: "f", Type: "text/html", Name: "a b.html"}
	text, err := files.Link(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(text)
	q := link.Query()
	if err != nil || link.Host != "127.0.0.1:9" || link.Path != "/pictures/f/original" || q.Get("X-Amz-Expires") != "300" || len(q.Get("X-Amz-Signature")) != 64 ||
		q.Get("response-content-type") != "text/html" || q.Get("response-content-disposition") != `attachment; filename="a b.html"` {
		t.Errorf("the address is %s, %v", text, err)
	}
	if _, err := files.Link(t.Context(), file, &catalog.FileSize{Name: "thumb", Width: 9, Height: 9}); err == nil {
		t.Error("an image that cannot be made has an address")
	}
	files.storage = opened(t, "mem://")
	if _, err := files.Link(t.Context(), file, nil); err == nil || !strings.Contains(err.Error(), "leave files.presign out") {
		t.Errorf("the error is %v", err)
	}
}

// TestFolderOfFiles: a folder that cannot be made is an error of the start.
func TestFolderOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("file://"+filepath.ToSlash(path)+"/below", LinkedBuckets, &Config{}, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "the folder of files cannot be used") {
		t.Errorf("the error is %v", err)
	}
}
