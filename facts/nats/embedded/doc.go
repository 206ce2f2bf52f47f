// Package embedded runs a NATS server with JetStream in this process, for hosts of one machine.
// It is the only package that knows the server.
//
//	s, err := embedded.Start(embedded.Options{Dir: ".frond/nats", Listen: "127.0.0.1:4222"})
//	defer s.Close()
//
// An acknowledged event is on disk: the server syncs its file first (sync: always).
//
// A program that is built with the tag nonats has no server, is 9 MB smaller, and refuses to start one.
package embedded

import "log/slog"

// Options of [Start].
type Options struct {
	// Dir is the folder of the streams' files. One process at a time uses it.
	Dir string
	// Listen is the address for consumers, host:port; port 0 takes any free one. "": only
	// this process connects.
	Listen string
	// Token is what every client has to know; "": none.
	Token string
	Log   *slog.Logger
}
