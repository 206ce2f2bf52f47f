package subscriptions

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// The single connection mode of GraphQL over Server-Sent Events: one stream carries the
// responses of many operations, for clients that may have few connections.
//
//	PUT                     reserves a stream: 201 with its token
//	GET, token              opens it
//	POST, token             begins an operation, whose id is extensions.operationId: 202
//	DELETE, token           ends the one of ?operationId=…: 200
const (
	tokenHeader = "X-GraphQL-Event-Stream-Token" //nolint:gosec // the name of a header
	tokenParam  = "token"
)

// reserveFor is how long a stream may be reserved and not open.
const reserveFor = 30 * time.Second

// reservations are the reserved streams of a handler, by their tokens.
type reservations struct {
	mu  sync.Mutex
	all map[string]*reserved
}

// reserved is a stream of the single connection mode.
type reserved struct {
	token, caller string
	timer         *time.Timer // removes it while it is not open
	server        *EventServer
	pulse         pulse // while it is open

	mu     sync.Mutex
	open   bool
	wake   func()          // nil: it is not open
	ctx    context.Context // of its operations
	cancel context.CancelFunc
	ops    operations
	queue  []reservedMessage
	// A batch has either messages of the queue, listed in written, or responses of subscriptions.
	written []reservedMessage
}

// reservedMessage is a response that waits for the stream, or with nil the end of an operation.
type reservedMessage struct {
	op   *operation
	resp *resolvers.Response
}

// token is the token of a request, or "".
func token(r *http.Request) string {
	if t := r.Header.Get(tokenHeader); t != "" {
		return t
	}
	return r.URL.Query().Get(tokenParam)
}

// inSingle reports whether a request is one of the single connection mode.
func inSingle(r *http.Request) bool {
	switch r.Method {
	case http.MethodPut, http.MethodDelete:
		return true
	}
	return token(r) != ""
}

// single answers a request of the single connection mode.
func (srv *EventServer) single(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		srv.post(w, r)
		return
	}
	state, ok := srv.Requests.Identify(w, r)
	if !ok {
		return
	}
	caller := srv.Caller(r, state)
	if r.Method == http.MethodPut {
		srv.reserve(w, r, caller)
		return
	}
	s := srv.find(w, r, caller)
	if s == nil {
		return
	}
	switch r.Method {
	case http.MethodGet:
		srv.openReserved(w, r, s, state)
	case http.MethodDelete:
		s.complete(r.URL.Query().Get("operationId"))
		w.WriteHeader(http.StatusOK)
	default:
		w.Header().Set("Allow", "DELETE, GET, POST, PUT")
		srv.refuse(w, r, kiterror.Errorf(kiterror.MethodNotAllowed, "a reserved stream is answered over GET, POST and DELETE"))
	}
}

// find finds the stream of a request's token; nil after a refusal. A token has no value to
// another caller.
func (srv *EventServer) find(w http.ResponseWriter, r *http.Request, caller string) *reserved {
	srv.reserved.mu.Lock()
	s := srv.reserved.all[token(r)]
	srv.reserved.mu.Unlock()
	if s == nil || s.caller != caller {
		srv.refuse(w, r, kiterror.Errorf(kiterror.NotFound, "there is no stream with this token; reserve one with PUT"))
		return nil
	}
	return s
}

// reserve reserves a stream.
func (srv *EventServer) reserve(w http.ResponseWriter, r *http.Request, caller string) {
	if err := srv.Hub.Take(ofConnection, caller); err != nil {
		srv.refuse(w, r, err)
		return
	}
	s := &reserved{token: rand.Text(), caller: caller, server: srv}
	s.ctx, s.cancel = context.WithCancel(facade.WithRequest(context.Background(), caller, srv.Work))
	srv.reserved.mu.Lock()
	if srv.reserved.all == nil {
		srv.reserved.all = map[string]*reserved{}
	}
	srv.reserved.all[s.token] = s
	srv.reserved.mu.Unlock()
	s.timer = time.AfterFunc(reserveFor, func() { srv.release(s) })
	w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
	w.Header()["Cache-Control"] = []string{"no-store"}
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(s.token))
}

// release ends a reserved stream and its operations.
func (srv *EventServer) release(s *reserved) {
	srv.reserved.mu.Lock()
	known := srv.reserved.all[s.token] == s
	delete(srv.reserved.all, s.token)
	srv.reserved.mu.Unlock()
	if !known {
		return
	}
	s.cancel()
	s.mu.Lock()
	s.ops.removeAll()
	s.mu.Unlock()
	messages, _, ended := s.due()
	for _, m := range append(messages, s.written...) {
		m.release()
	}
	closeAll(ended)
	srv.Hub.Leave(ofConnection, s.caller)
}

// openReserved sends the messages of a stream's operations, until it ends.
func (srv *EventServer) openReserved(w http.ResponseWriter, r *http.Request, s *reserved, state access.State) {
	s.mu.Lock()
	taken := s.open
	s.open = true
	s.mu.Unlock()
	if taken || !s.timer.Stop() {
		srv.refuse(w, r, kiterror.Errorf(kiterror.Conflict, "this stream is open already; reserve another one with PUT"))
		return
	}
	s.pulse = srv.pulse(state)
	srv.serve(w, r, state, s)
}

// Begin implements [sse.Source].
func (s *reserved) Begin(wake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake = wake
}

// Close implements [sse.Source].
func (s *reserved) Close() { s.server.release(s) }

// Next implements [sse.Source].
func (s *reserved) Next(_ context.Context, b *outlet.Batch) (time.Time, error) {
	messages, ready, ended := s.due()
	closeAll(ended)
	for i, m := range messages {
		if b.Full() {
			s.later(messages[i:])
			break
		}
		m.write(b)
		s.written = messages[:i+1]
	}
	s.ops.given = s.ops.given[:0]
	for _, op := range ready {
		if len(messages) > 0 || b.Full() {
			s.woken(op)
			continue
		}
		s.deliver(b, op) //nolint:contextcheck // an operation has the context of its reservation
	}
	return s.pulse.beat(b)
}

// Sent implements [sse.Source].
func (s *reserved) Sent(n int) (more bool) {
	if len(s.written) > 0 {
		for _, m := range s.written[:n] {
			m.release()
		}
		s.later(s.written[n:])
		s.written = nil
		return true
	}
	s.ops.sent(n, s.woken)
	return false
}

// later puts messages back at the front.
func (s *reserved) later(messages []reservedMessage) {
	if len(messages) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.Concat(messages, s.queue)
}

// due takes the messages to send, and the streams to close.
func (s *reserved) due() (messages []reservedMessage, ready []*operation, ended []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages, ended = s.queue, s.ops.takeEnded()
	s.queue = nil
	return messages, s.ops.readied(), ended
}

// write adds a message to a batch:
//
//	event: next
//	data: {"id":"1","payload":{"data":…}}
func (m *reservedMessage) write(b *outlet.Batch) {
	if m.resp == nil {
		(&sse.Event{Name: "complete", Data: []byte(`{"id":` + m.op.id + `}`)}).Write(b)
		return
	}
	m.op.next(m.resp.Body).Write(b)
}

// release gives the response back.
func (m *reservedMessage) release() {
	if m.resp != nil {
		m.resp.Release()
	}
}

func (op *operation) next(body []byte) *sse.Event {
	data := []byte(`{"id":` + op.id)
	return &sse.Event{Name: "next", Data: append(append(append(data, `,"payload":`...), body...), '}')}
}

// deliver adds the next responses of a subscription to a batch.
func (s *reserved) deliver(b *outlet.Batch, op *operation) {
	answers, err := op.stream.Next(facade.WithRequest(s.ctx, s.caller, 0))
	n := 0
	for ; n < len(answers) && !b.Full(); n++ {
		op.next(answers[n]).Write(b)
	}
	switch {
	case err != nil:
		s.ends(op, op.stream.Failed(s.ctx, err))
	case len(answers) > 0:
		s.ops.given = append(s.ops.given, given{op, n})
	}
}

// opens gives an operation its stream.
func (s *reserved) opens(op *operation, stream *Stream) {
	s.mu.Lock()
	opened := s.ops.open(op, stream)
	if opened {
		s.poke()
	}
	s.mu.Unlock()
	if !opened {
		stream.Close()
	}
}

func (s *reserved) woken(op *operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	op.ready = true
	s.poke()
}

// poke has the stream look for something to send. The caller holds s.mu.
func (s *reserved) poke() {
	if s.wake != nil {
		s.wake()
	}
}

// ends has the last response of an operation sent.
func (s *reserved) ends(op *operation, resp *resolvers.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op.gone {
		resp.Release()
		return
	}
	s.queue = append(s.queue, reservedMessage{op, resp}, reservedMessage{op: op})
	s.ops.remove(op)
	s.poke()
}

// complete ends an operation for the client. An unknown one has ended already.
func (s *reserved) complete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ops.complete(id) {
		s.poke()
	}
}

// post begins an operation, whose responses its stream has.
func (srv *EventServer) post(w http.ResponseWriter, r *http.Request) { //nolint:contextcheck // an operation outlives the request that begins it
	begin, extensions, state, ok := srv.Requests.Read(w, r)
	if !ok {
		return
	}
	s := srv.find(w, r, srv.Caller(r, state))
	if s == nil {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	op := &operation{cancel: cancel} // the client may end it as soon as it is added
	var err error
	if op.id, err = operationID(extensions); err == nil {
		err = s.add(op, srv.Hub.limits().Connection)
	}
	if err != nil {
		cancel()
		srv.refuse(w, r, err)
		return
	}
	go func() {
		sub, resp := begin(facade.WithRequest(ctx, nil, 0))
		if sub != nil {
			stream, err := srv.Hub.Open(ctx, sub, s.caller, func() { s.woken(op) })
			if err == nil {
				s.opens(op, stream)
				return
			}
			resp = sub.Failed(ctx, err)
		}
		s.ends(op, resp)
	}()
	w.WriteHeader(http.StatusAccepted)
}

// operationID is the member operationId of a request's extensions, as JSON.
func operationID(extensions json.RawMessage) (string, error) {
	id, ok := jsontext.Text(jsontext.Get(extensions, "operationId"))
	if !ok || id == "" {
		return "", kiterror.Errorf(kiterror.BadRequest, "extensions.operationId has to be a nonempty string: the operation's id")
	}
	return string(jsontext.Quote(id)), nil
}

// add adds an operation to the stream.
func (s *reserved) add(op *operation, most int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ops.named(op.id) != nil:
		return kiterror.Errorf(kiterror.Conflict, "an operation with this id is open; take another id, or end it")
	case most >= 0 && len(s.ops.all) >= most:
		return kiterror.Errorf(kiterror.TooManyRequests, "this stream has %d operations, its limit; end some first", len(s.ops.all))
	}
	s.ops.all = append(s.ops.all, op)
	return nil
}
