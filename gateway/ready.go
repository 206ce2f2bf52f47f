package gateway

import (
	"net/http"
	"sync/atomic"
)

// ready answers /readyz: 200 unless the service drains or its store accepts no writes, the
// reason of which is in the log and not in the answer. A remote that cannot be reached is no
// reason to stop sending requests here: it has a line in the answer.
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
