// Package stream sends the events that exist for one caller as text/event-stream, until the
// client leaves, the caller's rights end, or the host stops:
//
//	id: 1kq0i4c0vg004
//	event: orderPlaced
//	data: {"id":"0199…","position":"1kq0i4c0vg004","name":"orderPlaced",…}
//
// Where an end has a reason, it is sent before the connection closes: event: end with the
// KitError. A client that connects again with the last id goes on from there. What a request
// asks for, and everything that is refused before a stream begins, is package rest's.
package stream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/schema/jsontext"
)

// Facts is what streams of facts are made of.
type Facts interface {
	// Watch admits a subscriber; see [facade.Facade.Watch].
	Watch(ctx context.Context, s *facade.Subscription) (*facade.Watch, error)
	// Subscribe begins to read the events of a fact behind a position as text. "" is behind
	// what there is now, start before the oldest event that is kept.
	Subscribe(ctx context.Context, f *facade.Fact, after string) (Reader, error)
}

// Reader reads the events of a fact in order, from one goroutine.
type Reader interface {
	// Next waits for events and returns them with the position behind them. Where ctx ends
	// first, the error is its own, with the position up to which there were none.
	Next(ctx context.Context) ([]*facade.Event, facade.Position, error)
	// Position is the one from which to resume.
	Position() facade.Position
	Close()
}

// Options of the streams of one surface. Facts is required.
type Options struct {
	Facts Facts
	// Again identifies the caller once more, before events that come AgainAfter or later after
	// the last time, and with every sign of life. An error ends the stream. Nil: a stream is
	// its first caller's until it ends.
	Again      func(*http.Request) (facade.State, error)
	AgainAfter time.Duration
	// Expires is when a caller's state ends; zero, or nil: it has no such time. The caller is
	// identified again then.
	Expires func(facade.State) time.Time
	// Place takes a place among the streams that may be open, and returns what gives it back;
	// the error refuses the stream. Nil: there is no bound.
	Place func(*http.Request, facade.State) (leave func(), err error)
	// Ending is done when streams have to end, so that the host can stop. Nil: never.
	Ending context.Context //nolint:containedctx // a signal whose life is the surface's
	// Patience is how long a client may take to accept what is written; 0 is 10 s.
	Patience time.Duration
	// Timeout bounds the evaluation of one batch of events; 0 or less: nothing does.
	Timeout time.Duration
	// Budget bounds what evaluations hold; nil: nothing does.
	Budget *facade.Budget
}

// Stream is one answer that goes on.
type Stream struct {
	Options *Options
	Sub     facade.Subscription
	Watch   *facade.Watch
	Reader  Reader
	// First, unless nil, comes before any event of the log; Listed is what it says of rows.
	First  *sse.Event
	Listed Listed
	// Begun is called when the head and First were sent.
	Begun func()
	// Report returns an error as the client may see it, and logs what it may not.
	Report func(error) *facade.Error

	r          *http.Request
	out        *sse.Stream
	buf        []byte
	sent       time.Time // when something was sent last
	identified time.Time // when the caller was
	// early are the events that came before settled, which is zero once it has passed.
	early   []*facade.Event
	settled time.Time
}

// settling is how long the events behind a list are gathered: what was committed while the list
// was read arrives a little later than the list, and is judged together.
const settling = 250 * time.Millisecond

// mostEarly is how many events are gathered at most.
const mostEarly = 1024

// errEnded is the end of a stream without a reason to send: the client is gone, or the host
// stops.
var errEnded = errors.New("the stream has ended")

// Serve answers a request, until the stream ends. The caller was identified and admitted for
// it; Serve closes the reader.
func (s *Stream) Serve(w http.ResponseWriter, r *http.Request) {
	defer s.Reader.Close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if s.Options.Ending != nil {
		defer context.AfterFunc(s.Options.Ending, cancel)() //nolint:contextcheck // it is the surface's
	}
	s.r, s.identified = r, time.Now()
	if len(s.Listed) > 0 {
		s.settled = time.Now().Add(settling)
	}
	err := s.begin(w)
	s.Begun()
	for err == nil {
		err = s.next(ctx)
	}
	// The reason, where there is one and somebody to read it.
	if errors.Is(err, errEnded) || ctx.Err() != nil {
		return
	}
	if s.out.Send(sse.Event{Name: "end", Data: s.Report(err).AppendJSON(nil)}) == nil {
		_ = s.out.Flush()
	}
}

// begin sends the head, and where the stream begins: a client that leaves before the first
// event resumes from there.
func (s *Stream) begin(w http.ResponseWriter) (err error) {
	if s.out, err = sse.Begin(w, &sse.Options{Patience: s.Options.Patience}); err != nil {
		return errEnded
	}
	if at := s.Reader.Position().String(); s.First == nil {
		err = s.out.Beat(at)
	} else if err = s.out.Send(sse.Event{ID: at, Name: s.First.Name, Data: s.First.Data}); err == nil {
		err = s.out.Flush()
	}
	if err != nil {
		return errEnded
	}
	s.First, s.sent = nil, time.Now()
	return nil
}

// next sends the next events, or a sign of life where nothing was sent for a while.
func (s *Stream) next(ctx context.Context) error {
	waiting, cancel := context.WithDeadline(ctx, s.until())
	events, at, err := s.Reader.Next(waiting)
	cancel()
	beat := errors.Is(err, context.DeadlineExceeded)
	switch {
	case ctx.Err() != nil:
		return errEnded
	case err != nil && !beat:
		return err
	}
	if err := s.again(ctx, beat); err != nil {
		return err
	}
	if !s.settled.IsZero() {
		s.early = append(s.early, events...)
		if len(s.early) < mostEarly && time.Now().Before(s.settled) {
			return nil
		}
		events, s.early, s.settled = s.early, nil, time.Time{}
		return s.send(ctx, events)
	}
	if !beat {
		return s.send(ctx, events)
	}
	// Only now the client moves on over events that it was not shown: at once it would learn
	// that there were some.
	if s.out.Beat(at.String()) != nil {
		return errEnded
	}
	s.sent = time.Now()
	return nil
}

// until is how long there may be nothing to do: until the next sign of life, or the end of
// what is known of the caller.
func (s *Stream) until() time.Time {
	until := s.sent.Add(sse.Interval)
	if !s.settled.IsZero() {
		until = s.settled
	}
	if s.Options.Expires != nil {
		// One that has passed already was looked at then.
		if by := s.Options.Expires(s.Sub.State); by.Before(until) && by.After(time.Now()) {
			return by
		}
	}
	return until
}

// again identifies the caller once more, where that was long enough ago, and admits the
// subscriber anew where the state is another one. beat says that there is nothing to send.
func (s *Stream) again(ctx context.Context, beat bool) error {
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
	s.Sub, s.Watch = sub, watch
	return nil
}

// send sends those of the events that exist for the caller now.
func (s *Stream) send(ctx context.Context, events []*facade.Event) error {
	// A copy of the store may be behind the event.
	ctx, account, err := s.Options.Budget.Open(consistency.Latest(ctx))
	if err != nil {
		return err
	}
	defer account.Close()
	if limit := s.Options.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	shown, err := s.Watch.Reveal(ctx, events)
	if err != nil {
		return err
	}
	shown = s.Listed.news(shown)
	for i := range shown {
		r := &shown[i]
		s.buf = appendShown(s.buf[:0], s.Watch.Fact(), r)
		if s.out.Send(sse.Event{ID: r.Event.Position.String(), Name: r.Event.Name, Data: s.buf}) != nil {
			return errEnded
		}
	}
	if len(shown) == 0 {
		return nil
	}
	s.sent = time.Now()
	if s.out.Flush() != nil {
		return errEnded
	}
	return nil
}

// appendShown appends an event as one subscriber sees it (docs/facts.md), and change where it is
// about what happened to a row:
//
//	{"id":"…","position":"…","name":"orderChanged","change":"updated","entity":"order","key":"o-1","version":"…","at":"…","data":{…}}
//
// What there is not is null: the row of a change that is left, the key of a fact about no row.
func appendShown(dst []byte, fact *facade.Fact, r *facade.Revealed) []byte {
	e := r.Event
	dst = jsontext.AppendString(append(dst, `{"id":`...), e.ID)
	dst = append(append(append(dst, `,"position":"`...), e.Position.String()...), '"')
	dst = jsontext.AppendString(append(dst, `,"name":`...), e.Name)
	if r.Change != "" {
		dst = jsontext.AppendString(append(dst, `,"change":`...), string(r.Change))
	}
	entity := json.RawMessage(nil)
	if fact.Door != nil {
		entity = jsontext.Quote(fact.Door.Name)
	}
	dst = appendOrNull(append(dst, `,"entity":`...), entity)
	dst = appendOrNull(append(dst, `,"key":`...), r.Key)
	version := json.RawMessage(nil)
	if r.Version != "" {
		version = jsontext.Quote(r.Version)
	}
	dst = appendOrNull(append(dst, `,"version":`...), version)
	dst = rows.AppendDateTime(append(dst, `,"at":`...), e.At)
	return append(appendOrNull(append(dst, `,"data":`...), r.Data), '}')
}

func appendOrNull(dst []byte, value json.RawMessage) []byte {
	if value == nil {
		return append(dst, "null"...)
	}
	return append(dst, value...)
}
