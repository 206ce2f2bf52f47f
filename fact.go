package frond

import (
	"context"

	"github.com/frondhost/frond/facade"
)

// Emit emits a fact that a frond.yaml declares, within the function of a command or a hook: the
// event leaves if and only if the command is committed. Without a transaction (a [Detached]
// command, a hook after a command, a job) it is committed when Emit returns. A query cannot
// emit.
//
//	func ship(ctx context.Context, in struct{ ID string }) (Order, error) {
//		order, err := frond.Inside[Order](ctx).Update(ctx, in.ID, frond.Set{"status": "shipped"})
//		if err != nil {
//			return order, err
//		}
//		return order, frond.Emit(ctx, "orderShipped", order)
//	}
//
// name is a fact of the Frond whose command runs, or FROND.NAME. payload is marshalled to JSON
// and has to fit the fact's card: for a fact of an entity it is the row. It is nil, or any
// object, for a fact without a card. Return the error, so that the command fails and writes no
// row; it is logged and never sent to a caller.
func Emit(ctx context.Context, name string, payload any) error {
	return facade.Emit(ctx, name, payload)
}
