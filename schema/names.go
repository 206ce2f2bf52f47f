package schema

import (
	"strings"
	"unicode"
)

// Words cuts a name into its words, in lower case. It cuts at characters other than letters and
// digits, before a capital after a small letter, and before the last of several capitals.
//
//	orderLine, OrderLine, order-line, order_line   order line
//	HTTPStatus                                     http status
//	line2                                          line2
func Words(name string) []string {
	var words []string
	rs := []rune(name)
	start := 0
	cut := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(string(rs[start:i])))
		}
		start = i
	}
	for i, r := range rs {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			start = i + 1
		case unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rs[i-1]):
			cut(i)
		case unicode.IsUpper(r) && i+1 < len(rs) && unicode.IsLower(rs[i+1]):
			cut(i)
		}
	}
	cut(len(rs))
	return words
}

// Kebab returns a name with its words in lower case and hyphens between them: bySlug is
// by-slug (spec 4.2).
func Kebab(name string) string { return strings.Join(Words(name), "-") }

// Camel returns a name with its words run together and every one but the first capitalised:
// by-slug is bySlug (spec 4.2).
func Camel(name string) string {
	words := Words(name)
	for i := 1; i < len(words); i++ {
		words[i] = Capital(words[i])
	}
	return strings.Join(words, "")
}

// Capital returns s with its first letter in upper case.
func Capital(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}

// Plural returns the regular plural of a name, for paths and lists (spec 4.2). The case of the
// name is kept. Irregular nouns are the author's to override.
//
//	category   categories   a consonant and y
//	day        days
//	status     statuses     s, x, z, ch and sh take es
//	product    products
func Plural(name string) string {
	lower := strings.ToLower(name)
	if lower == "" {
		return ""
	}
	switch {
	case strings.HasSuffix(lower, "y") && len(lower) > 1 && !strings.ContainsRune("aeiou", rune(lower[len(lower)-2])):
		return name[:len(name)-1] + "ies"
	case strings.HasSuffix(lower, "s"), strings.HasSuffix(lower, "x"), strings.HasSuffix(lower, "z"),
		strings.HasSuffix(lower, "ch"), strings.HasSuffix(lower, "sh"):
		return name + "es"
	}
	return name + "s"
}

// singular undoes [Plural]: categories is category. It returns "" for an irregular plural.
func singular(name string) string {
	for _, c := range []string{strings.TrimSuffix(name, "ies") + "y", strings.TrimSuffix(name, "es"), strings.TrimSuffix(name, "s")} {
		if c != name && c != "" && Plural(c) == name {
			return c
		}
	}
	return ""
}

// IsGraphQLName says whether a name is valid in a GraphQL schema (GraphQL spec, section 2.1.9):
// letters, digits and underscores, no digit first. Names that begin with two underscores are
// for introspection and not allowed.
func IsGraphQLName(name string) bool {
	if name == "" || strings.HasPrefix(name, "__") {
		return false
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return true
}

// GraphQLType returns the name of an entity's GraphQL type: orderLine and order-line are
// OrderLine. Capitals inside the name stay, so SKU is SKU (docs/decisions/graphql-schema.md).
func GraphQLType(name string) string { return graphQLName(name, true, "T") }

// GraphQLField returns the name of a GraphQL field or argument for a field of a card: the name
// itself where GraphQL can say it, else its words in camel case. unit-price is unitPrice.
func GraphQLField(name string) string {
	if IsGraphQLName(name) {
		return name
	}
	return graphQLName(name, false, "f")
}

// graphQLName joins the words of a name, each but the first capitalised, and the first too if
// up is set. It puts first before a result that would be empty or begin with a digit. The
// result is always valid, but two names may become one.
func graphQLName(name string, up bool, first string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = up || b.Len() > 0
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	s := b.String()
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return first + s
	}
	return s
}

// IsName says whether s can name a Frond, a door or a computed field: a letter followed by
// letters, digits, hyphens and underscores, all ASCII.
func IsName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}

// EntityKey is how an entity's name is compared: in lower case (spec 2.4).
func EntityKey(name string) string { return strings.ToLower(name) }
