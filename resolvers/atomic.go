package resolvers

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/language"
)

// Transactor makes the calls of a mutation with @atomic one transaction.
type Transactor interface {
	// Joins returns why an operation cannot be part of a transaction, or nil. A caller without the right to
	// it is refused before the transaction begins.
	Joins(ctx context.Context, state access.State, entity, operation string) error
	// PassesOn reports whether calls are made by another host, all of them ([facade.Facade.PassesOn]).
	PassesOn(calls []*facade.Call) (bool, error)
	// PassOn has that host make them as one transaction. The error has the index of the call that failed.
	PassOn(ctx context.Context, calls []*facade.Call) ([]*facade.Result, error)
	// PassRehearsal has it make them as the words say ([rehearse.PassOn]).
	PassRehearsal(ctx context.Context, w catalog.Words, calls []*facade.Call) (*rehearse.Rehearsal, []*facade.Result, error)
	// Together runs fn as one transaction ([facade.Facade.Together]). fn may run again.
	Together(ctx context.Context, trace string, fn func(ctx context.Context) error) error
	// Rehearse makes calls, which fn makes, as the words say ([rehearse.Run]). fn may run again.
	Rehearse(ctx context.Context, w catalog.Words, state access.State, trace string, calls []*facade.Call, fn func(ctx context.Context) error) (*rehearse.Rehearsal, error)
}

// errFell is the error of a root field that is null because of an error below it.
var errFell = errors.New("a root field of an atomic mutation is null because of an error")

// transacted is a mutation with @atomic being executed.
type transacted struct {
	x        *execution
	executor *executor // of x
	by       Transactor
	w        *writer
	task     task
	plan     *plan
	words    catalog.Words
	text     []byte

	at       int             // the unit that is executed; -1: none
	fell     *language.Error // of that unit
	why      error           // of fell
	tooLarge error           // the response would be larger than it may be
}

// runAtomic executes a mutation with @atomic, @rehearse or @approve, for which x and w have begun,
// and returns its response. Without by it is refused. The root fields, with everything below them,
// are one transaction. If one of them is null because of an error, the transaction is rolled back,
// all of them are null, and the response has that error alone. err is the error of [writer.End].
func runAtomic(x *execution, w *writer, p *plan, words catalog.Words, by Transactor) (text []byte, err error) {
	a := &transacted{x: x, executor: x.executor, w: w, by: by, task: x.task, plan: p, words: words}
	if err = a.joins(); err == nil {
		err = a.together()
	}
	switch {
	case err == nil:
		return a.text, nil
	case a.tooLarge != nil && errors.Is(err, a.tooLarge):
		return nil, a.tooLarge
	case a.why == nil: // the transaction failed, or cannot be one
		a.fell = x.Failed(err)
	case !errors.Is(err, a.why):
		a.fell, a.at = x.Failed(err), -1
	}
	return a.nulls(), nil
}

// joins returns why the root fields cannot be one transaction, or nil.
func (a *transacted) joins() error {
	for i, u := range a.plan.Units {
		a.at = i
		switch call := u.call(); {
		case len(u.Fetches[0].Custom) > 0:
			return kiterror.Errorf(kiterror.NotImplemented, "Mutation.%s is answered by code of the program; send it without @atomic", u.Selection.Fields[0].AST.Name)
		case a.by == nil:
			return kiterror.Errorf(kiterror.NotImplemented, "this host makes no transactions of several calls; send the mutation without @atomic")
		case call != nil:
			if err := a.by.Joins(a.x.Ctx, a.task.State, call.Entity, call.Operation); err != nil {
				return err
			}
		}
	}
	a.at = -1
	return nil
}

// together executes the units as one transaction of this host, or of the one that all calls are for.
func (a *transacted) together() error {
	var named []*facade.Call
	for _, u := range a.plan.Units {
		if call := u.call(); call != nil {
			named = append(named, &facade.Call{Entity: call.Entity, Operation: call.Operation})
		}
	}
	there, err := a.by.PassesOn(named)
	if err != nil {
		return a.ofCall(err)
	}
	switch {
	case a.words.Rehearse && a.words.Approve != "":
		return kiterror.Errorf(kiterror.BadRequest, "the mutation has both @rehearse and @approve; send one of the two")
	case !there && !a.words.Any():
		return a.by.Together(a.x.Ctx, a.x.Trace, a.run)
	case there:
		err = a.readsElsewhere()
	}
	if err != nil {
		return err
	}
	calls, err := a.calls()
	if err != nil {
		return err
	}
	var found *rehearse.Rehearsal
	var results []*facade.Result
	switch {
	case !there:
		found, err = a.by.Rehearse(a.task.Ctx, a.words, a.task.State, a.task.Trace, calls, a.run)
	case a.words.Any():
		found, results, err = a.by.PassRehearsal(a.task.Ctx, a.words, calls)
	default:
		results, err = a.by.PassOn(a.task.Ctx, calls)
	}
	if there {
		if err == nil {
			err = a.write(results)
		} else {
			err = a.ofCall(err)
		}
	}
	if err == nil && found != nil {
		a.text = append(a.text[:len(a.text)-1], `,"extensions":{"rehearsal":`...)
		a.text = append(found.AppendJSON(a.text, nil), "}}"...)
		a.w.text = a.text
	}
	return err
}

// readsElsewhere returns why the units cannot be executed at another host, or nil.
func (a *transacted) readsElsewhere() error {
	for i, u := range a.plan.Units {
		if a.at = i; len(u.Fetches) > 2 {
			return kiterror.Errorf(kiterror.NotImplemented, "Mutation.%s cannot be part of a transaction at another host: it reads %s; leave it out, or send the mutation without @atomic", u.Selection.Fields[0].AST.Name, u.Fetches[2].Field)
		}
	}
	a.at = -1
	return nil
}

// calls returns the calls of the root fields, in their order, without making them. The error comes from their
// arguments.
func (a *transacted) calls() (calls []*facade.Call, err error) {
	none := rows.New(rows.NewLayout(nil), 0)
	a.begin(facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		calls = append(calls, c)
		return &facade.Result{Form: facade.FormRow, Rows: none}, nil
	}))
	for i, u := range a.plan.Units {
		call := u.call()
		if call == nil {
			continue
		}
		only := *u
		only.Levels = only.Levels[:1]
		if r := a.x.Run(&only); r.Results[call.ID].Err != nil {
			a.at, a.fell, a.why = i, r.Results[call.ID].Err, errFell
			return nil, errFell
		}
	}
	return calls, nil
}

// ofCall is the error of a call in the form of its root field's error.
func (a *transacted) ofCall(err error) error {
	own, call := kiterror.AsError(err).WithoutCall()
	for i, u := range a.plan.Units {
		if u.call() == nil {
			continue
		}
		if call == 0 {
			a.at = i
		}
		call--
	}
	return own
}

// write writes the response with the results of the calls.
func (a *transacted) write(results []*facade.Result) error {
	a.begin(facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		next := results[0]
		results = results[1:]
		return next, nil
	}))
	for _, u := range a.plan.Units {
		if _, err := a.w.Root(a.x.Run(u)); err != nil {
			return err
		}
	}
	a.text, a.tooLarge = a.w.End(true)
	return a.tooLarge
}

// begin begins an execution whose calls a caller answers.
func (a *transacted) begin(caller facade.Caller) {
	own := *a.executor
	own.Caller = caller
	a.task.Serial = true
	a.x.Begin(&own, a.task)
	a.w.Begin(a.x, a.x.MaxResponse)
}

// run executes the units and writes the response, within the transaction of ctx.
func (a *transacted) run(ctx context.Context) error {
	a.at, a.why, a.fell, a.tooLarge = -1, nil, nil, nil
	a.task.Ctx, a.task.Serial = facade.WithState(ctx, a.task.State), true
	a.x.Begin(a.executor, a.task)
	a.w.Begin(a.x, a.x.MaxResponse)
	late := facade.JudgeKeysLate(ctx)
	for i, u := range a.plan.Units {
		a.at = i
		late.Next(i)
		r := a.x.Run(u)
		if a.taken(late) {
			return a.why
		}
		ok, err := a.w.Root(r)
		if err != nil {
			a.tooLarge = err
			return err
		}
		if a.fell = a.rootError(ok); a.fell != nil {
			if call := u.call(); call != nil {
				a.why = r.Results[call.ID].cause
			}
			if a.why == nil {
				a.why = errFell
			}
			return a.why
		}
	}
	if err := late.Judge(ctx); a.taken(late) || err != nil {
		return cmp.Or(a.why, err)
	}
	a.at = -1
	a.text, a.tooLarge = a.w.End(true)
	return a.tooLarge
}

// taken reports whether a root field wrote a unique key that another row has at the end.
func (a *transacted) taken(late *facade.LateKeys) bool {
	at, err := late.Fault()
	if err == nil {
		return false
	}
	a.at, a.why, a.fell = at, err, a.x.Failed(err)
	return true
}

// rootError returns the error that made the last root field null, or nil. ok is the result of
// [writer.Root].
func (a *transacted) rootError(ok bool) *language.Error {
	w := a.w
	if len(w.errs) == w.before || ok && !bytes.HasSuffix(w.text, []byte(":null")) {
		return nil
	}
	return w.errs[len(w.errs)-1]
}

// nulls returns the response whose root fields are null together. data is null if one of them must
// not be.
func (a *transacted) nulls() []byte {
	w := a.w
	if cap(w.text) > maxKeptText {
		w.text = nil // not to be sent
	}
	why := *a.fell
	w.text, w.errs = append(w.text[:0], dataStart...), []*language.Error{&why}
	ok := true
	for i, u := range a.plan.Units {
		f := u.Selection.Fields[0]
		if i == a.at && why.Path == nil {
			why.At, why.Path = language.Positions(f.Positions...), []language.Segment{{Key: f.Name}}
		}
		w.text = append(w.text, f.Key...)
		if f.Action == asTypename {
			w.text = append(w.text, f.Text...)
			continue
		}
		w.text = append(w.text, "null"...)
		ok = ok && !f.Output.NonNull
	}
	if ok {
		w.text = append(w.text, '}')
	} else {
		w.text = append(w.text[:len(dataStart)-1], "null"...)
	}
	w.finish()
	return w.text
}
