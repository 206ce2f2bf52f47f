package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"reflect"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/schema/jsontext"
)

// Facts is what streams of facts are made of.
type Facts interface {
	// Watch admits a subscriber; see [facade.Facade.Watch].
	Watch(ctx context.Context, s *facade.Subscription) (*facade.Watch, error)
	// Subscribe begins to read the events of a fact after a position as text. "" is the end of
	// the log, start its oldest event.
	Subscribe(ctx context.Context, f *catalog.Fact, after string) (FactReader, error)
}

// FactReader reads the events of a fact in order, from one goroutine.
type FactReader interface {
	// Notify has wake called, from any goroutine, when there are new events after the last or an
	// empty result of Poll.
	Notify(wake func())
	// Poll returns the next events, which may be empty, and the position up to which they are
	// complete.
	Poll(ctx context.Context) ([]*facade.Event, facade.Position, error)
	// Rewind goes back to a position that Poll has passed.
	Rewind(to facade.Position)
	// Waiting reports whether wake will be called.
	Waiting() bool
	// Position is the one from which to resume.
	Position() facade.Position
	Close()
}

// StreamOptions of the streams of one surface. Facts is required.
type StreamOptions struct {
	Facts Facts
	// Again identifies the caller once more, before events that come AgainAfter or later after
	// the last time, and with every sign of life. An error ends the stream. Nil: a stream is
	// its first caller's until it ends.
	Again      func(*http.Request) (access.State, error)
	AgainAfter time.Duration
	// Expires is when a caller's state ends; zero, or nil: it has no such time. The caller is
	// identified again then.
	Expires func(access.State) time.Time
	// Place takes a place among the streams that may be open, and returns the function that
	// gives it back; the error refuses the stream. Nil: their number is unlimited.
	Place func(*http.Request, access.State) (leave func(), err error)
	// Ending is done when streams have to end, so that the host can stop. Nil: never.
	Ending context.Context //nolint:containedctx // a signal whose life is the surface's
	// Patience is the longest time that a client may take to accept a write; 0 is 10 s.
	Patience time.Duration
	// Settling is how long the events after a list wait: an event committed while the list was
	// read arrives a little later than the list, and all of them are judged together; 0 is 250 ms.
	Settling time.Duration
	// Timeout bounds the evaluation of one batch of events; 0 or less: unlimited.
	Timeout time.Duration
	// Budget bounds the memory of evaluating events, Room the memory of sending them; nil:
	// unlimited.
	Budget *budget.Budget
	Room   *outlet.Room
	// Answers has streams with equal answers share them; nil: each has its own.
	Answers *facts.Answers
	// Closed is called when a stream has ended, unless it is nil.
	Closed func(sse.Summary, access.State)
}

// factStream is one answer that goes on.
type factStream struct {
	Options *StreamOptions
	Sub     facade.Subscription
	Watch   *facade.Watch
	Reader  FactReader
	// Begun is called when the head and the list were sent, or cannot be; Closed at the end.
	Begun, Closed func()
	// Report returns an error as the client may see it, and logs the rest.
	Report func(error) *kiterror.Error

	// first, unless nil, comes before any event of the log; listed is the state of the rows in
	// it.
	first      *sse.Event
	listed     listed
	member     json.RawMessage // the id in a [factGroup], as JSON; nil: the stream is an answer of its own
	r          *http.Request
	caller     any          // as [facade.WithRequest] takes it
	sent       time.Time    // time of the last message; zero: none yet
	identified time.Time    // when the caller was
	group      *facts.Group // of the streams that send the same; nil: there are none
	settled    time.Time    // when the events after a list are judged; zero: they were
	retry      time.Time    // when a failure is tried again; zero: there is none
	failures   int          // in a row
	// from is where the last batch begins, and shown where each of its events is.
	from  facade.Position
	shown []facade.Position
}

// errEnded is the end of a stream whose reason was sent.
var errEnded = errors.New("the stream has ended")

// Serve answers a request with the stream. The caller was identified and admitted for it. Serve
// closes the reader when the stream ends, which may be later than it returns.
func (s *factStream) Serve(w http.ResponseWriter, r *http.Request) {
	s.of(r)
	if len(s.listed) > 0 {
		s.settled = time.Now().Add(cmp.Or(s.Options.Settling, 250*time.Millisecond))
	}
	sse.Serve(w, r, &sse.Options{Patience: s.Options.Patience, Room: s.Options.Room, Ending: s.Options.Ending, Closed: s.closed}, s)
}

// of notes the request that the stream answers.
func (s *factStream) of(r *http.Request) {
	s.r, s.identified = r.WithContext(context.WithoutCancel(r.Context())), time.Now()
	s.caller, _ = facade.RequestOf(r.Context()).Shares()
	s.join()
}

// closed reports the end of a stream.
func (s *factStream) closed(was sse.Summary) {
	if s.Options.Closed != nil {
		s.Options.Closed(was, s.Sub.State)
	}
}

// Begin implements [sse.Source].
func (s *factStream) Begin(wake func()) { s.Reader.Notify(wake) }

// Close implements [sse.Source].
func (s *factStream) Close() {
	s.Reader.Close()
	s.leave()
	s.begun()
	s.Closed()
}

// begun returns the memory of the request to the budget.
func (s *factStream) begun() {
	if s.first = nil; s.Begun != nil {
		s.Begun()
		s.Begun = nil
	}
}

// Sent implements [sse.Source]: the reader goes back to the last sent event.
func (s *factStream) Sent(n int) (more bool) {
	if len(s.shown) == 0 { // the beginning, or a sign of life
		if more = s.Begun != nil; n > 0 {
			s.begun()
		}
		return more || !s.Reader.Waiting()
	}
	switch {
	case n == 0:
		s.Reader.Rewind(s.from)
	case n < len(s.shown):
		s.Reader.Rewind(s.shown[n-1])
	}
	s.shown = nil
	return !s.Reader.Waiting()
}

// Next implements [sse.Source]: the next events, or a heartbeat after a silence.
func (s *factStream) Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error) {
	at, failed, err := s.turn(ctx, b)
	if failed != nil {
		(&sse.Event{Name: "end", Data: failed.AppendJSON(nil)}).Write(b)
		err = errEnded
	}
	return at, err
}

// turn writes the next messages, or returns when to try again. The first message is the stream's
// first position, so that a client that leaves before the first event resumes from there. failed
// is why the stream ends.
func (s *factStream) turn(ctx context.Context, b *outlet.Batch) (at time.Time, failed *kiterror.Error, err error) {
	defer func() {
		if p := recover(); p != nil {
			failed = s.Report(kiterror.Panicked(p))
		}
	}()
	if s.Begun != nil {
		s.sent = time.Now()
		if at := s.Reader.Position().String(); s.first == nil {
			s.beat(b, at)
		} else {
			s.write(b, at, s.first.Name, s.first.Data)
		}
		return s.sent, nil, nil
	}
	// Events that the caller may not see fill no batch, and more may follow them in the log.
	before := b.Len()
	for more := true; more && err == nil && b.Len() == before && ctx.Err() == nil; {
		more, err = s.next(ctx, b)
	}
	switch {
	case ctx.Err() != nil:
		return at, nil, errEnded
	case err != nil && passing(err):
		s.failures++
		pause := min(100*time.Millisecond<<min(s.failures-1, 6), 5*time.Second)
		s.retry = time.Now().Add(pause/2 + rand.N(pause/2+1))
		return s.retry, nil, nil
	case err != nil:
		return at, s.Report(err), nil
	}
	return s.until(), nil, nil
}

// write adds an event to a batch.
func (s *factStream) write(b *outlet.Batch, position, name string, data []byte) {
	if s.member != nil {
		appendMember(b, "event", s.member, "event", data)
		return
	}
	(&sse.Event{ID: position, Name: name, Data: data}).Write(b)
}

// beat adds a sign of life to a batch, with the position from which to resume.
func (s *factStream) beat(b *outlet.Batch, position string) {
	if s.member != nil {
		appendMember(b, "position", s.member, "position", jsontext.Quote(position))
		return
	}
	sse.Beat(b, position)
}

// passing reports whether the log, or room in memory, may be there later.
func passing(err error) bool {
	switch kiterror.CodeOf(err) {
	case kiterror.ServiceUnavailable, kiterror.GatewayTimeout, kiterror.BadGateway:
		return true
	}
	return false
}

// next writes the next events. more reports whether it took any from the log.
func (s *factStream) next(ctx context.Context, b *outlet.Batch) (more bool, err error) {
	now := time.Now()
	if now.Before(s.settled) || now.Before(s.retry) {
		return false, nil
	}
	s.settled, s.retry, s.from = time.Time{}, time.Time{}, s.Reader.Position()
	events, at, err := s.Reader.Poll(ctx)
	if err != nil {
		return false, err
	}
	beat := len(events) == 0 && !now.Before(s.until())
	if len(events) == 0 && !beat {
		return false, nil
	}
	if err := s.again(ctx, beat); err != nil {
		return false, err
	}
	if beat {
		// Only now the client moves on over events that it was not shown: at once it would learn
		// that there were some.
		s.sent = now
		s.beat(b, at.String())
		return false, nil
	}
	send := s.send
	if len(s.listed) == 0 && s.group != nil {
		send = s.share
	}
	if err := send(ctx, b, events); err != nil {
		s.Reader.Rewind(s.from)
		return false, err
	}
	s.failures = 0
	return true, nil
}

// until is the longest wait without events: until the next heartbeat, or the expiry of the
// caller's state.
func (s *factStream) until() time.Time {
	until := s.sent.Add(sse.Interval)
	for _, at := range []time.Time{s.settled, s.retry} {
		if !at.IsZero() {
			until = at
		}
	}
	if s.Options.Expires != nil {
		// One that has passed already was looked at then.
		if by := s.Options.Expires(s.Sub.State); by.Before(until) && by.After(s.identified) {
			return by
		}
	}
	return until
}

// again identifies the caller once more after an interval, and admits the subscriber again if
// the state has changed. beat says that there are no events to send.
func (s *factStream) again(ctx context.Context, beat bool) error {
	o := s.Options
	if o.Again == nil || !beat && time.Since(s.identified) < o.AgainAfter {
		return nil
	}
	state, err := o.Again(s.r)
	if err != nil {
		return err
	}
	s.identified = time.Now()
	if reflect.DeepEqual(state, s.Sub.State) {
		return nil
	}
	sub := s.Sub
	sub.State = state
	watch, err := o.Facts.Watch(ctx, &sub)
	if err != nil {
		return err
	}
	s.leave()
	s.Sub, s.Watch = sub, watch
	s.join()
	return nil
}

// send writes the events that exist for the caller now.
func (s *factStream) send(ctx context.Context, b *outlet.Batch, events []*facade.Event) error {
	shown, end, err := s.evaluation().reveal(ctx, events)
	if err != nil {
		return err
	}
	defer end()
	shown = s.listed.news(shown)
	var text []byte
	for i := range shown {
		r := &shown[i]
		if b.Full() { // computed fields have made it larger than the events are
			s.Reader.Rewind(shown[i-1].Event.Position)
			break
		}
		text = appendShown(text[:0], s.Watch.Fact(), r)
		s.write(b, r.Event.Position.String(), r.Event.Name, text)
		s.shown = append(s.shown, r.Event.Position)
	}
	if len(shown) > 0 {
		s.sent = time.Now()
	}
	return nil
}
