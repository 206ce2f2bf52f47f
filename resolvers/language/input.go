package language

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/schema/jsontext"
)

// appendInput appends a JSON value in the form of the input type called name. It returns the
// reason if the value does not fit, or "" (input coercion, GraphQL 3.5 and 3.9). values are the
// values of an enum. is is the kind of v, which has no white space around it. A refused value
// may or may not be appended.
//
//	Int      3.0, 3e0              3
//	Float    3                     3
//	ID       7                     "7"
//	BigInt   "9007199254740993"    9007199254740993
//	Enum     "\u0041"              "A"
//	Custom   anything              as it is
func appendInput(dst []byte, kind Kind, name string, values Values, v []byte, is jsontext.Kind) ([]byte, string) {
	why := ""
	switch kind {
	case Int:
		if is != jsontext.Number {
			return dst, wantInt
		}
		if i, ok := Integer(v); !ok {
			why = wantInt
		} else if i < math.MinInt32 || i > math.MaxInt32 {
			why = wantInt32
		} else {
			return strconv.AppendInt(dst, i, 10), ""
		}
	case Float:
		if is != jsontext.Number {
			why = wantFloat
		} else if _, err := strconv.ParseFloat(string(v), 64); err != nil {
			why = wantFloat64
		}
	case String:
		if is != jsontext.String {
			why = wantString
		}
	case Boolean:
		if is != jsontext.True && is != jsontext.False {
			why = wantBoolean
		}
	case ID:
		if is == jsontext.Number {
			if text, ok := integerText(v); ok {
				return append(append(append(dst, '"'), text...), '"'), ""
			}
			why = wantID
		} else if is != jsontext.String {
			why = wantID
		}
	case bigInt:
		if i, ok := bigIntOf(v, is); ok {
			return strconv.AppendInt(dst, i, 10), ""
		}
		why = wantBigInt
	case Enum:
		return appendEnum(dst, name, values, v, is)
	}
	return append(dst, v...), why
}

// bigIntOf returns the value of a BigInt: a number, or a string of digits.
func bigIntOf(v []byte, is jsontext.Kind) (int64, bool) {
	switch is {
	case jsontext.Number:
		return Integer(v)
	case jsontext.String:
		n, err := strconv.ParseInt(jsontext.Unquote(v), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// appendEnum appends a value of an enum as its values spell it.
func appendEnum(dst []byte, name string, values Values, v []byte, is jsontext.Kind) ([]byte, string) {
	if _, ok := values[string(v)]; ok {
		return append(dst, v...), ""
	}
	// A value may be spelled with escapes; compare its unescaped text.
	if is != jsontext.String {
		return dst, fmt.Sprintf("Enum %q takes one of its values as a string.", name)
	}
	text := `"` + jsontext.Unquote(v) + `"`
	if _, ok := values[text]; !ok {
		return dst, fmt.Sprintf("The value does not exist in %q enum.", name)
	}
	return append(dst, text...), ""
}

// Integer returns a JSON number without fraction as an int64: 3, 3.0 and 3e0 are one value. It
// returns false for a fraction, for a number beyond 64 bits, and for any other text.
func Integer(v []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	// A fraction of zeros or an exponent: 3.0, 3e0. Above 2^53 a float64 is exact only for
	// some numbers.
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// integerText returns a whole number as its digits. It copies digits without point and
// exponent, however many they are: an ID of 30 digits keeps them all.
func integerText(v []byte) ([]byte, bool) {
	if !bytes.ContainsAny(v, ".eE") {
		return v, true
	}
	n, ok := Integer(v)
	return strconv.AppendInt(nil, n, 10), ok
}

// CheckLiteral returns why a literal of a document does not fit a built-in scalar or a BigInt,
// or "" (GraphQL 5.6.1). Unlike a JSON value, a literal 3.0 is not an Int: GraphQL 2.9.1 has
// integers without a fraction.
func CheckLiteral(kind Kind, v *ast.Value) string {
	isString := v.Kind == ast.StringValue || v.Kind == ast.BlockValue
	switch kind {
	case Int:
		if v.Kind != ast.IntValue {
			return wantInt
		}
		if n, err := strconv.ParseInt(v.Raw, 10, 64); err != nil || n < math.MinInt32 || n > math.MaxInt32 {
			return wantInt32
		}
	case Float:
		if v.Kind != ast.IntValue && v.Kind != ast.FloatValue {
			return wantFloat
		}
		if _, err := strconv.ParseFloat(v.Raw, 64); err != nil {
			return wantFloat64
		}
	case String:
		if !isString {
			return wantString
		}
	case Boolean:
		if v.Kind != ast.BooleanValue {
			return wantBoolean
		}
	case ID:
		if !isString && v.Kind != ast.IntValue {
			return wantID
		}
	case bigInt:
		if _, err := strconv.ParseInt(v.Raw, 10, 64); err != nil || !isString && v.Kind != ast.IntValue {
			return wantBigInt
		}
	}
	return ""
}

// Why a value is not one of a built-in scalar.
const (
	wantInt     = "Int cannot represent a value that is not an integer."
	wantInt32   = "Int cannot represent an integer of more than 32 bits."
	wantFloat   = "Float cannot represent a value that is not a number."
	wantFloat64 = "Float cannot represent a number of that size."
	wantString  = "String cannot represent a value that is not a string."
	wantBoolean = "Boolean cannot represent a value that is neither true nor false."
	wantBigInt  = "BigInt cannot represent a value that is not a whole number of 64 bits, or its digits."
	wantID      = "ID cannot represent a value that is neither a string nor an integer."
)
