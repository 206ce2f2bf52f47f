//go:build !unix

package client

import "net/url"

// newConnections returns nil: a connection that the host has closed cannot be noticed here without
// reading.
func newConnections(*url.URL, *Options) exchanger { return nil }
