package signing

import (
	"crypto/sha256"
	"sync"
)

// seen remembers which tokens were accepted, until they have expired. It may be used from
// many goroutines.
type seen struct {
	most int

	mu      sync.Mutex
	count   int
	buckets map[int64]map[[16]byte]struct{} // by the time they are forgotten, in steps
}

// step is the seconds of expiry that share a bucket. A bucket is dropped as a whole, so that
// dropping has no cost per token.
const step = 8

// verdict is whether a token is accepted.
type verdict uint8

const (
	fresh      verdict = iota
	replayed           // it was accepted before
	memoryFull         // the memory of tokens is full
)

// take accepts a token, unless it was accepted before. until and now are seconds. A full
// memory accepts none: forgetting another token would let that one be replayed. The cost is
// that of looking into each bucket. There are few of them: a lifetime and twice the skew,
// divided by step.
func (s *seen) take(id [16]byte, until, now int64) verdict {
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
		return memoryFull
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

// nonceOf identifies a token. Half of the hash is enough: a collision only refuses a valid
// token.
func nonceOf(kid, jti string) [16]byte {
	sum := sha256.Sum256([]byte(kid + "." + jti)) // no kid has a dot
	return [16]byte(sum[:16])
}
