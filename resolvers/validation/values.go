package validation

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// argument checks the value of an argument. A variable is noted with the argument's default,
// which decides whether it may be null (see position).
func (v *validation) argument(def *ast.ArgumentDefinition, value *ast.Value) {
	t := v.inputs.Type(def.Type)
	if value.Kind == ast.Variable {
		v.in.uses = append(v.in.uses, use{value: value, typ: t, fallback: isDefault(def.DefaultValue)})
		return
	}
	v.value(t, value)
}

// isDefault reports whether a place has a default that replaces a missing value. A default of
// null does not.
func isDefault(v *ast.Value) bool { return v != nil && v.Kind != ast.NullValue }

// value is the rules "Values of Correct Type" and "Input Object Field Uniqueness" (GraphQL
// 5.6.1, 5.6.3): a literal against its type; a nil type accepts anything. Variables in it are
// noted with their places and checked later.
func (v *validation) value(t *language.Type, value *ast.Value) {
	v.steps++
	switch {
	case value.Kind == ast.Variable:
		v.in.uses = append(v.in.uses, use{value: value, typ: t})
		return
	case t == nil || t.Elem == nil && t.Named.Kind == language.Custom && value.Kind != ast.NullValue:
		v.free(value) // judged where it is used
		return
	case value.Kind == ast.NullValue:
		if t.NonNull {
			v.add(value.Position, "Expected a value of type %q, found null.", t.Text)
		}
		return
	case t.Elem != nil:
		if value.Kind != ast.ListValue { // a list of one
			v.value(t.Elem, value)
			return
		}
		for _, item := range value.Children {
			v.value(t.Elem, item.Value)
		}
		return
	}
	n := t.Named
	switch n.Kind {
	case language.Composite:
		v.object(n, value)
		return
	case language.Enum:
		if value.Kind != ast.EnumValue {
			v.add(value.Position, "Enum %q takes one of its values, written without quotes.", n.Name)
		} else if _, ok := n.Values[`"`+value.Raw+`"`]; !ok {
			v.add(value.Position, "Value %q does not exist in %q enum.", value.Raw, n.Name)
		}
		return
	}
	if why := language.CheckLiteral(n.Kind, value); why != "" {
		v.add(value.Position, "%s", why)
		v.free(value)
	}
}

// free walks a literal without rules of a type: of a custom scalar, or in an unknown argument.
// Keys of objects have to be unique all the same.
func (v *validation) free(value *ast.Value) {
	if value.Kind == ast.ObjectValue {
		v.keys(value)
	}
	for _, child := range value.Children {
		v.value(nil, child.Value)
	}
}

// keys is "Input Object Field Uniqueness" (GraphQL 5.6.3).
func (v *validation) keys(value *ast.Value) {
	var names names
	for _, child := range value.Children {
		if names.twice(child.Name, len(value.Children)) {
			v.add(child.Position, "There can be only one input field named %q.", child.Name)
		}
	}
}

// object checks a literal of an input object (GraphQL 5.6.2 to 5.6.4): its fields exist and
// fit, no required one is missing, and of a one-of input exactly one field is set and is not
// null.
func (v *validation) object(n *language.Named, value *ast.Value) {
	if value.Kind != ast.ObjectValue {
		v.add(value.Position, "Expected an input object of type %q.", n.Name)
		v.free(value)
		return
	}
	v.keys(value)
	fields := n.ByName()
	oneOf := ""
	if n.OneOf {
		oneOf = n.Name
	}
	for _, child := range value.Children {
		f := fields[child.Name]
		switch {
		case f == nil:
			v.add(child.Position, "%s", n.Unknown(child.Name))
			v.value(nil, child.Value)
		case child.Value.Kind == ast.Variable:
			v.in.uses = append(v.in.uses, use{value: child.Value, typ: f.Type, fallback: isDefault(f.Default), oneOf: oneOf})
		default:
			v.value(f.Type, child.Value)
		}
	}
	for _, f := range n.Fields {
		if f.Type.NonNull && f.Default == nil && value.Children.ForName(f.Name) == nil {
			v.add(value.Position, "Field \"%s.%s\" of required type %q was not provided.", n.Name, f.Name, f.Type.Text)
		}
	}
	if n.OneOf {
		if len(value.Children) != 1 {
			v.add(value.Position, "OneOf Input Object %q must specify exactly one key.", n.Name)
		} else if child := value.Children[0]; child.Value.Kind == ast.NullValue {
			v.add(child.Value.Position, "Field \"%s.%s\" must be non-null.", n.Name, child.Name)
		}
	}
}
