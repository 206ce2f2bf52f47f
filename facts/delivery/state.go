package delivery

import (
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
)

// State is the state of a consumer in this process. Its counters begin with the process.
type State struct {
	// Name is that of the consumer: webhook:billing.
	Name string
	// Delivers says that this process is the one that delivers.
	Delivers bool
	// Delivered, Failed and Dead count events that were accepted, attempts that failed, and
	// events that were given up on.
	Delivered, Failed, Dead uint64
	// Waiting are events that were read and are not delivered, and Retrying those of them that
	// failed at least once, or wait for one that did.
	Waiting, Retrying int
	// Uncounted says that the number of waiting events is unknown.
	Uncounted bool
	// Oldest is when the first event that is still waiting was emitted; zero: none waits.
	Oldest time.Time
	// Cursor is where the way out goes on after a restart.
	Cursor facade.Position
	// Problem says why no events are delivered, in a sentence without secrets; "": there is no
	// problem.
	Problem string
	// Stopped says that Problem does not end by itself.
	Stopped bool
}

// Stats is a [State] that its owner changes and others read.
type Stats struct {
	mu    sync.Mutex
	state State
}

// Change changes the state.
func (s *Stats) Change(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// State is a copy of the state.
func (s *Stats) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Lag is how long the first waiting event has been waiting.
func (s *State) Lag() time.Duration {
	if s.Oldest.IsZero() {
		return 0
	}
	return max(0, time.Since(s.Oldest))
}
