package projection

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// valueOf returns the default v of the member called name as a literal of t (GraphQL 2.9):
//
//	enum value        the name that the enum serializes it as
//	string            "a string"
//	slice, array      [1, 2]
//	map of strings    {a: 1, b: 2}, keys sorted
//	nil pointer       null
//
// Any other Go value is an error.
func valueOf(name string, v any, t graphql.Type) (*ast.Value, error) {
	if n, ok := t.(*graphql.NonNull); ok {
		t = n.OfType
	}
	if e, ok := t.(*graphql.Enum); ok && v != nil && reflect.TypeOf(v).Comparable() {
		if name, ok := e.Serialize(v).(string); ok {
			return &ast.Value{Kind: ast.EnumValue, Raw: name}, nil
		}
	}
	switch v := v.(type) {
	case nil:
		return &ast.Value{Kind: ast.NullValue, Raw: "null"}, nil
	case json.Number:
		return numberOf(v.String()), nil
	}
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Bool:
		return &ast.Value{Kind: ast.BooleanValue, Raw: strconv.FormatBool(value.Bool())}, nil
	case reflect.String:
		return &ast.Value{Kind: ast.StringValue, Raw: value.String()}, nil
	case reflect.Pointer:
		if value.IsNil() {
			return valueOf(name, nil, t)
		}
		return valueOf(name, value.Elem().Interface(), t)
	case reflect.Slice, reflect.Array:
		return listOf(name, value, t)
	case reflect.Map:
		if value.Type().Key().Kind() == reflect.String {
			return objectOf(name, value, t)
		}
	case reflect.Float32, reflect.Float64:
		if f := value.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return numberOf(fmt.Sprint(v)), nil
		}
	default:
		if value.CanInt() || value.CanUint() {
			return numberOf(fmt.Sprint(v)), nil
		}
	}
	return nil, fmt.Errorf("the default of %s is a Go %T, which has no literal", name, v)
}

// numberOf returns the literal of a number: without a fraction and an exponent it is an Int.
func numberOf(text string) *ast.Value {
	if strings.ContainsAny(text, ".eE") {
		return &ast.Value{Kind: ast.FloatValue, Raw: text}
	}
	return &ast.Value{Kind: ast.IntValue, Raw: text}
}

// listOf returns a slice or an array as a list literal. If t is not a list, it is taken as
// the type of the items.
func listOf(name string, list reflect.Value, t graphql.Type) (*ast.Value, error) {
	of := t
	if l, ok := t.(*graphql.List); ok {
		of = l.OfType
	}
	all := &ast.Value{Kind: ast.ListValue}
	for i := range list.Len() {
		v, err := valueOf(name, list.Index(i).Interface(), of)
		if err != nil {
			return nil, err
		}
		all.Children = append(all.Children, &ast.ChildValue{Value: v})
	}
	return all, nil
}

// objectOf returns a map as an object literal. The keys are sorted, since a Go map has a
// random order and the SDL must be the same at every start.
func objectOf(name string, object reflect.Value, t graphql.Type) (*ast.Value, error) {
	fields := graphql.InputObjectFieldMap{}
	if o, ok := t.(*graphql.InputObject); ok {
		fields = o.Fields()
	}
	all := &ast.Value{Kind: ast.ObjectValue}
	for _, key := range object.MapKeys() {
		var of graphql.Type
		if f := fields[key.String()]; f != nil {
			of = f.Type
		}
		v, err := valueOf(name, object.MapIndex(key).Interface(), of)
		if err != nil {
			return nil, err
		}
		all.Children = append(all.Children, &ast.ChildValue{Name: key.String(), Value: v})
	}
	slices.SortFunc(all.Children, func(a, b *ast.ChildValue) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
