package graphqlsse

import (
	"context"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/resolvers"
)

// distinct answers one operation with a stream (the distinct connections mode):
//
//	event: next       the response of a query or a mutation, or one of a subscription
//	event: complete   at the end
//
// What the engine refuses is a response too. A stream that is cut off without complete is to
// be opened again, behind the position of the last event.
func (srv *Server) distinct(w http.ResponseWriter, r *http.Request) {
	begin, _, state, ok := srv.Requests.Read(w, r)
	if !ok {
		return
	}
	sub, resp := begin(r.Context())
	out, err := srv.begin(w, r, state)
	if err != nil {
		if resp != nil {
			resp.Release()
		}
		return
	}
	defer out.end()
	if sub != nil {
		wake := make(chan struct{}, 1)
		stream, err := srv.Hub.Open(r.Context(), sub, srv.Caller(r, state), func() { poke(wake) })
		if err == nil {
			out.follow(stream, wake) //nolint:contextcheck // it has the request's
			return
		}
		resp = sub.Failed(r.Context(), err)
	}
	out.last(resp)
}

// poke makes a channel of one element ready.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// out is an event stream under way.
type out struct {
	*sse.Stream
	ctx    context.Context
	done   <-chan struct{}
	expiry *time.Timer // nil: the caller's credential does not expire
	beat   time.Duration
}

// begin begins the answer.
func (srv *Server) begin(w http.ResponseWriter, r *http.Request, state facade.State) (*out, error) {
	stream, err := sse.Begin(w, &sse.Options{Patience: srv.Patience})
	if err != nil {
		return nil, err
	}
	o := &out{Stream: stream, ctx: r.Context(), done: srv.Done, beat: srv.Beat}
	if srv.Expires != nil {
		if at := srv.Expires(state); !at.IsZero() {
			o.expiry = time.NewTimer(time.Until(at))
		}
	}
	return o, nil
}

func (o *out) end() {
	if o.expiry != nil {
		o.expiry.Stop()
	}
}

// last sends the only response of an operation and ends the stream.
func (o *out) last(resp *resolvers.Response) {
	_ = o.Send(sse.Event{Name: "next", Data: resp.Body}) // Flush has the error
	resp.Release()
	o.complete()
}

func (o *out) complete() {
	_ = o.Send(sse.Event{Name: "complete"})
	_ = o.Flush() // the client may be gone
}

// follow sends the responses of a subscription until it ends.
func (o *out) follow(stream *subscriptions.Stream, wake <-chan struct{}) {
	defer stream.Close()
	for o.wait(wake) {
		for {
			answers, err := stream.Next(facade.WithRequest(o.ctx, nil))
			if err != nil {
				o.last(stream.Failed(o.ctx, err))
				return
			}
			if len(answers) == 0 {
				break
			}
			for _, body := range answers {
				_ = o.Send(sse.Event{Name: "next", Data: body})
			}
		}
		if o.Flush() != nil || !o.gather() {
			return // the client is gone, or does not read
		}
	}
}

// gather waits for more events to send together.
func (o *out) gather() bool {
	select {
	case <-time.After(subscriptions.Gather):
		return true
	case <-o.ctx.Done():
		return false
	}
}

// wait waits until something is to be sent, with signs of life meanwhile. It reports false where
// the stream is to end without a word: the client, the server or the caller's credential goes.
func (o *out) wait(wake <-chan struct{}) bool {
	var expired <-chan time.Time
	if o.expiry != nil {
		expired = o.expiry.C
	}
	beat := time.NewTimer(o.beat)
	defer beat.Stop()
	for {
		select {
		case <-wake:
			return true
		case <-beat.C:
			if o.Beat("") != nil {
				return false
			}
			beat.Reset(o.beat)
		case <-expired:
			return false
		case <-o.done:
			return false
		case <-o.ctx.Done():
			return false
		}
	}
}
