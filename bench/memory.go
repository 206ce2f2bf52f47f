package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"
	"text/tabwriter"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/store/sqlite"
)

// A gateway under attack (memory). The attacked runs in a process of its own, as the program
// does, once with its bounds switched off and once with them; GOMEMLIMIT is what it would be
// in a container of 256 MiB. Two attacks:
//
//	heavy    24 clients with queries that no cache has seen and whose answers are large
//	unread   20 clients that ask for 36 MB and do not read, so that the answers stay in memory
//
// Beside either one client reads a row every ten milliseconds. What counts is the most memory
// the process held, and what that client noticed (docs/decisions/budgets.md, docs/decisions/http-guards.md).

// What memory attacks: ten writers with five hundred notes of two kilobytes each. Its queries
// make each answer many times what is read, and are as many as the attacker is. memoryLasts is
// the time of one attack.
const (
	memoryWriters = 10
	memoryNotes   = 500
	memoryLimit   = 256 << 20 // of the container that the attacked is as good as in
	memoryHeavy   = 24        // distinct queries of 4 KB, over and over
	memoryDeaf    = 20        // clients that ask for 36 MB and read nothing
	memoryLasts   = 6 * time.Second
)

// notebook is the project that is attacked: writers and notes, each leading to the other.
var notebook = fstest.MapFS{
	"frond.yaml": {Data: []byte("collectors: {'*': open}\n")},
	// A writer's notes and a note's writer: a query that goes back and forth multiplies rows.
	"entities/writer.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  notes: {type: array, items: {type: string}, x-kit: {role: {relation: {to: note, kind: many}}}}
`)},
	"entities/note.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string}
  writerId: {type: string, x-kit: {role: {relation: {to: writer, kind: one}}}}
`)},
}

// memoryConfigs are the attacked: bounds switched off, and what the program would find
// in a container of that size.
var memoryConfigs = []struct {
	name   string
	limits gateway.Limits
}{
	// -1 switches a bound off, where 0 would be its default.
	{"without bounds", gateway.Limits{Memory: -1, Executions: -1, Write: -1}},
	{"the gateway", gateway.Limits{Memory: memoryLimit / 4}},
}

// notebookGateway returns a gateway over the notes in dir. It listens on a free port once it
// runs, whose URL listening receives.
func notebookGateway(dir string, limits gateway.Limits, listening func(string)) (*gateway.Gateway, error) {
	quiet := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, file), Logger: quiet})
	if err != nil {
		return nil, err
	}
	project, err := facade.Read(notebook)
	if err != nil {
		return nil, err
	}
	return gateway.New(project, &gateway.Options{
		Store: store, Logger: quiet, Listening: listening,
		Config: gateway.Config{Listen: "127.0.0.1:0", Limits: limits},
	})
}

// benchAttacked is the attacked, in a process of its own: it prints its URL and serves as the
// program does until its input ends. args are the name of a configuration and the folder of
// the notes.
func benchAttacked(args []string) error {
	for _, c := range memoryConfigs {
		if len(args) != 2 || c.name != args[0] {
			continue
		}
		gw, err := notebookGateway(args[1], c.limits, func(url string) { fmt.Println(url) })
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		// The end of the input is the order to stop: it also comes where the parent dies.
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
		return gw.Run(ctx)
	}
	return errors.New("attacked takes a name and a folder; memory starts it")
}

// benchMemory attacks a gateway with and without its bounds, and prints its memory and what
// becomes of a client who asks for one row at a time. It needs /proc.
func benchMemory(int, time.Duration) error {
	if runtime.GOOS != "linux" {
		fmt.Println("\nmemory is left out: it reads /proc")
		return nil
	}
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := fillNotebook(dir); err != nil {
		return err
	}
	for _, kind := range []struct {
		title       string
		heavy, deaf int
	}{
		{fmt.Sprintf("%d clients, each with queries of 4 KB that nobody sent before", memoryHeavy), memoryHeavy, 0},
		{fmt.Sprintf("%d clients that ask for 36 MB and do not read", memoryDeaf), 0, memoryDeaf},
	} {
		fmt.Printf("\nMemory, as in a container of %d MiB, for %s: %s\n", memoryLimit>>20, memoryLasts, kind.title)
		t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		// Answered and refused are of the heavy queries, the last four columns of the client
		// beside them.
		fmt.Fprintln(t, "  \tMiB before\tat most\tafter\tanswered\trefused\ta row at a time\tfailed\tmedian\tp99\t")
		var peaks []int
		for _, c := range memoryConfigs {
			s, err := attack(c.name, dir, kind.heavy, kind.deaf)
			if err != nil {
				return err
			}
			peaks = append(peaks, s.peak)
			fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", c.name,
				s.before, s.peak, s.after, s.answered, s.refused, len(s.took), s.failed, micro(s.at(50)), micro(s.at(99)))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Printf("  the gateway takes %d MiB at most, without bounds %d (aim: under %d)\n", peaks[1], peaks[0], memoryLimit>>20)
	}
	return nil
}

// fillNotebook writes the notes into a file once; every attacked process opens it. A note's
// text is 2,048 bytes.
func fillNotebook(dir string) error {
	gw, err := notebookGateway(dir, gateway.Limits{}, nil)
	if err != nil {
		return err
	}
	text := strings.Repeat("All of this is somebody's note. ", 64)
	// Rows are created through the façade, as clients would.
	create := func(entity string, row map[string]any) error {
		body, err := json.Marshal(row)
		if err == nil {
			_, err = gw.Caller().Call(context.Background(), &facade.Call{Entity: entity, Operation: "create", Invocation: facade.Invocation{Body: body}})
		}
		return err
	}
	for w := range memoryWriters {
		writer := fmt.Sprintf("w%d", w)
		if err := create("writer", map[string]any{"id": writer, "name": "Writer " + writer}); err != nil {
			return err
		}
		for n := range memoryNotes {
			if err := create("note", map[string]any{"id": fmt.Sprintf("%s-%03d", writer, n), "text": text, "writerId": writer}); err != nil {
				return err
			}
		}
	}
	return gw.Close()
}

// suffered is what an attack did. answered and refused count the heavy queries; took and
// failed are of the client that asks for a row at a time. took is sorted.
type suffered struct {
	before, peak, after int // MiB resident
	answered, refused   int
	took                []time.Duration // of the client who asks for a row at a time
	failed              int
}

// at returns a percentile of what others waited during the attack; 0 where nobody was
// answered.
func (s *suffered) at(percent int) time.Duration {
	if len(s.took) == 0 {
		return 0
	}
	return s.took[len(s.took)*percent/100]
}

// attack starts a gateway in a process of its own, attacks it with heavy and unread clients,
// and reports what it took. name is one of memoryConfigs; the process ends before attack
// returns.
func attack(name, dir string, heavy, unread int) (*suffered, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "attacked", name, dir)
	// The limit that the program sets for itself in a container of this size.
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMEMLIMIT=%d", guard.CollectorLimit(memoryLimit)))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait() // cut-off connections may make its drain late
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	url = strings.TrimSpace(url)
	s := &suffered{}
	if _, err := postQuery(url, oneNote(0)); err != nil {
		return nil, err
	}
	// After one request, so that the start is no part of the growth.
	s.before = resident(cmd.Process.Pid, "VmRSS:")

	ends := time.Now().Add(memoryLasts)
	var all sync.WaitGroup
	// lock guards answered and refused, which all heavy clients count.
	var lock sync.Mutex
	for i := range heavy {
		all.Go(func() {
			for n := 0; time.Now().Before(ends); n++ {
				// i*1000+n: no two clients send the same text.
				status, err := postQuery(url, heavyQuery(i*1000+n))
				lock.Lock()
				if err == nil && status == http.StatusOK {
					s.answered++
				} else {
					s.refused++
				}
				lock.Unlock()
				if status == http.StatusServiceUnavailable {
					time.Sleep(50 * time.Millisecond) // an attacker heeds no Retry-After
				}
			}
		})
	}
	for i := range unread {
		all.Go(func() {
			for time.Now().Before(ends) {
				deaf(url, unreadQuery(i), ends)
			}
		})
	}
	// The client beside the attack. It alone writes took and failed, which are read after
	// Wait.
	all.Go(func() {
		for n := 0; time.Now().Before(ends); n++ {
			began := time.Now()
			status, err := postQuery(url, oneNote(n))
			if err != nil || status != http.StatusOK {
				s.failed++
			}
			s.took = append(s.took, time.Since(began))
			// A client with a pause: what it waits for is the gateway and not its own load.
			// Some six hundred requests fit into an attack that nobody notices.
			time.Sleep(10 * time.Millisecond)
		}
	})
	all.Wait()
	// VmHWM is the most the process has ever held; five seconds later the collector had time
	// to give memory back.
	s.peak = resident(cmd.Process.Pid, "VmHWM:")
	time.Sleep(5 * time.Second)
	s.after = resident(cmd.Process.Pid, "VmRSS:")
	slices.Sort(s.took)
	return s, nil
}

// oneNote, heavyQuery and unreadQuery are the GraphQL texts that clients send. n is in an
// alias, so that no two of them are equal and none is coalesced or cached.
func oneNote(n int) string {
	return fmt.Sprintf(`{ n%d: note(id: "w%d-%03d") { id } }`, n, n%memoryWriters, n%memoryNotes)
}

// heavyQuery returns a query of 4 KB, most of it a comment, whose answer repeats the 500 notes
// of a writer for each of 500 notes.
func heavyQuery(n int) string {
	return fmt.Sprintf(`{ q%d: notes(first: 500) { items { id text writer { notes(first: 500) { items { id text } } } } } } #%s`, n, strings.Repeat(".", 4000))
}

// unreadQuery has an answer of 36 MB.
func unreadQuery(n int) string {
	return fmt.Sprintf(`{ q%d: notes(first: 36, orderBy: [{id: DESC}]) { items { id writer { notes(first: 500) { items { text } } } } } }`, n)
}

// postQuery sends a query and reads the answer to its end.
func postQuery(url, query string) (status int, err error) {
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		return 0, err
	}
	resp, err := http.Post(url+"/graphql", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	// Read to the end: an answer that is cut off is no answer.
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// deaf sends a query and does not read the answer, until it is cut off or the attack is over.
// The small buffer of its socket makes the server's writes block at once.
func deaf(url, query string, ends time.Time) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		return
	}
	body, _ := json.Marshal(map[string]any{"query": query})
	if _, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return
	}
	time.Sleep(time.Until(ends))
}

// resident is a line of a process's status in MiB; 0 where there is none.
func resident(pid int, line string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, line); ok {
			kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return kib >> 10
		}
	}
	return 0
}
