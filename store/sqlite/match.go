package sqlite

import (
	"fmt"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/store/sqltext"
)

// Search implements [sqltext.Dialect]:
//
//	t0.rowid IN (SELECT rowid FROM "_frond_post:search 3f9a6c1d" WHERE "_frond_post:search 3f9a6c1d" MATCH ?)
func (dialect) Search(b *sqltext.Builder, t *sqltext.Table, alias string, q *search.Query) {
	b.Text(alias, ".", t.Search.RowID, " IN (SELECT rowid")
	match(b, t, q)
	b.Text(")")
}

// match writes where the rows of a search are found; each of them is one of the table:
//
//	FROM "_frond_post:search 3f9a6c1d" WHERE "_frond_post:search 3f9a6c1d" MATCH ?
func match(b *sqltext.Builder, t *sqltext.Table, q *search.Query) {
	name := searchName(t.Search.Name)
	b.Text(" FROM ", name, " WHERE ", name, " MATCH ")
	b.Bind(sqltext.TextValue(matchText(t.Searched(q), q)))
}

// Ranked implements [sqltext.Dialect]:
//
//	(SELECT rowid AS id, frond_rank("…", 1.0, 0.4) AS rank FROM "…" WHERE "…" MATCH ?) AS s CROSS JOIN "post" AS t0 ON t0.rowid = s.id
func (dialect) Ranked(b *sqltext.Builder, t *sqltext.Table, alias string, q *search.Query) {
	name := searchName(t.Search.Name)
	b.Text("(SELECT rowid AS id, frond_rank(", name)
	for _, f := range t.Entity.Search.Fields {
		b.Text(", ", weights[f.Weight])
	}
	b.Text(") AS rank")
	match(b, t, q)
	b.Text(") AS ", sqltext.RankAlias, " CROSS JOIN ", t.Name, " AS ", alias, " ON ", alias, ".", t.Search.RowID, " = ", sqltext.RankAlias, ".id")
}

// weights are the factors of the weights of fields, with PostgreSQL's numbers.
var weights = map[byte]string{'A': "1.0", 'B': "0.4", 'C': "0.2", 'D': "0.1"}

// matchText writes a query in the language of FTS5. Words have letters and digits alone, and
// quotation marks around them.
//
//	{f0 f1} : (("green" AND "gift box") NOT ("sugar") OR ("choc" *))
func matchText(places []int, q *search.Query) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, i := range places {
		fmt.Fprintf(&b, "f%d ", i)
	}
	b.WriteString("} : (")
	terms := func(all []search.Term, without bool, before, between string) {
		n := 0
		for _, term := range all {
			if term.Without != without {
				continue
			}
			if n++; n == 1 {
				b.WriteString(before)
			} else {
				b.WriteString(between)
			}
			b.WriteString(`"` + strings.Join(term.Words, " ") + `"`)
			if term.Prefix {
				b.WriteString(" *")
			}
		}
		if n > 0 {
			b.WriteByte(')')
		}
	}
	for i, all := range q.Any {
		if i > 0 {
			b.WriteString(" OR ")
		}
		b.WriteByte('(')
		terms(all, false, "(", " AND ")
		terms(all, true, " NOT (", " OR ")
		b.WriteByte(')')
	}
	b.WriteByte(')')
	return b.String()
}

// searchModule gives a connection FTS5 and the function frond_rank, in 0.35 ms.
func searchModule(db *sqlite3.Conn) error {
	return fts5.RegisterCustom(db, func(api *fts5.API) error { return api.CreateFunction("frond_rank", rank) })
}

// rank is the SQL function frond_rank: how well the words of a row meet the query, from the row's own texts in
// the searched fields alone. The texts of other rows and fields do not change the rank, so it does not reveal
// them. Each phrase counts by how often a field has it, less for each further time, times the field's weight.
func rank(fts fts5.Context, ctx sqlite3.Context, arg ...sqlite3.Value) {
	var room [8]float64
	sum := 0.0
	for phrase := range fts.PhraseCount() {
		times := room[:len(arg)]
		clear(times)
		places, err := fts.PhraseIter(phrase)
		if err != nil {
			ctx.ResultError(err)
			return
		}
		for column := range places {
			times[column]++
		}
		for column, n := range times {
			sum += arg[column].Float() * n / (n + 1)
		}
	}
	ctx.ResultFloat(sum)
}
