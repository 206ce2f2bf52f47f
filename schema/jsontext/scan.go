package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Kind is what a JSON value is; its first byte shows it.
type Kind byte

// The seven kinds; Invalid stands for no text at all.
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

// KindOf is the kind of a checked value: the first byte that is not white space decides it.
// Invalid for no text.
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

// IsNull says whether v is the literal null. An absent value (no text) is not.
func IsNull(v []byte) bool { return KindOf(v) == Null }

// Trim cuts white space from both ends.
func Trim(v []byte) []byte {
	i := space(v, 0)
	j := len(v)
	for j > i && isSpace(v[j-1]) {
		j--
	}
	return v[i:j]
}

// Members yields the members of an object in the order they stand, the name
// unquoted, the value as its text. Nothing is yielded for any other kind.
func Members(obj []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for name, value := range RawMembers(obj) {
			if !yield(Unquote(name), value) {
				return
			}
		}
	}
}

// RawMembers yields the members of an object as Members does, the name as the text
// of its string, quotes and escapes included: nothing is allocated.
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

// Walk goes through the object that begins at i of a checked text: member is called
// with each name, in quotes and without escapes it could do without, and with the offset
// where its value begins, and gives the offset behind the value: [Skip]'s, or what it
// found out as it read. Walk answers the offset behind the object, or i where none begins.
func Walk(b []byte, i int, member func(name []byte, at int) int) int {
	if i >= len(b) || b[i] != '{' {
		return i
	}
	for i = space(b, i+1); i < len(b) && b[i] != '}'; {
		end := skipString(b, i)
		name := b[i:end]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = Quote(Unquote(name))
		}
		i = space(b, end)
		if i = space(b, member(name, space(b, i+1))); i < len(b) && b[i] == ',' {
			i = space(b, i+1)
		}
	}
	return min(i+1, len(b))
}

// Elements yields the elements of an array as their text. Nothing is yielded for any other kind.
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

// Get is the value of the first member called name, or nil.
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

// Skip is the offset behind the value that starts at i of a checked text.
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

// skipString is the offset behind the string whose opening quote stands at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		// The quote ends the string unless an odd run of backslashes stands before it.
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

// space is the offset of the next byte that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// isSpace is ws of RFC 8259 section 2.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
