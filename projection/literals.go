package projection

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/schema/jsontext"
)

// valueText returns the default v of the member called name as a literal of t (GraphQL 2.9):
//
//	enum value        the name that the enum serializes it as
//	string            "a string"
//	slice, array      [1, 2]
//	map of strings    {a: 1, b: 2}, keys sorted
//	nil pointer       null
//
// Any other Go value is recorded as an error and written as null.
func (p *printer) valueText(name string, v any, t graphql.Type) string {
	if n, ok := t.(*graphql.NonNull); ok {
		t = n.OfType
	}
	if e, ok := t.(*graphql.Enum); ok && v != nil && reflect.TypeOf(v).Comparable() {
		if name, ok := e.Serialize(v).(string); ok {
			return name
		}
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		return v.String()
	}
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	case reflect.String:
		return quote(value.String())
	case reflect.Pointer:
		if value.IsNil() {
			return "null"
		}
		return p.valueText(name, value.Elem().Interface(), t)
	case reflect.Slice, reflect.Array:
		return p.listText(name, value, t)
	case reflect.Map:
		if value.Type().Key().Kind() == reflect.String {
			return p.objectText(name, value, t)
		}
	case reflect.Float32, reflect.Float64:
		if f := value.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return fmt.Sprint(v)
		}
	default:
		if value.CanInt() || value.CanUint() {
			return fmt.Sprint(v)
		}
	}
	p.fault = errors.Join(p.fault, fmt.Errorf("the default of %s is a Go %T, which has no literal; use a bool, a number, a string, a slice or a map with string keys", name, v))
	return "null"
}

// listText returns a slice or an array as a list literal. If t is not a list, it is taken as
// the type of the items.
func (p *printer) listText(name string, list reflect.Value, t graphql.Type) string {
	of := t
	if l, ok := t.(*graphql.List); ok {
		of = l.OfType
	}
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = p.valueText(name, list.Index(i).Interface(), of)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// objectText returns a map as an object literal. The keys are sorted, since a Go map has a
// random order and the SDL must be the same at every start.
func (p *printer) objectText(name string, object reflect.Value, t graphql.Type) string {
	fields := graphql.InputObjectFieldMap{}
	if o, ok := t.(*graphql.InputObject); ok {
		fields = o.Fields()
	}
	parts := make([]string, 0, object.Len())
	for _, key := range object.MapKeys() {
		var of graphql.Type
		if f := fields[key.String()]; f != nil {
			of = f.Type
		}
		parts = append(parts, key.String()+": "+p.valueText(name, object.MapIndex(key).Interface(), of))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// quote returns s as a GraphQL string literal (2.9.4), which a JSON string is but for DEL.
func quote(s string) string {
	return strings.ReplaceAll(string(jsontext.Quote(s)), "\x7f", `\u007f`)
}

// blockable reports whether a block string gives the text back as it is: GraphQL 2.9.4 cuts
// common indentation and empty lines at both ends, and no escapes write a control character in
// one.
func blockable(text string) bool {
	lines := strings.Split(text, "\n")
	if strings.TrimSpace(lines[0]) == "" || strings.TrimSpace(lines[len(lines)-1]) == "" {
		return false
	}
	for i, line := range lines {
		if i == 0 && (line[0] == ' ' || line[0] == '\t') || strings.TrimSpace(line) == "" && line != "" {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}
