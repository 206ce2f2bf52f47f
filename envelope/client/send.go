package client

import (
	"context"
	"errors"
	"time"
)

// sender sends posts to one host: round trips under a guard, counted.
type sender struct {
	endpoint endpoint
	invalid  error // why the configured address is none; nil: it is one
	guard    *guard
	counters counters
}

// newSender makes what sends to a base address; opts may be nil. An invalid address is
// reported by every call, not here, so that a gateway starts with it.
func newSender(base string, opts *Options) *sender {
	address, invalid := parseAddress(base)
	o := opts.withDefaults(address)
	s := &sender{invalid: invalid, guard: newGuard(o, o.breakerChanged)}
	s.endpoint = endpoint{options: o, address: address, transport: o.Transport}
	if s.endpoint.transport == nil {
		s.endpoint.transport, s.endpoint.traced = newTransport(o), true
		s.endpoint.own = newConnections(address, o)
	}
	return s
}

// close closes the idle connections.
func (s *sender) close() {
	if s.endpoint.own != nil {
		s.endpoint.own.CloseIdleConnections()
	}
	if t, ok := s.endpoint.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// send sends a post until it is answered or a retry makes no sense. Nil: p has read the
// answer.
func (s *sender) send(ctx context.Context, p *post) *failure {
	if s.invalid != nil {
		return &failure{kind: badAddress, cause: s.invalid}
	}
	g := s.guard
	g.sending.Add(1)
	defer g.sending.Add(-1)
	f := s.attempt(ctx, p)
	for tries := 0; f != nil && f.retry && tries < s.endpoint.options.Retries && g.retry(ctx, f); tries++ {
		f = s.again(ctx, p)
	}
	switch err := ctx.Err(); {
	case err == nil:
	case f == nil: // answered just as the call's time ran out
		f = unanswered(ctx, true, err, true)
	case errors.Is(err, context.Canceled):
		f.kind = callerGone
	}
	s.counters.ended(f.code())
	return f
}

// again is an attempt after a failed one.
func (s *sender) again(ctx context.Context, p *post) *failure {
	defer s.guard.retrying.Add(-1)
	s.counters.retries.Add(1)
	return s.attempt(ctx, p)
}

// attempt makes one round trip, if there is room and the breaker is not open. Discovery passes
// an open breaker: the background discovery is how a gateway notices that the host is back.
func (s *sender) attempt(ctx context.Context, p *post) (f *failure) {
	g := s.guard
	if !p.discovery && g.open() {
		return &failure{kind: breakerOpen}
	}
	if err := g.bulkhead.AcquirePermit(ctx); err != nil {
		if errors.Is(err, context.Canceled) {
			return &failure{kind: callerGone}
		}
		return &failure{kind: tooManyInFlight}
	}
	defer g.bulkhead.ReleasePermit()
	counted := !p.discovery && !p.uncounted
	if counted && !g.breaker.TryAcquirePermit() {
		return &failure{kind: breakerOpen}
	}
	s.counters.posts.Add(1)
	s.counters.inFlight.Add(1)
	defer s.counters.inFlight.Add(-1)
	began := time.Now()
	f = &failure{kind: connectionLost} // recorded if the transport panics
	defer func() {
		if counted {
			g.record(f, time.Since(began))
		}
	}()
	if f = s.endpoint.roundTrip(ctx, p); f != nil {
		f.retry = g.again(ctx, p.command, f)
	}
	return f
}
