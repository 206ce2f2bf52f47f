package facade

import (
	"sync"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Catalog is what a host serves: the surfaces derive their routes, types and documents from
// it. It never changes and may be read from many goroutines; a host whose cards change has
// a new one.
type Catalog struct {
	// Vendor is the x-kit-vendor of the cards (spec 2.1), never "".
	Vendor string
	// Fronds are in the order of the project.
	Fronds []*Frond
	// Set is the compiled cards, those of entities without a door among them.
	Set *schema.Set
	// Notes are what is ignored of cards and of remotes: nothing in them stops a start.
	Notes []schema.Fault
	// Ended are the old names, declared here, that are past their last day.
	Ended []schema.Fault
	// Advice names places of the project that work and may not do what their author expects.
	Advice []schema.Fault
	// Changes are what the Fronds say of cards that change.
	Changes SchemaChanges
	// Audiences have surfaces of their own; they are in the order of their names.
	Audiences []string

	doors   map[string]*Door     // by schema.EntityKey
	aliases map[string]*Alias    // by schema.EntityKey; nil: there are none
	views   map[Surface]*Catalog // what each surface shows of the whole host

	audience string                       // of a view that is an audience's
	cascades map[*schema.Entity][]cascade // by the entity whose row is deleted
}

// Frond is a named group of doors (spec 1).
type Frond struct {
	Name string
	// Doors are the callable entities, in declaration order.
	Doors []*Door
	// Facts are what it announces, in declaration order, those of changes last.
	Facts []*Fact
	// Remote is the address that its operations run at; "" for this process.
	Remote string

	file string // its frond.yaml, or where it would be
}

// Fact is a named announcement (spec 6). Each emission of it is an [Event]. A Fact does not
// change after compilation.
type Fact struct {
	// Name is unique in its Frond.
	Name  string
	Frond *Frond
	// Schema is the card of what it carries, and Data the same card compiled. Both are nil
	// for a fact that carries nothing the host knows.
	Schema *schema.Card
	Data   *schema.Entity
	// Door is the door whose rows the fact is about: Data is its Entity, or a view cut from
	// it, and its collector says who may see an event. nil for a fact with a shape of its own
	// or without one.
	Door *Door
	// On are the built-in commands that emit it; nil where Go code does, and for Changes.
	On []*Operation
	// When is the expression over before and after that has to hold of the row; "": always.
	When string
	// Changes says that it announces every row of Door that is created, updated or deleted.
	Changes bool

	at     string // pointer to it in its frond.yaml
	judged *Door  // whose collector judges its events: Door, or a stand-in with the fact's name
	reader *reader
	when   *condition // nil: always

	former formerNames // of the fields of its rows
}

// Door is a callable entity.
type Door struct {
	// Name is the name as its author spells it; look-ups ignore case (spec 1.1).
	Name  string
	Frond *Frond
	// Entity is the card of its rows; nil for a door that stores nothing (spec 2.5).
	Entity *schema.Entity
	// Operations are the built-in ones first, then the author's in declaration order.
	Operations []*Operation
	// Computed are the fields that presenters and expressions add to the rows.
	Computed []*Computed
	// Aliases are the names that the door had before and that are answered until a date.
	Aliases []*Alias
	// Plural is the segment of REST paths.
	Plural string
	// GraphQL is the author's name for the GraphQL type, or "".
	GraphQL string
	// Origin is where the door is declared, for messages: fronds/catalog/frond.yaml.
	Origin string

	ops       map[string]*Operation
	at        string // pointer to it in its frond.yaml
	reader    *reader
	collector Collector // nil: the door is open
	unclosed  bool      // its frond.yaml calls it open
	said      string    // where its frond.yaml says who may do what: FILE#POINTER; "": nowhere
	limits    project.ListLimits
	idCard    *schema.Entity // params of findById, update and delete
	keeper    keeper
	boundary  boundary
	byID      order                 // of its list, where the caller names none
	presets   []string              // of a remote: required fields that it does not require after all
	stamped   *stamped              // of a remote: fields that it turned out to set itself
	emits     map[Change][]*Fact    // the facts of its rows
	inside    map[string]*Operation // built-in operations that are false: the author's code alone may call them
}

// cascade is one relation by which a deleted row touches rows that are announced, or that touch
// such rows.
type cascade struct {
	field *schema.Property // of the rows that are touched
	door  *Door            // of these rows; nil: they have none, and are gone through
	null  bool             // the field becomes null; else the rows are deleted
}

// Operation is one function of a door, identified by entity.op (spec 1.1).
type Operation struct {
	Name string
	Kind Kind
	Door *Door
	// Builtin says that it is one of the CRUD operations, answered by the store, by a
	// handler in its place, or by the remote.
	Builtin bool
	// Params is the card of params; nil: the operation takes none.
	Params *schema.Entity
	// Query is the card of query; nil: it takes none. Of list it is the grammar of filters,
	// orders and pages.
	Query *schema.Entity
	// Input is the card of the body; nil: it takes none.
	Input *schema.Entity
	// Output is the card of the answer; nil: the answer has no declared shape.
	Output *schema.Entity
	// Cardinality is how many outputs an answer has.
	Cardinality Cardinality
	// Patch says that Input is a patch: absent fields stay as they are.
	Patch       bool
	Description string
	// Deprecated is why the operation is not to be used any more; "": it is in use.
	Deprecated string
	// GraphQL is the author's name for the GraphQL field, or "".
	GraphQL string
	// Answered says that a built-in, a handler or a remote answers the operation. One that
	// nobody answers is NOT_IMPLEMENTED.
	Answered bool
	// Open says that the operation runs elsewhere and nobody describes its params and query,
	// which are any objects then. Without Input, the body is any JSON.
	Open bool

	takes   []string // of a remote: the keys that its query understands; nil: all
	words   []string // of a remote's list: the names that its filter has beside plain fields; nil: not known
	builtin *builtin // nil: the author declares it
	runner  runner
	inner   runner // for the author's own code, which reaches the built-in behind a handler
	handler Handler
	// detached says that the calls of handler are no transaction, transacts that a call is one.
	detached, transacts bool
	hooks               []Hook  // around a command
	emits               bool    // what it writes is announced
	recorded            bool    // that needs no transaction over a store that is a Recorder
	reader              *reader // of Output; nil without one
	outDoor             *Door   // whose rows Output is, or was cut from; nil for a shape of its own
}

// Handled reports whether the author's own code answers the operation, so that nobody here
// knows how long it takes. It is false for a nil Operation.
func (op *Operation) Handled() bool { return op != nil && op.handler != nil }

// Transacts reports whether a call of the operation is a transaction of the store, which may
// run more than once: a command that the author's code takes part in (see [Handle]).
func (op *Operation) Transacts() bool { return op.transacts }

// Kind is query or command (spec 1.2).
type Kind string

// The two kinds.
const (
	Query   Kind = "query"
	Command Kind = "command"
)

// Cardinality is how many values an operation's output has.
type Cardinality string

// The cardinalities (docs/calls.md).
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
	// Needs are the stored fields that the presenter reads; nil: all.
	Needs []string
}

// Door returns the door called name, in any spelling, or nil. An alias leads to its door, also
// after its last day.
func (c *Catalog) Door(name string) *Door {
	if a := c.alias(name); a != nil {
		return a.Door
	}
	return c.doors[schema.EntityKey(name)]
}

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
