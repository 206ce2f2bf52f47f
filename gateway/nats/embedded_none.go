//go:build nonats

package nats

import (
	"errors"
	"net"
)

// hasEmbedded reports whether the program has a server.
const hasEmbedded = false

// embedded is never running.
type embedded struct{}

// startEmbedded fails.
func startEmbedded(embeddedOptions) (*embedded, error) {
	return nil, errors.New("this program is built without the embedded NATS server (tag nonats)")
}

// InProcessConn always fails.
func (*embedded) InProcessConn() (net.Conn, error) { return nil, net.ErrClosed }

// Address is "".
func (*embedded) Address() string { return "" }

// Close implements the server's Close.
func (*embedded) Close() {}
