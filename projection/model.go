package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers/binding"
)

// graphql-go keeps fields, arguments and values in maps. The types of this file keep them in
// the order of the cards until the SDL is printed, and typeSet makes graphql-go's of them.

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

// typeOf returns graphql-go's type of a member of typeSet.made.
func typeOf(t any) graphql.Type {
	switch t := t.(type) {
	case *object:
		return t.gql
	case *input:
		return t.gql
	case *enum:
		return t.gql
	}
	return t.(graphql.Type)
}
