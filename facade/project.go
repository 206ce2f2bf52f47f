package facade

import (
	"context"

	"github.com/frondhost/frond/schema"
)

// Project is what an author wrote, before it is compiled: Fronds with their cards
// and doors, and what Go code attaches to them. Fill it, then hand it to [New],
// which does not change it.
type Project struct {
	Vendor   string // x-kit-vendor; "" means frondhost
	Fronds   []*FrondSource
	Registry *schema.Registry // nil: schema.Builtins; add your own before New

	// What Go code attached, in the order it came; an unknown door, or one thing
	// attached twice, is told by New.
	handlers   []attachedHandler
	presenters []attachedPresenter
	collectors []attachedCollector
	hooks      []attachedHook
	checks     []attachedCheck
}

// FrondSource is one Frond's folder as read.
type FrondSource struct {
	Name   string
	Dir    string          // where it stands in the project: fronds/catalog; "" for the root
	Cards  []schema.Source // entities and views
	Config Text            // frond.yaml; the zero Text where there is none
	Seeds  []Text          // one per entity, named by its file (see [Facade.Seed])
	Remote string          // the address its operations run at; "" for here
	// Known is what the remote tells of itself, as far as it was asked: which of the
	// operations it has, and how much its list understands. nil: nothing is known yet.
	Known *schema.DiscoveredFrond
}

// Text is a file as it was read.
type Text struct {
	File string // as faults name it; its ending tells YAML from JSON
	Data []byte
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
