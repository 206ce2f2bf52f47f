package gateway

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/frondhost/frond/facade"
)

// problemsOf is a listener whose connections answer with a problem where net/http
// cannot read a request at all: a path with %zz, a header without a colon, headers
// over the cap. net/http writes its own text then and asks no handler.
type problemsOf struct{ net.Listener }

// Accept waits for the next connection.
func (l problemsOf) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &problemConn{conn}, nil
}

type problemConn struct{ net.Conn }

// unreadHead is all of the headers that net/http gives such an answer. One that
// comes from a handler has a Date.
const unreadHead = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write passes everything on, but for the answer to a request that was not read.
func (c *problemConn) Write(b []byte) (int, error) {
	if status, _, _ := bytes.Cut(b[:min(len(b), 200)], []byte("\r\n")); bytes.HasPrefix(b[len(status):], []byte(unreadHead)) && bytes.HasPrefix(b, []byte("HTTP/1.1 ")) {
		if _, err := c.Conn.Write(unread(string(status))); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// CloseWrite ends what is sent, as net/http does before it hangs up.
func (c *problemConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// unread is the whole answer, with the status that net/http chose.
func unread(line string) []byte {
	fields := bytes.SplitN([]byte(line), []byte(" "), 3)
	status, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		status = http.StatusBadRequest
	}
	message := "the request cannot be read as HTTP; write % in a path as %25, and each header as a name, a colon and a value"
	code := facade.BadRequest
	switch _, why, said := bytes.Cut(fields[len(fields)-1], []byte(": ")); {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		message = "the headers are larger than this host reads; send fewer, or shorter ones"
	case status == http.StatusNotImplemented:
		code, message = facade.NotImplemented, "this transfer coding is not read here; send the body chunked, or with its length"
	case said:
		message = "the request cannot be read as HTTP: " + string(why)
	}
	body := appendProblem(status, &facade.Error{Code: code, Message: message})
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
}
