package reference

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// decode returns the JSON text of a value as graphql-go wants it for type t. A text that is
// absent is null. A value that does not fit t fails the field and not the request: rows of a
// remote Frond are only as good as their host.
//
//	list      []any
//	object    nested, whose members are decoded when they are selected
//	enum      the name
func decode(text json.RawMessage, t graphql.Type) (any, error) {
	if n, ok := t.(*graphql.NonNull); ok {
		t = n.OfType
	}
	is := jsontext.KindOf(text)
	if is == jsontext.Invalid || is == jsontext.Null {
		return nil, nil
	}
	switch t := t.(type) {
	case *graphql.List:
		if is != jsontext.Array {
			return nil, mismatch(t)
		}
		list := []any{}
		for _, e := range jsontext.Elements(text) {
			v, err := decode(e, t.OfType)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *graphql.Object:
		if is != jsontext.Object {
			return nil, mismatch(t)
		}
		return nested(text), nil
	// A value that the enum does not have is an error of the field, and not a null without
	// one.
	case *graphql.Enum:
		if name := jsontext.Unquote(text); is == jsontext.String && t.ParseValue(name) != nil {
			return name, nil
		}
		return nil, mismatch(t)
	case *graphql.Scalar:
		return decodeScalar(text, is, t)
	}
	return nil, mismatch(t)
}

// decodeScalar returns the text of a scalar as a Go value. is is the kind of the text. Custom
// scalars are decoded as they are, numbers as json.Number.
func decodeScalar(text json.RawMessage, is jsontext.Kind, t *graphql.Scalar) (any, error) {
	switch t.Name() {
	case "Int":
		// 3.0 is a whole number too. A number beyond 32 bits is an error, never another
		// number (specification 3.5.1).
		if f, err := strconv.ParseFloat(string(jsontext.Trim(text)), 64); is == jsontext.Number && err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32+1 && f <= math.MaxInt32 {
			return int(f), nil
		}
	case "Float":
		if f, err := strconv.ParseFloat(string(jsontext.Trim(text)), 64); is == jsontext.Number && err == nil {
			return f, nil
		}
	case "Boolean":
		if is == jsontext.True || is == jsontext.False {
			return is == jsontext.True, nil
		}
	case "String":
		if is == jsontext.String {
			return jsontext.Unquote(jsontext.Trim(text)), nil
		}
	case "ID":
		switch is {
		case jsontext.String:
			return jsontext.Unquote(jsontext.Trim(text)), nil
		case jsontext.Number:
			return string(jsontext.Trim(text)), nil
		}
	default:
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber() // every digit of an int64 arrives
		var v any
		if d.Decode(&v) == nil {
			return v, nil
		}
	}
	return nil, mismatch(t)
}

// mismatch returns the error of a value that does not fit its type.
func mismatch(t graphql.Type) error {
	return kiterror.Errorf(kiterror.InternalError, "the value does not fit its card: it is not a %s", t)
}
