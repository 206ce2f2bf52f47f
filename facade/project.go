package facade

import (
	"context"
	"io/fs"

	"github.com/frondhost/frond/schema"
)

// Project is what an author wrote, before it is compiled: Fronds with their cards
// and doors, and what Go code attaches to them. Fill it, then hand it to New.
type Project struct {
	Vendor   string // x-kit-vendor; "" means frondhost
	Fronds   []*FrondSource
	Registry *schema.Registry // built-ins; add your own before New

	// what Go code attached; faults of attaching (an unknown door) are kept and told by New.
	handlers   map[string]Handler
	presenters map[string][]*presenter
	collectors map[string]Collector
}

// FrondSource is one Frond's folder as read.
type FrondSource struct {
	Name   string
	Dir    string
	Cards  []schema.Source
	Remote string
}

// Handler answers an author's operation. What it returns is marshalled to JSON;
// a *Rows, *Result or json.RawMessage is taken as it is. The call is admitted: judged and decoded.
type Handler func(ctx context.Context, c *Call) (any, error)

type presenter struct{}

// Read reads a project's folder (DESIGN 4, "Cards on disk"). The error is
// schema.Faults: every fault of every file at once.
func Read(fsys fs.FS) (*Project, error) { panic("not yet") }

// DoorRef names a door of a project for the functions that attach Go code to it.
type DoorRef struct {
	project *Project
	name    string
}

// Door names a door to attach code to; one that does not exist is a fault told by New.
func (p *Project) Door(name string) DoorRef { return DoorRef{p, name} }

// Options of New; nil is fine.
type Options struct {
	Middleware []Middleware // the first is outermost
}

// Facade answers every call on the doors of its project. It is a Caller.
type Facade struct {
	catalog *Catalog
}

// New compiles a project over a store. The error is schema.Faults.
func New(p *Project, store Store, opts *Options) (*Facade, error) { panic("not yet") }

// Catalog is what the façade serves.
func (f *Facade) Catalog() *Catalog { return f.catalog }

// Call carries one call through the whole house.
func (f *Facade) Call(ctx context.Context, c *Call) (*Result, error) { panic("not yet") }

// AppendJSON appends the result as every surface's JSON has it.
func (r *Result) AppendJSON(dst []byte) []byte { panic("not yet") }

var _ Caller = (*Facade)(nil)
