//go:build nonats

package publish

import (
	"errors"
	"net"
)

// hasNatsServer reports whether the program has a server.
const hasNatsServer = false

// natsServer is never running.
type natsServer struct{}

// startNatsServer fails.
func startNatsServer(natsServerOptions) (*natsServer, error) {
	return nil, errors.New("this program is built without the embedded NATS server (tag nonats)")
}

// InProcessConn has nothing to connect to.
func (*natsServer) InProcessConn() (net.Conn, error) { return nil, net.ErrClosed }

// Address is "".
func (*natsServer) Address() string { return "" }

// Close does nothing.
func (*natsServer) Close() {}
