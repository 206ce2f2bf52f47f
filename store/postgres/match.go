package postgres

import (
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
				b.Text(vector(t, alias+"."+t.Search.Columns[at].Name), " @@ ")
				term(b, q.Language, of)
			}
			if b.Text(")"); of.Without {
				b.Text(" IS NOT TRUE")
			}
		}
		b.Text(")")
	}
	b.Text(")")
}

// Ranked implements [sqltext.Dialect]:
//
//	"post" AS t0 CROSS JOIN LATERAL (SELECT setweight(v0, 'A') || setweight(v1, 'B') AS v OFFSET 0) AS w
//	CROSS JOIN LATERAL (SELECT (ts_rank(w.v, to_tsquery($1)) + …)::double precision AS rank OFFSET 0) AS s
//
// OFFSET has both computed once for each row.
func (dialect) Ranked(b *sqltext.Builder, t *sqltext.Table, alias string, q *search.Query) {
	b.Text(t.Name, " AS ", alias, " CROSS JOIN LATERAL (SELECT ")
	for i, at := range t.Searched(q) {
		if i > 0 {
			b.Text(" || ")
		}
		b.Text("setweight(", vector(t, alias+"."+t.Search.Columns[at].Name), ", '", string(t.Entity.Search.Fields[at].Weight), "')")
	}
	b.Text(" AS v OFFSET 0) AS w CROSS JOIN LATERAL (SELECT (0")
	for _, all := range q.Any {
		for _, of := range all {
			if !of.Without {
				b.Text(" + ts_rank(w.v, ")
				term(b, q.Language, of)
				b.Text(")")
			}
		}
	}
	b.Text(")::double precision AS rank OFFSET 0) AS ", sqltext.RankAlias)
}
