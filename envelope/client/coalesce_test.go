package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
)

// counting is a host that keeps one number: bump adds one to it, findNumber reads it
// and is a while on its way back.
type counting struct{ number, posts atomic.Int64 }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.posts.Add(1)
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(strings.NewReader(string(asked)))
	var n int64
	if strings.Contains(string(asked), ".bump") {
		n = c.number.Add(1)
	} else {
		n = c.number.Load()
		time.Sleep(10 * time.Millisecond)
	}
	return answered(r, 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%%d,"result":%d}`, n))
}

func numberOf(c facade.Caller, operation string) int {
	result, err := c.Call(context.Background(), &facade.Call{Entity: "counter", Operation: operation})
	if err != nil {
		return -1
	}
	var n int
	_ = json.Unmarshal(result.Value, &n)
	return n
}

// joining answers with what is under way, as caches in front of a host do: the wrong
// way, which the next test has to notice.
type joining struct {
	facade.Caller
	mu      sync.Mutex
	running map[string]*joined
}

type joined struct {
	done   chan struct{}
	result *facade.Result
	err    error
}

func (j *joining) Call(ctx context.Context, c *facade.Call) (*facade.Result, error) {
	if c.Operation == "bump" {
		return j.Caller.Call(ctx, c)
	}
	j.mu.Lock()
	run := j.running[c.Operation]
	if run != nil {
		j.mu.Unlock()
		<-run.done
		return run.result, run.err
	}
	run = &joined{done: make(chan struct{})}
	j.running[c.Operation] = run
	j.mu.Unlock()
	run.result, run.err = j.Caller.Call(ctx, c)
	j.mu.Lock()
	delete(j.running, c.Operation)
	j.mu.Unlock()
	close(run.done)
	return run.result, run.err
}

// TestReadYourWritesWhenShared has many write and read at once, with equal queries:
// nobody is answered with less than what they wrote themselves. Joining what is
// under way fails this, or the test would show nothing.
func TestReadYourWritesWhenShared(t *testing.T) {
	stale := func(wrap func(facade.Caller) facade.Caller, opts client.Options) (missed int64, posts, calls int64) {
		synctest.Test(t, func(t *testing.T) {
			host := &counting{}
			opts.Transport = host
			c := wrap(remote(t, "http://host", &opts))
			var all sync.WaitGroup
			var missing, made atomic.Int64
			for w := range 16 {
				all.Go(func() {
					for i := range 20 {
						time.Sleep(time.Duration(1+(w*7+i*3)%11) * time.Millisecond)
						wrote := numberOf(c, "bump")
						if read := numberOf(c, "findNumber"); read < wrote {
							missing.Add(1)
						}
						made.Add(2)
					}
				})
			}
			all.Wait()
			missed, posts, calls = missing.Load(), host.posts.Load(), made.Load()
		})
		return missed, posts, calls
	}
	itself := func(c facade.Caller) facade.Caller { return c }
	if missed, posts, calls := stale(itself, client.Options{}); missed > 0 || posts > calls*3/4 {
		t.Errorf("%d reads missed their own write; %d posts for %d calls", missed, posts, calls)
	}
	wrong := func(c facade.Caller) facade.Caller { return &joining{Caller: c, running: map[string]*joined{}} }
	if missed, _, _ := stale(wrong, client.Options{NoCoalesce: true}); missed == 0 {
		t.Error("joining what is under way was not noticed")
	}
}

// TestSharedCalls: queries that are equal in all that the answer depends on share
// one round trip, and no others do.
func TestSharedCalls(t *testing.T) {
	base := func() *facade.Call {
		return &facade.Call{Entity: "math", Operation: "findIt", Invocation: facade.Invocation{
			Params: json.RawMessage(`{"id":1}`), Query: json.RawMessage(`{"a":1}`), State: access.State{"user": map[string]any{"id": "u", "roles": []any{"a"}}},
		}}
	}
	for name, c := range map[string]struct {
		change func(*facade.Call)
		posts  int64 // of five at once: one is under way, the others share a second
		opts   client.Options
	}{
		"equal":             {func(*facade.Call) {}, 2, client.Options{}},
		"another trace":     {func(c *facade.Call) { c.Invocation.Trace = "00-1-2-01" }, 2, client.Options{}},
		"another spelling":  {func(c *facade.Call) { c.Entity = "Math" }, 2, client.Options{}},
		"not wanted":        {func(*facade.Call) {}, 5, client.Options{NoCoalesce: true}},
		"commands":          {func(c *facade.Call) { c.Operation = "doIt" }, 5, client.Options{}},
		"another entity":    {func(c *facade.Call) { c.Entity = "maths" }, 3, client.Options{}},
		"another operation": {func(c *facade.Call) { c.Operation = "findThat" }, 3, client.Options{}},
		"other params":      {func(c *facade.Call) { c.Invocation.Params = json.RawMessage(`{"id":2}`) }, 3, client.Options{}},
		"no params":         {func(c *facade.Call) { c.Invocation.Params = nil }, 3, client.Options{}},
		"another query":     {func(c *facade.Call) { c.Invocation.Query = json.RawMessage(`{"a":2}`) }, 3, client.Options{}},
		"a body":            {func(c *facade.Call) { c.Invocation.Body = json.RawMessage(`null`) }, 3, client.Options{}},
		"another user": {func(c *facade.Call) {
			c.Invocation.State = access.State{"user": map[string]any{"id": "v", "roles": []any{"a"}}}
		}, 3, client.Options{}},
		"no user":           {func(c *facade.Call) { c.Invocation.State = nil }, 3, client.Options{}},
		"an empty state":    {func(c *facade.Call) { c.Invocation.State = access.State{} }, 3, client.Options{}},
		"another selection": {func(c *facade.Call) { c.Select = []string{"a"} }, 3, client.Options{}},
		"cursors":           {func(c *facade.Call) { c.Cursors = true }, 3, client.Options{}},
		"params as a query": {func(c *facade.Call) {
			c.Invocation.Params, c.Invocation.Query = c.Invocation.Query, c.Invocation.Params
		}, 3, client.Options{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			host := &counting{}
			c.opts.Transport = host
			var events sync.Map
			c.opts.Observe = func(_ context.Context, e client.Event) {
				events.Store(e.Began.String()+fmt.Sprint(e.Posts, e.Joined, e.Waiters), e)
			}
			r := remote(t, "http://host", &c.opts)
			var all sync.WaitGroup
			all.Go(func() { _, _ = r.Call(t.Context(), base()) })
			synctest.Wait()
			for i := range 4 {
				call := base()
				if i > 2 || c.posts == 5 {
					c.change(call)
				}
				all.Go(func() { _, _ = r.Call(t.Context(), call) })
			}
			all.Wait()
			want := c.posts
			if n := host.posts.Load(); n != want {
				t.Errorf("%s: %d posts, want %d", name, n, want)
			}
			if s := r.Status(); s.Calls != 5 || s.Joined != 5-want {
				t.Errorf("%s: %+v", name, s)
			}
		})
	}
}

// Who rides along may leave alone, and who made the call first may leave it to the others:
// what they hold of their call is not read any more.
func TestWaitersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &counting{}
		r := remote(t, "http://host", &client.Options{Transport: host})
		call := func(ctx context.Context) error {
			params := []byte(`{"id":"abc"}`)
			_, err := r.Call(ctx, &facade.Call{Entity: "counter", Operation: "findNumber", Invocation: facade.Invocation{Params: params}})
			copy(params, `{"id":"xyz"}`)
			return err
		}
		var all sync.WaitGroup
		all.Go(func() { _ = call(t.Context()) })
		synctest.Wait()
		leader, leave := context.WithCancel(t.Context())
		all.Go(func() {
			if err := call(leader); kiterror.CodeOf(err) != kiterror.RequestTimeout {
				t.Errorf("who left was told %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if err := call(t.Context()); err != nil {
				t.Errorf("who stayed was told %v", err)
			}
		})
		synctest.Wait()
		leave()
		all.Wait()
		if n := host.posts.Load(); n != 2 {
			t.Errorf("%d posts", n)
		}
	})
}

// Two who share an answer each have a result of their own: what one does to its
// page does not reach the other.
func TestSharedResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		posts := 0
		r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			posts++
			time.Sleep(time.Millisecond)
			return answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":{"items":[{"id":1}],"total":1,"hasMore":false,"endCursor":"c"}}`)
		})})
		results := make([]*facade.Result, 3)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() {
				var err error
				if results[i], err = r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "list"}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if posts > 2 {
			t.Fatalf("%d posts", posts)
		}
		before := string(results[0].AppendJSON(nil))
		for _, r := range results[1:] {
			r.Total, r.HasMore, r.Form = 9, true, facade.FormRows
		}
		if after := string(results[0].AppendJSON(nil)); after != before {
			t.Errorf("%s became %s", before, after)
		}
	})
}
