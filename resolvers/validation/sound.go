package validation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// sound applies the rules on schemas that gqlparser leaves out (specification 3.6, 3.10,
// 3.13.3): defaults are values of their types and never contain themselves, a one-of input has
// optional fields without defaults, a required field is not deprecated. A default that does not
// fit would fail every request that leaves it out.
func sound(s *ast.Schema) error {
	c := sounder{schema: s, rules: New(s, language.NewTypes(s), Options{})}
	for name, def := range s.Types {
		for _, f := range def.Fields {
			if def.Kind == ast.InputObject {
				c.place(coordinate{name, f.Name, ""}, f.Type, f.DefaultValue, f.Directives)
			}
			c.arguments(name, f.Name, f.Arguments)
		}
		if def.Kind == ast.InputObject {
			c.input(def)
		}
	}
	for name, d := range s.Directives {
		c.arguments("@"+name, "", d.Arguments)
	}
	slices.SortFunc(c.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(c.errs...)
}

// sounder collects the errors of a schema. rules is a validator of that schema, for its
// literals.
type sounder struct {
	schema *ast.Schema
	rules  *Validator
	errs   []error
}

// errorf notes an error of the schema. All of them are reported at once.
func (c *sounder) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// coordinate is a schema coordinate of the GraphQL specification: Type.field,
// Type.field(argument:) or @directive(argument:). Its text is made for an error alone.
type coordinate struct{ owner, field, argument string }

func (c coordinate) String() string {
	at := c.owner
	if c.field != "" {
		at += "." + c.field
	}
	if c.argument != "" {
		at += "(" + c.argument + ":)"
	}
	return at
}

// arguments checks the arguments of a field of the type owner, or of the directive owner.
func (c *sounder) arguments(owner, field string, list ast.ArgumentDefinitionList) {
	for _, a := range list {
		c.place(coordinate{owner, field, a.Name}, a.Type, a.DefaultValue, a.Directives)
	}
}

// place checks an argument or an input field: its default is a value of its type, and a
// required one is not deprecated (GraphQL 3.13.3). at names it in the error.
func (c *sounder) place(at coordinate, typ *ast.Type, fallback *ast.Value, list ast.DirectiveList) {
	if fallback == nil {
		if typ.NonNull && list.ForName("deprecated") != nil {
			c.errorf("%s is required, so it cannot be deprecated; give it a default or let it be null first", at)
		}
		return
	}
	v := c.rules.over(&ast.QueryDocument{})
	v.in = &definition{}
	v.value(c.rules.inputs.Type(typ), fallback)
	for _, f := range v.errs {
		c.errorf("the default of %s does not fit its type %s: %s", at, typ, f.Message)
	}
}

// input checks an input object: its one-of fields (GraphQL 3.10) and defaults that hold
// themselves.
func (c *sounder) input(def *ast.Definition) {
	oneOf := def.Directives.ForName("oneOf") != nil
	for _, f := range def.Fields {
		// GraphQL 3.10.1: with a default or a required field, two fields would be set.
		if oneOf && (f.Type.NonNull || f.DefaultValue != nil) {
			c.errorf("%s.%s is a field of a one-of input; let it be null and give it no default", def.Name, f.Name)
		}
		if c.circle(f, nil, nil) {
			c.errorf("the default of %s.%s holds itself; leave it out, or let it name the fields that stop it", def.Name, f.Name)
		}
	}
}

// circle is InputFieldDefaultValueHasCycle (GraphQL 3.10): it reports whether filling in the
// defaults of an input field comes back to it. sent is the object to fill, or nil; path has the
// fields whose defaults are open.
func (c *sounder) circle(f *ast.FieldDefinition, sent *ast.Value, path []*ast.FieldDefinition) bool {
	if sent == nil && f.DefaultValue == nil {
		return false
	}
	under := c.schema.Types[f.Type.Name()]
	if under == nil || under.Kind != ast.InputObject {
		return false
	}
	if sent != nil {
		if v := sent.Children.ForName(f.Name); v != nil {
			return c.within(under, v, path)
		}
	}
	if f.DefaultValue == nil {
		return false
	}
	if slices.Contains(path, f) {
		return true
	}
	return c.within(under, f.DefaultValue, append(slices.Clone(path), f))
}

// within is circle for every field of the objects in v, a value of the input type def.
func (c *sounder) within(def *ast.Definition, v *ast.Value, path []*ast.FieldDefinition) bool {
	switch v.Kind {
	case ast.ListValue:
		return slices.ContainsFunc(v.Children, func(item *ast.ChildValue) bool { return c.within(def, item.Value, path) })
	case ast.ObjectValue:
		return slices.ContainsFunc(def.Fields, func(f *ast.FieldDefinition) bool { return c.circle(f, v, path) })
	}
	return false
}
