package postgres_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a store and its server, and breaks connections where a test says so.
type proxy struct {
	listener net.Listener
	server   string

	mu sync.Mutex
	// cut, where set, is asked with everything that a client sends. It breaks the connection
	// before the server has it, or behind it, when the server has answered.
	cut   func(sent []byte) where
	conns []net.Conn
	// refuses is how many new connections it still breaks.
	refuses int
}

// where says where a connection is cut.
type where int

const (
	nowhere   where = iota
	before          // the server does not get what was sent
	behind          // the server gets it, and its answer is lost
	swallowed       // the server does not get it, and the connection stays open
)

// newProxy listens before the server of a URL and returns the URL through it.
func newProxy(t testing.TB, address string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{server: u.Host}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	u.Host = p.listener.Addr().String()
	go p.accept()
	t.Cleanup(func() { _ = p.listener.Close(); p.sever() })
	return p, u.String()
}

// on sets what is cut; nil: nothing.
func (p *proxy) on(cut func(sent []byte) where) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
}

// once cuts the first message that has a text.
func (p *proxy) once(text string, at where) {
	var one sync.Once
	p.on(func(sent []byte) (w where) {
		if bytes.Contains(sent, []byte(text)) {
			one.Do(func() { w = at })
		}
		return w
	})
}

// sever breaks every connection.
func (p *proxy) sever() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		refused := p.refuses > 0
		if refused {
			p.refuses--
		}
		p.mu.Unlock()
		server, err := net.Dial("tcp", p.server)
		if err == nil && refused {
			_ = server.Close()
		}
		if err != nil || refused {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		go p.forward(client, server)
	}
}

// forward carries bytes both ways until one side closes or cut says so.
func (p *proxy) forward(client, server net.Conn) {
	deaf := make(chan struct{}) // closed when the client is to get nothing more
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			select {
			case <-deaf: // the server has answered
				_ = client.Close()
				_ = server.Close()
				return
			default:
			}
			if n > 0 {
				if _, err := client.Write(buffer[:n]); err != nil {
					return
				}
			}
			if err != nil {
				_ = client.Close()
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if n > 0 {
			at := nowhere
			p.mu.Lock()
			if p.cut != nil {
				at = p.cut(buffer[:n])
			}
			p.mu.Unlock()
			switch at {
			case before:
				_ = client.Close()
				_ = server.Close()
				return
			case behind:
				close(deaf)
			case swallowed:
				continue
			}
			if _, err := server.Write(buffer[:n]); err != nil {
				_ = client.Close()
				return
			}
			if at == behind {
				_, _ = io.Copy(io.Discard, client)
				return
			}
		}
		if err != nil {
			_ = server.Close()
			return
		}
	}
}
