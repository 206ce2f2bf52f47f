package readset

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Record returns a context whose calls record their reads. Those that handlers and computed fields
// make are among them; other reads of theirs are not.
func Record(ctx context.Context) (context.Context, *Set) {
	reads := &Set{}
	trace := &facade.Trace{
		Admitted: reads.admitted,
		Store:    func(s facade.Store) facade.Store { return recordingStore{s, reads} },
	}
	return facade.WithTrace(ctx, func() *facade.Trace { return trace }), reads
}

// admitted records the rows that a call is about to read elsewhere than in the store.
func (s *Set) admitted(x *facade.Traced) {
	door := x.Operation.Door
	switch {
	case x.By == "store":
	case door.Entity == nil:
		s.noRows(door.Name)
	default: // a handler may read any rows of its door
		s.anyRow(door.Entity)
		s.related(x.Filter)
		if x.Scope != nil {
			s.related(x.Scope.Rows)
		}
	}
}

// recordingStore is a store whose reads are recorded.
type recordingStore struct {
	facade.Store
	reads *Set
}

// Find implements [facade.Store].
func (s recordingStore) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	if q.Each != nil && q.Each.Field == q.Entity.Primary {
		s.reads.related(q.Where)
		s.reads.addRows(q.Entity, q.Each.Values...)
	} else {
		s.reads.meeting(q.Entity, q.Condition())
	}
	for i := range q.Sort {
		s.reads.derived(q.Sort[i].Derived)
	}
	if q.Each != nil && q.Each.Through != nil {
		s.reads.meeting(q.Each.Field.Owner, q.Each.Via)
	}
	return find(ctx, s.Store, q)
}

// Update implements [facade.Store]. One without a set is a read.
func (s recordingStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	s.reads.related(where)
	s.reads.addRows(e, id)
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

// Changes returns the facts that announce changes of the rows that were read. The error is
// NOT_IMPLEMENTED and names a door without such a fact.
func (s *Set) Changes(c *catalog.Catalog) ([]*catalog.Fact, error) {
	entities, other := s.readEntities()
	if other != "" {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "%s has no stored rows to follow; ask for it in a query", other)
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
