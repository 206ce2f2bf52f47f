package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Explain makes a call and reports how it went, a failure included. Reads are made for
// real. Nothing is written: a store with [Abilities.DryRuns] undoes its statements, another
// one is not called, and the handler of a command is not run. The Explanation is never
// nil; the error is the call's own.
func Explain(ctx context.Context, caller Caller, c *Call) (*Explanation, error) {
	return explain(ctx, caller, c, false)
}

// ExplainRun is Explain with the handlers of commands run, each in a transaction that is
// rolled back whole: its writes are there for its further calls, and then gone. What it
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

// admitted reports the columns that are read and the fields that leave, and whether and why the run of a
// command is left out.
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
	// Scopes are the answers of the collectors, in their order.
	Scopes []Scoping `json:"scopes"`
	// Columns are the columns that are read of the rows.
	Columns []string `json:"columns"`
	// Fields are what leaves of the rows, Computed those of them that are computed.
	Fields   []string `json:"fields"`
	Computed []string `json:"computed"`
	// Store are the calls of the store and of remotes.
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

// explainedStore is the store of an explained call: it records its calls, and
// does not write where that could not be undone.
type explainedStore struct {
	Store
	explanation *Explanation
}

// asked records a call of the store, and has its statements recorded.
func (s explainedStore) asked(ctx context.Context, does string, e *schema.Entity, where *filter.Filter, sel *rows.Layout) (context.Context, *StoreCall) {
	c := &StoreCall{Does: does, Entity: e.Name, Statements: []Statement{}}
	if where != nil {
		c.Filter = where.AppendJSON(nil)
	}
	if sel != nil {
		c.Columns = sel.Fields
	}
	s.explanation.Store = append(s.explanation.Store, c)
	return ObservePlans(ctx, func(st Statement) { c.Statements = append(c.Statements, st) }), c
}

// writes reports whether the store can be called to write: whether it undoes a dry run.
func (s explainedStore) writes(c *StoreCall) bool {
	if s.Abilities().DryRuns {
		return true
	}
	c.Note = notAsked
	return false
}

// Find implements [Store].
func (s explainedStore) Find(ctx context.Context, q *Find) (*Found, error) {
	ctx, c := s.asked(ctx, "find", q.Entity, q.condition(), q.Select)
	if q.Each != nil {
		c.Note = fmt.Sprintf("for %d values of %s", len(q.Each.Values), q.Each.Field.Name)
	}
	found, err := s.Store.Find(ctx, q)
	if reads := func(st Statement) bool {
		return st.Plan != nil && slices.ContainsFunc(st.Plan.Scans, func(s Scan) bool { return s.Whole })
	}; slices.ContainsFunc(c.Statements, reads) {
		c.Index = missingIndex(q)
	}
	return found, err
}

// missingIndex says which index would spare a read that goes through a whole table or sorts; "":
// none that is known. It is the first field of these without one: that of the keys, those that
// the filter compares, the first of the order.
func missingIndex(q *Find) string {
	var fields []*schema.Property
	if q.Each != nil {
		fields = append(fields, q.Each.Field)
	}
	fields = append(fields, compared(nil, q.condition())...)
	if len(q.Sort) > 0 {
		fields = append(fields, q.Sort[0].Field)
	}
	for _, p := range fields {
		switch {
		case p == p.Owner.Primary || !p.Stored:
		case p.Owner.Table != nil: // another program's, whose indexes are not those of the card
			return fmt.Sprintf("CREATE INDEX ON %s (%s)", p.Owner.Table.Name, p.Owner.Table.Column(p.Name))
		case p.Axes.Index || p.Link != nil && !p.Link.Many || slices.ContainsFunc(p.Owner.Uniques, func(u []*schema.Property) bool { return u[0] == p }):
		default:
			return fmt.Sprintf("write x-kit: {role: {index: true}} at the field %s of the card %s", p.Name, p.Owner.Name)
		}
	}
	return ""
}

// compared appends the fields whose values a filter compares in a way that an index helps with.
func compared(all []*schema.Property, f *filter.Filter) []*schema.Property {
	if f == nil {
		return all
	}
	switch f.Op {
	case filter.Eq, filter.In, filter.Lt, filter.Lte, filter.Gt, filter.Gte, filter.StartsWith, filter.IsNull:
		all = append(all, f.Field)
	case filter.And, filter.Some:
		for _, sub := range f.Sub {
			all = compared(all, sub)
		}
	}
	return all
}

// Insert implements [Store].
func (s explainedStore) Insert(ctx context.Context, e *schema.Entity, found []Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
	ctx, c := s.asked(ctx, "insert", e, nil, sel)
	if !s.writes(c) {
		return rows.New(sel, 0), nil
	}
	return s.Store.Insert(ctx, e, found, terms, sel)
}

// Update implements [Store]. A write that cannot be undone reads the row instead.
func (s explainedStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
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

// Delete implements [Store].
func (s explainedStore) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *Terms) (bool, error) {
	ctx, c := s.asked(ctx, "delete", e, where, nil)
	if !s.writes(c) {
		return true, nil
	}
	return s.Store.Delete(ctx, e, id, where, terms)
}

// explainedRemote records the calls to a remote.
type explainedRemote struct {
	Caller
	explanation *Explanation
	to          string
}

// Call implements [Caller].
func (c explainedRemote) Call(ctx context.Context, call *Call) (*Result, error) {
	c.explanation.Store = append(c.explanation.Store, &StoreCall{
		Does: "send", Entity: call.Entity + "." + call.Operation, Filter: jsontext.Get(call.Invocation.Query, "filter"),
		Columns: call.Select, Statements: []Statement{}, Note: "to " + c.to,
	})
	return c.Caller.Call(ctx, call)
}
