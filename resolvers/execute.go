package resolvers

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
)

// executor executes plans over one schema. Its fields are set once; it may be used from many
// goroutines.
type executor struct {
	// Caller makes the calls. It is called from several goroutines at once.
	Caller facade.Caller
	// Schema, types and Report belong to one another: types are the object types of Schema.
	Schema *binding.Schema
	Types  *types
	Report *language.Reporter
	// MaxResponse is the limit of the response in bytes; negative means no limit. The rows of
	// one level may not come to more text either: they could not be written.
	MaxResponse int // bytes of an answer, negative: any number
}

// task is what one execution executes, and for whom. Ctx ends the calls; State is the
// caller's, which every call is made with; Trace goes into the log.
type task struct {
	// Ctx ends the calls. Its cause decides the error of a timeout, see
	// graphqlerror.ErrTimeout.
	Ctx context.Context
	// Vars are the coerced values of the operation's variables.
	Vars *language.Variables
	// State is the caller's: every call of the execution is made with it, so no field has more
	// rights than another.
	State   access.State
	Trace   string
	Account *budget.Account // the memory it holds; nil: unlimited
	// Mutation changes the effect of a full account: see Refused.
	Mutation bool
	// Serial has the calls of a level made one after the other.
	Serial bool
	// Event is the event that a subscription is executed for; nil for all other operations.
	Event *facade.Revealed
}

// execution is one operation being executed. The zero value is ready for Begin, and may be
// used again: it keeps the memory of its results. It belongs to one request at a time. Fetches
// of one level run in several goroutines, each of which writes only its own Result.
type execution struct {
	*executor
	task

	arguments atomic.Int64 // bytes of those with variables, see maxArguments

	decoded map[string]any  // the variables as Go values, once a hand-written field wants them
	loading context.Context // ctx with the request's loaders and trace

	base    run      // the run over the root that is under way
	results []result // of base; memory kept from one execution to the next
}

// Begin makes x an execution of t. Of the task before it reuses only memory.
func (x *execution) Begin(e *executor, t task) {
	*x = execution{executor: e, task: t, results: x.results}
}

// Forget drops the rows once they are written: a response may be sent slowly, and rows would
// be kept for as long.
func (x *execution) Forget() {
	all := x.results[:cap(x.results)]
	for i := range all {
		all[i].reset()
	}
	*x = execution{results: x.results}
}

// Size returns about how many bytes of memory x keeps after Forget, for a pool that bounds
// them.
func (x *execution) Size() (n int) {
	for i := range x.results[:cap(x.results)] {
		res := &x.results[:cap(x.results)][i]
		n += 8*cap(res.colBuf) + 4*cap(res.indexBuf)
	}
	return n
}

// prepare makes x.base a run over the root of an operation. The results of the run before it
// are used again: that one has been written.
func (x *execution) prepare(u *unit) *run {
	n := len(u.Fetches)
	if cap(x.results) < n {
		x.results = make([]result, n)
	}
	x.results = x.results[:n]
	for i := range x.results {
		x.results[i].reset()
	}
	x.base = run{Unit: u, Results: x.results}
	return &x.base
}

// run is a unit of a plan being executed, with the results of its fetches.
type run struct {
	Unit    *unit
	Results []result // by fetch
}

// result is the result of a fetch, for all its parents together. The rows stay in the result of
// the call; Index, order and Groups map them to parents:
//
//	parent i  ->  group Index[i]  ->  places From to To  ->  rows order[place]
//
// A nil Index is group 0 for all parents, a nil order the places themselves.
type result struct {
	rows    *rows.Rows
	cols    []int          // by slot, the column of the rows' layout; -1: there is none
	Items   int            // how many there are: rows, or values
	Groups  []facade.Group // each the answer to one key, or the one answer
	Index   []int32        // by parent, its group; -1: it has no key. nil: all have the first
	order   []int32        // where groups count places in here, the rows in them
	Repeats bool           // more refer to the rows than there are
	Value   json.RawMessage
	source  []any // the sources of hand-written fields, if they are not rows
	Trees   [][]tree

	Err       *language.Error           // the fetch failed
	cause     error                     // of Err, where the call failed
	GroupErrs map[int32]*language.Error // no answer for one parent
	Missing   []*language.Error         // by slot: why a computed field is in no row

	one      [1]facade.Group // groups, where there is one
	colBuf   []int           // for cols, from an earlier answer
	indexBuf []int32         // the buffer of index
}

// Run executes a unit over the root of the operation, which is one item without a row
// (ExecuteRootSelectionSet, GraphQL 6.3). The run is valid until the next one. Errors are in
// the results; Run itself does not fail.
func (x *execution) Run(u *unit) *run {
	if x.Mutation {
		x.Account.Forgive()
	}
	r := x.prepare(u)
	r.Results[0] = result{Items: 1, source: rootSource, Trees: make([][]tree, len(u.Fetches[0].Custom))}
	x.levels(r)
	return r
}

// rootSource is the Source of root fields, as graphql-go has it.
var rootSource = []any{map[string]any{}}

// levels executes the levels of a unit one after another. The calls of one level go out
// together. While they run, hand-registered fields are resolved. The thunks that they return
// run after the whole level is resolved.
func (x *execution) levels(r *run) {
	for i := range r.Unit.Levels {
		// An earlier level exceeded the budget: the response is refused anyway.
		if x.Refused() != nil {
			return
		}
		// Each level is measured on its own.
		x.Account.Level(x.MaxResponse)
		l := &r.Unit.Levels[i]
		if len(l.Fetches) > 1 || len(l.Custom) > 0 {
			x.together(r, l)
		} else if r.wanted(l.Fetches[0]) {
			x.fetch(r, l.Fetches[0])
		}
	}
}

// Refused returns why the execution stops reading, or nil. A query beyond the budget is refused
// as a whole. A mutation never is, since its effects have to be reported; only its further
// reads may be missing.
func (x *execution) Refused() *kiterror.Error {
	if x.Mutation {
		return nil
	}
	return x.Account.Refused()
}

// together executes one level: its last call, or its hand-written fields, in this goroutine,
// and every other call in one of its own.
func (x *execution) together(r *run, l *level) {
	var wait sync.WaitGroup
	defer wait.Wait() // in any case: the results belong to this request alone
	last := len(l.Fetches) - 1
	if len(l.Custom) > 0 {
		last++ // this goroutine has those
	}
	for j, f := range l.Fetches {
		if !r.wanted(f) {
			continue
		}
		if j == last || x.Serial {
			x.fetch(r, f)
			continue
		}
		wait.Go(func() {
			x.fetch(r, f)
		})
	}
	if len(l.Custom) > 0 {
		x.custom(r, l.Custom, &wait)
	}
}

// wanted reports whether a fetch has a parent to fetch for. Below a failed call, and without
// rows, it makes no call, nor for a list with a selection of groups alone.
func (r *run) wanted(f *fetch) bool {
	if f.grouped && !f.rows && !f.total {
		return false
	}
	// The parent is on an earlier level, so its result is complete.
	p := &r.Results[f.Parent.ID]
	return p.Err == nil && p.Items > 0
}

// fetch makes one call and keeps its result. A failure of the call fails every field that it is
// for; a panic of the caller is such a failure too.
func (x *execution) fetch(r *run, f *fetch) {
	res := &r.Results[f.ID]
	defer func() {
		if p := recover(); p != nil {
			*res = result{Err: x.Panicked(p)}
		}
	}()
	if ofEvent(f) {
		res.take(x, f, rowsOf(x.Event, f))
		return
	}
	in := f.Invocation(x.Vars)
	if in.Err != nil {
		res.Err = x.Failed(in.Err)
		return
	}
	// Constant invocations are not counted: their text is part of the document, which has its
	// own limit.
	if n := len(in.ID) + len(in.Params) + len(in.Query) + len(in.Body); in != f.Args.Constant && x.arguments.Add(int64(n)) > maxArguments {
		res.Err = language.ForLimit(language.CodeArguments, maxArguments, "The arguments of the operation's fields come to more than %d bytes; send a large variable to fewer of them.")
		return
	}
	// Partial: a computed field that fails is null with an error, and its row stays
	// (docs/decisions/graphql-schema.md).
	call := &calling{Call: facade.Call{
		Entity:     f.Entity,
		Operation:  f.Operation,
		Field:      f.Field,
		Invocation: facade.Invocation{ID: in.ID, Params: in.Params, Query: in.Query, Body: in.Body, State: x.State, Trace: x.Trace},
		Select:     f.Selects(),
		Cursors:    f.Cursors,
		NoCursors:  f.noCursors(),
		Behind:     f.Behind,
		Position:   f.Position,
		Partial:    true,
	}}
	if f.Each != "" {
		x.batch(r, f, res, call, in)
		return
	}
	out, err := x.Caller.Call(x.Ctx, &call.Call)
	if err != nil {
		res.Err, res.cause = x.Failed(err), err
		return
	}
	res.take(x, f, out)
}

// calling is a call with its keys in one allocation. It is not used again: the callee may
// keep it.
type calling struct {
	facade.Call
	each facade.Each
}

// maxArguments bounds the arguments of all calls of one operation, in bytes: a variable
// of a megabyte may be an argument of a thousand fields, and each call has its own text.
const maxArguments = 8 << 20

// take keeps the result of a call without Each. A value is read as rows where the operation
// names their card.
func (res *result) take(x *execution, f *fetch, out *facade.Result) {
	switch out.Form {
	case facade.FormValue:
		res.Value = out.Value
		if f.Binding.Output == nil {
			return
		}
		if !res.read(f, out.Value) {
			res.Err = x.Failed(errNotRows)
			return
		}
	default:
		res.lay(x, f, out)
		page := out.Page
		if out.Form == facade.FormRow || out.Form == facade.FormRows {
			page = facade.Page{Total: -1} // rows alone do not say whether there are rows before and after them
		}
		// One group for all parents, in memory that the Result has already.
		res.one[0] = facade.Group{To: res.Items, Page: page}
		res.Groups = res.one[:]
	}
}

// lay looks the columns up in the layout of the rows, once for all of them, and notes which
// computed fields failed.
func (res *result) lay(x *execution, f *fetch, out *facade.Result) {
	res.rows, res.Items = out.Rows, out.Rows.Len()
	res.Trees = make([][]tree, len(f.Custom))
	if res.rows == nil {
		return
	}
	res.cols = sized(&res.colBuf, len(f.Columns))
	// Rows of one result have one layout, so a column is looked up once and not for each row.
	layout := res.rows.Layout()
	for i, name := range f.Columns {
		res.cols[i] = layout.Index(name)
	}
	for _, failed := range out.Failed {
		if slot, ok := f.Slots[failed.Field]; ok {
			if res.Missing == nil {
				res.Missing = make([]*language.Error, len(f.Columns))
			}
			res.Missing[slot] = x.Failed(failed.Err)
		}
	}
}

// at returns the text of a column in a row, or nil where the row does not have it. The text is
// a part of the row and must not be changed.
func (res *result) at(row, slot int) json.RawMessage {
	col := res.cols[slot]
	if col < 0 {
		return nil
	}
	return res.rows.Row(row).At(col)
}

// Failed returns the error of a failed call, without its place. See [graphqlerror.Reporter].
func (x *execution) Failed(err error) *language.Error {
	return x.Report.Failed(x.Ctx, x.Trace, err)
}

// Panicked returns the error of a recovered panic.
func (x *execution) Panicked(p any) *language.Error { return x.Report.Panicked(x.Ctx, x.Trace, p) }

// broken returns the error of a value that does not fit its type; message may be sent.
func (x *execution) broken(message string) *language.Error {
	return x.Report.Broken(x.Ctx, x.Trace, message)
}

// reset empties a result and keeps its memory: the columns and the index of the next answer
// fit in it.
func (res *result) reset() { *res = result{colBuf: res.colBuf, indexBuf: res.indexBuf} }

// sized returns a list of n elements in buf, which grows if it has to. The elements are not
// cleared.
func sized[T int | int32](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
	}
	return (*buf)[:n]
}

// place returns the row at a place of a group.
func (res *result) place(i int) int {
	if res.order != nil {
		return int(res.order[i])
	}
	return i
}
