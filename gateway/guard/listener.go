package guard

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
)

// Listener is l with connections that answer a request which net/http cannot read as a
// problem: a path with %zz, a header without a colon, headers over the cap. net/http
// writes a text of its own then and calls no handler (docs/decisions/errors.md). The first piece of a
// longer answer leaves with the second. It is for plain HTTP: below TLS the answer cannot be seen.
func Listener(l net.Listener) net.Listener { return problemListener{l} }

type problemListener struct{ net.Listener }

// Accept waits for the next connection.
func (l problemListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &problemConn{Conn: conn}, nil
}

// problemConn replaces an answer of net/http's own, which net/http writes in one piece. It joins the first
// two pieces of a longer answer. One goroutine writes at a time.
type problemConn struct {
	net.Conn
	mu   sync.Mutex   // guards line: net/http reads ahead while a handler writes
	line []byte       // the beginning of the request that is read, up to maxLine
	head bool         // its first line was read whole
	held *[piece]byte // the first piece of an answer, which waits for the second; nil: none does
}

// piece is the size of net/http's buffer, which is the first piece of each answer that is longer.
const piece = 4 << 10

var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// maxLine is how much of a request line is kept: the instance of a problem needs no more.
const maxLine = 512

// Read keeps the beginning of what arrives.
func (c *problemConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := maxLine - len(c.line); room > 0 && !c.head {
		c.line = append(c.line, b[:min(n, room)]...)
	}
	c.head = c.head || bytes.IndexByte(b[:n], '\n') >= 0
	return n, err
}

// instance is the path of the current request, or "".
func (c *problemConn) instance() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	line, _, whole := bytes.Cut(c.line, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 2 || !bytes.HasPrefix(fields[1], []byte("/")) {
		return ""
	}
	path, _, queried := bytes.Cut(fields[1], []byte("?"))
	if !queried && (!whole || len(fields) != 3) {
		return ""
	}
	return strings.ToValidUTF8(string(path), "")
}

// inTarget reports whether a request was too large in its first line: in its URL.
func (c *problemConn) inTarget() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.head
}

// unreadHead is the whole header that net/http gives such an answer. An answer of a
// handler is distinguished by its Date.
const unreadHead = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write replaces the answer to an unread request, and passes on all others.
func (c *problemConn) Write(b []byte) (int, error) {
	if status, _, _ := bytes.Cut(b[:min(len(b), 200)], []byte("\r\n")); bytes.HasPrefix(b[len(status):], []byte(unreadHead)) && bytes.HasPrefix(b, []byte("HTTP/1.1 ")) {
		if _, err := c.Conn.Write(unread(string(status), c.instance(), c.inTarget())); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	c.mu.Lock()
	c.line, c.head = c.line[:0], false // the next request begins behind this answer
	c.mu.Unlock()
	if first := c.held; first != nil {
		c.held = nil
		defer pieces.Put(first)
		both := net.Buffers{first[:], b}
		n, err := both.WriteTo(c.Conn)
		return max(0, int(n)-piece), err
	}
	if len(b) == piece && isFirst(b) { // a write costs as much as several kilobytes do
		c.held = pieces.Get().(*[piece]byte)
		return copy(c.held[:], b), nil
	}
	return c.Conn.Write(b)
}

// isFirst reports whether b begins an answer and the rest of its body follows.
func isFirst(b []byte) bool {
	head, body, _ := bytes.Cut(b, []byte("\r\n\r\n"))
	_, length, _ := bytes.Cut(head, []byte("\r\nContent-Length: "))
	length, _, _ = bytes.Cut(length, []byte("\r\n"))
	n, err := strconv.Atoi(string(length))
	return err == nil && len(body) > 0 && len(body) < n && bytes.HasPrefix(b, []byte("HTTP/1.1 "))
}

// Plain is the connection itself, for a handler that has taken it over: net/http answers no more.
func (c *problemConn) Plain() net.Conn { return c.Conn }

// CloseWrite lets net/http end its side before it closes the connection.
func (c *problemConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// unread is the whole answer to an unread request, with net/http's status. For a long URL net/http has the
// status of long headers.
func unread(line, instance string, inTarget bool) []byte {
	fields := bytes.SplitN([]byte(line), []byte(" "), 3)
	status, _ := strconv.Atoi(string(fields[1])) // net/http's own
	message := "the request cannot be read as HTTP; write % in a path as %25, and each header as a name, a colon and a value"
	code := kiterror.BadRequest
	switch _, why, said := bytes.Cut(fields[len(fields)-1], []byte(": ")); {
	case status == http.StatusRequestHeaderFieldsTooLarge && inTarget:
		status, message = http.StatusRequestURITooLong, "the URL is longer than this host reads; send a shorter one, or the filter in the body of JSON-RPC"
	case status == http.StatusRequestHeaderFieldsTooLarge:
		message = "the headers are larger than this host reads; send fewer, or shorter ones"
	case status == http.StatusNotImplemented:
		code, message = kiterror.NotImplemented, "this transfer coding is not read here; send the body chunked, or with its length"
	case said:
		message = "the request cannot be read as HTTP: " + string(why)
	}
	body := appendProblem(status, instance, &kiterror.Error{Code: code, Message: message})
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
}
