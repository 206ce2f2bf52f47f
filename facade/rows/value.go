package rows

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// Value is the value of a JSON text in a field of kind: string, int64,
// float64 or bool, as filter operands hold it. A date-time is the text that a row has for
// it. why is "" or what to send instead.
func Value(kind schema.Kind, text json.RawMessage) (value any, why string) {
	is := jsontext.KindOf(text)
	switch kind {
	case schema.KindString:
		if is == jsontext.String {
			return jsontext.Unquote(jsontext.Trim(text)), ""
		}
		return nil, "a string"
	case schema.KindInteger:
		if n, ok := schema.Integer(text); ok {
			return n, ""
		}
		return nil, "a whole number"
	case schema.KindNumber:
		if is == jsontext.Number {
			if n, err := strconv.ParseFloat(string(jsontext.Trim(text)), 64); err == nil && !math.IsInf(n, 0) {
				return n, ""
			}
		}
		return nil, "a number"
	case schema.KindBoolean:
		switch is {
		case jsontext.True:
			return true, ""
		case jsontext.False:
			return false, ""
		}
		return nil, "true or false"
	case schema.KindDateTime:
		if is == jsontext.String {
			if at, ok := format.ParseDateTime(jsontext.Unquote(jsontext.Trim(text))); ok {
				return jsontext.Unquote(AppendDateTime(make([]byte, 0, dateTimeLength), at)), ""
			}
		}
		return nil, "a date and time such as 2026-01-31T12:00:00Z"
	case schema.KindDate:
		if is == jsontext.String {
			s := jsontext.Unquote(jsontext.Trim(text))
			if _, err := time.Parse(time.DateOnly, s); err == nil {
				return s, ""
			}
		}
		return nil, "a date such as 2026-01-31"
	case schema.KindDecimal:
		if is == jsontext.String {
			if s := jsontext.Unquote(jsontext.Trim(text)); format.IsDecimal(s) {
				return s, ""
			}
		}
		return nil, `a decimal number in quotes, such as "12.50"`
	}
	return nil, "nothing: values of this kind are not compared"
}

// AppendValue appends what Value gave as JSON text, in the one form that rows have for it.
func AppendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return jsontext.AppendString(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

// Key is the text of a value of p in its one form, so that equal keys are equal text. A
// plain string or integer is that form already and is not copied. why is "" or what to send
// instead.
func Key(p *schema.Property, text json.RawMessage) (json.RawMessage, string) {
	text = jsontext.Trim(text)
	if p.Kind == schema.KindString && jsontext.KindOf(text) == jsontext.String && isPlain(text) {
		return text, ""
	}
	if p.Kind == schema.KindInteger && isPlainInteger(text) {
		return text, ""
	}
	value, why := Value(p.Kind, text)
	if why != "" {
		return nil, why
	}
	return AppendValue(nil, value), ""
}

// isPlainInteger says whether a text is an integer that every int64 has room for, in the form
// that [AppendValue] gives: -7 and 10, not 07, 1e1, 10.0 or -0.
func isPlainInteger(v []byte) bool {
	digits := v
	if len(v) > 0 && v[0] == '-' {
		digits = v[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(v) > 1 {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isPlain says whether a JSON string has no escapes.
func isPlain(v []byte) bool {
	return !slices.Contains(v, '\\')
}
