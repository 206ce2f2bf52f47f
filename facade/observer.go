package facade

import (
	"context"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/readset"
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

// watch is the observer of an execution, and where what it reads is recorded. The methods of
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

// watching is what the calls of a context are watched for.
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

// scoped reports what the collector of a door answered about an operation.
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

// read records what the call is about to read elsewhere than in the store.
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

// announced reports what a command would emit. true says that it is not to be: somebody
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

// remote is c, which calls the host at address, observed.
func (w watch) remote(c Caller, address string) Caller {
	if w.by != nil {
		return w.by.remote(c, address)
	}
	return c
}

// RecordReads returns a context whose calls record what they read. Those that handlers and
// computed fields make are among them; what those read in other ways is not.
func RecordReads(ctx context.Context) (context.Context, *readset.Set) {
	read := &readset.Set{}
	return context.WithValue(ctx, watchKey{}, &watching{reads: read}), read
}
