// Package sse writes answers of type text/event-stream (the HTML standard, section 9.2,
// "Server-sent events"). It knows nothing of what is sent; the surfaces that stream share it.
//
//	stream, err := sse.Begin(w, nil)
//	err = stream.Send(sse.Event{ID: "9", Name: "orderPlaced", Data: text})
//	err = stream.Flush()
//	…
//	err = stream.Beat("12") // every 15 s or so, while there is nothing to send
//
// A stream outlives the time limits of its server, which are those of one answer: it has no
// read deadline, and a write deadline only while it writes. A client that does not take what
// is written within [Options.Patience] is cut off, and goes on from the last id it has.
package sse

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// MediaType is the type of a stream.
const MediaType = "text/event-stream"

// Interval is how often a stream that has nothing to send says that it is alive. Proxies
// commonly end connections that are silent for 30 s or 60 s.
const Interval = 15 * time.Second

// Options of [Begin]. A nil pointer is the zero value.
type Options struct {
	// Retry is how long a client waits before it connects again; 0 is between 2 s and 4 s,
	// another time for each stream, so that the clients of a host that stops do not come back
	// at the same moment.
	Retry time.Duration
	// Patience is how long the connection may take to accept a write; 0 is 10 s.
	Patience time.Duration
}

// Event is one event of a stream.
type Event struct {
	ID   string // what a client sends as Last-Event-ID; "": the one before stays
	Name string // of the listener that is called; "" is message
	Data []byte // text; may have several lines, which arrive joined by \n
}

// Stream is one answer that goes on. It is used by one goroutine at a time.
type Stream struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	buf      []byte // what [Stream.Flush] sends
	failed   error  // of the connection; nothing is sent after it
}

// Begin sends the head of a stream with status 200, and how long clients wait before they
// connect again. Headers that w has already are sent along. Where the error is not nil, the
// connection is gone, or w cannot stream.
func Begin(w http.ResponseWriter, opts *Options) (*Stream, error) {
	s := &Stream{w: w, control: http.NewResponseController(w), patience: 10 * time.Second}
	retry := 2*time.Second + rand.N(2*time.Second)
	if opts != nil && opts.Retry > 0 {
		retry = opts.Retry
	}
	if opts != nil && opts.Patience > 0 {
		s.patience = opts.Patience
	}
	// Without this the server's limit for reading a request ends the request's context. A
	// writer without deadlines belongs to a server that has none.
	if err := s.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	h := w.Header()
	h.Del("Content-Length")
	h["Content-Type"] = []string{MediaType}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Accel-Buffering"] = []string{"no"} // nginx holds back answers otherwise
	w.WriteHeader(http.StatusOK)
	s.buf = append(s.buf, "retry: "...)
	s.buf = strconv.AppendInt(s.buf, retry.Milliseconds(), 10)
	s.buf = append(s.buf, "\n\n"...)
	return s, s.Flush()
}

// Send writes an event into the buffer, and sends the buffer where it has become large.
// ID and Name must not contain line ends.
func (s *Stream) Send(e Event) error {
	if s.failed != nil {
		return s.failed
	}
	s.buf = e.append(s.buf)
	if len(s.buf) >= 32<<10 {
		return s.Flush()
	}
	return nil
}

// Beat sends a sign of life. An id that is not "" becomes the client's last one without any
// event: a client that wants few events of many still goes on from a recent place.
func (s *Stream) Beat(id string) error {
	if id == "" {
		s.buf = append(s.buf, ":\n\n"...)
	} else {
		s.buf = append(append(append(s.buf, "id: "...), id...), "\n\n"...)
	}
	return s.Flush()
}

// Flush sends what is in the buffer. An error means that the client is gone or too slow; it
// is the same for every later call.
func (s *Stream) Flush() error {
	if s.failed != nil {
		return s.failed
	}
	s.failed = s.flush()
	if s.buf = s.buf[:0]; cap(s.buf) > 64<<10 {
		s.buf = nil // one large event must not stay for the stream's life
	}
	return s.failed
}

func (s *Stream) flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write(s.buf); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return err
	}
	// A deadline that passes between two writes ends an HTTP/2 stream.
	if err := s.control.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
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
