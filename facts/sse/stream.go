// Package sse writes answers of type text/event-stream (the HTML standard, section 9.2,
// "Server-sent events"). It does not know the content of the events; the surfaces that stream
// share it.
//
//	err := sse.Serve(w, r, &sse.Options{…}, source)
//
// The [Source] has the events, and an [outlet.Pump] sends them: a stream that waits costs a
// connection and a goroutine that notices when the client goes. For this the connection is taken
// over from the server; HTTP/2 does not allow that, so the request's goroutine waits.
//
// A stream outlives the time limits of its server, which hold for one answer. A client that
// does not accept a write within [Options.Patience] is cut off, and continues from the last id
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
	"time"

	"github.com/frondhost/frond/facts/outlet"
)

// MediaType is the type of a stream.
const MediaType = "text/event-stream"

// Interval is the time after which a silent stream sends a heartbeat. Proxies commonly end
// connections after 30 s or 60 s of silence.
const Interval = 15 * time.Second

// Options of [Serve]. A nil pointer is the zero value.
type Options struct {
	// Retry is how long a client waits before it connects again; 0 is between 2 s and 4 s,
	// another time for each stream, so that the clients of a host that stops do not come back
	// at the same moment.
	Retry time.Duration
	// Patience is how long the connection may take to accept a message; 0 is 10 s.
	Patience time.Duration
	// Room bounds the buffers of all streams; nil: unlimited.
	Room *outlet.Room
	// Ending is done when streams have to end, so that the host can stop. Nil: never.
	Ending context.Context //nolint:containedctx // a signal whose life is the surface's
	// Closed is called when a stream has ended, unless it is nil.
	Closed func(Summary)
}

// Summary describes a stream that has ended.
type Summary struct {
	Path, Address string // of the request
	Sent          int64  // bytes that the client has accepted
	Took          time.Duration
}

// Source has the events of a stream; see [outlet.Source].
type Source interface {
	// Begin is called first. The stream may be woken from here on, and asks for events once Begin
	// has returned.
	Begin(wake func())
	Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error)
	Sent(n int) (more bool)
	Close()
}

// stream is one answer that goes on.
type stream struct {
	Source
	pump   *outlet.Pump
	conn   net.Conn    // taken over; nil: the server's
	stop   func() bool // of the host's end
	closed func(Summary)
	was    Summary
	began  time.Time
	retry  time.Duration // to be sent first; 0: it was
	first  int           // messages of the batch before those of the source
	asked  bool          // the batch has messages of the source
	done   chan struct{} // closed when the stream has ended
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
	s := &stream{Source: source, closed: o.Closed, was: Summary{Path: strings.Clone(r.URL.Path), Address: r.RemoteAddr}, began: time.Now(), retry: o.Retry}
	to, err := s.take(w, r)
	if err != nil {
		source.Close()
		return
	}
	s.pump = outlet.NewPump(o.Ending, to, o.Patience, o.Room, s) //nolint:contextcheck // a stream outlives its request and ends with the host
	s.stop = context.AfterFunc(o.Ending, s.pump.End)             //nolint:contextcheck // a stream outlives its request and ends with the host
	source.Begin(s.pump.Wake)
	if s.conn != nil {
		s.pump.Start()
		go s.listen()
		return
	}
	s.done = make(chan struct{})
	defer context.AfterFunc(r.Context(), s.pump.End)()
	s.pump.Start()
	<-s.done
}

// take sends the head of the answer and takes the connection over, if possible.
func (s *stream) take(w http.ResponseWriter, r *http.Request) (outlet.Writer, error) {
	control := http.NewResponseController(w)
	// Without this the server's limit for reading a request ends the request's context. A
	// writer without deadlines belongs to a server without that limit.
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

// SetWriteDeadline has no effect on a writer without deadlines.
func (w *response) SetWriteDeadline(t time.Time) error {
	if err := w.control.SetWriteDeadline(t); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// listen notices when the client goes. The client of a stream sends no data.
func (s *stream) listen() {
	var one [1]byte
	for read := 0; read < 1<<10; read++ {
		if _, err := s.conn.Read(one[:]); err != nil {
			break
		}
	}
	s.pump.End()
}

// HangUp implements [outlet.Source]: it closes the connection after a takeover.
func (s *stream) HangUp() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
}

// Next implements [outlet.Source].
func (s *stream) Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error) {
	if s.first = 0; s.retry > 0 {
		b.Text = append(strconv.AppendInt(append(b.Text, "retry: "...), s.retry.Milliseconds(), 10), "\n\n"...)
		b.End()
		s.retry, s.first = 0, 1
	}
	at, err = s.Source.Next(ctx, b)
	s.asked = b.Len() > s.first
	return at, err
}

// Sent implements [outlet.Source].
func (s *stream) Sent(n int) (more bool) {
	return s.asked && s.Source.Sent(max(n-s.first, 0))
}

// Close implements [outlet.Source].
func (s *stream) Close() {
	s.stop()
	s.Source.Close()
	if s.closed != nil {
		s.was.Sent, s.was.Took = s.pump.Sent(), time.Since(s.began)
		s.closed(s.was)
	}
	if s.done != nil {
		close(s.done)
	}
}

// Event is one event of a stream.
type Event struct {
	ID   string // the client's next Last-Event-ID; "": the one before stays
	Name string // of the listener that is called; "" is message
	Data []byte // text; may have several lines, which arrive joined by \n
}

// Write adds the event to a batch. ID and Name must not contain line ends.
func (e *Event) Write(b *outlet.Batch) {
	b.Text = e.Append(b.Text)
	b.End()
}

// Beat adds a sign of life to a batch. A nonempty id becomes the client's last one without any
// event: a client that wants few events of many still goes on from a recent place.
func Beat(b *outlet.Batch, id string) {
	if id == "" {
		b.Text = append(b.Text, ":\n\n"...)
	} else {
		b.Text = append(append(append(b.Text, "id: "...), id...), "\n\n"...)
	}
	b.End()
}

// Append appends the event as the standard writes it.
//
//	id: 9
//	event: orderPlaced
//	data: {"id":"…"}
func (e *Event) Append(dst []byte) []byte {
	if e.ID != "" {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if e.Name != "" {
		dst = append(append(append(dst, "event: "...), e.Name...), '\n')
	}
	lineEnd := func(text []byte) int { return bytes.IndexByte(text, '\n') }
	if bytes.IndexByte(e.Data, '\r') >= 0 { // which JSON of ours does not have; IndexAny is slow
		lineEnd = func(text []byte) int { return bytes.IndexAny(text, "\r\n") }
	}
	rest := e.Data
	for more := true; more; {
		line := rest
		end := lineEnd(rest)
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
