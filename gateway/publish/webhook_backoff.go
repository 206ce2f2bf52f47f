package publish

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// tries is how often an event is sent before it is given up on. The longest waits between them
// add up to 22.8 hours.
const tries = 22

// The bounds of the wait after a failure: it doubles from the first to the longest.
const (
	firstWait = 5 * time.Second
	maxWait   = 2 * time.Hour
)

// longest is the longest wait after so many failed tries.
func longest(tries int) time.Duration {
	if tries > 11 { // 5 s × 2^11 is more than two hours
		return maxWait
	}
	return min(maxWait, firstWait<<max(0, tries-1))
}

// backoff is the wait after so many failed tries: five seconds at first, and then anything
// between these and the longest, so that a receiver that comes back is not met by everything at
// once.
func backoff(tries int) time.Duration {
	return firstWait + rand.N(longest(tries)-firstWait+1)
}

// maxRetryAfter bounds the wait that a receiver may ask for.
const maxRetryAfter = 24 * time.Hour

// retryAfter is the wait that an answer asks for, in seconds or as a date, or 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	d := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		d = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = at.Sub(now)
	}
	return min(maxRetryAfter, max(0, d))
}

// outage is the time from an undelivered event until no event is tried again. It has three
// lines in the log, however many events it holds up: when it begins, when the first of them is
// dead, and when it is over. The metrics count the events.
type outage struct {
	since      time.Time // zero: there is none
	held, dead int
}

// failed notes an event whose first try failed.
func (o *outage) failed(h *hook, m *message, reason string) {
	if o.held++; o.held == 1 {
		o.begin()
		h.log.Warn("a webhook does not take events; they are kept and tried again", "webhook", h.config.Name, "event", m.event.ID, "reason", reason)
	}
}

// died notes an event after its last try.
func (o *outage) died(h *hook, m *message, reason string) {
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

// over ends the outage, if there is one.
func (o *outage) over(h *hook) {
	if !o.since.IsZero() {
		h.log.Info("a webhook takes events again", "webhook", h.config.Name, "after", time.Since(o.since).Round(time.Second).String(), "held", o.held, "dead", o.dead)
	}
	*o = outage{}
}
