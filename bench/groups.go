package main

import (
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

// Groups of 100,000 tracks: aggregate over REST, without a socket, beside the statement that somebody
// writes by hand, run past the store over the same file.

// benchGroups prints the share of a statement by hand that each grouping comes to (groups). rounds
// and slice are not used: one answer takes many milliseconds.
func benchGroups(int, time.Duration) error {
	t, err := openTracks(100_000)
	if err != nil {
		return err
	}
	defer t.close()
	fmt.Println("\nGroups of 100,000 tracks, REST without a socket: by hand is plain SQL over the same file")
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "  groups\taggregate\tby hand\tshare\t")
	for _, c := range []struct{ name, query, sql string }{
		{"count by album", "by=albumId", "SELECT albumId, count(*) FROM track GROUP BY albumId ORDER BY albumId LIMIT 51"},
		{"two functions", "by=albumId&select=count,title.min", "SELECT albumId, count(*), min(title) FROM track GROUP BY albumId ORDER BY albumId LIMIT 51"},
		{"the largest of all titles", "by=title&select=count,id.max&sort=-id.max&limit=10", "SELECT title, count(*), max(id) AS m FROM track GROUP BY title ORDER BY m DESC, title LIMIT 11"},
		{"under conditions", "by=albumId&filter[title][contains]=9&having={\"count\":{\"gte\":10}}", "SELECT albumId, count(*) AS n FROM track WHERE instr(title, '9') > 0 GROUP BY albumId HAVING n >= 10 ORDER BY albumId LIMIT 51"},
	} {
		ours, hand := t.took(request{method: "GET", path: "/api/app/tracks/aggregate?" + c.query}), time.Hour
		for range 3 {
			hand = min(hand, t.plain(c.sql))
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%.2f\t\n", c.name, ours.Round(time.Microsecond), hand.Round(time.Microsecond), float64(hand)/float64(ours))
	}
	return w.Flush()
}
