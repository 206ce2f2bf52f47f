package rest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// groupKey is equal for streams with equal messages: streams of one surface whose callers have the
// same state, for the same events and fields.
type groupKey struct {
	surface               *StreamOptions
	fact                  *catalog.Fact
	filter, fields, state string
	member                bool // the text is a part of a message
}

// share is send for a stream that sends what others send too.
func (s *factStream) share(ctx context.Context, b *outlet.Batch, events []*facade.Event) error {
	texts, at, done, err := s.group.To(ctx, events)
	if err != nil {
		return err
	}
	to := s.from
	if done > 0 {
		to = events[done-1].Position
	}
	for i, text := range texts {
		if b.Full() { // computed fields have made it larger than the events are
			done, to = 0, at[i-1]
			break
		}
		if s.member != nil {
			appendMember(b, "event", s.member, "event", text)
		} else {
			b.Text = append(b.Text, text...)
			b.End()
		}
		s.shown = append(s.shown, at[i])
	}
	if done < len(events) {
		s.Reader.Rewind(to)
	}
	if len(texts) > 0 {
		s.sent = time.Now()
	}
	return nil
}

// join finds the streams that send the same.
func (s *factStream) join() {
	if s.Options.Answers == nil {
		return
	}
	var key any
	if state, plain := s.Sub.State.AppendKey(nil); plain {
		fields, _ := json.Marshal(s.Sub.Select) //nolint:errchkjson // a list of names
		key = groupKey{s.Options, s.Watch.Fact(), string(s.Sub.Filter), string(fields), string(state), s.member != nil}
	}
	e, member := s.evaluation(), s.member != nil
	s.group = s.Options.Answers.Join(key, func(ctx context.Context, events []*facade.Event, add func(facade.Position, []byte)) (done int, err error) {
		return e.respond(ctx, events, member, add)
	})
}

// leave leaves the streams that send the same.
func (s *factStream) leave() {
	if s.group != nil {
		s.group.Leave()
		s.group = nil
	}
}

// evaluation judges events for a subscriber, by its rights at the time.
type evaluation struct {
	watch  *facade.Watch
	caller any // as [facade.WithRequest] takes it
	budget *budget.Budget
	limit  time.Duration // 0 or less: unlimited
}

func (s *factStream) evaluation() evaluation {
	return evaluation{s.Watch, s.caller, s.Options.Budget, s.Options.Timeout}
}

// reveal returns the events that exist for the subscriber. Without an error, call end after the use
// of them.
func (e evaluation) reveal(ctx context.Context, events []*facade.Event) (shown []facade.Revealed, end func(), err error) {
	// A copy of the store may lag the event.
	ctx, account, err := e.budget.Open(facade.WithRequest(consistency.Latest(ctx), e.caller, 0))
	if err != nil {
		return nil, nil, err
	}
	if e.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.limit)
		defer cancel()
	}
	if shown, err = e.watch.Reveal(ctx, events); err != nil {
		account.Close()
		return nil, nil, err
	}
	return shown, account.Close, nil
}

// respond adds the messages of the events that exist for the subscriber, or the data of each for the
// message of a member.
func (e evaluation) respond(ctx context.Context, events []*facade.Event, member bool, add func(facade.Position, []byte)) (done int, err error) {
	shown, end, err := e.reveal(ctx, events)
	if err != nil {
		return 0, err
	}
	defer end()
	size := 0
	for i := range shown {
		r := &shown[i]
		text := appendShown(nil, e.watch.Fact(), r)
		if !member {
			text = (&sse.Event{ID: r.Event.Position.String(), Name: r.Event.Name, Data: text}).Append(nil)
		}
		add(r.Event.Position, text)
		if size += len(text); size >= facade.LogBytes {
			for done < len(events) && events[done].Position <= r.Event.Position {
				done++
			}
			return done, nil
		}
	}
	return len(events), nil
}

// appendShown appends an event as one subscriber sees it (docs/facts.md), with change if it is
// about a change of a row:
//
//	{"id":"…","position":"…","name":"orderChanged","change":"updated","entity":"order","key":"o-1","version":"…","at":"…","data":{…}}
//
// A missing part is null: the row of a change without it, the key of a fact without a row.
func appendShown(dst []byte, fact *catalog.Fact, r *facade.Revealed) []byte {
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
	dst = schema.AppendDateTime(append(dst, `,"at":`...), e.At)
	if fact.ShowsActor {
		dst = r.Actor.AppendJSON(append(dst, `,"actor":`...))
	}
	return append(appendOrNull(append(dst, `,"data":`...), r.Data), '}')
}

func appendOrNull(dst []byte, value json.RawMessage) []byte {
	if value == nil {
		return append(dst, "null"...)
	}
	return append(dst, value...)
}
