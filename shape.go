package frond

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// shapeOf is the JSON Schema of the values of a Go type, as encoding/json writes them. The
// error names the part without a schema.
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
	if slices.Contains(around, t) {
		return shape, fmt.Errorf("%s holds itself, and has no JSON Schema", t)
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

// The types that encoding/json writes by methods of their own.
var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()
	timeType      = reflect.TypeFor[time.Time]()
	rawType       = reflect.TypeFor[json.RawMessage]()
)

// ownJSON reports whether a type has JSON of its own making.
func ownJSON(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

func ownText(t reflect.Type) bool {
	return t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(textMarshaler)
}

// jsonType is the JSON type of the values of a Go type, null aside; "" where the type
// alone does not say.
func jsonType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == timeType:
		return "string"
	case ownJSON(t):
		return ""
	case ownText(t):
		return "string"
	}
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
		if t.Elem().Kind() == reflect.Uint8 {
			return "" // bytes are base64 text; arrays of them are not
		}
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	}
	return ""
}

// elementOf is the type of one row of an answer: inside pointers, slices and pages.
func elementOf(t reflect.Type) reflect.Type {
	for {
		switch {
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice && t != rawType:
			t = t.Elem()
		case t.Kind() == reflect.Struct && t.PkgPath() == pagePath && isPage(t):
			items, _ := t.FieldByName("Items")
			t = items.Type
		default:
			return t
		}
	}
}

var pagePath = reflect.TypeFor[facade.List[struct{}]]().PkgPath()

func isPage(t reflect.Type) bool {
	_, items := t.FieldByName("Items")
	_, cursor := t.FieldByName("EndCursor")
	return items && cursor
}
