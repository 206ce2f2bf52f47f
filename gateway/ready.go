package gateway

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facts"
)

// ready answers /readyz: 200 unless the service drains or its store accepts no writes, the
// reason of which is in the log and not in the answer. A remote that cannot be reached is no
// reason to stop sending requests here: it has a line in the answer, and so has a way out of
// facts that is stuck.
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
		h.feeds.each(func(log string, s facts.Status) {
			if s.Failure != nil {
				if log == "own" {
					log = "this host"
				}
				word += fmt.Sprintf("\nfacts of %s: cannot be read for %s, and wait", log, time.Since(s.Since).Round(time.Second))
			}
		})
		for _, s := range h.ways() {
			if s.Problem != "" {
				word += "\n" + s.Name + ": " + s.Problem
			}
		}
		health(w, r, true, word)
	}
}
