package facade

import (
	"context"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
)

// Trace is a set of functions that one execution calls on its way along the path, from its own
// goroutine. Any of them may be nil. The nil Trace traces nothing.
type Trace struct {
	// Found is called when the operation is looked up; its Operation is nil where there is none.
	Found func(x *Traced)
	// Scoped is called with the answer of a door's collector about an operation.
	Scoped func(x *Traced, by *Scoped)
	// Admitted is called when the call is judged, before it runs.
	Admitted func(x *Traced)
	// Answered is called with the result of the runner.
	Answered func(res *Result)
	// Tried is called with the number of tries of a transaction.
	Tried func(tries int)
	// Emitted is called with the events of a dry run.
	Emitted func(events []Event)
	// Store and Remote wrap the ports that the execution reads and writes by.
	Store  func(s Store) Store
	Remote func(c Caller, address string) Caller

	// DryRun leaves out hooks, events and the handlers of commands.
	DryRun bool
	// Handlers runs the handlers of commands in a dry run, in transactions that are rolled back,
	// where the store has dry runs.
	Handlers bool
}

// Traced is an execution as its [Trace] sees it. It is valid during the call of one function.
type Traced struct {
	Call          *Call
	Operation     *catalog.Operation // nil: there is none
	By            string             // store, handler, remote or nobody
	State         access.State
	Inside        bool          // the author's own code calls
	InTransaction bool          // the call is part of a transaction
	DryRuns       bool          // the store undoes the writes of a dry run
	Scope         *access.Scope // of the rows of the door; nil: not known yet
	Filter        *filter.Filter
	// Columns are read of the rows, Fields leave, and Computed are the computed ones among these.
	Columns, Fields, Computed []string
}

// Scoped is the answer of one collector.
type Scoped struct {
	Door      *catalog.Door
	Collector access.Collector // nil: the door is open
	Operation *catalog.Operation
	Scope     *access.Scope
	Err       error
}

type traceKey struct{}

// WithTrace returns a context whose executions are traced, those that handlers and computed fields
// begin among them. Each has the Trace that begin returns for it.
func WithTrace(ctx context.Context, begin func() *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, begin)
}

// traceOf is the trace of an execution that begins under ctx.
func traceOf(ctx context.Context) *Trace {
	begin, _ := ctx.Value(traceKey{}).(func() *Trace)
	if begin == nil {
		return nil
	}
	return begin()
}

// dry reports whether nothing may be changed.
func (t *Trace) dry() bool { return t != nil && t.DryRun }

// traced describes an execution to its trace.
func (x *execution) traced() *Traced {
	out := &Traced{
		Call: x.call, State: x.state, Inside: x.inside, InTransaction: x.transaction != nil, DryRuns: x.host.dryRuns,
		Scope: x.doorScope, Filter: x.list.filter,
	}
	if x.op != nil {
		out.Operation, out.By = x.op.Operation, string(x.runner.by)
	}
	if x.sel != nil {
		out.Columns, out.Fields = x.sel.stored.Fields, x.sel.out.Fields
		for _, c := range x.sel.computed {
			out.Computed = append(out.Computed, c.Name)
		}
	}
	return out
}

// traceScope reports the answer of a door's collector.
func traceScope(x *viewer, door *boundDoor, op *catalog.Operation, scope *access.Scope, err error) {
	if x.trace != nil && x.trace.Scoped != nil {
		x.trace.Scoped(&Traced{Call: x.call, State: x.state, Inside: x.inside}, &Scoped{Door: door.Door, Collector: door.collector, Operation: op, Scope: scope, Err: err})
	}
}

// runsHandler reports whether the handler of a command runs: in a dry run, where its transaction is
// rolled back.
func runsHandler(x *execution) bool { return !x.trace.dry() || x.trace.Handlers && x.host.dryRuns }
