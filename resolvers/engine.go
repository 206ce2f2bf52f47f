package resolvers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
)

// Options of [NewEngine]; nil is fine, and so is the zero value.
type Options struct {
	Limits Limits
	// Documents is how many documents keep their plan; 0 means 1,000, negative none.
	Documents int
	// Suggest adds "Did you mean …" to messages about names that do not exist.
	// Off, a caller learns only about names it already knows.
	Suggest bool
	// NoIntrospection refuses __schema and __type.
	NoIntrospection bool
	// Logger is told of failures that are ours; nil means slog.Default().
	Logger *slog.Logger
}

// Request is one GraphQL request.
type Request struct {
	Query         string
	OperationName string          // "" where the document has one operation
	Variables     json.RawMessage // an object, null, or no text
	Extensions    json.RawMessage // kept for persisted queries; not read yet
	State         facade.State    // who is calling
	Trace         string          // traceparent, where one came along
	ReadOnly      bool            // refuse mutations: the request came by GET
}

// Response is the answer of a request. Its Body is good until Release.
type Response struct {
	// Body is the response object: {"data":…,"errors":…}.
	Body []byte
	// Status is the HTTP status of the answer as application/graphql-response+json:
	// 200 once execution began, whatever became of the fields; else 4xx.
	Status int
	// Executed says that execution began, so that Body has a member data.
	Executed bool

	buf *buffer
}

// Release gives the Body's memory back for another request. It is optional.
func (r *Response) Release() {
	if r.buf != nil {
		b := r.buf
		r.buf, r.Body = nil, nil
		b.free()
	}
}

// Engine runs documents against one schema. It is immutable but for its cache of
// plans, and may be used from many goroutines.
type Engine struct {
	schema  *Schema
	caller  facade.Caller
	types   *types
	limits  Limits
	docs    *cache
	rules   []rule
	logger  *slog.Logger
	options Options
}

// NewEngine is an engine over a built schema. It fails where the schema has no AST
// and its SDL does not load, and where a field was added by hand to a type that
// stands for no row: a connection, an edge, a PageInfo.
func NewEngine(s *Schema, caller facade.Caller, opts *Options) (*Engine, error) {
	if s == nil || caller == nil {
		return nil, errors.New("resolvers: an engine needs a schema and a caller")
	}
	if opts == nil {
		opts = &Options{}
	}
	loaded := s.AST
	if loaded == nil {
		var err error
		if loaded, err = LoadSDL(s.SDL); err != nil {
			return nil, err
		}
	}
	if err := s.whole(loaded); err != nil {
		return nil, err
	}
	e := &Engine{
		schema:  s,
		caller:  caller,
		types:   newTypes(loaded, s),
		limits:  opts.Limits.withDefaults(),
		docs:    newCache(opts.Documents),
		rules:   rulesFor(opts.Suggest),
		logger:  opts.Logger,
		options: *opts,
	}
	if e.logger == nil {
		e.logger = slog.Default()
	}
	return e, nil
}

// Execute answers one request. It never fails and never panics: what goes wrong
// stands in the response's errors.
//
//	document   parsed, validated, within the limits; or taken from the cache
//	operation  the one that is asked for
//	variables  coerced to what the operation declares
//	plan       what to call and what to write, compiled once per document
//	run        the calls, level by level
//	write      the rows' text, in the order of the selection
func (e *Engine) Execute(ctx context.Context, r *Request) (resp *Response) {
	defer func() {
		if p := recover(); p != nil {
			resp = e.refuse(500, []*fault{e.panicked(ctx, r.Trace, p)})
		}
	}()
	doc, faults := e.document(r.Query)
	if faults != nil {
		return e.refuse(400, faults)
	}
	op, f := doc.operation(r.OperationName)
	if f != nil {
		return e.refuse(400, []*fault{f})
	}
	if r.ReadOnly && op.def.Operation != ast.Query {
		return e.refuse(405, []*fault{methodFault(op.def)})
	}
	vars, faults := op.coerce(r.Variables)
	if faults == nil {
		if f := op.undecided(vars); f != nil {
			faults = []*fault{f}
		}
	}
	if faults != nil {
		return e.refuse(400, faults)
	}
	ctx, cancel := e.limits.deadline(ctx)
	defer cancel()
	ctx = facade.WithState(ctx, r.State)
	return e.run(ctx, op.plan(e, vars), vars, r)
}

// refuse is the answer to a request that was not executed.
func (e *Engine) refuse(status int, faults []*fault) *Response {
	b := newBuffer()
	b.text = append(b.text, `{"errors":`...)
	b.text = appendFaults(b.text, faults)
	b.text = append(b.text, '}')
	return &Response{Body: b.text, Status: status, buf: b}
}
