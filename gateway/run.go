package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/gateway/guard"
)

// serve serves a handler on every address until ctx is done, then drains. It takes over a port that is
// open already.
func (h *Host) serve(ctx context.Context, handler http.Handler, draining *atomic.Bool, addresses ...string) error {
	l := h.port
	if l == nil {
		var err error
		if l, err = h.listener().open(ctx, addresses...); err != nil {
			return err
		}
	}
	admin, adminListener, err := h.admin(ctx, draining)
	if err != nil {
		l.close()
		return err
	}
	tending, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	go guard.Tend(tending, h.budget, h.log)
	failed := make(chan error, 1)
	if admin != nil {
		go func() { failed <- admin.Serve(adminListener) }()
		defer func() { _ = admin.Close() }() // it serves while the drain runs
	}
	l.handler.Store(&handler)
	for _, opened := range l.listeners {
		scheme := "http"
		if h.certificate != nil {
			scheme = "https"
		}
		h.announce(scheme + "://" + opened.Addr().String())
	}
	select {
	case err = <-failed:
	case err = <-l.failed:
	case <-ctx.Done():
	}
	if err != nil {
		l.close() // the other listeners, if any
		return fmt.Errorf("the listener failed: %w", err)
	}
	h.log.Info("draining", "timeout", h.config.Shutdown.Timeout.String())
	draining.Store(true)
	time.Sleep(h.config.Shutdown.Delay)
	by := time.Now().Add(h.config.Shutdown.Timeout)
	h.stopBy.Store(&by)
	err = drain(context.WithoutCancel(ctx), l.server, h.config.Shutdown.Timeout)
	ending, cancel := context.WithDeadline(context.WithoutCancel(ctx), by)
	defer cancel()
	awaitAll(ending, &h.ending) // websockets outlive the requests that opened them
	return err
}

// drain lets requests in flight finish, and cuts off those that take longer than timeout.
func drain(ctx context.Context, server *http.Server, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		_ = server.Close() // the connections that are left are cut
		return fmt.Errorf("requests ran %s beyond the stop and were cut off; shutdown.timeout gives them longer", timeout)
	}
	return err
}

// LimitMemory keeps the garbage collector below the memory limit of the process's control
// group, unless GOMEMLIMIT is set. It is for programs: a library does not own its process.
func LimitMemory() { guard.LimitMemory(false) }

// awaitAll waits for a group, or until ctx is done.
func awaitAll(ctx context.Context, group *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// admin is the server of the admin listener and the open listener; nil, nil without one.
func (h *Host) admin(ctx context.Context, draining *atomic.Bool) (*http.Server, net.Listener, error) {
	if h.config.Admin.Listen == "" || h.telemetry.MetricsHandler(h.log) == nil {
		return nil, nil, nil
	}
	l, err := listen(ctx, h.config.Admin.Listen)
	if err != nil {
		return nil, nil, fmt.Errorf("admin.listen: %w", err)
	}
	h.log.Info("the admin listener is up", "url", "http://"+l.Addr().String())
	server := newServer(h.adminHandler(draining), h.config.Limits.Write)
	server.BaseContext = func(l net.Listener) context.Context { return guard.WithListener(context.WithoutCancel(ctx), l) }
	return server, l, nil
}

// adminHandler answers on the admin listener. Requests of other sites' pages are refused here,
// too: a page must not read the metrics of a service on its visitor's machine.
func (h *Host) adminHandler(draining *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", h.telemetry.MetricsHandler(h.log))
	mux.HandleFunc("/livez", live)
	mux.HandleFunc("/readyz", h.ready(draining, true))
	mux.Handle("GET /jobs", h.schedule)
	mux.HandleFunc("GET /advice", func(w http.ResponseWriter, r *http.Request) {
		all, err := h.advice.Current(r.Context(), h.Catalog())
		guard.WriteJSON(w, r, h.log, all, err)
	})
	mux.HandleFunc("GET /shadow", func(w http.ResponseWriter, r *http.Request) {
		guard.WriteJSON(w, r, h.log, h.shadows.copies.Report(), nil)
	})
	paths := []string{"/metrics", "/livez", "/readyz", "/jobs", "/advice", "/shadow"}
	if h.config.Admin.Pprof {
		mux.HandleFunc("/debug/pprof/", pprof.Index) // and the profiles that it lists
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
		paths = append(paths, "/debug/pprof/")
	}
	mux.Handle("/", notFound(paths))
	all := &guard.Path{Handler: mux, Sites: &guard.CrossSite{}, Fail: formOf("")}
	uncounted := &Host{log: h.log, config: h.config} // a scrape does not count itself
	return uncounted.around(func(*http.Request) *guard.Path { return all })
}
