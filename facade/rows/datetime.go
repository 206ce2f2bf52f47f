package rows

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

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
func Now(p *schema.Property, at time.Time) json.RawMessage {
	switch p.Kind {
	case schema.KindInteger, schema.KindNumber:
		return fmt.Appendf(nil, "%d", at.UnixMilli())
	case schema.KindDate:
		return jsontext.Quote(at.UTC().Format(time.DateOnly))
	}
	if p.Shape.Format == "time" {
		return jsontext.Quote(at.UTC().Format("15:04:05.000Z"))
	}
	return AppendDateTime(make([]byte, 0, dateTimeLength), at.Truncate(time.Millisecond))
}
