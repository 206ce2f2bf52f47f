package main

import (
	"fmt"
	"maps"
	"os"
	"testing/fstest"
	"text/tabwriter"
	"time"

	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// Searches in 100,000 tracks: list over REST, without a socket, beside the statement that somebody writes by
// hand over an FTS5 table of their own in the same file.

// benchSearch prints the share of a statement by hand that each search comes to (search). rounds and slice
// are not used: one answer takes up to some milliseconds.
func benchSearch(int, time.Duration) error {
	files := maps.Clone(music)
	files["frond.yaml"] = &fstest.MapFile{Data: []byte(`{name: app, collectors: {'*': open}, search: {track: {fields: {title: A}}}}`)}
	t, err := openTracksOf(files, 100_000)
	if err != nil {
		return err
	}
	defer t.close()
	if err := fts5.Register(t.db); err != nil {
		return err
	}
	err = t.db.Exec(`CREATE VIRTUAL TABLE hand USING fts5(title, content='track', tokenize='unicode61 remove_diacritics 0');
		INSERT INTO hand (rowid, title) SELECT rowid, title FROM track`)
	if err != nil {
		return err
	}
	fmt.Println("\nSearches in 100,000 tracks, REST without a socket: by hand is plain SQL over an FTS5 table in the same file")
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "  searches\tlist\tby hand\tshare\t")
	const found = "FROM hand JOIN track ON track.rowid = hand.rowid WHERE hand MATCH "
	for _, c := range []struct{ name, query, sql string }{
		{"1,111 rows, the best 50", "search=424*&sort=-rank", "SELECT track.* " + found + `'"424" *' ORDER BY hand.rank LIMIT 51`},
		{"all rows, the best 50", "search=track&sort=-rank", "SELECT track.* " + found + `'"track"' ORDER BY hand.rank, track.id LIMIT 51`},
		{"1,111 rows, 50 by key", "search=424*", "SELECT track.* " + found + `'"424" *' ORDER BY track.id LIMIT 51`},
		{"1,111 rows, their number", "search=424*&limit=0&total=true", "SELECT count(*) " + found + `'"424" *'`},
	} {
		if c.name[len(c.name)-6:] != "number" {
			c.query += "&total=false"
		}
		ours, hand := t.took(request{method: "GET", path: "/api/app/tracks?" + c.query}), time.Hour
		for range 3 {
			hand = min(hand, t.plain(c.sql))
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%.2f\t\n", c.name, ours.Round(time.Microsecond), hand.Round(time.Microsecond), float64(hand)/float64(ours))
	}
	return w.Flush()
}
