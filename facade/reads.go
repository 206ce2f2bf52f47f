package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/schema"
)

// recordingStore is a store whose reads are recorded.
type recordingStore struct {
	Store
	reads *readset.Set
}

// Find implements [Store].
func (s recordingStore) Find(ctx context.Context, q *Find) (*Found, error) {
	if q.Each != nil && q.Each.Field == q.Entity.Primary {
		s.reads.Related(q.Where)
		s.reads.Row(q.Entity, q.Each.Values...)
	} else {
		s.reads.Where(q.Entity, q.Where)
	}
	return findTogether(ctx, s.Store, q)
}

// Update implements [Store]. One that sets nothing is a read.
func (s recordingStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *Filter, set Record, terms *Terms, sel *Layout) (*Rows, error) {
	s.reads.Related(where)
	s.reads.Row(e, id)
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}
