package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/facade/rows"
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
func (s recordingStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
	s.reads.Related(where)
	s.reads.Row(e, id)
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

// ChangesOf returns the facts that announce the changes of what was read. The error is
// NOT_IMPLEMENTED, and names what nothing announces the changes of.
func ChangesOf(c *catalog.Catalog, read *readset.Set) ([]*catalog.Fact, error) {
	entities, other := read.Entities()
	if other != "" {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "what %s answers cannot be followed, since it stores no rows; ask for it in a query", other)
	}
	var all []*catalog.Fact
	for f := range c.Facts() {
		if f.Changes && f.Door != nil && slices.Contains(entities, f.Door.Entity) {
			all = append(all, f)
		}
	}
	for _, e := range entities {
		if !slices.ContainsFunc(all, func(f *catalog.Fact) bool { return f.Door.Entity == e }) {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "%[1]s publishes no change events; add it to changes in frond.yaml: changes: [%[1]s]", e.Name)
		}
	}
	return all, nil
}
