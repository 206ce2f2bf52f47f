package sqlite

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// arg is one value bound to a statement.
type arg struct {
	kind argKind
	s    string
	i    int64
	f    float64
}

type argKind uint8

const (
	argNull argKind = iota
	argInt
	argFloat
	argText
	argBlob
)

func textArg(s string) arg   { return arg{kind: argText, s: s} }
func intArg(i int64) arg     { return arg{kind: argInt, i: i} }
func floatArg(f float64) arg { return arg{kind: argFloat, f: f} }

func boolArg(b bool) arg {
	if b {
		return intArg(1)
	}
	return intArg(0)
}

// plain is the argument as a Go value, for those who trace.
func (a arg) plain() any {
	switch a.kind {
	case argInt:
		return a.i
	case argFloat:
		return a.f
	case argText:
		return a.s
	case argBlob:
		return []byte(a.s)
	}
	return nil
}

// encode is a value of a field as its column holds it. The façade has judged the
// value; what cannot stand in the column all the same (a conversion's odd answer)
// comes back with the JSON Schema keyword it fails.
func encode(p *schema.Property, v json.RawMessage) (arg, string) {
	kind := jsontext.KindOf(v)
	if kind == jsontext.Null || kind == jsontext.Invalid {
		return arg{}, ""
	}
	switch p.Kind {
	case schema.KindString, schema.KindDate:
		if kind == jsontext.String {
			return textArg(jsontext.Unquote(jsontext.Trim(v))), ""
		}
	case schema.KindDecimal:
		if kind == jsontext.String {
			s := jsontext.Unquote(jsontext.Trim(v))
			if _, ok := parseDecimal(s); !ok {
				return arg{}, "format"
			}
			return textArg(s), ""
		}
	case schema.KindDateTime:
		if kind == jsontext.String {
			s, ok := normalTime(jsontext.Unquote(jsontext.Trim(v)))
			if !ok {
				return arg{}, "format"
			}
			return textArg(s), ""
		}
	case schema.KindInteger:
		if kind == jsontext.Number {
			if i, ok := schema.Integer(v); ok {
				return intArg(i), ""
			}
		}
	case schema.KindNumber:
		if kind == jsontext.Number {
			if f, err := strconv.ParseFloat(string(jsontext.Trim(v)), 64); err == nil {
				return floatArg(f), ""
			}
		}
	case schema.KindBoolean:
		if kind == jsontext.True || kind == jsontext.False {
			return boolArg(kind == jsontext.True), ""
		}
	default:
		return textArg(compact(v)), ""
	}
	return arg{}, "type"
}

// operand is a filter's value as it is compared with the field's column; false
// says that no row can equal it.
func operand(p *schema.Property, v any) (arg, bool) {
	switch v := v.(type) {
	case string:
		switch p.Kind {
		case schema.KindString, schema.KindDate:
			return textArg(v), true
		case schema.KindDecimal:
			_, ok := parseDecimal(v)
			return textArg(v), ok
		case schema.KindDateTime:
			s, ok := normalTime(v)
			return textArg(s), ok
		case schema.KindJSON:
			return textArg(string(jsontext.Quote(v))), true
		}
	case int64:
		switch p.Kind {
		case schema.KindInteger, schema.KindNumber:
			return intArg(v), true
		case schema.KindJSON:
			return textArg(strconv.FormatInt(v, 10)), true
		}
	case float64:
		switch p.Kind {
		case schema.KindInteger, schema.KindNumber:
			return floatArg(v), true
		case schema.KindJSON:
			return textArg(string(appendFloat(nil, v))), true
		}
	case bool:
		switch p.Kind {
		case schema.KindBoolean:
			return boolArg(v), true
		case schema.KindJSON:
			return textArg(strconv.FormatBool(v)), true
		}
	}
	return arg{}, false
}

// compact is a JSON text without white space between its tokens.
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

// normalTime reads an RFC 3339 date-time into timeLayout. What is finer than a
// microsecond is cut off; a leap second is the second after it.
func normalTime(s string) (string, bool) {
	t, ok := schema.ParseDateTime(s)
	if !ok {
		return "", false
	}
	return t.Format(timeLayout), true
}
