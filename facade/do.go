package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
)

// Do calls entity.op and decodes the answer into a T by encoding/json: for Go code that
// calls, [From] and [Inside] a handler or from outside. A null answer is T's zero value,
// so that a pointer distinguishes it. An answer that does not fit T is INTERNAL_ERROR.
func Do[T any](ctx context.Context, caller Caller, method string, in Invocation) (T, error) {
	var out T
	entity, op, ok := strings.Cut(method, ".")
	if !ok {
		return out, kiterror.Errorf(kiterror.BadRequest, "%s is no method; write entity.operation", kiterror.Quoted(method))
	}
	res, err := caller.Call(ctx, &Call{Entity: entity, Operation: op, Invocation: in})
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(res.AppendJSON(nil), &out); err != nil {
		return out, kiterror.Internal(fmt.Errorf("the answer of %s does not fit %T: %w", method, out, err)).At(entity, op)
	}
	return out, nil
}

// List is a list result (spec 2.7) as a Go value.
type List[T any] struct {
	Items     []T    `json:"items"`
	Total     int64  `json:"total"` // -1: not counted
	HasMore   bool   `json:"hasMore"`
	EndCursor string `json:"endCursor"` // "": the list is empty
}
