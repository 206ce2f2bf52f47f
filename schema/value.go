package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// Value is the value of a JSON text in a field of the kind: string, int64,
// float64 or bool, as filter operands hold it. A date-time is the text that a row has for
// it. why is "" or what to send instead.
func (kind Kind) Value(text json.RawMessage) (value any, why string) {
	is := jsontext.KindOf(text)
	switch kind {
	case KindString:
		if is == jsontext.String {
			return jsontext.Unquote(jsontext.Trim(text)), ""
		}
		return nil, "a string"
	case KindInteger:
		if n, ok := Integer(text); ok {
			return n, ""
		}
		return nil, "a whole number"
	case KindNumber:
		if is == jsontext.Number {
			if n, err := strconv.ParseFloat(string(jsontext.Trim(text)), 64); err == nil && !math.IsInf(n, 0) {
				return n, ""
			}
		}
		return nil, "a number"
	case KindBoolean:
		switch is {
		case jsontext.True:
			return true, ""
		case jsontext.False:
			return false, ""
		}
		return nil, "true or false"
	case KindDateTime:
		if is == jsontext.String {
			if at, ok := format.ParseDateTime(jsontext.Unquote(jsontext.Trim(text))); ok {
				return jsontext.Unquote(AppendDateTime(make([]byte, 0, dateTimeLength), at)), ""
			}
		}
		return nil, "a date and time such as 2026-01-31T12:00:00Z"
	case KindDate:
		if is == jsontext.String {
			s := jsontext.Unquote(jsontext.Trim(text))
			if _, err := time.Parse(time.DateOnly, s); err == nil {
				return s, ""
			}
		}
		return nil, "a date such as 2026-01-31"
	case KindDecimal:
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

// KeyText is the text of a value of p in its one form, so that equal keys are equal text. A
// plain string or integer is that form already and is not copied. why is "" or what to send
// instead.
func (p *Property) KeyText(text json.RawMessage) (json.RawMessage, string) {
	text = jsontext.Trim(text)
	if p.Kind == KindString && jsontext.KindOf(text) == jsontext.String && !slices.Contains(text, '\\') {
		return text, ""
	}
	if p.Kind == KindInteger && isPlainInteger(text) {
		return text, ""
	}
	value, why := p.Kind.Value(text)
	if why != "" {
		return nil, why
	}
	return AppendValue(nil, value), ""
}

// isPlainInteger says whether a text is an integer that every int64 has room for, in the form
// that [AppendValue] gives: -7 and 10, not 07, 1e1, 10.0 or -0.
func isPlainInteger(v []byte) bool {
	size := bytes.TrimPrefix(v, []byte("-"))
	_, ok := digits(size)
	return ok && (size[0] != '0' || len(v) == 1)
}

// A date-time is kept and answered as UTC with milliseconds, or with microseconds
// where those are not zero (docs/decisions/writes-and-versions.md). Smaller parts are cut.
const (
	withMillis = "2006-01-02T15:04:05.000Z"
	withMicros = "2006-01-02T15:04:05.000000Z"

	dateTimeLength = len(withMicros) + len(`""`)
)

// AppendDateTime appends a moment as a JSON string, in the form that rows have for it.
func AppendDateTime(dst []byte, at time.Time) []byte {
	at = at.UTC()
	layout := withMillis
	if at.Nanosecond()/int(time.Microsecond)%1000 != 0 {
		layout = withMicros
	}
	dst = append(dst, '"')
	dst = at.AppendFormat(dst, layout)
	return append(dst, '"')
}

// NormalDateTime is the text of a judged date-time in the form that rows have for it;
// null and non-date-time values are returned unchanged.
func NormalDateTime(value json.RawMessage) json.RawMessage {
	if jsontext.KindOf(value) != jsontext.String || isNormal(jsontext.Trim(value)) {
		return value
	}
	at, ok := format.ParseDateTime(jsontext.Unquote(jsontext.Trim(value)))
	if !ok {
		return value
	}
	return AppendDateTime(make([]byte, 0, dateTimeLength), at)
}

// IsDateTime reports whether a JSON string is a date-time in the form that rows have for
// it.
func IsDateTime(v []byte) bool {
	if isNormal(v) {
		return true
	}
	_, err := time.Parse(`"`+withMicros+`"`, string(v))
	return err == nil
}

// isNormal says whether a JSON string is a date-time as AppendDateTime writes it.
func isNormal(v []byte) bool {
	const form = `"0000-00-00T00:00:00.000Z"`
	if len(v) != len(form) {
		return false
	}
	for i := range v {
		if c := form[i]; c == '0' && (v[i] < '0' || v[i] > '9') || c != '0' && v[i] != c {
			return false
		}
	}
	return string(v[18:20]) != "60"
}

// Now is a moment as a value of the field: text, or milliseconds since 1970
// where the field is a number.
func (p *Property) Now(at time.Time) json.RawMessage {
	switch p.Kind {
	case KindInteger, KindNumber:
		return fmt.Appendf(nil, "%d", at.UnixMilli())
	case KindDate:
		return jsontext.Quote(at.UTC().Format(time.DateOnly))
	}
	if p.Shape.Format == "time" {
		return jsontext.Quote(at.UTC().Format("15:04:05.000Z"))
	}
	return AppendDateTime(make([]byte, 0, dateTimeLength), at.Truncate(time.Millisecond))
}
