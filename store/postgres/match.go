package postgres

import (
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/store/sqltext"
)

// term writes a term as a tsquery. The beginning of a word may look like a stop word, which has no stem.
func term(b *sqltext.Builder, language string, t search.Term) {
	if t.Prefix && len(t.Words) == 1 && search.IsStop(t.Words[0]) {
		language = "simple"
	}
	text := "'" + strings.Join(t.Words, "' <-> '") + "'"
	if t.Prefix {
		text += ":*"
	}
	b.Text("to_tsquery(", configOf(language), ", ")
	b.Bind(sqltext.TextValue(text))
	b.Text(")")
}

// once writes a term in a SELECT of its own, which is made once and not for each row. No index is read by it.
func once(b *sqltext.Builder, language string, t search.Term) {
	b.Text("(SELECT ")
	term(b, language, t)
	b.Text(")")
}

// Search implements [sqltext.Dialect]. A term is found in one field, so that no phrase begins in one and
// ends in another:
//
//	((v0 @@ to_tsquery($1) OR v1 @@ to_tsquery($2)) AND (v0 @@ to_tsquery($3) OR v1 @@ to_tsquery($4)) IS NOT TRUE)
func (dialect) Search(b *sqltext.Builder, t *sqltext.Table, alias string, q *search.Query) {
	for i, all := range q.Any {
		b.Text([]string{"((", " OR ("}[min(i, 1)])
		for j, of := range all {
			b.Text([]string{"(", " AND ("}[min(j, 1)])
			for k, at := range t.Searched(q) {
				if k > 0 {
					b.Text(" OR ")
				}
				b.Text(wordsOf(t, alias+".", at), " @@ ")
				if of.Without {
					once(b, q.Language, of)
				} else {
					term(b, q.Language, of)
				}
			}
			if b.Text(")"); of.Without {
				b.Text(" IS NOT TRUE")
			}
		}
		b.Text(")")
	}
	b.Text(")")
}

// factors are the weights of a field for ts_rank: the words' own weights do not count.
var factors = map[byte]string{'A': "'{1,1,1,1}'", 'B': "'{0.4,0.4,0.4,0.4}'", 'C': "'{0.2,0.2,0.2,0.2}'", 'D': "'{0.1,0.1,0.1,0.1}'"}

// Ranked implements [sqltext.Dialect]:
//
//	"post" AS t0 CROSS JOIN LATERAL (SELECT v0, v1) AS w CROSS JOIN LATERAL (SELECT (0 +
//	  ts_rank('{1,1,1,1}', w.v0, (SELECT to_tsquery($1))) + ts_rank('{0.4,…}', w.v1, (SELECT to_tsquery($2))) + …)::double precision AS rank) AS s
//
// OFFSET makes the server compute words that are not kept once for each row.
func (dialect) Ranked(b *sqltext.Builder, t *sqltext.Table, alias string, q *search.Query) {
	places, apart := t.Searched(q), ""
	if !t.Search.Kept.Load() {
		apart = " OFFSET 0"
	}
	b.Text(t.Name, " AS ", alias, " CROSS JOIN LATERAL (SELECT ")
	for i, at := range places {
		b.Text([]string{"", ", "}[min(i, 1)], wordsOf(t, alias+".", at), " AS v", strconv.Itoa(at))
	}
	b.Text(apart, ") AS w CROSS JOIN LATERAL (SELECT (0")
	for _, all := range q.Any {
		for _, of := range all {
			for _, at := range places {
				if !of.Without {
					b.Text(" + ts_rank(", factors[t.Entity.Search.Fields[at].Weight], ", w.v", strconv.Itoa(at), ", ")
					once(b, q.Language, of)
					b.Text(")")
				}
			}
		}
	}
	b.Text(")::double precision AS rank", apart, ") AS ", sqltext.RankAlias)
}
