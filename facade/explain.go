package facade

import (
	"context"
	"errors"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
)

// Explain makes a call and reports how it went, a failure included. Reads are made for
// real. Nothing is written: a store that is a [DryRunner] undoes its statements, another
// one is not called, and the handler of a command is not run. The Explanation is never
// nil; the error is the call's own.
func Explain(ctx context.Context, caller Caller, c *Call) (*Explanation, error) {
	return explain(ctx, caller, c, false)
}

// ExplainRun is Explain with the handlers of commands run, each in a transaction that is
// rolled back whole: what it wrote is there for its further calls, and then gone. What it
// does beside such calls happens. Handlers that are detached, and those over a store that
// is no [Transactor] and [DryRunner], are not run. Hooks are not run either.
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
	r, ok := x.host.store.(DryRunner)
	return e.handlers && ok && r.RunsDry()
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
func (e explainer) scoped(x *viewer, door *Door, op *Operation, s *Scope, err error) {
	w := Scoping{Door: door.Name, For: op.Name, At: "none"}
	switch r := door.collector.(type) {
	case nil:
	case *rules:
		w.At = r.file + "#" + r.at
		w.Rules = r.verdicts(x.state, op)
	default:
		w.At = goCode
	}
	if x.inside {
		w.At, w.Rules = "none: the author's own code calls", nil
	}
	if err != nil {
		w.Error = kiterror.AsError(err)
		if unset := (*unsetError)(nil); errors.As(err, &unset) {
			w.Why = unset.Error()
		}
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
	if x.op.Kind != Command {
		return false
	}
	r, ok := x.host.store.(DryRunner)
	switch {
	case x.runner.by() == byHandler && x.transaction != nil:
		e.Written = runBack
	case x.runner.by() == byHandler:
		e.Written, dry = notRun, true
	case x.op.builtin == nil:
	case ok && r.RunsDry():
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

// verdicts goes through the rules as Scope does, and reports what came of each.
func (r *rules) verdicts(state State, op *Operation) []RuleVerdict {
	given := r.given(state)
	out := make([]RuleVerdict, len(r.list))
	over := false
	for i, rule := range r.list {
		if rule.when != nil {
			out[i].When = rule.when.text
		}
		holds, err := false, error(nil)
		switch {
		case over:
			out[i].Verdict = "is not asked"
			continue
		case !rule.isFor(op.Name):
			out[i].Verdict = "is not for this operation"
			continue
		}
		holds, err = rule.holds(given)
		switch {
		case err != nil:
			out[i].Verdict, over = "fails: "+err.Error(), true
		case holds && !rule.permits(op):
			out[i].Verdict, over = "holds, and denies", true
		case holds:
			out[i].Verdict, over = "holds", true
		default:
			out[i].Verdict = "does not hold"
		}
	}
	return out
}
