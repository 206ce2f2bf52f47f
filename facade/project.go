package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

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
			return nil, kiterror.Internal(fmt.Errorf("%T does not take what the cards of %s.%s admit: %w", in, c.Entity, c.Operation, err))
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
