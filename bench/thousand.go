package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// A large project (thousand): how long a start with 1,000 cards takes, and what it leaves in
// memory. Each start is a process of its own, this program as "start", which reports itself as
// JSON on its output.

// cards is how many entities the project has.
const cards = 1000

// started is what one process saw of its start. SDL is the length of the schema in bytes;
// Types and Operations are how many it has.
type started struct {
	Took       time.Duration // from the first card read until ready to listen
	Live       uint64        // bytes of the heap in use after that
	Peak       uint64        // bytes of memory the process has had at most
	SDL        int
	Types      int
	Operations int
}

// benchThousand starts a project of a thousand cards, each time in a new process:
// what an earlier start has left behind would flatter the next. The first start in
// a folder makes the tables, the next finds them. SQLite and, where it is installed, PostgreSQL
// keep the rows.
func benchThousand(int, time.Duration) error {
	if err := thousandOver("a SQLite file", 5, nil); err != nil {
		return err
	}
	cluster, err := pgtest.Start(pgtest.Options{Durable: true})
	if errors.Is(err, pgtest.ErrMissing) {
		fmt.Printf("\nSKIPPED: a project of %d cards over PostgreSQL: %v\n", cards, err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Close() }()
	databases := 0
	return thousandOver("PostgreSQL", 3, func(dir string) error {
		databases++
		name := fmt.Sprint("start", databases)
		if err := cluster.Primary.Exec("postgres", "create database "+name); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, databaseFile), []byte(cluster.Primary.URL(name)), 0o600)
	})
}

// thousandOver starts the project twice in each of n folders. prepare, where set, makes a folder
// ready.
func thousandOver(store string, n int, prepare func(dir string) error) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var first, again []started
	for range n {
		dir, err := os.MkdirTemp("", "frond-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if prepare != nil {
			if err := prepare(dir); err != nil {
				return err
			}
		}
		// Two starts in each folder: the first makes the tables, the second finds them.
		for _, all := range []*[]started{&first, &again} {
			cmd := exec.Command(self, "start")
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return err
			}
			var s started
			if err := json.Unmarshal(out, &s); err != nil {
				return err
			}
			*all = append(*all, s)
		}
	}
	fmt.Printf("\nA project of %d cards, each with two relations, over %s (medians of %d starts)\n", cards, store, len(first))
	for _, c := range []struct {
		name, aim string // the aim is for a schema that has not changed
		all       []started
	}{{"first start", "", first}, {"start", "; aim: at most 0.5 s", again}} {
		// The median start, with its own figures: they are not mixed from several.
		slices.SortFunc(c.all, func(a, b started) int { return int(a.Took - b.Took) })
		s := c.all[len(c.all)/2]
		fmt.Printf("  %-13s %s (best %s%s), %.0f MiB in use (aim: under 100), %.0f MiB resident at most\n", c.name,
			s.Took.Round(time.Millisecond), c.all[0].Took.Round(time.Millisecond), c.aim, mib(s.Live), mib(s.Peak))
	}
	s := again[0]
	fmt.Printf("  %-13s %.1f MiB of SDL, %d types, %d operations\n", "schema", mib(uint64(s.SDL)), s.Types, s.Operations)
	return nil
}

// mib is a number of bytes in MiB.
func mib(n uint64) float64 { return float64(n) / (1 << 20) }

// benchStart is one start in the working directory, reported as JSON. The cards are made
// before the clock starts; the store is the database that a file of the directory names, else
// the gateway's default file there.
func benchStart(int, time.Duration) error {
	files := thousandCards()
	guard.LimitMemory(true) // as the program does
	begin := time.Now()
	project, err := facade.Read(files)
	if err != nil {
		return err
	}
	options := gateway.Options{Undecided: true, Logger: slog.New(slog.DiscardHandler)}
	if url, err := os.ReadFile(databaseFile); err == nil {
		store, err := postgres.Open(postgres.Options{URL: string(url), Logger: options.Logger})
		if err != nil {
			return err
		}
		options.Store = store
	}
	// Compiling, the tables of the store and the GraphQL schema are all in the time.
	gw, err := gateway.New(project, &options)
	if err != nil {
		return err
	}
	s := started{Took: time.Since(begin), Peak: peak()} // before the SDL is made, which the program makes for requests
	s.SDL, s.Types = len(gw.SDL()), strings.Count(gw.SDL(), "\ntype ")
	for door := range gw.Catalog().Doors() {
		s.Operations += len(door.Operations)
	}
	// What is in use after a collection is what a gateway at rest holds.
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Live = m.HeapAlloc
	// Without it the collector could free the gateway before it is measured.
	runtime.KeepAlive(gw)
	if err := json.NewEncoder(os.Stdout).Encode(s); err != nil {
		return err
	}
	return gw.Close()
}

// thousandCards returns cards of eight fields in ten Fronds; each points at two others: the
// next one, and a list of the one before.
func thousandCards() fstest.MapFS {
	files := fstest.MapFS{}
	for i := range cards {
		// Each card has what makes a start dear: a generator, an enum, bounds, a moment, a
		// nullable text and two relations, so that tables, indexes and types of GraphQL follow
		// from it.
		card := fmt.Sprintf(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  name: {type: string, minLength: 1, maxLength: 80}
  kind: {type: string, enum: [plain, fancy, odd]}
  price: {type: integer, minimum: 0}
  note: {type: [string, 'null']}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: forbidden}}}
  otherId: {type: [string, 'null'], x-kit: {role: {relation: {to: thing%03d, kind: one}}}}
  things%03d: {type: array, items: {type: string}, x-kit: {role: {relation: {to: thing%03d, kind: many}}}}
`, (i+1)%cards, i, (i+cards-1)%cards)
		files[fmt.Sprintf("fronds/part%d/entities/thing%03d.yaml", i%10, i)] = &fstest.MapFile{Data: []byte(card)}
	}
	return files
}

// peak returns the greatest resident memory of this process in bytes, where the system reports
// it; else 0.
func peak() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return kb << 10
			}
		}
	}
	return 0
}
