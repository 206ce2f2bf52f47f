package signing

import (
	"crypto/sha256"
	"sync"
)

// seen remembers which tokens have counted, until they have run out.
type seen struct {
	most int

	mu      sync.Mutex
	count   int
	buckets map[int64]map[[16]byte]struct{} // by the time they are forgotten, in steps
}

// step is how many seconds of expiry share a bucket, which is dropped whole.
const step = 8

// verdict is what becomes of a token.
type verdict uint8

const (
	fresh    verdict = iota
	replayed         // it has counted before
	crowded          // there is no room to remember it
)

// take counts a token, unless it has counted before. until and now are seconds.
// Where the memory is full it is not taken: to forget another would let that one
// count twice.
func (s *seen) take(kid, jti string, until, now int64) verdict {
	sum := sha256.Sum256([]byte(kid + "." + jti)) // no kid has a dot
	id := [16]byte(sum[:16])
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, bucket := range s.buckets {
		if at*step+step <= now {
			s.count -= len(bucket)
			delete(s.buckets, at)
		} else if _, there := bucket[id]; there {
			return replayed
		}
	}
	if s.count >= s.most {
		return crowded
	}
	at := until / step
	if s.buckets == nil {
		s.buckets = map[int64]map[[16]byte]struct{}{}
	}
	if s.buckets[at] == nil {
		s.buckets[at] = map[[16]byte]struct{}{}
	}
	s.buckets[at][id] = struct{}{}
	s.count++
	return fresh
}
