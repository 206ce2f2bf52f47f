package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// observer follows one execution step by step, for [Explain].
type observer interface {
	found(x *execution)
	scoped(x *viewer, door *boundDoor, op *catalog.Operation, scope *access.Scope, err error)
	admitted(x *execution) (dry bool) // dry: the call is not run
	answered(res *Result)
	runs(x *execution) bool                 // a command's handler, in a transaction that is rolled back
	tried(tries int)                        // how often the command ran
	announced(events []Event)               // what would be emitted
	store(s Store) Store                    // s, observed
	remote(c Caller, address string) Caller // c, observed
}

// watch is the observer of an execution, and the record of its reads. The methods of
// the zero watch do nothing.
type watch struct {
	by    observer
	reads *readset.Set
}

// watched is the watch of an execution that begins under ctx.
func watched(ctx context.Context) watch {
	w, _ := ctx.Value(watchKey{}).(*watching)
	switch {
	case w == nil:
		return watch{}
	case w.begin == nil:
		return watch{reads: w.reads}
	}
	return watch{by: w.begin()}
}

// watchKey is the key of a *watching.
type watchKey struct{}

// watching says how the calls of a context are watched.
type watching struct {
	begin func() observer // begins an observer for each execution; nil: it is recorded what they read
	reads *readset.Set
}

// on reports whether somebody observes: then nothing is to be changed.
func (w watch) on() bool { return w.by != nil }

// found reports the first step: x.op is nil where there is no such operation.
func (w watch) found(x *execution) {
	if w.by != nil {
		w.by.found(x)
	}
}

// scoped reports the answer of a door's collector about an operation.
func (w watch) scoped(x *viewer, door *boundDoor, op *catalog.Operation, scope *access.Scope, err error) {
	if w.by != nil {
		w.by.scoped(x, door, op, scope, err)
	}
}

// admitted reports the third step. dry says that the call is not run.
func (w watch) admitted(x *execution) (dry bool) { return w.by != nil && w.by.admitted(x) }

// answered reports the answer of the runner.
func (w watch) answered(res *Result) {
	if w.by != nil {
		w.by.answered(res)
	}
}

// read records the rows that the call is about to read elsewhere than in the store.
func (w watch) read(x *execution) {
	switch {
	case w.reads == nil || x.runner.by() == byStore:
	case x.door.Entity == nil:
		w.reads.Other(x.door.Name)
	default: // a handler may read any rows of its door, whatever it calls besides
		w.reads.Any(x.door.Entity)
		w.reads.Related(x.list.filter)
		if x.doorScope != nil {
			w.reads.Related(x.doorScope.Rows)
		}
	}
}

// runs reports whether a command of the author's is run: nobody observes, or it is rolled
// back.
func (w watch) runs(x *execution) bool { return w.by == nil || w.by.runs(x) }

// tried reports how often a command ran.
func (w watch) tried(tries int) {
	if w.by != nil {
		w.by.tried(tries)
	}
}

// announced reports the events that a command would emit. true says that it is not to be: somebody
// observes.
func (w watch) announced(events []Event) bool {
	if w.by != nil {
		w.by.announced(events)
	}
	return w.by != nil
}

// store is s, observed.
func (w watch) store(s Store) Store {
	switch {
	case w.by != nil:
		return w.by.store(s)
	case w.reads != nil:
		return recordingStore{s, w.reads}
	}
	return s
}

// RecordReads returns a context whose calls record their reads. Those that handlers and
// computed fields make are among them; what those read in other ways is not.
func RecordReads(ctx context.Context) (context.Context, *readset.Set) {
	read := &readset.Set{}
	return context.WithValue(ctx, watchKey{}, &watching{reads: read}), read
}

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
		s.reads.Where(q.Entity, q.condition())
	}
	return findTogether(ctx, s.Store, q)
}

// Update implements [Store]. One that sets nothing is a read.
func (s recordingStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
	s.reads.Related(where)
	s.reads.Row(e, id)
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

// ChangesOf returns the facts that announce changes of the rows that were read. The error is
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
