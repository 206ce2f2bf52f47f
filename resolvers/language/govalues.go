package language

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/frondhost/frond/schema/jsontext"
)

// FromGo returns a Go value as JSON of a built-in scalar, and false if it does not fit (result
// coercion, GraphQL 3.5.1 to 3.5.5). It converts without loss, as graphql-js does; 1.5 is not
// an Int. Pointers are followed.
//
//	Go value       Int    String     ID
//	1.0            1      "1"        "1"
//	"7"            7      "7"        "7"
//	true           1      "true"     no
//
// A TextMarshaler or a Stringer (a time, a decimal, a UUID) is a String and an ID by its text.
func FromGo(kind Kind, value any) (json.RawMessage, bool) {
	if kind == String || kind == ID {
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
		return fromBool(kind, v.Bool())
	case v.Kind() == reflect.String:
		return fromString(kind, v.String())
	case v.CanInt():
		return fromInteger(kind, strconv.AppendInt(nil, v.Int(), 10))
	case v.CanUint():
		return fromInteger(kind, strconv.AppendUint(nil, v.Uint(), 10))
	case v.CanFloat():
		return fromFloat(kind, v.Float(), v.Type().Bits())
	}
	return nil, false
}

// fromBool converts a bool: to a Boolean, to the texts true and false, or to 1 and 0.
func fromBool(kind Kind, b bool) (json.RawMessage, bool) {
	switch kind {
	case Boolean:
		return strconv.AppendBool(nil, b), true
	case String:
		return jsontext.Quote(strconv.FormatBool(b)), true
	case Int, Float:
		if b {
			return json.RawMessage("1"), true
		}
		return json.RawMessage("0"), true
	}
	return nil, false
}

// fromString converts a string. To be an Int or a Float it has to be a JSON number, unlike "
// 7", "0x7" and "07".
func fromString(kind Kind, s string) (json.RawMessage, bool) {
	switch kind {
	case String, ID:
		return jsontext.Quote(s), true
	case Int, Float:
		if jsontext.KindOf([]byte(s)) != jsontext.Number || jsontext.Check([]byte(s)) != nil {
			return nil, false
		}
		return AppendResult(nil, kind, nil, []byte(s))
	}
	return nil, false
}

// fromInteger converts an integer, given as digits. It is a Boolean by being 0 or not. An Int
// has to fit 32 bits.
func fromInteger(kind Kind, digits []byte) (json.RawMessage, bool) {
	switch kind {
	case Boolean:
		return strconv.AppendBool(nil, string(digits) != "0"), true
	case String:
		return jsontext.Quote(string(digits)), true
	}
	return AppendResult(nil, kind, nil, digits)
}

// fromFloat converts a float of this many bits to the shortest text that reads as the same
// number. It refuses infinities and NaN, which JSON cannot write (RFC 8259, section 6).
func fromFloat(kind Kind, f float64, bits int) (json.RawMessage, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	text := strconv.AppendFloat(nil, f, 'g', -1, bits)
	switch kind {
	case Boolean:
		return strconv.AppendBool(nil, f != 0), true
	case String:
		return jsontext.Quote(string(text)), true
	}
	return AppendResult(nil, kind, nil, text)
}
