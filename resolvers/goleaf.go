package resolvers

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/frondhost/frond/schema/jsontext"
)

// goLeaf is a Go value that a hand-written field gave as JSON of a built-in scalar;
// false where it is none (specification 3.5.1 to 3.5.5). It converts what loses
// nothing, as graphql-js does: 1.0 is an Int, "7" and true are, 1.5 is not. What
// has a text of its own (a time, a decimal, a UUID) is a String and an ID.
func goLeaf(kind leafKind, value any) (json.RawMessage, bool) {
	if kind == leafString || kind == leafID {
		switch v := value.(type) {
		case json.Number: // a number, below
		case encoding.TextMarshaler:
			text, err := v.MarshalText()
			return jsontext.Quote(string(text)), err == nil
		case fmt.Stringer:
			return jsontext.Quote(v.String()), true
		}
	}
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Bool:
		return ofBool(kind, v.Bool())
	case v.Kind() == reflect.String:
		return ofString(kind, v.String())
	case v.CanInt():
		return ofInteger(kind, strconv.AppendInt(nil, v.Int(), 10))
	case v.CanUint():
		return ofInteger(kind, strconv.AppendUint(nil, v.Uint(), 10))
	case v.CanFloat():
		return ofFloat(kind, v.Float(), v.Type().Bits())
	}
	return nil, false
}

func ofBool(kind leafKind, b bool) (json.RawMessage, bool) {
	switch kind {
	case leafBoolean:
		return strconv.AppendBool(nil, b), true
	case leafString:
		return jsontext.Quote(strconv.FormatBool(b)), true
	case leafInt, leafFloat:
		if b {
			return json.RawMessage("1"), true
		}
		return json.RawMessage("0"), true
	}
	return nil, false
}

func ofString(kind leafKind, s string) (json.RawMessage, bool) {
	switch kind {
	case leafString, leafID:
		return jsontext.Quote(s), true
	case leafInt, leafFloat:
		if jsontext.KindOf([]byte(s)) != jsontext.Number || jsontext.Check([]byte(s)) != nil {
			return nil, false
		}
		return appendLeaf(nil, &outType{leaf: kind}, []byte(s))
	}
	return nil, false
}

func ofInteger(kind leafKind, digits []byte) (json.RawMessage, bool) {
	switch kind {
	case leafBoolean:
		return strconv.AppendBool(nil, string(digits) != "0"), true
	case leafString:
		return jsontext.Quote(string(digits)), true
	}
	return appendLeaf(nil, &outType{leaf: kind}, digits)
}

func ofFloat(kind leafKind, f float64, bits int) (json.RawMessage, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	text := strconv.AppendFloat(nil, f, 'g', -1, bits)
	switch kind {
	case leafBoolean:
		return strconv.AppendBool(nil, f != 0), true
	case leafString:
		return jsontext.Quote(string(text)), true
	}
	return appendLeaf(nil, &outType{leaf: kind}, text)
}
