package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

const cards = 1000

// started is what one process saw of its start.
type started struct {
	Start  time.Duration // cards read until ready to listen
	Live   uint64        // bytes of the heap in use after that
	Peak   uint64        // bytes of memory the process has had at most
	SDL    int
	Types  int
	Routes int
}

// benchThousand starts a project of a thousand cards, each time in a new process:
// what an earlier start has left behind would flatter the next.
func benchThousand(int, time.Duration) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var all []started
	for range 5 {
		out, err := exec.Command(self, "start").Output()
		if err != nil {
			return err
		}
		var s started
		if err := json.Unmarshal(out, &s); err != nil {
			return err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b started) int { return int(a.Start - b.Start) })
	s := all[len(all)/2]
	fmt.Printf("\nA project of %d cards, each with a relation, over a store in memory\n", cards)
	fmt.Printf("  start         %s (aim: under 1 s; of %d starts the best %s, the worst %s)\n", s.Start.Round(time.Millisecond), len(all),
		all[0].Start.Round(time.Millisecond), all[len(all)-1].Start.Round(time.Millisecond))
	fmt.Printf("  memory        %.0f MiB in use, %.0f MiB at most while starting (aim: under 100)\n", mib(s.Live), mib(s.Peak))
	fmt.Printf("  schema        %.1f MiB of SDL, %d types, %d operations\n", mib(uint64(s.SDL)), s.Types, s.Routes)
	return nil
}

func mib(n uint64) float64 { return float64(n) / (1 << 20) }

// benchStart is one start, told as JSON.
func benchStart(int, time.Duration) error {
	files := thousandCards()
	begin := time.Now()
	project, err := facade.Read(files)
	if err != nil {
		return err
	}
	gw, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	s := started{Start: time.Since(begin), SDL: len(gw.SDL()), Types: strings.Count(gw.SDL(), "\ntype ")}
	for _, frond := range gw.Catalog().Fronds {
		for _, door := range frond.Doors {
			s.Routes += len(door.Operations)
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Live, s.Peak = m.HeapInuse, peak()
	if err := json.NewEncoder(os.Stdout).Encode(s); err != nil {
		return err
	}
	return gw.Close()
}

// thousandCards are cards of eight fields in ten Fronds; each points at another.
func thousandCards() fstest.MapFS {
	files := fstest.MapFS{}
	for i := range cards {
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

// peak is the greatest resident memory of this process, where the system tells.
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
