package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Chance is a seed: the same place always draws the same numbers.
type Chance uint64

// At is the numbers of a place, which is named by words and numbers.
func (c Chance) At(place ...any) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", uint64(c), place))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))) //nolint:gosec // chance that can be had again is the point
}

// Pick is one of several values.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// Percent is true in n of 100 cases.
func Percent(r *rand.Rand, n int) bool { return r.IntN(100) < n }
