package subscriptions

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net"
	"net/http"

	"github.com/frondhost/frond/facts/outlet"
)

// socket is the network connection under a websocket as the library uses it. The library reads, and
// writes control frames, each with one call of Write: the pump writes them between two batches.
type socket struct {
	net.Conn
	pump *outlet.Pump
}

// Write implements [net.Conn].
func (s *socket) Write(p []byte) (int, error) { return s.pump.Write(p) }

// appendText adds a text message of several parts to a batch as one frame (RFC 6455, 5.2).
func appendText(b *outlet.Batch, parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b.Text = append(b.Text, 0x81) // final, text
	switch {
	case n <= 125:
		b.Text = append(b.Text, byte(n))
	case n <= math.MaxUint16:
		b.Text = binary.BigEndian.AppendUint16(append(b.Text, 126), uint16(n))
	default:
		b.Text = binary.BigEndian.AppendUint64(append(b.Text, 127), uint64(n))
	}
	for _, p := range parts {
		b.Text = append(b.Text, p...)
	}
	b.End()
}

// bufferSize is the size of the buffers for reading and for writing. The buffers of net/http
// have 4 KiB each, which an idle connection would hold for as long as it lives. A control frame
// fits.
const bufferSize = 160

// hijacker is the ResponseWriter of an upgrade. It hands out the connection as a socket, with
// small buffers.
type hijacker struct {
	http.ResponseWriter
	socket *socket
}

// Hijack implements [http.Hijacker].
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, brw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if wrapper, ok := conn.(interface{ Plain() net.Conn }); ok {
		conn = wrapper.Plain() // the listener's wrapper is for net/http, and keeps some of what it reads
	}
	h.socket = &socket{Conn: conn}
	// net/http has read the bytes that the client sent early.
	early, _ := brw.Reader.Peek(brw.Reader.Buffered())
	early = bytes.Clone(early)
	from := io.Reader(h.socket)
	if len(early) > 0 {
		from = io.MultiReader(bytes.NewReader(early), h.socket)
	}
	r := bufio.NewReaderSize(from, max(bufferSize, len(early)))
	_, _ = r.Peek(len(early))
	return h.socket, bufio.NewReadWriter(r, bufio.NewWriterSize(h.socket, bufferSize)), nil
}

// Unwrap lets an [http.ResponseController] reach what lies below.
func (h *hijacker) Unwrap() http.ResponseWriter { return h.ResponseWriter }
