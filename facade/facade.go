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
// each: scope.go for find and scope; admit.go with lifecycle.go; read.go and write.go, handler.go
// or remote.go; egress.go. The path is the same for every surface. An execution goes along the
// path. It has a viewer: the caller, and the doors and fields that exist for it. Both are in
// execution.go. A function that needs less than them is given less.
//
// [New] decides once who answers an operation and who keeps the rows of a door: a runner and a
// keeper (host.go). The store of this host, the author's handlers and the remotes have one each,
// and bind chooses. No step asks again. A [Trace] follows an execution, for explanations and
// live queries.
//
// # A host in a few lines
//
//	project, err := facade.Read(os.DirFS("shop"))
//	post := project.Door("post")
//	facade.HandleCommand(post, "publish", publish)      // func(ctx, PublishInput) (Post, error)
//	facade.Present(post, "excerpt", text, excerpts, "body") // func(ctx, []facade.Row) ([]string, error)
//	compiled, err := compile.Project(project, nil)
//	f, err := facade.New(compiled, store, nil)
//	_, err = seed.Write(ctx, f)
//	res, err := f.Call(ctx, &facade.Call{Entity: "post", Operation: "list"})
//
// [Read] reads the folder, facade/compile compiles it and reports every fault at once. The result
// never changes: a host whose cards change has a new façade. Package frond, at the root of
// the module, is what Go authors write against; it attaches its typed doors here.
//
// # The packages below
//
//	facade/catalog     doors, operations, facts and surfaces, as data
//	facade/access      collectors: rules, scopes, computed fields
//	facade/expression  what authors write in frond.yaml to be evaluated
//	facade/filter      the filter grammar of list and of rules
//	facade/rows        rows as JSON text with an index
//	facade/budget      bounds on the memory of a process
//	facade/project     a project as it is written: folders, frond.yaml, discovery documents
//	facade/kiterror    the error that every failure leaves by
//
// These packages do not know calls. [New] binds the compiled catalog to the code that answers.
//
// # The packages above
//
//	facade/compile     a project becomes a catalog, with all that it is bound to
//	facade/remote      the calls of Fronds that run elsewhere
//	facade/seed        the rows of the first start
//	facade/explain     a report of one call
//	facade/readset     the rows that a live query read
//
// # Rows are text
//
// Between a store and a surface rows stay encoded: a [rows.Rows] is the JSON text that a store
// wrote. Fields a caller may not read were never selected; only where a value has to be encoded,
// or a computed field to be added, are rows written again. So a page of 100 rows takes some 30
// allocations here, with any fields. A call with [Each] asks for many keys in one execution;
// that is how relations and batches are read.
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
// either. The package knows no network, no file and no query language, so it builds for browsers
// too (spec 1.8).
package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Options of [New]; nil is fine.
type Options struct {
	// Middleware wraps every call, including the calls of handlers; the first is outermost.
	Middleware []Middleware
	// Rehearse wraps the calls with a query, outside of Middleware; nil: it wraps no call. Package facade/rehearse has it.
	Rehearse Middleware
	// Remotes sends the calls of the Fronds that run elsewhere; nil: those calls fail.
	Remotes Remotes
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
	seeds []SeedFile
}

var _ Caller = (*Facade)(nil)

// New makes the façade of a project over a store. The error is schema.Faults: facts that the store
// keeps no events of. A nil store is fine for those who call no door with rows; calls that need rows
// then answer SERVICE_UNAVAILABLE. c is not changed and may be used again; opts may be nil.
func New(c *Compiled, store Store, opts *Options) (*Facade, error) {
	if opts == nil {
		opts = &Options{}
	}
	h := &host{catalog: c.Catalog, store: store, registry: c.Registry, now: opts.Now, remotes: opts.Remotes, last: opts.Position, suggest: opts.Suggest, local: storeKeeper{}}
	if h.now == nil {
		h.now = time.Now
	}
	h.crosses, h.pointing, h.rows = crosses(c.Catalog), pointing(c.Catalog), rowsAnywhere
	h.pointers, h.following = pointers(c.Catalog), following(c.Catalog, h.pointing)
	bind(h, c)
	if h.store == nil {
		h.store = noStore{}
	}
	can := h.store.Abilities()
	h.transactor, h.outbox, h.dryRuns, h.values, h.keepValue = can.Transactor, can.Outbox, can.DryRuns, can.KeyValues, can.KeepValue
	if h.outbox == nil && store != nil {
		if faults := outboxFaults(h.catalog); faults != nil {
			return nil, faults
		}
	}
	h.entry = CallerFunc(h.walk)
	for i := len(opts.Middleware) - 1; i >= 0; i-- {
		h.entry = opts.Middleware[i](h.entry)
	}
	if h.queried = h.entry; opts.Rehearse != nil {
		h.queried = opts.Rehearse(h.entry)
	}
	return &Facade{h, c.Seeds}, nil
}

// Catalog returns the served catalog. It never changes and is shared.
func (f *Facade) Catalog() *catalog.Catalog { return f.host.catalog }

// Store returns the store that keeps the rows of the host.
func (f *Facade) Store() Store { return f.host.store }

// Pointers returns the relations of rows to rows of an entity.
func (f *Facade) Pointers(e *schema.Entity) []*schema.Property { return f.host.pointers[e] }

// FollowedElsewhere reports whether rows of other hosts may follow deleted rows of an entity.
func (f *Facade) FollowedElsewhere(e *schema.Entity) bool { return f.host.followed(e) }

// Seeds returns the rows of the project's seeds as they were read; see facade/seed.
func (f *Facade) Seeds() []SeedFile { return f.seeds }

// Complete judges a row and completes it as create does for the author's own code, without
// writing it. Rows that do not fit the card are an *Error with details.
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
	return WithState(context.WithValue(ctx, callContextKey{}, &callContext{host: f.host, state: state, transaction: f.host.transactionOf(ctx), cause: causeOf(ctx, callContextOf(ctx))}), state)
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

// outboxFaults returns the faults of facts that built-in commands emit, over a store without an
// outbox.
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
// context, by [Inside] and [From], and its events are one transaction. fn runs again if another
// transaction came between (see [Transactor]); hooks after commands run when it is committed.
// There is no caller: the state is nil. trace is the traceparent of the cause, or "". Over a
// store without transactions each call commits by itself. A panic of fn is INTERNAL_ERROR.
func (f *Facade) Transact(ctx context.Context, trace string, fn func(ctx context.Context) error) error {
	return f.host.authored(ctx, trace, nil, fn)
}

// Together runs calls as one transaction, as [Facade.Transact] does. fn has no effect but its calls: it runs again
// if they read rows of other hosts, which are asked before the transaction.
func (f *Facade) Together(ctx context.Context, trace string, fn func(ctx context.Context) error) error {
	var known *inquiry
	if f.host.crosses {
		known = &inquiry{}
	}
	return f.host.authored(ctx, trace, known, fn)
}

func (h *host) authored(ctx context.Context, trace string, known *inquiry, fn func(ctx context.Context) error) error {
	outer := h.transactionOf(ctx)
	var t *transaction
	run := func(ctx context.Context) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = kiterror.Panicked(p)
			}
		}()
		return fn(WithState(context.WithValue(ctx, callContextKey{}, &callContext{host: h, trace: trace, transaction: t, cause: causeOf(ctx, callContextOf(ctx))}), nil))
	}
	if h.transactor == nil {
		return run(ctx)
	}
	err := h.transact(ctx, outer, known, func(inner context.Context) error {
		t = &transaction{host: h, base: ctx, inquiry: known}
		return run(inner)
	})
	if err != nil {
		return err
	}
	if !InDryRun(ctx) { // else there was no commit
		t.committed(outer)
	}
	return nil
}

// Joins reports whether an operation of the surface that shows view writes, or why it cannot be part
// of a transaction of several calls: a caller without the right to a command is refused before the
// transaction begins. An unknown operation is reported when it is called.
func (f *Facade) Joins(ctx context.Context, view *catalog.Catalog, state access.State, entity, operation string) (writes bool, err error) {
	door, op := view.Find(entity, operation)
	if op == nil {
		return false, nil
	}
	writes = op.Kind == catalog.Command
	if err := f.cannotJoin(door, op); err != nil || !writes {
		return writes, err
	}
	if collector := f.host.doors.of(door).collector; access.AuthorityOf(door, collector) == catalog.ByRules {
		if _, err := access.ScopeOf(ctx, collector, f.host.now, state, door, op); err != nil {
			return true, kiterror.AsError(err).At(door.Name, op.Name)
		}
	}
	return true, nil
}

// cannotJoin returns why an operation cannot be part of a transaction of several calls, or nil.
func (f *Facade) cannotJoin(door *catalog.Door, op *catalog.Operation) error {
	switch {
	case door.Frond.Remote != "":
		return nil // [Facade.PassesOn] is asked about all calls together
	case f.host.operations.of(op).detached:
		return kiterror.Errorf(kiterror.NotImplemented, "%s.%s has a detached handler, outside of this transaction; call it by itself", door.Name, op.Name).At(door.Name, op.Name)
	}
	if f.host.transactor == nil {
		return kiterror.Errorf(kiterror.NotImplemented, "the store of this host has no transactions; send the calls one by one")
	}
	return nil
}

// bind decides who answers each operation and who keeps the rows of each door.
func bind(h *host, c *Compiled) {
	h.facts = map[*catalog.Fact]*boundFact{}
	for d := range c.Catalog.Doors() {
		h.doors = append(h.doors, newBoundDoor(d, c))
	}
	for d := range c.Catalog.Doors() {
		for _, op := range slices.AppendSeq(slices.Clone(d.Operations), maps.Values(d.Inside)) {
			for op.Index >= len(h.operations) {
				h.operations = append(h.operations, nil)
			}
			code := c.Handlers[op]
			h.operations[op.Index] = &boundOperation{Operation: op, reader: readerOf(h, op), handler: code.Handler, detached: code.Detached, hooks: c.Hooks[op]}
		}
	}
	for fact := range c.Catalog.Facts() {
		h.facts[fact] = newBoundFact(h, fact, c)
	}
	for _, op := range h.operations {
		if op != nil { // an operation that a remote lacks has an index too
			op.answer()
			if op.Builtin && h.followed(op.Door.Entity) {
				followDeletes(op)
			}
			if op.Builtin && op.Name == "import" && op.runner.by == byRemote {
				op.runner.run = importsElsewhere(op.runner.run)
			}
		}
	}
}

// followDeletes has deletes do what onDelete says of rows elsewhere. A handler in the place of delete reaches the built-in.
func followDeletes(op *boundOperation) {
	switch {
	case op.Name == "delete":
		op.inner.run = deletesPointed(op.inner.run)
	case op.Name == "deleteMany":
		op.inner.run = manyDeletesPointed(op.inner.run)
	default:
		return
	}
	if op.runner.by != byHandler {
		op.runner = op.inner
	}
}

// newBoundDoor binds a door to the store of this host, or to the remote that keeps its rows.
func newBoundDoor(d *catalog.Door, c *Compiled) *boundDoor {
	b := &boundDoor{Door: d, collector: c.Collectors[d], keeper: storeKeeper{}}
	remote := d.Frond.Remote != ""
	if remote {
		b.keeper = remoteKeeper{}
	}
	if d.Entity != nil {
		b.reader = &reader{entity: d.Entity, presenters: c.Presenters[d], versioned: d.ETag}
		b.byID = newOrder(d.Entity, nil)
		b.byID.foreign = remote
	}
	return b
}

// readerOf is the reader of the answer of an operation: the door's own, with its computed fields, if
// the answer is rows of the door.
func readerOf(h *host, op *catalog.Operation) *reader {
	switch {
	case op.Output == nil:
		return nil
	case op.OutDoor != nil && op.OutDoor.Entity == op.Output:
		return h.doors.of(op.OutDoor).reader
	}
	return &reader{entity: op.Output}
}

// newBoundFact binds a fact to the door whose collector judges its events. A fact without a door has
// one of its own, which no call reaches.
func newBoundFact(h *host, f *catalog.Fact, c *Compiled) *boundFact {
	b := &boundFact{}
	if f.Door != nil {
		b.judged = h.doors.of(f.Door)
	} else {
		b.judged = &boundDoor{Door: f.Judged, collector: c.Collectors[f.Judged], keeper: storeKeeper{}}
	}
	switch {
	case f.Data == nil:
	case f.Door != nil && f.Data == f.Door.Entity:
		b.reader = b.judged.reader // with its computed fields
	default:
		b.reader = &reader{entity: f.Data}
	}
	if f.Door == nil {
		b.judged.reader = b.reader
	}
	return b
}

// answer decides who answers the operation, for callers and for the author's own code: a handler
// that replaces a built-in reaches it so.
func (op *boundOperation) answer() {
	if op.Builtin {
		op.builtin = builtins[op.Name]
	}
	switch {
	case op.Door.Frond.Remote != "":
		op.hooks = nil // its Frond has its hooks where it runs
		op.runner = runner{byRemote, runRemote}
	case op.handler != nil:
		op.runner = runner{byHandler, runHandler}
	case op.builtin != nil:
		op.runner = runner{byStore, op.builtin.answer}
	default:
		op.runner = runner{byNobody, runNobody}
	}
	if op.builtin != nil && op.Name == "create" {
		many := *op.Operation
		many.Needs = []*catalog.Operation{op.Operation}
		b := builtins["createMany"]
		op.ofMany = &boundOperation{Operation: &many, builtin: b, runner: runner{byStore, b.answer}, inner: runner{byStore, b.answer}, reader: op.reader}
	}
	if op.inner = op.runner; op.runner.by == byHandler && op.builtin != nil {
		op.inner = runner{byStore, op.builtin.answer}
	}
}

// runNobody answers an operation that has a declaration and no code.
func runNobody(_ context.Context, x *execution) (*Result, error) {
	return nil, kiterror.Errorf(kiterror.NotImplemented, "%s.%s is declared and nothing answers it; attach a handler to it", x.door.Name, x.op.Name)
}

// builtins are the built-in operations by name.
var builtins = map[string]*builtin{
	"list":      {admitList, fillNothing, runList},
	"findById":  {admitID, fillNothing, runFindByID},
	"findByIds": {admitIDs, fillNothing, runFindByIDs},
	"create":    {admitCreate, fillCreate, runCreate},
	"update":    {admitUpdate, fillUpdate, runUpdate},
	"delete":    {admitID, fillNothing, runDelete},

	"aggregate": {admitAggregate, fillNothing, runAggregate},

	"createMany": {admitCreateMany, fillNothing, runCreateMany},
	"updateMany": {admitMany, fillNothing, runUpdateMany},
	"deleteMany": {admitMany, fillNothing, runDeleteMany},
	"upsert":     {admitUpsert, fillNothing, runUpsert},
	"import":     {admitImport, fillNothing, runImport},
}
