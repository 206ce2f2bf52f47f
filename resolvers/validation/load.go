package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	gqlvalidator "github.com/vektah/gqlparser/v2/validator"
)

// LoadSchema parses and validates a schema, without gqlparser's additions to the language. The
// error describes the fault in the SDL.
func LoadSchema(sdl string) (*ast.Schema, error) {
	doc, err := parser.ParseSchemas(gqlvalidator.Prelude, &ast.Source{Name: "schema.graphql", Input: sdl})
	if err != nil {
		return nil, fmt.Errorf("the schema does not load: %w", err)
	}
	return schemaOf(doc)
}

// NewSchema is LoadSchema for directives and types made without a text. They do not change afterwards.
// Their maker answers for legal names and for references to existing types. The schema lists the
// possible types of interfaces and unions alone.
func NewSchema(directives ast.DirectiveDefinitionList, types ast.DefinitionList) (*ast.Schema, error) {
	doc, err := parser.ParseSchema(gqlvalidator.Prelude)
	if err != nil {
		return nil, err
	}
	doc.Merge(&ast.SchemaDocument{Directives: directives})
	s, err := gqlvalidator.ValidateSchemaDocument(doc)
	if err != nil {
		return nil, fmt.Errorf("the schema does not load: %w", err)
	}
	all := make(map[string]*ast.Definition, len(s.Types)+len(types))
	maps.Copy(all, s.Types)
	s.Types = all
	for _, d := range types {
		if all[d.Name] != nil {
			return nil, fmt.Errorf("the schema does not load: there are two types %s", d.Name)
		}
		if d.Kind != ast.Scalar && len(d.Fields)+len(d.EnumValues)+len(d.Types) == 0 {
			return nil, fmt.Errorf("the schema does not load: the type %s has no members", d.Name)
		}
		all[d.Name] = d
	}
	for _, d := range types {
		for _, name := range d.Interfaces {
			s.AddPossibleType(name, d)
			s.AddImplements(d.Name, all[name])
		}
		for _, name := range d.Types {
			s.AddPossibleType(d.Name, all[name])
			s.AddImplements(name, d)
		}
	}
	s.Query, s.Mutation, s.Subscription = all["Query"], all["Mutation"], all["Subscription"]
	if s.Query != nil {
		s.Query.Fields = append(s.Query.Fields, gqlvalidator.QueryIntrospectionFields()...)
	}
	return settled(s)
}

// schemaOf returns the schema of a document that has gqlparser's prelude.
func schemaOf(doc *ast.SchemaDocument) (*ast.Schema, error) {
	s, err := gqlvalidator.ValidateSchemaDocument(doc)
	if err != nil {
		return nil, fmt.Errorf("the schema does not load: %w", err)
	}
	return settled(s)
}

// settled returns the schema without what gqlparser adds, after the rules that it leaves out.
func settled(s *ast.Schema) (*ast.Schema, error) {
	// gqlparser declares @defer, which this server does not support.
	delete(s.Directives, "defer")
	// It allows deprecated directives, which clients of today do not know.
	deprecated, locations := s.Directives["deprecated"], s.Types["__DirectiveLocation"]
	deprecated.Locations = slices.DeleteFunc(deprecated.Locations, func(l ast.DirectiveLocation) bool { return l == ast.LocationDirectiveDefinition })
	locations.EnumValues = slices.DeleteFunc(locations.EnumValues, func(v *ast.EnumValueDefinition) bool { return v.Name == string(ast.LocationDirectiveDefinition) })
	// gqlparser's reason and includeDeprecated may be null; since September 2025 they may not.
	deprecated.Arguments.ForName("reason").Type.NonNull = true
	for _, name := range []string{"__Type", "__Field", "__Directive"} {
		for _, f := range s.Types[name].Fields {
			if a := f.Arguments.ForName("includeDeprecated"); a != nil {
				a.Type.NonNull = true
			}
		}
	}
	text := s.Types["String"] // a space is missing in gqlparser's description
	text.Description = strings.Replace(text.Description, "`String`scalar", "`String` scalar", 1)
	if err := sound(s); err != nil {
		return nil, fmt.Errorf("the schema does not hold together: %w", err)
	}
	unreferenced(s)
	return s, nil
}

// unreferenced drops the built-in scalars that no field, argument or input field has: they are
// not part of the schema (specification 3.5).
func unreferenced(s *ast.Schema) {
	unused := map[string]bool{}
	for name, d := range s.Types {
		if d.BuiltIn && d.Kind == ast.Scalar {
			unused[name] = true
		}
	}
	args := func(list ast.ArgumentDefinitionList) {
		for _, a := range list {
			delete(unused, a.Type.Name())
		}
	}
	for _, d := range s.Directives {
		args(d.Arguments)
	}
	for _, d := range s.Types {
		if len(unused) == 0 {
			return
		}
		for _, f := range d.Fields {
			delete(unused, f.Type.Name())
			args(f.Arguments)
		}
	}
	for name := range unused {
		delete(s.Types, name)
	}
}
