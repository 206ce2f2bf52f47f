package kiterror

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Report is err as it may leave the process: what every surface does with a
// failure before it writes it. A coded error is itself. INTERNAL_ERROR is logged,
// with its cause, the stack of a panic and the trace id, and says no more outside than
// that it was ours, and that id: the one another host gave the failure in its details, that
// of the caller's trace, or one made up here. Where ctx has ended, that is the
// failure, under any other code. A nil error is nil; a nil logger is
// slog.Default().
func Report(ctx context.Context, log *slog.Logger, err error, trace string) *Error {
	e := AsError(err)
	if e == nil {
		return nil
	}
	if log == nil {
		log = slog.Default()
	}
	if e.Code != InternalError {
		if cause, ok := e.cause.(because); ok { //nolint:errorlint // that of e itself
			log.LogAttrs(ctx, slog.LevelInfo, "call refused", slog.String("entity", e.Entity), slog.String("operation", e.Operation),
				slog.String("code", string(e.Code)), slog.String("message", e.Message), slog.Any("error", cause.error))
		}
		return e
	}
	if ended := ctx.Err(); ended != nil {
		return AsError(ended).At(e.Entity, e.Operation)
	}
	// A host that answered this failure has named it already; its log and ours agree.
	details, _ := e.Details.(map[string]any)
	id, _ := details["traceId"].(string)
	named := isTraceID(id)
	if !named {
		id = TraceID(trace)
	}
	if id == "" {
		id = newTraceID()
	}
	attrs := []slog.Attr{slog.String("entity", e.Entity), slog.String("operation", e.Operation), slog.String("trace", id), slog.Any("error", err)}
	var m interface{ Field() string }
	if errors.As(err, &m) {
		attrs = append(attrs, slog.String("field", m.Field()))
	}
	var p *panicked
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	log.LogAttrs(ctx, slog.LevelError, "call failed", attrs...)
	out := e.Masked()
	if !named {
		c := *out
		all := schema.Object{}
		if text := e.DetailsJSON(); details != nil {
			for name, value := range jsontext.Members(text) {
				if name != "traceId" {
					all = append(all, schema.Member{Name: name, Value: value})
				}
			}
		} else if text != nil { // a list, say, of another host
			all = append(all, schema.Member{Name: "details", Value: text})
		}
		c.ReviveDetails(append(all, schema.Member{Name: "traceId", Value: jsontext.Quote(id)}).AppendJSON(nil))
		out = &c
	}
	return out
}

// Masked returns e with the text of an INTERNAL_ERROR moved into the cause, which
// stays in the process. Every other error is returned as it is.
func (e *Error) Masked() *Error {
	if e.Code != InternalError || e.Message == ours {
		return e
	}
	c := *e
	c.Message = ours
	c.cause = errors.Join(errors.New(e.Message), e.cause)
	return &c
}

// Disclosed returns an INTERNAL_ERROR with the details {field, problem} where its cause is about
// a field of an answer, which the cause names by a method Field. Every other error is returned
// as it is. It is for development: the details go to the caller.
func (e *Error) Disclosed() *Error {
	var about interface {
		error
		Field() string
	}
	if e.Code != InternalError || e.Details != nil || !errors.As(e.cause, &about) {
		return e
	}
	c := *e
	c.Details = map[string]any{"field": about.Field(), "problem": about.Error()}
	return &c
}

// Panicked is what recover answered as INTERNAL_ERROR: value and stack are its
// cause, which [Report] logs. It is called by the deferred function itself.
func Panicked(value any) *Error { return Internal(&panicked{value, debug.Stack()}) }

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap is the value, where someone panicked with an error.
func (p *panicked) Unwrap() error { err, _ := p.value.(error); return err }

// LogValue is the panic with its stack, for the log of an error's cause.
func (p *panicked) LogValue() slog.Value {
	return slog.GroupValue(slog.String("panic", p.Error()), slog.String("stack", string(p.stack)))
}

// TraceID is the trace id of a traceparent (W3C Trace Context), or "" for any other text.
func TraceID(traceparent string) string {
	const form = "00-00000000000000000000000000000000-0000000000000000-00"
	if len(traceparent) < len(form) || traceparent[2] != '-' || traceparent[35] != '-' {
		return ""
	}
	if id := traceparent[3:35]; isTraceID(id) {
		return id
	}
	return ""
}

// isTraceID reports whether id is 32 hexadecimal digits: it is written into answers
// and logs.
func isTraceID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == 32
}

// newTraceID is a trace id for a failure of a call that came without a trace.
func newTraceID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}
