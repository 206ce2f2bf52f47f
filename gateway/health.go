package gateway

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facts"
)

// ready answers /readyz: 200 unless the service drains, its store accepts no writes, the tables
// follow newer cards or the storage of files fails. The reason is in the log and not in the answer. A remote that cannot be
// reached has a line in the answer, which stays 200. So has a webhook, NATS or a consumer that is
// stuck: the operator reads its name and the reason, everybody else how many there are.
func (h *Host) ready(draining *atomic.Bool, operator bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			health(w, r, false, "draining")
			return
		}
		if check := h.store.can.Check; check != nil && check(r.Context()) != nil {
			health(w, r, false, "the store takes no writes, or its tables follow newer cards; the log says why")
			return
		}
		if h.files.Load().Check(r.Context()) != nil {
			health(w, r, false, "the storage of files takes no files; the log says why")
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
		stuck := 0
		for _, s := range h.ways.states() {
			if s.Problem == "" {
				continue
			}
			if stuck++; operator {
				word += "\n" + s.Name + ": " + s.Problem
			}
		}
		if stuck > 0 && !operator {
			word += fmt.Sprintf("\nfacts: %d of the receivers cannot be delivered to; /readyz of the admin listener names them", stuck)
		}
		health(w, r, true, word)
	}
}
