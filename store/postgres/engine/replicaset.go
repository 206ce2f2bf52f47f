package engine

import (
	"sync"
	"time"
)

// replicaSet records the state of the replicas of a store, and chooses among them. It may be used from
// many goroutines.
type replicaSet struct {
	// silence is how long the last report of a replica holds, and lag how far it may be
	// behind the primary.
	silence, lag time.Duration

	mu       sync.Mutex
	replicas []state
	next     int    // the replica whose turn it is
	marks    []mark // of the primary
}

// state is the last report of a replica; the zero time: no report holds.
type state struct {
	at       time.Time
	replayed logPosition
}

// mark is where the primary was at a time.
type mark struct {
	at       time.Time
	position logPosition
}

// newReplicaSet returns a set of n replicas without reports, so that reads go to the primary. A report
// holds for silence; a replica that has not replayed the position that the primary had lag ago is late.
func newReplicaSet(n int, silence, lag time.Duration) *replicaSet {
	return &replicaSet{silence: silence, lag: lag, replicas: make([]state, n)}
}

// report notes how far replica i has replayed, as it said at a time.
func (s *replicaSet) report(i int, at time.Time, replayed logPosition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas[i] = state{at, replayed}
}

// fail notes that replica i does not answer. It is chosen again after its next report.
func (s *replicaSet) fail(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas[i] = state{}
}

// primary notes where the primary was at a time. While it is down there are no marks, and
// replicas are not late: they have what there is.
func (s *replicaSet) primary(at time.Time, position logPosition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks = append(s.marks, mark{at, position})
	for len(s.marks) > 1 && at.Sub(s.marks[1].at) >= s.lag {
		s.marks = s.marks[1:]
	}
}

// choose returns a replica for a read that has to see the writes up to a position, 0 for a read
// that may see less. ok is false if the read belongs to the primary, because all replicas are late
// or silent. Replicas take turns.
func (s *replicaSet) choose(now time.Time, seen logPosition) (i int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen = max(seen, s.due(now))
	for range s.replicas {
		i = s.next
		s.next = (s.next + 1) % len(s.replicas)
		if r := s.replicas[i]; !r.at.IsZero() && now.Sub(r.at) <= s.silence && r.replayed >= seen {
			return i, true
		}
	}
	return 0, false
}

// due is what every replica has to have replayed: where the primary was lag ago, by its last
// mark from then.
func (s *replicaSet) due(now time.Time) (p logPosition) {
	for _, m := range s.marks {
		if now.Sub(m.at) >= s.lag {
			p = m.position
		}
	}
	return p
}
