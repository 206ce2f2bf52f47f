package webhook

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Tries is how often an event is sent before it is given up on. The longest waits between them
// add up to 22.8 hours.
const Tries = 22

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

// maxRetryAfter bounds what a receiver may ask for.
const maxRetryAfter = 24 * time.Hour

// retryAfter is the wait that an answer asks for, in seconds or as a date; 0: none.
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
