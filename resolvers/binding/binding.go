package binding

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Schema is a built GraphQL schema: graphql-go's, the SDL printed from it, and what
// each generated field does. It never changes once it is built and may be shared.
type Schema struct {
	// GraphQL returns graphql-go's schema, which is made beside the start of a gateway, and an empty one
	// if graphql-go refuses it: Ready waits for it, and returns the fault. An executor needs it for
	// hand-registered fields.
	GraphQL func() *graphql.Schema
	Ready   func() error
	SDL     func() string // the text; made at the first call
	AST     *ast.Schema   // the types that documents are validated against
	Catalog *catalog.Catalog
	Fields  Fields
	Nodes   map[string]*Node // the types of Query.node and Query.nodes, by schema.EntityKey
	// ByHand holds each hand-registered field in its original form: type name, field name. The
	// types that such a field brings along have no entry of their own here.
	ByHand map[string]map[string]*graphql.Field
}

// Node is a type that has a global id (see [NodeIDOf]).
type Node struct {
	Type string        // the name of the GraphQL type
	Door *catalog.Door // whose findById answers Query.node and Query.nodes; nil where the door has none
}

// Fields holds the generated fields of each type: type name, field name, field. Any other field
// of the schema is hand-registered and has a Resolve of its own.
//
// Such a Resolve on a generated type is given the row as its Source, a [rows.Row] with
// every stored field the caller may read. For a generated type it returns a facade.Row;
// for a list of them a *facade.Rows or a []facade.Row; for a connection a *facade.Result
// of the form page. It may return a func() (any, error) that returns one of these: that
// function is called when every field of the level has been resolved, so that it can
// answer many fields with one request.
type Fields map[string]map[string]*Field

// Of is the field of a type, or nil.
func (f Fields) Of(typeName, field string) *Field { return f[typeName][field] }

// Field says what one generated field does. It is immutable once the schema is built.
type Field struct {
	Kind      Kind
	Operation *catalog.Operation // of Operation
	// Alias is the deprecated name under which Operation is called; "": its door's name.
	Alias string
	Args  []Arg // of Operation, ToMany, ToManyIDs, Event and Groups
	// Frond and Fact identify the fact of an Event.
	Frond, Fact string
	// Column is a member of the row or of the nested object: of Column and Computed
	// the one the field gives, of ToOne the one that holds the key of the target,
	// of ToManyIDs the one that holds the ids, of ToMany and NodeID the one that
	// holds the row's own key.
	Column string
	// Relation is what ToOne, ToMany and ToManyIDs follow.
	Relation *catalog.Relation
	Door     *catalog.Door  // the door of the rows the field gives, of NodeID the row's own; nil for values and views
	Output   *schema.Entity // the shape of the field's rows; nil for values. A view has no door
}

// IsPage reports whether the field gives a connection.
func (b *Field) IsPage() bool {
	return b.Kind == ToMany || b.Kind == ToManyIDs || b.Kind == Operation && (b.Operation.Cardinality == catalog.PageOf || b.Operation.IsMany() && b.Operation.Name != "createMany")
}

// IsList reports whether the field calls the built-in list, whose query has the paging
// members of docs/calls.md.
func (b *Field) IsList() bool {
	return b.Kind == ToMany || b.Kind == Operation && b.Operation.Builtin && b.Operation.Name == "list"
}

// IsNumbers reports whether the field is about the rows of a door that has aggregate and no list: such a
// field reads only the numbers of its type, Aggregate and Groups.
func (b *Field) IsNumbers() bool { return b.Kind == Operation && b.Operation.Aggregates() }

// Entity is the name that the calls of an Operation have.
func (b *Field) Entity() string {
	if b.Alias != "" {
		return b.Alias
	}
	return b.Operation.Door.Name
}

// List is the operation of a field that returns a list.
func (b *Field) List() *catalog.Operation {
	if b.Operation != nil {
		return b.Operation
	}
	return b.Door.Operation("list")
}

// Kind is the behaviour of a generated field: the source it reads and the value it returns.
type Kind uint8

// The kinds, with the source of each field and the value it returns.
const (
	Operation Kind = iota // a root field: one façade call; its value follows the operation's cardinality
	Column                // of a row or a nested object: the member's JSON
	Computed              // of a row: a presenter's field, in Column
	ToOne                 // of a row: the row Column points at, or null; findById of Door with Each
	ToMany                // of a row: a connection over the rows whose Link.Inverse points back; list of Door with Each
	ToManyIDs             // of a row: a connection over the ids in Column, in their order (see [PageIDs]); findById of Door with Each
	NodeID                // of a row: the global id (see [NodeIDOf])
	NodeRoot              // Query.node(nodeId:) and Query.nodes(nodeIds:): findById with Each of the doors in Schema.Nodes
	Event                 // a field of Subscription: the event of Fact that is executed; its members are Columns (see [AppendEvent])
	EventRow              // of an event: the row that it is about, or null

	// of a connection
	Items
	Total
	HasMore
	EndCursor
	Position
	Aggregate // numbers about all rows of the list, by the operation aggregate of its door
	Groups    // those rows in groups, by the same operation: a page of them, with Items, HasMore and EndCursor
	// of a write of many rows, with Items and Total
	Created
	WrittenRow
	// of a connection
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
	IntoID        Place = iota // the id of the row that a built-in operation is about
	IntoParams                 // a member of params
	IntoQuery                  // a member of the query
	IntoWhere                  // query.where, the condition of a write: each of its variables has a value
	IntoBody                   // the argument is the body, whole
	AllParams                  // the argument is params, whole
	AllQuery                   // the argument is the query, whole
	IntoSort                   // orderBy: a list of one-key objects becomes query.sort
	IntoFirst                  // query.limit, forward
	IntoLast                   // query.limit, backward
	IntoAfter                  // query.after
	IntoBefore                 // query.before
	IntoGroupBy                // query.by of aggregate: [{status: VALUE}, {placedAt: MONTH}]
	IntoHaving                 // query.having of aggregate, and names of its query.select
	IntoGroupSort              // query.sort of aggregate, with names for select too: [{total: {sum: DESC}}, {status: {key: ASC}}]
)

// AppendEvent appends the row of an event's own members to rows, those that the layout of rows
// has:
//
//	id, position, at, key    of every event
//	change                   CREATED, UPDATED, DELETED or LEFT
//	data                     the data of an event without a card
//	actor                    who caused it, if the subscriber may know
func AppendEvent(to *rows.Rows, r *facade.Revealed) {
	e := r.Event
	to.BeginRow()
	for i, name := range to.Layout().Fields {
		switch name {
		case "id":
			to.Put(i, jsontext.Quote(e.ID))
		case "position":
			to.Put(i, jsontext.Quote(e.Position.String()))
		case "at":
			to.End(i, schema.AppendDateTime(to.Begin(i), e.At))
		case "change":
			to.Put(i, jsontext.Quote(strings.ToUpper(string(r.Change))))
		case "key":
			if r.Key != nil {
				to.Put(i, r.Key)
			}
		case "actor":
			if r.Actor != nil {
				to.Put(i, r.Actor.AppendJSON(nil))
			}
		case "data":
			if r.Data != nil {
				to.Put(i, r.Data)
			}
		}
	}
	to.EndRow()
}

// MergeParams joins the two ways to send params to an operation with open params: own are the
// params with arguments of their own, all is the argument params. The error names a member that
// occurs in both. MergeParams returns an all that is no object unchanged, for the façade to
// refuse.
func MergeParams(own, all json.RawMessage) (json.RawMessage, *kiterror.Error) {
	if own == nil || jsontext.KindOf(all) != jsontext.Object {
		return all, nil
	}
	dst := make([]byte, 0, len(own)+len(all))
	add := func(name string, value json.RawMessage) {
		if len(dst) == 0 {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendName(dst, name), value...)
	}
	for name, value := range jsontext.Members(own) {
		if jsontext.Get(all, name) != nil {
			return nil, kiterror.Errorf(kiterror.BadRequest, "%s is in params and an argument; send one of the two", name)
		}
		add(name, value)
	}
	for name, value := range jsontext.Members(all) {
		add(name, value)
	}
	return append(dst, '}'), nil
}

// NodeIDOf returns the global id of a row: opaque to clients, and the same on every host
// that serves the entity. key is the JSON text of the row's primary key.
func NodeIDOf(e *schema.Entity, key json.RawMessage) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(e.Key+":"), key...))
}

// ParseNodeID reverses [NodeIDOf]: it returns the entity's schema.EntityKey and the JSON
// text of the primary key. ok is false for any text that NodeIDOf does not write.
func ParseNodeID(id string) (entity string, key json.RawMessage, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || base64.RawURLEncoding.EncodeToString(text) != id { // the decoder skips line breaks
		return "", nil, false
	}
	entity, rest, found := strings.Cut(string(text), ":")
	if !found || entity == "" || jsontext.Check([]byte(rest)) != nil {
		return "", nil, false
	}
	if k := jsontext.KindOf([]byte(rest)); k != jsontext.String && k != jsontext.Number {
		return "", nil, false
	}
	return entity, json.RawMessage(rest), true
}

// MaxNodes is how many ids Query.nodes takes at most: as many as findByIds.
const MaxNodes = 500

// TooManyNodes is the BAD_REQUEST for more ids than [MaxNodes].
func TooManyNodes() *kiterror.Error {
	return kiterror.Errorf(kiterror.BadRequest, "nodeIds has more than %d ids; ask for fewer at once", MaxNodes)
}
