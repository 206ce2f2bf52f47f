package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

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

// plainOrHex spells a name in hex after "~" where it has a sign that no name of ours has: a
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
