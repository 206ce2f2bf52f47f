// Package catalog has the served project as data: Fronds, doors, operations, facts, and the part
// of them that each surface shows. It never changes once it is compiled.
package catalog

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/cron"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Catalog is the served project: the surfaces derive their routes, types and documents from
// it. It never changes and may be read from many goroutines; a host whose cards change has
// a new one.
type Catalog struct {
	// Vendor is the x-kit-vendor of the cards (spec 2.1), never "".
	Vendor string
	// Fronds are in the order of the project.
	Fronds []*Frond
	// Set is the compiled cards, including the cards of entities without a door.
	Set *schema.Set
	// Notes are the ignored parts of cards and of remotes. They do not stop a start.
	Notes []schema.Fault
	// Ended are the old names past their last day, declared here.
	Ended []schema.Fault
	// Advice names places of the project that work and may not do what their author expects.
	Advice []schema.Fault
	// Changes are the declared changes of cards.
	Changes SchemaChanges
	// Audiences have surfaces of their own; they are in the order of their names.
	Audiences []string
	// GivesFiles says that gateways get the files of its rows (docs/remotes.md).
	GivesFiles bool
	// IgnoresState says that calls of gateways need a signature to have a caller (docs/signed-calls.md).
	IgnoresState bool
	// Atomic says that this host makes several calls of a Frond that runs here as one transaction, and Rehearses that it
	// makes them without their effects.
	Atomic, Rehearses bool

	// Access lists the access to each door, and FactAccess the access to the events of each
	// fact, in declaration order. Both are nil in a view.
	Access, FactAccess []Access
	// Cascades are by the entity whose row is deleted.
	Cascades map[*schema.Entity][]Cascade

	doors    map[string]*Door     // by schema.EntityKey
	aliases  map[string]*Alias    // by schema.EntityKey; nil: there are none
	views    map[Surface]*Catalog // what each surface shows of the whole host
	audience string               // of a view that is an audience's
}

// Frond is a named group of doors (spec 1).
type Frond struct {
	Name string
	// Doors are the callable entities, in declaration order.
	Doors []*Door
	// Facts are the announced facts, in declaration order, the facts of changes last.
	Facts []*Fact
	// Jobs are the commands that run at times, in declaration order.
	Jobs []*Job
	// Remote is the address that its operations run at: "" for this process, and Elsewhere for a host of which no address is known.
	Remote string
	// Open says that the host of a remote decides alone over its doors without access rules here.
	Open bool
	// Atomic says that the host of a remote may make several calls as one transaction: its document says so, or is not known yet.
	Atomic bool
	// Rehearses says that the host of a remote makes calls without their effects: its document says so.
	Rehearses bool

	// File is its frond.yaml, or the path that it would have.
	File string
}

// Doors returns the doors of all Fronds, in order.
func (c *Catalog) Doors() iter.Seq[*Door] {
	return func(yield func(*Door) bool) {
		for _, f := range c.Fronds {
			for _, d := range f.Doors {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Operations returns the operations of all doors, in order.
func (c *Catalog) Operations() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for d := range c.Doors() {
			for _, op := range d.Operations {
				if !yield(op) {
					return
				}
			}
		}
	}
}

// Facts returns the facts of all Fronds, in order.
func (c *Catalog) Facts() iter.Seq[*Fact] {
	return func(yield func(*Fact) bool) {
		for _, f := range c.Fronds {
			for _, fact := range f.Facts {
				if !yield(fact) {
					return
				}
			}
		}
	}
}

// Fact is a named announcement (spec 6). Each emission of it is an [facade.Event]. A Fact does not
// change after compilation.
type Fact struct {
	// Name is unique in its Frond.
	Name  string
	Frond *Frond
	// Schema is the card of its data, and Data the same card compiled. Both are nil
	// for a fact whose data has no known shape.
	Schema *schema.Card
	Data   *schema.Entity
	// Door is the door whose rows the fact is about: Data is its Entity, or a view cut from
	// it, and its collector decides about each receiver. nil for a fact with a shape of its own
	// or without one.
	Door *Door
	// On are the built-in commands that emit it; nil where Go code does, and for Changes.
	On []*Operation
	// When is the expression over before and after that has to hold of the row; "": always.
	When string
	// Changes says that it announces every creation, update and deletion of a row of Door.
	Changes bool

	// ShowsActor says that some subscribers see who caused an event.
	ShowsActor bool

	// At is the pointer to it in its frond.yaml.
	At string
	// Judged is the door whose collector judges its events: Door, or a substitute with the fact's name.
	Judged *Door
	// Condition is When, compiled; nil: always.
	Condition *expression.Condition
	// Former are the names that the fields of its rows had before.
	Former FormerNames
}

// Job is a command that runs at times.
type Job struct {
	Operation *Operation
	Schedule  *cron.Schedule
	// State is the state of the caller that it runs as, a JSON object; nil: it runs as the
	// host.
	State json.RawMessage
	// At is the pointer to it in its frond.yaml.
	At string
}

// Name is the name of the operation: order.closeStale.
func (j *Job) Name() string { return j.Operation.Door.Name + "." + j.Operation.Name }

// Door is a callable entity.
type Door struct {
	// Name is the name as its author spells it; look-ups ignore case (spec 1.1).
	Name  string
	Frond *Frond
	// Entity is the card of its rows; nil for a door without stored rows (spec 2.5).
	Entity *schema.Entity
	// Operations are the built-in ones first, then the author's in declaration order.
	Operations []*Operation
	// Computed are the fields that presenters and expressions add to the rows.
	Computed []*Computed
	// Aliases are earlier names of the door that answer until a date.
	Aliases []*Alias
	// Plural is the segment of REST paths.
	Plural string
	// GraphQL is the author's name for the GraphQL type, or "".
	GraphQL string
	// Origin is where the door is declared, for messages: fronds/catalog/frond.yaml.
	Origin string

	// Index is the index of the door in the host, the same in every view; -1 for the substitute
	// of a fact.
	Index int
	// At is the pointer to it in its frond.yaml.
	At string
	// AccessAt is the place of its access rules in frond.yaml, FILE#POINTER; "" without any. Open says
	// that frond.yaml declares the door open.
	AccessAt string
	Open     bool
	// Limits are how many rows a page of the door holds, by default and at most.
	Limits project.ListLimits
	// ETag says that its rows have their version under the name etag.
	ETag bool
	// Presets are the fields that its collector may set, as far as it can say, and NotRequired.
	// A caller does not have to send them.
	Presets []string
	// NotRequired are required fields that a remote does not require after all.
	NotRequired []string
	// Announced are the facts of its rows, by what happens to a row.
	Announced map[Change][]*Fact
	// Nested are the relations whose rows are written with a row of the door.
	Nested []*Nested
	// Files are the fields that hold the ids of files.
	Files []*File
	// FilesThere are the file fields of a remote door, as its discovery document has them.
	FilesThere []string
	// Inside are the built-in operations that are false: the author's code alone may call them.
	Inside map[string]*Operation

	ops map[string]*Operation
}

// FileSize is a smaller image that is made of a file.
type FileSize = project.FileSize

// File is a field that holds the id of a file (docs/files.md).
type File struct {
	Door  *Door
	Field *schema.Property
	// Types are the media types of its files, and Max the bytes of the largest.
	Types []string
	Max   int64
	// Sizes are the smaller images that are made of it.
	Sizes []FileSize
	// Withheld is true where the rows are at a remote host that does not give files to gateways.
	Withheld bool
}

// Size returns the size called name, in any case of letters; false if the file has no such
// size.
func (f *File) Size(name string) (FileSize, bool) {
	i := slices.IndexFunc(f.Sizes, func(s FileSize) bool { return strings.EqualFold(s.Name, name) })
	if i < 0 {
		return FileSize{}, false
	}
	return f.Sizes[i], true
}

// Nested is a relation to rows that belong to a row of the door, and that create and update of the door
// take in their bodies.
type Nested struct {
	Name string           // of the relation, in bodies
	By   *schema.Property // of the rows: the key of their owner
	Door *Door            // of the rows
	// Passed says that the host of a remote door takes the rows.
	Passed bool
	// Far is, of rows in between, the key of the other side, which bodies connect and disconnect; nil:
	// bodies have the rows themselves.
	Far *schema.Property
}

// NestedList is a member of a body about the rows of a relation, with its effect.
type NestedList struct{ Name, About string }

// NestedLists are those members as far as the surface has their operations.
func (c *Catalog) NestedLists(n *Nested) (lists []NestedList) {
	d := c.Door(n.Door.Name)
	if d == nil || n.Far != nil && (!c.Reaches(n.Far.Link.Target) || d.Operation("list") == nil) {
		return nil
	}
	creates, updates, deletes := d.Operation("create") != nil, d.Operation("update") != nil, d.Operation("delete") != nil
	add := func(served bool, name, about string) {
		if served {
			lists = append(lists, NestedList{name, about})
		}
	}
	if n.Far != nil {
		add(creates, "connect", "The ids of rows to lead to. Those that are connected stay.")
		add(deletes, "disconnect", "The ids of rows to lead to no more. Those that are not connected stay so.")
		add(creates && deletes, "set", "The ids of all rows to lead to: others are disconnected. It is sent alone.")
		return lists
	}
	add(creates, "create", "New rows.")
	add(updates, "update", "Rows to change, by their ids.")
	add(deletes, "delete", "The ids of rows to delete.")
	add(creates && updates && deletes, "set", "All rows as they shall be: those with an id are changed, those without are new, all others are deleted. It is sent alone.")
	return lists
}

// Cascade is one relation by which a deleted row touches announced rows, or rows that touch
// announced ones.
type Cascade struct {
	Field *schema.Property // of the rows that are touched
	Door  *Door            // of these rows; nil: they have none, and are gone through
	Null  bool             // the field becomes null; else the rows are deleted
}

// Change is what happened to a row.
type Change string

// The changes.
const (
	Created Change = "created"
	Updated Change = "updated"
	Deleted Change = "deleted"
	// Withdrawn is the change of a row that a subscriber does not see any more: the row of an
	// update was visible to it before. No event of a log has it.
	Withdrawn Change = "left"
)

// ChangeOf returns the change that the built-in command makes to a row; "" for any other operation.
func ChangeOf(op string) Change {
	return map[string]Change{"create": Created, "update": Updated, "delete": Deleted}[op]
}

// Operation is one function of a door, identified by entity.op (spec 1.1).
type Operation struct {
	Name string
	// Hidden are the surfaces of everybody that do not show it.
	Hidden []string
	Kind   Kind
	Door   *Door
	// Builtin says that it is one of the CRUD operations, answered by the store, by a
	// handler in its place, or by the remote.
	Builtin bool
	// Params is the card of params; nil: the operation takes no params.
	Params *schema.Entity
	// Query is the card of query; nil: the operation takes no query. Of list it is the grammar
	// of filters, orders and pages.
	Query *schema.Entity
	// Input is the card of the body; nil: the operation takes no body.
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
	// Answered says that a built-in, a handler or a remote answers the operation. Any other
	// operation is NOT_IMPLEMENTED.
	Answered bool
	// Open says that the operation runs on a remote and has no cards for params and query,
	// which are any objects then. Without Input, the body is any JSON.
	Open bool

	// Index is the index of the operation in the host, the same in every view.
	Index int
	// TakenKeys are the keys that the query of a remote understands; nil: all.
	TakenKeys []string
	// FilterWords are the names that the filter of a remote's list has besides plain fields; nil:
	// they are not known.
	FilterWords []string
	// TakesRules says that the list of a remote takes conditions of access rules ([filter.OfRule]).
	TakesRules bool
	// SortsBehind says that the list of a remote sorts by values behind relations.
	SortsBehind bool
	// SortForm is the type of sort in the card of a remote's list: string, array, or "" where the card states neither alone.
	SortForm string
	// Cardless says that a remote publishes no input card for its list, whose words are unknown.
	Cardless bool
	// Attached says that a handler of the author's answers it.
	Attached bool
	// Transacts says that a call is a transaction of the store, which may run more than once: a
	// command that the author's code takes part in.
	Transacts bool
	// Emits says that its writes are announced, Recorded that a store which records events needs
	// no transaction for that.
	Emits, Recorded bool
	// Needs are the operations whose rights the operation takes: create and update of upsert, list of
	// aggregate.
	Needs []*Operation
	// OutDoor is the door whose rows Output is, or was cut from; nil for a shape of its own.
	OutDoor *Door
}

// Handled reports whether the author's own code answers the operation, which may take any
// time. It is false for a nil Operation.
func (op *Operation) Handled() bool { return op != nil && op.Attached }

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
	// Inputs are the fields an expression reads: where the caller may not read one of
	// them, they may not read the computed value. Go code answers for itself.
	Inputs []*schema.Property
}

// New returns the catalog of a host: all but its Access and its views, which [Catalog.Show] adds.
func New(vendor string, fronds []*Frond, set *schema.Set, changes SchemaChanges, cascades map[*schema.Entity][]Cascade) *Catalog {
	c := &Catalog{Vendor: vendor, Fronds: fronds, Set: set, Changes: changes, Cascades: cascades, doors: map[string]*Door{}}
	doors, operations := 0, 0
	for _, f := range fronds {
		for _, d := range f.Doors {
			d.Index = doors
			doors++
			c.doors[schema.EntityKey(d.Name)] = d
			c.addAliases(d)
			for _, op := range d.Operations {
				op.Index = operations
				operations++
			}
			for _, b := range Builtins { // in one order, whatever the map's
				if op := d.Inside[b.Name]; op != nil {
					op.Index = operations
					operations++
				}
			}
		}
		for _, fact := range f.Facts {
			if fact.Door != nil && fact.Door.Entity != nil {
				fact.Former = changes.formerNames(fact.Door.Entity.Key)
			}
		}
	}
	return c
}

// Door returns the door called name, in any spelling, or nil. An alias leads to its door, also
// after its last day.
func (c *Catalog) Door(name string) *Door {
	if a := c.Alias(name); a != nil {
		return a.Door
	}
	return c.doors[schema.EntityKey(name)]
}

// Operation returns the operation called name, or nil. Unlike names of entities these are
// case-sensitive (spec 1.1).
func (d *Door) Operation(name string) *Operation { return d.ops[name] }

// Add appends an operation. It is called while a catalog is compiled, never later.
func (d *Door) Add(op *Operation) {
	d.Operations = append(d.Operations, op)
	if d.ops == nil {
		d.ops = map[string]*Operation{}
	}
	d.ops[op.Name] = op
}

// Remove removes an operation. It is called while a catalog is compiled, never later.
func (d *Door) Remove(name string) {
	delete(d.ops, name)
	d.Operations = slices.DeleteFunc(d.Operations, func(op *Operation) bool { return op.Name == name })
}

// ComputedField is the computed field called name, or nil.
func (d *Door) ComputedField(name string) *Computed {
	for _, c := range d.Computed {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// OperationNames lists the operations, for messages.
func (d *Door) OperationNames() []string {
	names := make([]string, len(d.Operations))
	for i, op := range d.Operations {
		names[i] = op.Name
	}
	return names
}

// Find returns the door and the operation behind entity.op. Both are nil if there is no such
// door; the operation alone is nil if the door lacks it.
func (c *Catalog) Find(entity, operation string) (*Door, *Operation) {
	door := c.Door(entity)
	if door == nil {
		return nil, nil
	}
	return door, door.Operation(operation)
}

// File returns the field with files called name, or nil.
func (d *Door) File(name string) *File {
	for _, f := range d.Files {
		if f.Field.Name == name {
			return f
		}
	}
	return nil
}

// HasFiles reports whether a field of a Frond that runs here holds files.
func (c *Catalog) HasFiles() bool {
	for d := range c.Doors() {
		if len(d.Files) > 0 && d.Frond.Remote == "" {
			return true
		}
	}
	return false
}
