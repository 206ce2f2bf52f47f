package resolvers

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// exec is one request being executed.
type exec struct {
	e     *Engine
	ctx   context.Context
	vars  *variables
	state facade.State
	trace string
	room  *buffer // of the answer

	account  *facade.Account // what it holds; nil: nothing is bounded
	mutation bool

	arguments atomic.Int64 // bytes of those with variables, see maxArguments

	decoded map[string]any  // the variables as Go values, once a hand-written field wants them
	loading context.Context // ctx with the request's loaders, likewise
}

// run is a unit being executed: what its fetches gave.
type run struct {
	unit *unit
	res  []result // by fetch
}

// result is what a fetch gave, for all its parents together. The rows stay where
// the call put them; the rest says which are whose.
type result struct {
	rows    *facade.Rows
	cols    []int          // by slot, the column of the rows' layout; -1: there is none
	items   int            // how many there are: rows, or values
	groups  []facade.Group // each the answer to one key, or the one answer
	index   []int32        // by parent, its group; -1: it has no key. nil: all have the first
	order   []int32        // where groups count places in here, the rows in them
	repeats bool           // more refer to the rows than there are
	value   json.RawMessage
	source  []any // what hand-written fields stand on, where it is not rows
	trees   [][]tree

	fault   *graphqlerror.Error           // nothing is there
	faults  map[int32]*graphqlerror.Error // no answer for one parent
	missing []*graphqlerror.Error         // by slot: why a computed field is in no row

	one       [1]facade.Group // groups, where there is one
	colRoom   []int           // for cols, from an earlier answer
	indexRoom []int32         // likewise for index
}

// run executes an operation and writes its answer, which closes the account when it is
// released.
func (e *Engine) run(ctx context.Context, account *facade.Account, op *operation, vars *variables, r *Request) (resp *Response) {
	defer func() {
		if resp == nil { // it panicked, or its goroutine was ended
			account.Close()
		}
	}()
	p := op.plan(e, vars)
	b := newBuffer()
	defer b.forget()
	b.exec = exec{e: e, ctx: ctx, vars: vars, state: r.State, trace: r.Trace, room: b, account: account, mutation: p.mutation}
	w := &writer{x: &b.exec, buffer: b, limit: e.limits.Response, kept: cap(b.text)}
	resp = w.response(p)
	resp.account = account
	account.Keep(cap(resp.Body)) // the rows are written
	account.End()
	return resp
}

// root runs a unit over the operation's root, which is one item without a row.
func (x *exec) root(u *unit) *run {
	if x.mutation {
		x.account.Forgive()
	}
	r := x.room.run(u)
	r.res[0] = result{items: 1, source: rootSource, trees: make([][]tree, len(u.fetches[0].written))}
	x.levels(r)
	return r
}

// rootSource is what graphql-go gives root fields to stand on.
var rootSource = []any{map[string]any{}}

// levels does what a unit's items ask for, level by level: the calls of one level
// go out together, hand-written fields are resolved meanwhile, and the thunks they
// gave run when all of the level has been resolved.
func (x *exec) levels(r *run) {
	for i := range r.unit.levels {
		if x.refused() != nil {
			return
		}
		x.account.Level(x.e.limits.Response)
		l := &r.unit.levels[i]
		if len(l.fetches) > 1 || len(l.written) > 0 {
			x.together(r, l)
		} else if r.wanted(l.fetches[0]) {
			x.fetch(r, l.fetches[0])
		}
	}
}

// refused is why nothing more is read, or nil: a query that there is no room for is
// refused whole. Of a mutation what was done is answered, and only what is read for it
// beside may be missing.
func (x *exec) refused() *facade.Error {
	if x.mutation {
		return nil
	}
	return x.account.Refused()
}

func (x *exec) together(r *run, l *level) {
	var wait sync.WaitGroup
	defer wait.Wait() // whatever happens: the results have their place for this request alone
	last := len(l.fetches) - 1
	if len(l.written) > 0 {
		last++ // this goroutine has those
	}
	for j, f := range l.fetches {
		if !r.wanted(f) {
			continue
		}
		if j == last {
			x.fetch(r, f)
			continue
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			x.fetch(r, f)
		}()
	}
	if len(l.written) > 0 {
		x.written(r, l.written, &wait)
	}
}

// wanted says whether a fetch has a parent to fetch for.
func (r *run) wanted(f *fetch) bool {
	p := &r.res[f.parent.id]
	return p.fault == nil && p.items > 0
}

// fetch makes one call and keeps its answer.
func (x *exec) fetch(r *run, f *fetch) {
	res := &r.res[f.id]
	defer func() {
		if p := recover(); p != nil {
			*res = result{fault: x.panicked(p)}
		}
	}()
	in := f.invocation(x.vars)
	if in.err != nil {
		res.fault = x.failed(in.err)
		return
	}
	if n := len(in.params) + len(in.query) + len(in.body); in != f.args.constant && x.arguments.Add(int64(n)) > maxArguments {
		res.fault = graphqlerror.ForLimit(graphqlerror.CodeArguments, maxArguments, "The arguments of the operation's fields come to more than %d bytes; send a large variable to fewer of them.")
		return
	}
	call := &calling{Call: facade.Call{
		Entity:     f.entity,
		Operation:  f.op,
		Invocation: facade.Invocation{Params: in.params, Query: in.query, Body: in.body, State: x.state, Trace: x.trace},
		Select:     f.selects(),
		Cursors:    f.cursors,
		Behind:     f.behind,
		Partial:    true,
	}}
	if f.each != "" {
		x.batch(r, f, res, call, in)
		return
	}
	out, err := x.e.caller.Call(x.ctx, &call.Call)
	if err != nil {
		res.fault = x.failed(err)
		return
	}
	res.take(x, f, out)
}

// calling is a call with room for its keys, in one piece: whoever is called may keep it.
type calling struct {
	facade.Call
	each facade.Each
}

// take keeps the answer of a call without Each.
func (res *result) take(x *exec, f *fetch, out *facade.Result) {
	switch out.Form {
	case facade.FormValue:
		res.value = out.Value
		if f.binding.Output == nil {
			return
		}
		if !res.read(f, out.Value) {
			res.fault = x.failed(errNotRows)
			return
		}
	default:
		res.lay(x, f, out)
		page := out.Page
		if out.Form != facade.FormPage {
			page = facade.Page{Total: -1} // rows alone say nothing of what is around them
		}
		res.one[0] = facade.Group{To: res.items, Page: page}
		res.groups = res.one[:]
	}
}

// lay looks the columns up in the layout of the rows, once for all of them.
func (res *result) lay(x *exec, f *fetch, out *facade.Result) {
	res.rows, res.items = out.Rows, out.Rows.Len()
	res.trees = make([][]tree, len(f.written))
	if res.rows == nil {
		return
	}
	res.cols = sized(&res.colRoom, len(f.columns))
	layout := res.rows.Layout()
	for i, name := range f.columns {
		res.cols[i] = layout.Index(name)
	}
	for _, failed := range out.Failed {
		if slot, ok := f.slots[failed.Field]; ok {
			if res.missing == nil {
				res.missing = make([]*graphqlerror.Error, len(f.columns))
			}
			res.missing[slot] = x.failed(failed.Err)
		}
	}
}

// at is the text of a column in a row, or nil.
func (res *result) at(row, slot int) json.RawMessage {
	col := res.cols[slot]
	if col < 0 {
		return nil
	}
	return res.rows.Row(row).At(col)
}

func (x *exec) failed(err error) *graphqlerror.Error { return x.e.report.Failed(x.ctx, x.trace, err) }
func (x *exec) panicked(p any) *graphqlerror.Error   { return x.e.report.Panicked(x.ctx, x.trace, p) }
func (x *exec) broken(message string) *graphqlerror.Error {
	return x.e.report.Broken(x.ctx, x.trace, message)
}
