package subscriptions

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/resolvers"
)

// distinct answers one operation with a stream (the distinct connections mode):
//
//	event: next       the response of a query or a mutation, or one of a subscription
//	event: complete   at the end
//
// A refusal of the engine is a response too. After a stream that ends without complete, the
// client opens a new one behind the position of the last event.
func (srv *EventServer) distinct(w http.ResponseWriter, r *http.Request) {
	begin, _, state, ok := srv.Requests.Read(w, r)
	if !ok {
		return
	}
	o := &eventOperation{pulse: srv.pulse(state), server: srv, caller: srv.Caller(r, state)}
	o.subscription, o.response = begin(r.Context())
	srv.serve(w, r, state, o)
}

// serve answers with the stream of a source.
func (srv *EventServer) serve(w http.ResponseWriter, r *http.Request, state access.State, source sse.Source) {
	opts := sse.Options{Patience: srv.Patience, Room: srv.Room, Ending: srv.Ending}
	if srv.Closed != nil {
		opts.Closed = func(was sse.Summary) { srv.Closed(was, state) }
	}
	sse.Serve(w, r, &opts, source)
}

// errEnded is the end of a stream whose client knows all that there is to know.
var errEnded = errors.New("the stream has ended")

// pulse is when a stream says that it is alive, and when it ends because its caller has to identify
// itself again.
type pulse struct {
	every   time.Duration
	sent    time.Time
	expires time.Time // zero: never
}

func (srv *EventServer) pulse(state access.State) pulse {
	p := pulse{every: srv.Beat, sent: time.Now()}
	if srv.Expires != nil {
		p.expires = srv.Expires(state)
	}
	return p
}

// beat adds a sign of life to an empty batch if one is due, and returns when the next one is.
func (p *pulse) beat(b *outlet.Batch) (at time.Time, err error) {
	now := time.Now()
	if !p.expires.IsZero() && !now.Before(p.expires) {
		return at, errEnded
	}
	if b.Len() > 0 {
		p.sent = now
	} else if !now.Before(p.sent.Add(p.every)) {
		sse.Beat(b, "")
		p.sent = now
	}
	if at = p.sent.Add(p.every); !p.expires.IsZero() && p.expires.Before(at) {
		at = p.expires
	}
	return at, nil
}

// eventOperation is the source of a stream for one operation.
type eventOperation struct {
	pulse
	server       *EventServer
	caller       string
	subscription *resolvers.Subscription
	response     *resolvers.Response // the only one, or the last one
	stream       *Stream
}

// Begin implements [sse.Source].
func (o *eventOperation) Begin(wake func()) {
	if o.subscription == nil {
		return
	}
	ctx := context.Background() // the stream outlives the request
	var err error
	if o.stream, err = o.server.Hub.Open(ctx, o.subscription, o.caller, wake); err != nil {
		o.response = o.subscription.Failed(ctx, err)
	}
	o.subscription = nil
}

// Close implements [sse.Source].
func (o *eventOperation) Close() {
	if o.stream != nil {
		o.stream.Close()
	}
	if o.response != nil {
		o.response.Release()
	}
}

// Sent implements [sse.Source].
func (o *eventOperation) Sent(n int) (more bool) {
	return o.stream != nil && o.stream.Sent(n)
}

// Next implements [sse.Source].
func (o *eventOperation) Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error) {
	if o.stream != nil {
		answers, err := o.stream.Next(facade.WithRequest(ctx, o.caller, 0))
		if err != nil {
			o.response = o.stream.Failed(ctx, err)
		}
		for _, body := range answers {
			if b.Full() {
				break // the others are returned again
			}
			(&sse.Event{Name: "next", Data: body}).Write(b)
		}
	}
	if o.response != nil {
		(&sse.Event{Name: "next", Data: o.response.Body}).Write(b)
		(&sse.Event{Name: "complete"}).Write(b)
		return at, errEnded
	}
	return o.beat(b)
}
