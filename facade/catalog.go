package facade

import (
	"sync"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Catalog is what a host serves: the surfaces derive their routes, types and
// documents from it. It is immutable; a changed host has a new one.
type Catalog struct {
	Vendor    string
	Fronds    []*Frond
	Set       *schema.Set    // the cards it was made from; entities without a door among them
	Notes     []schema.Fault // what is let be of cards and left out of remotes; nothing that stops a start
	Audiences []string       // that have surfaces of their own, in the order of their names

	doors map[string]*Door     // by schema.EntityKey
	views map[Surface]*Catalog // what each surface shows of the whole host
}

// Frond is a named group of doors (spec 1).
type Frond struct {
	Name   string
	Doors  []*Door // callable entities, in declaration order
	Facts  []Fact
	Remote string // the address its operations run at; "" for here

	file string // its frond.yaml, or where it would be
}

// Fact is a named announcement (spec 6).
type Fact struct {
	Name   string
	Schema *schema.Card // nil: a type the host does not store
}

// Door is a callable entity.
type Door struct {
	Name       string // as spelled
	Frond      *Frond
	Entity     *schema.Entity // nil: the door stores nothing (spec 2.5)
	Operations []*Operation   // built-in ones first, then the author's in declaration order
	Computed   []*Computed
	Plural     string // of REST's path
	GraphQL    string // the author's override of the GraphQL type name, or ""
	Origin     string // where it was declared, for messages: fronds/catalog/frond.yaml

	ops       map[string]*Operation
	at        string // pointer to it in its frond.yaml
	reader    *reader
	collector Collector
	unclosed  bool   // its frond.yaml calls it open
	said      string // where its frond.yaml says who may do what: FILE#POINTER; "": nowhere
	limits    project.ListLimits
	idCard    *schema.Entity // params of findById, update and delete
	keeper    keeper
	boundary  boundary
	presets   []string // of a remote: fields it does not require after all
	stamped   *stamped // of a remote: fields it turned out to set itself
	byID      order    // how its list is sorted where nobody says
}

// Operation is one function of a door, identified by entity.op (spec 1.1).
type Operation struct {
	Name        string
	Kind        Kind
	Door        *Door
	Builtin     bool           // one of the CRUD operations, answered by the store, or by a handler in its place
	Params      *schema.Entity // nil: the operation names none, and takes none
	Query       *schema.Entity // nil likewise; of list the filter grammar's card
	Input       *schema.Entity // nil: the operation names no input view
	Output      *schema.Entity // nil: the operation names no output view
	Cardinality Cardinality    // of the output
	Patch       bool           // update: the input is a patch
	Description string
	Deprecated  string // why it is not to be used any more; "" where it is
	GraphQL     string // the author's override of the GraphQL field name, or ""
	Answered    bool   // a built-in, a handler or a remote answers it; else NOT_IMPLEMENTED
	// Open says that the operation runs elsewhere and nobody describes what it takes: params
	// and query are any objects, and the body is any JSON.
	Open bool

	takes   []string // of a remote's list: the keys its query understands; nil: all
	builtin *builtin
	runner  runner
	inner   runner // for the author's own code, which reaches the built-in behind a handler
	handler Handler
	hooks   []Hook  // around a command
	reader  *reader // of Output; nil without one
	outDoor *Door   // whose rows Output is, or was cut from; nil for a shape of its own
}

// Handled reports whether the author's own code answers the operation, so that nobody here
// knows how long it takes. It is false for a nil Operation.
func (op *Operation) Handled() bool { return op != nil && op.handler != nil }

// Kind is query or command (spec 1.2).
type Kind string

// The two kinds.
const (
	Query   Kind = "query"
	Command Kind = "command"
)

// Cardinality is how many values an operation's output has.
type Cardinality string

// The cardinalities (DESIGN 5).
const (
	One      Cardinality = "one"
	Maybe    Cardinality = "maybe" // one or null
	Many     Cardinality = "many"
	PageOf   Cardinality = "page"
	NoOutput Cardinality = "none" // a value that is not a shape
)

// Computed is a field a presenter adds to the rows of a door.
type Computed struct {
	Name        string
	Shape       schema.Shape
	Description string
	Needs       []string // the stored fields the presenter reads; nil: all
}

// Door returns the door called name, in any spelling, or nil.
func (c *Catalog) Door(name string) *Door { return c.doors[schema.EntityKey(name)] }

// Operation returns the operation called name, or nil. Unlike names of entities these are
// case-sensitive (spec 1.1).
func (d *Door) Operation(name string) *Operation { return d.ops[name] }

// ListLimits are how many rows a page of the door holds, by default and at most.
func (d *Door) ListLimits() project.ListLimits { return d.limits }

// add appends an operation. It is called while a catalog is compiled, never later.
func (d *Door) add(op *Operation) {
	d.Operations = append(d.Operations, op)
	d.ops[op.Name] = op
}

// computed is the computed field called name, or nil.
func (d *Door) computed(name string) *Computed {
	for _, c := range d.Computed {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// operationNames lists the operations, for messages.
func (d *Door) operationNames() []string {
	names := make([]string, len(d.Operations))
	for i, op := range d.Operations {
		names[i] = op.Name
	}
	return names
}

// find returns the door and the operation behind entity.op; both are nil where there is no
// such door, and the operation alone is nil where the door has none of that name.
func (c *Catalog) find(entity, operation string) (*Door, *Operation) {
	door := c.Door(entity)
	if door == nil {
		return nil, nil
	}
	return door, door.Operation(operation)
}

// stamped are the fields that a remote turned out to set itself, by name.
type stamped struct{ sync.Map }
