package client_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
)

// TestConsistencyTravels: what a command of a request wrote at a host is sent along with
// the request's reads, and with those of its caller's next request.
func TestConsistencyTravels(t *testing.T) {
	var sent []string
	r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get(consistency.Header))
		resp, err := answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":1}`)
		if len(sent) == 1 {
			resp.Header.Set(consistency.Header, "b.09.x")
		}
		return resp, err
	})})
	record, err := consistency.Read([]string{"a.01.y"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := consistency.With(t.Context(), record)
	for _, operation := range []string{"bump", "findNumber"} {
		if _, err := r.Call(ctx, &facade.Call{Entity: "counter", Operation: operation}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Call(t.Context(), &facade.Call{Entity: "counter", Operation: "findNumber"}); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 3 || sent[0] != "a.01.y" || sent[1] != "a.01.y, b.09.x" || sent[2] != "" {
		t.Errorf("sent %q", sent)
	}
	if got := record.Answer(); got != "a.01.y, b.09.x" {
		t.Errorf("the answer has %q", got)
	}
}

// TestConsistencyOfAProgram: a program that calls a host without requests of its own reads
// what it wrote there.
func TestConsistencyOfAProgram(t *testing.T) {
	var sent []string
	r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get(consistency.Header))
		resp, err := answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":1}`)
		if len(sent) < 3 {
			resp.Header.Set(consistency.Header, []string{"b.09.x", "b.07.old"}[len(sent)-1])
		}
		return resp, err
	})})
	for range 3 {
		if _, err := r.Call(t.Context(), &facade.Call{Entity: "counter", Operation: "bump"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(sent) != 3 || sent[0] != "" || sent[1] != "b.09.x" || sent[2] != "b.09.x" {
		t.Errorf("sent %q", sent)
	}
}

// TestConsistencyIsNotShared: of equal reads, those share a round trip that have to see the
// same.
func TestConsistencyIsNotShared(t *testing.T) {
	for _, c := range []struct {
		tokens string
		posts  int64 // of five at once: one is under way, the others share
	}{{"", 2}, {"a.01.y", 3}} {
		synctest.Test(t, func(t *testing.T) {
			host := &counting{}
			r := remote(t, "http://host", &client.Options{Transport: host})
			var all sync.WaitGroup
			read := func(ctx context.Context) {
				all.Go(func() { _, _ = r.Call(ctx, &facade.Call{Entity: "counter", Operation: "findNumber"}) })
			}
			read(t.Context())
			synctest.Wait()
			for range 3 {
				read(t.Context())
			}
			record, err := consistency.Read([]string{c.tokens})
			if err != nil {
				t.Fatal(err)
			}
			read(consistency.With(t.Context(), record))
			all.Wait()
			if n := host.posts.Load(); n != c.posts {
				t.Errorf("with %q: %d posts, want %d", c.tokens, n, c.posts)
			}
		})
	}
}
