package projection

import (
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
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
	// registered: an author has registered fields by hand.
	registered bool

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

// Build returns the schema. graphql-go's is made beside the caller then; Schema.Ready waits for it. The error is schema.Faults where names are at fault: all of them, also those that RegisterAll and the
// other Register functions have returned. A Builder builds once; a second Build returns an
// error, also where the first one failed.
//
// The claims check the schema; where fields are registered by hand, graphql-go does, and gqlparser
// reads the printed SDL back (docs/decisions/graphql-stack.md).
func (b *Builder) Build() (*binding.Schema, error) {
	if b.built {
		return nil, errBuilt
	}
	// Set before anything can fail: a half-built Builder must not be used again.
	b.built = true
	others := defineByHand(b.types)
	if err := b.types.claims.faults.Err(); err != nil {
		return nil, err
	}
	library, directives := b.types.library, b.roots.directives()
	types := reached(b.doors.sorted(), others)
	b.types.claims.owners = nil // the names are checked; a large schema needs the room for the rest
	parsed, err := validation.NewSchema(directives, types)
	if err != nil {
		return nil, err
	}
	library.definition = func(name string) *ast.Definition { return parsed.Types[name] }
	served := b.doors.catalog
	made := sync.OnceValues(func() (*graphql.Schema, error) {
		g, err := library.schema(directives)
		if err != nil {
			return &graphql.Schema{}, refused(err, served)
		}
		return g, nil
	})
	s := &binding.Schema{
		GraphQL: func() *graphql.Schema { g, _ := made(); return g },
		Ready:   func() error { _, err := made(); return err },
		SDL:     sync.OnceValue(func() string { return printSchema(directives, types) }),
		AST:     parsed, Catalog: b.doors.catalog, Fields: b.types.bindings, Nodes: b.rows.nodes, ByHand: library.byHand,
	}
	if b.registered {
		if err = s.Ready(); err == nil {
			_, err = validation.LoadSchema(s.SDL())
		}
		if err != nil {
			return nil, err
		}
	}
	go func() { _ = s.Ready() }()
	*b = Builder{built: true, types: &typeSet{claims: &claims{notes: b.types.claims.notes}}}
	return s, nil
}
