package graphqlws

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"time"
)

// socket is the network connection under a websocket. While it is corked, what is written is
// collected, and leaves together.
type socket struct {
	net.Conn
	patience time.Duration

	mu     sync.Mutex
	held   *bytes.Buffer // nil: it is not corked
	failed error
}

// mostHeld is how many bytes are collected before they leave.
const mostHeld = 64 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// cork begins to collect what is written.
func (s *socket) cork() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // the pool has nothing else
	}
}

// text writes a text message of several parts as one frame (RFC 6455, 5.2). The library writes
// control frames alone, each with one call of Write, so that no frame comes into another.
func (s *socket) text(parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var room [10]byte
	head := append(room[:0], 0x81) // final, text
	switch {
	case n <= 125:
		head = append(head, byte(n))
	case n <= math.MaxUint16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	s.held.Write(head)
	for _, p := range parts {
		s.held.Write(p)
	}
	if s.held.Len() >= mostHeld {
		s.flush()
	}
}

// uncork sends what was collected.
func (s *socket) uncork() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return s.failed
	}
	s.flush()
	if s.held.Cap() <= 2*mostHeld {
		buffers.Put(s.held)
	}
	s.held = nil
	return s.failed
}

// Write implements [net.Conn].
func (s *socket) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.send(p)
		return len(p), s.failed
	}
	s.held.Write(p)
	if s.held.Len() >= mostHeld {
		s.flush()
	}
	return len(p), s.failed
}

func (s *socket) flush() {
	if s.held.Len() > 0 {
		s.send(s.held.Bytes())
		s.held.Reset()
	}
}

// send writes to the network, within patience. A part of a frame may have left where it fails,
// so nothing is sent after a failure.
func (s *socket) send(p []byte) {
	if s.failed != nil {
		return
	}
	if s.failed = s.SetWriteDeadline(time.Now().Add(s.patience)); s.failed == nil {
		_, s.failed = s.Conn.Write(p)
	}
}

// bufferSize is that of the buffers for reading and for writing. Those of net/http have 4 KiB
// each, which an idle connection would hold for as long as it lives.
const bufferSize = 256

// hijacker is the ResponseWriter of an upgrade. It hands out the connection as a socket, with
// small buffers.
type hijacker struct {
	http.ResponseWriter
	patience time.Duration
	socket   *socket
}

// Hijack implements [http.Hijacker].
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, brw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.socket = &socket{Conn: conn, patience: h.patience}
	// What the client sent early has been read by net/http.
	early, _ := brw.Reader.Peek(brw.Reader.Buffered())
	early = bytes.Clone(early)
	r := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(early), h.socket), max(bufferSize, len(early)))
	_, _ = r.Peek(len(early))
	return h.socket, bufio.NewReadWriter(r, bufio.NewWriterSize(h.socket, bufferSize)), nil
}

// Unwrap lets an [http.ResponseController] reach what lies below.
func (h *hijacker) Unwrap() http.ResponseWriter { return h.ResponseWriter }
