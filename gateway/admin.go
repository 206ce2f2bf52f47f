package gateway

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"

	"github.com/frondhost/frond/gateway/guard"
)

// admin is the server of the admin listener and the listener, which is open; nil, nil:
// there is none.
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
	paths := []string{"/metrics", "/livez", "/readyz", "/jobs", "/advice"}
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
