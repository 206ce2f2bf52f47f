package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers/binding"
)

// graphql-go keeps fields, arguments and values in maps. The types of this file
// keep them in the order of the cards until the SDL is printed, and become
// graphql-go's when it asks for them.

// object is an object type: of an entity, a view, a nested object, a connection.
type object struct {
	name, description string
	node              bool // implements Node
	fields            []*field
	gql               *graphql.Object
}

// field is one field of an object.
type field struct {
	name, description, deprecated string
	typ                           graphql.Output
	args                          []*arg
	binding                       *binding.Field
	resolve                       graphql.FieldResolveFn // of a field registered by hand, which has no binding
	subscribe                     graphql.FieldResolveFn
}

// arg is an argument of a field or a field of an input.
type arg struct {
	name, description, deprecated string
	typ                           graphql.Input
	value                         any // the default, of what was registered by hand
}

// input is an input type.
type input struct {
	name, description string
	fields            []*arg
	gql               *graphql.InputObject
}

// enum is an enum type.
type enum struct {
	name, description string
	values            []*graphql.EnumValueDefinition
	gql               *graphql.Enum
}

// newObject starts an object type; its fields are read when the schema is built.
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

// fieldsOf are o's fields for graphql-go, each with a resolver (DESIGN 5: every
// field has one, so that graphql.Do on the schema works).
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

// list and required wrap a type, one wrapper per type and schema.
func (b *Builder) list(t graphql.Type) *graphql.List {
	if b.lists[t] == nil {
		b.lists[t] = graphql.NewList(t)
	}
	return b.lists[t]
}

func (b *Builder) required(t graphql.Type) *graphql.NonNull {
	if b.nonNulls[t] == nil {
		b.nonNulls[t] = graphql.NewNonNull(t)
	}
	return b.nonNulls[t]
}

// unless is t, required unless it may be null.
func (b *Builder) unless(nullable bool, t graphql.Type) graphql.Type {
	if nullable {
		return t
	}
	return b.required(t)
}
