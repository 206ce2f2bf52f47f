package project

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// object calls member for each member of an object, with the pointer to it. A key outside of
// known is a fault that lists the known ones; nil means that the keys are the author's own
// names. what is the subject of messages, such as "a door" in "a door has no key plurals".
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
			r.fault(here, fmt.Sprintf("%s has no key %s", what, name), schema.DidYouMean(name, known)+"its keys are "+strings.Join(known, ", "))
			continue
		}
		member(name, here, value)
	}
}

// readers read the members of an object, by their keys.
type readers map[string]func(value json.RawMessage, at string)

// into reads a member and keeps the result.
func into[T any](to *T, read func(json.RawMessage, string) T) func(json.RawMessage, string) {
	return func(value json.RawMessage, at string) { *to = read(value, at) }
}

// members reads each member of an object that is among known.
func (r *configReader) members(value json.RawMessage, at, what string, known []string, read readers) {
	r.object(value, at, what, known, func(name, at string, value json.RawMessage) { read[name](value, at) })
}

// string reads a text; "" and a fault for any other value.
func (r *configReader) string(value json.RawMessage, at string) string {
	if jsontext.KindOf(value) != jsontext.String {
		r.fault(at, keyAt(at)+" has to be a string", "put the text in quotes")
		return ""
	}
	return jsontext.Unquote(value)
}

// isPathWord reports whether s is lower-case letters, digits, hyphens and underscores, of
// which neither of the last two is first. Such a word needs no escape in a path.
var isPathWord = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`).MatchString

// isWord reports whether a value is one word in place of a list: open, all.
func isWord(value json.RawMessage, word string) bool {
	return jsontext.KindOf(value) == jsontext.String && jsontext.Unquote(value) == word
}

// names reads a list of names; like says what to write. The result is never nil, which a rule
// distinguishes from an absent list. An element that is no string becomes "", so that later
// elements keep their index.
func (r *configReader) names(value json.RawMessage, at, like string) []string {
	names := []string{}
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, keyAt(at)+" has to be a list of names", "write "+like)
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

// distinct is names with their places, without repetitions.
func (r *configReader) distinct(value json.RawMessage, at, like string) (list []Named) {
	for i, name := range r.names(value, at, like) {
		here := fmt.Sprint(at, "/", i)
		if slices.ContainsFunc(list, func(s Named) bool { return s.Name == name }) {
			r.fault(here, name+" is named twice", "name it once")
			continue
		}
		list = append(list, Named{name, here})
	}
	return list
}

// keyAt is the last key of a pointer.
func keyAt(at string) string { return at[strings.LastIndexByte(at, '/')+1:] }
