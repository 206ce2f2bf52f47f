package gateway

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"

	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Admin is the listener for the operator: /metrics, and health (docs/decisions/telemetry.md).
type Admin struct {
	Listen string // host:port; "": there is none, and there are no metrics
	Public bool   // other machines may reach it
	Pprof  bool   // it serves the profiles of net/http/pprof, which show source paths and allocations
}

// settings are the rows of admin.
func (a *Admin) settings() []setting.Setting {
	return []setting.Setting{
		setting.New("admin.listen", "", "the address of /metrics and health checks, such as 127.0.0.1:9464; empty turns both the listener and the metrics off", readAdminAddress, &a.Listen),
		setting.New("admin.pprof", "false", "serve Go's profiles at /debug/pprof/ on the admin listener", setting.Bool, &a.Pprof),
		setting.New("admin.public", "false", "allow an address that other machines can reach", setting.Bool, &a.Public),
	}
}

// check reports an address that other machines reach without Public.
func (a *Admin) check() (faults schema.Faults) {
	if a.Listen != "" && !a.Public && !setting.Loopback(a.Listen) {
		faults = append(faults, schema.Fault{
			File: setting.File, Pointer: "/admin/listen",
			Message: fmt.Sprintf("%s can be reached from other machines, and shows them the names and rates of calls", a.Listen),
			Remedy:  "write 127.0.0.1 before the port; or where only your own can reach it, admin.public: true",
		})
	}
	return faults
}

// readAdminAddress reads an address, or "" for no listener.
func readAdminAddress(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return setting.Address(text)
}

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
	paths := []string{"/metrics", "/livez", "/readyz"}
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
