package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/subscriptions"
)

// Subscribers (subscriptions). The gateway runs in a process of its own, as the program does,
// over SQLite; its clients run in this one:
//
//	idle     9,500 subscribers of each kind, of equal callers and of 9,500 different ones: what
//	         the process holds more than before, by subscriber, once while they wait and once
//	         while they do not read 200 rows of 20 KB
//	oldest   400 REST streams that begin at the oldest event and do not read: rows of 20 KB
//	busy     1,000 subscribers of a fact that is emitted 1,000 times a second: how long after
//	         the command's commit an event arrives
const (
	idleConnections = 9_500
	behindRows      = 200
	behindSize      = 20_000 // bytes of a row
	oldestStreams   = 400
	busySubscribers = 1_000
	busyRate        = 1_000 // facts a second
	busyLasts       = 10 * time.Second
	busySampled     = 50 // every 50th connection looks at its events; the others count
)

// ticker is a project whose ticks are announced, each with the time at which it was sent.
var ticker = fstest.MapFS{
	"entities/tick.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuidv7}}}}
  sent: {type: string}
  text: {type: string}
required: [sent]
`)},
	"frond.yaml": {Data: []byte("facts: [{name: ticked, schema: tick, on: tick.create}]\ncollectors: {tick: open}\n")},
}

// ticked is what a client subscribes to.
const ticked = `subscription { ticked { position tick { id sent } } }`

// subscribers are the kinds of subscribers; user is the caller's header or payload as JSON.
var subscribers = []struct {
	name string
	open func(address, user string) (*socket, error)
}{
	{"websocket", func(address, user string) (*socket, error) {
		return openSocket(address, `{"X-Frond-User":`+user+`}`, ticked)
	}},
	{"REST stream", func(address, user string) (*socket, error) {
		return openStream(address, "GET /api/app/facts/ticked HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nX-Frond-User: "+user+"\r\n\r\n")
	}},
	{"GraphQL SSE", func(address, user string) (*socket, error) {
		body := fmt.Sprintf(`{"query":%q}`, ticked)
		return openStream(address, fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nX-Frond-User: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", user, len(body), body))
	}},
}

func benchSubscriptions(int, time.Duration) error {
	fmt.Println("\nSubscribers, KiB each")
	for _, kind := range subscribers {
		for _, callers := range []string{"equal callers", "different callers"} {
			if err := idle(kind.name+", "+callers, callers == "equal callers", kind.open); err != nil {
				return err
			}
		}
	}
	if err := oldest(); err != nil {
		return err
	}
	return busy()
}

// announcer is the process of the gateway.
type announcer struct {
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startAnnouncer() (*announcer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return nil, err
	}
	a := &announcer{cmd: exec.Command(self, "announcer", dir)}
	a.cmd.Stderr = os.Stderr
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = bufio.NewReader(out)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	url, err := a.out.ReadString('\n')
	a.address = strings.TrimPrefix(strings.TrimSpace(url), "http://")
	return a, err
}

// ask sends a line and returns the line of the answer.
func (a *announcer) ask(line string) (string, error) {
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		return "", err
	}
	answer, err := a.out.ReadString('\n')
	return strings.TrimSpace(answer), err
}

func (a *announcer) stop() {
	_ = a.in.Close()
	_ = a.cmd.Wait()
}

// memory is what the process holds after a collection: resident, and of that Go's heap and
// stacks, in bytes.
func (a *announcer) memory() (resident, heap, stacks int, err error) {
	answer, err := a.ask("memory")
	if err == nil {
		_, err = fmt.Sscan(answer, &resident, &heap, &stacks)
	}
	return resident, heap, stacks, err
}

// idle opens subscribers that wait, and then do not read.
func idle(name string, equal bool, open func(address, user string) (*socket, error)) error {
	a, err := startAnnouncer()
	if err != nil {
		return err
	}
	defer a.stop()
	user := func(i int) string {
		if equal {
			i = 0
		}
		return fmt.Sprintf(`{"id":"caller-%d","roles":["reader"]}`, i)
	}
	if c, err := open(a.address, user(0)); err == nil { // so that the start is no part of it
		c.close()
	}
	resident, heap, stacks, err := a.memory()
	if err != nil {
		return err
	}
	all, err := openAll(idleConnections, func(i int) (*socket, error) { return open(a.address, user(i)) })
	defer closeAll(all)
	if err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	resident2, heap2, stacks2, err := a.memory()
	if err != nil {
		return err
	}
	each := func(n int) float64 { return float64(n) / idleConnections / 1024 }
	fmt.Printf("  %-32s %5.1f resident (aim 12); heap %.1f, stacks %.1f", name+":", each(resident2-resident), each(heap2-heap), each(stacks2-stacks))
	most, err := a.behind()
	if err != nil {
		return err
	}
	fmt.Printf("; behind %.1f at most\n", each(most-resident))
	return nil
}

// behind emits large rows that no subscriber reads, and returns the most that the process held.
func (a *announcer) behind() (most int, err error) {
	if _, err = a.ask(fmt.Sprintf("emit %d %d %d", behindRows, behindRows/2, behindSize)); err != nil {
		return 0, err
	}
	for range 12 {
		time.Sleep(250 * time.Millisecond)
		most = max(most, resident(a.cmd.Process.Pid, "VmRSS:")<<20)
	}
	return most, nil
}

// oldest opens streams that begin at the oldest event and do not read.
func oldest() error {
	a, err := startAnnouncer()
	if err != nil {
		return err
	}
	defer a.stop()
	if _, err := a.ask(fmt.Sprintf("emit %d %d %d", 10*behindRows, 10*behindRows, behindSize)); err != nil {
		return err
	}
	before, most, refused := resident(a.cmd.Process.Pid, "VmRSS:"), 0, 0
	for range oldestStreams {
		c, err := openStream(a.address, "GET /api/app/facts/ticked?after=start HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
		if err != nil {
			refused++
			continue
		}
		defer c.close()
		most = max(most, resident(a.cmd.Process.Pid, "VmRSS:"))
	}
	for range 20 {
		time.Sleep(200 * time.Millisecond)
		most = max(most, resident(a.cmd.Process.Pid, "VmRSS:"))
	}
	fmt.Printf("  %d REST streams behind %d rows of %d bytes that do not read: %d MiB at most (%d before), %d refused\n", oldestStreams, 10*behindRows, behindSize, most, before, refused)
	return nil
}

// busy has everybody follow one fact.
func busy() error {
	a, err := startAnnouncer()
	if err != nil {
		return err
	}
	defer a.stop()
	const facts = int(busyLasts/time.Second) * busyRate
	var group sync.WaitGroup
	var mu sync.Mutex
	var lags []time.Duration
	var arrived atomic.Int64
	all := make([]*socket, busySubscribers)
	for i := range all {
		if all[i], err = openSocket(a.address, "{}", ticked); err != nil {
			return err
		}
		defer all[i].close()
	}
	for i, c := range all {
		group.Go(func() {
			own := make([]time.Duration, 0, facts)
			for range facts {
				frame, err := c.next(i%busySampled == 0)
				if err != nil {
					break
				}
				arrived.Add(1)
				if strings.Contains(string(frame), `"sent":"`) {
					own = append(own, lag(frame))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			lags = append(lags, own...)
		})
	}
	took, err := a.ask(fmt.Sprintf("emit %d %d 0", facts, busyRate))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
	}
	mu.Lock()
	defer mu.Unlock()
	if len(lags) == 0 {
		return fmt.Errorf("no event arrived")
	}
	slices.Sort(lags)
	at := func(p float64) time.Duration {
		return lags[int(float64(len(lags)-1)*p)].Round(100 * time.Microsecond)
	}
	fmt.Printf("  %d subscribers, %d facts in %s: %.1f %% arrived, behind the commit by %s at the median, %s at p99, %s at most\n",
		busySubscribers, facts, took, 100*float64(arrived.Load())/float64(facts*busySubscribers), at(.5), at(.99), at(1))
	return nil
}

// lag is how long ago the event in a frame was sent.
func lag(frame []byte) time.Duration {
	now := time.Now().UnixNano()
	_, rest, _ := strings.Cut(string(frame), `"sent":"`)
	digits, _, _ := strings.Cut(rest, `"`)
	sent, _ := strconv.ParseInt(digits, 10, 64)
	return time.Duration(now - sent)
}

// benchAnnouncer is the gateway of subscriptions. It answers the lines memory and emit N RATE SIZE.
func benchAnnouncer(dir string) error {
	project, err := facade.Read(ticker)
	if err != nil {
		return err
	}
	urls := make(chan string, 1)
	gw, err := gateway.New(project, &gateway.Options{
		Logger: slog.New(slog.DiscardHandler),
		Config: gateway.Config{
			Listen: "127.0.0.1:0", Store: "sqlite:" + dir + "/rows.db", Identity: gateway.Identity{Dev: true},
			Limits: gateway.Limits{Subscriptions: subscriptions.Limits{Caller: 2 * idleConnections}},
		},
		Listening: func(url string) { urls <- url },
	})
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- gw.Run(ctx) }()
	fmt.Println(<-urls)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var n, rate, size int
		switch _, err := fmt.Sscanf(lines.Text(), "emit %d %d %d", &n, &rate, &size); {
		case err == nil:
			fmt.Println(emit(gw.Caller(), n, rate, size))
		default:
			runtime.GC() // twice: stacks shrink at one collection, and are freed at the next
			runtime.GC()
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Println(resident(os.Getpid(), "VmRSS:")<<20, m.HeapInuse, m.StackInuse)
		}
	}
	stop()
	return <-ended
}

// emit creates n rows with a text of so many bytes, rate of them a second, and returns how long
// that took.
func emit(caller facade.Caller, n, rate, size int) time.Duration {
	const writers = 16
	began := time.Now()
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := w; i < n; i += writers {
				time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
				_, _ = caller.Call(context.Background(), &facade.Call{Entity: "tick", Operation: "create", Invocation: facade.Invocation{
					Body: json.RawMessage(`{"sent":"` + strconv.FormatInt(time.Now().UnixNano(), 10) + `","text":"` + strings.Repeat("x", size) + `"}`),
				}})
			}
		})
	}
	group.Wait()
	return time.Since(began).Round(time.Millisecond)
}
