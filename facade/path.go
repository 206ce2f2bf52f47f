package facade

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// Call carries one call through the whole house:
//
//	find      the operation behind entity.op                                    find.go
//	scope     the collectors: what this caller may touch and see                scope.go
//	admit     unknown keys refused, params, query and body judged, boundary.in
//	          decoded, lifecycle filled                                         admit.go
//	run       the built-in CRUD over the store, the author's handler, or the
//	          remote                                          crud.go, list.go, handler.go, remote.go
//	project   closed and hidden fields gone, boundary.out encoded, computed
//	          fields added                                                      egress.go
//
// A failure at any step leaves as an *Error that names entity and operation; a
// panic leaves as INTERNAL_ERROR. The middleware stands around the whole.
func (f *Facade) Call(ctx context.Context, c *Call) (res *Result, err error) {
	defer rescue(&res, &err)
	return f.entry.Call(ctx, c)
}

// walk is the path behind the middleware.
func (f *Facade) walk(ctx context.Context, c *Call) (res *Result, err error) {
	t := trip{facade: f, call: c}
	t.shown, ctx = f.seenFrom(ctx)
	t.told = explained(ctx)
	defer func() { err = t.name(err) }()
	defer rescue(&res, &err)

	err = t.find(ctx)
	if t.told != nil {
		t.explainFound()
	}
	if err != nil {
		return nil, err
	}
	if err := t.scope(ctx); err != nil {
		return nil, err
	}
	if err := t.admit(ctx); err != nil {
		return nil, err
	}
	if t.told != nil {
		t.explainSelection()
	}
	if t.rehearsal() {
		return &Result{Form: FormValue}, nil
	}
	if res, err = t.run(ctx); err != nil {
		return nil, err
	}
	if t.op.hooks != nil {
		t.runAfter(ctx, res)
	}
	if t.told != nil {
		t.told.Rows = res.Rows.Len()
	}
	return t.project(ctx, res)
}

// trip is one call on its way: what each step found out for the next.
type trip struct {
	facade *Facade
	call   *Call
	depth  int
	inside bool       // the author's own code is calling (see Inside)
	within *Operation // whose handler, hook or presenter is calling
	state  State
	at     time.Time    // of the call; see now
	shown  *Catalog     // what the surface shows that the call came in by
	told   *Explanation // of a call that is explained (see Explain)

	// find
	door *Door
	op   *Operation

	// scope
	see    *Scope           // of the door
	seeOut *Scope           // of the rows that are answered; see, where they are the door's own
	reach  map[*Door]*Scope // of doors that were looked at from here: a relation in a filter
	// asVersion is what the versions of rows are made of; nil: they may not be read.
	asVersion *Scope

	// admit
	details []schema.Detail // what is refused
	verdict *kiterror.Error // what is refused without a detail
	params  json.RawMessage // judged; of a handler's call also decoded and filled
	query   json.RawMessage
	body    schema.Object
	id      json.RawMessage
	list    listing
	each    *eachOf
	sel     *selection    // what is read, and what leaves
	cond    *Precondition // that the row is held to; nil: to nothing
	lent    *lent         // by the call that is handled, to the author's own code
	amended schema.Object // what hooks wrote over the body
	merging *merging      // of a patch that reaches into nested objects
	points  []Points      // relations of the body that the store has to follow

	// run
	before *Rows // the rows of a handler's answer, where they have crossed the boundary once
}

// run hands the admitted call to whoever answers the operation. The author's
// handler stands before the built-in one, save for the author's own code.
func (t *trip) run(ctx context.Context) (*Result, error) {
	switch {
	case t.away():
		return t.runAway(ctx)
	case t.handled():
		return t.handle(ctx)
	case t.op.builtin != nil:
		return t.op.builtin.run(t, ctx)
	}
	return nil, kiterror.Errorf(kiterror.NotImplemented, "%s.%s is declared and nothing answers it; attach a handler to it", t.door.Name, t.op.Name)
}

// handled says whether the author's handler answers the call.
func (t *trip) handled() bool {
	return !t.away() && t.op.handler != nil && !(t.inside && t.op.builtin != nil)
}

// name gives a failure its entity and operation, whatever its type was.
func (t *trip) name(err error) error {
	switch {
	case err == nil:
		return nil
	case t.op != nil:
		return kiterror.AsError(err).At(t.door.Name, t.op.Name).Masked()
	}
	return kiterror.AsError(err).At(t.call.Entity, t.call.Operation).Masked()
}

// rescue turns a panic into INTERNAL_ERROR; the stack is in its cause, which
// [Report] logs.
func rescue(res **Result, err *error) {
	if p := recover(); p != nil {
		*res, *err = nil, kiterror.Panicked(p)
	}
}
