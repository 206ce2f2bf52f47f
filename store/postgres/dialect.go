package postgres

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// dialect writes the parts of statements whose syntax differs between databases. Placeholders
// mostly have no type written: the server takes the type of the column in the comparison, so that
// an index answers for a column of any type.
type dialect struct{}

// words are PostgreSQL's fixed parts of statements. Its planner chooses between looking rows up and
// collecting them by its statistics of the tables, so relations are EXISTS throughout. It tries all
// orders of up to eight tables (join_collapse_limit).
var words = sqltext.Words{
	True: "true", False: "false",
	NullsFirst: " NULLS FIRST", NullsLast: " NULLS LAST",
	Apart: " OFFSET 0", SearchApart: true, Lateral: true, Cross: "JOIN", Lookups: true,
	MaxValues: engine.MaxValues, MaxJoins: 7,
}

// Placeholder appends $1.
func (dialect) Placeholder(sql []byte, n int) []byte {
	return strconv.AppendInt(append(sql, '$'), int64(n), 10)
}

var comparisons = map[filter.Op]string{
	filter.Eq: " = ", filter.Ne: " IS DISTINCT FROM ", filter.Lt: " < ", filter.Lte: " <= ", filter.Gt: " > ", filter.Gte: " >= ",
}

// Compare writes t0."price" < $1.
func (dialect) Compare(b *sqltext.Builder, op filter.Op, c *sqltext.Column, alias string, v sqltext.Value) {
	o := fit(c, op, v)
	if o.decided {
		// Null meets Ne alone.
		if o.holds && op != filter.Ne {
			b.Column(alias, c)
			b.Text(" IS NOT NULL")
			return
		}
		b.Truth(o.holds)
		return
	}
	switch o.op {
	case filter.Eq, filter.Ne:
		compared(b, c, alias)
	default: // as the order of rows has it
		b.Column(alias, c)
	}
	b.Text(comparisons[o.op])
	b.Bind(o.v)
	if classOf(c) == asInteger {
		b.Text("::bigint") // a smaller type would refuse what it cannot hold
	}
}

// longList is the number of values from which a list is joined. A plan for all values assumes a list
// of ten: in the order of the primary key it may read the whole table, and look through the list at
// every row.
const longList = 16

// Among writes that a column is one of a list: OneOf, or for a long list
//
//	t0."id" IN (SELECT unnest($1::text[]))
func (d dialect) Among(b *sqltext.Builder, c *sqltext.Column, alias string, list []sqltext.Value) {
	if len(list) < longList {
		d.OneOf(b, c, alias, d.Keys(c, list))
		return
	}
	compared(b, c, alias)
	b.Text(" IN (SELECT unnest(")
	b.Bind(d.Keys(c, list))
	b.Text("::", listType(c), "[]))")
}

// Keys returns the values as an array literal.
func (dialect) Keys(c *sqltext.Column, list []sqltext.Value) sqltext.Value {
	size := 2
	for i := range list {
		size += len(list[i].S) + 8 // a number has seldom more digits
	}
	text := append(make([]byte, 0, size), '{')
	most := int64(-1) // of an integer; -1: each value is looked at
	if classOf(c) == asInteger {
		most = largest(c)
	}
	for i := range list {
		if v := &list[i]; v.Kind == sqltext.Int && v.I >= 0 && v.I <= most {
			text = strconv.AppendInt(jsontext.Comma(text), v.I, 10)
			continue
		}
		text = appendElement(text, c, list[i])
	}
	return sqltext.TextValue(string(append(text, '}')))
}

// OneOf writes t0."id" = ANY($1::text[]). The array is one value, so that lists of all lengths
// share a statement.
func (dialect) OneOf(b *sqltext.Builder, c *sqltext.Column, alias string, keys sqltext.Value) {
	compared(b, c, alias)
	b.Text(" = ANY(")
	b.Bind(keys)
	b.Text("::", listType(c), "[])")
}

// Match writes a test on a part of a text. Only IContains is a pattern, and it escapes the
// caller's text (see [foldedPattern]). Where texts compare by their bytes a prefix becomes a
// range, which an index answers:
//
//	contains "b"      strpos(t0."name", 'b') > 0
//	icontains "b"     t0."name" ~ '[bB]'
//	startsWith "ab"   (t0."name" >= 'ab' AND t0."name" < 'ac')
//	endsWith "b"      right(t0."name", 1) = 'b'
//
// Values are bound; the examples spell them out.
func (dialect) Match(b *sqltext.Builder, op filter.Op, c *sqltext.Column, alias string, text string) {
	if strings.IndexByte(text, 0) >= 0 {
		b.Truth(false) // no text of PostgreSQL has a NUL
		return
	}
	column := func() {
		if classOf(c) != asText || c.Folds {
			shown(b, c, alias)
		} else {
			b.Column(alias, c)
		}
	}
	end := func(function string) {
		b.Text(function, "(")
		column()
		b.Text(", ")
		b.Bind(sqltext.IntValue(int64(utf8.RuneCountInString(text))))
		b.Text("::integer) = ")
		b.Bind(sqltext.TextValue(text))
	}
	switch op {
	case filter.Contains:
		b.Text("strpos(")
		column()
		b.Text(", ")
		b.Bind(sqltext.TextValue(text))
		b.Text(") > 0")
	case filter.IContains:
		column()
		b.Text(" ~ ")
		b.Bind(sqltext.TextValue(foldedPattern(text)))
	case filter.StartsWith:
		above, bounded := sqltext.After(text)
		if !bounded || c.Collation != "" || classOf(c) != asText {
			end("left")
			return
		}
		b.Between(alias, c, text, above)
	case filter.EndsWith:
		end("right")
	}
}

// The parts of JSON tests around a column. A JSON text may hold values that no text or number of
// PostgreSQL can: \u0000, half of a pair, an exponent of thousands. Converting it is an error, so
// such elements are recognized by their spelling first.
const (
	// elements opens an array of JSON to rows; any other value gives no rows.
	openElements  = "json_array_elements(CASE WHEN json_typeof("
	thenElements  = ") = 'array' THEN "
	closeElements = " ELSE '[]' END) AS "
	// unreadable matches the spelling of a string that is no text here: with \u0000, or with one
	// half of a pair. A backslash that is itself escaped begins no escape.
	unreadable = `'(?<!\\)(\\\\)*(\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F])'`
	// vast matches the spelling of a number that is beyond every double.
	vast = `'[eE][+-]?[0-9]{4}'`
)

// elements writes the elements of a JSON array as rows, called name, with one column v.
func elements(b *sqltext.Builder, c *sqltext.Column, alias, name string) {
	column := func() {
		b.Column(alias, c)
		if baseType(c.Type) != "json" {
			b.Text("::json")
		}
	}
	b.Text(openElements)
	column()
	b.Text(thenElements)
	column()
	b.Text(closeElements, name, "(v)")
}

// Has writes whether a JSON array holds a scalar:
//
//	EXISTS (SELECT 1 FROM json_array_elements(…) AS t1(v) WHERE json_typeof(t1.v) = 'string' AND …)
//
// An array of the database, which has one type, is searched as it is.
func (dialect) Has(b *sqltext.Builder, c *sqltext.Column, alias string, value any) {
	if classOf(c) == asArray {
		hasElement(b, c, alias, value)
		return
	}
	e := b.Alias()
	b.Text("EXISTS (SELECT 1 FROM ")
	elements(b, c, alias, e)
	b.Text(" WHERE json_typeof(", e, ".v) = ")
	switch v := value.(type) {
	case string:
		b.Text("'string' AND CASE WHEN ", e, ".v::text ~ ", unreadable, " THEN ", e, ".v::text = ")
		b.Bind(sqltext.TextValue(string(jsontext.Quote(v))))
		b.Text(" ELSE ", e, ".v #>> '{}' = ")
		if strings.IndexByte(v, 0) >= 0 {
			b.Text("NULL END)")
			return
		}
		b.Bind(sqltext.TextValue(v))
		b.Text(" END)")
	case bool:
		b.Text("'boolean' AND ", e, ".v::text = ")
		b.Bind(sqltext.TextValue(strconv.FormatBool(v)))
		b.Text(")")
	case int64:
		hasNumber(b, e, sqltext.IntValue(v))
	case float64:
		hasNumber(b, e, sqltext.FloatValue(v))
	}
}

// hasNumber compares an element by value: 1 is 1.0.
func hasNumber(b *sqltext.Builder, e string, v sqltext.Value) {
	b.Text("'number' AND CASE WHEN ", e, ".v::text ~ ", vast, " THEN false ELSE (", e, ".v::text)::numeric = ")
	b.Bind(v)
	b.Text("::numeric END)")
}

// hasElement writes $1 = ANY(t0."tags"::text[]).
func hasElement(b *sqltext.Builder, c *sqltext.Column, alias string, value any) {
	var v sqltext.Value
	typ := "text"
	switch value := value.(type) {
	case string:
		if strings.IndexByte(value, 0) >= 0 {
			b.Truth(false)
			return
		}
		v = sqltext.TextValue(value)
	case int64:
		v, typ = sqltext.IntValue(value), "numeric"
	case float64:
		v, typ = sqltext.FloatValue(value), "numeric"
	case bool:
		v, typ = sqltext.BoolValue(value), "boolean"
	}
	b.Bind(v)
	b.Text("::", typ, " = ANY(")
	b.Column(alias, c)
	b.Text("::", typ, "[])")
}

// Elements writes the ids of a many-relation as rows. Ids in an array of the database are
// opened by unnest.
func (dialect) Elements(b *sqltext.Builder, c *sqltext.Column, alias, name string, _ *sqltext.Column) {
	if classOf(c) == asArray {
		b.Text("unnest(")
		b.Column(alias, c)
		b.Text("::text[]) AS ", name, "(v)")
		return
	}
	b.Text("(SELECT CASE WHEN e.v::text ~ ", unreadable, " THEN NULL ELSE e.v #>> '{}' END AS v FROM ")
	elements(b, c, alias, "e")
	b.Text(") AS ", name)
}

// Element writes the id of such a row with the type of the column it is compared with. An id of
// another type is null.
func (dialect) Element(b *sqltext.Builder, name string, of *sqltext.Column) {
	switch classOf(of) {
	case asInteger:
		b.Text("CASE WHEN ", name, ".v ~ '^-?[0-9]{1,18}$' THEN ", name, ".v::bigint END")
	case asNumber, asDecimal:
		b.Text("CASE WHEN ", name, ".v ~ '^-?[0-9]+([.][0-9]+)?$' THEN ", name, ".v::", baseType(of.Type), " END")
	case asUUID:
		b.Text("CASE WHEN ", name, ".v ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN ", name, ".v::uuid END")
	case asTime, asDate, asBoolean, asOther, asJSON, asArray:
		b.Text(name, ".v::", of.Type)
	default:
		b.Text(name, ".v")
	}
}

// PostgreSQL's lower follows a locale that the server may not have, and that folds otherwise than
// Go does (İ, ς). A text contains another one without regard to case where each letter of the
// operand, in Go's lower case, matches all letters that have this lower case:
//
//	icontains "Größe?"   t0."name" ~ '[gG][rR][öÖ][sſS]…'

// foldedPattern returns a regular expression that finds a text without regard to case, and is
// true for the texts of which strings.ToLower contains strings.ToLower(text). Everything that
// has a meaning in a regular expression is escaped.
func foldedPattern(text string) string {
	cases := foldings()
	var b strings.Builder
	b.Grow(4 * len(text))
	for _, r := range strings.ToLower(text) {
		others := cases[r]
		switch {
		case others != "":
			b.WriteByte('[')
			// A letter that is no letter's lower case is never in a folded text.
			if unicode.ToLower(r) == r {
				b.WriteRune(r)
			}
			b.WriteString(others)
			b.WriteByte(']')
		case r < 0x80 && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z') && r > ' ':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// foldings are the letters by their lower case, without it.
var foldings = sync.OnceValue(func() map[rune]string {
	all := map[rune]string{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if l := unicode.ToLower(r); l != r {
			all[l] += string(r)
		}
	}
	return all
})
