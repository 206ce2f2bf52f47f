package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Project is the work of an author before it is compiled: Fronds with their cards
// and doors, and the Go code that is attached to them. Package facade/compile compiles it and
// does not change it.
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
	// Collectors are those of doors and of facts without one; a door without a collector is open.
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
// store, are one transaction: all are committed when it returns without an error, or none
// is. It runs again where another transaction came between, and has two seconds from its
// first call on (see [Transactor]). Calls of remote Fronds are not part of it. [Detached]
// opts out.
func Handle(door DoorRef, name string, h Handler, options ...HandlerOption) {
	door.handle(name, "", h, options)
}

// handle keeps a handler; kind is "" where the attaching function says nothing about it.
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
// itself, and the handler runs once. It is for handlers that call other services, which
// nobody rolls back. A detached command cannot be called within a transaction.
const Detached HandlerOption = 1
