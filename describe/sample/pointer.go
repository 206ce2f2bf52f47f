package sample

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// At returns the target of a JSON Pointer (RFC 6901) in a JSON text, or nil; "" is the whole
// text.
func At(text json.RawMessage, pointer string) json.RawMessage {
	if pointer == "" {
		return text
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if i, err := strconv.Atoi(token); err == nil && jsontext.KindOf(text) == jsontext.Array {
			items := Elements(text)
			if i < 0 || i >= len(items) {
				return nil
			}
			text = items[i]
			continue
		}
		text = jsontext.Get(text, token)
	}
	return text
}

// Pointer is the target of a reference within a card, as a JSON Pointer: the fragment of a
// reference may be an anchor, and the part before it an $id. A broken reference gives a pointer
// without a target.
//
//	#/$defs/money   /$defs/money
//	#money          /$defs/m, if that has $anchor: money
func Pointer(root json.RawMessage, uri string) string {
	id, fragment, _ := strings.Cut(uri, "#")
	base := ""
	if id != "" {
		found, ok := where(root, "", func(v json.RawMessage) bool {
			named := jsontext.Unquote(jsontext.Get(v, "$id"))
			return named != "" && (named == id || strings.HasSuffix(named, "/"+id))
		})
		if !ok {
			return "/" + jsontext.Token(uri) // leads nowhere
		}
		base = found
	}
	if fragment == "" || fragment[0] == '/' {
		return base + fragment
	}
	found, ok := where(At(root, base), base, func(v json.RawMessage) bool {
		return jsontext.Unquote(jsontext.Get(v, "$anchor")) == fragment || jsontext.Unquote(jsontext.Get(v, "$dynamicAnchor")) == fragment
	})
	if !ok {
		return "/" + jsontext.Token(uri)
	}
	return found
}

// where is the pointer of the first object in v that sought accepts; at is the pointer of v.
func where(v json.RawMessage, at string, sought func(json.RawMessage) bool) (string, bool) {
	switch jsontext.KindOf(v) {
	case jsontext.Object:
		if sought(v) {
			return at, true
		}
		for name, member := range jsontext.Members(v) {
			if found, ok := where(member, at+"/"+jsontext.Token(name), sought); ok {
				return found, true
			}
		}
	case jsontext.Array:
		for i, e := range jsontext.Elements(v) {
			if found, ok := where(e, at+"/"+strconv.Itoa(i), sought); ok {
				return found, true
			}
		}
	}
	return "", false
}
