package resolvers

import (
	"context"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
)

// requestKey identifies equal requests, by all their parts and not by a hash: two requests that
// differ in any part never share a response (docs/decisions/coalescing.md). The operation of
// the cached document replaces the text.
type requestKey struct {
	op        *operation
	variables string // as they were sent
	state     string // see [access.State.AppendKey]; "" means none
	seen      string // the oldest state of the stores that the caller accepts
}

// group runs equal requests that arrive together once (docs/remotes.md). shared is how many of
// them receive the response; err is why ctx ended for one that waited. The engine uses a
// [singleflight.Group]; tests put a wrong one in its place.
type group interface {
	Do(ctx context.Context, key requestKey, run func(context.Context) *Response) (r *Response, shared int, err error)
}

// requestKey is the key of a request, and whether it may share its response: only a query
// whose response depends on its text, its variables and its caller's state alone.
func (e *Engine) requestKey(ctx context.Context, op *operation, r *Request) (q requestKey, ok bool) {
	if e.group == nil || !op.shared {
		return q, false
	}
	q.op, q.seen = op, consistency.From(ctx).Text()
	if r.State != nil {
		var space [256]byte
		text, plain := r.State.AppendKey(space[:0])
		if !plain {
			return q, false
		}
		q.state = string(text)
	}
	q.variables = string(r.Variables)
	return q, true
}

// share executes a request once for all requests that are equal to it and arrive together.
// The execution always begins after the request came.
func (e *Engine) share(ctx context.Context, q requestKey, vars *language.Variables, r *Request) *Response {
	resp, shared, err := e.group.Do(ctx, q, func(ctx context.Context) *Response {
		resp := e.execute(ctx, q.op, vars, r)
		resp.by = r
		return resp
	})
	if err != nil { // only this request has ended
		return e.timedOut(ctx, r, err)
	}
	if shared == 1 {
		return resp
	}
	own := *resp
	own.readers = int32(shared)
	own.Coalesced = own.by != r
	return &own
}

// shareable reports whether the response of an operation depends only on the parts of a
// [requestKey]. A mutation is executed for each request. A function of the author's receives
// the context of the request, and may read any value from it.
func (e *Engine) shareable(def *ast.OperationDefinition) bool {
	return def.Operation == ast.Query && every(def.SelectionSet, map[string]bool{}, e.bound)
}

// every reports whether holds is true for all fields of a selection set.
func every(set ast.SelectionSet, seen map[string]bool, holds func(*ast.Field) bool) bool {
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			if !holds(sel) || !every(sel.SelectionSet, seen, holds) {
				return false
			}
		case *ast.InlineFragment:
			if !every(sel.SelectionSet, seen, holds) {
				return false
			}
		case *ast.FragmentSpread:
			if seen[sel.Name] {
				continue
			}
			seen[sel.Name] = true
			if !every(sel.Definition.SelectionSet, seen, holds) {
				return false
			}
		}
	}
	return true
}

// bound reports whether a field has a binding on every object type that it may turn out to be
// selected on.
func (e *Engine) bound(f *ast.Field) bool {
	return e.bindings(f, func(b *binding.Field) bool { return b != nil })
}

// bindings reports whether holds is true for every binding that a field may have: a field of an
// interface has one for each object type. A nil binding belongs to a hand-registered field.
func (e *Engine) bindings(f *ast.Field, holds func(*binding.Field) bool) bool {
	on := f.ObjectDefinition
	if strings.HasPrefix(f.Name, "__") || strings.HasPrefix(on.Name, "__") {
		return true
	}
	if !on.IsAbstractType() {
		return holds(e.schema.Fields.Of(on.Name, f.Name))
	}
	for _, def := range e.types.Schema.GetPossibleTypes(on) {
		if !holds(e.schema.Fields.Of(def.Name, f.Name)) {
			return false
		}
	}
	return true
}
