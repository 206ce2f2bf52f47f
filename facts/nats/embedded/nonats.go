//go:build nonats

package embedded

import (
	"errors"
	"net"
)

// Included reports whether the program has a server.
const Included = false

// Server is never running.
type Server struct{}

// Start fails.
func Start(Options) (*Server, error) {
	return nil, errors.New("this program is built without the embedded NATS server (tag nonats)")
}

// InProcessConn has nothing to connect to.
func (*Server) InProcessConn() (net.Conn, error) { return nil, net.ErrClosed }

// Address is "".
func (*Server) Address() string { return "" }

// Close does nothing.
func (*Server) Close() {}
