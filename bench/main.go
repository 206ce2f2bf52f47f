// Command bench measures what the design promises, each thing side by side with what it is
// compared to, in one run:
//
//	graphql    the executor against graphql.Do, over rows held in memory
//	worst      the worst documents of 64 KiB against an ordinary one
//	load       GraphQL over HTTP under load, against handlers written by hand
//	remote     GraphQL over two remotes under load, against a backend written by hand
//	postgres   GraphQL over PostgreSQL under load, against PostGraphile and a handler by hand
//	rest       a list of 100 rows against a handler written by hand
//	neighbour  reads of a key beside the dearest permitted requests, on both stores
//	lists      filters through relations and totals as rows grow, and what others notice
//	findbyid   one row through each surface
//	collector  a list and a nested query with and without a collector
//	commands   commands with one and two writes against a create, alone and side by side
//	feed       a thousand readers of one fact at a thousand events a second
//	facts      creates with a fact each against creates without, on both stores
//	subscriptions  10,000 idle subscriptions, and 1,000 of a fact that is emitted 1,000 times a second
//	fanout     CPU of an event for 9,500 equal subscribers, by delivery
//	memory     a gateway under attack, with and without its bounds: what it holds, who is served
//	thousand   a project of 1,000 cards: start, memory, size of the schema
//
// These have flags of their own:
//
//	peers      the gateway beside other programs, one row for each pair: what `make bench` prints
//	curve      the cost of a row by the size of pages, tables and projects, and by callers
//	short      the working tree beside a commit, in about a minute; exit status 1 for a higher cost
//
// `make bench-all` runs all but these; arguments choose some. Figures are medians over interleaved
// rounds; compare ratios between machines, not times.
//
// # Reading the output
//
// A table looks like this one, whose figures are made up:
//
//	One row by its id, through each surface (handler alone, no socket)
//	                     median      best  ratio  allocs   KiB
//	  in this process   12.3 µs   11.9 µs   1.00      41   5.1
//	  REST              16.8 µs   16.1 µs   1.37      60   8.0
//
// median and best are of the rounds, ratio is of the medians to the first line, allocs and KiB
// are of one run. An aim stands behind a figure where the design has one; a figure beyond its
// aim does not fail the program. Where contenders have to answer the same their answers are
// compared first, and a difference ends the run with status 1. An unknown name ends it with
// status 2.
//
// # Processes
//
// load, remote, memory and thousand start this program again, as
//
//	bench serve NAME DIR      a contender that listens          (load, remote, postgres, peers)
//	bench attacked NAME DIR   a gateway to be attacked          (memory)
//	bench announcer DIR       a gateway to subscribe to         (subscriptions)
//	bench writer SIZE         a server that writes plain bytes  (fanout)
//	bench start               one start of a project            (thousand)
//
// load, remote and postgres need wrk and taskset and two cores, postgres needs the binaries of
// PostgreSQL, and npm for PostGraphile, which it installs once; memory needs Linux. What is
// missing is printed, and the rest goes on.
//
// # A new measurement
//
// A measurement is a function of the rounds and the slice in the table of main. It makes its
// own folder, removes it, and compares what its contenders answer before it calls compete.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// programs take the arguments after their names. Some of them are the processes that
// measurements start.
var programs = map[string]func(args []string) error{
	"peers":    benchPeers,
	"curve":    benchCurve,
	"short":    benchShort,
	"serve":    benchServe,
	"attacked": benchAttacked,
	"announcer": func(args []string) error {
		if len(args) != 1 {
			return errors.New("write one folder")
		}
		return benchAnnouncer(args[0])
	},
}

// main runs the measurements that the arguments name, all of them without arguments.
func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 15, "how many rounds each contender runs")
	slice := flag.Duration("slice", 40*time.Millisecond, "how long a contender runs in a round")
	flag.Parse()
	// The order is that of the output. benchLists, benchMemory and benchThousand have rounds
	// of their own and ignore both flags.
	parts := []struct {
		name string
		run  func(rounds int, slice time.Duration) error
	}{
		{"graphql", benchGraphQL},
		{"worst", benchWorst},
		{"load", benchLoad},
		{"remote", benchRemote},
		{"postgres", benchPostgres},
		{"rest", benchREST},
		{"neighbour", benchNeighbour},
		{"lists", benchLists},
		{"groups", benchGroups},
		{"orders", benchOrders},
		{"search", benchSearch},
		{"imports", benchImports},
		{"findbyid", benchFindByID},
		{"collector", benchCollector},
		{"commands", benchCommands},
		{"facts", benchFacts},
		{"feed", benchFeed},
		{"subscriptions", benchSubscriptions},
		{"fanout", benchFanout},
		{"memory", benchMemory},
		{"thousand", benchThousand},
		{"start", benchStart}, // what thousand runs in a process of its own
	}
	chosen := flag.Args()
	if len(chosen) > 0 {
		if run := programs[chosen[0]]; run != nil {
			if err := run(chosen[1:]); err != nil {
				log.Fatalf("bench: %s: %v", chosen[0], err)
			}
			return
		}
	}
	if len(chosen) > 1 && chosen[0] == "writer" { // likewise of fanout
		size, err := strconv.Atoi(chosen[1])
		if err == nil {
			err = benchWriter(size)
		}
		if err != nil {
			log.Print(err)
		}
		return
	}
	// start is not among them: it is only run by thousand.
	if len(chosen) == 0 {
		fmt.Printf("%s %s/%s, %d processors\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
		chosen = []string{"graphql", "worst", "load", "remote", "postgres", "rest", "neighbour", "lists", "groups", "orders", "search", "imports", "findbyid", "collector", "commands", "facts", "feed", "subscriptions", "fanout", "memory", "thousand"}
	}
	for _, part := range parts {
		if slices.Contains(chosen, part.name) {
			if err := part.run(*rounds, *slice); err != nil {
				log.Fatalf("bench: %s: %v", part.name, err)
			}
		}
	}
	// Unknown names are reported after the known ones ran.
	for _, name := range chosen {
		if !slices.ContainsFunc(parts, func(p struct {
			name string
			run  func(int, time.Duration) error
		},
		) bool {
			return p.name == name
		}) {
			log.Printf("bench: there is no %s; write graphql, worst, load, remote, postgres, rest, neighbour, lists, findbyid, collector, commands, facts, feed, subscriptions, fanout, memory or thousand", name)
			os.Exit(2)
		}
	}
}
