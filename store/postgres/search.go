package postgres

import (
	"strconv"
	"strings"

	"github.com/frondhost/frond/store/sqltext"
)

// The words of each searched field are kept in a column beside it, so that they are made when the row is written
// and not when it is ranked (docs/decisions/filters-and-paging.md). A field that the caller may not read is left
// out by itself. A trigger keeps the columns for every program that writes; the words of rows without them are
// made as they are read:
//
//	ALTER TABLE "public"."post" ADD COLUMN "~search 3f9a6c1d 0" tsvector, …
//	CREATE TRIGGER "~search 3f9a6c1d" BEFORE INSERT OR UPDATE ON "public"."post" … EXECUTE FUNCTION "public"."post:search 3f9a6c1d"()
//	… batches: the rows that are there
//	CREATE INDEX CONCURRENTLY "post:search 3f9a6c1d" ON "public"."post" USING gin (coalesce("~search 3f9a6c1d 0", to_tsvector('pg_catalog.english'::regconfig, …)), …)
//
// A role that may not make the trigger has an index over the words alone, and the server makes them for each ranked
// row.

// searchedLength is how many characters of all fields together are searched. A row whose words take more
// than PostgreSQL has room for could not be written.
const searchedLength = 200_000

// separators are the signs that part words in every store, as a pattern in SQL. PostgreSQL would read
// addresses, paths and numbers with signs as words of their own. translate takes eighty times as long.
const separators = "E'[]!\"#$%&''()*+,./:;<=>?@[^\\\\\\\\_`{|}~\u00a0\u00a1\u00a3\u00a5\u00a7\u00a9\u00ab\u00ad\u00ae\u00b0\u00b1\u00b4\u00b6\u00b7\u00bb\u00bf\u00d7\u00f7" +
	"\u2009\u200b\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2022\u2026\u202f\u2030\u2032\u2033\u2039\u203a\u20ac\u2122\u2212\u3000\u3001\u3002\u300c\u300d\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f-]+'"

// searchForm is part of the name of an index: with other separators it is another index.
var searchForm = separators + strconv.Itoa(searchedLength)

// vector is the words of a column; column is its name in the statement.
func vector(t *sqltext.Table, column string) string {
	length := strconv.Itoa(searchedLength / len(t.Search.Columns))
	return "to_tsvector(" + configOf(t.Entity.Search.Language) + ", regexp_replace(\"left\"(coalesce(" + column + ", ''), " + length + ") COLLATE \"C\", " + separators + ", ' ', 'g'))"
}

// wordsOf is the words of a searched column in a statement; prefix is the alias of the table with a point, or "".
func wordsOf(t *sqltext.Table, prefix string, at int) string {
	made := vector(t, prefix+t.Search.Columns[at].Name)
	if !t.Search.Kept.Load() {
		return made
	}
	return "coalesce(" + prefix + quote(keptColumn(t.Search.Name, at)) + ", " + made + ")"
}

// configOf is the text search configuration of a language.
func configOf(language string) string { return "'pg_catalog." + language + "'::regconfig" }

// isSearch reports whether an index belongs to a search.
func isSearch(index string) bool { return strings.Contains(index, sqltext.SearchMark) }

// keptPrefix begins the names of columns and triggers that keep words.
const keptPrefix = "~search "

// keeper is the name of the trigger that keeps the words for an index.
func keeper(index string) string {
	_, hash, _ := strings.Cut(index, sqltext.SearchMark)
	return keptPrefix + hash
}

// keptColumn is the name of the column with the words of a field, by its place in the search.
func keptColumn(index string, at int) string { return keeper(index) + " " + strconv.Itoa(at) }
