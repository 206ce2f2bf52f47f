package mockdata

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// chance is a seed: the same place always draws the same numbers.
type chance uint64

// at is the numbers of a place, which is named by words and numbers.
func (c chance) at(place ...any) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", uint64(c), place))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))) //nolint:gosec // chance that can be had again is the point
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func percent(r *rand.Rand, n int) bool { return r.IntN(100) < n }
