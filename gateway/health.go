package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
)

// live answers /livez: the process runs.
func live(w http.ResponseWriter, r *http.Request) { health(w, r, true, "live") }

// checker is a store that can say why it does not take writes.
type checker interface {
	Check(ctx context.Context) error
}

// ready answers /readyz: calls are welcome while the service does not drain and its
// store takes writes. Why a store does not is in the log, not in the answer. An
// unreachable remote is no reason to take this gateway out: each has a line.
func (h *Host) ready(draining *atomic.Bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			health(w, r, false, "draining")
			return
		}
		if store, ok := h.store.Store.(checker); ok && store.Check(r.Context()) != nil {
			health(w, r, false, "the store takes no writes; the log says why")
			return
		}
		word := "ready"
		for _, remote := range h.Remotes() {
			word += "\n" + remote.Frond + ": " + remote.word()
		}
		health(w, r, true, word)
	}
}

// word is a remote's state in few words, without its address.
func (s *RemoteState) word() string {
	switch {
	case s.Unusable != "":
		return "not usable: " + s.Unusable
	case s.Failed == nil && s.Known && s.Calls.Breaker != "open":
		return "reached"
	case s.Failed == nil && s.Known:
		return "failing; calls are held back for a moment"
	case s.Known:
		return "away: " + string(s.Failed.Code)
	case s.Failed != nil:
		return "not known yet: " + string(s.Failed.Code)
	}
	return "not known yet"
}

func health(w http.ResponseWriter, r *http.Request, ok bool, word string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		guard.WriteProblem(w, http.StatusMethodNotAllowed, facade.Errorf(facade.MethodNotAllowed, "%s takes GET and HEAD", r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, word+"\n")
}

// nowhere answers a path that no surface has, and names those there are.
func nowhere(paths []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard.WriteProblem(w, http.StatusNotFound, facade.Errorf(facade.NotFound, "nothing is served at %s; there is %s", r.URL.Path, strings.Join(paths, ", ")))
	})
}
