package sqlite

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqltext"
)

// dialect is SQLite's way of writing what databases have different syntax for.
type dialect struct {
	// exact adds integers by [sqltext.Sum]: SQLite's own sum fails where the sum of some of them is
	// beyond 64 bits.
	exact bool
}

// maxArgs is how many values SQLite binds to one statement (SQLITE_MAX_VARIABLE_NUMBER of its
// default build).
const maxArgs = 32766

// words are SQLite's fixed parts of statements. Null is its smallest value by itself. A CROSS
// JOIN makes it begin with the ids and look the rows up. It joins 64 tables at most.
var words = sqltext.Words{True: "1", False: "0", Bound: " + 0", Apart: " LIMIT -1", RankFinds: true, Cross: "CROSS JOIN", MaxValues: maxArgs, MaxJoins: 12}

// Placeholder appends "?".
func (dialect) Placeholder(sql []byte, _ int) []byte { return append(sql, '?') }

// comparisons are the operators of Compare. Ne is IS NOT, which holds for null.
var comparisons = map[filter.Op]string{
	filter.Eq: " = ", filter.Ne: " IS NOT ", filter.Lt: " < ", filter.Lte: " <= ", filter.Gt: " > ", filter.Gte: " >= ",
}

// Compare writes t0."price" < ?. SQLite compares integers with reals by value.
func (dialect) Compare(b *sqltext.Builder, op filter.Op, c *sqltext.Column, alias string, v sqltext.Value) {
	asReal(b, c, alias, v)
	b.Text(comparisons[op])
	b.Bind(v)
}

// asReal writes a column as it is compared with some values. The numbers of a card are doubles, and a column
// of another program may hold integers between two of them: rows show such an integer as the nearest double.
func asReal(b *sqltext.Builder, c *sqltext.Column, alias string, values ...sqltext.Value) {
	if c.Odd == nil || c.Prop.Kind != schema.KindNumber || !slices.ContainsFunc(values, func(v sqltext.Value) bool {
		return math.Abs(v.F) >= 1<<53 || v.I >= 1<<53 || v.I <= -1<<53
	}) {
		b.Column(alias, c)
		return
	}
	b.Text("CAST(")
	b.Column(alias, c)
	b.Text(" AS REAL)")
}

// Among writes a membership test:
//
//	t0."status" IN (SELECT value FROM json_each(?))
//
// The list is one bound JSON array, so that lists of all lengths share a statement. Up to two values
// are bound one by one: SQLite compares a row with each of these, and makes no table of them. Numbers that
// may have fractions are bound so too, because SQLite's reading of a JSON number may differ from Go's in its
// last bit.
func (d dialect) Among(b *sqltext.Builder, c *sqltext.Column, alias string, list []sqltext.Value) {
	if c.Prop.Kind != schema.KindNumber && len(list) > 2 {
		d.OneOf(b, c, alias, d.Keys(c, list))
		return
	}
	asReal(b, c, alias, list...)
	b.Text(" IN (")
	for i, v := range list {
		sqltext.Separate(b, i, ", ")
		b.Bind(v)
	}
	b.Text(")")
}

// Keys returns the values as a JSON array.
func (dialect) Keys(_ *sqltext.Column, list []sqltext.Value) sqltext.Value {
	text := []byte{'['}
	for _, v := range list {
		text = appendElement(text, v)
	}
	return sqltext.TextValue(string(append(text, ']')))
}

// OneOf writes t0."id" IN (SELECT value FROM json_each(?)).
func (dialect) OneOf(b *sqltext.Builder, c *sqltext.Column, alias string, keys sqltext.Value) {
	b.Column(alias, c)
	b.Text(" IN (SELECT value FROM json_each(")
	b.Bind(keys)
	b.Text("))")
}

// appendElement appends a value to a JSON array that begins with its bracket. A blob has no
// JSON and becomes null, which never equals a value.
func appendElement(list []byte, v sqltext.Value) []byte {
	list = jsontext.Comma(list)
	switch v.Kind {
	case sqltext.Int:
		return fmt.Append(list, v.I)
	case sqltext.Float:
		return sqltext.AppendFloat(list, v.F)
	case sqltext.Text:
		return jsontext.AppendString(list, v.S)
	}
	return append(list, "null"...)
}

// Match writes a test on a part of a text. It uses no pattern language, so it needs no escapes
// (docs/decisions/sqlite.md). A prefix becomes a range, which an index answers:
//
//	contains "b"      instr(t0."name", 'b') > 0
//	icontains "B"     instr(frond_lower(t0."name"), 'b') > 0
//	startsWith "ab"   (t0."name" >= 'ab' AND t0."name" < 'ac')
//	endsWith "b"      substr(CAST(t0."name" AS BLOB), -1) = x'62'
//
// Values are bound; the examples spell them out.
func (dialect) Match(b *sqltext.Builder, op filter.Op, c *sqltext.Column, alias string, text string) {
	find := func(before, after, text, place string) {
		b.Text(before)
		b.Column(alias, c)
		b.Text(after)
		b.Bind(sqltext.TextValue(text))
		b.Text(place)
	}
	switch op {
	case filter.Contains:
		find("instr(", ", ", text, ") > 0")
	case filter.IContains:
		find("instr(frond_lower(", "), ", strings.ToLower(text), ") > 0")
	case filter.StartsWith:
		// The range is by bytes; under the collation of decimals it would be one of numbers.
		above, bounded := "", false
		if c.Collation == "" {
			above, bounded = sqltext.After(text)
		}
		if !bounded {
			find("instr(", ", ", text, ") = 1")
			return
		}
		b.Between(alias, c, text, above)
	case filter.EndsWith:
		// by bytes: SQLite's substr stops at a NUL in a text, but not in a blob
		b.Text("substr(CAST(")
		b.Column(alias, c)
		b.Text(" AS BLOB), ")
		b.Bind(sqltext.IntValue(-int64(len(text))))
		b.Text(") = ")
		b.Bind(sqltext.BlobValue(text))
	}
}

// Has writes whether a JSON array holds a scalar:
//
//	(json_type(t0."tags") = 'array' AND EXISTS (SELECT 1 FROM json_each(t0."tags") AS t1
//	  WHERE t1.type IN ('text') AND t1.value = ?))
func (dialect) Has(b *sqltext.Builder, c *sqltext.Column, alias string, value any) {
	var a sqltext.Value
	var types string
	switch v := value.(type) {
	case string:
		a, types = sqltext.TextValue(v), "'text'"
	case int64:
		a, types = sqltext.IntValue(v), "'integer', 'real'"
	case float64:
		a, types = sqltext.FloatValue(v), "'integer', 'real'"
	case bool:
		a = sqltext.BoolValue(v)
		if types = "'false'"; v {
			types = "'true'"
		}
	}
	j := b.Alias()
	b.Text("(json_type(")
	b.Column(alias, c)
	b.Text(") = 'array' AND EXISTS (SELECT 1 FROM json_each(")
	b.Column(alias, c)
	b.Text(") AS ", j, " WHERE ", j, ".type IN (", types, ") AND ", j, ".value = ")
	b.Bind(a)
	b.Text("))")
}

// Elements writes json_each(t0."tags") AS t2.
func (dialect) Elements(b *sqltext.Builder, c *sqltext.Column, alias, name string, _ *sqltext.Column) {
	b.Text("json_each(")
	b.Column(alias, c)
	b.Text(") AS ", name)
}

// Element writes t2.value. json_each gives a value without the column's collation, and "1.5"
// has to find "1.50".
func (dialect) Element(b *sqltext.Builder, name string, of *sqltext.Column) {
	b.Text(name, ".value")
	if of.Collation != "" {
		b.Text(" COLLATE ", of.Collation)
	}
}

// extend gives a connection what statements use and SQLite lacks: the collation of decimals,
// frond_lower, and the functions of groups. Every connection has them (engine.Options.Extend), since an index over a
// decimal cannot be used without its collation. The sqlite3 shell knows the collation by the
// same name, so that files stay usable there.
func extend(db *sqlite3.Conn, reader bool) error {
	if err := db.CreateCollation(decimalCollation, sqltext.CompareDecimal); err != nil {
		return err
	}
	if err := db.CreateFunction("frond_lower", 1, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, lower); err != nil {
		return err
	}
	if err := extendGroups(db); err != nil || reader {
		return err
	}
	return searchModule(db)
}

// lower is the SQL function frond_lower: lower case as Unicode maps it, which SQLite's own
// does for ASCII alone. It is null for null. Operands of IContains are folded by Go in the
// same way.
func lower(ctx sqlite3.Context, args ...sqlite3.Value) {
	if args[0].Type() == sqlite3.NULL {
		return
	}
	ctx.ResultRawText(bytes.ToLower(args[0].RawText()))
}
