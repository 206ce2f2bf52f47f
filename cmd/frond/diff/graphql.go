package diff

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// element is a part of a GraphQL schema, with the parts that it is made of. An input is an
// argument or a field of an input type; clients send both.
type element struct {
	kind elementKind
	name string
	at   string // its coordinate
	// typ is the type of a field or an input. Its old names are translated to the new ones, so
	// that a renamed type is the same type.
	typ        *ast.Type
	def        *ast.Definition // of a type
	required   bool            // of an input: non-null, and without a default
	deprecated string
	parts      []*element
}

type elementKind int

const (
	aType elementKind = iota
	anInterface
	aField
	anInput
	aValue
)

// graphQL compares the GraphQL schemas of every audience.
func (c *comparison) graphQL() {
	for _, s := range c.surfacesOf(catalog.OnGraphQL) {
		was, is := c.was.of(s), c.is.of(s)
		w := &schemaWalk{comparison: c, audience: audienceOf(s), was: was.types, is: is.types, types: map[string]string{}, back: map[string]string{}}
		if w.was == nil {
			w.was = &ast.Schema{}
		}
		if w.is == nil {
			w.is = &ast.Schema{}
		}
		w.entities, w.groups = entitiesOf(was.bound), groupsOf(was.bound)
		w.pairTypes(was.bound, is.bound)
		now := elementsOf(w.is, func(t *ast.Type) *ast.Type { return t })
		for _, p := range pairUp(elementsOf(w.was, w.translated), now, func(old *element) *element {
			return first(now, func(e *element) bool { return e.name == w.types[old.name] })
		}) {
			w.compare(p)
		}
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
	groups   map[string]*schema.Entity // of whose fields a type of groups in the old version has members
	renamed  [][2]string               // parts of names of types that have changed, the old and the new one
}

// compare tries the rules on an element and, where both versions have it, on its parts.
func (w *schemaWalk) compare(p pair[element]) {
	try(&w.out, graphQLRules, p, place{surface: graphQLSurface, at: p.either().at, audience: w.audience})
	if p.was == nil || p.is == nil || p.was.def != nil && p.was.def.Kind != p.is.def.Kind {
		return
	}
	for _, part := range pairUp(p.was.parts, p.is.parts, func(old *element) *element {
		name := old.name
		if p.was.def != nil && (old.kind == aField || old.kind == anInput) {
			name = w.fieldName(p.was.def, p.is.def, name)
		}
		return first(p.is.parts, func(e *element) bool { return e.kind == old.kind && e.name == name })
	}) {
		w.compare(part)
	}
}

// elementsOf are the types of a schema, without introspection's. translated is a type as the
// new version names it.
func elementsOf(s *ast.Schema, translated func(*ast.Type) *ast.Type) (all []*element) {
	input := func(at, name string, typ *ast.Type, value *ast.Value, d ast.DirectiveList) *element {
		return &element{kind: anInput, name: name, at: at, typ: translated(typ), required: typ.NonNull && value == nil, deprecated: reason(d)}
	}
	for name, def := range s.Types {
		if strings.HasPrefix(name, "__") || def.BuiltIn {
			continue
		}
		e := &element{kind: aType, name: name, at: name, def: def}
		for _, i := range def.Interfaces {
			e.parts = append(e.parts, &element{kind: anInterface, name: i, at: name})
		}
		for _, v := range def.EnumValues {
			e.parts = append(e.parts, &element{kind: aValue, name: v.Name, at: name + "." + v.Name, deprecated: reason(v.Directives)})
		}
		for _, f := range def.Fields {
			at := name + "." + f.Name
			if def.Kind == ast.InputObject {
				e.parts = append(e.parts, input(at, f.Name, f.Type, f.DefaultValue, f.Directives))
				continue
			}
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			field := &element{kind: aField, name: f.Name, at: at, typ: translated(f.Type), deprecated: reason(f.Directives)}
			for _, a := range f.Arguments {
				field.parts = append(field.parts, input(at+"("+a.Name+":)", a.Name, a.Type, a.DefaultValue, a.Directives))
			}
			e.parts = append(e.parts, field)
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *element) int { return strings.Compare(a.name, b.name) })
	return all
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

// reason is why an element is deprecated, or "".
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
