package facade

import (
	"context"
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
)

// walk carries one call along the path, behind the middleware:
//
//	find      the operation behind entity.op, and who answers it         scope.go
//	scope     the collectors: the rows and fields of this caller         scope.go, access/rules.go
//	admit     unknown keys refused, params, query and body judged,
//	          decoded, completed by the lifecycle                        admit.go, lifecycle.go
//	run       the built-in CRUD over the store, the author's handler, or
//	          the remote                                                 read.go, write.go, handler.go, remote.go
//	project   closed and hidden fields gone, values encoded, computed
//	          fields and selected relations added                        egress.go
//
// A failure at any step leaves as an error that names entity and operation; a panic leaves
// as INTERNAL_ERROR.
func (h *host) walk(ctx context.Context, c *Call) (res *Result, err error) {
	// The origin is outside of the execution, which a transaction that runs again copies.
	both := struct {
		origin    origin
		execution execution
	}{execution: execution{viewer: viewer{host: h, call: c, trace: traceOf(ctx)}}}
	x := &both.execution
	x.catalogView, ctx = h.viewOf(ctx)
	ctx = both.origin.enter(ctx, c)
	defer func() { err = x.name(err) }()
	defer rescue(&res, &err)

	if err = x.find(ctx); err != nil {
		return nil, err
	}
	if x.op.Kind == catalog.Command {
		ctx = consistency.Latest(ctx)
	}
	if err = x.scope(ctx); err != nil {
		return nil, err
	}
	if err = findNested(ctx, x); err != nil {
		return nil, err
	}
	if x.late.waits() {
		if err = judgeBeforeCall(ctx, x); err != nil {
			return nil, err
		}
	}
	if x.passed != nil {
		res, err = x.passed(ctx, x)
	} else if (transacts(&x.viewer) || x.nestable != nil && x.runner.by != byRemote || namesFiles(x)) && runsHandler(x) {
		res, err = x.transacted(ctx)
	} else {
		res, err = x.answer(ctx)
	}
	if err != nil {
		return nil, withRow(ctx, &x.viewer, err)
	}
	if res, err = x.project(ctx, res); err != nil {
		return nil, err
	}
	if x.late.waits() && len(x.relations) > 0 {
		if err = x.late.Judge(ctx); err != nil {
			return nil, err
		}
	}
	return x.followRelations(ctx, res)
}

// answer is the third and the fourth step, which are one transaction where the author's
// code may make several calls (transacted).
func (x *execution) answer(ctx context.Context) (*Result, error) {
	if err := x.admit(ctx); err != nil {
		return nil, err
	}
	res, err := x.run(ctx)
	if err == nil && x.nested != nil {
		err = writeNested(ctx, x, res)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// run hands the admitted call to the runner of the operation, and the answer to the hooks
// after a command. A dry run leaves out the handler of a command.
func (x *execution) run(ctx context.Context) (*Result, error) {
	if x.trace != nil && x.trace.Admitted != nil {
		x.trace.Admitted(x.traced())
	}
	if x.trace.dry() && x.op.Kind == catalog.Command && x.runner.by == byHandler && x.transaction == nil {
		return &Result{Form: FormValue}, nil
	}
	at := positionOf(ctx, &x.viewer) // before the rows: later commits have later positions
	res, err := x.runner.run(ctx, x)
	if err != nil {
		return nil, err
	}
	res.at(at)
	if x.op.hooks != nil {
		runHooksAfter(ctx, x, res)
	}
	if x.trace != nil && x.trace.Answered != nil {
		x.trace.Answered(res)
	}
	return res, nil
}

// positionOf is the Page.Position of the next answer to read.
func positionOf(ctx context.Context, x *viewer) Position {
	if !x.call.Position || x.host.last == nil || x.door.Entity == nil {
		return 0
	}
	announced := func(f *catalog.Fact) bool {
		return f.Door != nil && f.Door.Entity == x.door.Entity && x.catalogView.Announces(f)
	}
	if !slices.ContainsFunc(x.door.Frond.Facts, announced) {
		return 0
	}
	return x.host.last(ctx, x.door.Frond)
}

// name gives a failure its entity and operation, for any type of error. The text of an
// INTERNAL_ERROR becomes its cause; in development the details name the field it is about.
func (x *execution) name(err error) error {
	if err == nil {
		return nil
	}
	entity, operation := x.call.Entity, x.call.Operation
	if x.op != nil {
		entity, operation = x.door.Name, x.op.Name
	}
	e := kiterror.AsError(err).At(entity, operation).Masked()
	if x.Suggests() {
		return e.Disclosed()
	}
	return e
}

// transacts reports whether the call is a transaction of its own.
func transacts(x *viewer) bool {
	return x.op.Transacts && x.host.transactor != nil && !(x.op.Recorded && x.host.records())
}

// transacted admits and runs a command as one transaction. Each try begins with the execution
// as scope left it, without the changes of an earlier try. The answer is projected by the
// caller, when the transaction is over.
func (x *execution) transacted(ctx context.Context) (res *Result, err error) {
	outer, base := x.transaction, ctx
	var known *inquiry
	switch {
	case outer != nil:
		base, known = outer.base, outer.inquiry //nolint:contextcheck // hooks after the commit are in no transaction
	case x.host.crosses:
		known = &inquiry{}
	}
	var committed *execution
	tries := 0
	err = x.host.transact(ctx, outer, known, func(ctx context.Context) (err error) {
		tries++
		try := *x
		try.scopes = maps.Clone(x.scopes)
		try.transaction = &transaction{host: x.host, base: base, inquiry: known}
		if outer != nil {
			try.transaction.deleting = outer.deleting
		}
		if x.runner.by == byStore && x.op.hooks == nil && x.op.Name != "import" {
			try.transaction.late = x.late // the author's code makes no calls here
		}
		committed = &try
		res, err = try.answer(ctx)
		return err
	})
	if x.trace != nil && x.trace.Tried != nil {
		x.trace.Tried(tries)
	}
	if count := triesOf(ctx); count != nil && outer == nil {
		count(tries)
	}
	if err != nil {
		return nil, err
	}
	done := committed.transaction
	*x = *committed
	x.transaction = outer
	done.committed(outer)
	return res, nil
}
