package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Project is the work of an author before it is compiled: Fronds with their cards and doors,
// and the attached Go code. Package facade/compile compiles it and does not change it.
type Project struct {
	Vendor   string // x-kit-vendor; "" means frondhost
	Fronds   []*project.Frond
	Registry *schema.Registry // nil: schema.Builtins; add your own before it is compiled

	// What Go code attached, in the order it came. An unknown door, or one thing attached twice, is a
	// fault.

	Handlers   []AttachedHandler
	Presenters []AttachedPresenter
	Collectors []AttachedCollector
	Hooks      []AttachedHook
	Checks     []AttachedCheck
}

// AttachedHandler is a handler of an operation.
type AttachedHandler struct {
	Door, Name string
	Kind       catalog.Kind // of the operation, as the attaching function says; "": it does not
	Detached   bool
	Handler    Handler
}

// AttachedPresenter is a computed field.
type AttachedPresenter struct {
	Door string
	*access.Presenter
}

// AttachedCollector is the collector of a door.
type AttachedCollector struct {
	Door string
	access.Collector
}

// AttachedHook is a hook of an operation.
type AttachedHook struct {
	Door, Name string
	Hook       Hook
}

// AttachedCheck judges a door when the catalog is complete.
type AttachedCheck struct {
	Door  string
	Check func(*catalog.Door) schema.Faults
}

// Compiled is a project as [New] takes it: its catalog, with the rules and the Go code that are bound
// to it.
type Compiled struct {
	Catalog  *catalog.Catalog
	Registry *schema.Registry
	// Collectors are the collectors of doors and of facts without a door; a door without a
	// collector is open.
	Collectors map[*catalog.Door]access.Collector
	// Presenters make the computed fields of a door, in the order of its Computed.
	Presenters map[*catalog.Door][]*access.Presenter
	Handlers   map[*catalog.Operation]AttachedHandler
	Hooks      map[*catalog.Operation][]Hook // in the order they were attached
	Seeds      []SeedFile
}

// SeedFile is the rows of one entity for the first start.
type SeedFile struct {
	File   string
	Entity *schema.Entity
	Rows   []json.RawMessage
}

// DoorRef names a door of a project for the functions that attach Go code to it:
// [Handle], [HandleQuery], [HandleCommand], [Present] and [Collect].
type DoorRef struct {
	project *Project
	name    string
}

// Door names a door to attach code to. A name without a door is a fault of the project.
func (p *Project) Door(name string) DoorRef { return DoorRef{p, name} }

// present keeps a computed field.
func (d DoorRef) present(p *access.Presenter) {
	d.project.Presenters = append(d.project.Presenters, AttachedPresenter{Door: d.name, Presenter: p})
}

// Collect attaches the collector that scopes a door (spec 1.3). A door has one;
// without it, it is open.
func Collect(door DoorRef, c access.Collector) {
	door.project.Collectors = append(door.project.Collectors, AttachedCollector{Door: door.name, Collector: c})
}

// Handle attaches the handler of an operation that the door's frond.yaml declares,
// or one that replaces a built-in operation (see [Inside] for how it
// still reaches that one). Typed handlers are attached by [HandleQuery] and
// [HandleCommand].
//
// The calls that the handler of a command makes with its context, on doors of this host's
// store, are one transaction: they are committed when it returns without an error, and else
// rolled back. It runs again if another transaction came between, and has two seconds from its
// first call on (see [Transactor]). Calls of remote Fronds are not part of it. [Detached] opts
// out.
func Handle(door DoorRef, name string, h Handler, options ...HandlerOption) {
	door.handle(name, "", h, options)
}

// handle keeps a handler; kind is "" if the attaching function does not say it.
func (d DoorRef) handle(name string, kind catalog.Kind, h Handler, options []HandlerOption) {
	d.project.Handlers = append(d.project.Handlers, AttachedHandler{Door: d.name, Name: name, Kind: kind, Detached: slices.Contains(options, Detached), Handler: h})
}

// Read reads a project's folder; see [project.Read] for how it is laid out. Faults
// inside the files are reported when it is compiled, all at once. The error is schema.Faults.
func Read(fsys fs.FS) (*Project, error) {
	fronds, err := project.Read(fsys)
	if err != nil {
		return nil, err
	}
	return &Project{Fronds: fronds, Registry: schema.Builtins()}, nil
}

// Present adds a computed field to the rows of a door (spec 4.3.2). fn is given all rows of an
// answer at once, of a page or of a whole batch, and answers one value for each of them; it
// runs only if the caller asks for the field. The rows hold the fields that the caller may
// read; with needs they hold the fields needs names, for every caller, and only those are sure
// to be there. A value is marshalled to JSON.
//
// A failure is INTERNAL_ERROR, and its log line names the field; see [Call].Partial. The name
// must not be one of the card's.
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
	door.project.Hooks = append(door.project.Hooks, AttachedHook{Door: door.name, Name: operation, Hook: h})
}

// Check has check called with the compiled door, and its faults reported beside all
// others. It is how Go code that expects something of a door says so at the start. A
// project is compiled again when a remote changes, so check may run more than once.
func Check(door DoorRef, check func(*catalog.Door) schema.Faults) {
	door.project.Checks = append(door.project.Checks, AttachedCheck{Door: door.name, Check: check})
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
// itself, and the handler runs once. It is for handlers that call other services, which a
// rollback would not undo. A detached command cannot be called within a transaction.
const Detached HandlerOption = 1

// handle hands the admitted call to the author's handler, and takes over its answer. A
// precondition of the caller is judged first.
func handle(ctx context.Context, x *execution) (*Result, error) {
	lent, there, err := beforeHandler(ctx, x)
	switch {
	case err != nil:
		return nil, err
	case !there && x.op.Name == "delete":
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case !there:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	}
	x.pending = lent
	answer, err := x.op.handler(authorContext(ctx, x, x.cause(ctx).within()), admittedCall(x))
	if err != nil {
		return nil, err
	}
	return adopt(x, answer)
}

// admittedCall is the call as the author's code is given it: judged, decoded and filled.
func admittedCall(x *execution) *Call {
	in := x.call.Invocation
	in.State = x.state
	in.ID, in.Params = nil, in.ParamsJSON()
	if x.op.builtin == nil {
		in.Params, in.Query = x.params, x.query
	}
	if x.op.Input != nil {
		in.Body = x.body.AppendJSON(nil)
	}
	if x.condition != nil {
		in.Query = withWhere(x, in.Query)
	}
	return &Call{
		Entity: x.door.Name, Operation: x.op.Name, Invocation: in,
		Select: newNames(x.op.reader, x.call.Select), Cursors: x.call.Cursors, Partial: x.call.Partial, If: x.precondition,
	}
}

// handleEach answers a batch of an operation whose built-in a handler replaces: the
// handler knows one call at a time, so it is called once for each distinct key.
func handleEach(ctx context.Context, x *execution) (*Result, error) {
	out := &Result{Form: FormRow, Page: Page{Total: -1}}
	if x.op.Name == "list" {
		out.Form = FormPage
	}
	each, made := x.each, make([]Group, len(x.each.values))
	var parts []*rows.Rows
	n := 0
	for i, key := range each.values {
		one := *x
		one.each = nil
		call := *x.call
		call.Each = nil
		if x.op.Name == "list" {
			call.Invocation.Query = withKey(call.Invocation.Query, each.field, key)
		} else {
			call.Invocation.ID = key
		}
		one.call = &call
		res, err := handle(ctx, &one)
		if err != nil {
			return nil, err
		}
		x.sel = one.sel
		parts = append(parts, res.Rows)
		made[i] = Group{From: n, To: n + res.Rows.Len(), Page: res.Page}
		n += res.Rows.Len()
	}
	out.Rows = rows.Join(x.sel.stored, parts)
	out.Groups = make([]Group, len(each.order))
	for i, at := range each.order {
		if at >= 0 {
			out.Groups[i] = made[at]
		}
	}
	return out, nil
}

// withKey is the query of list with one more condition: the field equals the key.
func withKey(query json.RawMessage, field *schema.Property, key json.RawMessage) json.RawMessage {
	name := field.Name
	if field.Link != nil {
		name = field.Link.Key
	}
	eq := schema.Object{{Name: "eq", Value: key}}.AppendJSON(nil)
	filter := schema.Object{{Name: name, Value: eq}}.AppendJSON(nil)
	var out schema.Object
	for name, value := range jsontext.Members(query) {
		if name == "filter" && !jsontext.IsNull(value) {
			both := append(append(append(append([]byte("["), value...), ','), filter...), ']')
			filter = schema.Object{{Name: "and", Value: both}}.AppendJSON(nil)
			continue
		}
		if name != "filter" {
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	return schema.Object(append(out, schema.Member{Name: "filter", Value: filter})).AppendJSON(nil)
}

// runHandler calls the author's handler: once, or once for each key of a batch.
func runHandler(ctx context.Context, x *execution) (*Result, error) {
	x.transaction.authors()
	switch {
	case x.op.detached && x.transaction != nil:
		return nil, errDetached(&x.viewer)
	case x.each != nil && x.call.Each != nil:
		return handleEach(ctx, x)
	}
	return handle(ctx, x)
}

// errDetached is why a detached command does not run within a transaction.
func errDetached(x *viewer) error {
	return kiterror.Errorf(kiterror.InternalError, "%s is detached, and was called within the transaction of another command; "+
		"attach that one as detached too, or call %[1]s where its answer is there", x.where())
}

// hooksOf are the hooks of the call. A dry run and an empty patch run no hooks.
func hooksOf(x *execution) []Hook {
	switch {
	case x.op.hooks == nil, x.trace.dry(), x.inside && x.within == x.op:
		return nil
	case x.op.builtin != nil && x.op.builtin.fill == fillUpdate && len(x.body) == 0 && x.runner.by != byHandler:
		return nil
	}
	return x.op.hooks
}

// runBefore runs the hooks before the write, and takes over their fields.
func runBefore(ctx context.Context, x *execution) error {
	x.transaction.authors()
	for _, h := range hooksOf(x) {
		if h.Before == nil {
			continue
		}
		set, err := h.Before(authorContext(ctx, x, x.cause(ctx).within()), admittedCall(x))
		if err == nil && len(set) > 0 {
			err = amend(x, set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runHooksAfter runs the hooks after a command, or has them wait for the commit of its
// transaction. They then run outside of it.
func runHooksAfter(ctx context.Context, x *execution, res *Result) {
	t := x.transaction
	if t == nil {
		runAfter(ctx, x, res)
		return
	}
	own, kept := *x, *res // the answer is projected before the commit
	own.transaction = nil
	t.later(func() { runAfter(t.base, &own, &kept) })
}

// runAfter runs the hooks after a committed write.
func runAfter(ctx context.Context, x *execution, res *Result) {
	hooks := hooksOf(x)
	if hooks == nil || x.op.Name == "delete" && x.op.Builtin && string(res.Value) != "true" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	for _, h := range hooks {
		if h.After != nil {
			h.After(authorContext(ctx, x, x.cause(ctx).within()), admittedCall(x), res)
		}
	}
}

// amend lays members that a hook writes over the body.
func amend(x *execution, set schema.Object) error {
	if x.op.builtin == nil || x.op.builtin.fill == fillNothing {
		return kiterror.Internal(fmt.Errorf("a hook before %s answers fields; only before create and update may it", x.where()))
	}
	card := x.door.Entity
	if set.Get(card.Primary.Name) != nil && x.id != nil {
		return kiterror.Internal(fmt.Errorf("a hook before %s writes %s, which names the row and never changes", x.where(), card.Primary.Name))
	}
	judged, details := card.Judge(schema.Plain, set.AppendJSON(nil), "/body")
	for _, d := range details {
		if name, _, _ := strings.Cut(d.Path, "."); set.Get(name) != nil {
			return kiterror.Internal(fmt.Errorf("a hook before %s writes fields that do not fit the card: %s %s", x.where(), d.Path, d.Message))
		}
	}
	inside := *x
	inside.inside = true // a hook's values are the author's: as they are kept
	for i := range judged {
		judged[i].Value = inward(&inside.viewer, card.Property(judged[i].Name), judged[i].Value)
	}
	if err := inside.refusal(); err != nil {
		return kiterror.Internal(fmt.Errorf("a hook before %s: %w", x.where(), err))
	}
	x.amended = laidOver(card, x.amended, judged)
	x.body = laidOver(card, x.body, judged)
	return nil
}

// laidOver is a record with the members of another laid over it, in declaration order.
func laidOver(card *schema.Entity, below, above schema.Object) schema.Object {
	out := make(schema.Object, 0, len(below)+len(above))
	for _, p := range card.Fields {
		value := above.Get(p.Name)
		if value == nil {
			value = below.Get(p.Name)
		}
		if value != nil {
			out = append(out, schema.Member{Name: p.Name, Value: value})
		}
	}
	return out
}
