// Package explain makes a call and reports how it went, step by step: the rules that held, the
// columns and statements, and the writes of a command. It also finds the reads of a running host that an index
// would help.
//
// [Watch.Store] wraps a store. It counts the reads of each shape: the fields that they filter, sort
// and look up by, without values. Where the card has no index for a field of a shape, the plan of one
// read in [planEvery] is asked for. A shape whose plan reads a whole table is written to the store of
// the host once a minute, with its number of reads, their time, the rows of a read and the index that
// would help.
package explain

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Call makes a call and reports how it went, a failure included. Reads are made for real, but
// writes are not: a store with [facade.Abilities].DryRuns undoes its statements, another one is
// not called, a command of a remote is not sent, and the handler of a command is not run. The Explanation is never nil; the error is
// the call's own.
func Call(ctx context.Context, caller facade.Caller, c *facade.Call) (*Explanation, error) {
	return explain(ctx, caller, c, false)
}

// Run is [Call] with the handlers of commands run, each in a transaction that is rolled back
// whole: its further calls see its writes. Its effects outside of such calls remain. It does not
// run detached handlers, handlers over a store without transactions or dry runs
// ([facade.Abilities]), and hooks.
func Run(ctx context.Context, caller facade.Caller, c *facade.Call) (*Explanation, error) {
	return explain(ctx, caller, c, true)
}

// explain is Call and Run; handlers says that handlers of commands run.
func explain(ctx context.Context, caller facade.Caller, c *facade.Call, handlers bool) (*Explanation, error) {
	var mu sync.Mutex
	var calls []*Explanation // of the call and of the calls within it
	begin := func() *facade.Trace {
		x := &Explanation{Scopes: []Scoping{}, Columns: []string{}, Fields: []string{}, Computed: []string{}, Store: []*StoreCall{}}
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, x)
		return x.trace(handlers)
	}
	_, err := caller.Call(facade.WithTrace(facade.DryRun(ctx), begin), c)
	root := &Explanation{Entity: c.Entity, Operation: c.Operation}
	if len(calls) > 0 {
		root = calls[0]
		root.Calls = calls[1:]
	}
	if err != nil {
		root.Error = kiterror.AsError(err)
		return root, root.Error
	}
	return root, nil
}

// Explanation is how one call went, step by step (docs/decisions/settings-and-commands.md). It holds everything,
// hidden fields and the rules of others among it: it is for the author's terminal and
// never for a caller.
type Explanation struct {
	Entity    string `json:"entity"`
	Operation string `json:"operation"`
	// Frond is "" for an unknown operation.
	Frond string       `json:"frond,omitempty"`
	Kind  catalog.Kind `json:"kind,omitempty"`
	// By is who answers: store, handler, remote or nobody.
	By string `json:"by,omitempty"`
	// Scopes are the answers of the collectors, in their order.
	Scopes []Scoping `json:"scopes"`
	// Columns are the columns that are read of the rows.
	Columns []string `json:"columns"`
	// Fields are the fields of the answered rows, Computed the computed ones of them.
	Fields   []string `json:"fields"`
	Computed []string `json:"computed"`
	// Store are the calls of the store and of remotes.
	Store []*StoreCall `json:"store"`
	// Tries is how often a command ran as a transaction; 0 for a command that was not run, or
	// not as one. Calls include the calls of all tries.
	Tries int `json:"tries,omitempty"`
	// Written is why a command does not write; "" for a query.
	Written string `json:"written"`
	// Facts are the facts that a command would emit, as FROND.NAME.
	Facts []string `json:"facts,omitempty"`
	// Rows is how many rows the answer has.
	Rows  int             `json:"rows"`
	Error *kiterror.Error `json:"error,omitempty"`
	// Calls are the calls of handlers and presenters on the way.
	Calls []*Explanation `json:"calls,omitempty"`
}

// Scoping is what one collector answered about one door.
type Scoping struct {
	Door     string               `json:"door"`
	For      string               `json:"for"`             // the operation it was asked about
	At       string               `json:"at"`              // where it is declared; Go code; none
	Rules    []access.RuleVerdict `json:"rules,omitempty"` // of a frond.yaml, in their order
	Rows     json.RawMessage      `json:"rows,omitempty"`  // the filter; absent: all rows
	Hide     []string             `json:"hide,omitempty"`
	ReadOnly []string             `json:"readOnly,omitempty"` // fields that are seen and cannot be sent
	Set      json.RawMessage      `json:"set,omitempty"`
	Error    *kiterror.Error      `json:"error,omitempty"` // the verdict of a collector that denies
	Why      string               `json:"why,omitempty"`   // the value that a rule could not set; callers do not see it
}

// StoreCall is one call of the store, or one call of a remote.
type StoreCall struct {
	Does       string             `json:"does"` // find, insert, update, delete, read
	Entity     string             `json:"entity"`
	Filter     json.RawMessage    `json:"filter,omitempty"` // of the rows
	Columns    []string           `json:"columns,omitempty"`
	Statements []facade.Statement `json:"statements"`
	// Index is the index that would spare a scan of a whole table, or a sort, or "".
	Index string `json:"index,omitempty"`
	Note  string `json:"note,omitempty"`
}

// The words of Explanation.Written.
const (
	rolledBack = "the statement ran and was undone"
	notAsked   = "the store was not asked: it cannot undo"
	notRun     = "the author's handler was not run"
	runBack    = "the author's handler ran, and its transaction was rolled back"
	notSent    = "the call was not sent to its host, which cannot undo it"
)

// trace returns the trace that writes the explanation.
func (x *Explanation) trace(handlers bool) *facade.Trace {
	return &facade.Trace{
		Found: x.found, Scoped: x.scoped, Admitted: x.admitted,
		Answered: func(res *facade.Result) { x.Rows = res.Rows.Len() },
		Tried:    func(tries int) { x.Tries = tries },
		Emitted: func(events []facade.Event) {
			for i := range events {
				x.Facts = append(x.Facts, events[i].Frond+"."+events[i].Name)
			}
		},
		Store:  func(s facade.Store) facade.Store { return explainedStore{s, x} },
		Remote: func(c facade.Caller, address string) facade.Caller { return explainedRemote{c, x, address} },
		DryRun: true, Handlers: handlers,
	}
}

// found names the operation and who answers it.
func (x *Explanation) found(t *facade.Traced) {
	x.Entity, x.Operation = t.Call.Entity, t.Call.Operation
	if op := t.Operation; op != nil {
		x.Entity, x.Operation, x.Frond, x.Kind, x.By = op.Door.Name, op.Name, op.Door.Frond.Name, op.Kind, t.By
	}
}

// scoped adds the answer of a collector. A collector in Go code shows its
// result alone; rules are listed one by one.
func (x *Explanation) scoped(t *facade.Traced, s *facade.Scoped) {
	w := Scoping{Door: s.Door.Name, For: s.Operation.Name, At: "none"}
	if s.Collector != nil {
		w.At = "Go code"
	}
	if at, verdicts, ok := access.VerdictsOf(s.Collector, t.State, s.Operation); ok {
		w.At, w.Rules = at, verdicts
	}
	if t.Inside {
		w.At, w.Rules = "none: the author's own code calls", nil
	}
	switch scope := s.Scope; {
	case s.Err != nil:
		w.Error = kiterror.AsError(s.Err)
		w.Why = access.Unset(s.Err)
	case scope != nil:
		if scope.Rows != nil {
			w.Rows = scope.Rows.AppendJSON(nil)
		}
		w.Hide, w.ReadOnly = scope.Hide, scope.ReadOnly
		if scope.Set != nil {
			w.Set = scope.Set.AppendJSON(nil)
		}
	}
	x.Scopes = append(x.Scopes, w)
}

// admitted adds the columns to read and the fields to answer, and whether and why a command
// does not write.
func (x *Explanation) admitted(t *facade.Traced) {
	x.Columns, x.Fields, x.Computed = append(x.Columns, t.Columns...), append(x.Fields, t.Fields...), append(x.Computed, t.Computed...)
	if t.Operation.Kind != catalog.Command {
		return
	}
	switch {
	case t.By == "remote":
		x.Written = notSent
	case t.By == "handler" && t.InTransaction:
		x.Written = runBack
	case t.By == "handler":
		x.Written = notRun
	case !t.Operation.Builtin:
	case t.DryRuns:
		x.Written = rolledBack
	default:
		x.Written = notAsked
	}
}
