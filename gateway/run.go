package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

// Run listens, serves until ctx is done, then drains: /readyz turns 503, nothing
// new is accepted, requests in flight finish, and the store closes. It answers
// nil after a clean drain. A gateway runs once.
func (g *Gateway) Run(ctx context.Context) error {
	return errors.Join(g.serve(ctx), g.Close())
}

func (g *Gateway) serve(ctx context.Context) error {
	listener, err := listen(ctx, g.config.Listen)
	if err != nil {
		return err
	}
	g.announce("http://" + listener.Addr().String())
	server := newServer(g.handler)
	// Requests outlive ctx: that it is done is the beginning of the drain.
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the listener on %s failed: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	g.log.Info("draining", "timeout", g.config.Shutdown.Timeout)
	g.draining.Store(true)
	time.Sleep(g.config.Shutdown.Delay)
	return drain(context.WithoutCancel(ctx), server, g.config.Shutdown.Timeout)
}

// drain lets requests in flight finish, and cuts off those that take longer than timeout.
func drain(ctx context.Context, server *http.Server, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		_ = server.Close() // nothing is left to say to those connections
		return fmt.Errorf("requests were still running %s after the stop and have been cut off; shutdown.timeout gives them longer", timeout)
	}
	return err
}

// newServer is a server that no slow client holds for ever.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // longer than any execution may take (DESIGN 5: 15 s)
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

// ErrListen is what Run's error wraps where the address cannot be listened on.
var ErrListen = errors.New("cannot listen")

func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w on %s: another program has this port; stop it, or listen on another one (port 0 takes any that is free)", ErrListen, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%w on %s: this user may not; take a port above 1023", ErrListen, address)
	case err != nil:
		return nil, fmt.Errorf("%w on %s: %w; write the address of this machine, such as 127.0.0.1:8080", ErrListen, address, err)
	}
	return listener, nil
}

// announceOnStderr prints the line that scripts wait for, the port 0 resolved.
func announceOnStderr(url string) { fmt.Fprintln(os.Stderr, "listening on "+url) }
