package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers/binding"
)

// graphql-go keeps fields, arguments and values in maps. The types of this file
// keep them in the order of the cards until the SDL is printed, and become
// graphql-go's when it asks for them.

// object is an object type: of an entity, a view, a nested object, a connection, or one that
// RegisterType made.
type object struct {
	name, description string
	node              bool // implements Node
	fields            []*field
	gql               *graphql.Object
}

// field is one field of an object. A generated field has a binding and no resolve; a field
// that was registered by hand has a resolve and no binding.
type field struct {
	name, description, deprecated string
	typ                           graphql.Output
	args                          []*arg
	binding                       *binding.Field
	resolve                       graphql.FieldResolveFn // of a field registered by hand, which lacks a binding
	subscribe                     graphql.FieldResolveFn
}

// arg is an argument of a field or a field of an input. A generated one has no default: the
// façade fills defaults in, in the same way for every surface (docs/decisions/judge.md).
type arg struct {
	name, description, deprecated string
	typ                           graphql.Input
	value                         any // the default, for an argument registered by hand
}

// input is an input type. Its fields are added after it is made, since a filter may refer to
// itself (and, or, not) and to the filters of other doors.
type input struct {
	name, description string
	fields            []*arg
	oneOf             bool // exactly one field is sent
	gql               *graphql.InputObject
}

// enum is an enum type with its values in the order of the card.
type enum struct {
	name, description string
	values            []*graphql.EnumValueDefinition
	gql               *graphql.Enum
}

// newObject starts an object type; its fields are read when the schema is built.
//
// The functions that graphql-go is given run in NewSchema. Until then fields may be added to
// o, also by a door that is registered later, and o may become a Node.
func (b *Builder) newObject(name, description string) *object {
	o := &object{name: name, description: description}
	o.gql = graphql.NewObject(graphql.ObjectConfig{
		Name:        name,
		Description: description,
		Interfaces: graphql.InterfacesThunk(func() []*graphql.Interface {
			if o.node {
				return []*graphql.Interface{b.node}
			}
			return nil
		}),
		Fields: graphql.FieldsThunk(func() graphql.Fields { return b.fieldsOf(o) }),
	})
	b.objects[name] = o
	b.order = append(b.order, o)
	return o
}

// fieldsOf returns o's fields for graphql-go. Each has a resolver of the reference executor,
// so that graphql.Do on the schema works without the executor of package resolvers:
//
//	generated       Resolver of its binding
//	by hand         Wrap of the author's Resolve, which turns rows into sources
func (b *Builder) fieldsOf(o *object) graphql.Fields {
	fields := make(graphql.Fields, len(o.fields))
	for _, f := range o.fields {
		g := &graphql.Field{Type: f.typ, Description: f.description, DeprecationReason: f.deprecated, Subscribe: f.subscribe}
		switch {
		case f.binding != nil:
			g.Resolve = b.reference.Resolver(f.binding)
		default:
			g.Resolve = b.reference.Wrap(f.resolve)
		}
		if len(f.args) > 0 {
			g.Args = make(graphql.FieldConfigArgument, len(f.args))
			for _, a := range f.args {
				g.Args[a.name] = &graphql.ArgumentConfig{Type: a.typ, Description: a.description, DefaultValue: a.value}
			}
		}
		fields[f.name] = g
	}
	return fields
}

// newInput starts an input type. Its fields are read when the schema is built, as those of
// newObject are.
func (b *Builder) newInput(name, description string) *input {
	in := &input{name: name, description: description}
	in.gql = graphql.NewInputObject(graphql.InputObjectConfig{
		Name:        name,
		Description: description,
		Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap {
			fields := make(graphql.InputObjectConfigFieldMap, len(in.fields))
			for _, f := range in.fields {
				fields[f.name] = &graphql.InputObjectFieldConfig{Type: f.typ, Description: f.description, DefaultValue: f.value}
			}
			return fields
		}),
	})
	b.order = append(b.order, in)
	return in
}

// newEnum makes an enum type. The values are the names themselves, as Go strings, so that a
// value leaves and arrives as the text that the card has.
func (b *Builder) newEnum(name, description string, values []string) *enum {
	e := &enum{name: name, description: description}
	config := make(graphql.EnumValueConfigMap, len(values))
	for _, v := range values {
		config[v] = &graphql.EnumValueConfig{Value: v}
		e.values = append(e.values, &graphql.EnumValueDefinition{Name: v, Value: v})
	}
	e.gql = graphql.NewEnum(graphql.EnumConfig{Name: name, Description: description, Values: config})
	b.order = append(b.order, e)
	return e
}

// list returns the list type of t. There is one wrapper for each type and schema: a large
// catalog would otherwise hold thousands of equal ones.
func (b *Builder) list(t graphql.Type) *graphql.List {
	if b.lists[t] == nil {
		b.lists[t] = graphql.NewList(t)
	}
	return b.lists[t]
}

// required returns the non-null type of t, one wrapper for each type as with list. t must not
// be non-null already: graphql-go reports that as an error of the schema.
func (b *Builder) required(t graphql.Type) *graphql.NonNull {
	if b.nonNulls[t] == nil {
		b.nonNulls[t] = graphql.NewNonNull(t)
	}
	return b.nonNulls[t]
}

// unless returns t where nullable is true, and the non-null type of t otherwise.
func (b *Builder) unless(nullable bool, t graphql.Type) graphql.Type {
	if nullable {
		return t
	}
	return b.required(t)
}
