package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/frondhost/frond/facade/catalog"
)

// markUnused marks the breaking findings of GraphQL that no trusted document uses. If the old
// version refuses other documents, those findings break no client, and their level is safe; if
// it lets other documents run, or only logs them, the level stays.
func markUnused(list []Finding, was, is *Version) {
	if len(was.Documents) == 0 {
		return
	}
	used := map[string]usage{}
	for i := range list {
		f := &list[i]
		if f.Surface != graphQLSurface || f.Level != Breaking || strings.HasPrefix(f.Rule, "document") {
			continue
		}
		u := used[f.Audience]
		if u == nil {
			types := was.of(catalog.OnGraphQL.For(f.Audience)).types
			u = usageOf(types, slices.Sorted(maps.Values(was.Documents)), true)
			// A document of the new version that the old schema executes is written by a client
			// that is on its way.
			for at := range usageOf(types, slices.Sorted(maps.Values(is.Documents)), false) {
				u[at] = true
			}
			used[f.Audience] = u
		}
		if f.Unused = !u.touches(f); f.Unused && was.Enforced {
			f.Level = safe
		}
	}
}

// usage is what documents name of a schema, by coordinates. A type is in it where a document
// selects below it, sends it or branches on it.
type usage map[string]bool

// everything is a coordinate that every finding touches.
const everything = "*"

// usageOf reads documents against a schema. A document that cannot be executed counts as using
// no part of it or, with whole, possibly all.
func usageOf(s *ast.Schema, texts []string, whole bool) usage {
	u := usage{}
	if s == nil {
		return u
	}
	for _, text := range slices.Compact(texts) {
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			u[everything] = u[everything] || whole
			continue
		}
		if errs := validator.ValidateWithRules(s, doc, rules.NewDefaultRules()); len(errs) > 0 {
			u[everything] = u[everything] || whole
			continue
		}
		for _, op := range doc.Operations {
			for _, v := range op.VariableDefinitions {
				u.sent(s, v.Type.Name())
			}
			u.selected(s, op.SelectionSet)
		}
		for _, f := range doc.Fragments {
			u[f.TypeCondition] = true
			u.selected(s, f.SelectionSet)
		}
	}
	return u
}

// sent records a whole input type: the content of a variable is not known here.
func (u usage) sent(s *ast.Schema, name string) {
	def := s.Types[name]
	if def == nil || u[name] {
		return
	}
	u[name] = true
	for _, f := range def.Fields {
		u[name+"."+f.Name] = true
		u.sent(s, f.Type.Name())
	}
}

// selected records the fields of a selection.
func (u usage) selected(s *ast.Schema, set ast.SelectionSet) {
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			if sel.Definition == nil || sel.ObjectDefinition == nil {
				continue
			}
			at := sel.ObjectDefinition.Name + "." + sel.Name
			u[at], u[sel.ObjectDefinition.Name], u[sel.Definition.Type.Name()] = true, true, true
			// A field of an interface is one of each type that implements it.
			for _, t := range s.GetPossibleTypes(sel.ObjectDefinition) {
				u[t.Name+"."+sel.Name] = true
			}
			for _, a := range sel.Arguments {
				u[at+"("+a.Name+":)"] = true
				u.literal(a.Value)
			}
			u.selected(s, sel.SelectionSet)
		case *ast.InlineFragment:
			u[sel.TypeCondition] = true
			u.selected(s, sel.SelectionSet)
		case *ast.FragmentSpread:
			u[sel.Name] = true
		}
	}
}

// literal notes the input types that a value is written for.
func (u usage) literal(v *ast.Value) {
	if v == nil || v.Definition == nil {
		return
	}
	name := v.Definition.Name
	u[name] = true
	for _, child := range v.Children {
		if v.Kind == ast.ObjectValue {
			u[name+"."+child.Name] = true
		}
		u.literal(child.Value)
	}
}

// touches reports whether the documents use the subject of a finding.
func (u usage) touches(f *Finding) bool {
	at := f.At
	typ, field, isMember := strings.Cut(at, ".")
	field, _, isArgument := strings.Cut(field, "(")
	switch {
	case u[everything]:
		return true
	case !isMember, f.Rule == "graphql-enum-value-removed":
		return u[typ]
	case f.Rule == "graphql-input-required" && isArgument:
		return u[typ+"."+field] // every document with the field has to send the argument now
	case f.Rule == "graphql-input-required":
		return u[typ]
	}
	return u[at]
}
