package facade

import (
	"context"
	"io/fs"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Project is what an author wrote, before it is compiled: Fronds with their cards
// and doors, and what Go code attaches to them. Fill it, then hand it to [New],
// which does not change it.
type Project struct {
	Vendor   string // x-kit-vendor; "" means frondhost
	Fronds   []*project.Frond
	Registry *schema.Registry // nil: schema.Builtins; add your own before New

	// What Go code attached, in the order it came; an unknown door, or one thing
	// attached twice, is told by New.
	handlers   []attachedHandler
	presenters []attachedPresenter
	collectors []attachedCollector
	hooks      []attachedHook
	checks     []attachedCheck
}

// Handler answers an author's operation. The call it is given is admitted: params,
// query and body are judged, decoded and filled. What it returns is marshalled to
// JSON, and its members are the fields of the output whatever their case: one that the
// card does not have, and one that it requires and does not get, is INTERNAL_ERROR,
// with the field in the log. *Rows and *Result are taken as they are. Whatever it is,
// it leaves by the rules of the operation's output: closed and hidden fields gone,
// values encoded, the fields of a named view and no others.
type Handler func(ctx context.Context, c *Call) (any, error)

type attachedHandler struct {
	door DoorRef
	name string
	kind Kind // what the attaching function says it is; "": it does not
	fn   Handler
}

type attachedPresenter struct {
	door DoorRef
	*presenter
}

type attachedCollector struct {
	door DoorRef
	Collector
}

// DoorRef names a door of a project for the functions that attach Go code to it:
// [Handle], [HandleQuery], [HandleCommand], [Present] and [Collect].
type DoorRef struct {
	project *Project
	name    string
}

// Door names a door to attach code to; one that does not exist is a fault told by New.
func (p *Project) Door(name string) DoorRef { return DoorRef{p, name} }

func (d DoorRef) key() string { return schema.EntityKey(d.name) }

func (d DoorRef) present(p *presenter) {
	d.project.presenters = append(d.project.presenters, attachedPresenter{d, p})
}

// Collect attaches the collector that scopes a door (spec 1.3). A door has one;
// without it, it is open.
func Collect(door DoorRef, c Collector) {
	door.project.collectors = append(door.project.collectors, attachedCollector{door, c})
}

// Handle attaches the handler of an operation that the door's frond.yaml declares,
// or one that stands in the place of a built-in operation (see [Inside] for how it
// still reaches that one). Typed handlers are attached by [HandleQuery] and
// [HandleCommand].
func Handle(door DoorRef, name string, h Handler) { door.handle(name, "", h) }

func (d DoorRef) handle(name string, kind Kind, h Handler) {
	d.project.handlers = append(d.project.handlers, attachedHandler{d, name, kind, h})
}

// Read reads a project's folder; see [project.Read] for how it is laid out. What is wrong
// inside the files is reported by [New], all at once. The error is schema.Faults.
func Read(fsys fs.FS) (*Project, error) {
	fronds, err := project.Read(fsys)
	if err != nil {
		return nil, err
	}
	return &Project{Fronds: fronds, Registry: schema.Builtins()}, nil
}

// Usable is why no Frond can be made of what its host tells of it, whatever else
// there is: its cards contradict themselves, or have names that are none here. nil: one can.
func Usable(d *schema.DiscoveredFrond, from string) error {
	src := project.Discovered(d, from)
	src.Remote = from
	project := &Project{Fronds: []*project.Frond{src}, Registry: schema.Builtins()}
	_, err := New(project, nil, &Options{Incomplete: true, Unregistered: func(schema.Fault) {}})
	return err
}
