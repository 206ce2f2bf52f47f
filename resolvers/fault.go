package resolvers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// The codes of what is wrong with a request itself. They are the names clients of
// other servers know; a failure of a call keeps the code of its [facade.Error].
const (
	CodeParse      = "GRAPHQL_PARSE_FAILED"
	CodeValidation = "GRAPHQL_VALIDATION_FAILED"
	CodeInput      = "BAD_USER_INPUT"
	CodeOperation  = "OPERATION_RESOLUTION_FAILURE" // no such operation, or several and no name

	CodeIntrospection = "INTROSPECTION_DISABLED" // [Options.NoIntrospection]
)

// fault is one entry of a response's errors (specification 7.1.2). All of it may leave.
type fault struct {
	message   string
	at        []location
	path      []step
	code      string
	entity    string
	operation string
	details   any // plain JSON values
	trace     string
}

// location is a place in a document, counted from 1.
type location struct{ line, column int }

// step is one segment of a path: a response key, or an index where key is "".
type step struct {
	key   string
	index int
}

// errTooSlow is the cause of a context that [Limits.Execution] ended.
var errTooSlow = errors.New("the execution took too long")

func limitFault(code string, limit int, format string) *fault {
	return &fault{
		message: fmt.Sprintf(format, limit),
		code:    code,
		details: map[string]any{"limit": limit},
	}
}

func methodFault(op *ast.OperationDefinition) *fault {
	return &fault{
		message: "A " + string(op.Operation) + " is not answered over GET; send it as a POST.",
		at:      positions(op.Position),
		code:    string(facade.MethodNotAllowed),
	}
}

// maxMessage bounds a message: a name of a document stands in it, and may be as long
// as the document.
const maxMessage = 1000

func short(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

func positions(list ...*ast.Position) []location {
	at := make([]location, 0, len(list))
	for _, p := range list {
		if p != nil {
			at = append(at, location{p.Line, p.Column})
		}
	}
	return at
}

// panicked is what becomes of a panic: a log line here, INTERNAL_ERROR there.
func (e *Engine) panicked(ctx context.Context, trace string, p any) *fault {
	return e.failed(ctx, trace, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}

// failed is the fault of a failed call, without place. What nobody coded is logged
// with a trace id, which is all of it that leaves.
func (e *Engine) failed(ctx context.Context, trace string, err error) *fault {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errTooSlow) {
		return &fault{
			message: "The operation took longer than " + e.limits.Execution.String() + "; ask for less at a time.",
			code:    CodeExecution,
			details: map[string]any{"limit": e.limits.Execution.Milliseconds()},
		}
	}
	fe := facade.Report(ctx, e.logger, err, trace)
	f := &fault{
		message:   fe.Message,
		code:      string(fe.Code),
		entity:    fe.Entity,
		operation: fe.Operation,
		details:   fe.Details,
	}
	if d, ok := f.details.(map[string]any); ok && fe.Code == facade.InternalError && len(d) == 1 {
		if id, ok := d["traceId"].(string); ok {
			f.trace, f.details = id, nil // it stands beside them here
		}
	}
	return f
}

// broken is the fault of a value that breaks its type: its message names the field
// and may leave, and the log has it under the trace id beside it.
func (x *exec) broken(message string) *fault {
	f := x.failed(facade.Internal(errors.New(message)))
	if f.code == string(facade.InternalError) {
		f.message = message
	}
	return f
}

func (x *exec) failed(err error) *fault { return x.e.failed(x.ctx, x.trace, err) }
func (x *exec) panicked(p any) *fault   { return x.e.panicked(x.ctx, x.trace, p) }

// appendFaults appends faults as a JSON array.
func appendFaults(dst []byte, faults []*fault) []byte {
	dst = append(dst, '[')
	for i, f := range faults {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.append(dst)
	}
	return append(dst, ']')
}

func (f *fault) append(dst []byte) []byte {
	dst = append(dst, `{"message":`...)
	dst = jsontext.AppendString(dst, f.message)
	if len(f.at) > 0 {
		dst = append(dst, `,"locations":[`...)
		for i, l := range f.at {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"line":`...)
			dst = strconv.AppendInt(dst, int64(l.line), 10)
			dst = append(dst, `,"column":`...)
			dst = strconv.AppendInt(dst, int64(l.column), 10)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	if len(f.path) > 0 {
		dst = append(dst, `,"path":[`...)
		for i, s := range f.path {
			if i > 0 {
				dst = append(dst, ',')
			}
			if s.key != "" {
				dst = jsontext.AppendString(dst, s.key)
			} else {
				dst = strconv.AppendInt(dst, int64(s.index), 10)
			}
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"extensions":{"code":`...)
	dst = jsontext.AppendString(dst, f.code)
	for _, m := range [...]struct{ name, value string }{
		{"entity", f.entity}, {"operation", f.operation}, {"traceId", f.trace},
	} {
		if m.value != "" {
			dst = append(dst, `,"`+m.name+`":`...)
			dst = jsontext.AppendString(dst, m.value)
		}
	}
	if f.details != nil {
		if text, err := json.Marshal(f.details); err == nil {
			dst = append(dst, `,"details":`...)
			dst = append(dst, text...)
		}
	}
	return append(dst, "}}"...)
}
