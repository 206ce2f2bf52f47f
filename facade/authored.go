package facade

import (
	"context"

	"github.com/frondhost/frond/facade/kiterror"
)

// Transact runs code of the author as the handler of a command runs: the calls of fn with its
// context, by [Inside] and [From], and what it emits are one transaction. fn runs again where
// another transaction came between (see [Transactor]); hooks after commands run when it is
// committed. Nobody has called: the state is nil. trace is the traceparent of what caused it,
// or "". Over a store without transactions each call commits by itself. A panic of fn is
// INTERNAL_ERROR.
func (f *Facade) Transact(ctx context.Context, trace string, fn func(ctx context.Context) error) error {
	h := f.host
	outer := h.transactionOf(ctx)
	var t *transaction
	run := func(ctx context.Context) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = kiterror.Panicked(p)
			}
		}()
		return fn(WithState(context.WithValue(ctx, callContextKey{}, &callContext{host: h, trace: trace, transaction: t}), nil))
	}
	if h.transactor == nil {
		return run(ctx)
	}
	err := h.transactor.Transact(ctx, func(inner context.Context) error {
		t = &transaction{host: h, base: ctx}
		return run(inner)
	})
	if err != nil {
		return err
	}
	t.committed(outer)
	return nil
}
