package resolvers

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// introspect writes __schema and __type from the loaded SDL (GraphQL 4). graphql-go's own
// introspection knows neither specifiedBy nor deprecated inputs. __type of a name that the
// schema does not have is null.
func (w *writer) introspect(f *field) bool {
	start := len(w.text)
	s := w.x.Types.Schema
	if f.Action == asSchema {
		return w.meta(f, f.Output, s)
	}
	r := language.Renderer{Vars: w.x.Vars}
	// __type has one argument, the name. Where a variable gives it no value, the field is null
	// with an error.
	name, _ := r.Argument(nil, f.Type.Args[0], language.ValueOf(f.AST.Arguments, "name"))
	if r.Err != nil {
		return w.null(f, f.Output, start, w.x.Failed(r.Err))
	}
	if def := s.Types[jsontext.Unquote(name)]; def != nil {
		return w.meta(f, f.Output, def)
	}
	return w.null(f, f.Output, start, nil)
}

// meta writes a value of an introspection type. It fails only if an argument has no value
// because of a variable.
//
//	nil            null
//	*facade.Error  null with the error
//	string, bool   as they are
//	[]any          a list
//	anything else  an object, whose fields introspection returns
func (w *writer) meta(f *field, out *outputType, value any) bool {
	start := len(w.text)
	switch v := value.(type) {
	case nil:
		w.text = append(w.text, "null"...)
	case *kiterror.Error:
		return w.null(f, out, start, w.x.Failed(v))
	case string:
		w.text = jsontext.AppendString(w.text, v)
	case bool:
		if v {
			w.text = append(w.text, "true"...)
		} else {
			w.text = append(w.text, "false"...)
		}
	case []any:
		w.text = append(w.text, '[')
		for i, item := range v {
			w.text = jsontext.Comma(w.text)
			w.push(language.Segment{Index: i})
			ok := w.meta(f, out.Elem, item)
			w.pop()
			if !ok {
				return w.rewind(out, start)
			}
		}
		w.text = append(w.text, ']')
	default:
		if w.limit >= 0 && len(w.text) > w.limit {
			panic(abort{errTooLarge})
		}
		w.text = append(w.text, '{')
		in := introspection{w.x.Types.Schema, w.x.Vars}
		for _, sub := range f.Selection.Fields {
			w.text = append(w.text, sub.Key...)
			// __typename is not defined in the SDL.
			if sub.Type == nil { // __typename
				w.text = append(w.text, sub.Text...)
				continue
			}
			w.push(language.Segment{Key: sub.Name})
			ok := w.meta(sub, sub.Output, in.field(sub, value))
			w.pop()
			if !ok {
				return w.rewind(out, start)
			}
		}
		w.text = append(w.text, '}')
	}
	return true
}

// inputValue is an argument or an input field: to introspection they are one.
type inputValue struct {
	name, description string
	typ               *ast.Type
	fallback          *ast.Value
	directives        ast.DirectiveList
}

// introspection reads the values of introspection types from a loaded schema.
type introspection struct {
	schema *ast.Schema
	vars   *language.Variables
}

// field returns the value of one field of an introspection object (GraphQL 4.2): from is the
// part of the schema that the object describes. A field that does not apply is null, as fields
// of a scalar.
func (in introspection) field(f *field, from any) any {
	name := f.Type.Definition.Name
	if _, err := in.deprecatedToo(f); err != nil {
		return err
	}
	switch v := from.(type) {
	case *ast.Schema:
		return in.ofSchema(name, v)
	case *ast.Type:
		return in.ofType(f, name, v)
	case *ast.Definition:
		return in.ofDefinition(f, name, v)
	case *ast.FieldDefinition:
		switch name {
		case "args":
			return in.arguments(f, v.Arguments)
		case "type":
			return in.typeOf(v.Type)
		}
		return ofNamed(name, v.Name, v.Description, v.Directives)
	case *inputValue:
		switch name {
		case "type":
			return in.typeOf(v.typ)
		case "defaultValue":
			if v.fallback == nil {
				return nil
			}
			return language.Print(v.fallback)
		}
		return ofNamed(name, v.name, v.description, v.directives)
	case *ast.EnumValueDefinition:
		return ofNamed(name, v.Name, v.Description, v.Directives)
	case *ast.DirectiveDefinition:
		switch name {
		case "args":
			return in.arguments(f, v.Arguments)
		case "isRepeatable":
			return v.IsRepeatable
		case "locations":
			// Locations are values of the enum __DirectiveLocation.
			list := make([]any, len(v.Locations))
			for i, l := range v.Locations {
				list[i] = string(l)
			}
			return list
		}
		return ofNamed(name, v.Name, v.Description, v.Directives)
	}
	return nil
}

// ofNamed returns the value of a field that fields, arguments, enum values and directives have
// in common.
func ofNamed(field, name, description string, list ast.DirectiveList) any {
	switch field {
	case "name":
		return name
	case "description":
		return orNull(description)
	case "isDeprecated":
		return list.ForName("deprecated") != nil
	case "deprecationReason":
		return deprecation(list)
	}
	return nil
}

// orNull returns nil for "": a description that is missing is null.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// deprecation returns the reason of @deprecated, or its default (GraphQL 3.13.3), or nil
// without the directive.
func deprecation(list ast.DirectiveList) any {
	d := list.ForName("deprecated")
	if d == nil {
		return nil
	}
	if a := d.Arguments.ForName("reason"); a != nil && a.Value.Kind != ast.NullValue {
		return a.Value.Raw
	}
	// The default that GraphQL 3.13.3 gives the argument reason.
	return "No longer supported"
}

// ofSchema returns a field of __Schema (GraphQL 4.2.1). types and directives are sorted by
// name.
func (in introspection) ofSchema(name string, s *ast.Schema) any {
	switch name {
	case "description":
		return orNull(s.Description)
	case "queryType":
		return root(s.Query)
	case "mutationType":
		return root(s.Mutation)
	case "subscriptionType":
		return root(s.Subscription)
	case "types":
		return sorted(s.Types)
	case "directives":
		return sorted(s.Directives)
	}
	return nil
}

// root returns a root type as an introspection object. A nil *ast.Definition in an interface
// would not be nil, and would be written as an object.
func root(def *ast.Definition) any {
	if def == nil {
		return nil
	}
	return def
}

// sorted returns the values of a map by their names, so that introspection has the same text
// each time.
func sorted[T any](m map[string]T) []any {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = m[name]
	}
	return list
}

// typeOf returns a type as an introspection object. Lists and non-null types are objects of
// their own, around a definition:
//
//	[Post!]    *ast.Type LIST  ->  *ast.Type NON_NULL  ->  *ast.Definition Post
func (in introspection) typeOf(t *ast.Type) any {
	if !t.NonNull && t.Elem == nil {
		return in.schema.Types[t.NamedType]
	}
	return t
}

// ofType returns a field of __Type for a list or a non-null type (GraphQL 4.2.2): kind and
// ofType, all others null.
func (in introspection) ofType(f *field, name string, t *ast.Type) any {
	switch name {
	case "kind":
		if t.NonNull {
			return "NON_NULL"
		}
		return "LIST"
	case "ofType":
		if t.NonNull {
			return in.typeOf(&ast.Type{NamedType: t.NamedType, Elem: t.Elem})
		}
		return in.typeOf(t.Elem)
	}
	return nil
}

// ofDefinition returns a field of __Type for a named type (GraphQL 4.2.2). Lists are null for
// kinds that do not have them, and empty if the type has no elements.
func (in introspection) ofDefinition(f *field, name string, d *ast.Definition) any {
	switch name {
	case "kind":
		return string(d.Kind)
	case "name":
		return d.Name
	case "description":
		return orNull(d.Description)
	case "specifiedByURL":
		if by := d.Directives.ForName("specifiedBy"); by != nil {
			if a := by.Arguments.ForName("url"); a != nil {
				return a.Value.Raw
			}
		}
	case "fields":
		if d.Kind == ast.Object || d.Kind == ast.Interface {
			// gqlparser adds __schema and __type to the query type; introspection does not list
			// them (GraphQL 4.1).
			shown := slices.DeleteFunc(slices.Clone(d.Fields), func(fd *ast.FieldDefinition) bool { return strings.HasPrefix(fd.Name, "__") })
			return current(in, f, shown, func(fd *ast.FieldDefinition) (any, ast.DirectiveList) { return fd, fd.Directives })
		}
	case "interfaces":
		if d.Kind == ast.Object || d.Kind == ast.Interface {
			list := []any{}
			for _, i := range d.Interfaces {
				list = append(list, in.schema.Types[i])
			}
			return list
		}
	case "possibleTypes":
		if d.IsAbstractType() {
			list := []any{}
			for _, p := range in.schema.PossibleTypes[d.Name] {
				// gqlparser counts interfaces too; only objects are possible types.
				if p.Kind == ast.Object {
					list = append(list, p)
				}
			}
			return list
		}
	case "enumValues":
		if d.Kind == ast.Enum {
			return current(in, f, d.EnumValues, func(v *ast.EnumValueDefinition) (any, ast.DirectiveList) { return v, v.Directives })
		}
	case "inputFields":
		if d.Kind == ast.InputObject {
			return current(in, f, d.Fields, func(fd *ast.FieldDefinition) (any, ast.DirectiveList) {
				return &inputValue{fd.Name, fd.Description, fd.Type, fd.DefaultValue, fd.Directives}, fd.Directives
			})
		}
	case "isOneOf":
		if d.Kind == ast.InputObject {
			return d.Directives.ForName("oneOf") != nil
		}
	}
	return nil
}

// arguments returns the arguments of a field or a directive, deprecated ones where
// includeDeprecated asks for them.
func (in introspection) arguments(f *field, defs ast.ArgumentDefinitionList) any {
	return current(in, f, defs, func(a *ast.ArgumentDefinition) (any, ast.DirectiveList) {
		return &inputValue{a.Name, a.Description, a.Type, a.DefaultValue, a.Directives}, a.Directives
	})
}

// current lists definitions as one gives them, deprecated ones where includeDeprecated asks for
// them.
func current[T any](in introspection, f *field, defs []T, one func(T) (any, ast.DirectiveList)) []any {
	all, _ := in.deprecatedToo(f)
	list := []any{}
	for _, def := range defs {
		if v, directives := one(def); all || directives.ForName("deprecated") == nil {
			list = append(list, v)
		}
	}
	return list
}

// deprecatedToo returns the argument includeDeprecated of a field that has it, and false for
// any other field.
func (in introspection) deprecatedToo(f *field) (bool, *kiterror.Error) {
	r := language.Renderer{Vars: in.vars}
	for _, def := range f.Type.Args {
		if def.Name == "includeDeprecated" {
			v, _ := r.Argument(nil, def, language.ValueOf(f.AST.Arguments, def.Name))
			return string(v) == "true", r.Err
		}
	}
	return false, nil
}
