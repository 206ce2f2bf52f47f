package shadow

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Shadow copies queries. A nil Shadow copies no query. Its methods may be called from many
// goroutines.
type Shadow struct {
	options Options
	target  atomic.Pointer[target]
	queue   queue
	report  report
	stopped sync.WaitGroup
	stop    context.CancelFunc
	ended   context.Context //nolint:containedctx // the life of the goroutines
}

// Options of [New].
type Options struct {
	Shares map[string]float64 // by Frond, above 0 and at most 1
	Log    *slog.Logger
	// Called counts a copy by Frond, entity, operation and outcome, and Differs a field that differs, by the same names and its own. nil:
	// they are not counted beside [Shadow.Report].
	Called, Differs func(labels ...string)
}

// Outcome is the end of a copy.
type Outcome string

// The outcomes.
const (
	same      Outcome = "same"
	different Outcome = "different"
	failed    Outcome = "failed"  // the host gave no answer that could be compared
	dropped   Outcome = "dropped" // the queue was full: the host was not asked
)

// target answers copies: the façade in which the Fronds are remote.
type target struct {
	caller facade.Caller
	err    error // the reason why there is none
}

// New makes a shadow and starts its goroutines. The caller closes it. It copies calls once [Shadow.Ask] has said whom to ask. No shares
// are a nil shadow.
func New(opts Options) *Shadow {
	if len(opts.Shares) == 0 {
		return nil
	}
	s := &Shadow{options: opts, queue: queue{copies: make(chan *call, maxWaiting)}}
	s.report.begin(opts.Shares)
	s.ended, s.stop = context.WithCancel(context.Background())
	for range askers {
		s.stopped.Go(s.work)
	}
	s.stopped.Go(s.log)
	return s
}

// Close ends the goroutines and forgets the copies that wait. It waits for a call under way to notice.
func (s *Shadow) Close() {
	if s != nil {
		s.stop()
		s.stopped.Wait()
	}
}

// fronds are the names of the Fronds whose queries are copied, sorted.
func (s *Shadow) fronds() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.options.Shares))
}

// Ask sets the caller that answers copies from now on. err is the reason for a missing caller: the project does not
// compile with the Fronds moved.
func (s *Shadow) Ask(caller facade.Caller, err error) {
	if s == nil {
		return
	}
	if before := s.target.Swap(&target{caller, err}); err != nil && (before == nil || before.err == nil || before.err.Error() != err.Error()) {
		s.options.Log.Warn("no query is copied: the project does not start with these Fronds moved", "fronds", s.fronds(), "error", err)
	}
}

// Middleware takes the copies of calls of one façade. It belongs inside the author's. Without a shadow it is own alone.
// served is the catalog of the façade.
func (s *Shadow) Middleware(own []facade.Middleware, served *catalog.Catalog) []facade.Middleware {
	if s == nil {
		return own
	}
	return append(slices.Clip(own), func(next facade.Caller) facade.Caller {
		return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			res, err := next.Call(ctx, c)
			if op := s.sampled(ctx, served, c); op != nil && conclusive(err) {
				s.take(ctx, op, c, res, err)
			}
			return res, err
		})
	})
}

// sampled returns the operation of a call to copy, or nil. It leaves out the calls of the author's code: they may
// see rows that no caller sees, or uncommitted ones.
func (s *Shadow) sampled(ctx context.Context, served *catalog.Catalog, c *facade.Call) *catalog.Operation {
	door, op := served.Find(c.Entity, c.Operation)
	if op == nil || op.Kind != catalog.Query || facade.IsNested(ctx) {
		return nil
	}
	if share := s.options.Shares[door.Frond.Name]; share == 0 || share < 1 && rand.Float64() >= share {
		return nil
	}
	return op
}

// conclusive reports whether the end of a call says anything about another host: a timeout does not.
func conclusive(err error) bool {
	switch kiterror.CodeOf(err) {
	case kiterror.RequestTimeout, kiterror.GatewayTimeout, kiterror.ServiceUnavailable, kiterror.TooManyRequests, kiterror.InternalError, kiterror.BadGateway:
		return err == nil
	}
	return true
}
