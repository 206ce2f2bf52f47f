package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// GraphQL over HTTP under load (load, remote). Each contender is this program again, as a
// server in a process of its own on one core; wrk on another core asks over many connections.
// Two figures are taken each second:
//
//	requests/s       what wrk counts
//	CPU µs/request   the server's processor time by the kernel, over wrk's requests
//
// The second one hardly depends on what else the machine does. A script of wrk asks the same
// query on all connections, which the gateway may coalesce, or queries none of which is like
// another.

// connections is how many wrk keeps open. The cores are numbers for taskset: the servers' and
// that of wrk.
const (
	connections = 32
	serverCore  = "0"
	loadCore    = "1"
)

// mayLoad reports whether load can be made here, and prints why where it cannot: wrk and
// taskset have to be installed, and there have to be two cores.
func mayLoad(title string) bool {
	for name, pkg := range map[string]string{"wrk": "wrk", "taskset": "util-linux"} {
		if _, err := exec.LookPath(name); err != nil {
			fmt.Printf("\nSKIPPED: %s: there is no %s here; install the package %s\n", title, name, pkg)
			return false
		}
	}
	if runtime.NumCPU() < 2 {
		fmt.Printf("\nSKIPPED: %s: the server and the load want a core each, and there is one\n", title)
		return false
	}
	return true
}

// benchLoad serves the page over HTTP, each contender in a process of its own on one core, and
// asks for it with wrk on the other: the same query by all connections, and queries none of
// which is like another. Every contender has to answer with the page before anything is
// measured.
func benchLoad(rounds int, _ time.Duration) error {
	if !mayLoad("GraphQL over HTTP under load") {
		return nil
	}
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gw, shut, err := open(dir, nil)
	if err != nil {
		return err
	}
	// The page that all contenders have to answer, from a gateway in this process.
	page, err := asked(-1).answer(gw.Handler())
	shut()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, prebuilt), []byte(page), 0o600); err != nil {
		return err
	}
	var servers []*server
	// Servers end with this function, also after an error.
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for _, c := range served {
		// All servers share the core. Only the one that is asked has work to do.
		s, err := serve(c.name, dir, serverCore)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		servers = append(servers, s)
		if err := s.agrees([]byte(page), asked(-1), asked(-99)); err != nil { // whatever is asked
			return err
		}
	}
	fmt.Printf("\nGraphQL over HTTP, a page of 100 rows with a relation (%d bytes), %d connections; the server on one core, wrk on another\n", len(page), connections)
	for _, l := range loads(askedFront, askedBack) {
		if err := loadScript(rounds, dir, l.script, servers); err != nil {
			return err
		}
		printLoad(l.title, servers, []*server{servers[0], servers[1], servers[len(servers)-1]},
			"the gateway over equal queries 0.50 of prebuilt bytes, not coalescing 0.70 of by hand, either 10 of graphql.Do")
	}
	return nil
}

// loadAll is loadRounds with fewer rounds where a round takes longer.
func loadAll(rounds, seconds int, servers []*server, script func(*server) string) error {
	return loadRounds(max(1, rounds/(2+seconds)), seconds, servers, script)
}

// loadRounds measures servers in turn under scripts of wrk, some seconds each round, after one
// round that warms up. Each round begins with the next server. Figures of earlier scripts are
// dropped. script returns the file of a server's script.
func loadRounds(rounds, seconds int, servers []*server, script func(*server) string) error {
	for _, s := range servers {
		s.rates, s.costs = nil, nil
	}
	for round := range rounds + 1 {
		for k := range servers {
			s := servers[(k+round)%len(servers)]
			rate, cost, err := s.load(script(s), seconds)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round > 0 {
				s.rates, s.costs = append(s.rates, rate), append(s.costs, cost)
			}
		}
	}
	return nil
}

// keepAwake runs a loop of the lowest priority on the core of wrk until sleep is called, for servers
// that keep wrk alone busy. A server pays for waking wrk: without the loop one that keeps wrk busy pays
// nothing, and the next slower one pays for each answer; with it both pay the same.
func keepAwake() (sleep func(), err error) {
	loop := exec.Command("taskset", "-c", loadCore, "chrt", "--idle", "0", "sh", "-c", "while :; do :; done")
	if err := loop.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = loop.Process.Kill()
		_ = loop.Wait()
	}, nil
}

// loadScript is loadAll with one script for all servers, written to a file in dir.
func loadScript(rounds int, dir, script string, servers []*server) error {
	file := filepath.Join(dir, "load.lua")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return err
	}
	return loadAll(rounds, 1, servers, func(*server) string { return file })
}

// printLoad prints what was measured, and ratios to bases; they are of a round's two
// neighbours, and the median of those. A ratio by CPU above 1 means less processor time than
// the base.
func printLoad(title string, servers, bases []*server, aims string) {
	fmt.Printf("\n  %s\n", title)
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	// Two figures for each server, then two ratios to each base: by requests and by processor
	// time.
	fmt.Fprint(t, "    \trequests/s\tCPU µs/request\t")
	for _, s := range bases {
		fmt.Fprintf(t, "of %s\tby CPU\t", s.name)
	}
	fmt.Fprintln(t)
	for _, s := range servers {
		fmt.Fprintf(t, "    %s\t%.0f\t%.1f\t", s.name, median(s.rates), median(s.costs))
		for _, base := range bases {
			fmt.Fprintf(t, "%.2f\t%.2f\t", ratio(s.rates, base.rates), ratio(base.costs, s.costs))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		panic(err)
	}
	fmt.Println("    aims: " + aims)
}

// ratio returns the median of the ratios of figures that were taken side by side. a and b have
// the same rounds.
func ratio(a, b []float64) float64 {
	each := make([]float64, len(a))
	for i := range a {
		each[i] = a[i] / b[i]
	}
	return median(each)
}

// median is the middle of a list; the machine's noise lies at its ends.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// loads returns the scripts of wrk: requests of front, a number and back. The number of
// all-different queries counts down from -1, so that every filter lets all rows through. done
// prints one line that [server.load] reads:
//
//	measured <requests> <µs> <failures>
func loads(front, back string) []struct{ title, script string } {
	const (
		// wrk runs the script once in its thread: body is sent by every request unless request
		// gives another.
		head = `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
`
		done = `
done = function(summary)
  local e = summary.errors
  io.write(string.format("\nmeasured %d %d %d\n", summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout))
end
`
	)
	return []struct{ title, script string }{
		{"equal queries", head + `wrk.body = '` + front + `-1` + back + "'\n" + done},
		{"all-different queries", head + `local n = 0
request = function()
  n = n + 1
  return wrk.format(nil, nil, nil, '` + front + `-' .. n .. '` + back + `')
end
` + done},
	}
}

// server is a contender that listens in a process of its own. url is that of its GraphQL
// endpoint.
type server struct {
	name, url string
	cmd       *exec.Cmd
	stdin     io.Closer

	rates []float64 // requests a second, by round
	costs []float64 // µs of processor time a request
}

// serve starts this program again as the server called name, on a core. The server prints its
// address as its first line; dir is what it is built from.
func serve(name, dir, core string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{name: name, cmd: exec.Command("taskset", "-c", core, self, "serve", name, dir)}
	// The Go scheduler gets one processor as well, whatever it finds.
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), "GOMAXPROCS=1"), os.Stderr
	return s, s.start()
}

// start starts the server's process, and waits for the line with its address.
func (s *server) start() error {
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	s.stdin = in
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	// The line comes once the server listens, so that nobody has to wait and try.
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return errors.Join(err, s.cmd.Wait())
	}
	s.url = strings.TrimSpace(line) + "/graphql"
	return nil
}

// stop ends the server: it serves as long as its input is open.
func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait() // it was measured already
}

// ask sends one request over HTTP and returns the body. Any status but 200 is an error.
func (s *server) ask(q request) ([]byte, error) {
	resp, err := http.Post(s.url, "application/json", strings.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, body)
	}
	return body, err
}

// agrees checks that every request is answered with the page, as a JSON value. The error names
// the server.
func (s *server) agrees(page []byte, requests ...request) error {
	for _, q := range requests {
		got, err := s.ask(q)
		if err == nil {
			err = same(page, got)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// load runs wrk for some seconds: requests a second, and the µs of processor time that
// the server took for each.
func (s *server) load(script string, seconds int) (rate, cost float64, err error) {
	// Both readings enclose wrk's seconds, and with it the connections it opens and closes.
	before, err := s.processor()
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command("taskset", "-c", loadCore, "wrk", "-t1", "-c", strconv.Itoa(connections), fmt.Sprintf("-d%ds", seconds), "--timeout", "20s", "-s", script, s.url).CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, out)
	}
	after, err := s.processor()
	if err != nil {
		return 0, 0, err
	}
	var requests, micros, failed int
	// wrk prints figures of its own first; those of the script are exact.
	_, said, _ := bytes.Cut(out, []byte("\nmeasured "))
	if _, err := fmt.Sscan(string(said), &requests, &micros, &failed); err != nil || requests == 0 || failed > 0 {
		return 0, 0, fmt.Errorf("wrk measured nothing, or failures: %s", out)
	}
	return float64(requests) / float64(micros) * 1e6, float64((after - before).Microseconds()) / float64(requests), nil
}

// processor returns the processor time the server has had, as the kernel counts it in
// nanoseconds, by thread. The time of threads that have ended is missing.
func (s *server) processor() (total time.Duration, err error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		return 0, fmt.Errorf("the system does not say what the server has used: %w", err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			return 0, err
		}
		// schedstat: time on a processor, time waiting for one, number of slices.
		on, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(on, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n)
	}
	return total, nil
}
