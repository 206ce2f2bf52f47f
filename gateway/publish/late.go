package publish

import (
	"errors"
	"net"
	"sync"

	"github.com/frondhost/frond/facts/nats/embedded"
)

// lateServer is an embedded server that is started with the gateway, after the publisher was
// made over it.
type lateServer struct {
	options  embedded.Options
	announce func(url string)

	mu     sync.Mutex
	server *embedded.Server // nil: it does not run
}

func (l *lateServer) start() error {
	server, err := embedded.Start(l.options)
	if err != nil {
		return err
	}
	if address := server.Address(); address != "" && l.announce != nil {
		l.announce("nats://" + address)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = server
	return nil
}

// InProcessConn connects to the server.
func (l *lateServer) InProcessConn() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server == nil {
		return nil, errors.New("the embedded NATS server does not run")
	}
	return l.server.InProcessConn()
}

// Close stops the server.
func (l *lateServer) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		l.server.Close()
		l.server = nil
	}
}
