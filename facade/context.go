package facade

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

type stateKey struct{}

// WithState puts the caller's state into ctx, for code that has no Call at hand:
// hand-written resolvers and handlers.
func WithState(ctx context.Context, s access.State) context.Context {
	return context.WithValue(ctx, stateKey{}, s)
}

// StateFrom is the state WithState put into ctx, or nil.
func StateFrom(ctx context.Context) access.State {
	s, _ := ctx.Value(stateKey{}).(access.State)
	return s
}

// callContext holds the facts of a context about the calls around it: which façade runs them,
// for whom, and how deep they are nested.
type callContext struct {
	host    *host
	state   access.State
	trace   string
	depth   int
	inside  bool // the next call is the author's own
	kept    bool // it gets values as they are kept (see FromKept)
	owned   bool // it writes rows that belong to a row
	pending *pendingPrecondition
	op      *boundOperation // whose handler, hook or presenter runs
	// transaction is the transaction of the command whose calls these are, or nil.
	transaction *transaction
	cause       cause // of the calls; the zero cause: each is its own
	// passed answers a call that another host makes together with others, in place of the steps admit and run; nil: it is made by itself.
	passed func(context.Context, *execution) (*Result, error)
}

type callContextKey struct{}

// callContextOf is the call context of ctx, or nil outside of calls.
func callContextOf(ctx context.Context) *callContext {
	s, _ := ctx.Value(callContextKey{}).(*callContext)
	return s
}

// maxDepth is how deep calls may be nested: handlers that call each
// other in a circle end here and not on the stack.
const maxDepth = 32

// From is, within a handler, a hook or a presenter, a Caller with the rights of the call's
// caller: the caller's state and collectors, and answers as the caller would get them. A Call
// that brings a State of its own keeps it. Outside of a handler's context every call fails with
// INTERNAL_ERROR.
func From(ctx context.Context) Caller { return caller{at: callContextOf(ctx)} }

// FromKept is [From] for values that go on into Go code: the same rows and fields, but not
// encoded, so that a handler that answers them has them encoded once. Rows of a Frond that
// runs elsewhere arrive encoded.
func FromKept(ctx context.Context) Caller { return caller{at: callContextOf(ctx), kept: true} }

// Inside is, within a handler or a presenter, a Caller for the author's own code. It calls on
// the inner side of the boundary: fields that are closed or immutable for callers may be
// written and read, values are neither decoded nor encoded, collectors do not scope, and
// computed fields come only if Select names them. For an operation with an overriding handler
// it calls the built-in one.
func Inside(ctx context.Context) Caller { return caller{at: callContextOf(ctx), inside: true} }

// caller is From and Inside: a façade, as seen from one of its handlers.
type caller struct {
	at     *callContext
	inside bool
	kept   bool
	owned  bool
}

// Call implements [Caller]: it fills in state and trace of the context's call.
func (c caller) Call(ctx context.Context, call *Call) (*Result, error) {
	if c.at == nil {
		return nil, kiterror.Errorf(kiterror.InternalError, "this context is not a handler's; hand on the one the handler was given")
	}
	if call.Invocation.State == nil || call.Invocation.Trace == "" {
		copied := *call
		if copied.Invocation.State == nil {
			copied.Invocation.State = c.at.state
		}
		if copied.Invocation.Trace == "" {
			copied.Invocation.Trace = c.at.trace
		}
		call = &copied
	}
	next := *c.at
	next.inside, next.kept, next.owned, next.passed = c.inside, c.kept, c.owned, nil
	if next.transaction = c.at.host.transactionOf(ctx); next.transaction == nil && c.at.transaction != nil {
		return nil, errOutside
	}
	return c.at.host.Call(context.WithValue(ctx, callContextKey{}, &next), call)
}

// transactionOf is the transaction of h that calls with ctx are part of, or nil.
func (h *host) transactionOf(ctx context.Context) *transaction {
	if s := callContextOf(ctx); s != nil && s.transaction != nil && s.transaction.host == h {
		return s.transaction
	}
	return nil
}

// InTransaction reports whether calls with ctx are part of a command's transaction. Their reads
// may be rolled back: do not keep them beyond the command.
func InTransaction(ctx context.Context) bool {
	s := callContextOf(ctx)
	return s != nil && s.transaction != nil
}

// IsNested reports whether calls with ctx are made within another call, by the author's code or as part of a transaction.
func IsNested(ctx context.Context) bool { return callContextOf(ctx) != nil }

// errOutside is why a call that leaves the transaction it is made in is not made: it could
// wait for that transaction to end.
var errOutside = kiterror.Errorf(kiterror.InternalError, "this call is outside of the transaction it is made in; hand on the handler's context, "+
	"or attach the handler as detached")

// authorContext is the context of the author's code: it says which façade runs it and for
// whom (see [From] and [Inside]). by is the cause of its calls.
func authorContext(ctx context.Context, x *execution, by cause) context.Context {
	at := &callContext{host: x.host, state: x.state, trace: x.call.Invocation.Trace, depth: x.depth, pending: x.pending, op: x.op, transaction: x.transaction, cause: by}
	return WithState(context.WithValue(ctx, callContextKey{}, at), x.state)
}

type causeKey struct{}

// WithCause returns a context for the calls of a job, a consumer or a signed request: their events say so. call is the
// operation of the job or the name of the consumer; "" for a signed request, whose calls name themselves. of is the
// event that the consumer handles, whose user has caused the calls; nil for others.
func WithCause(ctx context.Context, by catalog.By, call string, of *Event) context.Context {
	c := &cause{by: by, call: call}
	if of != nil {
		c.state, c.parent = of.Actor.state(), of.Trace
	}
	return context.WithValue(ctx, causeKey{}, c)
}

// causeOf returns the cause of calls with ctx, within the call context s.
func causeOf(ctx context.Context, s *callContext) cause {
	if s != nil && s.cause.by != "" {
		return s.cause
	}
	if c, _ := ctx.Value(causeKey{}).(*cause); c != nil {
		return *c
	}
	return cause{}
}

type requestKey struct{}

// Request is one caller's request: all work for it, on every surface, shares its bounds. It is
// a context as well. A nil Request has no bounds.
type Request struct {
	context.Context
	caller any           // comparable; nil: not known
	work   time.Duration // that everything it does may take together; 0 or less: any time
	spent  atomic.Int64  // of work
	of     *Request      // whose work this is too ([ShareOf]), or nil
}

// The cost of a call beside its statements: for itself, and for each condition of its filter. Both
// are estimates.
const (
	callWork      = 50 * time.Microsecond
	conditionWork = 10 * time.Microsecond
)

// Value is the request itself for its key.
func (r *Request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// WithRequest marks everything that is done for ctx as one request of a caller, so that it cannot
// take what all share. caller is a comparable value, and work the time that its statements, and
// what else it does, may take together; less than 0 is any time. Where ctx is a part of another
// request, nil and 0 mean the caller and the bound of that one; else for a caller that
// [Request.By] names later, and for any time.
func WithRequest(ctx context.Context, caller any, work time.Duration) context.Context {
	r := &Request{Context: ctx, caller: caller, work: work}
	if of := RequestOf(ctx); of != nil {
		if caller == nil {
			r.caller = of.caller
		}
		if work == 0 {
			r.work = of.work
		}
	}
	return r
}

// ShareOf bounds a part of the request of ctx: the statements of the part may take work together, and
// they count as work of the request too.
func ShareOf(ctx context.Context, work time.Duration) context.Context {
	r := &Request{Context: ctx, work: work, of: RequestOf(ctx)}
	r.caller, _ = r.of.Shares()
	return r
}

// RequestOf returns the request of ctx, or nil outside of requests.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// By sets the sender of the request, before its first call.
func (r *Request) By(caller any) {
	if r != nil {
		r.caller = caller
	}
}

// Shares returns the keys that the connections of a store are shared by: comparable values for the
// sender of the request and for the request, or nil.
func (r *Request) Shares() (caller, request any) {
	if r == nil {
		return nil, nil
	}
	return r.caller, r
}

// Spend adds work that was done. The error is [Request.Exhausted].
func (r *Request) Spend(d time.Duration) error {
	if r == nil {
		return nil
	}
	if err := r.of.Spend(d); err != nil || r.work <= 0 {
		return err
	}
	r.spent.Add(int64(d))
	return r.Exhausted()
}

// Remaining returns how long a statement may run that has a limit of its own, or 0 for no limit. The
// error is [Request.Exhausted].
func (r *Request) Remaining(limit time.Duration) (time.Duration, error) {
	if r == nil || r.work <= 0 {
		return limit, nil
	}
	rest := r.work - time.Duration(r.spent.Load())
	if rest <= 0 {
		return 0, r.Exhausted()
	}
	if limit > 0 {
		rest = min(rest, limit)
	}
	return rest, nil
}

// Exhausted returns UNPROCESSABLE_ENTITY where the request has done all the work that it may.
func (r *Request) Exhausted() error {
	if r == nil || r.work <= 0 || time.Duration(r.spent.Load()) < r.work {
		return nil
	}
	return kiterror.TooMuchWork(r.work)
}

// Statement is a statement that a store is about to run, in its own language.
type Statement struct {
	Text string `json:"text"`
	Args []any  `json:"args"`
	// Plan is how the store runs it, for [ObservePlans]; complete when the statement has ended.
	Plan *Plan `json:"plan,omitempty"`
}

// Plan is how a store runs one statement.
type Plan struct {
	Scans []Scan `json:"scans"` // in the store's order
	// Read is how many rows were read, as far as the store counts them: SQLite counts the rows
	// of whole tables.
	Read int64         `json:"read"`
	Took time.Duration `json:"took"`
}

// Scan is one step of a plan that reads or sorts rows.
type Scan struct {
	Text string `json:"text"` // in the store's words
	// Whole says that an index would spare it: it reads a table from its beginning, or sorts.
	Whole bool `json:"whole,omitempty"`
	// Rows is how many rows it read; 0 where the store does not count them.
	Rows int64 `json:"rows,omitempty"`
}

type observerKey struct{}

// Observe has every statement that a store runs for ctx reported to watch before it runs, from
// the goroutine that runs it. It replaces an earlier observer.
func Observe(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(ctx, observerKey{}, watch)
}

type plansKey struct{}

// ObservePlans is Observe for statements with their plans. A store asks its database for each,
// and some run the statement twice.
func ObservePlans(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(Observe(ctx, watch), plansKey{}, true)
}

// EstimatePlans is ObservePlans for plans that cost little: no statement runs twice, and rows may be
// estimates.
func EstimatePlans(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(Observe(ctx, watch), plansKey{}, false)
}

// PlansObserved reports whether the observer of ctx wants plans, and whether a statement may run twice
// for one: for stores.
func PlansObserved(ctx context.Context) (wanted, twice bool) {
	twice, wanted = ctx.Value(plansKey{}).(bool)
	return wanted, twice
}

// ObserverOf is the observer of ctx, or nil: for stores.
func ObserverOf(ctx context.Context) func(Statement) {
	watch, _ := ctx.Value(observerKey{}).(func(Statement))
	return watch
}

type dryRunKey struct{}

// DryRun has a store with [Abilities.DryRuns] undo its writes for ctx, once it knows
// whether the write succeeds.
func DryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, dryRunKey{}, true)
}

// InDryRun reports whether writes for ctx have to be undone.
func InDryRun(ctx context.Context) bool { return ctx.Value(dryRunKey{}) != nil }

type readOnlyKey struct{}

// ReadOnly marks a transaction whose calls are queries alone: it sees one state of the rows, and no
// write waits for it ([Transactor]).
func ReadOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, readOnlyKey{}, true)
}

// IsReadOnly reports whether a transaction that begins with ctx has queries alone: for stores.
func IsReadOnly(ctx context.Context) bool { return ctx.Value(readOnlyKey{}) != nil }

type originKey struct{}

// origin is a context that knows the call that its statements are run for.
type origin struct {
	context.Context
	call *Call
}

// enter makes o the origin of a call and returns it as the context of its statements.
func (o *origin) enter(ctx context.Context, c *Call) context.Context {
	o.Context, o.call = ctx, c
	return o
}

// Value is the origin itself for its key.
func (o *origin) Value(key any) any {
	if key == (originKey{}) {
		return o
	}
	return o.Context.Value(key)
}

// LogWait writes a line about a statement that ran out of time: its wait, and the sessions of the database
// behind it. It is for stores.
func LogWait(ctx context.Context, log *slog.Logger, took time.Duration, on, behind string) {
	attrs := append(operationOf(ctx), slog.Duration("took", took), slog.String("waits", cmp.Or(on, "unknown")))
	if behind != "" {
		attrs = append(attrs, slog.String("behind", behind))
	}
	log.LogAttrs(ctx, slog.LevelWarn, "the store ran out of time", attrs...)
}

// operationOf returns the attributes of a statement's line that name the operation, with room for more.
func operationOf(ctx context.Context) []slog.Attr {
	attrs := make([]slog.Attr, 0, 5)
	if o, _ := ctx.Value(originKey{}).(*origin); o != nil {
		attrs = append(attrs, slog.String("operation", o.call.Entity+"."+o.call.Operation))
		if o.call.Field != "" {
			attrs = append(attrs, slog.String("field", o.call.Field))
		}
	}
	return attrs
}
