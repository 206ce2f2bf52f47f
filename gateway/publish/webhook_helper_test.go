package publish

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/frondhost/frond/facts/delivery"
)

// receiver notes what it is sent, and answers 204 unless answer is set.
type receiver struct {
	mu     sync.Mutex
	got    []posted
	answer func(w http.ResponseWriter, p posted)
}

// posted is one request.
type posted struct {
	Header http.Header
	Body   []byte
	Event  struct {
		ID, Subject string
		Data        struct{ ID, Number int }
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	p := posted{Header: req.Header}
	p.Body, _ = io.ReadAll(req.Body)
	_ = json.Unmarshal(p.Body, &p.Event)
	r.mu.Lock()
	r.got = append(r.got, p)
	answer := r.answer
	r.mu.Unlock()
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, p)
}

func (r *receiver) all() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]posted{}, r.got...)
}

func (r *receiver) count() int { return len(r.all()) }

// numbers are those of the events in the order of their requests.
func (r *receiver) numbers() (all []int) {
	for _, p := range r.all() {
		all = append(all, p.Event.Data.Number)
	}
	return all
}

func hookOf(t testing.TB, c hookConfig, o hookOptions) *hook {
	t.Helper()
	secret, err := parseSecret(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	c.Name = "test"
	c.Secrets = append(c.Secrets, secret)
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	h, err := newHook(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.client.CloseIdleConnections)
	return h
}

// virtual runs a webhook in a bubble of synctest: its requests are answered by a handler without
// a network.
func virtual(t testing.TB, handler http.Handler) *hook {
	h := hookOf(t, hookConfig{URL: "https://receiver.test/hooks"}, hookOptions{})
	h.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		done := make(chan struct{})
		go func() { defer close(done); handler.ServeHTTP(w, r) }()
		select {
		case <-done:
			return w.Result(), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
	return h
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// run runs a webhook until the test ends it.
func run(t testing.TB, h *hook, c *delivery.Consumer) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx, c) }()
	t.Cleanup(cancel)
	return func() error { cancel(); return <-ended }
}
