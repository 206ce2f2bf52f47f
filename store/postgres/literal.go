package postgres

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqltext"
)

// operand is how an operand of a filter is compared with a column.
type operand struct {
	op filter.Op
	v  sqltext.Value
	// decided says that the comparison is the same for every value of the column: holds.
	decided, holds bool
}

// every is an operand that every value of the column meets, and null for Ne.
func every(op filter.Op, holds bool) operand { return operand{op: op, decided: true, holds: holds} }

// fit returns an operand in a form that the server reads as a value of the column's type, with
// the meaning it has in every store: integers and fractions compare by value, and a text may
// have a NUL, which no text of PostgreSQL has.
func fit(c *sqltext.Column, op filter.Op, v sqltext.Value) operand {
	same := operand{op: op, v: v}
	switch classOf(c) {
	case asInteger:
		if v.Kind == sqltext.Float {
			return fitFraction(op, v.F)
		}
		// A number beyond a smaller type is no value of it, and the server would refuse it.
		if most := largest(c); v.I > most || v.I < -most-1 {
			return every(op, op == filter.Ne || v.I > 0 && (op == filter.Lt || op == filter.Lte) || v.I < 0 && (op == filter.Gt || op == filter.Gte))
		}
	case asNumber:
		if v.Kind == sqltext.Int && isDouble(c) {
			return fitLarge(op, v.I)
		}
	case asDate:
		return fitMoment(op, v, time.DateOnly)
	case asTime:
		return fitMoment(op, v, sqltext.TimeLayout)
	case asUUID:
		if !isUUID(v.S) {
			return every(op, op == filter.Ne)
		}
	default:
		if c.Fits != nil && v.Kind == sqltext.Text && !c.Fits(v.S) {
			return every(op, op == filter.Ne) // nothing equals, precedes or follows it
		}
		if head, _, found := strings.Cut(v.S, "\x00"); v.Kind == sqltext.Text && found {
			return fitNUL(op, head)
		}
	}
	return same
}

// largest is the largest integer that a column holds.
func largest(c *sqltext.Column) int64 {
	switch baseType(c.Type) {
	case "smallint", "int2":
		return math.MaxInt16
	case "integer", "int4", "int":
		return math.MaxInt32
	}
	return math.MaxInt64
}

// isDouble says whether a column's numbers are floating-point.
func isDouble(c *sqltext.Column) bool {
	switch baseType(c.Type) {
	case "real", "double precision", "float4", "float8":
		return true
	}
	return false
}

// fitFraction compares integers with f: x < 1.5 is x < 2, x > 1.5 is x > 1.
func fitFraction(op filter.Op, f float64) operand {
	down, up := math.Floor(f), math.Ceil(f)
	switch {
	case f >= 1<<63:
		return every(op, op == filter.Ne || op == filter.Lt || op == filter.Lte)
	case f < -(1 << 63):
		return every(op, op == filter.Ne || op == filter.Gt || op == filter.Gte)
	case down == f:
		return operand{op: op, v: sqltext.IntValue(int64(f))}
	case op == filter.Eq, op == filter.Ne:
		return every(op, op == filter.Ne)
	case op == filter.Lt, op == filter.Gte:
		if up >= 1<<63 {
			return every(op, op == filter.Lt)
		}
		return operand{op: op, v: sqltext.IntValue(int64(up))}
	}
	return operand{op: op, v: sqltext.IntValue(int64(down))}
}

// fitLarge compares doubles with an integer that may lie between two of them.
func fitLarge(op filter.Op, i int64) operand {
	f := float64(i)
	above := f >= 1<<63 || int64(f) > i // the nearest double
	if !above && int64(f) == i {
		return operand{op: op, v: sqltext.FloatValue(f)}
	}
	switch op {
	case filter.Lt, filter.Lte:
		op = filter.Lte
		if above {
			op = filter.Lt
		}
	case filter.Gt, filter.Gte:
		op = filter.Gt
		if above {
			op = filter.Gte
		}
	default:
		return every(op, op == filter.Ne)
	}
	return operand{op: op, v: sqltext.FloatValue(f)}
}

// fitMoment writes a date or a moment as the server reads it, which calls the year 0000 1 BC.
// Any other text never equals a value.
func fitMoment(op filter.Op, v sqltext.Value, layout string) operand {
	if _, err := time.Parse(layout, v.S); err != nil {
		return every(op, op == filter.Ne)
	}
	beforeChrist(&v)
	return operand{op: op, v: v}
}

// fitNUL compares texts without a NUL with one that has a NUL after head: no text equals it, head
// and the texts before head are smaller, all others are larger.
func fitNUL(op filter.Op, head string) operand {
	switch op {
	case filter.Lt, filter.Lte:
		return operand{op: filter.Lte, v: sqltext.TextValue(head)}
	case filter.Gt, filter.Gte:
		return operand{op: filter.Gt, v: sqltext.TextValue(head)}
	}
	return every(op, op == filter.Ne)
}

// isUUID says whether a text is a UUID in its usual spelling, 8-4-4-4-12 hex digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// appendElement appends a value to an array literal that begins with its brace. A value that no
// row has becomes null, which never equals a value, so that the others keep their places.
//
//	{"a","it's","q\"q",7,NULL}
func appendElement(list []byte, c *sqltext.Column, v sqltext.Value) []byte {
	list = jsontext.Comma(list)
	fitted := fit(c, filter.Eq, v)
	if v.Kind == sqltext.Null || v.Kind == sqltext.Blob || fitted.decided {
		return append(list, "NULL"...)
	}
	if fitted.v.Kind != sqltext.Text {
		return appendValue(list, fitted.v)
	}
	list = append(list, '"')
	for i := range len(fitted.v.S) {
		switch ch := fitted.v.S[i]; ch {
		case '"', '\\':
			list = append(list, '\\', ch)
		default:
			list = append(list, ch)
		}
	}
	return append(list, '"')
}

// arrayLiteral writes a JSON array as an array of the database: {"a","b"}. An element that is
// no scalar is its JSON.
func arrayLiteral(dst []byte, array json.RawMessage) []byte {
	dst = append(dst, '{')
	n := 0
	for _, element := range jsontext.Elements(array) {
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		switch jsontext.KindOf(element) {
		case jsontext.Null:
			dst = append(dst, "NULL"...)
		case jsontext.Array:
			dst = arrayLiteral(dst, element)
		case jsontext.String:
			dst = appendQuoted(dst, jsontext.Unquote(jsontext.Trim(element)))
		default:
			dst = appendQuoted(dst, string(jsontext.Trim(element)))
		}
	}
	return append(dst, '}')
}

// appendQuoted appends an element of an array literal in quotes.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
