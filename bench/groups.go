package main

import "time"

// benchGroups compares aggregates and groups (groups). rounds and slice are not used: one answer takes many
// milliseconds.
func benchGroups(int, time.Duration) error {
	return onPostgresToo(music, [2][]string{}, func(t *tracks, store string) error {
		contains := map[string]string{"SQLite": "instr(title, '9') > 0", "PostgreSQL": "strpos(title, '9') > 0"}[store]
		const aggregate = "tracks/aggregate?"
		return t.compare("Groups of 100,000 tracks in "+store, []query{
			{"count by album", aggregate + "by=albumId", `SELECT "albumId", count(*) FROM track GROUP BY "albumId" ORDER BY "albumId" LIMIT 51`},
			{"the same over GraphQL", "{ tracks { groups(by: [{albumId: VALUE}]) { items { key { albumId } count } hasMore endCursor } } }", `SELECT "albumId", count(*) FROM track GROUP BY "albumId" ORDER BY "albumId" LIMIT 51`},
			{"two functions", aggregate + "by=albumId&select=count,title.min", `SELECT "albumId", count(*), min(title) FROM track GROUP BY "albumId" ORDER BY "albumId" LIMIT 51`},
			{"two functions of all rows over GraphQL", "{ tracks { aggregate { count title { min } } } }", "SELECT count(*), min(title) FROM track"},
			{"the largest of all titles", aggregate + "by=title&select=count,id.max&sort=-id.max&limit=10", "SELECT title, count(*), max(id) AS m FROM track GROUP BY title ORDER BY m DESC, title LIMIT 11"},
			{"under conditions", aggregate + `by=albumId&filter[title][contains]=9&having={"count":{"gte":10}}`, `SELECT "albumId", count(*) AS n FROM track WHERE ` + contains + ` GROUP BY "albumId" HAVING count(*) >= 10 ORDER BY "albumId" LIMIT 51`},
		})
	})
}

// benchOrders compares orders by values behind relations (orders).
func benchOrders(int, time.Duration) error {
	return onPostgresToo(music, [2][]string{}, func(t *tracks, store string) error {
		const joined = `SELECT track.* FROM track LEFT JOIN album ON album.id = track."albumId"`
		nulls := map[string]string{"PostgreSQL": " NULLS FIRST"}[store]
		return t.compare("Orders of 100,000 tracks in "+store, []query{
			{"by the album's title", "tracks?sort=album.title&total=false&limit=50", joined + " ORDER BY album.title" + nulls + ", track.id LIMIT 51"},
			{"the same, filtered", "tracks?sort=album.title&filter[title][contains]=99&total=false&limit=50", joined + " WHERE track.title LIKE '%99%' ORDER BY album.title" + nulls + ", track.id LIMIT 51"},
			{"albums by their tracks", "albums?sort=-tracks.count&total=false&limit=50", `SELECT album.* FROM album ORDER BY (SELECT count(*) FROM track WHERE track."albumId" = album.id) DESC, id DESC LIMIT 51`},
		})
	})
}
