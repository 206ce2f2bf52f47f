package validation

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	gqlvalidator "github.com/vektah/gqlparser/v2/validator"
)

// LoadSchema parses and validates a schema for documents to be validated against. The result
// has no positions and no comments, and none of gqlparser's additions to the language. It does
// not change afterwards. The error describes the fault in the SDL.
func LoadSchema(sdl string) (*ast.Schema, error) {
	s, err := gqlvalidator.LoadSchema(gqlvalidator.Prelude, &ast.Source{Name: "schema.graphql", Input: sdl})
	if err != nil {
		return nil, fmt.Errorf("the schema does not load: %w", err)
	}
	// gqlparser declares @defer, which this server does not support.
	delete(s.Directives, "defer")
	// It allows deprecated directives, which clients of today do not know.
	if d := s.Directives["deprecated"]; d != nil {
		d.Locations = slices.DeleteFunc(d.Locations, func(l ast.DirectiveLocation) bool { return l == ast.LocationDirectiveDefinition })
	}
	if d := s.Types["__DirectiveLocation"]; d != nil {
		d.EnumValues = slices.DeleteFunc(d.EnumValues, func(v *ast.EnumValueDefinition) bool {
			return v.Name == string(ast.LocationDirectiveDefinition)
		})
	}
	// Its reason may be null; since September 2025 it may not.
	if d := s.Directives["deprecated"]; d != nil {
		d.Arguments.ForName("reason").Type.NonNull = true
	}
	// gqlparser's includeDeprecated may be null; since September 2025 it may not.
	for _, name := range []string{"__Type", "__Field", "__Directive"} {
		for _, f := range s.Types[name].Fields {
			if a := f.Arguments.ForName("includeDeprecated"); a != nil {
				a.Type.NonNull = true
			}
		}
	}
	if err := sound(s); err != nil {
		return nil, fmt.Errorf("the schema does not hold together: %w", err)
	}
	unreferenced(s)
	forget(s)
	return s, nil
}

// unreferenced drops the built-in scalars that no field, argument or input field has: they are
// not part of the schema (specification 3.5).
func unreferenced(s *ast.Schema) {
	used := map[string]bool{}
	args := func(list ast.ArgumentDefinitionList) {
		for _, a := range list {
			used[a.Type.Name()] = true
		}
	}
	for _, d := range s.Types {
		for _, f := range d.Fields {
			used[f.Type.Name()] = true
			args(f.Arguments)
		}
	}
	for _, d := range s.Directives {
		args(d.Arguments)
	}
	for _, name := range []string{"Int", "Float", "String", "Boolean", "ID"} {
		if !used[name] {
			delete(s.Types, name)
		}
	}
}

// forget drops what only a reader of the SDL would want: positions and comments
// keep every token of the text alive, most of a large schema's memory. Equal types become one.
func forget(s *ast.Schema) {
	types := map[ast.Type]*ast.Type{}
	var shared func(t *ast.Type) *ast.Type
	shared = func(t *ast.Type) *ast.Type {
		if t == nil {
			return nil
		}
		key := ast.Type{NamedType: t.NamedType, NonNull: t.NonNull, Elem: shared(t.Elem)}
		if types[key] == nil {
			t.Elem, t.Position = key.Elem, nil
			types[key] = t
		}
		return types[key]
	}
	args := func(list ast.ArgumentDefinitionList) {
		for _, a := range list {
			a.Position, a.Type = nil, shared(a.Type)
			a.BeforeDescriptionComment, a.AfterDescriptionComment = nil, nil
		}
	}
	for _, d := range s.Types {
		d.Position, d.TypePositions = nil, nil
		d.BeforeDescriptionComment, d.AfterDescriptionComment, d.EndOfDefinitionComment = nil, nil, nil
		for _, f := range d.Fields {
			f.Position = nil
			f.BeforeDescriptionComment, f.AfterDescriptionComment = nil, nil
			f.Type = shared(f.Type)
			args(f.Arguments)
		}
		for _, v := range d.EnumValues {
			v.Position, v.BeforeDescriptionComment, v.AfterDescriptionComment = nil, nil, nil
		}
	}
	for _, d := range s.Directives {
		args(d.Arguments)
	}
}
