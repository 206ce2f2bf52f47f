package gateway

import (
	"context"

	"github.com/frondhost/frond/facade"
)

// lateOutbox is a [lateStore] whose store keeps events. That has to be known before it is
// open: a façade refuses facts that nobody keeps.
type lateOutbox struct {
	*lateStore
	facade.Outbox // the store, once it is open
}

// Transact implements [facade.Transactor].
func (s *lateOutbox) Transact(ctx context.Context, fn func(context.Context) error) error {
	return s.lateStore.Transact(ctx, fn)
}

// Records implements [facade.Recorder], as the store does once it is open.
func (s *lateOutbox) Records() bool {
	r, ok := s.Outbox.(facade.Recorder)
	return ok && r.Records()
}

// kept is the store that façades are compiled over: one that keeps events, where the store that
// is going to be opened does.
func (h *Host) kept() facade.Store {
	if _, ok := h.options.Store.(facade.Outbox); ok || h.options.Store == nil {
		return &h.outbox
	}
	return &h.store
}
