package facade

import (
	"context"

	"github.com/frondhost/frond/schema"
)

// Handler answers an author's operation. The call it is given is admitted: params,
// query and body are judged, decoded and filled. What it returns is marshalled to
// JSON, and its members are the fields of the output whatever their case: one that the
// card does not have, and one that it requires and does not get, is INTERNAL_ERROR,
// with the field in the log. *Rows and *Result are taken as they are. Whatever it is,
// it leaves by the rules of the operation's output: closed and hidden fields gone,
// values encoded, the fields of a named view and no others.
type Handler func(ctx context.Context, c *Call) (any, error)

// Hook is the author's code around a command, whatever answers it and wherever the call
// comes from. Either function may be nil. Both are called from many goroutines.
type Hook struct {
	// Before runs when the call is allowed and judged, and before anything is written. c
	// is what a [Handler] is given. Its error is the call's, and nothing is written. The
	// members it answers are written beside those of the body or in their place, as they
	// are kept; only create and update take any, and a value that does not fit its field
	// is INTERNAL_ERROR.
	Before func(ctx context.Context, c *Call) (schema.Object, error)
	// After runs when the write is committed: never for a call that failed, a delete that
	// found no row, or an update that writes nothing. res is the answer before it is
	// projected: its rows have every stored field, as they are kept. The context is not
	// cancelled when the caller leaves.
	After func(ctx context.Context, c *Call, res *Result)
}
