package plan

import (
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
)

// Plan is an operation, compiled: which calls to make and what to write.
type Plan struct {
	Mutation bool
	// units are run one after another: of a query there is one, of a mutation one
	// for each root field, for its fields are executed serially (specification 6.2.2).
	Units []*Unit
}

// Unit is a selection over items of one object type: what to fetch for them, and
// what to write of each. An operation is a unit over the root; a field whose type
// is known only when it has been resolved has a unit for each type it may have.
type Unit struct {
	Type      *ObjectType
	Selection *SelectionSet
	Fetches   []*Fetch // [0] is the items themselves; parents stand before their children
	Levels    []Level  // what is done after the items are there, level by level
}

// Level is what is done at once, when the rows of the level before are there.
type Level struct {
	Fetches []*Fetch
	Written []*CustomField
}

// Fetch is one call, for all rows of its parent together. Fields that ask for
// the same relation with the same arguments share one, whatever their aliases.
type Fetch struct {
	ID        int
	depth     int
	Parent    *Fetch
	Binding   *binding.Field
	Entity    string // of the call
	Operation string
	Each      string // the field of Call.Each; "" for a call without
	Key       int    // the parent's slot that holds the key, or the list of keys
	Args      *arguments

	Columns []string // what is read of each row
	Slots   map[string]int
	every   bool // a hand-written field may read any field of the row
	rows    bool // anything of a page but its total is wanted
	total   bool
	Cursors bool
	Behind  bool // whether there are rows before a page is wanted
	Written []*CustomField
}

// slot is the place of a column among those the fetch reads.
func (f *Fetch) slot(column string) int {
	if i, ok := f.Slots[column]; ok {
		return i
	}
	i := len(f.Columns)
	f.Slots[column] = i
	f.Columns = append(f.Columns, column)
	return i
}

// Selects is the fetch's Call.Select. Nil would be every field: it is that only
// where a hand-written field may want any, or where there are no rows to select from.
func (f *Fetch) Selects() []string {
	switch {
	case f.every, f.Binding != nil && f.Binding.Output == nil:
		return nil
	case f.Columns == nil:
		return []string{}
	}
	return f.Columns
}

// CustomField is a field that has no binding: its value comes from a Go function, one
// item at a time. So do fields whose type the plan cannot know.
type CustomField struct {
	ID      int // among those of its fetch
	On      *Fetch
	Field   *Field
	Def     *graphql.FieldDefinition // nil: the value is the column in slot
	Resolve graphql.FieldResolveFn   // of def
	Node    bool                     // Query.node, Query.nodes
	Args    ast.ArgumentList
	Values  *Variants // of a composite type
}

// Variants are the selection of a field, compiled for each type it turns out to have.
type Variants struct {
	compiler compiler
	fields   []*ast.Field

	mu    sync.Mutex
	units map[string]*Unit
}

// Unit is the selection over items of an object type.
func (v *Variants) Unit(typ *ObjectType) *Unit {
	v.mu.Lock()
	defer v.mu.Unlock()
	u := v.units[typ.Name]
	if u == nil {
		c := v.compiler
		u = c.compileUnit(typ, v.fields)
		v.units[typ.Name] = u
	}
	return u
}

// SelectionSet is what is written of one object.
type SelectionSet struct {
	Type   *ObjectType
	Fields []*Field
}

// Field is one response key.
type Field struct {
	Action    Action
	Key       []byte // `"title":`, with a comma in front but for the first
	Name      string // the response key
	Type      *FieldType
	Output    *OutputType
	Positions []*ast.Position
	Slot      int           // of the column
	Text      []byte        // of __typename
	Fetch     *Fetch        // of a relation or an operation
	Shape     Shape         // what the fetch gives
	Selection *SelectionSet // of what stands below
	Custom    *CustomField
	AST       *ast.Field
}

// Action is how a field is written.
type Action uint8

// The actions on any object: meta fields (GraphQL 4), members of a row, and values that
// something else than the row gives.
const (
	Typename   Action = iota // __typename; Field.Text is the JSON string
	Column                   // the column's JSON: a leaf, or a list of them
	Nested                   // the column's JSON, of an object type
	NodeID                   // the global id, made of the column's key
	Fetched                  // what Field.Fetch gave, in the form that Field.Shape names
	Resolved                 // the tree that Field.Custom left
	SchemaMeta               // __schema
	TypeMeta                 // __type

	// Items and the five after it are the fields of a connection.
	Items
	Total
	HasMore
	EndCursor
	Edges
	PageInfo

	// EdgeNode and EdgeCursor are the fields of an edge.
	EdgeNode
	EdgeCursor

	// HasNextPage and the two after it are fields of a PageInfo. Its endCursor is
	// EndCursor.
	HasNextPage
	HasPreviousPage
	StartCursor
)

// Shape is what a fetch gives to one field.
type Shape uint8

// The shapes, with the JSON that each is written as.
const (
	OneRow     Shape = iota // a row or null
	AllRows                 // a list of rows
	Connection              // a page of rows
	AnyValue                // a value that is not rows
)
