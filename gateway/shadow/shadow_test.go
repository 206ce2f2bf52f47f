package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

func raw(texts ...string) (all []json.RawMessage) {
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

// newShadow is a shadow of the Frond shop whose copies a caller answers.
func newShadow(t *testing.T, ask facade.Caller) *Shadow {
	t.Helper()
	s := New(Options{Shares: map[string]float64{"shop": 1}, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(s.Close)
	s.Ask(ask, nil)
	return s
}

// settled waits until no copy waits.
func settled(s *Shadow) Counts {
	for s.queue.waiting.Load() > 0 {
		runtime.Gosched()
	}
	return s.Report().Fronds[0]
}

// TestAHostThatNeverAnswers takes two copies, and a bounded number waits; the others are dropped.
func TestAHostThatNeverAnswers(t *testing.T) {
	t.Parallel()
	s := newShadow(t, facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	for range 4 * maxWaiting {
		s.take(context.Background(), list, &facade.Call{}, value(`1`), nil)
	}
	if c := s.Report().Fronds[0]; c.Dropped != 3*maxWaiting || s.queue.waiting.Load() != maxWaiting {
		t.Errorf("%+v, %d wait", c, s.queue.waiting.Load())
	}
}

// TestLargeAnswers are dropped when those that wait have too many bytes.
func TestLargeAnswers(t *testing.T) {
	t.Parallel()
	s := newShadow(t, facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	large := value(string(make([]byte, 3<<20)))
	for range 5 {
		s.take(context.Background(), list, &facade.Call{}, large, nil)
	}
	if c := s.Report().Fronds[0]; c.Dropped != 3 || s.queue.bytes.Load() > maxBytes {
		t.Errorf("%+v, %d bytes", c, s.queue.bytes.Load())
	}
}

// TestOutcomes: answers are compared, failures on the way and panics are failures, and the last hundred findings are kept.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	var answer func() (*facade.Result, error)
	s := newShadow(t, facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return answer() }))
	for _, c := range []struct {
		there func() (*facade.Result, error)
		want  Counts
	}{
		{func() (*facade.Result, error) { return value(`1`), nil }, Counts{Same: 1}},
		{func() (*facade.Result, error) { return value(`2`), nil }, Counts{Same: 1, Different: 1}},
		{func() (*facade.Result, error) { return nil, kiterror.Errorf(kiterror.NotFound, "none") }, Counts{Same: 1, Different: 2}},
		{func() (*facade.Result, error) { return nil, kiterror.Errorf(kiterror.BadGateway, "garbage") }, Counts{Same: 1, Different: 2, Failed: 1}},
		{func() (*facade.Result, error) { return nil, errors.New("no code") }, Counts{Same: 1, Different: 2, Failed: 2}},
		{func() (*facade.Result, error) { panic("host") }, Counts{Same: 1, Different: 2, Failed: 3}},
	} {
		answer = c.there
		s.take(context.Background(), list, &facade.Call{}, value(`1`), nil)
		c.want.Frond, c.want.Share = "shop", 100
		if got := settled(s); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	s.logMinute()
	answer = func() (*facade.Result, error) { return value(`2`), nil }
	for range maxKept + 5 {
		s.take(context.Background(), list, &facade.Call{}, value(`1`), nil)
		settled(s)
	}
	if n := len(s.Report().Calls); n != maxKept {
		t.Errorf("%d calls are kept", n)
	}
	s.Ask(nil, errors.New("the project does not compile"))
	s.take(context.Background(), list, &facade.Call{}, value(`1`), nil)
	if got := settled(s); got.Dropped != 1 {
		t.Errorf("without anybody to ask: %+v", got)
	}
}

// TestManyCallersAtOnce: callers, askers, reports and the end of requests do not disturb one another.
func TestManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	s := newShadow(t, facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		return value(string(c.Invocation.Query)), nil
	}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				query := []byte(`"same"`)
				res := value(`"same"`)
				s.take(ctx, list, &facade.Call{Invocation: facade.Invocation{Query: query}, Select: []string{"id"}}, res, nil)
				cancel()
				copy(query, `"gone"`) // its request has ended
				res.Value = nil
				s.Report()
			}
		})
	}
	all.Wait()
	if got := settled(s); got.Same+got.Dropped != 800 || got.Different+got.Failed != 0 || s.queue.bytes.Load() != 0 {
		t.Errorf("%+v, %d bytes", got, s.queue.bytes.Load())
	}
}

// TestNoShadow costs nothing.
func TestNoShadow(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	own := []facade.Middleware{func(next facade.Caller) facade.Caller { return next }}
	if s != nil || len(s.Middleware(own, nil)) != 1 || len(s.Report().Fronds) != 0 {
		t.Error("there is a shadow of no Frond")
	}
	s.Ask(nil, nil)
	s.Close()
}
