package sqltext

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/search"
)

// RankAlias is the name of the table of ranks in a statement.
const RankAlias = "s"

// rankName is the name of the rank among the columns of a table; no field has it.
const rankName = `"~rank"`

// SearchMark is in the name of every index of this kind, behind the name of its table.
const SearchMark = ":search "

// maxName is the length of a name that every database keeps whole.
const maxName = 63

// UseSearch gives the table the search of its entity, if that has one. form goes into the name: an
// index that has another form is another one. kind is the SQL type of a rank.
func (t *Table) UseSearch(form, kind string) {
	s := t.Entity.Search
	if s == nil {
		return
	}
	t.Search = &Search{Rank: Column{Prop: s.Rank, Name: rankName, Plain: rankName, Type: kind, NotNull: true}}
	for _, f := range s.Fields {
		if c := t.Stored(f.Property); c != nil {
			t.Search.Columns = append(t.Search.Columns, c)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(append(Plain(t.Search.Columns), t.Plain, s.Language, form), "\x00")))
	t.Search.Name = SearchName(t.Plain, hex.EncodeToString(sum[:4]))
}

// SearchName returns the name of the index of a search with the hash.
func SearchName(table, hash string) string {
	end := SearchMark + hash
	at := min(len(table), maxName-len(end))
	for at > 0 && at < len(table) && !utf8.RuneStart(table[at]) {
		at--
	}
	return table[:at] + end
}

// Searched returns the places in Columns of the fields of a query.
func (t *Table) Searched(q *search.Query) (places []int) {
	for _, name := range q.Fields {
		for i, c := range t.Search.Columns {
			if c.Prop.Name == name {
				places = append(places, i)
			}
		}
	}
	return places
}
