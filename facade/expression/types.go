package expression

import (
	"reflect"

	"github.com/expr-lang/expr/types"

	"github.com/frondhost/frond/schema"
)

// Names are the names that an expression may read, with their types.
type Names map[string]types.Type

// NamesOfState are the names that the expressions of rules read.
var NamesOfState = Names{"user": types.Any, "state": types.Any}

// NamesOfCaller are the names that the expressions of rules read where identity makes user of the
// claims of a token. open says that the header of development may give an id and a tenant of any type.
func NamesOfCaller(open bool) Names {
	text := types.String
	if open {
		text = types.Any
	}
	list := types.Array(types.String)
	user := types.Map{"id": text, "roles": list, "scopes": list, "tenant": text, types.Extra: types.Any}
	return Names{"user": user, "state": types.Map{"user": user, types.Extra: types.Any}}
}

// FieldsOf are the stored fields of a row of e.
func FieldsOf(e *schema.Entity) Names {
	names := Names{}
	for _, p := range e.Fields {
		if p.Stored {
			names[p.Name] = typeOfField(p)
		}
	}
	return names
}

// typeOfField is the type that a field has in an expression, by its JSON form.
func typeOfField(p *schema.Property) types.Type {
	if p.Link != nil && p.Link.Many {
		return types.Array(types.Any)
	}
	return typeOfShape(&p.Shape)
}

// typeOfShape is the type of a value with a shape; any where the shape does not say.
func typeOfShape(s *schema.Shape) types.Type {
	switch s.Type {
	case "string":
		return types.String
	case "integer":
		return types.Int
	case "number":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		if s.Items != nil {
			return types.Array(typeOfShape(s.Items))
		}
		return types.Array(types.Any)
	case "object":
		if s.Properties == nil {
			return types.Any
		}
		members := types.Map{}
		for i := range s.Properties {
			members[s.Properties[i].Name] = typeOfShape(&s.Properties[i].Shape)
		}
		return members
	}
	return types.Any
}

// jsonTypeOf is the JSON type of values of a Go type, or "" for an unknown one.
func jsonTypeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Map:
		return "object"
	}
	return ""
}
