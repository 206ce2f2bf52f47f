package resolvers

import (
	"encoding/json"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// goArguments returns the arguments of a field as graphql-go passes them to its Resolve
// (CoerceArgumentValues, GraphQL 6.4.1). Unlike there, an explicit null is present, as nil
// (docs/decisions/graphql-execution.md).
func (x *execution) goArguments(w *customField) (map[string]any, error) {
	args := map[string]any{}
	r := language.Renderer{Vars: x.Vars}
	for _, def := range w.Field.Type.Args {
		text, ok := r.Argument(nil, def, language.ValueOf(w.Args, def.Name))
		if r.Err != nil {
			return nil, r.Err
		}
		if !ok {
			continue
		}
		// The SDL coerces the text; graphql-go's definition gives the Go type of the value.
		for _, a := range w.Def.Args {
			if a.Name() != def.Name {
				continue
			}
			v, ok := goValue(a.Type, text)
			if !ok {
				return nil, kiterror.Errorf(language.CodeInput, "The argument %q does not fit its type %q.", def.Name, def.Type.Text)
			}
			args[def.Name] = v
		}
	}
	return args, nil
}

// goValue returns coerced JSON as a Go value of a graphql-go type, and false where a custom
// scalar does not accept it:
//
//	null            nil
//	list            []any
//	input object    map[string]any
//	enum            the Go value of the enum
//	Int             int
//	other scalar    the result of its ParseValue
func goValue(t graphql.Type, text json.RawMessage) (any, bool) {
	if jsontext.IsNull(text) {
		return nil, true
	}
	switch t := t.(type) {
	case *graphql.NonNull:
		return goValue(t.OfType, text)
	case *graphql.List:
		list := []any{}
		for _, item := range jsontext.Elements(text) {
			v, ok := goValue(t.OfType, item)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case *graphql.InputObject:
		object := map[string]any{}
		fields := t.Fields()
		for name, value := range jsontext.Members(text) {
			if f := fields[name]; f != nil {
				v, ok := goValue(f.Type, value)
				if !ok {
					return nil, false
				}
				object[name] = v
			}
		}
		return object, true
	case *graphql.Enum:
		v := t.ParseValue(jsontext.Unquote(text))
		return v, v != nil
	case *graphql.Scalar:
		if n, ok := language.Integer(text); ok && jsontext.KindOf(text) == jsontext.Number {
			if t == graphql.Int {
				return int(n), true
			}
			// A float64 would lose digits of such a number.
			if t != graphql.Float && (n > 1<<53 || n < -1<<53) { // a float64 would lose digits
				v := t.ParseValue(json.Number(text))
				return v, v != nil
			}
		}
		var v any
		if json.Unmarshal(text, &v) != nil {
			return nil, false
		}
		v = t.ParseValue(v)
		return v, v != nil
	}
	return nil, false
}
