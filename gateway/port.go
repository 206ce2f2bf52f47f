package gateway

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/guard"
)

// listening is the open port of a host: until [Host.serve] it answers that the host starts.
type listening struct {
	server    *http.Server
	listeners []net.Listener
	handler   atomic.Pointer[http.Handler] // nil: the host starts
	failed    chan error
}

// listener is how a host listens.
type listener struct {
	certificate *guard.Certificate // nil: plain HTTP
	write       time.Duration      // as of [Limits.Write]
	stopping    func()             // called when the drain begins
	log         *slog.Logger
}

// open opens every address and answers on it.
func (o *listener) open(ctx context.Context, addresses ...string) (*listening, error) {
	l := &listening{failed: make(chan error, len(addresses))}
	for _, address := range addresses {
		opened, err := listen(ctx, address)
		if err != nil {
			for _, l := range l.listeners {
				_ = l.Close() // nothing was accepted yet
			}
			return nil, err
		}
		l.listeners = append(l.listeners, opened)
	}
	l.server = newServer(http.HandlerFunc(l.answer), o.write)
	// Streams have no end of their own, and Shutdown would wait for them.
	l.server.RegisterOnShutdown(o.stopping)
	// Requests outlive ctx, whose end is the beginning of the drain.
	l.server.BaseContext = func(l net.Listener) context.Context { return guard.WithListener(context.WithoutCancel(ctx), l) }
	l.server.ErrorLog = serverLog(o.log)
	if o.certificate != nil {
		l.server.TLSConfig = o.certificate.Config()
	}
	for _, opened := range l.listeners {
		go func() {
			if o.certificate == nil {
				l.failed <- l.server.Serve(guard.Listener(opened))
			} else {
				l.failed <- l.server.ServeTLS(opened, "", "")
			}
		}()
	}
	return l, nil
}

// answer answers a request: of a host that starts, probes alone.
func (l *listening) answer(w http.ResponseWriter, r *http.Request) {
	if handler := l.handler.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	switch r.URL.Path {
	case "/livez":
		live(w, r)
	case "/readyz":
		health(w, r, false, "starting: the store is being prepared")
	default:
		w.Header().Set("Retry-After", "1")
		guard.WriteProblem(w, r, http.StatusServiceUnavailable, kiterror.Errorf(kiterror.ServiceUnavailable, "the host is starting; send the request again"))
	}
}

// close ends a port whose host did not start.
func (l *listening) close() {
	if l != nil {
		_ = l.server.Close()
	}
}

// newServer is a server with a bound on everything a client may do slowly; write is
// [Limits.Write].
func newServer(h http.Handler, write time.Duration) *http.Server {
	return &http.Server{
		Handler:           guard.Pace(h, write),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // longer than any execution may take (docs/graphql.md: 15 s); pace moves it on
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

// ErrListen is wrapped by the error of Run if an address cannot be listened on.
var ErrListen = errors.New("cannot listen")

// listen opens a TCP listener, or explains what to do.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w on %s: another program has this port; stop it, or listen on another one (port 0 takes any that is free)", ErrListen, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%w on %s: this user may not; take a port above 1023", ErrListen, address)
	case err != nil:
		return nil, fmt.Errorf("%w on %s: %w; write an address of this machine, such as 127.0.0.1:8080", ErrListen, address, err)
	}
	return listener, nil
}

// serverLog takes what net/http logs below any request, at debug: mostly the mistakes of
// clients, such as a TLS handshake that ends early.
func serverLog(l *slog.Logger) *log.Logger { return slog.NewLogLogger(l.Handler(), slog.LevelDebug) }
