package facade

import (
	"context"
	"time"
)

// Nonces is a [Store] that remembers what may happen only once, for every process over
// the same database. It may be used from many goroutines.
type Nonces interface {
	// TakeNonce reports whether nonce is new, and remembers it until the given time at
	// least. Of calls with equal nonces, in whatever processes, one is reported as new.
	// The answer is durable when it returns. Nonces have at most 64 bytes. The error is
	// SERVICE_UNAVAILABLE where the store cannot be reached; the nonce may then be taken.
	TakeNonce(ctx context.Context, nonce []byte, until time.Time) (fresh bool, err error)
}
