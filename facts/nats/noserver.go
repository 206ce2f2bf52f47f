//go:build nonats

package nats

import (
	"errors"
	"net"
)

// HasServer reports whether the program has a server.
const HasServer = false

// Server is never running.
type Server struct{}

// StartServer fails.
func StartServer(ServerOptions) (*Server, error) {
	return nil, errors.New("this program is built without the embedded NATS server (tag nonats)")
}

// InProcessConn has nothing to connect to.
func (*Server) InProcessConn() (net.Conn, error) { return nil, net.ErrClosed }

// Address is "".
func (*Server) Address() string { return "" }

// Close does nothing.
func (*Server) Close() {}
