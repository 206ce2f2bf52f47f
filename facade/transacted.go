package facade

import (
	"context"
	"maps"
)

// transacts reports whether the call is a transaction of its own.
func (x *execution) transacts() bool {
	return x.op.transacts && x.host.transactor != nil && !(x.op.recorded && x.host.records())
}

// transacted admits and runs a command as one transaction. Each try begins with the
// execution as scope left it: nothing that a try has found out or changed is there in the
// next one. The answer is projected by the caller, when the transaction is over.
func (x *execution) transacted(ctx context.Context) (res *Result, err error) {
	outer, base := x.transaction, ctx
	if outer != nil {
		base = outer.base //nolint:contextcheck // what comes after the commit is in no transaction
	}
	var committed *execution
	tries := 0
	err = x.host.transactor.Transact(ctx, func(ctx context.Context) (err error) {
		tries++
		try := *x
		try.scopes = maps.Clone(x.scopes)
		try.transaction = &transaction{host: x.host, base: base}
		committed = &try
		res, err = try.answer(ctx)
		return err
	})
	x.watch.tried(tries)
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
