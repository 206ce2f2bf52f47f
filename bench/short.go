package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

// The short comparison with an earlier commit (short). The commit is checked out into a temporary
// clone, bench/subject is built there and here, and both programs run the same requests in turns.
// The clone gets the subject of the working tree; where that does not build, the commit's own
// subject runs.
//
// Allocations are exact. Processor time is the kernel's count for the process; a ratio is the
// median of the ratios of neighbours, so that other work on the machine moves both sides.

// The bounds of short.
const (
	shortRatio  = 0.8  // the least ratio of processor time, earlier by now
	shortAllocs = 0.01 // the share of allocations that may be added; less than one object is noise
)

// subjectKinds are the requests of short, in the order of the output.
var subjectKinds = []string{"page", "list", "list-total", "findById", "findById-graphql", "typename", "create", "start"}

// benchShort compares the working tree with a commit. The error names every request that became
// more expensive.
func benchShort(args []string) error {
	flags := flag.NewFlagSet("short", flag.ContinueOnError)
	against := flags.String("against", "HEAD^", "the commit to compare with")
	lasts := flags.Duration("for", 40*time.Second, "how long both programs run together")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	pair, err := startPair(dir, *against)
	if err != nil {
		return err
	}
	defer pair.stop()
	fmt.Printf("%s beside the working tree, built in %.0f s; %s of requests without sockets\n", *against, time.Since(began).Seconds(), *lasts)
	results, err := pair.compare(subjectKinds, *lasts)
	if err != nil {
		return err
	}
	var faults []error
	for i := range results {
		// A second look, twice as long, at whatever seems slower.
		if results[i].slower() {
			again, err := pair.compare([]string{results[i].kind}, *lasts/4)
			if err != nil {
				return err
			}
			if again[0].ratio > results[i].ratio {
				results[i] = again[0]
			}
		}
		faults = append(faults, results[i].fault())
	}
	printCompared(os.Stdout, results)
	return errors.Join(faults...)
}

// compared has the figures of one request, of the earlier program and of this one.
type compared struct {
	kind    string
	cpu     [2]float64 // µs a run, the median
	objects [2]float64 // allocations a run, the least of all rounds
	ratio   float64    // processor time: earlier by now; above 1 is faster
}

// slower reports whether processor time is beyond its bound.
func (c *compared) slower() bool { return c.ratio < shortRatio }

// fault returns an error that says which bound the request exceeds, or nil.
func (c *compared) fault() error {
	switch {
	case c.objects[1]-c.objects[0] > max(0.9, shortAllocs*c.objects[0]):
		return fmt.Errorf("%s: allocations grew from %.0f to %.0f a run", c.kind, c.objects[0], c.objects[1])
	case c.slower():
		return fmt.Errorf("%s: the ratio of processor time is %.2f, the bound is %.2f", c.kind, c.ratio, shortRatio)
	}
	return nil
}

// printCompared prints the figures as a table.
func printCompared(w io.Writer, results []compared) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tCPU µs, earlier\tnow\tearlier by now\tallocations, earlier\tnow\t")
	for _, c := range results {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.2f\t%.0f\t%.0f\t\n", c.kind, c.cpu[0], c.cpu[1], c.ratio, c.objects[0], c.objects[1])
	}
	if err := t.Flush(); err != nil {
		panic(err)
	}
}

// subjects are the programs of the earlier commit and of the working tree.
type subjects [2]*subject

// startPair builds and starts both programs in dir. It runs git and go in the working directory.
func startPair(dir, commit string) (subjects, error) {
	clone := filepath.Join(dir, "clone")
	if err := command("", "git", "clone", "--quiet", "--shared", "--no-checkout", ".", clone); err != nil {
		return subjects{}, err
	}
	// The clone has branches of this repository as its remote's: the commit's number is the same.
	hash, err := exec.Command("git", "rev-parse", "--verify", commit+"^{commit}").Output()
	if err != nil {
		return subjects{}, fmt.Errorf("%s: no commit of this repository has this name; write a commit, a branch or a tag", commit)
	}
	if err := command(clone, "git", "checkout", "--quiet", "--detach", strings.TrimSpace(string(hash))); err != nil {
		return subjects{}, err
	}
	build := func(at, name string) error {
		// The paths of the folders are trimmed, so that both builds share the cache of compiled packages.
		return command(at, "go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(dir, name), "./bench/subject")
	}
	if err := build("", "now"); err != nil {
		return subjects{}, err
	}
	target := filepath.Join(clone, "bench", "subject", "main.go")
	own, ownErr := os.ReadFile(target)
	ours, err := os.ReadFile(filepath.Join("bench", "subject", "main.go"))
	if err != nil {
		return subjects{}, err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o700), os.WriteFile(target, ours, 0o600)); err != nil {
		return subjects{}, err
	}
	if err := build(clone, "earlier"); err != nil {
		if ownErr != nil {
			return subjects{}, fmt.Errorf("bench/subject does not build inside of %s: %w", commit, err)
		}
		fmt.Printf("bench/subject of the working tree does not build inside of %s; the commit's own subject runs\n", commit)
		if err := errors.Join(os.WriteFile(target, own, 0o600), build(clone, "earlier")); err != nil {
			return subjects{}, err
		}
	}
	earlier, err := startSubject(filepath.Join(dir, "earlier"))
	if err != nil {
		return subjects{}, err
	}
	now, err := startSubject(filepath.Join(dir, "now"))
	if err != nil {
		earlier.stop()
		return subjects{}, err
	}
	return subjects{earlier, now}, nil
}

// stop ends both programs.
func (p subjects) stop() {
	for _, s := range p {
		s.stop()
	}
}

// command runs a program in a folder. The error has its output.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// compare runs the requests in rounds until the time is over, five rounds at least. In each round both programs run
// each request; the first program of a round is the second of the next.
func (p subjects) compare(kinds []string, lasts time.Duration) ([]compared, error) {
	const slice = 50 * time.Millisecond // of processor time
	runs := make([]int, len(kinds))
	results := make([]compared, len(kinds))
	cpu := make([][2][]float64, len(kinds))
	for i, kind := range kinds {
		results[i] = compared{kind: kind, objects: [2]float64{math.Inf(1), math.Inf(1)}}
		for _, s := range p { // caches and pools fill
			each, _, err := s.run(kind, 20)
			if err != nil {
				return nil, err
			}
			runs[i] = max(runs[i], 1, int(float64(slice.Microseconds())/each))
		}
	}
	until := time.Now().Add(lasts)
	for round := 0; round < 5 || time.Now().Before(until); round++ {
		for i, kind := range kinds {
			for k := range p {
				side := (k + round) % 2
				each, objects, err := p[side].run(kind, runs[i])
				if err != nil {
					return nil, err
				}
				cpu[i][side] = append(cpu[i][side], each)
				results[i].objects[side] = min(results[i].objects[side], objects)
			}
		}
	}
	for i := range results {
		results[i].cpu = [2]float64{median(cpu[i][0]), median(cpu[i][1])}
		results[i].ratio = ratio(cpu[i][0], cpu[i][1])
	}
	return results, nil
}

// subject is a started bench/subject.
type subject struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startSubject starts the program at path.
func startSubject(path string) (*subject, error) {
	s := &subject{cmd: exec.Command(path)}
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.cmd.Start()
}

// run runs a request n times and returns µs of processor time and allocations of one run.
func (s *subject) run(kind string, n int) (micros, objects float64, err error) {
	if _, err := fmt.Fprintln(s.in, kind, n); err != nil {
		return 0, 0, err
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return 0, 0, fmt.Errorf("%s: the program ended: %w", kind, err)
	}
	var cpu, count, bytes float64
	if _, err := fmt.Sscan(line, &cpu, &count, &bytes); err != nil {
		return 0, 0, fmt.Errorf("%s: %s", kind, strings.TrimSpace(line))
	}
	return cpu / 1000 / float64(n), count / float64(n), nil
}

// stop ends the program, which removes its files.
func (s *subject) stop() {
	_ = s.in.Close()
	_ = s.cmd.Wait() // its figures were read
}
