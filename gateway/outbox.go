package gateway

import (
	"context"
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
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

// unkept are the faults of facts whose events nobody could keep: the store is another program's
// SQLite database, in which this one makes no tables (docs/decisions/outbox.md).
func (h *Host) unkept(f *facade.Facade) (faults schema.Faults) {
	_, memory, err := h.config.storeFile() // an error: it is on PostgreSQL, or open reports it
	if h.options.Store != nil || memory || err != nil || !h.mapped(f) {
		return nil
	}
	for _, frond := range f.Catalog().Fronds {
		if frond.Remote != "" {
			continue
		}
		for _, fact := range frond.Facts {
			if fact.On == nil && !fact.Changes {
				continue
			}
			faults = append(faults, schema.Fault{
				File: "fronds/" + frond.Name + "/frond.yaml", Pointer: "/facts",
				Message: fmt.Sprintf("the fact %s cannot be kept: its rows are in another program's SQLite database, in which this program makes no tables", fact.Name),
				Remedy:  "leave the fact out, or copy the rows into a store of this program",
			})
		}
	}
	return faults
}
