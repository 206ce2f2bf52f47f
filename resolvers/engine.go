package resolvers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/facade/singleflight"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/resolvers/validation"
)

// Options of [NewEngine]; nil is fine, and so is the zero value.
type Options struct {
	Limits Limits
	// Documents is how many documents keep their plan; 0 means 1,000, negative turns the cache
	// off.
	Documents int
	// Suggest adds "Did you mean …" to messages about names that do not exist.
	// Off, a caller learns only about names it already knows.
	Suggest bool
	// NoIntrospection refuses __schema and __type.
	NoIntrospection bool
	// NoCoalesce executes every request by itself. Otherwise queries that are equal in
	// document, operation, variables and state, and arrive while one of them is executed,
	// share the next execution. Set it where anything else decides over a response, such as
	// values that middleware puts into the context of a request.
	NoCoalesce bool
	// Budget bounds the memory of all requests and how many are executed at once; nil:
	// unbounded. With a budget, every [Response] has to be released.
	Budget *budget.Budget
	// Logger logs internal failures; nil means slog.Default().
	Logger *slog.Logger
	// Newer reports whether newer cards have changed the store, whose rows may then have values that this program's schema has no
	// form for. nil: they have not.
	Newer func(context.Context) bool
	// Atomic makes mutations with @atomic transactions; nil: they are refused.
	Atomic Transactor
	// Watch admits the subscribers of facts, as [facade.Facade.Watch] does; nil: subscriptions
	// are refused.
	Watch func(ctx context.Context, s *facade.Subscription) (Watch, error)
}

// Request is one GraphQL request.
type Request struct {
	Query         string
	OperationName string          // "" where the document has one operation
	Variables     json.RawMessage // an object, null, or no text
	Extensions    json.RawMessage // an object, null, or no text; the engine reads none of them
	State         access.State    // the caller
	Trace         string          // traceparent, where one came along
	ReadOnly      bool            // refuse mutations: the request came by GET

	live  bool             // a live query, whose turn its executor decides
	event *facade.Revealed // the event that a subscription is executed for
}

// Response is the response of a request (specification 7.1). Body is valid until Release.
type Response struct {
	// Body is the response map: {"data":…,"errors":…}. It must not be written to: equal
	// requests may share it.
	Body []byte
	// Status is the HTTP status of the answer as application/graphql-response+json: 200 once
	// execution began, even if fields failed; otherwise 4xx. It is 503 if the budget has no
	// memory left for the response.
	Status int
	// RetryAfter is the value of the header Retry-After of a 503; otherwise "".
	RetryAfter string
	// Executed reports whether execution began, so that Body has a member data.
	Executed bool
	// Failed reports whether Body has errors.
	Failed bool
	// Type is query, mutation or subscription, and Name the operation's name in its document.
	// Both are "" without an operation; Name is "" for a nameless one.
	Type, Name string
	// Coalesced reports that the execution of an equal request gave the response.
	Coalesced bool

	by      *Request // whose execution it is, where it may be shared; else nil
	buffers *buffers
	account *budget.Account // that of the execution; nil: unlimited
	readers int32           // the number of readers of buffers; 0: none
}

// Release gives the memory of Body back, for another response, when every request that
// shares it has released it. Body is nil afterwards. Without a budget it is optional. It may
// be called more than once, but not from several goroutines at once.
func (r *Response) Release() {
	if r.buffers != nil {
		b := r.buffers
		r.buffers, r.Body = nil, nil
		if r.readers == 0 || b.released.Add(1) == r.readers {
			b.free()
			r.account.Close()
		}
	}
}

// Engine executes documents against one schema. It is immutable but for its cache of
// plans, and may be used from many goroutines.
type Engine struct {
	schema  *binding.Schema
	caller  facade.Caller
	types   *types
	rules   *validation.Validator
	exec    *executor
	limits  Limits
	docs    *cache
	report  language.Reporter
	options Options

	group   group // nil: every request is executed by itself
	running atomic.Int64
}

// NewEngine returns an engine for a built schema; its calls go to caller. opts may be nil. It
// fails without a schema or a caller, and if a subscription type, or a type other than a row (a
// connection, an edge, a PageInfo), has a hand-written field.
func NewEngine(s *binding.Schema, caller facade.Caller, opts *Options) (*Engine, error) {
	if s == nil || caller == nil {
		return nil, errors.New("resolvers: an engine needs a schema and a caller")
	}
	if opts == nil {
		opts = &Options{}
	}
	loaded := s.AST
	if err := whole(s, loaded); err != nil {
		return nil, err
	}
	e := &Engine{
		schema:  s,
		caller:  caller,
		limits:  opts.Limits.withDefaults(),
		docs:    newCache(opts.Documents),
		options: *opts,
	}
	inputs := language.NewTypes(loaded)
	inputs.Suggest = opts.Suggest
	e.types = newTypes(loaded, s, inputs)
	e.rules = validation.New(loaded, inputs, validation.Options{Limits: e.limits.document(), Suggest: opts.Suggest, NoIntrospection: opts.NoIntrospection})
	e.report = language.Reporter{Logger: opts.Logger, Timeout: e.limits.Execution, Newer: opts.Newer}
	if opts.Logger == nil {
		e.report.Logger = slog.Default()
	}
	e.exec = &executor{Caller: caller, Schema: s, Types: e.types, Report: &e.report, MaxResponse: e.limits.Response}
	if !opts.NoCoalesce {
		e.group = &singleflight.Group[requestKey, *Response]{Drop: (*Response).Release}
	}
	return e, nil
}

// Execute executes one request (specification 6.1). It never returns nil and never panics:
// every failure is an entry of the response's errors.
//
//	prepare    the document is parsed, measured and validated, or taken from the cache
//	operation  GetOperation: the one that operationName names (6.1)
//	coerce     CoerceVariableValues (6.1.2)
//	share      equal requests that arrive together share the next steps
//	plan       which calls to make and what to write, compiled once per document
//	execute    the calls, level by level (6.2, 6.3)
//	write      the rows' text, in the order of the selection set (7)
//
// A subscription is refused: it has many responses, which [Engine.Open] gives.
func (e *Engine) Execute(ctx context.Context, r *Request) (resp *Response) {
	defer e.rescue(ctx, r, &resp)
	op, vars, refused := e.begin(r)
	switch {
	case refused != nil:
		return refused
	case op.def.Operation == ast.Subscription:
		return op.named(refuse(400, []*language.Error{streamFault(op.def)}))
	}
	return e.once(ctx, op, vars, r)
}

// begin finds the operation of a request and coerces its variables, or refuses it.
func (e *Engine) begin(r *Request) (*operation, *language.Variables, *Response) {
	doc, errs := e.prepare(r.Query)
	if errs != nil {
		return nil, nil, refuse(400, errs)
	}
	op, f := doc.operation(r.OperationName)
	if f != nil {
		return nil, nil, refuse(400, []*language.Error{f})
	}
	if r.ReadOnly && op.def.Operation == ast.Mutation {
		return nil, nil, refuse(405, []*language.Error{methodFault(op.def)})
	}
	vars, errs := op.vars.Coerce(r.Variables)
	if errs == nil {
		if f := op.undecided(vars); f != nil {
			errs = []*language.Error{f}
		}
	}
	if errs != nil {
		return nil, nil, refuse(400, errs)
	}
	return op, vars, nil
}

// once executes a query or a mutation.
func (e *Engine) once(ctx context.Context, op *operation, vars *language.Variables, r *Request) (resp *Response) {
	ctx, cancel := e.limits.deadline(ctx)
	defer cancel()
	if q, ok := e.requestKey(ctx, op, r); ok {
		resp = e.share(ctx, q, vars, r)
	} else {
		resp = e.execute(ctx, op, vars, r)
	}
	return op.named(resp)
}

// named notes whose response it is.
func (op *operation) named(resp *Response) *Response {
	resp.Type, resp.Name = string(op.def.Operation), op.def.Name
	return resp
}

// execute executes one operation within its deadline. An execution that requests share has
// a deadline of its own, since it does not end with the context of one of them.
func (e *Engine) execute(ctx context.Context, op *operation, vars *language.Variables, r *Request) (resp *Response) {
	defer e.rescue(ctx, r, &resp)
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = e.limits.deadline(ctx)
		defer cancel()
	}
	ctx, account, err := e.options.Budget.Open(ctx)
	if err == nil && !r.live {
		err = account.Begin()
	}
	if err != nil {
		account.Close()
		return e.overloaded(ctx, r, err)
	}
	within := facade.WithState(ctx, r.State)
	if op.cancellable {
		return e.run(within, account, op, vars, r)
	}
	return e.inTime(within, r, func() *Response { return e.run(within, account, op, vars, r) })
}

// run executes an operation and writes its response, which closes the account when it is
// released.
func (e *Engine) run(ctx context.Context, account *budget.Account, op *operation, vars *language.Variables, r *Request) (resp *Response) {
	defer func() {
		if resp == nil { // it panicked, or its goroutine was ended
			account.Close()
		}
	}()
	p := op.plan(e, vars)
	if p.Positions() {
		ctx = consistency.Latest(ctx)
	}
	b := takeBuffers()
	defer b.forget()
	b.exec.Begin(e.exec, task{Ctx: ctx, Vars: vars, State: r.State, Trace: r.Trace, Account: account, Mutation: p.Mutation, Event: r.event, Serial: readset.InBatch(ctx)})
	b.writer.Begin(&b.exec, e.limits.Response)
	resp = b.respond(p, op.together(vars), e.options.Atomic)
	resp.account = account
	account.Keep(cap(resp.Body)) // the rows are written
	account.End()
	return resp
}

// overloaded is the response of a request that the budget has no memory for.
func (e *Engine) overloaded(ctx context.Context, r *Request, err error) *Response {
	resp := refuse(kiterror.ServiceUnavailable.Status(), []*language.Error{e.report.Failed(ctx, r.Trace, err)})
	resp.RetryAfter = kiterror.AsError(err).RetryAfter()
	return resp
}

// rescue replaces the response of a request whose execution panicked.
func (e *Engine) rescue(ctx context.Context, r *Request, resp **Response) {
	if p := recover(); p != nil {
		*resp = refuse(500, []*language.Error{e.report.Panicked(ctx, r.Trace, p)})
	}
}

func streamFault(op *ast.OperationDefinition) *language.Error {
	return &language.Error{
		Message: "A subscription has many answers; open a websocket of the protocol graphql-transport-ws, or send it with Accept: text/event-stream.",
		At:      language.Positions(op.Position),
		Code:    string(kiterror.BadRequest),
	}
}

func methodFault(op *ast.OperationDefinition) *language.Error {
	return &language.Error{
		Message: "A " + string(op.Operation) + " is not answered over GET; send it as a POST.",
		At:      language.Positions(op.Position),
		Code:    string(kiterror.MethodNotAllowed),
	}
}

// whole returns why the engine cannot execute a field of the schema, or nil. A page is made of
// rows while it is written, so it never exists as a value that could be passed to a function of
// the author's.
func whole(s *binding.Schema, loaded *ast.Schema) error {
	if sub := loaded.Subscription; sub != nil {
		for _, f := range sub.Fields {
			if b := s.Fields.Of(sub.Name, f.Name); b == nil || b.Kind != binding.Event && b.Kind != binding.Operation {
				return fmt.Errorf("resolvers: the field %s.%s is neither a fact nor a query of a card; leave it out", sub.Name, f.Name)
			}
		}
	}
	for name, fields := range s.Fields {
		def := loaded.Types[name]
		if def == nil || !ofPages(fields) {
			continue
		}
		for _, f := range def.Fields {
			if fields[f.Name] == nil {
				return fmt.Errorf("resolvers: the field %s.%s is registered on %[3]s, which is no row; add it to the row's type", name, f.Name, name)
			}
		}
	}
	return nil
}

// ofPages reports whether bindings belong to a connection, an edge or a PageInfo.
func ofPages(fields map[string]*binding.Field) bool {
	for _, b := range fields {
		return b.Kind >= binding.Items // they come together or not at all
	}
	return false
}
