package webhook

import "time"

// outage is the time from an event that was not delivered until no event is tried again. It has
// three lines in the log, however many events it holds up: when it begins, when the first of
// them is dead, and when it is over. The metrics count the events.
type outage struct {
	since      time.Time // zero: there is none
	held, dead int
}

// failed notes an event that was not delivered at the first try.
func (o *outage) failed(h *Hook, m *message, reason string) {
	if o.held++; o.held == 1 {
		o.begin()
		h.log.Warn("a webhook does not take events; they are kept and tried again", "webhook", h.config.Name, "event", m.event.ID, "reason", reason)
	}
}

// died notes an event that is given up on.
func (o *outage) died(h *Hook, m *message, reason string) {
	o.begin()
	if o.dead++; o.dead == 1 {
		h.log.Error("a webhook did not take an event at any try: it is dead; `frond facts dead` lists such events, and `frond facts replay` sends them again",
			"webhook", h.config.Name, "event", m.event.ID, "fact", m.event.Frond+"."+m.event.Name, "tries", m.tries, "reason", reason)
	}
}

func (o *outage) begin() {
	if o.since.IsZero() {
		o.since = time.Now()
	}
}

// over ends the outage, where there is one.
func (o *outage) over(h *Hook) {
	if !o.since.IsZero() {
		h.log.Info("a webhook takes events again", "webhook", h.config.Name, "after", time.Since(o.since).Round(time.Second).String(), "held", o.held, "dead", o.dead)
	}
	*o = outage{}
}
