package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// configReader reads one frond.yaml and collects its faults. Its methods return
// the parts without faults, so that one start reports all faults of a file.
type configReader struct {
	file   string
	faults schema.Faults
}

// fault keeps a fault of the file at a JSON pointer.
func (r *configReader) fault(at, message, remedy string) {
	r.faults = append(r.faults, schema.Fault{File: r.file, Pointer: at, Message: message, Remedy: remedy})
}

// object calls member for each member of an object, with the pointer to it. A key that is not
// among known is a fault that lists those that are; nil means that the keys are the author's
// own names. what is the subject of messages, such as "a door" in "a door has no key plurals".
func (r *configReader) object(value json.RawMessage, at, what string, known []string, member func(name, at string, value json.RawMessage)) {
	if jsontext.KindOf(value) != jsontext.Object {
		remedy := "write one key per name"
		if known != nil {
			remedy = "write keys: " + strings.Join(known, ", ")
		}
		r.fault(at, what+" has to be an object", remedy)
		return
	}
	for name, value := range jsontext.Members(value) {
		here := at + "/" + jsontext.Token(name)
		if known != nil && !slices.Contains(known, name) {
			r.fault(here, fmt.Sprintf("%s has no key %s", what, name), "its keys are "+strings.Join(known, ", "))
			continue
		}
		member(name, here, value)
	}
}

// string reads a text; "" and a fault where there is something else.
func (r *configReader) string(value json.RawMessage, at string) string {
	if jsontext.KindOf(value) != jsontext.String {
		r.fault(at, at[strings.LastIndexByte(at, '/')+1:]+" has to be a string", "put the text in quotes")
		return ""
	}
	return jsontext.Unquote(value)
}

// strings reads the list of operations under only.
func (r *configReader) strings(value json.RawMessage, at string) []string {
	names := []string{}
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, "only has to be a list of operations", "write only: [list, findById]")
		return names
	}
	for i, item := range jsontext.Elements(value) {
		names = append(names, r.string(item, fmt.Sprint(at, "/", i)))
	}
	return names
}

// isPathWord reports whether s is lower-case letters, digits, hyphens and underscores, of
// which neither of the last two is first. Such a word needs no escape in a path.
func isPathWord(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case i > 0 && (c == '-' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}

// isWord reports whether a value is one word in place of a list: open, all.
func isWord(value json.RawMessage, word string) bool {
	return jsontext.KindOf(value) == jsontext.String && jsontext.Unquote(value) == word
}

// names reads a list of names; like says what to write. The result is never nil, which a rule
// distinguishes from a list that is not there. An element that is no string becomes "", so
// that later elements keep their index.
func (r *configReader) names(value json.RawMessage, at, like string) []string {
	names := []string{}
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, at[lastSlash(at):]+" has to be a list of names", "write "+like)
		return names
	}
	for i, item := range jsontext.Elements(value) {
		if jsontext.KindOf(item) != jsontext.String {
			r.fault(fmt.Sprint(at, "/", i), "this is no name", "write "+like)
			item = json.RawMessage(`""`)
		}
		names = append(names, jsontext.Unquote(item))
	}
	return names
}

// lastSlash is the offset after the last slash of a pointer, where the key begins.
func lastSlash(at string) int {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] == '/' {
			return i + 1
		}
	}
	return 0
}
