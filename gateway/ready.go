package gateway

import (
	"net/http"
	"sync/atomic"
)

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
			word += "\n" + remote.Frond + ": " + remote.String()
		}
		health(w, r, true, word)
	}
}
