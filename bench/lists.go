package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing/fstest"
	"text/tabwriter"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// Lists as tables grow (lists): a filter that leads through two relations, a total, and what
// other clients notice while some repeat that filter. "Before" is SQL as it was once written
// for the same lists, run past the store (docs/decisions/sqlite.md).

// music is twenty albums and any number of tracks.
var music = fstest.MapFS{
	"frond.yaml": {Data: []byte(`{name: app, collectors: {'*': open}}`)},
	// tracks is the inverse of albumId: the filter goes along both.
	"entities/album.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  tracks: {x-kit: {role: {relation: {to: track, kind: many}}}}
`)},
	"entities/track.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  albumId: {type: string, x-kit: {role: {relation: {to: album, kind: one}}}}
`)},
}

// worstFilter leads from each track to its album and back to all tracks of it, and no row
// meets it: a store that looks row by row reads every album's tracks for every track.
const worstFilter = `{"album":{"tracks":{"some":{"title":{"contains":"zzz"}}}}}`

// oneByOne is how that filter was written once, and countAll a total.
const (
	oneByOne = `SELECT t.id, t.title, t.albumId FROM track AS t JOIN album AS a ON a.id = t.albumId
		WHERE EXISTS (SELECT 1 FROM track AS o WHERE o.albumId = a.id AND instr(o.title, 'zzz') > 0) ORDER BY t.id LIMIT 51`
	countAll = `SELECT count(*) FROM track`
)

// tracks is a gateway over any number of tracks, and a plain connection to the same database.
type tracks struct {
	handler http.Handler
	// prepare returns the run of a statement past the store to its end.
	prepare func(sql string) func()
	close   func()
}

// openTracks makes a file with n tracks on twenty albums; close removes it.
func openTracks(n int) (*tracks, error) { return openTracksOf(music, n) }

// openTracksOf is openTracks for a project with the cards of music. setup are statements for the plain
// connection.
func openTracksOf(files fs.FS, n int, setup ...string) (*tracks, error) {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "tracks.db")
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	gw, err := fillTracks(files, store, n)
	if err != nil {
		return nil, err
	}
	db, err := sqlite3.Open("file:" + path)
	if err == nil {
		err = fts5.Register(db)
	}
	for _, sql := range setup {
		err = errors.Join(err, db.Exec(sql))
	}
	if err != nil {
		return nil, err
	}
	var statements []*sqlite3.Stmt
	prepare := func(sql string) func() {
		st, _, err := db.Prepare(sql)
		if err != nil {
			panic(err)
		}
		statements = append(statements, st)
		return func() {
			for st.Step() {
			}
			if err := st.Reset(); err != nil {
				panic(err)
			}
		}
	}
	return &tracks{gw.Handler(), prepare, func() {
		for _, st := range statements {
			_ = st.Close()
		}
		if err := errors.Join(db.Close(), gw.Close(), store.Close(), os.RemoveAll(dir)); err != nil {
			panic(err)
		}
	}}, nil
}

// fillTracks opens a gateway over a store and puts n tracks on twenty albums into it. Rows go in past the
// façade, ten thousand at once, since creates would take longer than the measurement.
func fillTracks(files fs.FS, store facade.Store, n int) (gw *gateway.Gateway, err error) {
	project, err := facade.Read(files)
	if err != nil {
		return nil, err
	}
	if gw, err = gateway.New(project, &gateway.Options{Store: store, Logger: slog.New(slog.DiscardHandler), Undecided: true}); err != nil {
		return nil, err
	}
	// insert writes rows of up to three text fields, in the order of the card; "" leaves one
	// out. It does nothing once err is set.
	insert := func(entity string, n int, row func(i int) [3]string) {
		e := gw.Catalog().Set.Entity(entity)
		for from := 0; from < n && err == nil; from += 10_000 {
			var records []facade.Record
			for i := from; i < min(n, from+10_000); i++ {
				var r facade.Record
				for j, text := range row(i) {
					if text != "" {
						r = append(r, schema.Member{Name: e.Fields[j].Name, Value: json.RawMessage(`"` + text + `"`)})
					}
				}
				records = append(records, r)
			}
			_, err = store.Insert(context.Background(), e, records, nil, rows.NewLayout(nil))
		}
	}
	insert("album", 20, func(i int) [3]string { return [3]string{fmt.Sprintf("a%02d", i), fmt.Sprintf("Album %d", i)} })
	insert("track", n, func(i int) [3]string {
		return [3]string{fmt.Sprintf("t%06d", i), fmt.Sprintf("Track number %d", i), fmt.Sprintf("a%02d", i%20)}
	})
	return gw, err
}

// plain runs a statement past the store to its end and returns how long that takes,
// preparation excluded.
func (t *tracks) plain(sql string) time.Duration {
	run := t.prepare(sql)
	start := time.Now()
	run()
	return time.Since(start)
}

// took returns how long a request takes, the best of three: other work on the machine only
// adds.
func (t *tracks) took(q request) time.Duration {
	run, best := q.to(t.handler), time.Hour
	for range 3 {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
	}
	return best
}

// benchLists prints what a filter through relations costs as rows grow, what a total does, and
// what others notice of the worst that is allowed. rounds and slice are not used: one answer
// may take seconds.
func benchLists(int, time.Duration) error {
	worst := request{method: "GET", path: "/api/app/tracks?filter=" + url.QueryEscape(worstFilter)}
	page := request{method: "GET", path: "/api/app/tracks?limit=50"}
	fmt.Println("\nLists, REST without a socket: before is plain SQL over the same file, as it was written once")
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "  tracks\tsome, before\tsome\tcount(*) alone, before\tpage with total\tpage without\t")
	for _, n := range []int{2_000, 4_000, 25_000, 50_000, 100_000} {
		t, err := openTracks(n)
		if err != nil {
			return err
		}
		before := "-"
		if n <= 4_000 { // it grows with the square
			before = t.plain(oneByOne).Round(time.Microsecond).String()
		}
		t.took(page) // its number of rows is kept from here on
		fmt.Fprintf(w, "  %d\t%s\t%s\t%s\t%s\t%s\t\n", n, before, t.took(worst).Round(time.Microsecond), min(t.plain(countAll), t.plain(countAll)).Round(time.Microsecond),
			t.took(page).Round(time.Microsecond), t.took(request{method: "GET", path: page.path + "&count=none"}).Round(time.Microsecond))
		if n == 100_000 {
			err = errors.Join(w.Flush(), t.beside(worst))
		}
		t.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// beside has some clients repeat the worst filter for three seconds, and one read a row by its
// key, a page and a page with a relation meanwhile. It prints the median and the 99th
// percentile of the latter; without the former first, as the base.
func (t *tracks) beside(worst request) error {
	// What ordinary clients ask for: one row, one page, one page with a relation.
	gentle := []func(){
		request{method: "GET", path: "/api/app/tracks/t000042"}.to(t.handler),
		request{method: "GET", path: "/api/app/tracks?limit=50"}.to(t.handler),
		request{method: "POST", path: "/graphql", body: `{"query":"{ tracks(first: 50) { total items { id title album { id title } } } }"}`}.to(t.handler),
	}
	// None for the base, a few, and many more than there are processors on most machines.
	for _, clients := range []int{0, 2, 16} {
		var stop atomic.Bool
		var served atomic.Int64
		var wg sync.WaitGroup
		for range clients {
			run := worst.to(t.handler)
			wg.Add(1)
			go func() {
				defer wg.Done()
				for !stop.Load() {
					run()
					served.Add(1)
				}
			}()
		}
		// One goroutine measures, so that taken needs no lock.
		var taken []time.Duration
		for start := time.Now(); time.Since(start) < 3*time.Second; {
			for _, run := range gentle {
				begun := time.Now()
				run()
				taken = append(taken, time.Since(begun))
			}
		}
		stop.Store(true)
		wg.Wait()
		slices.Sort(taken)
		fmt.Printf("  beside %d clients that repeat the worst filter (%d answers): a row, a page, a page with a relation: p50 %s, p99 %s\n", clients, served.Load(),
			taken[len(taken)/2].Round(time.Microsecond), taken[len(taken)*99/100].Round(time.Microsecond))
	}
	return nil
}
