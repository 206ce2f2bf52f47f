package migration

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// convert returns a function from values of one kind to values of another, as JSON; nil if the two
// kinds have no sensible conversion. The function returns false for a value that cannot be
// converted. It does not guess: "12" is the integer 12, and "12 apples" has no conversion.
//
//	from               to                        how
//	number             integer                   without its fraction
//	integer, number,   string                    as JSON writes it
//	boolean, json
//	string             integer, number, decimal  a text that is a JSON number
//	string             boolean                   true or false
//	others of text     others of text            unchanged; the card judges it
//	anything           json                      itself
func convert(from, to string) func(json.RawMessage) (json.RawMessage, bool) {
	text := func(kind string) bool {
		return kind != "integer" && kind != "number" && kind != "boolean" && kind != "json"
	}
	number := func(kind string) bool { return kind == "integer" || kind == "number" }
	switch {
	case to == "json":
		return func(v json.RawMessage) (json.RawMessage, bool) { return v, true }
	case number(from) && number(to):
		return func(v json.RawMessage) (json.RawMessage, bool) {
			if _, whole := schema.Integer(v); whole || to == "number" {
				return v, true
			}
			f, err := strconv.ParseFloat(string(v), 64)
			if err != nil || f < -1<<53 || f > 1<<53 {
				return nil, false
			}
			return strconv.AppendInt(nil, int64(f), 10), true
		}
	case number(from) && to == "decimal":
		return func(v json.RawMessage) (json.RawMessage, bool) {
			return jsontext.Quote(string(v)), !strings.ContainsAny(string(v), "eE")
		}
	case to == "string" && !text(from):
		return func(v json.RawMessage) (json.RawMessage, bool) { return jsontext.Quote(string(v)), true }
	case text(from) && (number(to) || to == "boolean"):
		return func(v json.RawMessage) (json.RawMessage, bool) {
			inner := json.RawMessage(strings.TrimSpace(jsontext.Unquote(v)))
			if !json.Valid(inner) {
				return nil, false
			}
			switch jsontext.KindOf(inner) {
			case jsontext.Number:
				_, whole := schema.Integer(inner)
				return inner, to == "number" || to == "integer" && whole
			case jsontext.True, jsontext.False:
				return inner, to == "boolean"
			}
			return nil, false
		}
	case text(from) && text(to):
		return func(v json.RawMessage) (json.RawMessage, bool) { return v, true }
	}
	return nil
}

// Lossless reports whether every value of one kind that [convert] makes one of another is the same
// afterwards. Values that cannot be converted are lost all the same.
func Lossless(from, to string) bool {
	switch to {
	case "string":
		switch from {
		case "date", "date-time", "decimal", "integer", "number", "boolean":
			return true
		}
	case "number", "decimal":
		return from == "integer"
	case "date":
		return from == "string"
	}
	return from == to
}
