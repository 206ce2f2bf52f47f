package subscriptions

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/resolvers"
)

// EventPath is where streams are answered, after the path of the GraphQL handler.
const EventPath = "/stream"

// Requests reads requests of GraphQL over HTTP. If ok is false, a refusal was written. begin
// returns exactly one part that is not nil.
type Requests interface {
	Read(w http.ResponseWriter, r *http.Request) (begin func(context.Context) (*resolvers.Subscription, *resolvers.Response), extensions json.RawMessage, state access.State, ok bool)
	Identify(w http.ResponseWriter, r *http.Request) (state access.State, ok bool)
	Refuse(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error)
}

// EventOptions of [NewEventServer]. Requests and Hub are required.
type EventOptions struct {
	Requests Requests
	Hub      *Hub
	// Ending is done when streams have to end: their clients connect again. Nil: never.
	Ending context.Context //nolint:containedctx // a signal whose life is the surface's
	// Caller is who a request counts for, if there is a limit for each caller; nil: the
	// address.
	Caller func(r *http.Request, state access.State) string
	// Expires is when a caller has to identify itself again; nil, and the zero time: never.
	Expires func(access.State) time.Time
	// Beat is how often an idle stream says that it is alive; 0 means [sse.Interval].
	Beat time.Duration
	// Patience is how long the network may take to accept a message; 0 means 10 s.
	Patience time.Duration
	// Room bounds the buffers of all streams; it may be nil.
	Room *outlet.Room
	// Closed, if not nil, is called when a stream has ended.
	Closed func(sse.Summary, access.State)
	// Work bounds the work of an operation of a reserved stream, see [facade.WithRequest];
	// another stream has the bound of its request.
	Work time.Duration
}

// EventServer answers with streams. It may be used from many goroutines.
type EventServer struct {
	EventOptions
	reserved reservations
}

// NewEventServer returns a server.
func NewEventServer(o EventOptions) *EventServer {
	if o.Beat <= 0 {
		o.Beat = sse.Interval
	}
	if o.Caller == nil {
		o.Caller = func(r *http.Request, _ access.State) string { return r.RemoteAddr }
	}
	return &EventServer{EventOptions: o}
}

// ServeHTTP answers a request whose answer is a stream, or belongs to one.
func (srv *EventServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, EventPath) && inSingle(r) {
		srv.single(w, r)
		return
	}
	if accepted, _ := sse.Accepts(r.Header["Accept"]); !accepted {
		srv.Requests.Refuse(w, r, http.StatusNotAcceptable, kiterror.Errorf(kiterror.BadRequest, "the answer is a stream; accept text/event-stream"))
		return
	}
	srv.distinct(w, r)
}

func (srv *EventServer) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := kiterror.AsError(err)
	srv.Requests.Refuse(w, r, e.Code.Status(), e)
}
