package projection

import (
	"fmt"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/reference"
	"github.com/frondhost/frond/resolvers/validation"
)

// Builder collects the types and fields of a schema. It is used once, by one goroutine:
//
//	NewBuilder        Query.node, Query.nodes and the interface Node
//	RegisterAll       the types and operations of a catalog, at most once
//	RegisterType      fields of the author's own, any number of times
//	Build             claims the remaining names, builds, prints, loads the SDL
//
// A step reports its errors at its end. An illegal or repeated name is collected, its owner
// goes on under a spare name, and the step returns all errors at once.
type Builder struct {
	types   *typeSet
	options Options
	built   bool

	// Each maker uses the ones above it.
	doors      *doors
	rows       *rows
	roots      *roots
	operations *operations
	facts      *facts
}

// NewBuilder returns a Builder with the parts of every schema: the interface Node and the
// fields Query.node and Query.nodes.
func NewBuilder() *Builder {
	ts := newTypeSet()
	ss, ds, roots := newShapes(ts), newDoors(ts), newRoots(ts)
	fs := newFilters(ss, ds)
	ps := &pages{typeSet: ts, doors: ds, filters: fs, groups: newGroups(fs)}
	rows := newRows(ss, ps)
	return &Builder{
		types: ts, doors: ds, rows: rows, roots: roots,
		operations: &operations{roots: roots, doors: ds, filters: fs, pages: ps, rows: rows, inputs: newInputs(ss, ds)},
		facts:      &facts{roots: roots, doors: ds, filters: fs, rows: rows},
	}
}

// Notes returns one sentence for each name of a remote Frond that is illegal in GraphQL. Its
// owner is left out of the schema, because its host cannot be renamed from here. An illegal
// local name is an error of Build instead.
func (b *Builder) Notes() []string { return b.types.claims.notes }

// Build returns the schema; its fields are resolved by calls of caller. The error is
// schema.Faults where names are at fault: all of them, also those that RegisterAll and the
// other Register functions have returned. A Builder builds once; a second Build returns an
// error, also where the first one failed.
//
// The schema is checked three times: by the claims, by graphql-go, and by gqlparser, which
// loads the printed SDL. The loaded text is what documents are validated against
// (docs/decisions/graphql-stack.md), so a type that prints wrong fails here and not at a request.
func (b *Builder) Build(caller facade.Caller) (*binding.Schema, error) {
	if b.built {
		return nil, errBuilt
	}
	// Set before anything can fail: a half-built Builder must not be used again.
	b.built = true
	claimByHand(b.types)
	if err := b.types.claims.faults.Err(); err != nil {
		return nil, err
	}
	b.types.executor = reference.New(caller, b.types.bindings, b.rows.nodes)
	g, err := graphql.NewSchema(b.roots.config())
	if err != nil {
		return nil, fmt.Errorf("projection: the GraphQL schema is invalid: %w", err)
	}
	// Before the schema is shared, since what warm fills is written without a lock.
	if err := warm(&g, b.types.node); err != nil {
		return nil, err
	}
	sdl, err := printSchema(&g, b.doors.sorted(), b.roots.directives(), b.options.SemanticNonNull)
	if err != nil {
		return nil, err
	}
	parsed, err := validation.LoadSchema(sdl)
	if err != nil {
		return nil, err
	}
	s := &binding.Schema{GraphQL: g, SDL: sdl, AST: parsed, Catalog: b.doors.catalog, Fields: b.types.bindings, Nodes: b.rows.nodes, Resolvers: b.types.resolvers()}
	b.types.forget()
	*b = Builder{built: true, types: b.types}
	return s, nil
}

// warm fills the tables that graphql-go makes at first use. An enum makes its tables without a
// lock, so two first requests would race; the possible types of an interface are made again for
// every request. node is the interface Node. The error names an author's enum whose values
// cannot be keys of a map.
func warm(g *graphql.Schema, node *graphql.Interface) (err error) {
	for _, o := range g.PossibleTypes(node) {
		g.IsPossibleType(node, o)
	}
	current := ""
	defer func() {
		// graphql-go panics where it uses such a value as the key of a map.
		if recover() != nil {
			err = fmt.Errorf("the enum %s has values that Go cannot compare; give its values numbers or strings", current)
		}
	}()
	for name, t := range g.TypeMap() {
		if e, ok := t.(*graphql.Enum); ok && !strings.HasPrefix(name, "__") {
			current = name
			e.ParseValue("")
			e.Serialize("")
		}
	}
	return nil
}
