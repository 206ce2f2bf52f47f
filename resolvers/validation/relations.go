package validation

import (
	"slices"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
)

// relations answers what rules ask of the types of a schema, and keeps the answers: a document
// may ask the same thing for each of its fields. It may be used from many goroutines.
type relations struct {
	schema *ast.Schema

	mu    sync.Mutex
	wide  map[*ast.Definition]map[string]*ast.FieldDefinition
	of    map[*ast.Definition]map[*ast.Definition]bool
	meets map[[2]*ast.Definition]bool
}

// newRelations returns empty relations.
func newRelations(s *ast.Schema) *relations {
	return &relations{
		schema: s,
		wide:   map[*ast.Definition]map[string]*ast.FieldDefinition{},
		of:     map[*ast.Definition]map[*ast.Definition]bool{},
		meets:  map[[2]*ast.Definition]bool{},
	}
}

// field returns a field of a type, or nil. A type with many fields gets a map at first use: a
// root type has one field for each operation of a thousand cards, and searching them for every
// field of a document would be quadratic.
func (t *relations) field(on *ast.Definition, name string) *ast.FieldDefinition {
	if len(on.Fields) <= 16 {
		return on.Fields.ForName(name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fields := t.wide[on]
	if fields == nil {
		fields = make(map[string]*ast.FieldDefinition, len(on.Fields))
		for _, f := range on.Fields {
			fields[f.Name] = f
		}
		t.wide[on] = fields
	}
	return fields[name]
}

// meet reports whether some object may be of both types (GraphQL 5.5.2.3): whether their sets
// of possible types have one in common.
func (t *relations) meet(a, b *ast.Definition) bool {
	switch {
	case a == b:
		return true
	case a.Kind == ast.Object && b.Kind == ast.Object:
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.Kind == ast.Object {
		return t.possible(b)[a]
	}
	if b.Kind == ast.Object {
		return t.possible(a)[b]
	}
	// Two abstract types: their possible types are compared once for each pair, and a schema
	// has few such pairs.
	pair := [2]*ast.Definition{a, b} // of abstract types, of which there are few
	yes, known := t.meets[pair]
	if !known {
		of := t.possible(a)
		yes = slices.ContainsFunc(t.schema.GetPossibleTypes(b), func(d *ast.Definition) bool { return of[d] })
		t.meets[pair] = yes
	}
	return yes
}

// possible are the object types of an abstract type. The caller holds the lock.
func (t *relations) possible(abstract *ast.Definition) map[*ast.Definition]bool {
	of := t.of[abstract]
	if of == nil {
		of = map[*ast.Definition]bool{}
		for _, d := range t.schema.GetPossibleTypes(abstract) {
			of[d] = true
		}
		t.of[abstract] = of
	}
	return of
}
