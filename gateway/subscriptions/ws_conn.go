package subscriptions

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// conn is one connection.
type conn struct {
	server  *SocketServer
	ws      *websocket.Conn
	socket  *socket
	pump    *outlet.Pump
	upgrade *http.Request // until the caller is known
	address string
	caller  string // whose limits hold
	state   access.State
	began   time.Time
	timer   *time.Timer  // of the first message, then of the caller's credential
	heard   atomic.Int64 // when the client sent something last, Unix seconds
	pinged  atomic.Int64 // when it was pinged last

	mu      sync.Mutex
	known   bool // the caller is acknowledged
	ops     operations
	out     []message
	held    int       // bytes of out
	sent    time.Time // when a subscription sent something last
	closed  bool      // by the pump
	drained sync.Cond
	opened  int    // operations so far
	running int    // operations that are being begun or executed
	going   ending // how it ends once nothing is running
	end     ending // how it ends, or ended

	written int // messages of out in the batch that is being sent; the pump's
}

func newConn(s *SocketServer, ws *websocket.Conn, socket *socket, r *http.Request, caller string) *conn {
	r = r.WithContext(context.WithoutCancel(r.Context())) // which ends with the upgrade
	c := &conn{server: s, ws: ws, socket: socket, upgrade: r, address: s.Address(r), caller: caller, began: time.Now()}
	c.drained.L = &c.mu
	c.pump = outlet.NewPump(s.ctx, socket.Conn, s.Patience, s.Room, c) //nolint:contextcheck // the connection outlives the request
	socket.pump = c.pump
	c.heard.Store(c.began.Unix())
	c.timer = time.AfterFunc(s.InitWait, func() { c.finish(ending{initTimeout, "Connection initialisation timeout"}) })
	return c
}

// run reads until the connection ends.
func (c *conn) run() {
	defer c.over()
	for {
		kind, text, err := c.ws.Read(context.Background())
		if err != nil {
			c.lost(err)
			return
		}
		c.heard.Store(time.Now().Unix())
		if c.hold() {
			continue // it ends; what is read is the rest
		}
		// In a goroutine of its own: what identifies a caller needs a large stack, which this one
		// would keep for as long as it waits.
		handled := make(chan ending)
		go func() { handled <- c.handled(kind, text) }()
		if end := <-handled; end != (ending{}) {
			c.finish(end)
		}
	}
}

// hold waits while the client has not read its answers. It reports whether the connection
// ends.
func (c *conn) hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for (len(c.out) > mostQueued || c.held > mostQueuedBytes) && c.end == (ending{}) {
		c.drained.Wait()
	}
	return c.end != (ending{})
}

// A client that has so much to read is not read from.
const (
	mostQueued      = 256
	mostQueuedBytes = 4 << 20
)

// acknowledge identifies the caller by the upgrade and the payload of the first message.
//
//	{"authorization": "Bearer …"}     in place of a header, which browsers cannot send
//	{"X-Frond-User": {"id": "ada"}}   of dev identity
func (c *conn) acknowledge(payload json.RawMessage) ending {
	c.mu.Lock()
	again := c.upgrade == nil
	r := c.upgrade
	c.upgrade = nil
	c.mu.Unlock()
	if again {
		return ending{tooManyInits, "Too many initialisation requests"}
	}
	r, err := withCredentials(r, payload)
	var state access.State
	if err == nil {
		state, err = c.server.Session(r)
	}
	if err != nil {
		e := kiterror.Report(c.server.ctx, c.server.Log, err, "")
		switch e.Code {
		case kiterror.ServiceUnavailable, kiterror.TooManyRequests, kiterror.InternalError:
			return ending{tryAgainLater, e.Message}
		}
		return ending{forbidden, "Forbidden: " + e.Message}
	}
	caller := c.server.Caller(c.address, state)
	if err := c.server.Hub.move(ofConnection, c.caller, caller); err != nil {
		return ending{tryAgainLater, kiterror.AsError(err).Message}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.caller = state, caller
	c.timer.Stop()
	if c.timer = nil; c.server.Expires != nil {
		if at := c.server.Expires(state); !at.IsZero() {
			c.timer = time.AfterFunc(time.Until(at), func() { c.finish(ending{forbidden, "Forbidden: the token has expired; connect again with another"}) })
		}
	}
	c.known = true
	c.queue(message{text: []byte(`{"type":"connection_ack"}`)})
	return ending{}
}

// withCredentials is the request of an upgrade with the credential of a payload. Both may have
// the same one; two that differ are refused, since which of them counts would be a guess.
func withCredentials(r *http.Request, payload json.RawMessage) (*http.Request, error) {
	for name, value := range jsontext.Members(payload) {
		header := http.CanonicalHeaderKey(name)
		if header != "Authorization" && header != "X-Frond-User" {
			continue
		}
		text := string(value)
		switch jsontext.KindOf(value) {
		case jsontext.String:
			text = jsontext.Unquote(jsontext.Trim(value))
		case jsontext.Null:
			continue
		case jsontext.Object:
			if header == "X-Frond-User" {
				break
			}
			fallthrough
		default:
			return nil, kiterror.Errorf(kiterror.Unauthorized, "%s has to be a string", strings.ToLower(header))
		}
		if sent := r.Header.Values(header); len(sent) > 0 && (len(sent) > 1 || sent[0] != text) {
			return nil, kiterror.Errorf(kiterror.Unauthorized, "the upgrade and the first message have different credentials; send one of them")
		}
		r = r.Clone(r.Context())
		r.Header.Set(header, text)
	}
	return r, nil
}

// beat pings the client after an idle while, and ends a dead connection.
func (c *conn) beat(now time.Time) {
	every := int64(max(c.server.KeepAlive/time.Second, 1))
	heard, pinged := c.heard.Load(), c.pinged.Load()
	switch idle := now.Unix() - heard; {
	case idle >= 3*every:
		go func() { _ = c.ws.CloseNow() }()
	case idle >= every && now.Unix()-pinged >= every:
		c.pinged.Store(now.Unix())
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known {
			c.queue(message{text: []byte(`{"type":"ping"}`)})
		}
	}
}

// finish ends the connection with a close frame, once. It does not wait.
func (c *conn) finish(end ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finishing(end)
}

// finishing is finish for a caller that holds c.mu.
func (c *conn) finishing(end ending) {
	if c.end != (ending{}) {
		return
	}
	c.end = end
	c.drained.Broadcast()
	go func() { _ = c.ws.Close(end.code, shortened(end.reason)) }()
}

// drain ends the connection when its last execution has ended.
func (c *conn) drain(end ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.going = end
	c.pump.Wake()
}

// lost notes how the connection ended, where the client or the network ended it.
func (c *conn) lost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != (ending{}) {
		return
	}
	c.end = ending{code: abnormalClosure}
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		c.end = ending{closed.Code, closed.Reason}
	} else if errors.Is(err, websocket.ErrMessageTooBig) {
		c.end = ending{websocket.StatusMessageTooBig, ""}
	}
}

// over gives back everything that the connection has.
func (c *conn) over() {
	_ = c.ws.CloseNow()
	c.pump.End()
	c.mu.Lock()
	if c.timer != nil {
		c.timer.Stop()
	}
	for !c.closed {
		c.drained.Wait()
	}
	summary := SocketSummary{Address: c.address, Caller: c.caller, Operations: c.opened, Code: int(c.end.code), Reason: c.end.reason, Took: time.Since(c.began)}
	c.mu.Unlock()
	c.server.remove(c)
	if c.server.Closed != nil {
		c.server.Closed(summary)
	}
}

// message is one that is to be written. The text precedes the body of a response.
type message struct {
	text     []byte
	response *resolvers.Response // nil: text is all
}

// The close codes of the protocol, and further ones of RFC 6455. Clients connect again after
// 1001, 1012, 1013, 4403 and 4408; the others are final for them.
const (
	serverStops     = websocket.StatusCode(1001)     // the program stops
	internalError   = websocket.StatusInternalError  // 1011
	serviceRestart  = websocket.StatusServiceRestart // 1012: the schema has changed
	tryAgainLater   = websocket.StatusTryAgainLater  // 1013
	badRequest      = websocket.StatusCode(4400)     // a message that is none of the protocol
	unauthorized    = websocket.StatusCode(4401)     // subscribe before the acknowledgement
	forbidden       = websocket.StatusCode(4403)     // the caller is refused, or its token has expired
	noSubprotocol   = websocket.StatusCode(4406)
	initTimeout     = websocket.StatusCode(4408)
	duplicate       = websocket.StatusCode(4409) // an id that is in use
	tooManyInits    = websocket.StatusCode(4429)
	maxReason       = 123                             // bytes of a close frame's reason (RFC 6455, 5.5)
	abnormalClosure = websocket.StatusAbnormalClosure // 1006, which is never sent
)

// ending is why a connection ends. The zero value is that it does not.
type ending struct {
	code   websocket.StatusCode
	reason string
}

// shortened is a reason as a close frame takes it.
func shortened(reason string) string {
	if len(reason) <= maxReason {
		return reason
	}
	return strings.ToValidUTF8(reason[:maxReason-len("…")], "") + "…" // a rune that is cut in two is left out
}
