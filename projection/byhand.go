package projection

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// handField is a hand-registered field. It has no binding.
type handField struct {
	by    *origin // of the types that it brings along
	field *graphql.Field
	def   *ast.FieldDefinition // its types are added by defineByHand
}

// addByHand gives o a field with a Resolve of its own. A field without one gets graphql-go's
// default one.
func (ts *typeSet) addByHand(o *definition, name string, given *graphql.Field) {
	f := *given
	if f.Resolve == nil {
		f.Resolve = graphql.DefaultResolveFn
	}
	def := &ast.FieldDefinition{Name: name, Description: f.Description, Directives: ts.deprecated(f.DeprecationReason)}
	o.Fields = append(o.Fields, def)
	ts.byHand = append(ts.byHand, handField{&origin{what: fmt.Sprintf("the types of the hand-written field %s.%s", o.Name, name)}, &f, def})
	fields := ts.library.byHand[o.Name]
	if fields == nil {
		fields = map[string]*graphql.Field{}
		ts.library.byHand[o.Name] = fields
	}
	fields[name] = &f
}

// defineByHand gives hand-written fields their types, and returns the definitions of the types
// that these fields bring along. It runs in Build, since only then are all generated types known.
func defineByHand(ts *typeSet) map[string]*ast.Definition {
	w := walker{typeSet: ts, known: map[graphql.Type]bool{}, brought: map[string]*ast.Definition{}}
	for _, t := range ts.library.types {
		w.known[t] = true
	}
	for _, t := range scalars {
		w.known[t] = true
	}
	for _, h := range ts.byHand {
		w.by = h.by
		h.def.Type = w.typeOf(h.field.Type)
		for _, name := range slices.Sorted(maps.Keys(h.field.Args)) {
			if a := h.field.Args[name]; a != nil {
				h.def.Arguments = append(h.def.Arguments, w.argument(name, a.Description, a.Type, a.DefaultValue))
			}
		}
	}
	return w.brought
}

// walker defines the types that hand-written fields lead to, as deep as they go, claims their
// names, and gives them to the library. known are the types claimed so far. Members are visited
// by name, since graphql-go keeps them in maps: errors and the SDL have the same order at every
// start.
type walker struct {
	*typeSet
	known   map[graphql.Type]bool
	by      *origin
	brought map[string]*ast.Definition
}

// typeOf returns the type that names t.
func (w *walker) typeOf(t graphql.Type) *ast.Type {
	switch t := t.(type) {
	case nil:
		w.claims.fault(w.by, w.by.String()+": a type is nil", "register it first: Builder.Type returns nil for an unknown type")
		return jsonAny
	case *graphql.NonNull:
		return w.required(w.typeOf(t.OfType))
	case *graphql.List:
		return w.list(w.typeOf(t.OfType))
	}
	if !w.known[t] {
		w.known[t] = true
		w.define(t)
	}
	return ast.NamedType(t.Name(), nil)
}

// define defines t and everything it refers to.
func (w *walker) define(t graphql.Type) {
	// graphql-go keeps the first error of a type and reports it when the schema is made, one
	// at a time. Here it is reported with the others.
	if err := t.Error(); err != nil {
		w.claims.fault(w.by, fmt.Sprintf("%s: %s", w.by, err), "correct the registered type")
		return
	}
	if !w.claims.claim(typeNames, t.Name(), w.by) {
		return
	}
	def := &ast.Definition{Name: t.Name(), Description: t.Description()}
	w.library.types[def.Name], w.brought[def.Name] = t, def
	switch t := t.(type) {
	case *graphql.Scalar:
		def.Kind = ast.Scalar
	case *graphql.Object:
		def.Kind, def.Fields = ast.Object, w.fields(t.Fields())
		for _, in := range t.Interfaces() {
			def.Interfaces = append(def.Interfaces, w.typeOf(in).NamedType)
		}
	case *graphql.Interface:
		def.Kind, def.Fields = ast.Interface, w.fields(t.Fields())
	case *graphql.Union:
		def.Kind = ast.Union
		for _, o := range t.Types() {
			def.Types = append(def.Types, w.typeOf(o).NamedType)
		}
	case *graphql.Enum:
		def.Kind = ast.Enum
		for _, v := range t.Values() {
			if v.Value != nil && !reflect.TypeOf(v.Value).Comparable() { // graphql-go has a map by them
				w.claims.fault(w.by, fmt.Sprintf("the enum %s has values that Go cannot compare", t.Name()), "give its values numbers or strings")
				return
			}
			def.EnumValues = append(def.EnumValues, &ast.EnumValueDefinition{Name: v.Name, Description: v.Description, Directives: w.deprecated(v.DeprecationReason)})
		}
		slices.SortFunc(def.EnumValues, func(a, b *ast.EnumValueDefinition) int { return strings.Compare(a.Name, b.Name) })
	case *graphql.InputObject:
		def.Kind = ast.InputObject
		m := t.Fields()
		for _, name := range slices.Sorted(maps.Keys(m)) {
			a := w.argument(name, m[name].PrivateDescription, m[name].Type, m[name].DefaultValue)
			def.Fields = append(def.Fields, &ast.FieldDefinition{Name: name, Description: a.Description, Type: a.Type, DefaultValue: a.DefaultValue})
		}
	}
}

// fields returns the fields of an object or an interface.
func (w *walker) fields(m graphql.FieldDefinitionMap) (all ast.FieldList) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		f := m[name]
		own := &ast.FieldDefinition{Name: name, Description: f.Description, Type: w.typeOf(f.Type), Directives: w.deprecated(f.DeprecationReason)}
		slices.SortFunc(f.Args, func(a, b *graphql.Argument) int { return strings.Compare(a.PrivateName, b.PrivateName) })
		for _, a := range f.Args {
			own.Arguments = append(own.Arguments, w.argument(a.PrivateName, a.PrivateDescription, a.Type, a.DefaultValue))
		}
		all = append(all, own)
	}
	return all
}

// argument returns an argument with its default.
func (w *walker) argument(name, description string, t graphql.Type, value any) *ast.ArgumentDefinition {
	a := &ast.ArgumentDefinition{Name: name, Description: description, Type: w.typeOf(t)}
	if value != nil {
		var err error
		if a.DefaultValue, err = valueOf(name, value, t); err != nil {
			w.claims.fault(w.by, err.Error(), "use a bool, a number, a string, a slice or a map with string keys")
		}
	}
	return a
}
