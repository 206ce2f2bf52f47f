package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing/fstest"
	"text/tabwriter"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// The cost of a row as sizes grow (curve): rows of a page, rows of the table, callers at the same
// time, and doors of the project. Requests are REST lists over SQLite without sockets. A cost is
// processor time of this process by the kernel's count, with its garbage collection, for each row
// of the answers; the figure is the median of five runs. The runs of all points take turns.

// curvePoint is one size and its cost.
type curvePoint struct {
	size   int
	micros float64 // µs of processor time a row
}

// curve is the cost over one kind of size.
type curve struct {
	name   string
	points []curvePoint
}

// spread returns the greatest cost by the least.
func (c *curve) spread() float64 {
	least, most := math.Inf(1), 0.0
	for _, p := range c.points {
		least, most = min(least, p.micros), max(most, p.micros)
	}
	return most / least
}

// benchCurve measures the four curves, prints them and draws them into a file.
func benchCurve(args []string) error {
	flags := flag.NewFlagSet("curve", flag.ContinueOnError)
	largest := flags.Int("rows", 1_000_000, "the rows of the largest table; 10000000 takes minutes")
	out := flags.String("svg", "", "the file of the picture; none without a name")
	slice := flags.Duration("slice", 100*time.Millisecond, "how long a run of one point takes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	curves, err := measureCurves(*largest, 1000, 10_000, *slice)
	if err != nil {
		return err
	}
	for _, c := range curves {
		fmt.Printf("\n%s, µs of processor time a row; the greatest by the least: %.2f\n", c.name, c.spread())
		t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, p := range c.points {
			fmt.Fprintf(t, "  %d\t%.2f\t\n", p.size, p.micros)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if *out == "" {
		return nil
	}
	return os.WriteFile(*out, []byte(drawCurves(curves)), 0o600)
}

// tens returns the powers of ten from one number to another.
func tens(from, to int) []int {
	var list []int
	for n := from; n <= to; n *= 10 {
		list = append(list, n)
	}
	return list
}

// measureCurves measures with tables of up to so many rows, projects of up to so many doors and up to
// so many callers.
func measureCurves(largest, doors, callers int, slice time.Duration) ([]curve, error) {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var shut []func() error
	defer func() {
		for _, f := range shut {
			_ = f() // the folder is removed
		}
	}()
	tables := map[[2]int]*gateway.Gateway{}
	table := func(rows, doors int) (*gateway.Gateway, error) {
		size := [2]int{rows, doors}
		if tables[size] != nil {
			return tables[size], nil
		}
		gw, closeStore, err := openReadings(filepath.Join(dir, fmt.Sprintf("%d-%d.db", rows, doors)), rows, doors)
		if err == nil {
			shut, tables[size] = append(shut, closeStore), gw
		}
		return gw, err
	}
	const middle = 10_000
	ordinary, err := table(min(middle, largest), 1)
	if err != nil {
		return nil, err
	}
	page := func(gw *gateway.Gateway, n, callers int) curveRun {
		return curveRun{run: request{method: "GET", path: fmt.Sprintf("/api/app/readings?count=none&limit=%d", n)}.to(gw.Handler()), rows: n, callers: callers}
	}
	curves := []curve{{name: "Rows of a page"}, {name: "Rows of the table"}, {name: "Callers"}, {name: "Doors"}}
	var runs []curveRun
	add := func(c, size int, r curveRun) {
		r.curve, r.size = c, size
		runs = append(runs, r)
	}
	for _, n := range tens(10, min(middle, largest)) {
		add(0, n, page(ordinary, n, 1))
	}
	for _, n := range tens(1000, largest) {
		gw, err := table(n, 1)
		if err != nil {
			return nil, err
		}
		add(1, n, page(gw, 100, 1))
	}
	for _, n := range tens(1, callers) {
		add(2, n, page(ordinary, 100, n))
	}
	for _, n := range tens(10, doors) {
		gw, err := table(1000, n)
		if err != nil {
			return nil, err
		}
		add(3, n, page(gw, 100, 1))
	}
	const rounds = 5
	taken := make([][]float64, len(runs))
	for round := range rounds + 1 { // the first round warms up
		for i := range runs {
			cost, err := runs[i].cost(slice)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				taken[i] = append(taken[i], cost)
			}
		}
	}
	for i, r := range runs {
		curves[r.curve].points = append(curves[r.curve].points, curvePoint{r.size, median(taken[i])})
	}
	return curves, nil
}

// curveRun is one point to measure: a request for some rows, by some callers at the same time.
type curveRun struct {
	run           func()
	rows, callers int
	curve, size   int
}

// cost returns µs of processor time a row, of requests that go on for about slice.
func (r *curveRun) cost(slice time.Duration) (float64, error) {
	runtime.GC()
	began, err := ownProcessorTime()
	if err != nil {
		return 0, err
	}
	requests := 0
	for until := time.Now().Add(slice); requests == 0 || time.Now().Before(until); requests += r.callers {
		if r.callers == 1 {
			r.run()
			continue
		}
		var all sync.WaitGroup
		for range r.callers {
			all.Go(r.run)
		}
		all.Wait()
	}
	ended, err := ownProcessorTime()
	return float64((ended - began).Nanoseconds()) / 1000 / float64(requests) / float64(r.rows), err
}

// ownProcessorTime returns the processor time of this process.
func ownProcessorTime() (time.Duration, error) {
	var use syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), err
}

// readingCard is the card of the measured list and of the other doors.
const readingCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  place: {type: string}
  amount: {type: integer}
  note: {type: [string, 'null']}
`

// openReadings returns a gateway over a new file with so many rows and doors. Its limits let all
// callers in, and pages of any size.
func openReadings(path string, n, doors int) (*gateway.Gateway, func() error, error) {
	files := fstest.MapFS{"entities/reading.yaml": {Data: []byte(readingCard)}}
	for i := range doors - 1 {
		files[fmt.Sprintf("entities/other%04d.yaml", i)] = &fstest.MapFile{Data: []byte(readingCard)}
	}
	quiet := slog.New(slog.DiscardHandler)
	project, err := facade.Read(files)
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Logger: quiet})
	if err != nil {
		return nil, nil, err
	}
	gw, err := gateway.New(project, &gateway.Options{Store: store, Logger: quiet, Undecided: true, Config: gateway.Config{
		Limits: gateway.Limits{List: gateway.ListLimits{Max: 10_000}, Work: -1, Memory: -1, Executions: -1, Statement: time.Minute},
	}})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	e := gw.Catalog().Set.Entity("reading")
	for from := 0; from < n && err == nil; from += 10_000 {
		var records []facade.Record
		for i := from; i < min(n, from+10_000); i++ {
			records = append(records, facade.Record{
				schema.Member{Name: "id", Value: fmt.Appendf(nil, `"r%08d"`, i)},
				schema.Member{Name: "place", Value: fmt.Appendf(nil, `"Place number %d"`, i%1000)},
				schema.Member{Name: "amount", Value: fmt.Appendf(nil, "%d", i)},
				schema.Member{Name: "note", Value: json.RawMessage("null")},
			})
		}
		_, err = store.Insert(context.Background(), e, records, nil, rows.NewLayout(nil))
	}
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return gw, store.Close, nil
}

// drawCurves returns a picture of the curves as SVG, a panel each. Sizes are on a logarithmic axis;
// costs begin at zero. Lines and text take the colour of the page.
func drawCurves(curves []curve) string {
	const width, height, margin, top = 360, 220, 48, 32
	const innerWidth, innerHeight = width - margin - 16, height - top - 36
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="#555" stroke="none">`+"\n",
		2*width, height*((len(curves)+1)/2))
	for i, c := range curves {
		x0, y0 := i%2*width+margin, i/2*height+top
		most := 0.0
		for _, p := range c.points {
			most = max(most, p.micros)
		}
		first, last := c.points[0].size, c.points[len(c.points)-1].size
		x := func(size int) float64 {
			if first == last {
				return float64(x0)
			}
			return float64(x0) + innerWidth*math.Log(float64(size)/float64(first))/math.Log(float64(last)/float64(first))
		}
		y := func(micros float64) float64 { return float64(y0) + innerHeight*(1-micros/(1.2*most)) }
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="13">%s: µs a row</text>`+"\n", x0, y0-12, c.name)
		fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#999"/>`+"\n", x0, y0, y0+innerHeight, x0+innerWidth)
		var line []string
		for _, p := range c.points {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x(p.size), y(p.micros)))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#27c"/>`, x(p.size), y(p.micros))
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%.2f</text>`, x(p.size), y(p.micros)-8, p.micros)
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(p.size), y0+innerHeight+16, p.size)
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="#27c" stroke-width="1.5"/>`+"\n", strings.Join(line, " "))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
