package client_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// TestEvents: every call is reported once.
func TestEvents(t *testing.T) {
	served := storetest.Facade(t).Catalog()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var events []client.Event
		host := &moody{}
		host.now(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":null}`)
		})
		r := remote(t, "http://host", &client.Options{Name: "people", Transport: host, Observe: func(_ context.Context, e client.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		}}).With(served)
		reported := func() []client.Event {
			mu.Lock()
			defer mu.Unlock()
			all := events
			events = nil
			return all
		}
		one := &facade.Call{Entity: "author", Operation: "findById", Invocation: facade.Invocation{Trace: "00-a-b-01"}}
		want := client.Event{Remote: "people", Frond: "people", Entity: "author", Operation: "findById", Kind: catalog.Query, Trace: "00-a-b-01", Duration: time.Second, Posts: 1, Waiters: 1}
		diff := func(what string, want ...client.Event) {
			t.Helper()
			if diff := cmp.Diff(want, reported(), cmpopts.IgnoreFields(client.Event{}, "Began"), cmpopts.SortSlices(func(a, b client.Event) bool {
				return a.Duration < b.Duration || a.Duration == b.Duration && a.Posts > b.Posts
			})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}

		_, _ = r.Call(t.Context(), one)
		diff("one call", want)

		var all sync.WaitGroup
		all.Go(func() { _, _ = r.Call(t.Context(), one) })
		synctest.Wait()
		for range 2 {
			all.Go(func() { _, _ = r.Call(t.Context(), one) })
		}
		all.Wait()
		led, rode := want, want
		led.Duration, led.Waiters = 2*time.Second, 2
		rode.Duration, rode.Waiters, rode.Posts, rode.Joined = 2*time.Second, 2, 0, true
		diff("one under way, two that share the next", want, led, rode)

		host.now(ill)
		_, _ = r.Call(t.Context(), &facade.Call{Entity: "author", Operation: "delete", Invocation: facade.Invocation{Trace: "x"}})
		failed := client.Event{Remote: "people", Frond: "people", Entity: "author", Operation: "delete", Kind: catalog.Command, Trace: "x", Code: kiterror.BadGateway, Posts: 1, Waiters: 1}
		diff("a failure", failed)

		_, _ = r.Call(t.Context(), &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"a"`, `"b"`)}})
		each := failed
		each.Operation, each.Kind, each.Trace, each.Keys = "findById", catalog.Query, "", 2
		diff("many keys", each)

		_, _ = r.Discover(t.Context())
		diff("discovery", client.Event{Remote: "people", Entity: "rpc", Operation: "discover", Kind: catalog.Query, Code: kiterror.BadGateway, Posts: 1, Waiters: 1})

		s := r.Status()
		if s.Name != "people" || s.Calls != 6 || s.Posts != 6 || s.Joined != 1 || s.Failed != 3 || s.LastError != kiterror.BadGateway || s.LastErrorAt != time.Now() || s.LastAnswerAt.IsZero() {
			t.Errorf("%+v", s)
		}
	})
}

// The trace of a call goes along, as a header too; what is none does not.
func TestTraceGoesAlong(t *testing.T) {
	for trace, want := range map[string]string{
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"": "", "a\r\nX-Evil: 1": "",
	} {
		var got string
		r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			got = r.Header.Get("traceparent")
			return answered(r, 200, good)
		})})
		if _, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "findIt", Invocation: facade.Invocation{Trace: trace}}); err != nil || got != want {
			t.Errorf("%q: %q, %v", trace, got, err)
		}
	}
}

// Whoever made the remote may add headers, within the context of the call.
func TestHeadersGoAlong(t *testing.T) {
	type key struct{}
	var got http.Header
	r := remote(t, "http://host", &client.Options{
		Header: func(ctx context.Context, h http.Header) { h.Set("Tracestate", ctx.Value(key{}).(string)) },
		Transport: tripper(func(r *http.Request) (*http.Response, error) {
			got = r.Header
			return answered(r, 200, good)
		}),
	})
	for _, state := range []string{"a=1", "b=2"} { // and nothing stays of the one before
		if _, err := r.Call(context.WithValue(t.Context(), key{}, state), find); err != nil || got.Get("Tracestate") != state || got.Get("Content-Type") != "application/json" {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// What an address says of a user is sent, and shown to nobody.
func TestUserInTheAddress(t *testing.T) {
	var user, password string
	r := remote(t, "http://me:secret@host/base/", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		user, password, _ = r.BasicAuth()
		if r.URL.Path != "/base"+envelope.Path {
			t.Errorf("sent to %s", r.URL)
		}
		return answered(r, 200, good)
	})})
	if _, err := r.Call(t.Context(), find); err != nil || user != "me" || password != "secret" {
		t.Errorf("%q, %q, %v", user, password, err)
	}
	if name := r.Status().Name; name != "host" {
		t.Errorf("the remote is called %s", name)
	}
}
