package diff

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// element is a part of a GraphQL schema: a type, a field, an input, a value of an enum. An
// input is an argument or a field of an input type; clients send both.
type element struct {
	kind string // "type", "field", "input", "value", "interface"
	name string
	// typ is the type of a field or an input, with the names of the old version translated to
	// those of the new one, so that a renamed type is the same type.
	typ        *ast.Type
	def        *ast.Definition // of a type
	required   bool            // of an input: non-null, and without a default
	deprecated string
}

// elementPair is an element in both versions; one of them may be nil.
type elementPair struct{ was, is *element }

// kind is the kind of whichever is there.
func (p elementPair) kind() string {
	if p.was != nil {
		return p.was.kind
	}
	return p.is.kind
}

// graphQL compares the GraphQL schemas of every audience.
func (c *comparison) graphQL() {
	for _, s := range c.surfacesOf(catalog.OnGraphQL) {
		was, is := c.was.of(s), c.is.of(s)
		if was.types == nil && is.types == nil {
			continue
		}
		w := &schemaWalk{comparison: c, audience: audienceOf(s), was: was.types, is: is.types, types: map[string]string{}, back: map[string]string{}}
		if w.was == nil {
			w.was = &ast.Schema{}
		}
		if w.is == nil {
			w.is = &ast.Schema{}
		}
		w.entities = entitiesOf(was.bound)
		w.pairTypes(was.bound, is.bound)
		w.walk()
	}
}

// schemaWalk compares two schemas. Types are paired before they are compared: by their names,
// and for a changed name by their use, such as the operation of a root field.
type schemaWalk struct {
	*comparison
	audience string
	was, is  *ast.Schema
	types    map[string]string         // old name to new
	back     map[string]string         // new name to old
	roots    map[string]string         // old root field to new, "Query.item"
	entities map[string]*schema.Entity // whose rows or values a type of the old version has
	renamed  [][2]string               // parts of names of types that have changed, the old and the new one
}

// place is a coordinate of the schema.
func (w *schemaWalk) place(at string) place {
	return place{surface: graphQLSurface, at: at, audience: w.audience}
}

// walk compares every pair of types, the old ones first.
func (w *schemaWalk) walk() {
	for _, name := range typeNames(w.was) {
		old := w.was.Types[name]
		now := w.is.Types[w.types[name]]
		pair := elementPair{was: typeElement(old), is: typeElement(now)}
		try(&w.out, graphQLRules, pair, w.place(name))
		if now != nil && old.Kind == now.Kind {
			w.members(old, now)
		}
	}
	for _, name := range typeNames(w.is) {
		if w.back[name] == "" {
			try(&w.out, graphQLRules, elementPair{is: typeElement(w.is.Types[name])}, w.place(name))
		}
	}
}

// typeNames are the types of a schema, without those of introspection.
func typeNames(s *ast.Schema) (names []string) {
	for name, def := range s.Types {
		if !strings.HasPrefix(name, "__") && !def.BuiltIn {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// typeElement is a type as an element; nil of nil.
func typeElement(d *ast.Definition) *element {
	if d == nil {
		return nil
	}
	return &element{kind: "type", name: d.Name, def: d}
}

// members compares what two types of one kind are made of.
func (w *schemaWalk) members(old, now *ast.Definition) {
	switch old.Kind {
	case ast.Object, ast.Interface:
		for _, name := range old.Interfaces {
			if !slices.Contains(now.Interfaces, name) {
				try(&w.out, graphQLRules, elementPair{was: &element{kind: "interface", name: name}}, w.place(old.Name))
			}
		}
		for _, name := range now.Interfaces {
			if !slices.Contains(old.Interfaces, name) {
				try(&w.out, graphQLRules, elementPair{is: &element{kind: "interface", name: name}}, w.place(now.Name))
			}
		}
		w.fields(old, now)
	case ast.InputObject:
		w.inputs(old, now)
	case ast.Enum:
		for _, v := range old.EnumValues {
			pair := elementPair{was: &element{kind: "value", name: v.Name, deprecated: reason(v.Directives)}}
			if to := now.EnumValues.ForName(v.Name); to != nil {
				pair.is = &element{kind: "value", name: v.Name, deprecated: reason(to.Directives)}
			}
			try(&w.out, graphQLRules, pair, w.place(old.Name+"."+v.Name))
		}
		for _, v := range now.EnumValues {
			if old.EnumValues.ForName(v.Name) == nil {
				try(&w.out, graphQLRules, elementPair{is: &element{kind: "value", name: v.Name}}, w.place(now.Name+"."+v.Name))
			}
		}
	}
}

// fields compares the fields of two object types, and their arguments.
func (w *schemaWalk) fields(old, now *ast.Definition) {
	known := map[string]bool{}
	for _, f := range old.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		to := now.Fields.ForName(w.fieldName(old, now, f.Name))
		pair := elementPair{was: &element{kind: "field", name: f.Name, typ: w.translated(f.Type), deprecated: reason(f.Directives)}}
		at := old.Name + "." + f.Name
		if to == nil {
			try(&w.out, graphQLRules, pair, w.place(at))
			continue
		}
		known[to.Name] = true
		pair.is = &element{kind: "field", name: to.Name, typ: to.Type, deprecated: reason(to.Directives)}
		try(&w.out, graphQLRules, pair, w.place(at))
		for _, a := range f.Arguments {
			pair := elementPair{was: w.argument(a)}
			if b := to.Arguments.ForName(a.Name); b != nil {
				pair.is = inputElement(b.Name, b.Type, b.DefaultValue, b.Directives)
			}
			try(&w.out, graphQLRules, pair, w.place(at+"("+a.Name+":)"))
		}
		for _, b := range to.Arguments {
			if f.Arguments.ForName(b.Name) == nil {
				try(&w.out, graphQLRules, elementPair{is: inputElement(b.Name, b.Type, b.DefaultValue, b.Directives)}, w.place(now.Name+"."+to.Name+"("+b.Name+":)"))
			}
		}
	}
	for _, f := range now.Fields {
		if !known[f.Name] && !strings.HasPrefix(f.Name, "__") {
			try(&w.out, graphQLRules, elementPair{is: &element{kind: "field", name: f.Name, typ: f.Type}}, w.place(now.Name+"."+f.Name))
		}
	}
}

// inputs compares the fields of two input types.
func (w *schemaWalk) inputs(old, now *ast.Definition) {
	known := map[string]bool{}
	for _, f := range old.Fields {
		pair := elementPair{was: inputElement(f.Name, w.translated(f.Type), f.DefaultValue, f.Directives)}
		if to := now.Fields.ForName(w.fieldName(old, now, f.Name)); to != nil {
			known[to.Name] = true
			pair.is = inputElement(to.Name, to.Type, to.DefaultValue, to.Directives)
		}
		try(&w.out, graphQLRules, pair, w.place(old.Name+"."+f.Name))
	}
	for _, f := range now.Fields {
		if !known[f.Name] {
			try(&w.out, graphQLRules, elementPair{is: inputElement(f.Name, f.Type, f.DefaultValue, f.Directives)}, w.place(now.Name+"."+f.Name))
		}
	}
}

// argument is an argument of the old version.
func (w *schemaWalk) argument(a *ast.ArgumentDefinition) *element {
	return inputElement(a.Name, w.translated(a.Type), a.DefaultValue, a.Directives)
}

// inputElement is an argument or a field of an input.
func inputElement(name string, typ *ast.Type, value *ast.Value, d ast.DirectiveList) *element {
	return &element{kind: "input", name: name, typ: typ, required: typ.NonNull && value == nil, deprecated: reason(d)}
}

// translated is an old type with the new names of its parts.
func (w *schemaWalk) translated(t *ast.Type) *ast.Type {
	if t == nil {
		return nil
	}
	out := *t
	if t.Elem != nil {
		out.Elem = w.translated(t.Elem)
	} else if to := w.types[t.NamedType]; to != "" {
		out.NamedType = to
	}
	return &out
}

// reason is why something is deprecated; "" where it is not.
func reason(list ast.DirectiveList) string {
	d := list.ForName("deprecated")
	if d == nil {
		return ""
	}
	if a := d.Arguments.ForName("reason"); a != nil && a.Value != nil {
		return a.Value.Raw
	}
	return schema.Deprecated
}
