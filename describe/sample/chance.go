package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Chance is a seed: the same place always draws the same numbers. Places are independent, so
// that a field that is added to a card changes no value of the others. A Chance may be used
// concurrently.
type Chance uint64

// At returns the numbers of a place, which is named by words and numbers: c.At("product", 7,
// "price"). Each call begins the stream anew. The result must not be shared between
// goroutines.
func (c Chance) At(place ...any) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", uint64(c), place))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))) //nolint:gosec // chance that can be had again is the point
}

// Pick returns one of several values, each with the same chance. It panics where there is
// none.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// Percent reports true in n of 100 cases. It always draws one number.
func Percent(r *rand.Rand, n int) bool { return r.IntN(100) < n }
