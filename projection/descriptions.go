package projection

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// describeBuiltin describes the field of a built-in operation. The author's own description
// wins; otherwise the sentence names the type: "Returns a page of order lines."
func describeBuiltin(typ string, op *catalog.Operation) string {
	format := builtinTexts[op.Name]
	if op.Description != catalog.BuiltinDescription(op.Name) || format == "" {
		return op.Description
	}
	one, article := words(typ), "a "
	if strings.ContainsRune("aeiou", unicode.ToLower(rune(one[0]))) {
		article = "an "
	}
	return fmt.Sprintf(format, one, words(schema.Plural(typ)), article+one)
}

// builtinTexts are the formats of the descriptions: for a row, for rows, and for a row with its
// article.
var builtinTexts = map[string]string{
	"list":      "Returns a page of %[2]s.",
	"findById":  "Returns the %[1]s with this id, or null.",
	"findByIds": "Returns the %[2]s with these ids, in the order of the ids. Unknown ids are left out.",
	"create":    "Creates %[3]s and returns it.",
	"update":    "Updates the %[1]s with this id and returns it. Fields that are left out keep their value, null clears a field, nested objects are merged.",
	"delete":    "Deletes the %[1]s with this id. Returns whether it existed.",
}

// words returns the name of a type in prose. A run of capitals stays one word in capitals:
//
//	OrderLine    order line
//	APIKey       API key
//	Order_Line   order line
func words(typ string) string {
	runes := []rune(typ)
	var b strings.Builder
	for i, r := range runes {
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		before := i > 0 && unicode.IsUpper(runes[i-1])
		switch {
		case r == '_':
			r = ' '
		// A capital begins a word after a small letter, or before one.
		case unicode.IsUpper(r):
			if i > 0 && (!before || next) && runes[i-1] != '_' {
				b.WriteByte(' ')
			}
			if next || i+1 == len(runes) && !before {
				r = unicode.ToLower(r)
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// described returns the description of a shape for a reader who knows its name: its
// description, else the title, unless the title repeats the name. "Unit price" of unitPrice is
// such a repetition and gives "".
func described(s *schema.Shape, name string) string {
	if s.Description != "" || strings.EqualFold(letters(s.Title), letters(name)) {
		return s.Description
	}
	return s.Title
}

// letters returns a text without everything that is neither letter nor digit: "Unit price" is
// "Unitprice".
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// legalValue reports whether name can be the value of an enum. GraphQL 3.9 excludes true,
// false and null, which would be read as literals.
func legalValue(name string) bool {
	return schema.IsGraphQLName(name) && name != "true" && name != "false" && name != "null"
}

// fieldName returns a type's name as GraphQL writes fields. A run of capitals is lowered as
// one word, but for the capital that begins the next word:
//
//	OrderLine   orderLine
//	APIKey      apiKey
//	URL         url
func fieldName(typ string) string {
	runes := []rune(typ)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
