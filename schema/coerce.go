package schema

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Coerce is the text of a query-string parameter as a value of its shape: a number
// for an integer or a number, true or false for a boolean, a string for a string
// and for whatever has no type; null for a null type, and for a nullable one that
// is no string. It is for parameters alone: nothing in a body is ever coerced.
// Where the text is no such value, the answer is the text as a string, which the
// judge will refuse by its type, and false.
func Coerce(shape *Shape, text string) (json.RawMessage, bool) {
	quoted := jsontext.Quote(text)
	if text == "null" && (shape.Type == "null" || shape.Nullable && shape.Type != "" && shape.Type != "string") {
		return json.RawMessage("null"), true
	}
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
		return quoted, shape.Type == ""
	}
	return quoted, true
}
