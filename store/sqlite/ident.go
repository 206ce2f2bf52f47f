package sqlite

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote returns name as an SQL identifier: order-line is "order-line". Everything that is a
// name in SQL goes through here, after [tableName] or [columnName] have made it harmless.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// ownPrefix begins the names of the tables in which the store keeps its own records;
// no entity's table begins like that.
const ownPrefix = "_frond_"

// tableName returns the name of the table of an entity, by its key. It leaves out the Frond's name:
// keys are unique in a host, and an entity may move between Fronds with its rows
// (docs/decisions/sqlite.md). Names that SQLite or this store keeps for itself are escaped.
//
//	product       product
//	order-line    order-line
//	sqlite_stat   ~73716c6974655f73746174
func tableName(key string) string {
	lower := strings.ToLower(key)
	if !plainName(key) || strings.HasPrefix(lower, "sqlite_") || strings.HasPrefix(lower, ownPrefix) {
		return escapeName(key)
	}
	return key
}

// columnName is the column of a field: its name, or its bytes in hex where it has other signs
// than letters, digits, "_" and "-".
func columnName(field string) string {
	if !plainName(field) {
		return escapeName(field)
	}
	return field
}

// plainName reports whether a quoted name needs no escape: it has letters and digits of any script,
// "_" and "-".
func plainName(name string) bool {
	if name == "" || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// escapeName spells a name in hex after "~", so that no character that an author chose reaches SQL.
// No plain name begins so. No card has such a name today, since the reader of cards allows none.
func escapeName(name string) string { return "~" + hex.EncodeToString([]byte(name)) }
