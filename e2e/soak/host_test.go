package soak

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
)

// mood is how a host takes calls.
type mood int32

const (
	fine    mood = iota
	slow         // late, and now and then later than anybody waits
	garbage      // anything but the answer
	hanging      // it hangs up, before or after it has done what it was asked for
	down         // nobody listens
	moods
)

func (m mood) String() string { return [...]string{"fine", "slow", "garbage", "hanging up", "down"}[m] }

// host is a Frond of another make at a fixed address: notes that point at writers, or
// the writers. A mood can befall it at any time.
type host struct {
	kind     string
	document string
	address  string
	mood     atomic.Int32
	listener net.Listener
	server   *http.Server

	mu    sync.Mutex
	pages map[string]int // by note; what there is not is 1
	ran   []uint8        // commands, by their mark
}

func newHost(t *testing.T, kind, document string) *host {
	t.Helper()
	l, err := net.Listen("tcp", freeport.Address(t))
	if err != nil {
		t.Fatal(err)
	}
	h := &host{kind: kind, document: document, address: l.Addr().String(), pages: map[string]int{}, ran: make([]uint8, mostCommands)}
	h.serve(l)
	return h
}

func (h *host) serve(l net.Listener) {
	h.listener, h.server = l, &http.Server{Handler: h}
	go func() { _ = h.server.Serve(l) }()
}

// become changes the mood. A host that is down has no listener, and its connections
// are gone as at a power cut.
func (h *host) become(m mood) error {
	was := mood(h.mood.Swap(int32(m)))
	switch {
	case m == down && was != down:
		return h.server.Close()
	case m != down && was == down:
		var l net.Listener
		var err error
		for range 50 { // the port may not be free at once
			if l, err = net.Listen("tcp", h.address); err == nil {
				h.serve(l)
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return err
	}
	return nil
}

type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Params, Query map[string]any
		Body          map[string]any
	} `json:"params"`
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var many []frame
	single := json.Unmarshal(text, &many) != nil
	if single {
		many = make([]frame, 1)
		if json.Unmarshal(text, &many[0]) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	now := mood(h.mood.Load())
	if now == garbage && rand.IntN(4) > 0 {
		h.babble(w, many, single)
		return
	}
	if now == hanging && rand.IntN(3) == 0 {
		panic(http.ErrAbortHandler)
	}
	if now == slow {
		time.Sleep(time.Duration(rand.IntN(20)+rand.IntN(2)*rand.IntN(400)) * time.Millisecond)
	}
	answer := h.answer(many, single)
	if now == hanging && rand.IntN(2) == 0 { // it is done, and half of the answer is all that comes
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		_, _ = w.Write(answer[:len(answer)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(answer)
}

func (h *host) answer(many []frame, single bool) []byte {
	replies := make([]string, len(many))
	for i := range many {
		replies[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, many[i].ID, h.result(&many[i]))
	}
	if single {
		return []byte(replies[0])
	}
	return []byte("[" + strings.Join(replies, ",") + "]")
}

// babble answers anything but what was asked: among it whole frames with rows that
// nobody asked for, under an id that nobody sent.
func (h *host) babble(w http.ResponseWriter, many []frame, single bool) {
	switch rand.IntN(9) {
	case 0:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>It works!</body></html>")
	case 1:
		w.WriteHeader(http.StatusInternalServerError)
	case 2:
		http.Redirect(w, &http.Request{Method: http.MethodPost}, "http://127.0.0.1:9/elsewhere", http.StatusFound)
	case 3:
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{`)
	case 4:
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":-7,"result":`+h.row("x9")+`}`)
	case 5:
		for i := range many {
			many[i].ID = json.RawMessage(fmt.Sprint(-i - 1))
		}
		_, _ = w.Write(h.answer(many, single))
	case 6:
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s}`, many[0].ID)
	case 7:
		_, _ = w.Write([]byte("\xff\xfe\x00"))
	case 8:
		answer := h.answer(many, single)
		_, _ = w.Write(append(answer, answer...))
	}
}

// result runs one frame.
func (h *host) result(f *frame) string {
	_, op, _ := strings.Cut(f.Method, ".")
	id, _ := f.Params.Params["id"].(string)
	switch op {
	case "discover":
		return h.document
	case "findById":
		return h.row(id)
	case "update":
		mark, _ := f.Params.Body["title"].(string)
		n, err := strconv.Atoi(mark)
		if err != nil {
			return "null"
		}
		h.mu.Lock()
		h.pages[id] = max(h.pages[id], 1) + 1
		h.ran[n]++
		h.mu.Unlock()
		return h.row(id)
	}
	limit, _ := f.Params.Query["limit"].(float64)
	rows := []string{}
	for i := range int(limit) {
		rows = append(rows, h.row(fmt.Sprint("n", i+1)))
	}
	return `{"items":[` + strings.Join(rows, ",") + `],"total":1000,"hasMore":true,"endCursor":null}`
}

// row is a row, which follows from its id but for the pages of a note.
func (h *host) row(id string) string {
	n := strings.TrimLeft(id, "nwx")
	if h.kind == "writer" {
		return fmt.Sprintf(`{"id":%q,"name":"Writer %s","sum":%q}`, id, n, sumOf(id, "Writer "+n))
	}
	h.mu.Lock()
	pages := max(h.pages[id], 1)
	h.mu.Unlock()
	title, writer := strings.Repeat("Note "+n+" ", 20), fmt.Sprint("w", len(n), n)
	return fmt.Sprintf(`{"id":%q,"title":%q,"pages":%d,"writerId":%q,"sum":%q}`, id, title, pages, writer, sumOf(id, title, fmt.Sprint(pages), writer))
}

// sumOf is what a row bears of its own other fields.
func sumOf(parts ...string) string {
	sum := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(sum, p+"\x00")
	}
	return fmt.Sprintf("%x", sum.Sum64())
}

const (
	notesDocument = `{"x-kit-version":1,"fronds":[{"name":"desk","doors":[{"name":"note","schema":{"type":"object","properties":{
		"id":{"type":"string","x-kit":{"role":{"primary":true}}},"title":{"type":"string"},"pages":{"type":"integer"},
		"writerId":{"type":"string","x-kit":{"role":{"relation":{"to":"writer","kind":"one"}}}},"sum":{"type":"string"}}},
		"ops":[{"name":"list","kind":"query"},{"name":"findById","kind":"query"},{"name":"update","kind":"command"}]}]}]}`
	writersDocument = `{"x-kit-version":1,"fronds":[{"name":"people","doors":[{"name":"writer","schema":{"type":"object","properties":{
		"id":{"type":"string","x-kit":{"role":{"primary":true}}},"name":{"type":"string"},"sum":{"type":"string"}}},
		"ops":[{"name":"findById","kind":"query"}]}]}]}`
)
