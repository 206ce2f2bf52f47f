// Package sse writes answers of type text/event-stream (the HTML standard, section 9.2,
// "Server-sent events"). It knows nothing of what is sent; the surfaces that stream share it.
//
//	err := sse.Serve(w, r, &sse.Options{…}, source)
//
// The [Source] has the events. It is asked for them whenever [Stream.Wake] was called, by one
// goroutine at a time, which exists while there is something to do: a stream that waits costs a
// connection and a goroutine that notices when the client goes. For this the connection is taken
// over from the server; over HTTP/2, where that cannot be done, the request's goroutine waits.
//
// A stream outlives the time limits of its server, which are those of one answer. A client that
// does not take what is written within [Options.Patience] is cut off, and goes on from the last id
// it has.
package sse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/facts/outlet"
)

// MediaType is the type of a stream.
const MediaType = "text/event-stream"

// Interval is how often a stream that has nothing to send says that it is alive. Proxies
// commonly end connections that are silent for 30 s or 60 s.
const Interval = 15 * time.Second

// Options of [Serve]. A nil pointer is the zero value.
type Options struct {
	// Retry is how long a client waits before it connects again; 0 is between 2 s and 4 s,
	// another time for each stream, so that the clients of a host that stops do not come back
	// at the same moment.
	Retry time.Duration
	// Patience is how long the connection may take to accept a message; 0 is 10 s.
	Patience time.Duration
	// Memory bounds the buffers of all streams; nil: nothing does.
	Memory outlet.Memory
	// Ending is done when streams have to end, so that the host can stop. Nil: never.
	Ending context.Context //nolint:containedctx // a signal whose life is the surface's
	// Closed is called when a stream has ended; nil: nothing is.
	Closed func(Summary)
}

// Summary is what a stream was.
type Summary struct {
	Path, Address string // of the request
	Sent          int64  // bytes that the client has accepted
	Took          time.Duration
}

// Source has the events of a stream. Its methods are called by one goroutine at a time.
type Source interface {
	// Begin is called first. The stream may be woken from here on.
	Begin(s *Stream)
	// Next writes events into an empty batch, until that is full or there are no more. It is called
	// again when the batch was sent, and after a batch without events when the stream is woken, or
	// at a time. The error ends the stream, once the batch was sent.
	Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error)
	// Sent says how many messages of the last batch the client gets. Those behind them are to be
	// made again.
	Sent(n int)
	// Close ends the source.
	Close()
}

// Stream is one answer that goes on.
type Stream struct {
	source Source
	out    *outlet.Outlet
	conn   net.Conn // taken over; nil: the server's
	ctx    context.Context
	cancel context.CancelFunc
	stop   func() bool // of the host's end
	closed func(Summary)
	was    Summary
	began  time.Time
	retry  time.Duration // to be sent first; 0: it was
	done   chan struct{} // closed when the stream has ended, where somebody waits for it

	mu      sync.Mutex
	woken   bool
	running bool
	over    bool
	timer   *time.Timer
}

// Serve answers a request with a stream, with status 200 and the headers that w has already. It
// closes the source. Where the connection can be taken over it returns at once, and neither w nor
// the context of r are used then.
func Serve(w http.ResponseWriter, r *http.Request, opts *Options, source Source) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Ending == nil {
		o.Ending = context.Background()
	}
	if o.Retry <= 0 {
		o.Retry = 2*time.Second + rand.N(2*time.Second)
	}
	s := &Stream{source: source, closed: o.Closed, was: Summary{Path: strings.Clone(r.URL.Path), Address: r.RemoteAddr}, began: time.Now(), retry: o.Retry, woken: true, running: true}
	to, err := s.take(w, r)
	if err != nil {
		source.Close()
		return
	}
	s.out = outlet.New(to, o.Patience, o.Memory)
	s.ctx, s.cancel = context.WithCancel(o.Ending)
	s.stop = context.AfterFunc(o.Ending, s.End) //nolint:contextcheck // a stream outlives its request and ends with the host
	source.Begin(s)
	if s.conn != nil {
		go s.run()
		go s.listen()
		return
	}
	s.done = make(chan struct{})
	defer context.AfterFunc(r.Context(), s.End)()
	go s.run()
	<-s.done
}

// take sends the head of the answer and takes the connection over, where that is possible.
func (s *Stream) take(w http.ResponseWriter, r *http.Request) (outlet.Writer, error) {
	control := http.NewResponseController(w)
	// Without this the server's limit for reading a request ends the request's context. A
	// writer without deadlines belongs to a server that has none.
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	h := w.Header()
	h.Del("Content-Length")
	h["Content-Type"] = []string{MediaType}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Accel-Buffering"] = []string{"no"} // nginx holds back answers otherwise
	if r.ProtoMajor == 1 {
		h["Transfer-Encoding"] = []string{"identity"} // the stream ends with the connection
	}
	w.WriteHeader(http.StatusOK)
	if r.ProtoMajor == 1 {
		if conn, _, err := control.Hijack(); err == nil {
			s.conn = conn
			return conn, nil
		}
	}
	return &response{w, control}, control.Flush()
}

// response is the writer of a stream whose connection stays the server's.
type response struct {
	w       io.Writer
	control *http.ResponseController
}

// Write sends at once.
func (w *response) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err == nil {
		err = w.control.Flush()
	}
	return n, err
}

// SetWriteDeadline does nothing for a writer that has no deadlines.
func (w *response) SetWriteDeadline(t time.Time) error {
	if err := w.control.SetWriteDeadline(t); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// listen notices when the client goes. A client of a stream sends nothing.
func (s *Stream) listen() {
	var one [1]byte
	for read := 0; read < 1<<10; read++ {
		if _, err := s.conn.Read(one[:]); err != nil {
			break
		}
	}
	s.End()
}

// Wake has the source asked for events. It does not block.
func (s *Stream) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake()
}

func (s *Stream) wake() {
	s.woken = true
	if !s.running {
		s.running = true
		go s.run()
	}
}

// End ends the stream without a word. It does not wait.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	s.cancel()
	if s.conn != nil {
		_ = s.conn.Close()
	}
	s.wake()
}

// run sends until there is nothing to send.
func (s *Stream) run() {
	for at := (time.Time{}); s.goes(at); {
		var err error
		if at, err = s.turn(); err != nil {
			s.End()
		}
	}
}

// goes reports whether there may be something to send. Otherwise the goroutine is to end: until
// the stream is woken, or for ever.
func (s *Stream) goes(at time.Time) bool {
	s.mu.Lock()
	switch {
	case s.over:
		s.mu.Unlock()
		s.close()
		return false
	case s.woken:
		s.woken = false
		s.mu.Unlock()
		return true
	}
	defer s.mu.Unlock()
	s.running = false
	switch wait := time.Until(at); {
	case at.IsZero():
	case s.timer == nil:
		s.timer = time.AfterFunc(wait, s.Wake)
	default:
		s.timer.Reset(wait)
	}
	return false
}

// close gives everything back. Nothing runs any more.
func (s *Stream) close() {
	s.stop()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.source.Close()
	if s.closed != nil {
		s.was.Sent, s.was.Took = s.out.Sent(), time.Since(s.began)
		s.closed(s.was)
	}
	if s.done != nil {
		close(s.done)
	}
}

// again is after how long a stream asks again for memory.
const again = 100 * time.Millisecond

// turn sends one batch.
func (s *Stream) turn() (at time.Time, err error) {
	b, err := s.out.Batch()
	if err != nil { // its place in the log is all that the stream holds
		return time.Now().Add(again + rand.N(2*again)), nil
	}
	first := 0
	if s.retry > 0 {
		b.Text = append(strconv.AppendInt(append(b.Text, "retry: "...), s.retry.Milliseconds(), 10), "\n\n"...)
		b.End()
		s.retry, first = 0, 1
	}
	at, failed := s.source.Next(s.ctx, b)
	n := b.Len()
	switch {
	case n == 0:
		b.Release()
		return at, failed
	case failed != nil:
		_, _ = s.out.SendWhole(b) // the client may be gone
		return at, failed
	}
	sent, err := s.out.Send(b)
	if n > first {
		s.source.Sent(max(sent-first, 0))
	}
	s.Wake()
	return at, err
}

// Event is one event of a stream.
type Event struct {
	ID   string // what a client sends as Last-Event-ID; "": the one before stays
	Name string // of the listener that is called; "" is message
	Data []byte // text; may have several lines, which arrive joined by \n
}

// Write adds the event to a batch. ID and Name must not contain line ends.
func (e *Event) Write(b *outlet.Batch) {
	b.Text = e.append(b.Text)
	b.End()
}

// Beat adds a sign of life to a batch. An id that is not "" becomes the client's last one without
// any event: a client that wants few events of many still goes on from a recent place.
func Beat(b *outlet.Batch, id string) {
	if id == "" {
		b.Text = append(b.Text, ":\n\n"...)
	} else {
		b.Text = append(append(append(b.Text, "id: "...), id...), "\n\n"...)
	}
	b.End()
}

// append appends the event as the standard writes it.
//
//	id: 9
//	event: orderPlaced
//	data: {"id":"…"}
func (e *Event) append(dst []byte) []byte {
	if e.ID != "" {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if e.Name != "" {
		dst = append(append(append(dst, "event: "...), e.Name...), '\n')
	}
	rest := e.Data
	for more := true; more; {
		line := rest
		end := bytes.IndexAny(rest, "\r\n")
		if more = end >= 0; more {
			line = rest[:end]
			if rest[end] == '\r' && end+1 < len(rest) && rest[end+1] == '\n' {
				end++
			}
			rest = rest[end+1:]
		}
		dst = append(append(append(dst, "data: "...), line...), '\n')
	}
	return append(dst, '\n')
}
