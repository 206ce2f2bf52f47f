package resolvers

import (
	"sync"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// plan is an operation, compiled: which calls to make and what to write.
type plan struct {
	mutation bool
	// units are run one after another: of a query there is one, of a mutation one
	// for each root field, for its fields are executed serially (specification 6.2.2).
	units []*unit
}

// unit is a selection over items of one object type: what to fetch for them, and
// what to write of each. An operation is a unit over the root; a field whose type
// is known only when it has been resolved has a unit for each type it may have.
type unit struct {
	typ     *objectType
	sel     *selection
	fetches []*fetch // [0] is the items themselves; parents stand before their children
	levels  []level  // what is done after the items are there, level by level
}

// level is what is done at once, when the rows of the level before are there.
type level struct {
	fetches []*fetch
	written []*written
}

// fetch is one call, for all rows of its parent together. Fields that ask for
// the same relation with the same arguments share one, whatever their aliases.
type fetch struct {
	id      int
	depth   int
	parent  *fetch
	binding *binding.Field
	entity  string // of the call
	op      string
	each    string // the field of Call.Each; "" for a call without
	key     int    // the parent's slot that holds the key, or the list of keys
	args    *arguments

	columns []string // what is read of each row
	slots   map[string]int
	every   bool // a hand-written field may read any field of the row
	rows    bool // anything of a page but its total is wanted
	total   bool
	cursors bool
	behind  bool // whether there are rows before a page is wanted
	written []*written
}

// slot is the place of a column among those the fetch reads.
func (f *fetch) slot(column string) int {
	if i, ok := f.slots[column]; ok {
		return i
	}
	i := len(f.columns)
	f.slots[column] = i
	f.columns = append(f.columns, column)
	return i
}

// selects is the fetch's Call.Select. Nil would be every field: it is that only
// where a hand-written field may want any, or where there are no rows to select from.
func (f *fetch) selects() []string {
	switch {
	case f.every, f.binding != nil && f.binding.Output == nil:
		return nil
	case f.columns == nil:
		return []string{}
	}
	return f.columns
}

// written is a field that has no binding: its value comes from a Go function, one
// item at a time. So do fields whose type the plan cannot know.
type written struct {
	id      int // among those of its fetch
	on      *fetch
	field   *field
	def     *graphql.FieldDefinition // nil: the value is the column in slot
	resolve graphql.FieldResolveFn   // of def
	node    bool                     // Query.node, Query.nodes
	args    ast.ArgumentList
	values  *variants // of a composite type
}

// variants are the selection of a field, compiled for each type it turns out to have.
type variants struct {
	compiler compiler
	fields   []*ast.Field

	mu    sync.Mutex
	units map[string]*unit
}

// unit is the selection over items of an object type.
func (v *variants) unit(typ *objectType) *unit {
	v.mu.Lock()
	defer v.mu.Unlock()
	u := v.units[typ.name]
	if u == nil {
		c := v.compiler
		u = c.compileUnit(typ, v.fields)
		v.units[typ.name] = u
	}
	return u
}

// selection is what is written of one object.
type selection struct {
	typ    *objectType
	fields []*field
}

// field is one response key.
type field struct {
	do    action
	key   []byte // `"title":`, with a comma in front but for the first
	name  string // the response key
	typ   *fieldType
	out   *outType
	at    []*ast.Position
	slot  int        // of the column
	text  []byte     // of __typename
	fetch *fetch     // of a relation or an operation
	shape shape      // what the fetch gives
	sub   *selection // of what stands below
	hand  *written
	ast   *ast.Field
}

// action is how a field is written.
type action uint8

const (
	writeTypename action = iota
	writeColumn          // the column's JSON: a leaf, or a list of them
	writeNested          // the column's JSON, of an object type
	writeNodeID
	writeFetched
	writeHand
	writeSchema // __schema
	writeType   // __type
	// of a connection
	writeItems
	writeTotal
	writeHasMore
	writeEndCursor
	writeEdges
	writePageInfo
	// of an edge
	writeNode
	writeCursor
	// of a PageInfo
	writeHasNext
	writeHasPrevious
	writeStartCursor
)

// shape is what a fetch gives to one field.
type shape uint8

const (
	oneRow     shape = iota // a row or null
	allRows                 // a list of rows
	connection              // a page of rows
	someValue               // a value that is not rows
)
