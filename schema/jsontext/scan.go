package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Kind is the type of a JSON value. It is derived from the first byte of the value's text.
type Kind byte

// The kinds. Invalid is that of an empty text, and of one that begins no JSON value.
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

// KindOf returns the kind of a checked value by its first byte that is not white space. It
// is Invalid for an empty or nil v.
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

// IsNull reports whether v is the literal null. An absent value (nil or empty) is not null.
func IsNull(v []byte) bool { return KindOf(v) == Null }

// Trim returns v without the white space at both ends. It is a part of v.
func Trim(v []byte) []byte {
	i := space(v, 0)
	j := len(v)
	for j > i && isSpace(v[j-1]) {
		j--
	}
	return v[i:j]
}

// Members yields the members of an object in the order of the text: the name unquoted, the
// value as a span of obj without surrounding white space. It yields nothing where obj is
// nil or no object.
func Members(obj []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for name, value := range RawMembers(obj) {
			if !yield(Unquote(name), value) {
				return
			}
		}
	}
}

// RawMembers is Members with each name as the text of its string, quotes and escapes
// included. It allocates nothing.
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

// Walk reads the object that begins at offset i of a checked text. It calls member with
// each name, in quotes and in the form that [Quote] writes, and with the offset where the
// value begins; member returns the offset behind the value, from [Skip] or from its own
// reading, so that no value is scanned twice. Walk returns the offset behind the object,
// or i where none begins there.
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

// Elements yields the elements of an array with their indexes, each as a span of arr. It
// yields nothing where arr is nil or no array.
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

// Get returns the value of the member called name as a span of obj, or nil where there is
// none or obj is no object. A member whose value is null gives the text null. It scans the
// members in order; where many are read, iterate over them once instead.
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

// Skip returns the offset behind the value that begins at offset i of a checked text, or
// len(b) where the text ends before. It counts brackets outside of strings, which is
// enough in text that is known to be balanced.
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

// skipString returns the offset behind the string whose opening quote is at i.
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

// space returns the offset of the first byte from i on that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// isSpace reports whether c is white space between tokens: ws of RFC 8259 section 2.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
