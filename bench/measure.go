package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// The measuring of functions against each other. Every figure is relative: rounds are
// interleaved, and the ratio of two medians of one run is what can be compared between
// machines.

// contender is one way of doing the same thing. run does it once and panics where it fails.
type contender struct {
	name string
	run  func()
}

// figure is what was measured of a contender, for one run: times by the clock, allocations in
// objects and KiB.
type figure struct {
	name            string
	median, min     time.Duration
	allocs, allocKB float64
}

// compete measures contenders side by side: in every round each runs for about slice, in an
// order that rotates, so that whatever else the machine does falls on all of them alike. A
// contender's figure is the median of its rounds. Allocations are counted afterwards, apart
// from time. The collector runs before each slice, so that nobody pays for the garbage of
// another.
func compete(rounds int, slice time.Duration, contenders []contender) []figure {
	figures := make([]figure, len(contenders))
	times := make([]int, len(contenders))
	for i, c := range contenders {
		figures[i].name = c.name
		times[i] = calibrate(c.run, slice)
	}
	taken := make([][]time.Duration, len(contenders))
	for round := range rounds {
		for k := range contenders {
			// The order rotates: no contender always follows the same one.
			i := (k + round) % len(contenders)
			runtime.GC()
			start := time.Now()
			for range times[i] {
				contenders[i].run()
			}
			taken[i] = append(taken[i], time.Since(start)/time.Duration(times[i]))
		}
	}
	for i, c := range contenders {
		slices.Sort(taken[i])
		figures[i].median, figures[i].min = taken[i][rounds/2], taken[i][0]
		figures[i].allocs, figures[i].allocKB = allocations(c.run, times[i])
	}
	return figures
}

// calibrate returns how many runs take about slice; it warms everything up as well. A
// contender that takes longer than slice runs once.
func calibrate(run func(), slice time.Duration) int {
	n := 1
	for {
		start := time.Now()
		for range n {
			run()
		}
		if took := time.Since(start); took > slice/4 {
			return max(1, int(float64(n)*float64(slice)/float64(took)))
		}
		n *= 2
	}
}

// allocations returns the objects and kilobytes that one run allocates, as the mean of n runs,
// those of other goroutines among them. They are exact, unlike times.
func allocations(run func(), n int) (count, kb float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		run()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n) / 1024
}

// table prints figures; the ratio is to the contender at base. Remarks follow below, a line
// each.
func table(w io.Writer, title string, base int, figures []figure, remarks ...string) {
	fmt.Fprintf(w, "\n%s\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "  \tmedian\tbest\tratio\tallocs\tKiB\t")
	for _, f := range figures {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%.2f\t%.0f\t%.1f\t\n", f.name, micro(f.median), micro(f.min),
			float64(f.median)/float64(figures[base].median), f.allocs, f.allocKB)
	}
	if err := t.Flush(); err != nil {
		panic(err)
	}
	for _, r := range remarks {
		fmt.Fprintln(w, "  "+strings.TrimSpace(r))
	}
}

// micro writes a duration in microseconds: "41.7 µs".
func micro(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1000) }
