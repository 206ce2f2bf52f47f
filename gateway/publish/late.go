package publish

import (
	"net"
	"sync"

	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/facts/nats/embedded"
)

// lateServer is an embedded server that begins with the first connection to it, after the publisher
// was made over it. Where it cannot begin, because another process still has the port, the next
// attempt of the client tries again.
type lateServer struct {
	options  embedded.Options
	announce func(url string)

	mu     sync.Mutex
	server *embedded.Server // nil: it does not run
}

// InProcessConn starts the server, where it does not run yet, and connects to it.
func (l *lateServer) InProcessConn() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server == nil {
		server, err := embedded.Start(l.options)
		if err != nil {
			return nil, &delivery.Unavailable{Reason: err.Error()}
		}
		l.server = server
		if address := server.Address(); address != "" && l.announce != nil {
			l.announce("nats://" + address)
		}
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
