package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqltext"
)

// Values leave the server in the form that takes the least work to make JSON of. Most text forms
// are the JSON value, or its content between quotes. Those that depend on a session's settings
// (DateStyle, TimeZone) or are costly to write come as bytes.

// decoded sets how a column's values come.
func decoded(c *sqltext.Column) {
	c.Decode, c.OID = decoderOf(c, ignored), oids[baseType(c.Type)]
	c.Key, c.Fit = nil, nil
	switch classOf(c) {
	case asTime, asDate:
		c.Binary, c.Fit = true, beforeChrist
	case asNumber:
		t := baseType(c.Type)
		c.Binary = t == "double precision" || t == "float8"
	}
	if c.Beyond != nil {
		c.Key = keyDecoder(c)
	}
}

// oids are the numbers of the types whose values are decoded by their bytes or written to JSON
// without quotes. A value of another type would be read as something else.
var oids = map[string]uint32{
	"boolean": 16, "bigint": 20, "smallint": 21, "integer": 23, "text": 25, "json": 114, "real": 700, "double precision": 701,
	"date": 1082, "timestamp without time zone": 1114, "timestamp with time zone": 1184, "numeric": 1700, "jsonb": 3802,
}

// decoderOf returns the function that appends a value of a column, never null, as JSON. It is chosen
// once for a column. lost is called for a value beyond its card, which is null. Rows are the same
// text that every store gives:
//
//	bigint 7                    7
//	double precision 1.5        1.5
//	numeric 1.50                "1.50"
//	timestamptz                 "2026-05-01T10:30:00.000Z"
//	json, jsonb                 unchanged
//	an array                    a JSON array
//	anything else               its text, as a JSON string
func decoderOf(c *sqltext.Column, lost func()) func(dst, raw []byte) []byte {
	switch classOf(c) {
	case asInteger:
		if c.Beyond != nil { // a numeric
			return carried(isInteger, appendRaw, lost)
		}
		return appendRaw
	case asJSON:
		return appendRaw
	case asNumber:
		switch baseType(c.Type) {
		case "double precision", "float8":
			return doubleDecoder(lost)
		}
		return carried(isFinite, appendNumber, lost)
	case asDecimal:
		return carried(isFinite, jsontext.AppendText, lost)
	case asBoolean:
		return appendBoolean
	case asTime:
		return timeDecoder(lost)
	case asDate:
		return dateDecoder(lost)
	case asArray:
		return arrayDecoder(c)
	case asText, asUUID, asOther:
		if isPadded(c) {
			return appendUnpadded
		}
	}
	return jsontext.AppendText
}

// carried returns the function that appends the text of a value by appendText, and null for one that is
// not as the card has it.
func carried(is func(raw []byte) bool, appendText func(dst, raw []byte) []byte, lost func()) func(dst, raw []byte) []byte {
	return func(dst, raw []byte) []byte {
		if !is(raw) {
			lost()
			return append(dst, "null"...)
		}
		return appendText(dst, raw)
	}
}

// isFinite reports whether the text of a number is neither NaN nor an infinity, which end in a letter.
func isFinite(raw []byte) bool { return len(raw) > 0 && raw[len(raw)-1] <= '9' }

// isInteger reports whether the text of a number is an integer of 64 bits.
func isInteger(raw []byte) bool {
	_, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil
}

// appendUnpadded appends a text of a fixed length without the blanks that fill it up.
func appendUnpadded(dst, raw []byte) []byte {
	return jsontext.AppendText(dst, bytes.TrimRight(raw, " "))
}

// keyDecoder returns the function that appends a value of a column as a cursor has it: as a row does, and
// beyond the card as the server reads it.
func keyDecoder(c *sqltext.Column) func(dst, raw []byte) []byte {
	stored := func(raw []byte) string { return string(raw) }
	switch class := classOf(c); {
	case class == asTime:
		stored = func(raw []byte) string { return momentText(int64(binary.BigEndian.Uint64(raw)), dayMicros) } //nolint:gosec // two's complement on the wire
	case class == asDate:
		stored = func(raw []byte) string { return momentText(int64(int32(binary.BigEndian.Uint32(raw))), 1) } //nolint:gosec // two's complement on the wire
	case c.Binary:
		stored = func(raw []byte) string {
			return strconv.FormatFloat(math.Float64frombits(binary.BigEndian.Uint64(raw)), 'g', -1, 64)
		}
	}
	shown := decoderOf(c, ignored)
	return func(dst, raw []byte) []byte {
		from := len(dst)
		if dst = shown(dst, raw); string(dst[from:]) != "null" {
			return dst
		}
		return sqltext.AppendStored(dst[:from], sqltext.TextValue(stored(raw)))
	}
}

// momentText writes a date or a moment of any year as the server reads it. n counts days or
// microseconds from 2000-01-01, of which a day has perDay.
func momentText(n, perDay int64) string {
	switch {
	case perDay == 1 && n == math.MaxInt32, n == math.MaxInt64:
		return "infinity"
	case perDay == 1 && n == math.MinInt32, n == math.MinInt64:
		return "-infinity"
	}
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	text := ""
	if perDay == 1 {
		at = at.AddDate(0, 0, int(n))
	} else {
		at = time.UnixMicro(at.UnixMicro() + n).UTC()
		text = at.Format(" 15:04:05.000000+00")
	}
	year := at.Year()
	if year <= 0 {
		year, text = 1-year, text+" BC"
	}
	return fmt.Sprintf("%04d-%02d-%02d%s", year, at.Month(), at.Day(), text)
}

// beforeChrist writes a date or a moment of the year 0000 as the server reads it, which calls it 1 BC.
func beforeChrist(v *sqltext.Value) {
	if rest, found := strings.CutPrefix(v.S, "0000-"); found {
		v.S = "0001-" + rest + " BC"
	}
}

func appendRaw(dst, raw []byte) []byte { return append(dst, raw...) }

func appendBoolean(dst, raw []byte) []byte {
	return strconv.AppendBool(dst, len(raw) == 1 && raw[0] == 't')
}

// doubleDecoder returns the function that appends eight bytes of a float. NaN and the infinities, which
// JSON has not, are null; lost is called then.
func doubleDecoder(lost func()) func(dst, raw []byte) []byte {
	return func(dst, raw []byte) []byte {
		if len(raw) != 8 {
			return append(dst, "null"...)
		}
		f := math.Float64frombits(binary.BigEndian.Uint64(raw))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			lost()
			return append(dst, "null"...)
		}
		return sqltext.AppendFloat(dst, f)
	}
}

// appendNumber appends a number's text in the spelling of every store.
func appendNumber(dst, raw []byte) []byte {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return append(dst, "null"...)
	}
	return sqltext.AppendFloat(dst, f)
}

// PostgreSQL counts from 2000-01-01; the first and the last number are the infinities.
const (
	epochDays   = 10957 // from 1970-01-01 to 2000-01-01
	dayMicros   = 24 * 60 * 60 * 1_000_000
	firstDay    = -719528 // 0000-01-01
	lastDay     = 2932896 // 9999-12-31
	maximalTime = (lastDay+1-epochDays)*dayMicros - 1
)

// ignored replaces the log of values that no date of a card can be.
func ignored() {}

// timeDecoder returns the function that appends the microseconds of a timestamp as a JSON string,
// in UTC. An infinity, and a moment outside the years 0000 to 9999, is null; lost is called then.
func timeDecoder(lost func()) func(dst, raw []byte) []byte {
	return func(dst, raw []byte) []byte {
		if len(raw) != 8 {
			return append(dst, "null"...)
		}
		at := int64(binary.BigEndian.Uint64(raw)) //nolint:gosec // two's complement on the wire
		if at < (firstDay-epochDays)*dayMicros || at > maximalTime {
			lost()
			return append(dst, "null"...)
		}
		return appendMoment(dst, at)
	}
}

// appendMoment appends the microseconds since 2000-01-01, in UTC.
func appendMoment(dst []byte, at int64) []byte {
	days, rest := at/dayMicros, at%dayMicros
	if rest < 0 {
		days, rest = days-1, rest+dayMicros
	}
	seconds, micros := uint32(rest/1_000_000), uint32(rest%1_000_000)
	millis := micros / 1000
	text := [...]byte{
		10: 'T', 13: ':', 16: ':', 19: '.', 20: byte('0' + millis/100), 21: byte('0' + millis/10%10), 22: byte('0' + millis%10), 23: 'Z', 24: '"',
	}
	putDay(text[:10], days+epochDays)
	putTwo(text[11:], seconds/3600)
	putTwo(text[14:], seconds/60%60)
	putTwo(text[17:], seconds%60)
	dst = append(append(dst, '"'), text[:]...)
	if micros %= 1000; micros != 0 {
		dst = append(dst[:len(dst)-2], byte('0'+micros/100), byte('0'+micros/10%10), byte('0'+micros%10), 'Z', '"')
	}
	return dst
}

// dateDecoder returns the function that appends the days of a date as a JSON string; see
// [timeDecoder].
func dateDecoder(lost func()) func(dst, raw []byte) []byte {
	return func(dst, raw []byte) []byte {
		if len(raw) != 4 {
			return append(dst, "null"...)
		}
		days := int64(int32(binary.BigEndian.Uint32(raw))) + epochDays //nolint:gosec // two's complement on the wire
		if days < firstDay || days > lastDay {
			lost()
			return append(dst, "null"...)
		}
		text := [...]byte{11: '"', 0: '"'}
		putDay(text[1:11], days)
		return append(dst, text[:]...)
	}
}

// putDay writes a day, counted from 1970-01-01, as 2026-05-01 into the ten bytes of dst. The year is
// one of 0000 to 9999. It counts in eras of 400 years, each of which has 146,097 days and begins in
// March, so that the leap day is a year's last.
func putDay(dst []byte, day int64) {
	z := uint32(day + 719468 + 146097) // the days of January and February 0000 are of the era before
	era := z / 146097
	ofEra := z - era*146097
	year := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*year + year/4 - year/100)
	shifted := (5*ofYear + 2) / 153
	date := ofYear - (153*shifted+2)/5 + 1
	month := shifted + 3
	if month > 12 {
		month -= 12
	}
	if year += era * 400; month <= 2 {
		year++
	}
	year -= 400
	putTwo(dst, year/100)
	putTwo(dst[2:], year%100)
	dst[4] = '-'
	putTwo(dst[5:], month)
	dst[7] = '-'
	putTwo(dst[8:], date)
}

// putTwo writes a number below 100 as two digits.
func putTwo(dst []byte, n uint32) { dst[0], dst[1] = byte('0'+n/10), byte('0'+n%10) }

// arrayDecoder returns the function that appends an array's text form, {a,"b c",NULL}, as a JSON
// array. Elements of numeric types and booleans are written as such.
func arrayDecoder(c *sqltext.Column) func(dst, raw []byte) []byte {
	element := jsontext.AppendText
	typ := baseType(c.Type)
	for len(typ) > 2 && typ[len(typ)-2:] == "[]" {
		typ = typ[:len(typ)-2]
	}
	switch typ {
	case "smallint", "integer", "bigint", "int2", "int4", "int8", "int", "json", "jsonb":
		element = appendRaw
	case "real", "double precision", "float4", "float8", "numeric", "decimal":
		element = appendNumber
	case "boolean", "bool":
		element = appendBoolean
	}
	return func(dst, raw []byte) []byte { return appendArray(dst, raw, element) }
}

// appendArray rewrites an array literal. Bounds in front of it ([0:1]={…}) are left out.
func appendArray(dst, raw []byte, element func(dst, raw []byte) []byte) []byte {
	i := 0
	for i < len(raw) && raw[i] != '{' {
		i++
	}
	var word []byte
	for i < len(raw) {
		switch c := raw[i]; c {
		case '{':
			dst = append(dst, '[')
			i++
		case '}':
			dst = append(dst, ']')
			i++
		case ',':
			dst = append(dst, ',')
			i++
		case '"':
			word = word[:0]
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' && i+1 < len(raw) {
					i++
				}
				word = append(word, raw[i])
			}
			i++
			dst = element(dst, word)
		default:
			from := i
			for i < len(raw) && raw[i] != ',' && raw[i] != '}' {
				i++
			}
			if text := raw[from:i]; string(text) == "NULL" {
				dst = append(dst, "null"...)
			} else {
				dst = element(dst, text)
			}
		}
	}
	return dst
}
