package client_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
)

// rawPeer is a host that speaks TCP and nothing else: each test says what it does
// with a connection. It remembers every request that arrived whole.
type rawPeer struct {
	net.Listener
	mu          sync.Mutex
	connections int
	bodies      []string
}

// rawConn is one connection of a rawPeer.
type rawConn struct {
	net.Conn
	in   *bufio.Reader
	peer *rawPeer
}

func newRawPeer(t testing.TB, serve func(c *rawConn)) *rawPeer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &rawPeer{Listener: listener}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.connections++
			p.mu.Unlock()
			served.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(&rawConn{Conn: conn, in: bufio.NewReader(conn), peer: p})
			})
		}
	})
	t.Cleanup(func() { _ = listener.Close(); served.Wait() })
	return p
}

func (p *rawPeer) url() string { return "http://" + p.Addr().String() }

// seen is how many requests arrived whole, on how many connections.
func (p *rawPeer) seen() (requests, connections int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bodies), p.connections
}

// ask reads the next request whole; false: the client has gone.
func (c *rawConn) ask() (body string, ok bool) {
	r, err := http.ReadRequest(c.in)
	if err != nil {
		return "", false
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return "", false
	}
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	c.peer.bodies = append(c.peer.bodies, string(text))
	return string(text), true
}

// reset ends the connection with a reset instead of an orderly end.
func (c *rawConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// wait keeps the connection open until the client lets go of it.
func (c *rawConn) wait() { _, _ = io.Copy(io.Discard, c.in) }

// say writes a response; status is a whole line, headers end with \r\n.
func (c *rawConn) say(status, headers, body string) {
	_, _ = fmt.Fprintf(c, "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s", status, headers, len(body), body)
}

// saying is a peer that answers every request of a connection alike; %d in the body
// is the id that was asked.
func saying(status, headers, body string) func(*rawConn) {
	return func(c *rawConn) {
		for {
			asked, ok := c.ask()
			if !ok {
				return
			}
			c.say(status, headers, strings.ReplaceAll(body, "%d", string(jsontext.Get([]byte(asked), "id"))))
		}
	}
}

// idIn is the id of a frame.
func idIn(frame string) string { return string(jsontext.Get([]byte(frame), "id")) }
