package frond

import (
	"fmt"
	"reflect"

	"github.com/frondhost/frond/schema"
)

// shapeOf is the JSON Schema of the values of a Go type, as encoding/json writes them. The
// error names the part that has none.
func shapeOf(t reflect.Type) (schema.Shape, error) { return shapeIn(t, nil) }

func shapeIn(t reflect.Type, around []reflect.Type) (shape schema.Shape, err error) {
	if t.Kind() == reflect.Pointer {
		shape, err = shapeIn(t.Elem(), around)
		shape.Nullable = true
		return shape, err
	}
	switch shape.Type = jsonType(t); {
	case t == timeType:
		shape.Format = "date-time"
		return shape, nil
	case shape.Type == "":
		return shape, fmt.Errorf("%s has no JSON Schema", t)
	case t.Kind() == reflect.Map && t.Key().Kind() != reflect.String:
		return shape, fmt.Errorf("%s has keys that are not text, and no JSON Schema", t)
	}
	for _, outer := range around {
		if outer == t {
			return shape, fmt.Errorf("%s holds itself, and has no JSON Schema", t)
		}
	}
	switch shape.Type {
	case "integer":
		if t.Kind() == reflect.Int64 || t.Kind() == reflect.Uint64 {
			shape.Format = "int64" // GraphQL's Int has 32 bits
		}
	case "array":
		items, err := shapeIn(t.Elem(), append(around, t))
		shape.Items = &items
		shape.Nullable = t.Kind() == reflect.Slice // a nil slice is null
		return shape, err
	case "object":
		if t.Kind() == reflect.Map {
			shape.Nullable = true
			return shape, nil
		}
		shape.Properties = []schema.Field{}
		for _, m := range recordOf(t).fields {
			s, err := shapeIn(m.typ, append(around, t))
			if err != nil {
				return shape, fmt.Errorf("%s.%s: %w", t, m.goName, err)
			}
			if !m.mayGo {
				shape.Required = append(shape.Required, m.name)
			}
			shape.Properties = append(shape.Properties, schema.Field{Name: m.name, Shape: s})
		}
	}
	return shape, nil
}
