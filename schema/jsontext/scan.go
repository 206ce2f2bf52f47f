package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Finding spans in a checked text. Every function here steps over values by their brackets and
// quotes alone, without decoding; the spans that it yields are cut from the text and share its
// memory. A text that did not pass Check may yield any span, or a panic.

// Kind is the kind of a JSON value (RFC 8259 section 3). It is the first byte of the value; for
// numbers it is '0'.
type Kind byte

// The kinds. Invalid is the kind of an empty text, and of one that does not begin a JSON value.
const (
	Invalid Kind = 0
	Null    Kind = 'n'
	False   Kind = 'f'
	True    Kind = 't'
	Number  Kind = '0'
	String  Kind = '"'
	Object  Kind = '{'
	Array   Kind = '['
)

// KindOf returns the kind of a checked value: the first byte beyond white space decides it. It
// is Invalid for no text, and for a byte that begins no value.
func KindOf(v []byte) Kind {
	i := space(v, 0)
	if i == len(v) {
		return Invalid
	}
	switch c := v[i]; {
	case c == '-' || c >= '0' && c <= '9':
		return Number
	case c == 'n' || c == 'f' || c == 't' || c == '"' || c == '{' || c == '[':
		return Kind(c)
	}
	return Invalid
}

// IsNull says whether v is the literal null. An absent value (no text) is not null.
func IsNull(v []byte) bool { return KindOf(v) == Null }

// Trim cuts the white space of JSON from both ends. The result shares v's memory.
func Trim(v []byte) []byte {
	i := space(v, 0)
	j := len(v)
	for j > i && isSpace(v[j-1]) {
		j--
	}
	return v[i:j]
}

// Members yields the members of an object in their order: the name unquoted, the value as its
// text. Any other kind has no members. Values share obj's memory, with a capacity that ends
// with them, so that appending to one does not overwrite the text after it.
func Members(obj []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for name, value := range RawMembers(obj) {
			if !yield(Unquote(name), value) {
				return
			}
		}
	}
}

// RawMembers yields the members of an object as Members does, but the name as the text of its
// string, quotes and escapes included, so that it does not allocate. Two spellings of one name,
// "a" and "\u0061", differ here.
func RawMembers(obj []byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		i := space(obj, 0)
		if i == len(obj) || obj[i] != '{' {
			return
		}
		for i = space(obj, i+1); i < len(obj) && obj[i] != '}'; {
			end := skipString(obj, i)
			name := obj[i:end]
			i = space(obj, end)
			i = space(obj, i+1) // the colon
			end = Skip(obj, i)
			if !yield(name, json.RawMessage(obj[i:end:end])) {
				return
			}
			if i = space(obj, end); i < len(obj) && obj[i] == ',' {
				i = space(obj, i+1)
			}
		}
	}
}

// Walk reads the object that begins at i of a checked text. It calls member with each name, in
// quotes and without needless escapes, and with the offset of its value; member returns the
// offset after the value, which [Skip] or its own reading finds. So a reader that descends into
// values scans no byte twice. Walk returns the offset after the object, or i if no object
// begins there.
func Walk(b []byte, i int, member func(name []byte, at int) int) int {
	if i >= len(b) || b[i] != '{' {
		return i
	}
	for i = space(b, i+1); i < len(b) && b[i] != '}'; {
		end := skipString(b, i)
		name := b[i:end]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = Quote(Unquote(name)) // one form for comparisons
		}
		i = space(b, end)
		if i = space(b, member(name, space(b, i+1))); i < len(b) && b[i] == ',' {
			i = space(b, i+1)
		}
	}
	return min(i+1, len(b))
}

// Elements yields the elements of an array with their index, as their text. Any other kind has
// no elements.
func Elements(arr []byte) iter.Seq2[int, json.RawMessage] {
	return func(yield func(int, json.RawMessage) bool) {
		i := space(arr, 0)
		if i == len(arr) || arr[i] != '[' {
			return
		}
		n := 0
		for i = space(arr, i+1); i < len(arr) && arr[i] != ']'; n++ {
			end := Skip(arr, i)
			if !yield(n, json.RawMessage(arr[i:end:end])) {
				return
			}
			if i = space(arr, end); i < len(arr) && arr[i] == ',' {
				i = space(arr, i+1)
			}
		}
	}
}

// List returns the elements of an array, and nil for an empty array or another kind.
func List(arr []byte) (all []json.RawMessage) {
	for _, item := range Elements(arr) {
		all = append(all, item)
	}
	return all
}

// Get returns the value of the first member called name, or nil if obj has no such member or is
// another kind of value. A member that is null has the text null. It scans the object from its
// beginning: for several members use [Members].
func Get(obj []byte, name string) json.RawMessage {
	for raw, v := range RawMembers(obj) {
		if bytes.IndexByte(raw, '\\') < 0 {
			if string(raw[1:len(raw)-1]) == name {
				return v
			}
		} else if Unquote(raw) == name {
			return v
		}
	}
	return nil
}

// Skip returns the offset after the value that begins at offset i of a checked text, or len(b)
// if the text ends before. It counts brackets outside of strings, which is enough in a balanced
// text.
func Skip(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return i
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r', ':':
			return i
		}
		i++
	}
	return i
}

// skipString returns the offset after the string whose opening quote is at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		// The quote ends the string unless an odd number of backslashes precedes it.
		end, k := i+n, i+n
		for k > i && b[k-1] == '\\' {
			k--
		}
		if i = end + 1; (end-k)%2 == 0 {
			return i
		}
	}
	return len(b)
}

// space returns the offset of the first byte from i on beyond white space, or len(b).
func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// isSpace reports whether c is white space between tokens: ws of RFC 8259 section 2.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// Text returns the text of a JSON string, with white space around it or not; false for any
// other value, and for nil.
func Text(v []byte) (string, bool) {
	if KindOf(v) != String {
		return "", false
	}
	return Unquote(Trim(v)), true
}
