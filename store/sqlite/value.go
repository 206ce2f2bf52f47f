package sqlite

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// encode is a field's JSON value as its column holds it, or null. The façade has judged the
// value; what cannot stand in the column all the same, such as the answer of a conversion,
// returns the JSON Schema keyword that it fails.
//
//	integer, boolean     Int; true is 1
//	number               Float
//	decimal, date, text  Text as it was sent
//	date-time            Text of timeLayout, in UTC
//	objects, arrays      Text, compact JSON
//	null, absent         the zero Value
func encode(p *schema.Property, v json.RawMessage) (engine.Value, string) {
	kind := jsontext.KindOf(v)
	if kind == jsontext.Null || kind == jsontext.Invalid {
		return engine.Value{}, ""
	}
	switch p.Kind {
	case schema.KindString, schema.KindDate:
		if kind == jsontext.String {
			return engine.TextValue(jsontext.Unquote(jsontext.Trim(v))), ""
		}
	case schema.KindDecimal:
		if kind == jsontext.String {
			s := jsontext.Unquote(jsontext.Trim(v))
			if _, ok := parseDecimal(s); !ok {
				return engine.Value{}, "format"
			}
			return engine.TextValue(s), ""
		}
	case schema.KindDateTime:
		if kind == jsontext.String {
			s, ok := normalTime(jsontext.Unquote(jsontext.Trim(v)))
			if !ok {
				return engine.Value{}, "format"
			}
			return engine.TextValue(s), ""
		}
	case schema.KindInteger:
		if kind == jsontext.Number {
			if i, ok := schema.Integer(v); ok {
				return engine.IntValue(i), ""
			}
		}
	case schema.KindNumber:
		if kind == jsontext.Number {
			if f, err := strconv.ParseFloat(string(jsontext.Trim(v)), 64); err == nil {
				return engine.FloatValue(f), ""
			}
		}
	case schema.KindBoolean:
		if kind == jsontext.True || kind == jsontext.False {
			return engine.BoolValue(kind == jsontext.True), ""
		}
	default:
		return engine.TextValue(compact(v)), ""
	}
	return engine.Value{}, "type"
}

// operand is a filter's value as it is compared with the field's column; false says that no
// row can equal it. A float may be compared with an integer column, and an integer with a
// number's: SQLite compares them by value.
func operand(p *schema.Property, v any) (engine.Value, bool) {
	switch v := v.(type) {
	case string:
		switch p.Kind {
		case schema.KindString, schema.KindDate:
			return engine.TextValue(v), true
		case schema.KindDecimal:
			_, ok := parseDecimal(v)
			return engine.TextValue(v), ok
		case schema.KindDateTime:
			s, ok := normalTime(v)
			return engine.TextValue(s), ok
		case schema.KindJSON:
			return engine.TextValue(string(jsontext.Quote(v))), true
		}
	case int64:
		switch p.Kind {
		case schema.KindInteger, schema.KindNumber:
			return engine.IntValue(v), true
		case schema.KindJSON:
			return engine.TextValue(strconv.FormatInt(v, 10)), true
		}
	case float64:
		switch p.Kind {
		case schema.KindInteger, schema.KindNumber:
			return engine.FloatValue(v), true
		case schema.KindJSON:
			return engine.TextValue(string(appendFloat(nil, v))), true
		}
	case bool:
		switch p.Kind {
		case schema.KindBoolean:
			return engine.BoolValue(v), true
		case schema.KindJSON:
			return engine.TextValue(strconv.FormatBool(v)), true
		}
	}
	return engine.Value{}, false
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

// timeLayout is how a date-time stands in its column: UTC, of one width, so that
// the order of the text is the order of time.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// normalTime turns an RFC 3339 date-time into timeLayout. What is finer than a microsecond is
// cut off; a leap second is the second after it. It returns false for what is no date-time.
func normalTime(s string) (string, bool) {
	t, ok := schema.ParseDateTime(s)
	if !ok {
		return "", false
	}
	return t.Format(timeLayout), true
}

// appendTime appends a date-time of timeLayout with milliseconds, or with
// microseconds where those are not zero (docs/decisions/093).
func appendTime(dst, text []byte) []byte {
	if len(text) != len(timeLayout) || text[len(text)-1] != 'Z' {
		return jsontext.AppendText(dst, text)
	}
	dst = append(dst, '"')
	if string(text[23:26]) == "000" {
		dst = append(dst, text[:23]...)
	} else {
		dst = append(dst, text[:26]...)
	}
	return append(dst, 'Z', '"')
}

// appendFloat appends f as encoding/json does: the shortest text that reads back
// as f, with an exponent only for the very small and the very large.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 becomes e-9
		dst = dst[:n-1]
	}
	return dst
}
