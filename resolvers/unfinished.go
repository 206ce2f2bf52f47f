package resolvers

import (
	"context"
	"errors"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
)

// grace is the time that an operation may take after its deadline: stores and remotes stop at
// once, and results that came in time are still written.
const grace = 500 * time.Millisecond

// cancellable reports whether everything that an operation runs ends with its context. Statements
// of a store and calls of a remote do; a handler, a presenter and a field that was
// registered by hand may not.
func (e *Engine) cancellable(def *ast.OperationDefinition) bool {
	return every(def.SelectionSet, map[string]bool{}, func(f *ast.Field) bool {
		return e.bindings(f, func(b *binding.Field) bool {
			switch {
			case b == nil, b.Kind == binding.Computed, b.Kind == binding.NodeRoot:
				return false
			case b.Kind == binding.EventRow: // it is there
				return true
			case b.Operation != nil:
				return !b.Operation.Handled()
			case b.Relation != nil:
				return !b.Door.Operation(b.Relation.Operation).Handled()
			case b.Door != nil:
				return !b.Door.Operation("findById").Handled()
			}
			return true
		})
	})
}

var errEnded = errors.New("something that the request ran ended its goroutine")

// inTime executes an operation that may ignore its context. If it has not ended a little after
// its deadline, the response is made without it. The operation goes on in its own goroutine and
// its own memory, and is counted until it ends.
func (e *Engine) inTime(ctx context.Context, r *Request, run func() *Response) *Response {
	start := time.Now()
	done := make(chan *Response, 1)
	go func() {
		var resp *Response
		defer func() {
			if resp == nil { // the author's code called runtime.Goexit
				resp = refuse(500, []*language.Error{e.report.Failed(ctx, r.Trace, errEnded)})
			}
			done <- resp
		}()
		defer e.rescue(ctx, r, &resp)
		resp = run()
	}()
	select {
	case resp := <-done:
		return resp
	case <-ctx.Done():
	}
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case resp := <-done:
		return resp
	case <-wait.C:
	}
	log := e.report.Logger.With("trace", kiterror.TraceID(r.Trace), "operation", r.OperationName)
	log.WarnContext(ctx, "an operation runs past its deadline; something that it runs ignores its context", "unfinished", e.running.Add(1))
	go func() {
		(<-done).Release()
		log.WarnContext(ctx, "an operation ended after its deadline", "took", time.Since(start).Round(time.Millisecond), "unfinished", e.running.Add(-1))
	}()
	return e.timedOut(ctx, r, context.Cause(ctx))
}

// timedOut is the response of an operation that did not end in time.
func (e *Engine) timedOut(ctx context.Context, r *Request, err error) *Response {
	b := takeBuffers()
	return b.executed(b.writer.NoData(e.report.Failed(ctx, r.Trace, err)))
}
