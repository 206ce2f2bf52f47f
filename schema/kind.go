package schema

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Kind is the kind of a field's values, as far as storing, encoding and projecting need it.
// Every kind may also be null where the shape is nullable. It follows from type and format, or
// in their absence from the values of enum or const.
type Kind uint8

// The kinds of values.
const (
	// KindJSON is any JSON: bare objects, arrays, nested objects, unions.
	KindJSON Kind = iota
	KindString
	// KindInteger is a whole number within int64; 3.0 is one (docs/decisions/judge.md).
	KindInteger
	// KindNumber is a number that a float64 can hold.
	KindNumber
	KindBoolean
	// KindDateTime is format date-time, an instant: kept as UTC with microseconds
	// (docs/decisions/writes-and-versions.md).
	KindDateTime
	// KindDate is format date: a day without a zone, 2026-05-01.
	KindDate
	// KindDecimal is a string of format decimal, see [format.IsDecimal]: compared as a number of any
	// size, "1.50" equals "1.5".
	KindDecimal
)

// kindOf returns the kind of a shape's values. A type of several names is [KindJSON].
func kindOf(s *Shape) Kind {
	switch s.Type {
	case "string":
		switch s.Format {
		case "date-time":
			return KindDateTime
		case "date":
			return KindDate
		case "decimal":
			return KindDecimal
		}
		return KindString
	case "integer":
		return KindInteger
	case "number":
		return KindNumber
	case "boolean":
		return KindBoolean
	case "":
		return kindOfValues(s)
	}
	return KindJSON
}

// kindOfValues returns the kind of the values of an enum or a const without a type: all strings
// are [KindString], all whole numbers [KindInteger]. null is passed over. Values of several
// kinds are [KindJSON], and so is an empty list.
func kindOfValues(s *Shape) Kind {
	values := s.Enum
	if c := s.Extra.Get("const"); c != nil {
		values = []json.RawMessage{c}
	}
	if s.Bool != nil || s.Extra.Get("type") != nil {
		return KindJSON
	}
	kind, found := KindJSON, false
	for _, v := range values {
		k := KindJSON
		switch jsontext.KindOf(v) {
		case jsontext.Null:
			continue
		case jsontext.String:
			k = KindString
		case jsontext.True, jsontext.False:
			k = KindBoolean
		case jsontext.Number:
			if k = KindNumber; whole(jsontext.Trim(v)) {
				k = KindInteger
			}
		}
		if found && k != kind {
			return KindJSON
		}
		kind, found = k, true
	}
	return kind
}

// AppendCoerced appends the text of a query-string parameter, or of a cell, as a value of its shape. A
// JSON body is never coerced.
//
//	shape                     text     value      ok
//	integer, number           7        7          true
//	integer, number           seven    "seven"    false
//	boolean                   true     true       true
//	string, date, no type     7        "7"        true
//	[integer, 'null'], null   null     null       true
//	[string, 'null']          null     "null"     true
//	object, array             {}       "{}"       false
//
// Where ok is false the value is the text as a string, which the judge refuses by its type.
func AppendCoerced(dst []byte, shape *Shape, text []byte) (_ []byte, ok bool) {
	if string(text) == "null" && (shape.Type == "null" || shape.Nullable && shape.Type != "" && shape.Type != "string") {
		return append(dst, text...), true
	}
	ok = true
	// kindOf looks at the first byte alone, so json.Valid has to agree. Trim refuses white
	// space, which a query may hold and JSON would pass over.
	switch kindOf(shape) {
	case KindInteger, KindNumber:
		if jsontext.KindOf(text) == jsontext.Number && len(jsontext.Trim(text)) == len(text) && json.Valid(text) {
			return append(dst, text...), true
		}
		ok = false
	case KindBoolean:
		if string(text) == "true" || string(text) == "false" {
			return append(dst, text...), true
		}
		ok = false
	case KindJSON:
		// A shape without a type accepts a string; an object or an array cannot be one.
		ok = shape.Type == ""
	}
	return jsontext.AppendText(dst, text), ok
}
