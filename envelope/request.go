package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// request is the common part of the frames of one HTTP request. The frames of a batch use it
// concurrently.
type request struct {
	handler *Handler
	http    *http.Request
	state   access.State
	signed  bool            // by another host
	frond   string          // that the frames are signed for; "": any
	refusal *kiterror.Error // why no frame can be run; nil: frames are run

	unauthorized atomic.Bool // a frame was refused for want of credentials

	account  *budget.Account // the memory that the request holds; nil: unlimited
	batch    bool
	beside   bool                           // the frames of a batch have the positions of their pages
	position facade.Position                // of the page, where the request is a single frame; 0: none
	later    atomic.Pointer[kiterror.Error] // a frame's failure with a retry time
}

// identify checks the text of a body and identifies its caller. The failure says that the body is
// no JSON.
func (q *request) identify(ctx context.Context, body []byte) *failure {
	if err := jsontext.Check(body); err != nil {
		return &failure{
			Code: ParseError,
			Err:  kiterror.Errorf(kiterror.BadRequest, "the body is not a frame of JSON: %s", err.Error()),
		}
	}
	if q.refusal == nil {
		q.rebuildState(ctx, body)
	}
	return nil
}

// appendAnswers appends the answers to a batch: an array of frames.
func (q *request) appendAnswers(ctx context.Context, dst []byte, body []byte) []byte {
	dst, copied := appendBatch(dst, body, func(dst []byte, frame json.RawMessage, full bool) []byte {
		return q.appendAnswer(ctx, dst, frame, full)
	})
	q.account.Add(copied)
	return dst
}

// rebuildState identifies the caller, unless the frames are trusted with its state (spec 5.4: a
// browser's state is ignored and rebuilt).
func (q *request) rebuildState(ctx context.Context, body []byte) {
	o := &q.handler.options
	if o.Verifier != nil && (o.State == nil || signing.IsSigned(body)) {
		q.verify(ctx, body)
		return
	}
	if o.TrustState || o.State == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			q.refusal = q.handler.panicked(ctx, v, q.http.Header.Get("Traceparent"))
		}
	}()
	state, err := o.State(q.http)
	if err != nil {
		q.refusal = q.handler.report(ctx, err, q.http.Header.Get("Traceparent"))
		return
	}
	q.state = state
}

// verify reads the state from the signature's token. An unsigned body is refused as a
// whole, since one token covers all its frames.
func (q *request) verify(ctx context.Context, body []byte) {
	signed, err := q.handler.options.Verifier.Verify(body)
	if err != nil {
		q.handler.options.Log.LogAttrs(ctx, slog.LevelDebug, "signed call refused", slog.String("reason", err.Message), slog.String("from", q.http.RemoteAddr))
		q.refusal = err
		return
	}
	if err := q.once(ctx, body, signed); err != nil {
		q.refusal = err
		return
	}
	q.signed = true
	// The sender replaces any value that the state has under that name.
	if q.state = signed.State; signed.Caller != "" {
		q.state["caller"] = signed.Caller
	}
	if q.handler.options.State != nil {
		q.frond = signed.Frond
	}
}

// once makes sure that no other process has accepted the token of a command. Queries are
// exempt: a replay of one changes no data, and a reader of its token could read its answer as
// well (docs/decisions/signing.md).
func (q *request) once(ctx context.Context, body []byte, signed *signing.Call) *kiterror.Error {
	nonces := q.handler.options.Nonces
	if nonces == nil || signed.Until.IsZero() || !q.handler.commands(body) {
		return nil
	}
	fresh, err := nonces.TakeNonce(ctx, signed.Nonce[:], signed.Until)
	switch {
	case err != nil:
		return q.handler.report(ctx, err, q.http.Header.Get("Traceparent"))
	case !fresh:
		q.handler.options.Log.LogAttrs(ctx, slog.LevelWarn, "signed command replayed at another process", slog.String("from", q.http.RemoteAddr))
		return signing.Replayed()
	}
	return nil
}

// commands reports whether a body of checked JSON has a frame with a command.
func (h *Handler) commands(body []byte) bool {
	if jsontext.KindOf(body) != jsontext.Array {
		return h.isCommand(body)
	}
	for _, frame := range jsontext.Elements(body) {
		if h.isCommand(frame) {
			return true
		}
	}
	return false
}

// isCommand reports whether a frame calls a command. An unknown method is not run.
func (h *Handler) isCommand(frame json.RawMessage) bool {
	f, fail := readRequest(frame)
	if fail != nil {
		return false
	}
	if f.Method == Atomic {
		return true
	}
	entity, operation, _ := strings.Cut(f.Method, ".")
	op := h.methods[MethodKey(entity, operation)]
	return op != nil && op.Kind == catalog.Command
}

// appendAnswer answers one frame of checked JSON, unless it is a notification. If the answers
// are full, the call is refused and not made. It is called from many goroutines for the frames
// of a batch.
func (q *request) appendAnswer(ctx context.Context, dst []byte, v json.RawMessage, full bool) []byte {
	f, fail := readRequest(v)
	if fail == nil && full && f.ID != nil {
		fail = failed(kiterror.Errorf(kiterror.PayloadTooLarge,
			"the earlier answers exceed %d bytes; send this frame in another batch", MaxAnswer))
	}
	var write func([]byte) []byte
	if fail == nil {
		write, fail = q.run(ctx, f)
	}
	if fail != nil {
		if fail.Err.Code == kiterror.Unauthorized {
			q.unauthorized.Store(true)
		}
		if fail.Err.RetryAfter() != "" {
			q.later.Store(fail.Err)
		}
	}
	switch {
	case f.ID == nil: // a notification is never answered, not even with its failure
		return dst
	case fail != nil:
		return appendFailure(dst, f.ID, fail)
	}
	return appendResult(dst, f.ID, write)
}

// failed is the failure of a call, as opposed to one of its frame.
func failed(err *kiterror.Error) *failure { return &failure{Code: callFailed, Err: err} }

// run makes the call of one frame and returns what writes its result.
//
// The failures, in the order in which they are found:
//
//	the request is refused      its own code, for each frame
//	a method without a dot      -32601 NOT_FOUND
//	an alias after its day      -32000 GONE
//	params are no invocation    -32602 VALIDATION_FAILED, of a known method
//	an unknown method           -32601 NOT_FOUND, from the façade
//	the call fails              -32000 and the code of the call
//	no room for the result      -32000; the result of a command is sent all the same
func (q *request) run(ctx context.Context, f requestFrame) (func([]byte) []byte, *failure) {
	h := q.handler
	if q.refusal != nil {
		return nil, failed(q.refusal)
	}
	if f.Method == Discover {
		q.called(ctx, f.Method, q.state)
		document := h.document()
		if err := q.account.Reserve(len(document)); err != nil {
			return nil, failed(kiterror.AsError(err))
		}
		return func(dst []byte) []byte { return append(dst, document...) }, nil
	}
	if f.Method == Atomic {
		if h.options.Atomic == nil {
			return nil, failed(kiterror.Errorf(kiterror.NotImplemented, Atomic+": this host makes no such transactions; send the calls one by one"))
		}
		return q.atomic(ctx, f)
	}
	entity, operation, dotted := strings.Cut(f.Method, ".")
	if !dotted {
		return nil, &failure{Code: MethodNotFound, Err: kiterror.Errorf(kiterror.NotFound,
			"a method is an entity, a dot and an operation; "+Discover+" lists them")}
	}
	if a := h.aliases[strings.ToLower(entity)]; a != nil {
		if err := a.Refusal(); err != nil {
			return nil, failed(err.At(a.Door.Name, operation))
		}
		entity = a.Door.Name
	}
	op := h.methods[MethodKey(entity, operation)]
	inv, fail := readInvocation(f.Params, h.options.TrustState)
	if fail != nil && op != nil { // of an unknown method, that it is unknown is the failure
		fail.Err = fail.Err.At(entity, operation)
		return nil, fail
	}
	if fail := q.signedFor(op); fail != nil {
		return nil, fail
	}
	if !h.options.TrustState {
		inv.State = q.state
	}
	if kiterror.TraceID(inv.Trace) == "" {
		if header := q.http.Header.Get("Traceparent"); inv.Trace == "" || kiterror.TraceID(header) != "" {
			inv.Trace = header // a valid header beats a text that names no trace
		}
	}
	q.called(ctx, f.Method, inv.State)
	var words *synonyms
	sent := inv.Query
	if op != nil && op.Builtin && op.Name == "list" {
		if inv.Query, words, fail = translate(inv.Query, op.Door.Limits); fail != nil {
			fail.Err = fail.Err.At(entity, operation)
			return nil, fail
		}
	}
	call := facade.Call{Entity: entity, Operation: operation, Invocation: inv, Position: (!q.batch || q.beside) && op != nil && op.Cardinality == catalog.PageOf}
	if words != nil {
		call.SentQuery = sent
	}
	result, err := q.call(ctx, &call)
	if err != nil {
		fail := failed(words.restore(err))
		// The façade refuses an unknown method in the words that every surface has; the
		// envelope adds JSON-RPC's integer.
		if err.Code == kiterror.NotFound && op == nil {
			fail.Code = MethodNotFound
		}
		return nil, fail
	}
	if size := result.Size(); op != nil && op.Kind == catalog.Command {
		q.account.Add(size) // the command is done: its answer is sent even over the budget
	} else if err := q.account.Reserve(size); err != nil {
		return nil, failed(kiterror.AsError(err).At(entity, operation))
	}
	at := result.Page.Position
	if !q.batch {
		q.position = at
	} else if at != 0 { // a further member of the frame
		return func(dst []byte) []byte {
			return append(append(append(result.AppendJSON(dst), `,"position":"`...), at.String()...), '"')
		}, nil
	}
	return result.AppendJSON, nil
}

// signedFor returns why an operation, which may be nil, is not one that the request is signed for, or nil.
func (q *request) signedFor(op *catalog.Operation) *failure {
	if op == nil || q.frond == "" || op.Door.Frond.Name == q.frond {
		return nil
	}
	return failed(kiterror.Errorf(kiterror.Forbidden, "%s is of the Frond %s, and the call is signed for %s; sign it for %[2]s", op.Door.Name, op.Door.Frond.Name, q.frond).At(op.Door.Name, op.Name))
}

// called reports a call to Options.Called.
func (q *request) called(ctx context.Context, method string, state access.State) {
	if f := q.handler.options.Called; f != nil {
		f(ctx, method, state)
	}
}

// call makes one call; a panic of the caller is a failure like any other.
func (q *request) call(ctx context.Context, c *facade.Call) (result *facade.Result, failed *kiterror.Error) {
	h := q.handler
	defer func() {
		if v := recover(); v != nil {
			result, failed = nil, h.panicked(ctx, v, c.Invocation.Trace).At(c.Entity, c.Operation)
		}
	}()
	result, err := h.caller.Call(ctx, c)
	if err != nil {
		return nil, h.report(ctx, err, c.Invocation.Trace).At(c.Entity, c.Operation)
	}
	if result == nil {
		return nil, h.report(ctx, errors.New("a caller answered neither a result nor an error"), c.Invocation.Trace).At(c.Entity, c.Operation)
	}
	return result, nil
}
