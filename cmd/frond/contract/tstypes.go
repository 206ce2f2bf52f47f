package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// tsDoc is a comment with the author's description. A text cannot end the comment: */ is
// written with a space.
func tsDoc(indent, doc, deprecated string) string {
	lines := docLines(strings.ReplaceAll(doc, "*/", "* /"))
	if deprecated != "" {
		lines = append(lines, "@deprecated "+strings.Join(docLines(strings.ReplaceAll(deprecated, "*/", "* /")), " "))
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s/** %s */\n", indent, lines[0])
	}
	between := "\n" + indent + " * "
	return indent + "/**" + between + strings.Join(lines, between) + "\n" + indent + " */\n"
}

// tsUnion is a union of string literals. "open" | "paid".
func tsUnion(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " | ")
}

// tsType is a type in TypeScript. A date-time stays a string and an integer a number, as
// JSON.parse returns them.
func tsType(t Type) string {
	text := map[Basic]string{textValue: "string", moment: "string", integer: "number", number: "number", boolean: "boolean"}[t.Basic]
	switch {
	case t.Basic == anyValue:
		return "unknown"
	case t.Literals != nil:
		text = strings.Join(t.Literals, " | ")
	case t.Big:
		text = "number | bigint"
	case t.Basic == listOf:
		text = tsElement(*t.Elem)
	case t.Basic == named:
		text = t.Decl.Name
	}
	if t.Null {
		return text + " | null"
	}
	return text
}

var tsName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// tsKey is a member's name, in quotes if it needs them.
func tsKey(name string) string {
	if tsName.MatchString(name) {
		return name
	}
	return quote(name)
}

// inherited are the members that every object has.
var inherited = []string{"constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"}

// tsAbsent is the type of a member that may be left out. Every object inherits the members of
// Object, which would have another type.
func tsAbsent(name, of string) string {
	if slices.Contains(inherited, name) {
		return fmt.Sprintf("%s | Object[%s]", of, quote(name))
	}
	return of
}

// tsMethod is the name of a method. A method called new would declare a constructor.
func tsMethod(name string) string {
	if name == "new" {
		return quote(name)
	}
	return tsKey(name)
}

// quote is a string as JSON, which JavaScript reads alike.
func quote(s string) string { return string(jsontext.Quote(s)) }
