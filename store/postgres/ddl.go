package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// The DDL of a card. Names are quoted and values literal, since DDL takes no bound values.

// columnSQL is a column as CREATE TABLE and ADD COLUMN have it. Its default is for programs that
// write rows without it: their cards do not have the field.
//
//	"price" numeric NOT NULL
func columnSQL(d *migration.Column) string {
	text := quote(d.Name) + " " + d.Type
	if d.Collation != "" {
		text += " COLLATE " + quote(d.Collation)
	}
	if d.Default != "" {
		text += " DEFAULT " + d.Default
	}
	if d.NotNull {
		text += " NOT NULL"
	}
	return text
}

// checkSQL is CONSTRAINT "price:minimum" CHECK ("price" >= 0).
func (c *column) checkSQL(ck *migration.Check) string {
	return "CONSTRAINT " + quote(c.constraint(ck.Keyword)) + " CHECK (" + ck.Expression + ")"
}

// comment keeps the text of a check in a comment of its constraint, because the server prints a
// check in a form of its own (docs/decisions/postgresql.md).
func (t *table) comment(c *column, ck *migration.Check) string {
	return "COMMENT ON CONSTRAINT " + quote(c.constraint(ck.Keyword)) + " ON " + t.Name + " IS " + literal(ck.Expression)
}

// create returns the statements that make the table, without its foreign keys.
func (t *table) create() []string {
	var lines, checks, after []string
	for _, c := range t.columns {
		lines = append(lines, "  "+columnSQL(&c.def))
		for i := range c.def.Checks {
			checks = append(checks, "  "+c.checkSQL(&c.def.Checks[i]))
			after = append(after, t.comment(c, &c.def.Checks[i]))
		}
	}
	for _, name := range t.kept() {
		lines = append(lines, "  "+quote(name)+" tsvector")
	}
	lines = append(append(lines, checks...), "  CONSTRAINT "+quote(t.primaryName())+" PRIMARY KEY ("+t.Primary.Name+")")
	for i := range t.Indexes {
		after = append(after, t.createIndex(&t.Indexes[i], ""))
	}
	if t.Search != nil {
		after = append(append(after, t.keep()...), t.searchIndex(""))
	}
	return append([]string{"CREATE TABLE " + t.Name + " (\n" + strings.Join(lines, ",\n") + "\n)"}, after...)
}

// addReference returns the statement that adds a column's foreign key.
func (t *table) addReference(c *column, in string) string {
	r := &c.def.References
	return t.alter() + "ADD CONSTRAINT " + quote(c.constraint(references)) + " FOREIGN KEY (" + c.Name + ") REFERENCES " +
		quote(in) + "." + quote(r.Table) + " (" + quote(r.Column) + ") ON DELETE " + r.Rest
}

// alter begins an ALTER TABLE.
func (t *table) alter() string { return "ALTER TABLE " + t.Name + " " }

// validate returns the statement that looks whether all rows meet a constraint.
func (t *table) validate(constraint string) string {
	return t.alter() + "VALIDATE CONSTRAINT " + quote(constraint)
}

// createIndex returns a CREATE INDEX; how is "" or CONCURRENTLY.
func (t *table) createIndex(ix *sqltext.Index, how string) string {
	words := []string{"CREATE INDEX"}
	if ix.Unique {
		words = []string{"CREATE UNIQUE INDEX"}
	}
	if how != "" {
		words = append(words, how)
	}
	return strings.Join(append(words, quote(ix.Name), "ON", t.Name, "("+columnsSQL(ix)+")"), " ")
}

// searchIndex returns the CREATE INDEX of the search; how is "" or CONCURRENTLY.
func (t *table) searchIndex(how string) string {
	var list []string
	for at := range t.Search.Columns {
		list = append(list, wordsOf(&t.Table, "", at))
	}
	words := []string{"CREATE INDEX"}
	if how != "" {
		words = append(words, how)
	}
	return strings.Join(append(words, quote(t.Search.Name), "ON", t.Name, "USING gin ("+strings.Join(list, ", ")+")"), " ")
}

// keep returns the statements that make the trigger of kept words. It goes on without them when one of the columns is
// dropped: a program that does not know them may drop one.
func (t *table) keep() []string {
	names := t.kept()
	if names == nil {
		return nil
	}
	var body strings.Builder
	for at, c := range t.Search.Columns {
		is, was, words := "NEW."+c.Name, "OLD."+c.Name, "NEW."+quote(names[at])
		body.WriteString("  IF TG_OP = 'INSERT' OR " + is + " IS DISTINCT FROM " + was + " OR " + words + " IS NULL THEN\n" +
			"    " + words + " := " + vector(&t.Table, is) + ";\n  END IF;\n")
	}
	function, trigger := t.keepsBy(t.Search.Name), quote(keeper(t.Search.Name))
	return []string{
		"CREATE OR REPLACE FUNCTION " + function + " RETURNS trigger LANGUAGE plpgsql AS $words$\nBEGIN\n" + body.String() +
			"  RETURN NEW;\nEXCEPTION WHEN undefined_column THEN\n  RETURN NEW;\nEND $words$",
		"DROP TRIGGER IF EXISTS " + trigger + " ON " + t.Name,
		"CREATE TRIGGER " + trigger + " BEFORE INSERT OR UPDATE ON " + t.Name + " FOR EACH ROW EXECUTE FUNCTION " + function,
	}
}

// keepsBy is the function of the trigger that keeps words for an index.
func (t *table) keepsBy(index string) string {
	return strings.TrimSuffix(t.Name, quote(t.Plain)) + quote(index) + "()"
}

// columnsSQL are the columns of an index in its order. Null is the smallest value of every
// order (docs/decisions/filters-and-paging.md): read forwards the index gives it first, backwards last.
func columnsSQL(ix *sqltext.Index) string {
	var list []string
	for _, c := range ix.All() {
		text := c.Name
		if !c.NotNull {
			text += " NULLS FIRST"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// quote returns name as an SQL identifier: order-line is "order-line". Everything that is a
// name in SQL goes through here, after [tableName] or [columnName] have made it harmless.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal returns s as an SQL text, for DDL, which takes no bound values. Its meaning does not
// depend on standard_conforming_strings.
func literal(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

// tableName returns the name of the table of an entity, by its key: as in SQLite (see
// docs/decisions/sqlite.md), shortened where PostgreSQL would cut it off.
func tableName(key string) string { return shorten(plainOrHex(key)) }

// columnName is the column of a field, shortened in the same way.
func columnName(field string) string { return shorten(plainOrHex(field)) }

// plainOrHex spells a name in hex after "~" if it has a sign that our names never have: a
// quotation mark, a NUL, white space. No card has such a name today.
func plainOrHex(name string) string {
	if name == "" || !utf8.ValidString(name) || strings.HasPrefix(name, "~") || strings.ContainsAny(name, "\x00\"'\\ \t\r\n") {
		return "~" + hex.EncodeToString([]byte(name))
	}
	return name
}

// maxName is how many bytes of a name PostgreSQL keeps (NAMEDATALEN less one); it cuts off
// the rest without an error.
const maxName = 63

// shorten returns a name of at most maxName bytes: as it is, or its beginning and a hash of
// the whole, so that two long names that begin alike stay two (docs/decisions/postgresql.md).
//
//	averyveryverylong…name    averyveryverylong…~3f9a6c1d2e
func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "~" + hex.EncodeToString(sum[:5])
	cut := maxName - len(tail)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + tail
}
