package sqlite

import (
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// match writes a test on a part of a text, with regard to case except for IContains. No
// pattern language is involved, so there is nothing to escape (docs/decisions/036). A prefix
// becomes a range, which an index answers:
//
//	contains "b"      instr(t0."name", 'b') > 0
//	icontains "B"     instr(frond_lower(t0."name"), 'b') > 0
//	startsWith "ab"   (t0."name" >= 'ab' AND t0."name" < 'ac')
//	endsWith "b"      substr(CAST(t0."name" AS BLOB), -1) = x'62'
//
// Values are bound; they stand here for the reader.
func (b *builder) match(op facade.Op, text string, c *column, alias string) {
	if text == "" { // every text has nothing in it
		b.column(alias, c)
		b.text(" IS NOT NULL")
		return
	}
	switch op {
	case facade.Contains:
		b.text("instr(")
		b.column(alias, c)
		b.text(", ")
		b.bind(engine.TextValue(text))
		b.text(") > 0")
	case facade.IContains:
		b.text("instr(frond_lower(")
		b.column(alias, c)
		b.text("), ")
		b.bind(engine.TextValue(strings.ToLower(text)))
		b.text(") > 0")
	case facade.StartsWith:
		// The range is by bytes; under the collation of decimals it would be one of numbers.
		above, bounded := "", false
		if c.collation == "" {
			above, bounded = after(text)
		}
		if !bounded {
			b.text("instr(")
			b.column(alias, c)
			b.text(", ")
			b.bind(engine.TextValue(text))
			b.text(") = 1")
			return
		}
		b.text("(")
		b.column(alias, c)
		b.text(" >= ")
		b.bind(engine.TextValue(text))
		b.text(" AND ")
		b.column(alias, c)
		b.text(" < ")
		b.bind(engine.TextValue(above))
		b.text(")")
	case facade.EndsWith:
		// by bytes: SQLite's substr of a text stops at a NUL, that of a blob does not
		b.text("substr(CAST(")
		b.column(alias, c)
		b.text(" AS BLOB), ")
		b.bind(engine.IntValue(-int64(len(text))))
		b.text(") = ")
		b.bind(engine.Value{Kind: engine.Blob, S: text})
	}
}

// after is the smallest text that sorts behind every text with this prefix; false where there
// is none, because the prefix is made of the last code point alone. Surrogates (U+D800 to
// U+DFFF) are no code points of a text.
//
//	"ab"           "ac"
//	"a\U0010FFFF"  "b"
func after(prefix string) (string, bool) {
	for prefix != "" {
		r, n := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-n]
		switch {
		case r == utf8.MaxRune:
		case r == 0xD7FF: // the code points behind it are halves of others
			return prefix + "\uE000", true
		default:
			return prefix + string(r+1), true
		}
	}
	return "", false
}

// has writes whether a JSON array holds a scalar, by value and by type: true is not 1, and "1"
// is not 1.
//
//	(json_type(t0."tags") = 'array' AND EXISTS (SELECT 1 FROM json_each(t0."tags") AS t1
//	  WHERE t1.type IN ('text') AND t1.value = ?))
func (b *builder) has(value any, c *column, alias string) {
	if c.prop.Kind != schema.KindJSON {
		b.text("0")
		return
	}
	var a engine.Value
	var types string
	switch v := value.(type) {
	case string:
		a, types = engine.TextValue(v), "'text'"
	case int64:
		a, types = engine.IntValue(v), "'integer', 'real'"
	case float64:
		a, types = engine.FloatValue(v), "'integer', 'real'"
	case bool:
		a = engine.BoolValue(v)
		if types = "'false'"; v {
			types = "'true'"
		}
	default:
		b.text("0")
		return
	}
	j := b.alias()
	b.text("(json_type(")
	b.column(alias, c)
	b.text(") = 'array' AND EXISTS (SELECT 1 FROM json_each(")
	b.column(alias, c)
	b.text(") AS ", j, " WHERE ", j, ".type IN (", types, ") AND ", j, ".value = ")
	b.bind(a)
	b.text("))")
}
