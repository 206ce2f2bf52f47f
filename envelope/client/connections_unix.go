//go:build unix

package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/frondhost/frond/facade"
)

const (
	idleTime      = 4 * time.Second // see newTransport
	maxHead       = 1 << 20         // bytes of the head of an answer
	readBuffer    = 16 << 10        // an everyday answer comes in one read
	maxInterim    = 5               // answers of 1xx before the answer
	maxKeptBuffer = 64 << 10
)

// connections are the HTTP/1.1 connections to a host over plain TCP without a proxy. A call writes
// its request and reads the answer in its own goroutine; net/http's transport has two goroutines
// for each connection and copies between them.
type connections struct {
	address string // of the host, with a port
	head    []byte // request line and Host
	connect time.Duration
	most    int // idle connections

	mu    sync.Mutex
	idle  []*connection // by the time of their last use, the latest last
	sweep *time.Timer   // closes idle connections; nil before the first
}

// connection is one connection to the host.
type connection struct {
	net.Conn
	raw       syscall.RawConn
	reader    *bufio.Reader // from readers, while an exchange runs
	room      int           // bytes that may still be read
	out       bytes.Buffer  // the request
	header    http.Header   // its header
	used      time.Time     // when the last exchange ended
	ended     bool          // the answer of look
	look      func(fd uintptr) bool
	interrupt func()
}

// readers are buffers that connections have while they wait for an answer.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}

// newConnections returns the connections to an address, or nil if net/http has to make them:
// with TLS, through a proxy, and for a name outside of ASCII.
func newConnections(address *url.URL, o *Options) exchanger {
	if address == nil || address.Scheme != "http" {
		return nil
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: address}); proxy != nil || err != nil {
		return nil
	}
	for _, c := range []byte(address.Host) {
		if c <= ' ' || c == '%' || c >= 0x7f {
			return nil
		}
	}
	port := address.Port()
	if port == "" {
		port = "80"
	}
	return &connections{
		address: net.JoinHostPort(address.Hostname(), port), connect: o.Connect, most: o.InFlight,
		head: []byte("POST " + address.RequestURI() + " HTTP/1.1\r\nHost: " + address.Host + "\r\n"),
	}
}

// exchange implements [exchanger]. A kept connection that turns out to be closed before it took a
// byte is replaced by another one.
func (cs *connections) exchange(ctx context.Context, a *attempt) (r response, sent bool, err error) {
	for {
		c := cs.take()
		kept := c != nil
		if !kept {
			if c, err = cs.dial(ctx, a.by); err != nil {
				return r, false, err
			}
		}
		var keep bool
		r, sent, keep, err = c.exchange(ctx, cs.head, a)
		if keep {
			cs.put(c)
		} else {
			_ = c.Close()
		}
		if err == nil || sent || !kept || ctx.Err() != nil {
			return r, sent, err
		}
	}
}

// dial opens a connection.
func (cs *connections) dial(ctx context.Context, by time.Time) (*connection, error) {
	d := net.Dialer{Timeout: cs.connect, Deadline: by, KeepAlive: 30 * time.Second}
	conn, err := d.DialContext(ctx, "tcp", cs.address)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, header: http.Header{}}
	if c.raw, err = conn.(*net.TCPConn).SyscallConn(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	c.look = func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK) // the descriptor does not block
		c.ended = err == nil || !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
		return true
	}
	c.interrupt = func() { _ = c.SetDeadline(time.Unix(1, 0)) }
	return c, nil
}

// take returns the most recently used idle connection, or nil. It closes a connection that the
// host has closed or written to.
func (cs *connections) take() *connection {
	for {
		cs.mu.Lock()
		last := len(cs.idle) - 1
		if last < 0 {
			cs.mu.Unlock()
			return nil
		}
		c := cs.idle[last]
		cs.idle[last] = nil
		cs.idle = cs.idle[:last]
		cs.mu.Unlock()
		if time.Since(c.used) < idleTime && !c.hungUp() {
			return c
		}
		_ = c.Close()
	}
}

// put keeps a connection for the next exchange.
func (cs *connections) put(c *connection) {
	c.used = time.Now()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.idle) >= cs.most {
		_ = c.Close()
		return
	}
	switch cs.idle = append(cs.idle, c); {
	case cs.sweep == nil:
		cs.sweep = time.AfterFunc(idleTime, cs.expire)
	case len(cs.idle) == 1:
		cs.sweep.Reset(idleTime)
	}
}

// expire closes the connections that were idle for too long.
func (cs *connections) expire() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	n := 0
	for n < len(cs.idle) && time.Since(cs.idle[n].used) >= idleTime {
		_ = cs.idle[n].Close()
		n++
	}
	cs.idle = append(cs.idle[:0], cs.idle[n:]...)
	clear(cs.idle[len(cs.idle):cap(cs.idle)])
	if len(cs.idle) > 0 {
		cs.sweep.Reset(idleTime - time.Since(cs.idle[0].used))
	}
}

// CloseIdleConnections closes the connections on which no exchange runs.
func (cs *connections) CloseIdleConnections() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.idle {
		_ = c.Close()
	}
	cs.idle = nil
}

// hungUp reports whether the host has closed an idle connection, or has sent something on it. It
// only peeks.
func (c *connection) hungUp() bool { return c.raw.Read(c.look) != nil || c.ended }

// Read implements io.Reader within the bound on the bytes that may still be read.
func (c *connection) Read(b []byte) (int, error) {
	if len(b) > c.room {
		if b = b[:c.room]; len(b) == 0 {
			return 0, errors.New("the head of the answer is too long")
		}
	}
	n, err := c.Conn.Read(b)
	c.room -= n
	return n, err
}

// exchange writes a request and reads its answer. sent reports whether the connection took a byte
// of the request, keep whether it can be used again.
func (c *connection) exchange(ctx context.Context, head []byte, a *attempt) (r response, sent, keep bool, err error) {
	if err := c.SetDeadline(a.by); err != nil {
		return r, false, false, err
	}
	stop := context.AfterFunc(ctx, c.interrupt)
	defer func() { keep = stop() && keep }()
	clear(c.header)
	a.setHeader(ctx, c.header)
	c.out.Reset()
	c.out.Write(head)
	_ = c.header.WriteSubset(&c.out, ownedHeader)
	c.out.WriteString("Content-Length: ")
	c.out.Write(strconv.AppendInt(c.out.AvailableBuffer(), int64(len(a.frames)), 10))
	c.out.WriteString("\r\n\r\n")
	c.out.Write(a.frames)
	n, err := c.Write(c.out.Bytes())
	if c.out.Cap() > maxKeptBuffer {
		c.out = bytes.Buffer{}
	}
	if err != nil {
		return r, n > 0, false, err
	}
	c.reader = readers.Get().(*bufio.Reader)
	c.reader.Reset(c)
	defer func() {
		keep = keep && c.reader.Buffered() == 0
		c.reader.Reset(nil)
		readers.Put(c.reader)
		c.reader = nil
	}()
	r, keep, err = c.answer(a)
	return r, true, keep, err
}

// ownedHeader are the headers of a request that only the connection writes.
var ownedHeader = map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true, "Connection": true}

// answer reads the answer of an exchange. A plain head is read in place; net/http reads every
// other one.
func (c *connection) answer(a *attempt) (r response, keep bool, err error) {
	for range maxInterim {
		c.room = maxHead
		if _, err := c.reader.Peek(1); err != nil {
			return r, false, err
		}
		buffered, _ := c.reader.Peek(c.reader.Buffered())
		if size, length := plainHead(buffered); length > 0 && length <= a.post.most {
			_, _ = c.reader.Discard(size)
			c.room = math.MaxInt
			if err := a.account.Reserve(int(length)); err != nil {
				return r, false, err
			}
			r.status, r.body = http.StatusOK, make([]byte, length)
			_, err = io.ReadFull(c.reader, r.body)
			return r, err == nil, err
		}
		resp, err := http.ReadResponse(c.reader, nil) //nolint:bodyclose // it has no resources but the connection
		if err != nil {
			return r, false, err
		}
		c.room = math.MaxInt
		if resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		r.status, r.header = resp.StatusCode, resp.Header
		r.body, err = readBody(resp, a.post.most, a.account)
		return r, err == nil && !resp.Close && int64(len(r.body)) <= a.post.most && resp.StatusCode >= 200, err
	}
	return r, false, errors.New("the host sends interim answers alone")
}

// plainHead reads the head of an answer that has the status 200, a Content-Length, and no header
// that a call would read or that affects the length of the body. size is the head's size, and
// length the body's; length 0: it is another head, or not complete.
func plainHead(b []byte) (size int, length int64) {
	rest, ok := bytes.CutPrefix(b, []byte("HTTP/1.1 200 OK\r\n"))
	for ok {
		var line []byte
		line, rest, ok = bytes.Cut(rest, []byte("\n"))
		last := len(line) - 1
		if !ok || bytes.IndexByte(line, '\r') != last || last < 0 {
			return 0, 0
		}
		if last == 0 {
			return len(b) - len(rest), length
		}
		name, value, _ := bytes.Cut(line[:last], []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			n, err := strconv.ParseUint(string(bytes.Trim(value, " \t")), 10, 62)
			if err != nil || n == 0 || length > 0 {
				return 0, 0
			}
			length = int64(n) //nolint:gosec // 62 bits
		case !unread(name):
			return 0, 0
		}
	}
	return 0, 0
}

// unread reports whether a header is one that no call reads.
func unread(name []byte) bool {
	for _, n := range [...]string{"Date", "Content-Type", "Server", "Vary", "Cache-Control", "X-Content-Type-Options", facade.PositionHeader} {
		if len(n) == len(name) && bytes.EqualFold(name, []byte(n)) {
			return true
		}
	}
	return false
}
