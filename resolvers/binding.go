package resolvers

import (
	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Schema is a built GraphQL schema: graphql-go's, the SDL printed from it, and
// what each generated field does. It never changes and may be shared.
type Schema struct {
	GraphQL  graphql.Schema
	SDL      string
	AST      *ast.Schema // SDL as LoadSDL reads it, for the engine not to read it again; nil is fine
	Catalog  *facade.Catalog
	Bindings Bindings
	Nodes    map[string]*Node // the types of Query.node and Query.nodes, by schema.EntityKey
}

// Node is a type that has a global id.
type Node struct {
	Type string       // the GraphQL type
	Door *facade.Door // whose findById answers Query.node and Query.nodes; nil where the door has none
}

// Bindings says what the fields of each type do: type name, field name, binding.
// A field without one was registered by hand and runs its own Resolve.
//
// A hand-written field of a generated type is given the row as a [facade.Row],
// with every stored field the caller may read. It gives a generated type as a
// facade.Row, a list of them as a *facade.Rows or []facade.Row, a connection as
// a *facade.Result of the form page; a func() (any, error) that gives one of
// these is run when the whole level has been resolved (see [Load]).
type Bindings map[string]map[string]*Binding

// Of is the binding of a type's field, or nil.
func (b Bindings) Of(typeName, field string) *Binding { return b[typeName][field] }

// Binding is what one generated field does. Both engines read it.
type Binding struct {
	Kind      BindingKind
	Operation *facade.Operation // of Operation
	Args      []Arg             // of Operation, ToMany and ToManyIDs
	// Column is a member of the row or the nested object: of Column and Computed
	// the one the field gives, of ToOne the one that holds the key of the target,
	// of ToManyIDs the one that holds the ids, of ToMany and NodeID the one that
	// holds the row's own key.
	Column string
	Link   *schema.Link   // of ToOne, ToMany, ToManyIDs
	Door   *facade.Door   // the door of the rows the field gives, of NodeID the row's own; nil for values and views
	Output *schema.Entity // the shape of the rows the field gives; nil for values. A view has no door
}

// BindingKind is what a Binding does.
type BindingKind uint8

// The kinds, with the value each field stands on and the value it gives.
const (
	Operation BindingKind = iota // a root field: one façade call; gives what its operation's cardinality says
	Column                       // of a row or a nested object: the member's JSON
	Computed                     // of a row: a presenter's field, in Column
	ToOne                        // of a row: the row Column points at, or null; findById of Door with Each
	ToMany                       // of a row: a connection over the rows whose Link.Inverse points back; list of Door with Each
	ToManyIDs                    // of a row: a connection over the ids that stand in Column, in their order (see [PageIDs]); findById of Door with Each
	NodeID                       // of a row: the global id (see [NodeIDOf])
	NodeRoot                     // Query.node(nodeId:) and Query.nodes(nodeIds:): findById with Each of the doors in Schema.Nodes

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

// Arg says where a GraphQL argument goes in the invocation. An argument that was
// not sent goes nowhere, an explicit null goes as null.
type Arg struct {
	Name string // the argument
	Into Place
	Key  string // the member of params or query; unused where the argument is all of it
}

// Place is a part of the invocation.
type Place uint8

// The places of an Arg.
const (
	IntoParams Place = iota
	IntoQuery
	IntoBody   // the argument is the body, whole
	AllParams  // the argument is params, whole
	AllQuery   // the argument is the query, whole
	IntoSort   // orderBy: a list of one-key objects becomes query.sort
	IntoFirst  // query.limit, forward
	IntoLast   // query.limit, backward
	IntoAfter  // query.after
	IntoBefore // query.before
)
