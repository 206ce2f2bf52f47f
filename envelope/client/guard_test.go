package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// tripper is a transport in this process, so that time can be made up.
type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// answered is a response; %d in the body is the id that was asked.
func answered(r *http.Request, status int, body string) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body = strings.ReplaceAll(body, "%d", idIn(string(asked)))
	return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}, nil
}

// hanging answers nothing for as long as anybody waits.
func hanging(r *http.Request) (*http.Response, error) {
	_, _ = io.ReadAll(r.Body)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

var (
	find   = &facade.Call{Entity: "math", Operation: "findIt"}
	change = &facade.Call{Entity: "math", Operation: "doIt"}
)

func TestTimeLimits(t *testing.T) {
	for _, c := range []struct {
		name     string
		call     *facade.Call
		deadline time.Duration // of the caller; 0: none
		took     time.Duration
		attempts []string // the milliseconds in the header of each; ? after the first: a pause of no fixed length
	}{
		{"a command has one attempt of 5 s", change, 0, 5 * time.Second, []string{"5000"}},
		{"a query has 10 s for all", find, 0, 10 * time.Second, []string{"5000", "?"}},
		{"the caller's deadline cuts an attempt", change, 700 * time.Millisecond, 700 * time.Millisecond, []string{"700"}},
		{"and a second one", find, 7 * time.Second, 7 * time.Second, []string{"5000", "?"}},
		{"a far one changes nothing", find, time.Minute, 10 * time.Second, []string{"5000", "?"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var sent []string
			r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				sent = append(sent, r.Header.Get(envelope.TimeoutHeader))
				if len(sent) > 1 {
					sent[len(sent)-1] = "?"
				}
				return hanging(r)
			})})
			ctx := t.Context()
			if c.deadline > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.deadline)
				defer cancel()
			}
			began := time.Now()
			_, err := r.Call(ctx, c.call)
			if kiterror.CodeOf(err) != kiterror.GatewayTimeout || time.Since(began) != c.took {
				t.Errorf("%s: %v after %s, want GATEWAY_TIMEOUT after %s", c.name, err, time.Since(began), c.took)
			}
			if diff := cmp.Diff(c.attempts, sent); diff != "" {
				t.Errorf("%s: attempts (-want +got):\n%s", c.name, diff)
			}
		})
	}
}

// A query that is sent again waits for 100 ms to 1 s before, and for as long as the host asks.
func TestPauses(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Time
			r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				at = append(at, time.Now())
				if len(at) == 3 {
					return answered(r, 200, good)
				}
				resp, err := answered(r, 503, "")
				if len(at) == 2 {
					resp.Header.Set("Retry-After", "3")
				}
				return resp, err
			})})
			if _, err := r.Call(t.Context(), find); err != nil || len(at) != 3 {
				t.Fatalf("%v after %d attempts", err, len(at))
			}
			first := at[1].Sub(at[0])
			if first < 100*time.Millisecond || first > time.Second {
				t.Errorf("sent again after %s", first)
			}
			if second := at[2].Sub(at[1]); second != 3*time.Second {
				t.Errorf("sent again %s after the host asked to wait 3 s", second)
			}
			seen[first.Round(10*time.Millisecond)] = true
		})
	}
	if len(seen) < 5 {
		t.Errorf("20 pauses have %d lengths: that is no jitter", len(seen))
	}
}

// When everything fails, what is sent again is a fifth of what is under way, and
// three at the least.
func TestRetryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posts atomic.Int32
		r := remote(t, "http://host", &client.Options{InFlight: 1000, NoCoalesce: true, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			// The breaker would end this at once: it counts what has failed, and here
			// nothing has failed before all are under way.
			posts.Add(1)
			time.Sleep(2 * time.Second)
			return answered(r, 503, "")
		})})
		var calls sync.WaitGroup
		for range 15 {
			calls.Go(func() { _, _ = r.Call(t.Context(), find) })
		}
		calls.Wait()
		if n := posts.Load(); n < 18 || n > 15+2*5 {
			t.Errorf("%d posts for 15 failing queries", n)
		}
		if s := r.Status(); s.Retries != int64(posts.Load())-15 || s.InFlight != 0 || s.Failed == 0 {
			t.Errorf("%+v", s)
		}
	})
}

// moody is a host that fails or answers as a test sets it.
type moody struct {
	posts  atomic.Int32
	answer atomic.Value // func(*http.Request) (*http.Response, error)
}

func (m *moody) RoundTrip(r *http.Request) (*http.Response, error) {
	m.posts.Add(1)
	return m.answer.Load().(func(*http.Request) (*http.Response, error))(r)
}

func (m *moody) now(f func(*http.Request) (*http.Response, error)) { m.answer.Store(f) }

func well(r *http.Request) (*http.Response, error) { return answered(r, 200, good) }
func ill(r *http.Request) (*http.Response, error)  { return answered(r, 200, "<html>") }
func refusing(r *http.Request) (*http.Response, error) {
	return answered(r, 200, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"m","data":{"code":"INTERNAL_ERROR","message":"m"}}}`)
}

func TestBreaker(t *testing.T) {
	const open = "the host has been failing; its breaker is open for a moment"
	start := func(t *testing.T) (*moody, *client.Remote, *[]string) {
		m, changes := &moody{}, &[]string{}
		m.now(ill)
		return m, remote(t, "http://host", &client.Options{Transport: m, Observe: func(_ context.Context, e client.Event) {
			if e.Breaker != "" {
				*changes = append(*changes, e.Breaker)
			}
		}}), changes
	}
	calls := func(r *client.Remote, n int) (err error) {
		for range n {
			_, err = r.Call(context.Background(), change)
		}
		return err
	}
	t.Run("opens at the twentieth failure, rests, probes once, closes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, r, changes := start(t)
			if err := calls(r, 20); kiterror.CodeOf(err) != kiterror.BadGateway {
				t.Fatal(err)
			}
			if err := calls(r, 10); kiterror.AsError(err).Message != open || kiterror.CodeOf(err) != kiterror.ServiceUnavailable || m.posts.Load() != 20 {
				t.Fatalf("%v after %d posts", err, m.posts.Load())
			}
			time.Sleep(5 * time.Second)
			if err := calls(r, 2); kiterror.AsError(err).Message != open || m.posts.Load() != 21 {
				t.Errorf("%v after %d posts: one probe, and it failed", err, m.posts.Load())
			}
			time.Sleep(5 * time.Second)
			m.now(well)
			if err := calls(r, 3); err != nil || m.posts.Load() != 24 {
				t.Errorf("%v after %d posts", err, m.posts.Load())
			}
			if diff := cmp.Diff([]string{"open", "half-open", "open", "half-open", "closed"}, *changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("nineteen failures are not enough", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, r, _ := start(t)
			_ = calls(r, 19)
			time.Sleep(11 * time.Second) // out of the window
			if err := calls(r, 19); kiterror.CodeOf(err) != kiterror.BadGateway || r.Status().Breaker != "closed" {
				t.Errorf("%v, %s", err, r.Status().Breaker)
			}
		})
	})
	t.Run("failures of the calls themselves are not the host's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, r, _ := start(t)
			m.now(refusing)
			if err := calls(r, 100); kiterror.CodeOf(err) != kiterror.InternalError || m.posts.Load() != 100 {
				t.Errorf("%v after %d posts", err, m.posts.Load())
			}
		})
	})
	t.Run("callers in a hurry and callers who leave close no host", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, r, _ := start(t)
			m.now(hanging)
			for range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				_, _ = r.Call(ctx, change)
				cancel()
				ctx, cancel = context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				if _, err := r.Call(ctx, change); kiterror.CodeOf(err) != kiterror.RequestTimeout {
					t.Fatal(err)
				}
			}
			if s := r.Status().Breaker; s != "closed" {
				t.Errorf("the breaker is %s", s)
			}
		})
	})
	t.Run("a host that hangs is let rest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, r, _ := start(t)
			m.now(hanging)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { _ = calls(r, 1) })
			}
			all.Wait()
			if s := r.Status().Breaker; s != "open" {
				t.Errorf("the breaker is %s", s)
			}
		})
	})
	t.Run("a probe whose caller remaining leaves it to the next", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, r, _ := start(t)
			_ = calls(r, 20)
			time.Sleep(5 * time.Second)
			m.now(hanging)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, _ = r.Call(ctx, change)
			m.now(well)
			if err := calls(r, 1); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("discovery asks all the same", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, r, _ := start(t)
			_ = calls(r, 20)
			m.now(func(r *http.Request) (*http.Response, error) {
				return answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":{"fronds":[]}}`)
			})
			if _, err := r.Discover(t.Context()); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestBulkhead: what is in flight is bounded, the rest waits its turn, and no longer
// than it has time.
func TestBulkhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most, posts atomic.Int32
		r := remote(t, "http://host", &client.Options{InFlight: 2, NoCoalesce: true, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			posts.Add(1)
			for n := now.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			defer now.Add(-1)
			time.Sleep(time.Second)
			return answered(r, 200, good)
		})})
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began := time.Now()
		var done, refused atomic.Int32
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() {
				switch _, err := r.Call(ctx, change); kiterror.CodeOf(err) {
				case "":
					done.Add(1)
				case kiterror.ServiceUnavailable:
					refused.Add(1)
				}
			})
		}
		calls.Wait()
		// Two each second; those of the third second are cut by the deadline.
		if most.Load() != 2 || done.Load() != 4 || posts.Load() != 6 || time.Since(began) > 3*time.Second {
			t.Errorf("%d at once, %d done, %d refused, %d posts, after %s", most.Load(), done.Load(), refused.Load(), posts.Load(), time.Since(began))
		}
		if refused.Load() != 4 {
			t.Errorf("%d were refused for want of room, want 4", refused.Load())
		}
	})
}

// A host gives up when nobody waits any more: the time in the header is its limit.
func TestDeadlineIsPassedOn(t *testing.T) {
	var remaining time.Duration
	r := far(t, facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
		by, _ := ctx.Deadline()
		remaining = time.Until(by)
		return &facade.Result{Value: json.RawMessage("1")}, nil
	}), nil)
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
	defer cancel()
	if _, err := r.Call(ctx, &facade.Call{Entity: "math", Operation: "sum"}); err != nil {
		t.Fatal(err)
	}
	if remaining > 9*time.Second || remaining < time.Second {
		t.Errorf("the host has %s, its caller 9 s", remaining)
	}
}

// What a caller sends as its time changes nothing where it is none, or longer than ours.
func TestTimeoutHeader(t *testing.T) {
	for _, sent := range []string{"", "-1", "x", "1e3", "99999999999999999999", "0", "3600000"} {
		var remaining time.Duration
		h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
			by, _ := ctx.Deadline()
			remaining = time.Until(by)
			return &facade.Result{Value: json.RawMessage("1")}, nil
		}), &envelope.Options{Timeout: 3 * time.Second})
		r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			r.Header.Set(envelope.TimeoutHeader, sent)
			return inProcess{h}.RoundTrip(r)
		})})
		if _, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum"}); err != nil {
			t.Fatal(err)
		}
		if remaining < time.Second || remaining > 3*time.Second {
			t.Errorf("%s: %s remain of 3 s", strconv.Quote(sent), remaining)
		}
	}
}

// A transport that panics leaves the breaker and the bound as they were.
func TestTransportPanics(t *testing.T) {
	r := remote(t, "http://host", &client.Options{InFlight: 1, Transport: tripper(func(*http.Request) (*http.Response, error) { panic(errors.New("odd")) })})
	for range 3 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			_, _ = r.Call(t.Context(), change)
		}()
	}
}
