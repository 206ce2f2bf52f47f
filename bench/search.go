package main

import (
	"maps"
	"testing/fstest"
	"time"
)

// benchSearch compares searches by words (search). By hand is an FTS5 table of its own in the same file, and
// on PostgreSQL a generated column with its index. rounds and slice are not used: one answer takes up to some
// milliseconds.
func benchSearch(int, time.Duration) error {
	files := maps.Clone(music)
	files["frond.yaml"] = &fstest.MapFile{Data: []byte(`{name: app, collectors: {'*': open}, search: {track: {fields: {title: A}}}}`)}
	setup := [2][]string{{
		`CREATE VIRTUAL TABLE hand USING fts5(title, content='track', tokenize='unicode61 remove_diacritics 0')`,
		`INSERT INTO hand (rowid, title) SELECT rowid, title FROM track`,
	}, {
		`CREATE TABLE hand AS SELECT *, to_tsvector('simple', title) AS v FROM track`,
		`ALTER TABLE hand ADD PRIMARY KEY (id)`, `CREATE INDEX ON hand USING gin (v)`,
	}}
	return onPostgresToo(files, setup, func(t *tracks, store string) error {
		found, rank, ranked := "FROM hand JOIN track ON track.rowid = hand.rowid WHERE hand MATCH ", "hand.rank", "track.id"
		some, more, all := `'"42" *'`, `'"9" *'`, `'"track"'`
		if store == "PostgreSQL" {
			found, ranked = "FROM hand AS track WHERE v @@ ", "id DESC"
			some, more = "to_tsquery('simple', '42:*')", "to_tsquery('simple', '9:*')"
			all = "to_tsquery('simple', 'track')"
		}
		by := func(q string) string {
			if store == "PostgreSQL" {
				rank = "ts_rank(v, " + q + ") DESC"
			}
			return " ORDER BY " + rank + ", " + ranked + " LIMIT 51"
		}
		queries := []query{
			{"1,111 rows, the best 50", "tracks?search=42*&sort=-rank&total=false", "SELECT track.* " + found + some + by(some)},
			{"11,111 rows, the best 50", "tracks?search=9*&sort=-rank&total=false", "SELECT track.* " + found + more + by(more)},
			{"1,111 rows, 50 by key", "tracks?search=42*&total=false", "SELECT track.* " + found + some + " ORDER BY track.id LIMIT 51"},
			{"1,111 rows, their number", "tracks?search=42*&limit=0&total=true", "SELECT count(*) " + found + some},
			{"all rows, the best 50", "tracks?search=track&sort=-rank&total=false", "SELECT track.* " + found + all + by(all)},
		}
		return t.compare("Searches in 100,000 tracks in "+store, queries)
	})
}
