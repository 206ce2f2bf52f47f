package subscriptions

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/resolvers"
)

// protocol is the subprotocol that a client has to name.
const protocol = "graphql-transport-ws"

// Operations begins operations: the payload of a subscribe message is a request of GraphQL over
// HTTP. One of the results is nil; the response is to be released.
type Operations interface {
	Operate(ctx context.Context, payload json.RawMessage, state access.State) (*resolvers.Subscription, *resolvers.Response)
}

// SocketOptions of [NewSocketServer]. Operations and Hub are required.
type SocketOptions struct {
	Operations Operations
	Hub        *Hub
	// Session identifies the caller: the request is the one that asked for the upgrade, with
	// the credential of the first message, if that has one. nil: every caller is anonymous.
	Session func(*http.Request) (access.State, error)
	// Allow is asked before each operation, and refuses the operations of a caller with too
	// many; it may be nil.
	Allow func(address string, state access.State) error
	// Caller is who a state counts for, if there is a limit for each caller; nil: the address.
	Caller func(address string, state access.State) string
	// Address is where a request comes from; nil: the address of the connection.
	Address func(*http.Request) string
	// Expires is when a caller has to identify itself again; nil, and the zero time: never.
	Expires func(access.State) time.Time
	// Refuse writes the answer to a refused upgrade.
	Refuse func(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error)
	// Closed, if not nil, is called at the end of an accepted connection.
	Closed func(SocketSummary)

	MaxMessage int64         // bytes of a message of the client; 0 means 1 MiB
	InitWait   time.Duration // how long a client may take to send its first message; 0 means 10 s
	// KeepAlive is how often an idle connection is pinged; one that does not answer two pings
	// is ended. 0 means 25 s.
	KeepAlive time.Duration
	Patience  time.Duration // how long the network may take to accept a write; 0 means 10 s
	Room      *outlet.Room  // bounds the buffers of all connections; nil: nothing does
	Work      time.Duration // bounds what an operation does, see [facade.WithRequest]
	Log       *slog.Logger  // nil means slog.Default()
}

// SocketSummary describes a connection that has ended.
type SocketSummary struct {
	Address, Caller string
	Operations      int
	Code            int // of the close frame; 1006: there was none
	Reason          string
	Took            time.Duration
}

// SocketServer accepts websockets of the protocol. It is an [http.Handler] for requests
// whose header Upgrade names a websocket. Whether a page may connect is decided by a guard in front of it.
type SocketServer struct {
	SocketOptions
	ctx    context.Context // ends with the server: operations outlive the request of the upgrade
	cancel context.CancelFunc

	mu       sync.Mutex
	conns    map[*conn]struct{}
	stopping ending
	empty    chan struct{} // closed when the last connection of a stopping server has ended; nil: it does not stop
}

// NewSocketServer returns a server, to be closed by [SocketServer.Shutdown].
func NewSocketServer(o SocketOptions) *SocketServer {
	o.MaxMessage = orDefault(o.MaxMessage, 1<<20)
	o.InitWait = orDefault(o.InitWait, 10*time.Second)
	o.KeepAlive = orDefault(o.KeepAlive, 25*time.Second)
	o.Patience = orDefault(o.Patience, 10*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Session == nil {
		o.Session = func(*http.Request) (access.State, error) { return nil, nil }
	}
	if o.Address == nil {
		o.Address = func(r *http.Request) string { return r.RemoteAddr }
	}
	if o.Caller == nil {
		o.Caller = func(address string, _ access.State) string { return address }
	}
	if o.Refuse == nil {
		o.Refuse = func(w http.ResponseWriter, _ *http.Request, status int, err *kiterror.Error) {
			http.Error(w, err.Message, status)
		}
	}
	s := &SocketServer{SocketOptions: o, conns: map[*conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(facade.WithRequest(context.Background(), nil, o.Work))
	go s.keepAlive()
	return s
}

func orDefault[T int64 | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// ServeHTTP accepts a connection and returns: the connection lives on without the request.
func (s *SocketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	caller, err := s.take(r)
	if err != nil {
		e := kiterror.AsError(err)
		s.Refuse(w, r, e.Code.Status(), e)
		return
	}
	h := &hijacker{ResponseWriter: w}
	ws, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		Subprotocols:       []string{protocol},
		InsecureSkipVerify: true, // the guard in front knows which sites may connect
	})
	if err != nil { // Accept has answered
		s.Hub.Leave(ofConnection, caller)
		return
	}
	ws.SetReadLimit(s.MaxMessage)
	c := newConn(s, ws, h.socket, r, caller)
	if stopping := s.add(c); stopping != (ending{}) {
		c.finish(stopping)
	} else if ws.Subprotocol() != protocol {
		c.finish(ending{noSubprotocol, "Subprotocol not acceptable; offer " + protocol})
	}
	c.pump.Start()
	go c.run() //nolint:contextcheck // the connection outlives the request
}

// take takes a place for a connection and returns the caller that it counts for. Until the first message
// identifies the client, its address is the caller. Where the address has no place left, perhaps
// because of others who are silent, a client whose upgrade identifies it has one of its own.
func (s *SocketServer) take(r *http.Request) (caller string, err error) {
	address := s.Address(r)
	caller = s.Caller(address, nil)
	if err = s.Hub.Take(ofConnection, caller); err == nil {
		return caller, nil
	}
	state, unknown := s.Session(r)
	if unknown != nil || s.Caller(address, state) == caller {
		return "", err
	}
	caller = s.Caller(address, state)
	return caller, s.Hub.Take(ofConnection, caller)
}

// add counts a connection as one of the server. The ending is not zero if the server stops.
func (s *SocketServer) add(c *conn) ending {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	return s.stopping
}

// remove forgets a connection that has ended.
func (s *SocketServer) remove(c *conn) {
	s.Hub.Leave(ofConnection, c.caller)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.empty != nil && len(s.conns) == 0 {
		close(s.empty)
		s.empty = nil
	}
}

// Shutdown ends every connection, with 1001 because the program stops, or with 1012 because
// its clients are to connect again at once. Operations that execute are finished first, until
// ctx is done. New connections end the same way.
func (s *SocketServer) Shutdown(ctx context.Context, restart bool) {
	end := ending{serverStops, "the server stops; connect again"}
	if restart {
		end = ending{serviceRestart, "the schema has changed; connect again"}
	}
	s.mu.Lock()
	if s.stopping != (ending{}) {
		s.mu.Unlock()
		return
	}
	s.stopping = end
	all := slices.Collect(maps.Keys(s.conns))
	empty := make(chan struct{})
	if len(all) > 0 {
		s.empty = empty
	} else {
		close(empty)
	}
	s.mu.Unlock()
	for _, c := range all {
		c.drain(end)
	}
	select {
	case <-empty:
	case <-ctx.Done():
		for _, c := range all {
			go func() { _ = c.ws.CloseNow() }()
		}
	}
	s.cancel()
}

// keepAlive pings idle connections, so that no proxy in between takes them for dead, and ends
// the ones that do not answer.
func (s *SocketServer) keepAlive() {
	tick := time.NewTicker(s.KeepAlive / 4)
	defer tick.Stop()
	for {
		var now time.Time
		select {
		case <-s.ctx.Done():
			return
		case now = <-tick.C:
		}
		s.mu.Lock()
		all := slices.Collect(maps.Keys(s.conns))
		s.mu.Unlock()
		for _, c := range all {
			c.beat(now)
		}
	}
}
