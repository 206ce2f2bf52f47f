package sqlite

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/store/sqltext"
)

// The words of a searched table are kept by FTS5, in a table of its own without the texts
// (docs/decisions/filters-and-paging.md). Triggers keep it in the transaction that writes. Its columns are f0, f1, … in
// the order of the search, and its rows have the numbers of the table's.
//
//	CREATE VIRTUAL TABLE "_frond_post:search 3f9a6c1d" USING fts5(f0, f1, content='', contentless_delete=1, tokenize='…')

// tokenizer cuts texts into runs of letters and digits, whose case does not count.
const tokenizer = "unicode61 remove_diacritics 0"

// isSearch reports whether an index belongs to a search.
func isSearch(index string) bool { return strings.Contains(index, sqltext.SearchMark) }

// searchName is the name of the table that FTS5 keeps for an index.
func searchName(index string) string { return quote(ownPrefix + index) }

// searchSQL returns the statement that makes the table of FTS5.
func searchSQL(t *sqltext.Table) string {
	stem := ""
	if t.Entity.Search.Language == "english" {
		stem = "porter "
	}
	return "CREATE VIRTUAL TABLE " + searchName(t.Search.Name) + " USING fts5(" + searchColumns(t, "f%[1]d") + ", content='', contentless_delete=1, tokenize='" + stem + tokenizer + "')"
}

// searchColumns lists something of each column of the search: its place, or its name.
func searchColumns(t *sqltext.Table, form string) string {
	list := make([]string, len(t.Search.Columns))
	for i, c := range t.Search.Columns {
		list[i] = fmt.Sprintf(form, i, c.Name)
	}
	return strings.Join(list, ", ")
}

// searchEvents are the triggers of a search by the words in their names.
var searchEvents = []string{"added", "gone", "changed"}

// searchTriggers returns the triggers that keep the search, in the order of searchEvents.
func searchTriggers(t *sqltext.Table) []string {
	index, fields := searchName(t.Search.Name), searchColumns(t, "f%[1]d")
	create := func(word, event, body string) string {
		return "CREATE TRIGGER " + quote(ownPrefix+t.Search.Name+" "+word) + " AFTER " + event + " ON " + t.Name + " BEGIN " + body + "; END"
	}
	return []string{
		create("added", "INSERT", "INSERT INTO "+index+" (rowid, "+fields+") VALUES (new."+t.Search.RowID+", "+searchColumns(t, "new.%[2]s")+")"),
		create("gone", "DELETE", "DELETE FROM "+index+" WHERE rowid = old."+t.Search.RowID),
		create("changed", "UPDATE OF "+searchColumns(t, "%[2]s"), "UPDATE "+index+" SET "+searchColumns(t, "f%[1]d = new.%[2]s")+" WHERE rowid = old."+t.Search.RowID),
	}
}

// createSearch returns the statements that make the search of the rows that are there, and keep it.
func createSearch(t *sqltext.Table) []string {
	fill := "INSERT INTO " + searchName(t.Search.Name) + " (rowid, " + searchColumns(t, "f%[1]d") + ") SELECT " + t.Search.RowID + ", " + searchColumns(t, "%[2]s") + " FROM " + t.Name
	return append([]string{searchSQL(t), fill}, searchTriggers(t)...)
}

// dropSearch returns the statements that remove a search.
func dropSearch(index string) (all []string) {
	for _, word := range searchEvents {
		all = append(all, "DROP TRIGGER IF EXISTS "+quote(ownPrefix+index+" "+word))
	}
	return append(all, "DROP TABLE IF EXISTS "+searchName(index))
}
