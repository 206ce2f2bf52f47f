package gateway_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

// announcingLibrary is the Frond library, whose books are announced.
func announcingLibrary(t *testing.T) *facade.Project {
	return folderOf(t, map[string]string{
		"fronds/library/entities/book.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  price: {type: integer}
  cost: {type: integer, x-kit: {boundary: {out: closed}}}
required: [title, price]
`,
		"fronds/library/frond.yaml": "changes: [book]\ncollectors: {book: open}\nfacts:\n  - {name: bookSold, schema: book, on: book.delete}\n",
	})
}

// heard is the events that a stream sends, as they come.
type heard struct {
	t      *testing.T
	header http.Header
	lines  *bufio.Scanner
}

// followed opens a stream of a gateway that runs.
func followed(t *testing.T, url string, header ...string) *heard {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		text := make([]byte, 2000)
		n, _ := resp.Body.Read(text)
		t.Fatalf("%s: %d %s", url, resp.StatusCode, text[:n])
	}
	return &heard{t, resp.Header, bufio.NewScanner(resp.Body)}
}

// next is the data of the next event; "": the stream has ended.
func (s *heard) next() string {
	for s.lines.Scan() {
		if data, ok := strings.CutPrefix(s.lines.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

// brief is an event in a few words.
func brief(data string) string {
	get := func(name string) string { return jsontext.Unquote(jsontext.Get([]byte(data), name)) }
	row := jsontext.Get([]byte(data), "data")
	return strings.Join([]string{get("name"), get("change"), get("key"), jsontext.Unquote(jsontext.Get(row, "title"))}, " ")
}

// keysIn writes a pair of keys into a folder, and names the two files.
func keysIn(t *testing.T, dir string) (private, public string) {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte, err error) string {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	private = write("gateway.key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(pub)
	return private, write("gateway.pub.pem", "PUBLIC KEY", der, err)
}

// TestFactsOfARemote: the events of a Frond that runs elsewhere reach the gateway's own
// subscribers, judged by its rules, over one signed request at a time, and nothing is missing
// after either side was down.
func TestFactsOfARemote(t *testing.T) {
	dir := t.TempDir()
	private, public := keysIn(t, dir)
	library := newElsewhere(t)
	var receiver *gateway.Receiver
	var waiting, most atomic.Int64 // requests for events that are not there yet
	begin := func() {
		var err error
		receiver, err = gateway.NewReceiver(announcingLibrary(t), "library", &gateway.ReceiverOptions{Options: gateway.Options{
			Config: gateway.Config{Dir: dir, Store: "sqlite:library.db", Signing: gateway.Signing{Keys: []string{public}}}, Logger: silence,
		}})
		if err != nil {
			t.Fatal(err)
		}
		library.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.RawQuery, "wait=") {
				most.Store(max(most.Load(), waiting.Add(1)))
				defer waiting.Add(-1)
			}
			receiver.Handler().ServeHTTP(w, r)
		}))
	}
	begin()
	t.Cleanup(func() { _ = receiver.Close() })

	if got := askOnce(receiver.Handler(), "/_kit/facts"); got.Code != 401 || got.Header().Get("WWW-Authenticate") != "Kit-Call" {
		t.Errorf("an unsigned request: %d %s", got.Code, got.Body)
	}

	// Here the same cards are known, and who may see what is said anew.
	here := announcingLibrary(t)
	for _, f := range here.Fronds {
		f.Config.Data = []byte("changes: [book]\nfacts:\n  - {name: bookSold, schema: book, on: book.delete}\ncollectors:\n  book:\n    - when: '\"staff\" in user.roles'\n    - rows: {price: {lt: 100}}\n      hide: [price]\n")
	}
	g, err := gateway.New(here, &gateway.Options{
		Config: gateway.Config{
			Store: "memory", Identity: gateway.Identity{Dev: true}, Signing: gateway.Signing{Key: private},
			Remotes: map[string]gateway.Remote{"library": {URL: library.url()}},
		},
		Logger: silence,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)

	const staff = `{"roles": ["staff"]}`
	all := followed(t, server.URL+"/api/library/facts/bookChanged", "X-Frond-User", staff)
	some := followed(t, server.URL+"/api/library/facts/bookChanged?fields=id,title")
	write := func(id, title string, price string) {
		t.Helper()
		call := &facade.Call{Entity: "book", Operation: "create", Invocation: facade.Invocation{
			Body: []byte(`{"id":"` + id + `","title":"` + title + `","price":` + price + `,"cost":7}`), State: access.State{"user": map[string]any{"roles": []any{"staff"}}},
		}}
		// A connection of before the host went down may still be taken for one that stands, and a
		// command is not sent again by itself.
		_, err := g.Caller().Call(t.Context(), call)
		for by := time.Now().Add(time.Minute); kiterror.CodeOf(err) == kiterror.ServiceUnavailable && time.Now().Before(by); time.Sleep(10 * time.Millisecond) {
			_, err = g.Caller().Call(t.Context(), call)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(s *heard, want string) string {
		t.Helper()
		got := s.next()
		if brief(got) != want {
			t.Fatalf("%s, want %s", got, want)
		}
		return got
	}
	write("b1", "Emma", "50")
	write("b2", "Ulysses", "500")
	write("b3", "Walden", "60")
	if got := expect(all, "bookChanged created b1 Emma"); strings.Contains(got, "cost") || !strings.Contains(got, `"price":50`) {
		t.Errorf("staff sees %s", got)
	}
	last := expect(all, "bookChanged created b2 Ulysses")
	expect(all, "bookChanged created b3 Walden")
	if got := expect(some, "bookChanged created b1 Emma"); strings.Contains(got, "price") {
		t.Errorf("others see %s", got)
	}
	expect(some, "bookChanged created b3 Walden")

	// The host is down for a while, and comes back with the same store.
	library.stop()
	if err := receiver.Close(); err != nil {
		t.Fatal(err)
	}
	begin()
	write("b4", "Nostromo", "70")
	expect(all, "bookChanged created b4 Nostromo")
	expect(some, "bookChanged created b4 Nostromo")

	// So is a subscriber.
	position := jsontext.Unquote(jsontext.Get([]byte(last), "position"))
	again := followed(t, server.URL+"/api/library/facts/bookChanged", "X-Frond-User", staff, "Last-Event-ID", position)
	expect(again, "bookChanged created b3 Walden")
	expect(again, "bookChanged created b4 Nostromo")
	// The host may learn a moment late that a request was given up for another one.
	for by := time.Now().Add(time.Minute); waiting.Load() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(by) {
			t.Fatalf("%d requests wait at the host for three subscribers, want 1", waiting.Load())
		}
	}
	if most.Load() > 2 {
		t.Errorf("%d requests waited at the host at once", most.Load())
	}
}

// TestRemoteWithoutFacts: a host that knows no facts is no failure, and who asks for them is
// answered so.
func TestRemoteWithoutFacts(t *testing.T) {
	library := newElsewhere(t)
	g := front(t, announcingLibrary(t), map[string]gateway.Remote{"library": {URL: library.url()}})
	library.stand(http.NotFoundHandler())
	w := askOnce(g.Handler(), "/api/library/facts/bookChanged")
	if w.Code != 501 || !strings.Contains(w.Body.String(), "does not give its facts") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestFactsThroughAGateway: a gateway gives what it and its remotes announce to a gateway whose key
// it knows, and to nobody else. The rows are read through it, as the subscribers of the other one see them.
func TestFactsThroughAGateway(t *testing.T) {
	dir := t.TempDir()
	private, public := keysIn(t, dir)
	library := newElsewhere(t)
	receiver, err := gateway.NewReceiver(announcingLibrary(t), "library", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Close() })
	library.stand(receiver.Handler())
	// The gateway in the middle has notes of its own, and the library is its remote.
	middle := gatewayOf(t, read(t, fstest.MapFS{
		"fronds/desk/entities/note.yaml": {Data: []byte(noteCard)},
		"fronds/desk/frond.yaml":         {Data: []byte("changes: [note]\ncollectors: {note: open}\n")},
	}), gateway.Options{Config: gateway.Config{
		Mode: "production", Store: "memory", Signing: gateway.Signing{Keys: []string{public}}, Remotes: map[string]gateway.Remote{"library": {URL: library.url()}},
	}})
	at := newElsewhere(t)
	at.stand(middle.Handler())
	if w := askOnce(middle.Handler(), "/_kit/facts"); w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Kit-Call" || !strings.Contains(w.Body.String(), "this host answers signed ones alone") {
		t.Errorf("an unsigned request: %d %s", w.Code, w.Body)
	}
	front := gatewayOf(t, read(t, fstest.MapFS{"fronds/own/entities/tag.yaml": {Data: []byte(noteCard)}}), gateway.Options{Config: gateway.Config{
		Store: "memory", Signing: gateway.Signing{Key: private}, Remotes: map[string]gateway.Remote{"library": {URL: at.url()}, "desk": {URL: at.url()}},
	}})
	server := httptest.NewServer(front.Handler())
	t.Cleanup(server.Close)
	books := followed(t, server.URL+"/api/library/facts/bookChanged")
	notes := followed(t, server.URL+"/api/desk/facts/noteChanged")
	for path, body := range map[string]string{"/api/library/books": `{"id":"b1","title":"Emma","price":5}`, "/api/desk/notes": `{"id":"n1","title":"hello"}`} {
		if w := askHandler(front.Handler(), "POST", path, body); w.Code != 201 {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if got := brief(books.next()); got != "bookChanged created b1 Emma" {
		t.Errorf("of the remote comes %s", got)
	}
	if got := brief(notes.next()); got != "noteChanged created n1 hello" {
		t.Errorf("of the gateway comes %s", got)
	}
	// A project that does not serve the envelope gives nothing.
	closed := gatewayOf(t, read(t, fstest.MapFS{
		"fronds/desk/entities/note.yaml": {Data: []byte(noteCard)},
		"fronds/desk/frond.yaml":         {Data: []byte("changes: [note]\ncollectors: {note: open}\nsurfaces: {envelope: false}\n")},
	}), gateway.Options{Config: gateway.Config{Store: "memory", Signing: gateway.Signing{Keys: []string{public}}}})
	at.stand(closed.Handler())
	if w := askOnce(closed.Handler(), "/_kit/facts"); w.Code != 404 {
		t.Errorf("without the envelope: %d %s", w.Code, w.Body)
	}
	// Without keys it gives nothing.
	at.stand(front.Handler())
	if w := askOnce(front.Handler(), "/_kit/facts"); w.Code != 404 {
		t.Errorf("a gateway without keys: %d %s", w.Code, w.Body)
	}
}

// TestReadyHasFacts: events that cannot be read have a line in /readyz, which stays 200, until
// they can be again.
func TestReadyHasFacts(t *testing.T) {
	library := newElsewhere(t)
	receiver, err := gateway.NewReceiver(announcingLibrary(t), "library", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Close() })
	var broken atomic.Bool
	library.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() && r.URL.Path == "/_kit/facts" {
			w.WriteHeader(500)
			return
		}
		r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "wait=20", "wait=0", 1) // the next request meets what is broken
		receiver.Handler().ServeHTTP(w, r)
	}))
	g := front(t, announcingLibrary(t), map[string]gateway.Remote{"library": {URL: library.url()}})
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	followed(t, server.URL+"/api/library/facts/bookChanged")
	for _, is := range []bool{true, false} {
		broken.Store(is)
		want := "200 " + strconv.FormatBool(is)
		eventually(t, func() string {
			w := askOnce(g.Handler(), "/readyz")
			return fmt.Sprint(w.Code, " ", strings.Contains(w.Body.String(), "\nfacts of library: cannot be read for "))
		}, want)
	}
}

// askOnce is the answer to a GET.
func askOnce(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}
