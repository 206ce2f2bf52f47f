package facade

import "context"

// observer follows one execution step by step, for [Explain].
type observer interface {
	found(x *execution)
	scoped(x *viewer, door *Door, op *Operation, scope *Scope, err error)
	admitted(x *execution) (dry bool) // dry: the call is not run
	answered(res *Result)
	runs(x *execution) bool                 // a command's handler, in a transaction that is rolled back
	tried(tries int)                        // how often the command ran
	announced(events []Event)               // what would be emitted
	store(s Store) Store                    // s, observed
	remote(c Caller, address string) Caller // c, observed
}

// watch is the observer of an execution. The methods of the zero watch do nothing.
type watch struct{ by observer }

// watched is the watch of an execution that begins under ctx.
func watched(ctx context.Context) watch {
	if begin, ok := ctx.Value(watchKey{}).(func() observer); ok {
		return watch{begin()}
	}
	return watch{}
}

// watchKey is the key of a func() observer, which begins an observer for each execution.
type watchKey struct{}

// on reports whether somebody observes: then nothing is to be changed.
func (w watch) on() bool { return w.by != nil }

// found reports the first step: x.op is nil where there is no such operation.
func (w watch) found(x *execution) {
	if w.by != nil {
		w.by.found(x)
	}
}

// scoped reports what the collector of a door answered about an operation.
func (w watch) scoped(x *viewer, door *Door, op *Operation, scope *Scope, err error) {
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
	if w.by != nil {
		return w.by.store(s)
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
