package topology

import (
	"maps"
	"slices"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade/kiterror"
)

// Observe yields the state of the client of each host, and whether the host has been discovered.
// It waits for no host. It is called at every scrape of the metrics.
func (t *Topology) Observe(yield func(status client.Status, known bool)) {
	if t == nil {
		return
	}
	for _, h := range t.hosts {
		h.mu.Lock()
		known := h.discovery != nil
		h.mu.Unlock()
		yield(h.client.Status(), known)
	}
}

// State is the known state of a remote Frond.
type State struct {
	Frond string
	// URL is the base address. It is for the log and for operators, never for callers.
	URL string
	// Known reports that the Frond has been discovered, and Asked when it last was.
	Known bool
	Asked time.Time
	// Failed is why the last discovery failed; nil: it succeeded.
	Failed *kiterror.Error
	// Unusable is the reason why the host's Frond cannot be used, in words that anybody may read;
	// "": it can be, or only the log has why.
	Unusable string
	// Calls is the state of the client: requests, failures, the circuit breaker.
	Calls client.Status
}

// Remotes is the state of each remote Frond, by name. Fronds at one address share Asked,
// Failed and Calls.
func (t *Topology) Remotes() (all []State) {
	if t == nil {
		return nil
	}
	for _, frond := range slices.Sorted(maps.Keys(t.byFrond)) {
		h := t.byFrond[frond]
		calls := h.client.Status()
		h.mu.Lock()
		all = append(all, State{
			Frond: frond, URL: h.url, Known: h.discovery != nil && !h.refused[frond], Asked: h.asked, Failed: h.failed, Unusable: h.unusable(frond), Calls: calls,
		})
		h.mu.Unlock()
	}
	return all
}

// String is the state in a few words, without the host's address: what /readyz has.
//
//	not usable: …          the document breaks a limit, or claims a taken name
//	reached                discovered, and the breaker lets calls through
//	failing; calls …       discovered, and the breaker is open
//	not reached: CODE      known from before; the last discovery failed
//	not known yet: CODE    never discovered, and the last attempt failed
//	not known yet          not asked yet
func (s *State) String() string {
	switch {
	case s.Unusable != "":
		return "not usable: " + s.Unusable
	case s.Failed == nil && s.Known && s.Calls.Breaker != "open":
		return "reached"
	case s.Failed == nil && s.Known:
		return "failing; calls are held back for a moment"
	case s.Known:
		return "not reached: " + string(s.Failed.Code)
	case s.Failed != nil:
		return "not known yet: " + string(s.Failed.Code)
	}
	return "not known yet"
}
