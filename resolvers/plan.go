package resolvers

import (
	"slices"
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
)

// plan is a compiled operation: the calls to make and the fields to write. It holds no part of
// a request and may be executed many times at once. It serves one set of values of the
// variables in @skip and @include (docs/decisions/graphql-execution.md).
type plan struct {
	Mutation bool
	// units are run one after another: of a query there is one, of a mutation one
	// for each root field, for its fields are executed serially (specification 6.2.2).
	Units []*unit
}

// unit is a selection over items of one object type: what to fetch for them, and what to write
// of each. An operation is a unit over the root; a field whose type is known only when it has
// been resolved has a unit for each type it may have.
//
//	{ posts { title author { name } } }
//
//	fetch 0           the root, one item
//	level 0           fetch 1: post.list for fetch 0
//	level 1           fetch 2: author.findById for all rows of fetch 1
type unit struct {
	Type      *objectType
	Selection *selectionSet
	Fetches   []*fetch // [0] is the items themselves; parents come before their children
	Levels    []level  // the steps after the items are read, level by level
}

// call returns the fetch of a mutation's root field; nil: no call answers it.
func (u *unit) call() *fetch {
	if len(u.Fetches) < 2 {
		return nil
	}
	return u.Fetches[1]
}

// level is the work that starts together when the rows of the level before are there: calls,
// and hand-registered fields.
type level struct {
	Fetches []*fetch
	Custom  []*customField
}

// EventRow returns the fetch of the row that the event of a subscription is about, or nil if no
// field of it is selected. It reads only the columns that fetch.Selects names.
func (p *plan) EventRow() *fetch {
	for _, f := range p.Units[0].Fetches {
		if f.Binding != nil && f.Binding.Kind == binding.EventRow {
			return f
		}
	}
	return nil
}

// Positions reports whether the operation selects the position of a page. Its rows must then
// not come from a copy of the store, which may lag.
func (p *plan) Positions() bool {
	return slices.ContainsFunc(p.Units, func(u *unit) bool {
		return slices.ContainsFunc(u.Fetches, func(f *fetch) bool { return f.Position })
	})
}

// Event returns the fetch of the event that a subscription announces.
func (p *plan) Event() *fetch { return p.Units[0].Fetches[1] }

// fetch is one call, for all rows of its parent together. Fields that ask for the same relation
// with the same arguments share one, under any alias; the root fields of a mutation never do.
// Each field of a fetch is set by compilation and only read afterwards.
type fetch struct {
	ID        int
	depth     int
	Parent    *fetch
	Binding   *binding.Field
	Entity    string // of the call
	Operation string
	Field     string // its first field, such as Album.tracks
	Each      string // the field of Call.Each; "" for a call without
	Key       int    // the parent's slot that holds the key, or the list of keys
	Args      *arguments

	// list is, of aggregate and groups of a connection, the fetch of its rows: this one has its parents and
	// its filter. functions are the selected ones.
	list      *fetch
	functions []string
	grouped   bool // groups are wanted of the rows, and the rows themselves only where something says so

	Columns []string // the columns read of each row
	Slots   map[string]int
	every   bool // a hand-written field may read any field of the row
	rows    bool // anything of a page but its total is wanted
	total   bool
	Cursors bool
	end     bool // the cursor of the page's last row is wanted
	Behind  bool // whether there are rows before a page is wanted
	// Position says that the position of the event log is wanted, from before the rows are read.
	Position bool
	Custom   []*customField
}

// slot returns the place of a column among the columns that the fetch reads. It adds a missing
// column.
func (f *fetch) slot(column string) int {
	if i, ok := f.Slots[column]; ok {
		return i
	}
	i := len(f.Columns)
	f.Slots[column] = i
	f.Columns = append(f.Columns, column)
	return i
}

// noCursors reports that the document reads no cursor of the fetch's pages, which are made for
// each parent. A hand-written field may read any.
func (f *fetch) noCursors() bool { return !f.Cursors && !f.end && !f.every && len(f.Custom) == 0 }

// Selects returns the fetch's Call.Select. Nil means every field: it is nil if a hand-written
// field may want any, or if there are no rows to select from. An empty list asks for rows
// without columns, for __typename alone.
func (f *fetch) Selects() []string {
	switch {
	case f.every, f.Binding != nil && f.Binding.Output == nil:
		return nil
	case f.Columns == nil:
		return []string{}
	}
	return f.Columns
}

// customField is a field whose value comes one item at a time: from a Go function, from
// Query.node, or from a column whose objects have such fields below them. The type of its
// values is known only when they are there.
type customField struct {
	ID      int // among those of its fetch
	On      *fetch
	Field   *field
	Def     *graphql.FieldDefinition // nil: the value is the column in slot
	Resolve graphql.FieldResolveFn   // of def
	Node    bool                     // Query.node, Query.nodes
	Args    ast.ArgumentList
	Values  *variants // of a composite type
}

// variants are the selection of a field, compiled for each type its values turn out to have.
// They belong to a plan and are shared by its executions.
type variants struct {
	compiler compiler
	fields   []*ast.Field

	mu    sync.Mutex
	units map[string]*unit
}

// unit returns the selection over items of an object type, compiled at the first call for that
// type. It may be called from many goroutines.
func (v *variants) unit(typ *objectType) *unit {
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

// selectionSet lists the fields to write of one object, in the order of the response.
type selectionSet struct {
	Type   *objectType
	Fields []*field
}

// field is one response key: all fields of a selection set that have it, merged (GraphQL
// 6.3.2).
type field struct {
	Action action
	Key    []byte // `"title":`, with a comma in front but for the first
	Name   string // the response key
	Type   *fieldType
	Output *outputType
	// Positions are the positions of all merged fields; an error names each of them.
	Positions []*ast.Position
	Slot      int           // of the column
	Text      []byte        // of __typename
	Fetch     *fetch        // of a relation or an operation
	Shape     shape         // the form of the fetch's value
	Selection *selectionSet // the selections below
	Custom    *customField
	AST       *ast.Field
}

// action is how a field is written. writer.row has one branch for each.
type action uint8

// The actions on any object: meta fields (GraphQL 4), members of a row, and values that
// something else than the row gives.
const (
	asTypename action = iota // __typename; field.Text is the JSON string
	asColumn                 // the column's JSON: a leaf, or a list of them
	asNested                 // the column's JSON, of an object type
	asNodeID                 // the global id, made of the column's key
	asFetched                // what field.fetch gave, in the form that field.Shape names
	asResolved               // the tree that field.Custom left
	asSchema                 // __schema
	asType                   // __type
	asPart                   // a field of a connection, an edge or a PageInfo, by its Type.Binding.Kind
)

// shape is the form of a fetch's value for one field. Two fields of one fetch have one shape,
// since they are one field of the schema.
type shape uint8

// The shapes, with the JSON that each is written as.
const (
	oneRow     shape = iota // a row or null
	allRows                 // a list of rows
	pageOfRows              // a page of rows
	anyValue                // a value that is not rows
)

// conditions returns the slots of the variables in the @skip and @include of an operation,
// sorted and each once: the selection depends on their values (GraphQL 3.13.1, 3.13.2). An
// operation with n of them has up to 2^n plans, which are made on demand.
func conditions(def *ast.OperationDefinition, vars *language.Declared) []int {
	var slots []int
	seen := map[string]bool{}
	note := func(list ast.DirectiveList) {
		for _, d := range list {
			if d.Name != "skip" && d.Name != "include" {
				continue
			}
			if a := d.Arguments.ForName("if"); a != nil && a.Value.Kind == ast.Variable {
				slots = append(slots, vars.Slot(a.Value.Raw))
			}
		}
	}
	var walk func(set ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, sel := range set {
			switch sel := sel.(type) {
			case *ast.Field:
				note(sel.Directives)
				walk(sel.SelectionSet)
			case *ast.InlineFragment:
				note(sel.Directives)
				walk(sel.SelectionSet)
			case *ast.FragmentSpread:
				note(sel.Directives)
				if !seen[sel.Name] {
					seen[sel.Name] = true
					walk(sel.Definition.SelectionSet)
				}
			}
		}
	}
	walk(def.SelectionSet)
	slices.Sort(slots)
	return slices.Compact(slots)
}
