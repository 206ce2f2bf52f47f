package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// Path is where a host takes calls, behind its base address (spec 4.1).
const Path = "/_kit/call"

// Discover is the reserved method that answers the discovery document (spec 2.5).
const Discover = "rpc.discover"

// Options of a Handler; nil is fine, and the zero value is the careful choice.
type Options struct {
	// TrustState takes the caller's state from the frame, as a receiver between
	// processes does (spec 5.1). False: what a frame says is ignored (spec 4.1).
	TrustState bool
	// State rebuilds the caller's state from the request, where it is not trusted.
	// Nil: every caller is anonymous. An error is the answer to every frame of the
	// request; the status of UNAUTHORIZED, and of one that says when to come again
	// (facade.Error.After), is the request's too.
	State func(*http.Request) (facade.State, error)
	// Verifier, where there is one, takes signed calls alone: the state is the one
	// that was signed, whatever the frame says, with the sender's name as state.caller.
	// TrustState and State count for nothing beside it.
	Verifier *signing.Verifier
	// MaxBody is how many bytes a body may have; 0: 1 MiB (spec 8).
	MaxBody int64
	// Timeout is how long one request may take, a batch as a whole; 0: 30 s. Less than 0: no limit.
	Timeout time.Duration
	// Called is told each method before it is called, with who calls; the frames of a
	// batch at once. Nil: nobody is told.
	Called func(ctx context.Context, method string, state facade.State)
	// Budget bounds what all requests hold and how many execute; nil: nothing does.
	Budget *facade.Budget
	// Log takes what is not told to callers; nil: slog.Default().
	Log *slog.Logger
}

// Handler answers frames. It is an http.Handler for any path that ends in [Path].
type Handler struct {
	caller   facade.Caller
	options  Options
	methods  map[string]*facade.Operation // by entity key, a dot, the operation's name
	document func() []byte
}

// NewHandler is the receiver of the calls on a catalog's doors, which caller answers.
func NewHandler(cat *facade.Catalog, caller facade.Caller, opts *Options) *Handler {
	h := &Handler{caller: caller, methods: methodsOf(cat), document: documentOf(cat)}
	if opts != nil {
		h.options = *opts
	}
	if h.options.Verifier != nil {
		h.options.TrustState, h.options.State = false, nil
	}
	if h.options.MaxBody <= 0 {
		h.options.MaxBody = 1 << 20
	}
	if h.options.Timeout == 0 {
		h.options.Timeout = 30 * time.Second
	}
	if h.options.Log == nil {
		h.options.Log = slog.Default()
	}
	return h
}

// ServeHTTP reads the frames of a request, calls, and writes the answers.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, account, err := h.options.Budget.Open(r.Context())
	if err != nil {
		crowded(err).write(w)
		return
	}
	defer account.Close()
	body, refused := h.read(w, r, account)
	if refused != nil {
		refused.write(w)
		return
	}
	ctx, cancel := h.deadline(ctx, timeoutOf(r))
	defer cancel()
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	q := request{handler: h, http: r, account: account}
	if err := account.Begin(); err != nil {
		q.refusal = facade.AsError(err)
	}
	buf.Text = q.appendAnswers(ctx, buf.Text, body)
	account.Keep(len(buf.Text)) // the rows are written
	account.End()
	status := http.StatusOK
	if later := q.later.Load(); later != nil {
		w.Header().Set("Retry-After", later.RetryAfter())
		if !q.batch && later.Code == facade.ServiceUnavailable {
			status = http.StatusServiceUnavailable
		}
	}
	if challenge := q.refusal.Challenge(); challenge != "" {
		// The credential does not hold: no frame was looked at, and the request itself is refused.
		status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", challenge)
	} else if after := q.refusal.RetryAfter(); after != "" {
		// Whoever calls is to wait: again the request is refused, not a frame of it.
		status = q.refusal.Code.Status()
		w.Header().Set("Retry-After", after)
	} else if q.unauthorized.Load() {
		// The status is 200, the failure is the frame's; what would help is said all the same.
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if len(buf.Text) == 0 { // nothing but notifications
		if status == http.StatusOK {
			status = http.StatusNoContent
		}
		w.WriteHeader(status)
		return
	}
	writeFrames(w, status, buf.Text)
}

// deadline is the time a request has: our own limit, and no longer than its caller waits.
func (h *Handler) deadline(ctx context.Context, asked time.Duration) (context.Context, context.CancelFunc) {
	limit := h.options.Timeout
	if asked > 0 && (limit < 0 || asked < limit) {
		limit = asked
	}
	if limit < 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// request is what the frames of one HTTP request have in common.
type request struct {
	handler *Handler
	http    *http.Request
	state   facade.State
	refusal *facade.Error // the state could not be rebuilt: the answer to every frame

	unauthorized atomic.Bool // some frame was refused for want of credentials

	account *facade.Account // what the request holds; nil: nothing is bounded
	batch   bool
	later   atomic.Pointer[facade.Error] // what a frame was refused with that may be sent again
}

// appendAnswers appends what one body is answered with: a frame, an array of frames, or nothing.
func (q *request) appendAnswers(ctx context.Context, dst []byte, body []byte) []byte {
	if err := jsontext.Check(body); err != nil {
		return appendFailure(dst, nullID, &failure{
			ParseError,
			facade.Errorf(facade.BadRequest, "the body is not a frame of JSON: %s", err.Error()),
		})
	}
	if q.refusal == nil {
		q.rebuildState(ctx, body)
	}
	if jsontext.KindOf(body) == jsontext.Array {
		q.batch = true
		return q.appendBatch(ctx, dst, body)
	}
	return q.appendAnswer(ctx, dst, body, false)
}

// rebuildState finds out who is calling, unless the frames are trusted to say so
// (spec 5.4: what a browser sends is ignored and rebuilt).
func (q *request) rebuildState(ctx context.Context, body []byte) {
	o := &q.handler.options
	if o.Verifier != nil {
		q.verify(ctx, body)
	}
	if o.TrustState || o.State == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			q.refusal = q.handler.panicked(ctx, v, q.http.Header.Get("traceparent"))
		}
	}()
	state, err := o.State(q.http)
	if err != nil {
		q.refusal = q.handler.report(ctx, err, q.http.Header.Get("traceparent"))
		return
	}
	q.state = state
}

// verify takes the state from what was signed. A post that was not is refused whole:
// the token is that of all its frames.
func (q *request) verify(ctx context.Context, body []byte) {
	signed, err := q.handler.options.Verifier.Verify(body)
	if err != nil {
		q.handler.options.Log.LogAttrs(ctx, slog.LevelDebug, "signed call refused", slog.String("reason", err.Message), slog.String("from", q.http.RemoteAddr))
		q.refusal = err
		return
	}
	if q.state = signed.State; signed.Caller != "" {
		q.state["caller"] = signed.Caller
	}
}

// appendAnswer answers one frame of checked JSON; a notification appends nothing.
// Where the answers are full, a call is not made.
func (q *request) appendAnswer(ctx context.Context, dst []byte, v json.RawMessage, full bool) []byte {
	f, fail := readFrame(v)
	if fail == nil && full && f.id != nil {
		fail = &failure{Failed, facade.Errorf(facade.PayloadTooLarge,
			"the answers before this one have more than %d bytes together; send this frame in another batch", MaxBatchAnswer)}
	}
	var write func([]byte) []byte
	if fail == nil {
		write, fail = q.run(ctx, f)
	}
	if fail != nil {
		if fail.err.Code == facade.Unauthorized {
			q.unauthorized.Store(true)
		}
		if fail.err.RetryAfter() != "" {
			q.later.Store(fail.err)
		}
	}
	switch {
	case f.id == nil: // a notification is never answered, not even with its failure
		return dst
	case fail != nil:
		return appendFailure(dst, f.id, fail)
	}
	return appendResult(dst, f.id, write)
}

// run does what the frame asks for and says how its result is written.
func (q *request) run(ctx context.Context, f frame) (func([]byte) []byte, *failure) {
	if q.refusal != nil {
		return nil, &failure{Failed, q.refusal}
	}
	if f.method == Discover {
		q.called(ctx, f.method, q.state)
		document := q.handler.document()
		if err := q.account.Reserve(len(document)); err != nil {
			return nil, &failure{Failed, facade.AsError(err)}
		}
		return func(dst []byte) []byte { return append(dst, document...) }, nil
	}
	entity, operation, dotted := strings.Cut(f.method, ".")
	if !dotted {
		return nil, &failure{MethodNotFound, facade.Errorf(facade.NotFound,
			"a method is an entity, a dot and an operation; "+Discover+" tells which there are")}
	}
	op := q.handler.methods[methodKey(entity, operation)]
	served := op != nil
	inv, fail := readInvocation(f.params, q.handler.options.TrustState)
	if fail != nil && served { // of a method that is not, that is what there is to say
		fail.err = fail.err.At(entity, operation)
		return nil, fail
	}
	if !q.handler.options.TrustState {
		inv.State = q.state
	}
	if facade.TraceID(inv.Trace) == "" {
		if said := q.http.Header.Get("traceparent"); inv.Trace == "" || facade.TraceID(said) != "" {
			inv.Trace = said // which trace it is, the request knows better than a text that is none
		}
	}
	q.called(ctx, f.method, inv.State)
	var words *dialect
	if op := q.handler.methods[methodKey(entity, operation)]; lists(op) {
		if inv.Query, words, fail = understand(inv.Query, op.Door.ListLimits()); fail != nil {
			fail.err = fail.err.At(entity, operation)
			return nil, fail
		}
	}
	call := facade.Call{Entity: entity, Operation: operation, Invocation: inv}
	result, err := q.handler.call(ctx, &call)
	if err != nil {
		err = words.told(err)
		code := Failed
		// What is not served the façade refuses, in the words every surface has; here it
		// only gets JSON-RPC's integer.
		if err.Code == facade.NotFound && !served {
			code = MethodNotFound
		}
		return nil, &failure{code, err}
	}
	if size := result.Size(); op != nil && op.Kind == facade.Command {
		q.account.Add(size) // written is written
	} else if err := q.account.Reserve(size); err != nil {
		return nil, &failure{Failed, facade.AsError(err).At(entity, operation)}
	}
	return result.AppendJSON, nil
}

func (q *request) called(ctx context.Context, method string, state facade.State) {
	if f := q.handler.options.Called; f != nil {
		f(ctx, method, state)
	}
}

// call hands one call over; what it panics with is a failure like any other.
func (h *Handler) call(ctx context.Context, c *facade.Call) (result *facade.Result, failed *facade.Error) {
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

func methodKey(entity, operation string) string { return strings.ToLower(entity) + "." + operation }

func methodsOf(cat *facade.Catalog) map[string]*facade.Operation {
	methods := map[string]*facade.Operation{}
	for _, frond := range cat.Fronds {
		for _, door := range frond.Doors {
			for _, op := range door.Operations {
				methods[methodKey(door.Name, op.Name)] = op
			}
		}
	}
	return methods
}
