package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

// blog returns a project of two Fronds: a hundred posts, each by one of ten users, as seeds.
func blog() (*facade.Project, error) {
	posts, users := []byte{'['}, []byte{'['}
	for i := range 100 {
		posts = fmt.Appendf(posts, `{"id":"p%03d","title":"The title of post number %d","likes":%d,"published":%t,"authorId":"u%d"},`, i, i, 7*i, i%2 == 0, i%10)
	}
	for i := range 10 {
		users = fmt.Appendf(users, `{"id":"u%d","name":"User number %d","country":"NL"},`, i, i)
	}
	text := func(rows []byte) *fstest.MapFile {
		return &fstest.MapFile{Data: append(bytes.TrimSuffix(rows, []byte(",")), ']')}
	}
	return facade.Read(fstest.MapFS{
		"fronds/posts/entities/post.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  likes: {type: integer}
  published: {type: boolean}
  authorId: {type: string, x-kit: {role: {relation: {to: user, kind: one}}}}
`)},
		"fronds/users/entities/user.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  country: {type: string}
`)},
		"fronds/posts/seeds/post.json": text(posts),
		"fronds/users/seeds/user.json": text(users),
	})
}

// host is a remote that costs next to nothing: the first call of a kind is answered by a real
// one, and the answer is kept. Calls are of a kind that differ in their ids and in the filter,
// which lets every row through here. It is safe for concurrent use.
type host struct {
	real    http.Handler
	mu      sync.RWMutex
	results map[string][]byte
}

// newHost returns a host with the posts and the authors in memory.
func newHost() (*host, error) {
	project, err := blog()
	if err != nil {
		return nil, err
	}
	all, err := gateway.Open(context.Background(), project, &gateway.Options{Undecided: true, Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return &host{real: envelope.NewHandler(all.Catalog(), all.Caller(), nil), results: map[string][]byte{}}, nil
}

// kind returns what a call's answer depends on, and its id: method and params without the
// filter. It is one pass over the frame, without decoding it.
func kind(frame []byte) (kind string, id []byte) {
	var b []byte
	for name, value := range jsontext.Members(frame) {
		switch name {
		case "id":
			id = value
		case "method":
			b = append(b, value...)
		case "params":
			for name, value := range jsontext.Members(value) {
				if name != "query" {
					b = append(append(b, name...), value...)
					continue
				}
				for name, value := range jsontext.Members(value) {
					// Every filter of this measurement lets all rows through: one answer
					// serves all of them.
					if name != "filter" {
						b = append(append(append(b, ' '), name...), value...)
					}
				}
			}
		}
	}
	return string(b), id
}

// ServeHTTP answers from what was kept; what is new is answered by the real host first.
func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	frame, err := io.ReadAll(r.Body)
	if err != nil || jsontext.Check(frame) != nil || jsontext.KindOf(frame) != jsontext.Object {
		http.Error(w, "one frame is all that is understood here", http.StatusBadRequest)
		return
	}
	kind, id := kind(frame)
	h.mu.RLock()
	result, known := h.results[kind]
	h.mu.RUnlock()
	if !known {
		// The body has been read, so that the real host gets a request of its own.
		again := httptest.NewRequest(http.MethodPost, envelope.Path, bytes.NewReader(frame))
		again.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		h.real.ServeHTTP(rec, again)
		// A failure is passed on and not kept.
		if result = jsontext.Get(rec.Body.Bytes(), "result"); result == nil {
			w.WriteHeader(rec.Code)
			_, _ = w.Write(rec.Body.Bytes())
			return
		}
		h.mu.Lock()
		h.results[kind] = result
		h.mu.Unlock()
	}
	// The answer only differs from the kept one in its id.
	answer := append(make([]byte, 0, len(result)+64), `{"jsonrpc":"2.0","id":`...)
	answer = append(append(answer, id...), `,"result":`...)
	answer = append(append(answer, result...), '}')
	head := w.Header()
	head["Content-Type"], head["Content-Length"] = jsonType, []string{strconv.Itoa(len(answer))}
	_, _ = w.Write(answer) // a client that is gone is nobody's error
}

// jsonType is a header value that is allocated once.
var jsonType = []string{"application/json"}

// asked are the kinds of calls there were, discovery aside.
func (h *host) asked() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var kinds []string
	for kind := range h.results {
		if !strings.Contains(kind, envelope.Discover) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}
