package schema

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Coerce turns the text of a query-string parameter into a value of its shape. Only parameters
// are coerced, never a body.
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
func Coerce(shape *Shape, text string) (json.RawMessage, bool) {
	quoted := jsontext.Quote(text)
	if text == "null" && (shape.Type == "null" || shape.Nullable && shape.Type != "" && shape.Type != "string") {
		return json.RawMessage("null"), true
	}
	// kindOf looks at the first byte alone, so json.Valid has to agree. Trim refuses white
	// space, which a query may hold and JSON would pass over.
	switch kindOf(shape) {
	case KindInteger, KindNumber:
		if v := json.RawMessage(text); jsontext.KindOf(v) == jsontext.Number && len(jsontext.Trim(v)) == len(v) && json.Valid(v) {
			return v, true
		}
		return quoted, false
	case KindBoolean:
		if text == "true" || text == "false" {
			return json.RawMessage(text), true
		}
		return quoted, false
	case KindJSON:
		// A shape without a type accepts a string; an object or an array cannot be one.
		return quoted, shape.Type == ""
	}
	return quoted, true
}
