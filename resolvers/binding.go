package resolvers

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Schema is a built GraphQL schema: graphql-go's, the SDL printed from it, and
// what each generated field does.
type Schema struct {
	GraphQL  graphql.Schema
	SDL      string
	Catalog  *facade.Catalog
	Bindings Bindings
}

// Bindings says what the fields of each type do: type name, field name, binding.
// A field without one was registered by hand and runs its own Resolve.
type Bindings map[string]map[string]*Binding

// Of is the binding of a type's field, or nil.
func (b Bindings) Of(typeName, field string) *Binding { return b[typeName][field] }

// Binding is what one generated field does. Both engines read it.
type Binding struct {
	Kind      BindingKind
	Operation *facade.Operation // of Operation
	Args      []Arg             // of Operation, ToMany and ToManyIDs
	Column    string            // of Column: the member's name in the row. Of ToOne: the member that holds the key
	Link      *schema.Link      // of ToOne, ToMany, ToManyIDs
	Door      *facade.Door      // the door of the rows the field gives; nil for values
	Output    *schema.Entity    // of Operation with a named output: the shape of its rows
}

// BindingKind is what a Binding does.
type BindingKind uint8

// The kinds, with the value each field stands on and the value it gives.
const (
	Operation BindingKind = iota // a root field: one façade call; gives what its operation's cardinality says
	Column                       // of a row or a nested object: the member's JSON
	Computed                     // of a row: a presenter's field, in Column
	ToOne                        // of a row: the row Column points at, or null
	ToMany                       // of a row: a connection over the rows whose Link.Inverse points back
	ToManyIDs                    // of a row: a connection over the ids that stand in Column, in their order
	NodeID                       // of a row: the global id
	NodeRoot                     // Query.node(nodeId:)

	// of a connection
	Items
	Total
	HasMore
	EndCursor
	Edges
	PageInfo
	// of an edge
	EdgeNode
	EdgeCursor
	// of a PageInfo
	HasNextPage
	HasPreviousPage
	StartCursor
	PageInfoEndCursor
)

// Arg says where a GraphQL argument goes in the invocation.
type Arg struct {
	Name string // the argument
	Into Place
	Key  string // the member of params or query; unused for Body
}

// Place is a part of the invocation.
type Place uint8

// The places of an Arg.
const (
	IntoParams Place = iota
	IntoQuery
	IntoBody   // the argument is the body, whole
	IntoSort   // orderBy: a list of one-key objects becomes query.sort
	IntoFirst  // query.limit, forward
	IntoLast   // query.limit, backward
	IntoAfter  // query.after
	IntoBefore // query.before
)
