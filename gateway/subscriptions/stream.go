package subscriptions

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/resolvers"
)

// gather is how long a connection that has just sent events ought to wait for more: the events
// of a busy fact then leave in a hundred writes a second. The first one leaves at once.
const gather = 10 * time.Millisecond

// Stream is the responses of one subscription, in the order of the events. It is used by one
// goroutine at a time.
type Stream struct {
	hub          *Hub
	subscription *resolvers.Subscription
	caller       string
	wake         func()

	live    *live // nil: it follows a fact
	since   int   // what live.wanted was when it came
	version int   // of the answer that it has

	reader   Reader
	shared   *facts.Group
	from     facade.Position   // where the last answers begin
	answered []facade.Position // the events that they answer
	failures int               // in a row
	retry    *time.Timer
	closed   bool
}

// Next returns the next responses, which must not be written to. [Stream.Sent] reports how they
// were sent. It does not wait for events: without events it returns no responses, and wake is
// called later. It waits in the same way after a failure that may pass, as of a store that cannot
// be reached. The error ends the stream: it is for the subscriber.
func (s *Stream) Next(ctx context.Context) ([][]byte, error) {
	if s.live != nil && !s.closed {
		return s.live.answers(ctx, s)
	}
	for !s.closed {
		s.from = s.reader.Position()
		events, _, err := s.reader.Poll(ctx)
		if err != nil {
			return nil, s.failed(ctx, err)
		}
		if len(events) == 0 {
			return nil, nil
		}
		answers, positions, done, err := s.shared.To(ctx, events)
		if err != nil {
			s.reader.Rewind(s.from)
			return nil, s.failed(ctx, err)
		}
		switch {
		case done == 0: // another subscriber's run left all of them out
			s.reader.Rewind(s.from)
		case done < len(events):
			s.reader.Rewind(events[done-1].Position)
		}
		s.failures, s.answered = 0, positions
		if len(answers) > 0 {
			return answers, nil
		}
	}
	return nil, nil
}

// Sent says that the subscriber gets the first n responses of the last Next. The others are
// returned again. more reports whether Next may have responses now; else wake is called when it has.
func (s *Stream) Sent(n int) (more bool) {
	answered := s.answered
	s.answered = nil
	switch {
	case s.closed:
		return false
	case s.live != nil:
		if n == 0 {
			s.version = 0
		}
		return true
	case n >= len(answered):
		return !s.reader.Waiting()
	case n == 0:
		s.reader.Rewind(s.from)
	default:
		s.reader.Rewind(answered[n-1])
	}
	return true
}

// failed arranges for a failure that may pass to be tried again, and returns any other. A
// failure of ctx does not belong to the stream.
func (s *Stream) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if !passing(err) {
		return err
	}
	s.failures++
	pause := min(100*time.Millisecond<<min(s.failures-1, 6), 5*time.Second)
	s.retry = time.AfterFunc(pause/2+rand.N(pause/2+1), s.wake)
	return nil
}

// passing reports whether a failure may pass by itself.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	switch kiterror.CodeOf(err) {
	case kiterror.ServiceUnavailable, kiterror.GatewayTimeout, kiterror.BadGateway, kiterror.TooManyRequests, kiterror.RequestTimeout:
		return true
	}
	return false
}

// Failed is the response for a subscriber whose stream ended with err.
func (s *Stream) Failed(ctx context.Context, err error) *resolvers.Response {
	return s.subscription.Failed(ctx, err)
}

// Close ends the stream and gives its place back. Closing twice is fine. It is called by the
// goroutine that uses the stream.
func (s *Stream) Close() {
	if s.closed {
		return
	}
	s.closed = true
	if s.retry != nil {
		s.retry.Stop()
	}
	if s.live != nil {
		s.hub.partLive(s)
	} else {
		s.reader.Close()
		s.shared.Leave()
	}
	s.hub.Leave(ofSubscription, s.caller)
}
