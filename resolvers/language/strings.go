package language

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
)

// masked is a text for gqlparser's lexer. The lexer ends a block string at the last three of
// many quotes, where the specification ends it at the first three (2.9.4), and it refuses the
// control characters that strings and comments may hold (2.1.1). Such a string is replaced by
// one of as many characters, so that everything keeps its place; its value is put back after
// parsing.
type masked struct {
	text   string
	values map[int]*ast.Value // of the replaced strings, by where they begin, in characters; nil: none
}

// mask returns text as the lexer is to read it. A text without the two problems, nearly every
// one, is returned as it is and is not copied. Positions stay, since a replacement has as many
// runes.
func mask(text string) masked {
	if !strings.Contains(text, `""""`) && !strings.ContainsFunc(text, isControl) {
		return masked{text: text}
	}
	m := masked{values: map[int]*ast.Value{}}
	var out strings.Builder
	written, chars := 0, 0 // of the text
	for i := 0; i < len(text); {
		n, is := element(text[i:])
		token := text[i : i+n]
		value := replaced(token, is)
		count := utf8.RuneCountInString(token)
		shown := token
		if value != nil {
			m.values[chars] = value
			shown = `"` + strings.Repeat("x", count-2) + `"`
		} else if token[0] == '#' || token[0] == '"' { // the parser refuses a faulty string itself
			shown = strings.Map(spaced, token)
		}
		if shown != token {
			out.WriteString(text[written:i])
			out.WriteString(shown)
			written = i + n
		}
		i, chars = i+n, chars+count
	}
	// The text needed no change after all: the quotes were inside a comment or a plain string.
	if written == 0 {
		return masked{text: text}
	}
	out.WriteString(text[written:])
	m.text = out.String()
	return m
}

// element returns the length of the next element of a text in bytes, and its kind. Elements are
// comments, strings, and all text up to the next of these. A string without an end, which the lexer
// reports, is other text. text is not empty.
func element(text string) (n int, is ast.ValueKind) {
	switch {
	case text[0] == '#':
		if n = strings.IndexAny(text, "\r\n"); n < 0 {
			n = len(text)
		}
		return n, other
	case strings.HasPrefix(text, `"""`):
		for n = 3; !strings.HasPrefix(text[n:], `"""`); n++ {
			if n == len(text) {
				return n, other
			}
			if strings.HasPrefix(text[n:], `\"""`) {
				n += 3
			}
		}
		return n + 3, ast.BlockValue
	case text[0] == '"':
		for n = 1; n < len(text) && text[n] != '"'; n++ {
			switch text[n] {
			case '\\':
				n++
			case '\r', '\n':
				return n, other
			}
		}
		if n >= len(text) {
			return len(text), other
		}
		return n + 1, ast.StringValue
	}
	if n = strings.IndexAny(text[1:], `#"`); n < 0 {
		return len(text), other
	}
	return n + 1, other
}

// other is the kind of an element that is no string.
const other ast.ValueKind = -1

// replaced returns the value of a string that has to be replaced: of any block string, and of a
// string with a control character. nil: the lexer reads it.
func replaced(token string, is ast.ValueKind) *ast.Value {
	switch is {
	case ast.BlockValue:
		return &ast.Value{Kind: ast.BlockValue, Raw: blockValue(token[3 : len(token)-3])}
	case ast.StringValue:
		return stringValue(token)
	}
	return nil
}

// stringValue returns the value of a string with control characters, which it escapes for the
// lexer. It returns nil for a string without any, and for a token that is no string: a
// backslash before a control character is not an escape.
func stringValue(token string) *ast.Value {
	if !strings.ContainsFunc(token, isControl) {
		return nil
	}
	var escaped strings.Builder
	escape := false
	for _, r := range token {
		switch {
		case !isControl(r):
			escaped.WriteRune(r)
		case escape:
			return nil
		default:
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
		escape = r == '\\' && !escape
	}
	l := lexer.New(&ast.Source{Input: escaped.String()})
	t, err := l.ReadToken()
	if err != nil {
		return nil
	}
	return &ast.Value{Kind: ast.StringValue, Raw: t.Value}
}

// blockValue is BlockStringValue (GraphQL 2.9.4) of the text between the quotes: common
// indentation is removed from all lines but the first, and empty lines at both ends are
// dropped.
func blockValue(raw string) string {
	raw = strings.NewReplacer("\r\n", "\n", "\r", "\n", `\"""`, `"""`).Replace(raw)
	lines := strings.Split(raw, "\n")
	blank := func(line string) bool { return strings.Trim(line, " \t") == "" }
	indent := -1
	for _, line := range lines[1:] {
		if n := len(line) - len(strings.TrimLeft(line, " \t")); !blank(line) && (indent < 0 || n < indent) {
			indent = n
		}
	}
	for i, line := range lines {
		if i > 0 && indent > 0 {
			lines[i] = line[min(indent, len(line)):]
		}
	}
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = slices.Delete(lines, len(lines)-1, len(lines))
	}
	return strings.Join(lines, "\n")
}

// isControl reports whether r is a control character that gqlparser refuses although it is a
// source character (GraphQL 2.1.1, since September 2025).
func isControl(r rune) bool { return r < 0x20 && r != '\t' && r != '\n' && r != '\r' }

// spaced returns a space for a control character, and any other rune as it is.
func spaced(r rune) rune {
	if isControl(r) {
		return ' '
	}
	return r
}

// halfPair returns the error of an escape in a string that names half a surrogate pair
// (GraphQL 2.9.4), or nil:
//
//	"\uD83D\uDE00"    both halves: one character
//	"\uD83D"          half a pair: an error
//
// gqlparser makes U+FFFD of every such half, so two different ids would become one. The
// document has been parsed, so all strings in it are closed.
func halfPair(text string) *Error {
	if !strings.Contains(text, `\u`) {
		return nil
	}
	for from := 0; from < len(text); {
		n, is := element(text[from:])
		if is == ast.StringValue { // a block string does not have such escapes
			for i := from; i < from+n; {
				size := escape(text[i:])
				if size == 0 {
					return halfPairAt(text, i)
				}
				i += size
			}
		}
		from += n
	}
	return nil
}

// escape returns how many bytes the first character of a string takes in the document; 0 is
// half a surrogate pair. A plain character counts by bytes: its continuation bytes are visited
// one at a time.
func escape(s string) int {
	switch {
	case s[0] != '\\':
		return 1
	case !strings.HasPrefix(s, `\u`) || strings.HasPrefix(s, `\u{`): // braced halves are the parser's to refuse
		return 2
	}
	first := codeUnit(s)
	if !utf16.IsSurrogate(first) {
		return 6
	}
	if utf16.DecodeRune(first, codeUnit(s[6:])) != utf8.RuneError {
		return 12
	}
	return 0
}

// codeUnit returns the value of an escape \uXXXX at the beginning of s; 0 if s begins
// otherwise.
func codeUnit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return 0
	}
	n, _ := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n)
}

// halfPairAt returns the error for the escape at byte i of text.
func halfPairAt(text string, i int) *Error {
	return &Error{
		Message: "The escape " + text[i:i+6] + " is half a surrogate pair, and no character; escape both halves, or write the character itself.",
		At:      []Location{newLocator(text).location(utf8.RuneCountInString(text[:i]))},
		Code:    codeParse,
	}
}
