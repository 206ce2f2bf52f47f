// Package facade is the waist of the gateway: on every surface a call is the same value,
// (entity, operation, invocation), and takes the same path (spec 1.1, 1.3).
//
//	find      the operation behind entity.op, and who answers it
//	scope     the collectors: the caller, their rights, the rows and fields that exist for them
//	admit     params, query and body judged against the cards; decoded; filled in
//	run       the built-in CRUD over the store, the author's handler, or the remote
//	project   closed and hidden fields removed, values encoded, computed fields added
//
// Read walk in path.go first, which has these five words as its statements, and then the files of
// each: scope.go for find and scope; admit.go with lifecycle.go; read.go and
// write.go, handler.go or remote.go; egress.go. Nothing on the path asks which surface a call
// came from. An execution goes along the path. It has a viewer: the caller, and the doors and
// fields that exist for it. Both are in execution.go. A function that needs less than them is
// given less.
//
// [New] decides once who answers an operation and who keeps the rows of a door: a runner and a
// keeper (host.go). The store of this host, the author's handlers and the remotes have one each,
// and bind.go chooses. No step asks again. A [Trace] follows an execution, for explanations and
// live queries.
//
// # A host in ten lines
//
//	project, err := facade.Read(os.DirFS("shop"))
//	post := project.Door("post")
//	facade.HandleCommand(post, "publish", publish)      // func(ctx, PublishInput) (Post, error)
//	facade.Present(post, "excerpt", text, excerpts, "body") // func(ctx, []facade.Row) ([]string, error)
//	f, err := facade.New(project, store, nil)
//	err = seed.Write(ctx, f)
//	res, err := f.Call(ctx, &facade.Call{Entity: "post", Operation: "list"})
//
// [Read] reads the folder, [New] compiles it and reports every fault at once. The result
// never changes: a host whose cards change has a new façade. Package frond, at the root of
// the module, is what Go authors write against; it attaches its typed doors here.
//
// # The packages below
//
//	facade/catalog     doors, operations, facts and surfaces, as data
//	facade/compile     a project becomes a catalog
//	facade/access      collectors: rules, scopes, computed fields
//	facade/expression  what authors write in frond.yaml to be evaluated
//	facade/filter      the filter grammar of list and of rules
//	facade/rows        rows as JSON text with an index
//	facade/budget      bounds on the memory of a process
//	facade/project     a project as it is written: folders, frond.yaml, discovery documents
//	facade/kiterror    the error that every failure leaves by
//
// None of them knows a call. [New] binds the compiled catalog to the code that answers: see
// bind.go.
//
// # The packages above
//
//	facade/remote      the calls of Fronds that run elsewhere
//	facade/seed        the rows of the first start
//	facade/explain     a report of one call
//	facade/readset     the rows that a live query read
//
// # Rows are text
//
// Between a store and a surface nobody decodes rows: a [rows.Rows] is the JSON text that a store
// wrote. Fields a caller may not read were never selected; only where a value has to be
// encoded, or a computed field to be added, are rows written again. So a page of 100 rows
// takes some 30 allocations here, with any fields. A call with [Each] asks for many keys
// in one execution; that is how relations and batches are read.
//
// # The fields of a caller
//
// One predicate decides what exists for a caller: [access.Scope.Readable]. A field that it denies
// is an unknown key everywhere: in fields, filter and sort, in a cursor, in the names that
// a message lists, and when it is written.
//
// # The two sides of the boundary
//
// Callers are outside of it: their values are decoded, their answers are encoded, closed
// fields do not pass. The author's own code is inside: a handler is given decoded
// values and answers values as they are kept. With [From] it calls with the rights of
// its own caller, and gets the same answer; with [Inside] it calls as itself.
//
// # Ports
//
// [Store] keeps rows, [access.Collector] turns a caller's state into a [access.Scope], [Caller] is
// anything that answers calls: the façade, the client of a remote, and the [Middleware] around
// either. Nothing here knows a network, a file or a query language, so the package builds
// for browsers too (spec 1.8).
package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Options of [New]; nil is fine.
type Options struct {
	// Middleware wraps every call, those of handlers included; the first is
	// outermost.
	Middleware []Middleware
	// List is how many rows a page holds where a door's frond.yaml does not say;
	// the zero value is 50, at most 500.
	List project.ListLimits
	// Unregistered receives each generator and conversion that a card names and nobody
	// registered, which is then no fault: for those who look at a project that
	// another program runs. A call that needs one fails.
	Unregistered func(schema.Fault)
	// Remotes sends the calls of the Fronds that run elsewhere; nil: those calls fail.
	Remotes Remotes
	// Incomplete says that there are remotes of which nothing is known yet: relations
	// may name entities that are not here, and appear when those do.
	Incomplete bool
	// User says which members of user rules may name.
	User access.UserMembers
	// Now is the clock of lifecycle: now and of aliases; nil is time.Now.
	Now func() time.Time
	// Position returns a position that the log of a Frond has reached; 0: it is not known, or
	// the rows that are going to be read with ctx may be older. nil: it never is.
	Position func(ctx context.Context, f *catalog.Frond) Position
	// Suggest has messages about names that do not exist suggest some that do, and failures of
	// the author's code name the field that they are about. It is for development: it discloses
	// names of the cards.
	Suggest bool
}

// Facade answers every call on the doors of its project. It is a [Caller], never
// changes and may be used from many goroutines.
type Facade struct {
	host  *host
	seeds []compile.SeedFile
}

var _ Caller = (*Facade)(nil)

// New compiles a project over a store. The error is schema.Faults: every fault of every
// file and of everything attached, at once. A nil store is fine for those who need the
// catalog alone; calls that need rows then answer SERVICE_UNAVAILABLE. p is not changed
// and can be compiled again; opts may be nil.
func New(p *Project, store Store, opts *Options) (*Facade, error) {
	if opts == nil {
		opts = &Options{}
	}
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	compiled, err := compile.Compile(&compile.Source{Vendor: p.Vendor, Fronds: p.Fronds, Registry: p.Registry, Attached: p.attached}, &compile.Options{
		Limits: opts.List.Or(project.ListLimits{Default: 50, Max: 500}), Unregistered: opts.Unregistered, Incomplete: opts.Incomplete, User: opts.User, Now: now,
	})
	if err != nil {
		return nil, err
	}
	h := &host{catalog: compiled.Catalog, store: store, registry: compiled.Registry, now: now, remotes: opts.Remotes, last: opts.Position, suggest: opts.Suggest, local: storeKeeper{}}
	bind(h, compiled, p)
	if h.store == nil {
		h.store = noStore{}
	}
	can := h.store.Abilities()
	h.transactor, h.outbox, h.dryRuns = can.Transactor, can.Outbox, can.DryRuns
	if h.outbox == nil && store != nil {
		if faults := outboxFaults(h.catalog); faults != nil {
			return nil, faults
		}
	}
	h.entry = CallerFunc(h.walk)
	for i := len(opts.Middleware) - 1; i >= 0; i-- {
		h.entry = opts.Middleware[i](h.entry)
	}
	return &Facade{h, compiled.Seeds}, nil
}

// Catalog returns the served catalog. It never changes and is shared.
func (f *Facade) Catalog() *catalog.Catalog { return f.host.catalog }

// Store returns the store that keeps the rows of the host.
func (f *Facade) Store() Store { return f.host.store }

// Seeds returns the rows of the project's seeds as they were read; see facade/seed.
func (f *Facade) Seeds() []compile.SeedFile { return f.seeds }

// Complete judges a row and completes it as create does for the author's own code, and writes
// nothing. Rows that do not fit the card are an *Error with details.
func (f *Facade) Complete(ctx context.Context, e *schema.Entity, row json.RawMessage) (Record, error) {
	door := &boundDoor{Door: &catalog.Door{Name: e.Name, Entity: e}, keeper: storeKeeper{}}
	op := &boundOperation{Operation: &catalog.Operation{Name: "create", Door: door.Door}, builtin: builtins["create"]}
	x := execution{viewer: viewer{host: f.host, call: &Call{}, inside: true, doorScope: access.Open, door: door, op: op}}
	x.body = judgeBody(&x.viewer, e, schema.Create, row)
	if err := x.refusal(); err != nil {
		return nil, err
	}
	if err := fill(ctx, &x); err != nil {
		return nil, err
	}
	return x.body, nil
}

// Call carries one call through the five steps (find, scope, admit, run, project), inside
// the middleware; see walk in path.go. The error is an *Error that names entity and
// operation. It may be called from many goroutines and does not change c.
func (f *Facade) Call(ctx context.Context, c *Call) (*Result, error) { return f.host.Call(ctx, c) }

// Enter is ctx for the author's own code outside of any call, such as a job or a test: with
// it [From] calls for state, and [Inside] as the author.
func (f *Facade) Enter(ctx context.Context, state access.State) context.Context {
	return WithState(context.WithValue(ctx, callContextKey{}, &callContext{host: f.host, state: state, transaction: f.host.transactionOf(ctx)}), state)
}

// On is the façade as one surface sees it: what view does not show is NOT_FOUND, with the
// message of a name that never existed, before any middleware; filters reach no door that
// view does not show. Handlers, presenters and collectors that the call comes to run in
// process again, where everything is shown. view comes from [catalog.Catalog.Surface] of f's own
// catalog; a caller cannot name it.
func (f *Facade) On(view *catalog.Catalog) Caller {
	if view == f.host.catalog {
		return f
	}
	return &surface{f.host, view}
}

// noStore is the store of a façade that was made without one.
type noStore struct{}

var errNoStore = kiterror.Errorf(kiterror.ServiceUnavailable, "this host keeps no rows: it was started without a store")

func (noStore) Find(context.Context, *Find) (*Found, error) { return nil, errNoStore }

func (noStore) Insert(context.Context, *schema.Entity, []Record, *Terms, *rows.Layout) (*rows.Rows, error) {
	return nil, errNoStore
}

func (noStore) Update(context.Context, *schema.Entity, json.RawMessage, *filter.Filter, Record, *Terms, *rows.Layout) (*rows.Rows, error) {
	return nil, errNoStore
}

func (noStore) Delete(context.Context, *schema.Entity, json.RawMessage, *filter.Filter, *Terms) (bool, error) {
	return false, errNoStore
}

func (noStore) Abilities() Abilities { return Abilities{} }

// Usable reports why no Frond can be made of a discovery document in any project:
// its cards contradict themselves, or have names that are none here. nil means that one
// can. from is where the document came from, for messages.
func Usable(d *schema.DiscoveredFrond, from string) error {
	src := project.Discovered(d, from)
	src.Remote = from
	project := &Project{Fronds: []*project.Frond{src}, Registry: schema.Builtins()}
	_, err := New(project, nil, &Options{Incomplete: true, Unregistered: func(schema.Fault) {}})
	return err
}

// outboxFaults returns the faults of facts that built-in commands emit, over a store that keeps none.
func outboxFaults(c *catalog.Catalog) (faults schema.Faults) {
	for fact := range c.Facts() {
		if fact.Frond.Remote == "" && (fact.On != nil || fact.Changes) {
			faults = append(faults, schema.Fault{
				File: fact.Frond.File, Pointer: cmp.Or(fact.At, "/changes"),
				Message: fmt.Sprintf("the fact %s cannot be kept: the store of this host has no outbox", fact.Name),
				Remedy:  "open a store of SQLite or PostgreSQL, or leave on and changes out",
			})
		}
	}
	return faults
}

// Verdicts calls each with the verdict on a caller for the operations of a view of the catalog, in
// their order: the code of the refusal, "" for an operation that may be called, and whether Go code
// or the host of a remote decides about each call. It asks the rules that a call asks first;
// collectors in Go are not called.
func (f *Facade) Verdicts(ctx context.Context, view *catalog.Catalog, state access.State, each func(op *catalog.Operation, refusal kiterror.Code, perCall bool)) {
	for op := range view.Operations() {
		refusal, perCall := mayCall(ctx, f.host, op.Door, op, state)
		if out := op.OutDoor; out != nil && out != op.Door && refusal == "" {
			var more bool
			refusal, more = mayCall(ctx, f.host, out, out.Reading(), state)
			perCall = perCall || more
		}
		each(op, refusal, perCall)
	}
}

// mayCall is the verdict of the collector of a door on an operation.
func mayCall(ctx context.Context, h *host, d *catalog.Door, op *catalog.Operation, state access.State) (code kiterror.Code, perCall bool) {
	collector := h.doors.of(d).collector
	if access.AuthorityOf(d, collector) != catalog.ByRules {
		return "", collector != nil || d.Frond.Remote != ""
	}
	if _, err := access.ScopeOf(ctx, collector, h.now, state, d, op); err != nil {
		code = kiterror.CodeOf(err)
	}
	return code, d.Frond.Remote != ""
}

// Transact runs code of the author as the handler of a command runs: the calls of fn with its
// context, by [Inside] and [From], and its events are one transaction. fn runs again where
// another transaction came between (see [Transactor]); hooks after commands run when it is
// committed. Nobody has called: the state is nil. trace is the traceparent of what caused it,
// or "". Over a store without transactions each call commits by itself. A panic of fn is
// INTERNAL_ERROR.
func (f *Facade) Transact(ctx context.Context, trace string, fn func(ctx context.Context) error) error {
	h := f.host
	outer := h.transactionOf(ctx)
	var t *transaction
	run := func(ctx context.Context) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = kiterror.Panicked(p)
			}
		}()
		return fn(WithState(context.WithValue(ctx, callContextKey{}, &callContext{host: h, trace: trace, transaction: t}), nil))
	}
	if h.transactor == nil {
		return run(ctx)
	}
	err := retryRaces(ctx, outer, h.transactor, func(inner context.Context) error {
		t = &transaction{host: h, base: ctx}
		return run(inner)
	})
	if err != nil {
		return err
	}
	t.committed(outer)
	return nil
}

// Joins returns why an operation of the surface that shows view cannot be part of a transaction of
// several calls, or nil. An unknown operation is reported when it is called.
func (f *Facade) Joins(view *catalog.Catalog, entity, operation string) error {
	door, op := view.Find(entity, operation)
	switch {
	case op == nil:
		return nil
	case door.Frond.Remote != "":
		return kiterror.Errorf(kiterror.NotImplemented, "%s.%s runs elsewhere, outside of this transaction; call it by itself", door.Name, op.Name).At(door.Name, op.Name)
	case f.host.operations.of(op).detached:
		return kiterror.Errorf(kiterror.NotImplemented, "%s.%s is answered by a detached handler, outside of this transaction; call it by itself", door.Name, op.Name).At(door.Name, op.Name)
	}
	if f.host.transactor == nil {
		return kiterror.Errorf(kiterror.NotImplemented, "the store of this host has no transactions; send the calls one by one")
	}
	return nil
}

// Project is the work of an author before it is compiled: Fronds with their cards
// and doors, and what Go code attaches to them. Fill it, then hand it to [New],
// which does not change it.
type Project struct {
	Vendor   string // x-kit-vendor; "" means frondhost
	Fronds   []*project.Frond
	Registry *schema.Registry // nil: schema.Builtins; add your own before New

	attached compile.Attached
	handlers []Handler // of attached.Handlers
	hooks    []Hook    // of attached.Hooks
}

// DoorRef names a door of a project for the functions that attach Go code to it:
// [Handle], [HandleQuery], [HandleCommand], [Present] and [Collect].
type DoorRef struct {
	project *Project
	name    string
}

// Door names a door to attach code to; one that does not exist is a fault that New reports.
func (p *Project) Door(name string) DoorRef { return DoorRef{p, name} }

// present keeps a computed field for New to attach.
func (d DoorRef) present(p *access.Presenter) {
	d.project.attached.Presenters = append(d.project.attached.Presenters, compile.AttachedPresenter{Door: d.name, Presenter: p})
}

// Collect attaches the collector that scopes a door (spec 1.3). A door has one;
// without it, it is open.
func Collect(door DoorRef, c access.Collector) {
	door.project.attached.Collectors = append(door.project.attached.Collectors, compile.AttachedCollector{Door: door.name, Collector: c})
}

// Handle attaches the handler of an operation that the door's frond.yaml declares,
// or one that replaces a built-in operation (see [Inside] for how it
// still reaches that one). Typed handlers are attached by [HandleQuery] and
// [HandleCommand].
//
// The calls that the handler of a command makes with its context, on doors of this host's
// store, are one transaction: all are committed when it returns without an error, or none
// is. It runs again where another transaction came between, and has two seconds from its
// first call on (see [Transactor]). Calls of remote Fronds are not part of it. [Detached]
// opts out.
func Handle(door DoorRef, name string, h Handler, options ...HandlerOption) {
	door.handle(name, "", h, options)
}

// handle keeps a handler for New to attach; kind is "" where the attaching function says
// nothing about it.
func (d DoorRef) handle(name string, kind catalog.Kind, h Handler, options []HandlerOption) {
	p := d.project
	p.attached.Handlers = append(p.attached.Handlers, compile.AttachedHandler{Door: d.name, Name: name, Kind: kind, Detached: slices.Contains(options, Detached)})
	p.handlers = append(p.handlers, h)
}

// Read reads a project's folder; see [project.Read] for how it is laid out. Faults
// inside the files are reported by [New], all at once. The error is schema.Faults.
func Read(fsys fs.FS) (*Project, error) {
	fronds, err := project.Read(fsys)
	if err != nil {
		return nil, err
	}
	return &Project{Fronds: fronds, Registry: schema.Builtins()}, nil
}

// Present adds a computed field to the rows of a door (spec 4.3.2). fn is given
// all rows of an answer at once, of a page or of a whole batch, and answers one
// value for each of them; it runs only where the field is asked for. The rows hold
// the fields that the caller may read; with needs they hold the fields needs names, whoever
// is asking, and only those are sure to be there. A value is marshalled to JSON.
//
// A failure is INTERNAL_ERROR and names the field where it is logged; see
// [Call].Partial. The name must not be one of the card's.
func Present[T any](door DoorRef, name string, shape schema.Shape, fn func(ctx context.Context, found []rows.Row) ([]T, error), needs ...string) {
	door.present(&access.Presenter{
		Computed: catalog.Computed{Name: name, Shape: shape, Description: shape.Description, Needs: needs},
		Fn: func(ctx context.Context, found []rows.Row) ([]json.RawMessage, error) {
			values, err := fn(ctx, found)
			if err != nil {
				return nil, err
			}
			texts := make([]json.RawMessage, len(values))
			for i, v := range values {
				if texts[i], err = jsontext.Marshal(v); err != nil {
					return nil, err
				}
			}
			return texts, nil
		},
	})
}

// Attach adds a hook to a command of the door, built in or the author's own. Hooks run in
// the order they were attached. Calls that a hook, or the handler of the command, makes
// to the same command by [Inside] run no hooks again.
func Attach(door DoorRef, operation string, h Hook) {
	p := door.project
	p.attached.Hooks = append(p.attached.Hooks, compile.AttachedHook{Door: door.name, Name: operation, Before: h.Before != nil})
	p.hooks = append(p.hooks, h)
}

// Check has [New] call check with the compiled door, and report its faults beside all
// others. It is how Go code that expects something of a door says so at the start. A
// project is compiled again when a remote changes, so check may run more than once.
func Check(door DoorRef, check func(*catalog.Door) schema.Faults) {
	door.project.attached.Checks = append(door.project.attached.Checks, compile.AttachedCheck{Door: door.name, Check: check})
}

// HandleQuery attaches a typed handler to an operation that reads. In is decoded
// from one object: the members of params, then of query, then of the body; Out is
// marshalled. See [Handle].
func HandleQuery[In, Out any](door DoorRef, name string, fn func(ctx context.Context, in In) (Out, error)) {
	door.handle(name, catalog.Query, typed(fn), nil)
}

// HandleCommand attaches a typed handler to an operation that writes, as
// [HandleQuery] does to one that reads.
func HandleCommand[In, Out any](door DoorRef, name string, fn func(ctx context.Context, in In) (Out, error), options ...HandlerOption) {
	door.handle(name, catalog.Command, typed(fn), options)
}

// typed is a typed function as a Handler. Input that the cards admit and In does not take
// is INTERNAL_ERROR: the Go type is at fault.
func typed[In, Out any](fn func(ctx context.Context, in In) (Out, error)) Handler {
	return func(ctx context.Context, c *Call) (any, error) {
		var in In
		if err := json.Unmarshal(together(&c.Invocation), &in); err != nil {
			// The cards let it through: it is the Go type that does not fit them.
			return nil, kiterror.Internal(fmt.Errorf("%T cannot hold input that the cards of %s.%s admit: %w", in, c.Entity, c.Operation, err))
		}
		return fn(ctx, in)
	}
}

// together is one object with the members of params, query and body.
func together(in *Invocation) json.RawMessage {
	var all schema.Object
	for _, part := range []json.RawMessage{in.Params, in.Query, in.Body} {
		for name, value := range jsontext.Members(part) {
			all = append(all, schema.Member{Name: name, Value: value})
		}
	}
	return all.AppendJSON(nil)
}

// HandlerOption changes how a handler is attached.
type HandlerOption uint8

// Detached says that the calls of a command's handler are no transaction: each commits by
// itself, and the handler runs once. It is for handlers that call other services, which
// nobody rolls back. A detached command cannot be called within a transaction.
const Detached HandlerOption = 1
