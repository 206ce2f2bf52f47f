package sqltext

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Encode is a field's JSON value as its column holds it, or null. The façade has judged the value;
// for one that the column cannot hold all the same, such as the result of a conversion, Encode
// returns the JSON Schema keyword that it fails.
//
//	integer, boolean     Int; true is 1
//	number               Float
//	decimal, date, text  Text as it was sent
//	date-time            Text of TimeLayout, in UTC
//	objects, arrays      Text, compact JSON
//	null, absent         the zero Value
func Encode(p *schema.Property, v json.RawMessage) (Value, string) {
	kind := jsontext.KindOf(v)
	if kind == jsontext.Null || kind == jsontext.Invalid {
		return Value{}, ""
	}
	switch p.Kind {
	case schema.KindString, schema.KindDate:
		if kind == jsontext.String {
			return TextValue(jsontext.Unquote(jsontext.Trim(v))), ""
		}
	case schema.KindDecimal:
		if kind == jsontext.String {
			s := jsontext.Unquote(jsontext.Trim(v))
			if _, ok := parseDecimal(s); !ok {
				return Value{}, "format"
			}
			return TextValue(s), ""
		}
	case schema.KindDateTime:
		if kind == jsontext.String {
			s, ok := NormalTime(jsontext.Unquote(jsontext.Trim(v)))
			if !ok {
				return Value{}, "format"
			}
			return TextValue(s), ""
		}
	case schema.KindInteger:
		if kind == jsontext.Number {
			if i, ok := schema.Integer(v); ok {
				return IntValue(i), ""
			}
		}
	case schema.KindNumber:
		if kind == jsontext.Number {
			if f, err := strconv.ParseFloat(string(jsontext.Trim(v)), 64); err == nil {
				return FloatValue(f), ""
			}
		}
	case schema.KindBoolean:
		if kind == jsontext.True || kind == jsontext.False {
			return BoolValue(kind == jsontext.True), ""
		}
	default:
		return TextValue(compact(v)), ""
	}
	return Value{}, "type"
}

// operand is a filter's value as it is compared with the field's column; false says that no
// row can equal it. A float may be compared with an integer column, and an integer with a
// number's: they compare by value.
func operand(p *schema.Property, v any) (Value, bool) {
	switch v := v.(type) {
	case string:
		switch p.Kind {
		case schema.KindString, schema.KindDate:
			return TextValue(v), true
		case schema.KindDecimal:
			_, ok := parseDecimal(v)
			return TextValue(v), ok
		case schema.KindDateTime:
			s, ok := NormalTime(v)
			return TextValue(s), ok
		case schema.KindJSON:
			return TextValue(string(jsontext.Quote(v))), true
		}
	case int64:
		switch p.Kind {
		case schema.KindInteger, schema.KindNumber:
			return IntValue(v), true
		case schema.KindJSON:
			return TextValue(strconv.FormatInt(v, 10)), true
		}
	case float64:
		switch p.Kind {
		case schema.KindInteger, schema.KindNumber:
			return FloatValue(v), true
		case schema.KindJSON:
			return TextValue(string(AppendFloat(nil, v))), true
		}
	case bool:
		switch p.Kind {
		case schema.KindBoolean:
			return BoolValue(v), true
		case schema.KindJSON:
			return TextValue(strconv.FormatBool(v)), true
		}
	}
	return Value{}, false
}

// compact is a JSON text without white space between its tokens, so that equal values have
// equal texts.
func compact(v json.RawMessage) string {
	if !bytes.ContainsAny(v, " \t\r\n") {
		return string(v)
	}
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return string(v)
	}
	return b.String()
}
