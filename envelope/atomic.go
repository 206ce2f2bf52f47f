package envelope

import (
	"context"
	"errors"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// atomic answers rpc.atomic: calls of the frame's caller as one transaction (docs/atomic.md). The
// state is that of the request, also at a receiver, where the frames of a process carry none.
func (q *request) atomic(ctx context.Context, f requestFrame) (write func([]byte) []byte, fail *failure) {
	h, trace := q.handler, q.http.Header.Get("Traceparent")
	q.called(ctx, f.Method, q.state)
	var result *facade.Result
	var err error
	func() {
		defer func() {
			if v := recover(); v != nil {
				err = h.panicked(ctx, v, trace)
			}
		}()
		result, err = h.options.Atomic(ctx, q.state, trace, f.Params)
	}()
	if err == nil && result == nil {
		err = errors.New("atomic answered neither a result nor an error")
	}
	if err != nil {
		return nil, failed(kiterror.AsError(h.report(ctx, err, trace)))
	}
	q.account.Add(result.Size()) // the calls are committed: their answers are sent even over the budget
	return result.AppendJSON, nil
}
