package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// A neighbour of dear requests (neighbour). A program serves 100,000 tracks of 250 albums, on
// each store. Two anonymous callers send one of the dearest permitted requests over and over.
// Beside them a neighbour reads a track by its key every ten milliseconds; its times are the
// result, and its aim is a 99th percentile of 100 ms.

// neighbourFlags choose what is measured, and the program that is.
var neighbourFlags = struct {
	program, only, store, tables *string
	lasts                        *time.Duration
	shared                       *bool
}{
	flag.String("program", "bin/frond", "of neighbour: the program to measure"),
	flag.String("only", "", "of neighbour: measure requests whose name contains this"),
	flag.String("store", "", "of neighbour: sqlite or postgres alone"),
	flag.String("tables", "", "of neighbour: measure tables whose title contains this"),
	flag.Duration("lasts", 3*time.Second, "of neighbour: how long each request is repeated"),
	flag.Bool("shared", false, "of neighbour: the neighbour has the address of the callers"),
}

const (
	neighbourAlbums = 250
	neighbourTracks = 100_000
	neighbourAim    = 100 * time.Millisecond
)

// plainCopy makes the tables of another program, without an index on the relation, out of
// those of the gateway.
var plainCopy = []string{
	"CREATE TABLE plain_album (id varchar(40) NOT NULL PRIMARY KEY, title varchar(200) NOT NULL)",
	"CREATE TABLE plain_track (id varchar(40) NOT NULL PRIMARY KEY, title varchar(200) NOT NULL, album_id varchar(40) NOT NULL)",
	"INSERT INTO plain_album SELECT id, title FROM album",
	`INSERT INTO plain_track SELECT id, title, "albumId" FROM track`,
}

// catalogue is the project that the program serves.
var catalogue = map[string]string{
	"gateway.yaml":        "log: {access: false, level: error}\n",
	"frond.yaml":          "{name: app, collectors: {'*': open}}\n",
	"entities/album.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  title: {type: string}\n  tracks: {x-kit: {role: {relation: {to: track, kind: many}}}}\n",
	"entities/track.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  title: {type: string}\n  albumId: {type: string, x-kit: {role: {relation: {to: album, kind: one}}}}\n",
}

// dear is one request that costs much. An @ in its body is another number each time, so that
// no two executions are shared.
type dear struct{ name, path, body string }

// dearest are the requests, each as dear as the limits let it be.
func dearest() []dear {
	// fields repeats a root field under n aliases; {} is the number of each.
	fields := func(n int, field string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "r%d: %s ", i, strings.ReplaceAll(field, "{}", fmt.Sprint(i+1)))
		}
		return "{ " + b.String() + "}"
	}
	query := func(name, text string) dear {
		body, _ := json.Marshal(map[string]string{"query": text + " # @"})
		return dear{name, "/graphql", string(body)}
	}
	frames := func(n int, frame string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = strings.ReplaceAll(frame, "{}", fmt.Sprint(i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	conditions := strings.Repeat(`{"title":{"eq":"x"}},`, 45_000)
	manyConditions, _ := json.Marshal(map[string]any{
		"query":     "query($f: TrackFilter) { tracks(filter: $f) { total } } # @",
		"variables": json.RawMessage(`{"f":{"or":[` + strings.TrimSuffix(conditions, ",") + `]}}`),
	})
	return []dear{
		query("pages of children", fields(8, "albums(first: 20, offset: {}0) { items { tracks(first: 300) { pageInfo { hasNextPage } } } }")),
		query("rows of children", fields(8, "albums(first: 20, offset: {}0) { items { tracks(first: 300) { items { id title } } } }")),
		query("children in another order", fields(8, `albums(first: 248, offset: {}) { items { tracks(first: 1, orderBy: [{title: DESC}]) { items { id } } } }`)),
		query("totals of children", fields(8, "albums(first: 248, offset: {}) { items { tracks { total } } }")),
		query("twenty totals", fields(20, `tracks(filter: {title: {contains: "x{}"}}) { total }`)),
		query("pages in another order", fields(20, `tracks(first: 500, orderBy: [{title: DESC}], offset: {}) { items { id title } }`)),
		query("pages far behind", fields(20, `tracks(first: 500, offset: 9{}000) { items { id title } }`)),
		query("a filter through relations", fields(20, `tracks(filter: {album: {tracks: {some: {title: {contains: "z{}"}}}}}) { items { id } }`)),
		query("there and back", fields(2, `albums(first: 20, offset: {}0) { items { tracks(first: 50) { items { album { tracks(first: 20) { items { id title } } } } } } }`)),
		{"a megabyte of conditions", "/graphql", string(manyConditions)},
		{"a batch of a hundred totals", "/_kit/call", frames(100, `{"jsonrpc":"2.0","id":{},"method":"track.list","params":{"query":{"limit":1,"filter":{"title":{"contains":"q{}"}}}}}`)},
		{"a batch of a hundred pages", "/_kit/call", frames(100, `{"jsonrpc":"2.0","id":{},"method":"track.list","params":{"query":{"limit":500,"total":false,"offset":9{}0}}}`)},
	}
}

// benchNeighbour measures each request on each store. The rounds and the slice of other
// measurements mean nothing here.
func benchNeighbour(int, time.Duration) error {
	for _, store := range []string{"sqlite", "postgres"} {
		if *neighbourFlags.store != "" && *neighbourFlags.store != store {
			continue
		}
		if err := neighbourOn(store); err != nil {
			return fmt.Errorf("%s: %w", store, err)
		}
	}
	return nil
}

func neighbourOn(store string) (err error) {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for name, text := range catalogue {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			return err
		}
	}
	var c *pgtest.Cluster
	address := "sqlite:" + filepath.Join(dir, "tracks.db")
	if store == "postgres" {
		c, err = pgtest.Start(pgtest.Options{Settings: []string{"shared_buffers=256MB"}})
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		if err := c.Primary.Exec("postgres", "create database tracks"); err != nil {
			return err
		}
		address = c.Primary.URL("tracks")
	}
	if err := fillCatalogue(dir, store, address); err != nil {
		return err
	}
	if err := neighbourTable(dir, address, "tables of the gateway on "+store); err != nil {
		return err
	}
	// The same rows in tables that another program made, which have no index on the relation.
	if err := copyPlain(address, c); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"gateway.yaml": "log: {access: false, level: error}\nmigrate: off\n",
		"frond.yaml":   "name: app\ncollectors: {'*': open}\ntables: {album: {table: plain_album}, track: {table: plain_track, columns: {albumId: album_id}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return neighbourTable(dir, address, "tables without an index on "+store)
}

// copyPlain runs plainCopy; c is nil for SQLite.
func copyPlain(address string, c *pgtest.Cluster) error {
	if c != nil {
		return c.Primary.Exec("tracks", append(slices.Clone(plainCopy), "ANALYZE")...)
	}
	db, err := sqlite3.Open("file:" + strings.TrimPrefix(address, "sqlite:"))
	if err != nil {
		return err
	}
	return errors.Join(db.Exec(strings.Join(plainCopy, ";")), db.Close())
}

// neighbourTable runs the program over dir and prints a table.
func neighbourTable(dir, address, title string) error {
	if !strings.Contains(title, *neighbourFlags.tables) {
		return nil
	}
	p, err := startProgram(dir, address)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "A neighbour's reads of a key beside two callers, in milliseconds: %s\n", title)
	fmt.Fprint(w, "two callers send\tp50\tp90\tp99\tworst\treads\tanswered\trefused\t\n")
	neighbour(w, p.url, dear{name: "nothing"})
	for _, d := range dearest() {
		if strings.Contains(d.name, *neighbourFlags.only) {
			neighbour(w, p.url, d)
		}
	}
	return errors.Join(w.Flush(), p.stop())
}

// fillCatalogue makes the tables and their rows.
func fillCatalogue(dir, kind, address string) (err error) {
	quiet := slog.New(slog.DiscardHandler)
	var store facade.Store
	var shut func() error
	if kind == "postgres" {
		s, err := postgres.Open(postgres.Options{URL: address, Logger: quiet})
		if err != nil {
			return err
		}
		store, shut = s, s.Close
	} else {
		s, err := sqlite.Open(context.Background(), sqlite.Options{Path: strings.TrimPrefix(address, "sqlite:"), Logger: quiet})
		if err != nil {
			return err
		}
		store, shut = s, s.Close
	}
	project, err := facade.Read(os.DirFS(dir))
	if err != nil {
		return err
	}
	gw, err := gateway.New(project, &gateway.Options{Store: store, Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gw.Close(), shut()) }()
	insert := func(entity string, n int, row func(i int) []string) error {
		e := gw.Catalog().Set.Entity(entity)
		for from := 0; from < n; from += 5000 {
			var records []facade.Record
			for i := from; i < min(n, from+5000); i++ {
				var r facade.Record
				for j, text := range row(i) {
					r = append(r, schema.Member{Name: e.Fields[j].Name, Value: json.RawMessage(`"` + text + `"`)})
				}
				records = append(records, r)
			}
			if _, err := store.Insert(context.Background(), e, records, nil, rows.NewLayout(nil)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := insert("album", neighbourAlbums, func(i int) []string { return []string{fmt.Sprintf("a%03d", i), fmt.Sprintf("Album %d", i)} }); err != nil {
		return err
	}
	return insert("track", neighbourTracks, func(i int) []string {
		return []string{fmt.Sprintf("t%06d", i), fmt.Sprintf("Track number %d", (i*7919)%neighbourTracks), fmt.Sprintf("a%03d", i%neighbourAlbums)}
	})
}

// program is the program that is measured, while it runs.
type program struct {
	url string
	cmd *exec.Cmd
}

func startProgram(dir, store string) (*program, error) {
	cmd := exec.Command(*neighbourFlags.program, "gateway", dir, "--store", store, "--listen", "127.0.0.1:0")
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &program{cmd: cmd}
	lines := bufio.NewScanner(out)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			p.url = url
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return p, nil
		}
	}
	return nil, fmt.Errorf("the program does not listen: %s, %w", strings.Join(said, "; "), p.stop())
}

func (p *program) stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt)
	return p.cmd.Wait()
}

// from returns a client whose connections come from an address.
func from(address string) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 4}}
}

// neighbour measures one request: it writes a line of the table.
func neighbour(w io.Writer, url string, d dear) {
	ctx, cancel := context.WithTimeout(context.Background(), *neighbourFlags.lasts)
	defer cancel()
	var callers sync.WaitGroup
	var mu sync.Mutex
	answered, refused := 0, 0
	for _, address := range []string{"127.0.0.2", "127.0.0.3"} {
		if d.path == "" {
			break
		}
		callers.Go(func() {
			client := from(address)
			defer client.CloseIdleConnections()
			for i := 0; ctx.Err() == nil; i++ {
				r, _ := http.NewRequestWithContext(ctx, http.MethodPost, url+d.path, strings.NewReader(strings.Replace(d.body, "@", address+"/"+strconv.Itoa(i), 1)))
				r.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(r)
				if err != nil {
					continue
				}
				var head bytes.Buffer
				_, _ = io.CopyN(&head, resp.Body, 1<<10)
				n, err := io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				mu.Lock()
				if n == 0 && bytes.Contains(head.Bytes(), []byte(`"code"`)) {
					refused++
				} else if err == nil {
					answered++
				}
				mu.Unlock()
			}
		})
	}
	own := "127.0.0.4"
	if *neighbourFlags.shared {
		own = "127.0.0.2"
	}
	client := from(own)
	defer client.CloseIdleConnections()
	var took []time.Duration
	for i := 0; ctx.Err() == nil; i++ {
		start := time.Now()
		resp, err := client.Get(fmt.Sprintf("%s/api/app/tracks/t%06d", url, (i*31)%neighbourTracks))
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if err == nil && resp.StatusCode != http.StatusOK {
				err = errors.New(resp.Status)
			}
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", d.name, err)
		}
		took = append(took, time.Since(start))
		time.Sleep(10 * time.Millisecond)
	}
	callers.Wait()
	slices.Sort(took)
	at := func(percent int) string {
		t := took[min(len(took)-1, len(took)*percent/100)]
		text := fmt.Sprintf("%.1f", float64(t)/1e6)
		if percent == 99 && t > neighbourAim {
			text = "over the aim: " + text
		}
		return text
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", d.name, at(50), at(90), at(99), at(100), len(took), answered, refused)
}
