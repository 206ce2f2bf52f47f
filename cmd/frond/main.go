// Command frond serves and calls the operations that cards describe.
//
// Data goes to stdout and talk to stderr. It leaves with 0 when all went well,
// with 1 when an operation failed (the KitError is on stderr as JSON), with 2 for
// usage and configuration, and with 3 when a host cannot be reached.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks to stop; with the handler gone, a second one ends the program at once.
	context.AfterFunc(ctx, stop)
	s := &shell{in: os.Stdin, out: os.Stdout, talk: os.Stderr, environ: os.Environ()}
	root := newRoot(s)
	root.SetArgs(os.Args[1:])
	return s.leave(root.ExecuteContext(ctx))
}

// shell is what a command reads from and writes to.
type shell struct {
	in      io.Reader
	out     io.Writer // data
	talk    io.Writer // everything else
	environ []string
	json    bool // --json: data on one line, for another program
}
