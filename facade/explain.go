package facade

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Explain makes a call and reports how it went, a failure included. Reads are made for
// real. Nothing is written: a store with [Abilities.DryRuns] undoes its statements, another
// one is not called, and the handler of a command is not run. The Explanation is never
// nil; the error is the call's own.
func Explain(ctx context.Context, caller Caller, c *Call) (*Explanation, error) {
	return explain(ctx, caller, c, false)
}

// ExplainRun is Explain with the handlers of commands run, each in a transaction that is
// rolled back whole: what it wrote is there for its further calls, and then gone. What it
// does beside such calls happens. Handlers that are detached, and those over a store that
// has no transactions or no dry runs ([Abilities]), are not run. Hooks are not run either.
func ExplainRun(ctx context.Context, caller Caller, c *Call) (*Explanation, error) {
	return explain(ctx, caller, c, true)
}

// explain is Explain and ExplainRun; handlers says that those of commands run.
func explain(ctx context.Context, caller Caller, c *Call, handlers bool) (*Explanation, error) {
	x := &explaining{handlers: handlers}
	_, err := caller.Call(context.WithValue(DryRun(ctx), watchKey{}, &watching{begin: x.begin}), c)
	root := &Explanation{Entity: c.Entity, Operation: c.Operation}
	if len(x.calls) > 0 {
		root = x.calls[0]
		root.Calls = x.calls[1:]
	}
	if err != nil {
		root.Error = kiterror.AsError(err)
		return root, root.Error
	}
	return root, nil
}

// explaining collects the explanations of a call and of the calls that are made within it.
type explaining struct {
	handlers bool // those of commands run

	mu    sync.Mutex
	calls []*Explanation
}

// begin begins the explanation of one execution.
func (x *explaining) begin() observer {
	e := &Explanation{Scopes: []Scoping{}, Columns: []string{}, Fields: []string{}, Computed: []string{}, Store: []*StoreCall{}}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls = append(x.calls, e)
	return explainer{e, x.handlers}
}

// explainer is the [observer] that writes an explanation.
type explainer struct {
	*Explanation
	handlers bool
}

// runs implements [observer].
func (e explainer) runs(x *execution) bool {
	return e.handlers && x.host.dryRuns
}

// tried implements [observer].
func (e explainer) tried(tries int) { e.Tries = tries }

// announced implements [observer].
func (e explainer) announced(events []Event) {
	for i := range events {
		e.Facts = append(e.Facts, events[i].Frond+"."+events[i].Name)
	}
}

// found implements [observer].
func (e explainer) found(t *execution) {
	x := e.Explanation
	x.Entity, x.Operation = t.call.Entity, t.call.Operation
	if t.op != nil {
		x.Entity, x.Operation, x.Frond, x.Kind, x.By = t.door.Name, t.op.Name, t.door.Frond.Name, t.op.Kind, string(t.runner.by())
	}
}

// scoped implements [observer]. A collector that Go code attaches says what it does by its
// result alone; rules are listed one by one.
func (e explainer) scoped(x *viewer, door *boundDoor, op *catalog.Operation, s *access.Scope, err error) {
	w := Scoping{Door: door.Name, For: op.Name, At: "none"}
	if door.collector != nil {
		w.At = "Go code"
	}
	if at, verdicts, ok := access.VerdictsOf(door.collector, x.state, op); ok {
		w.At, w.Rules = at, verdicts
	}
	if x.inside {
		w.At, w.Rules = "none: the author's own code calls", nil
	}
	if err != nil {
		w.Error = kiterror.AsError(err)
		w.Why = access.Unset(err)
	}
	if s != nil && err == nil {
		if s.Rows != nil {
			w.Rows = s.Rows.AppendJSON(nil)
		}
		w.Hide, w.ReadOnly = s.Hide, s.ReadOnly
		if s.Set != nil {
			w.Set = s.Set.AppendJSON(nil)
		}
	}
	e.Scopes = append(e.Scopes, w)
}

// admitted says what is read and what leaves, and whether the run of a command is left out,
// and why.
func (e explainer) admitted(x *execution) (dry bool) {
	if x.sel != nil {
		e.Columns = append(e.Columns, x.sel.stored.Fields...)
		e.Fields = append(e.Fields, x.sel.out.Fields...)
		for _, c := range x.sel.computed {
			e.Computed = append(e.Computed, c.Name)
		}
	}
	if x.op.Kind != catalog.Command {
		return false
	}
	switch {
	case x.runner.by() == byHandler && x.transaction != nil:
		e.Written = runBack
	case x.runner.by() == byHandler:
		e.Written, dry = notRun, true
	case x.op.builtin == nil:
	case x.host.dryRuns:
		e.Written = rolledBack
	default:
		e.Written = notAsked
	}
	return dry
}

// answered implements [observer].
func (e explainer) answered(res *Result) { e.Rows = res.Rows.Len() }

// store implements [observer].
func (e explainer) store(s Store) Store { return explainedStore{s, e.Explanation} }

// remote implements [observer].
func (e explainer) remote(c Caller, address string) Caller {
	return explainedRemote{c, e.Explanation, address}
}

// Explanation is how one call went, step by step (docs/decisions/settings-and-commands.md). It holds everything,
// hidden fields and the rules of others among it: it is for the author's terminal and
// never for a caller.
type Explanation struct {
	Entity    string `json:"entity"`
	Operation string `json:"operation"`
	// Frond is "" where there is no such operation.
	Frond string       `json:"frond,omitempty"`
	Kind  catalog.Kind `json:"kind,omitempty"`
	// By is who answers: store, handler, remote or nobody.
	By string `json:"by,omitempty"`
	// Scopes are what the collectors answered, in their order.
	Scopes []Scoping `json:"scopes"`
	// Columns are what is read of the rows.
	Columns []string `json:"columns"`
	// Fields are what leaves of the rows, Computed those of them that are computed.
	Fields   []string `json:"fields"`
	Computed []string `json:"computed"`
	// Store are the calls of the store, and what is sent to remotes.
	Store []*StoreCall `json:"store"`
	// Tries is how often a command ran that is a transaction; 0 where it is none or was not
	// run. Calls are those of all tries.
	Tries int `json:"tries,omitempty"`
	// Written is why a command writes nothing; "" for a query.
	Written string `json:"written"`
	// Facts are those that a command would emit, as FROND.NAME.
	Facts []string `json:"facts,omitempty"`
	// Rows is how many rows the answer has.
	Rows  int             `json:"rows"`
	Error *kiterror.Error `json:"error,omitempty"`
	// Calls are those that handlers and presenters made on the way.
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

// StoreCall is one call of the store, or one call that was sent to a remote.
type StoreCall struct {
	Does       string          `json:"does"` // find, insert, update, delete, read
	Entity     string          `json:"entity"`
	Filter     json.RawMessage `json:"filter,omitempty"` // what the rows have to meet
	Columns    []string        `json:"columns,omitempty"`
	Statements []Statement     `json:"statements"`
	// Index is the index that would spare a scan of a whole table, or a sort; "": none is known.
	Index string `json:"index,omitempty"`
	Note  string `json:"note,omitempty"`
}

// The words of Explanation.Written.
const (
	rolledBack = "the statement ran and was undone"
	notAsked   = "the store was not asked: it cannot undo"
	notRun     = "the author's handler was not run"
	runBack    = "the author's handler ran, and its transaction was rolled back"
)
