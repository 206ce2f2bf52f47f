package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// Explanation is how one call went, step by step (decision 117). It tells an
// author everything, hidden fields and other people's rules among it: it is for a
// terminal and never for a caller.
type Explanation struct {
	Entity    string          `json:"entity"`
	Operation string          `json:"operation"`
	Frond     string          `json:"frond,omitempty"` // "": there is no such operation
	Kind      Kind            `json:"kind,omitempty"`
	By        string          `json:"by,omitempty"` // who answers: store, handler, remote, nobody
	Scopes    []Scoping       `json:"scopes"`       // the collectors that were asked, in their order
	Columns   []string        `json:"columns"`      // what is read of the rows
	Fields    []string        `json:"fields"`       // what leaves of them, computed fields among it
	Computed  []string        `json:"computed"`     // the computed ones
	Store     []*StoreCall    `json:"store"`        // what the store was asked
	Written   string          `json:"written"`      // of a command: why nothing is; "" of a query
	Rows      int             `json:"rows"`         // of the answer
	Error     *kiterror.Error `json:"error,omitempty"`
	// Calls are those that handlers and presenters made on the way.
	Calls []*Explanation `json:"calls,omitempty"`
}

// Scoping is one collector's word on one door.
type Scoping struct {
	Door     string          `json:"door"`
	For      string          `json:"for"`             // the operation it was asked about
	At       string          `json:"at"`              // where it is declared; Go code; none
	Rules    []RuleVerdict   `json:"rules,omitempty"` // of a frond.yaml, in their order
	Rows     json.RawMessage `json:"rows,omitempty"`  // the filter; absent: all rows
	Hide     []string        `json:"hide,omitempty"`
	ReadOnly []string        `json:"readOnly,omitempty"` // fields that are seen and cannot be sent
	Set      json.RawMessage `json:"set,omitempty"`
	Error    *kiterror.Error `json:"error,omitempty"` // who is turned away, and how
}

// RuleVerdict is one rule and what came of it.
type RuleVerdict struct {
	When    string `json:"when"`    // the expression; "": always
	Verdict string `json:"verdict"` // holds, does not hold, is not for this operation, fails: …, is not asked
}

// StoreCall is one question to the store.
type StoreCall struct {
	Does       string          `json:"does"` // find, insert, update, delete, read
	Entity     string          `json:"entity"`
	Filter     json.RawMessage `json:"filter,omitempty"` // what the rows have to meet
	Columns    []string        `json:"columns,omitempty"`
	Statements []Statement     `json:"statements"`
	Note       string          `json:"note,omitempty"`
}

// The words of Explanation.Written.
const (
	rolledBack = "the statement ran and was undone"
	notAsked   = "the store was not asked: it cannot undo"
	notRun     = "the author's handler was not run"
)

// Explain makes a call and tells how it went, the failure included. Reads are made
// for real. Nothing is written: a store that can undoes its statement, another is
// not asked, and the handler of a command is not run. The Explanation is never
// nil; the error is the call's own.
func Explain(ctx context.Context, caller Caller, c *Call) (*Explanation, error) {
	x := &explaining{}
	_, err := caller.Call(context.WithValue(Rehearse(ctx), explainingKey{}, x), c)
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

type explainingKey struct{}

// explaining collects the calls that are made within one.
type explaining struct {
	mu    sync.Mutex
	calls []*Explanation
}

// explained begins the explanation of a trip, where its context asks for one.
func explained(ctx context.Context) *Explanation {
	x, _ := ctx.Value(explainingKey{}).(*explaining)
	if x == nil {
		return nil
	}
	e := &Explanation{Scopes: []Scoping{}, Columns: []string{}, Fields: []string{}, Computed: []string{}, Store: []*StoreCall{}}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls = append(x.calls, e)
	return e
}

// explainFound tells the first step.
func (t *trip) explainFound() {
	x := t.told
	x.Entity, x.Operation = t.call.Entity, t.call.Operation
	if t.op == nil {
		return
	}
	x.Entity, x.Operation, x.Frond, x.Kind = t.door.Name, t.op.Name, t.door.Frond.Name, t.op.Kind
	switch {
	case t.away():
		x.By = "remote"
	case t.handled():
		x.By = "handler"
	case t.op.builtin != nil:
		x.By = "store"
	default:
		x.By = "nobody"
	}
}

// explainScope tells what a collector said.
func (t *trip) explainScope(door *Door, op *Operation, s *Scope, err error) {
	w := Scoping{Door: door.Name, For: op.Name, At: "none"}
	switch r := door.collector.(type) {
	case nil:
	case *rules:
		w.At = r.file + "#" + r.at
		w.Rules = r.verdicts(t.state, op)
	default:
		w.At = goCode
	}
	if t.inside {
		w.At, w.Rules = "none: the author's own code calls", nil
	}
	if err != nil {
		w.Error = kiterror.AsError(err)
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
	t.told.Scopes = append(t.told.Scopes, w)
}

// verdicts goes through the rules as Scope does, and says what came of each.
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

// explainSelection tells what is read and what leaves.
func (t *trip) explainSelection() {
	if t.sel == nil {
		return
	}
	t.told.Columns = append(t.told.Columns, t.sel.stored.Fields...)
	t.told.Fields = append(t.told.Fields, t.sel.out.Fields...)
	for _, c := range t.sel.computed {
		t.told.Computed = append(t.told.Computed, c.Name)
	}
}

// rehearsal says whether the run of an explained call is left out, and why.
func (t *trip) rehearsal() (left bool) {
	if t.told == nil || t.op.Kind != Command {
		return false
	}
	r, ok := t.facade.store.(Rehearser)
	switch {
	case t.handled():
		t.told.Written, left = notRun, true
	case t.op.builtin == nil:
	case ok && r.Rehearses():
		t.told.Written = rolledBack
	default:
		t.told.Written = notAsked
	}
	return left
}

// explainedStore is the store of an explained call: it tells what it is asked.
type explainedStore struct {
	Store
	told *Explanation
}

func (s explainedStore) asked(ctx context.Context, does string, e *schema.Entity, where *Filter, sel *Layout) (context.Context, *StoreCall) {
	c := &StoreCall{Does: does, Entity: e.Name, Statements: []Statement{}}
	if where != nil {
		c.Filter = where.AppendJSON(nil)
	}
	if sel != nil {
		c.Columns = sel.Fields
	}
	s.told.Store = append(s.told.Store, c)
	return Observe(ctx, func(st Statement) { c.Statements = append(c.Statements, st) }), c
}

// writes says whether the store may be asked to write.
func (s explainedStore) writes(c *StoreCall) bool {
	if r, ok := s.Store.(Rehearser); ok && r.Rehearses() {
		return true
	}
	c.Note = notAsked
	return false
}

func (s explainedStore) Find(ctx context.Context, q *Find) (*Found, error) {
	ctx, c := s.asked(ctx, "find", q.Entity, q.Where, q.Select)
	if q.Each != nil {
		c.Note = fmt.Sprintf("for %d values of %s", len(q.Each.Values), q.Each.Field.Name)
	}
	return s.Store.Find(ctx, q)
}

func (s explainedStore) Insert(ctx context.Context, e *schema.Entity, rows []Record, terms *Terms, sel *Layout) (*Rows, error) {
	ctx, c := s.asked(ctx, "insert", e, nil, sel)
	if !s.writes(c) {
		return NewRows(sel, 0), nil
	}
	return s.Store.Insert(ctx, e, rows, terms, sel)
}

func (s explainedStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *Filter, set Record, terms *Terms, sel *Layout) (*Rows, error) {
	does := "update"
	if len(set) == 0 {
		does = "read"
	}
	ctx, c := s.asked(ctx, does, e, where, sel)
	if len(set) > 0 && !s.writes(c) {
		set, terms = nil, nil // the row as it is
	}
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

func (s explainedStore) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *Filter, terms *Terms) (bool, error) {
	ctx, c := s.asked(ctx, "delete", e, where, nil)
	if !s.writes(c) {
		return true, nil
	}
	return s.Store.Delete(ctx, e, id, where, terms)
}
