package publish

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/storetest"
)

// brokenStore is a store that a process loses: what it asks fails from then on.
type brokenStore struct {
	*storetest.Store
	dead atomic.Bool
}

var errBroken = errors.New("the store does not answer")

func (b *brokenStore) die() { b.dead.Store(true) }

func (b *brokenStore) Cursor(ctx context.Context, name string) (facade.Position, bool, error) {
	if b.dead.Load() {
		return 0, false, errBroken
	}
	return b.Store.Cursor(ctx, name)
}

func (b *brokenStore) Advance(ctx context.Context, name string, from, to facade.Position) (bool, error) {
	if b.dead.Load() {
		return false, errBroken
	}
	return b.Store.Advance(ctx, name, from, to)
}

func newDice(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 1)) }
