package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep the arrays and objects of a text may stand in each other.
const MaxDepth = 100

// Check says whether data is exactly one JSON value (RFC 8259) in UTF-8 whose
// objects name no key twice and that is no deeper than MaxDepth. The error says
// where and what, and echoes no value.
func Check(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("the text is not UTF-8")
	}
	if !json.Valid(data) {
		return syntax(data)
	}
	i := space(data, 0)
	return check(data[i:Skip(data, i)], "", 0)
}

// check walks valid JSON for what json.Valid lets through: depth and duplicate keys.
func check(v []byte, at string, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("the text is nested deeper than %d levels", MaxDepth)
	}
	switch KindOf(v) {
	case Object:
		seen := map[string]bool{}
		for name, value := range Members(v) {
			if seen[name] {
				return fmt.Errorf("the key %s stands twice in the object at %q", Quote(name), at)
			}
			seen[name] = true
			if k := KindOf(value); k == Object || k == Array {
				if err := check(value, at+"/"+Token(name), depth+1); err != nil {
					return err
				}
			}
		}
	case Array:
		for i, value := range Elements(v) {
			if k := KindOf(value); k == Object || k == Array {
				if err := check(value, fmt.Sprint(at, "/", i), depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// syntax finds what json.Valid refused, with line and column.
func syntax(data []byte) error {
	if len(Trim(data)) == 0 {
		return errors.New("there is no JSON text, only an empty one")
	}
	var v any
	err := json.Unmarshal(data, &v)
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return io.ErrUnexpectedEOF
	}
	before := string(data[:min(int(at.Offset), len(data))])
	line := 1 + strings.Count(before, "\n")
	col := len(before) - (strings.LastIndex(before, "\n") + 1)
	return fmt.Errorf("line %d, column %d: %s", line, max(col, 1), at.Error())
}
