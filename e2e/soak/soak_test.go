package soak

import (
	"context"
	"flag"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

var forFlag = flag.Duration("for", 10*time.Second, "how long it lasts")

// TestSoak is the soak.
func TestSoak(t *testing.T) {
	fds, goroutines := resources(t)
	l, hosts, heaps := soak(t, *forFlag)

	for _, what := range l.wrong {
		t.Error(what)
	}
	ran := 0
	for mark, n := range hosts[0].ran {
		if ran += int(n); n > 1 || l.answered[mark] && n != 1 {
			t.Errorf("the command %d ran %d times; answered: %v", mark, n, l.answered[mark])
		}
	}
	if l.rows.Load() == 0 || len(l.codes) == 0 || l.replies.Load() == 0 {
		t.Errorf("that shows nothing: %d rows, errors %v, %d commands answered", l.rows.Load(), l.codes, l.replies.Load())
	}
	early, lately, flat := inUse(heaps)
	if !flat {
		t.Errorf("%d KiB are in use in the second half, and %d were in the first", lately>>10, early>>10)
	}
	settled(t, fds, goroutines)
	t.Logf("%v: %d questions, %d rows, errors %v; %d commands sent, %d answered, %d ran; heap %d KiB, then %d KiB",
		*forFlag, l.asked.Load(), l.rows.Load(), l.codes, l.commands.Load(), l.replies.Load(), ran, early>>10, lately>>10)
}

// soak runs gateway, hosts and load for a time, and closes them all. heaps are bytes
// in use after a collection, every so often.
func soak(t *testing.T, last time.Duration) (l *load, hosts []*host, heaps []uint64) {
	t.Helper()
	hosts = []*host{newHost(t, "note", notesDocument), newHost(t, "writer", writersDocument)}
	log := slog.New(slog.DiscardHandler)
	remote := func(h *host) gateway.Remote {
		return gateway.Remote{URL: "http://" + h.address, Open: true, Connect: 200 * time.Millisecond, Attempt: 300 * time.Millisecond, Timeout: time.Second}
	}
	gw, err := gateway.New(&facade.Project{}, &gateway.Options{Logger: log, Config: gateway.Config{
		Store: "memory", Remotes: map[string]gateway.Remote{"desk": remote(hosts[0]), "people": remote(hosts[1])},
	}})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(gw.Handler())
	l = &load{url: front.URL, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 20 * time.Second}, codes: map[string]int{}, answered: make([]bool, mostCommands)}

	ctx, cancel := context.WithTimeout(t.Context(), last)
	defer cancel()
	done := make(chan struct{})
	go func() {
		l.run(ctx, 8)
		close(done)
	}()
	heaps = torment(ctx, t, hosts)
	<-done

	front.Close()
	l.client.CloseIdleConnections()
	if err := gw.Close(); err != nil {
		t.Error(err)
	}
	for _, h := range hosts {
		_ = h.become(fine)
		_ = h.server.Close()
	}
	return l, hosts, heaps
}

// torment puts the hosts through their moods, every other one fine: a breaker that
// rests all the time would let nothing through to be tormented.
func torment(ctx context.Context, t *testing.T, hosts []*host) (heaps []uint64) {
	t.Helper()
	for turn := 0; ctx.Err() == nil; turn++ {
		bad := int(moods - 1)
		h, m := hosts[turn/bad%len(hosts)], mood(1+turn%bad)
		if err := h.become(m); err != nil {
			t.Errorf("the host did not become %s: %v", m, err)
		}
		wait(ctx, time.Duration(200+rand.IntN(1000))*time.Millisecond)
		if err := h.become(fine); err != nil {
			t.Errorf("the host did not recover from being %s: %v", m, err)
		}
		wait(ctx, time.Duration(300+rand.IntN(1000))*time.Millisecond)
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		heaps = append(heaps, now.HeapAlloc)
	}
	return heaps
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// inUse is what is in use in the second quarter of a time and in the last, as the
// median of each, and whether that is the same but for a quarter and 4 MiB.
func inUse(heaps []uint64) (early, lately uint64, flat bool) {
	n := len(heaps)
	median := func(some []uint64) uint64 {
		some = slices.Sorted(slices.Values(some))
		return some[len(some)/2]
	}
	early, lately = median(heaps[n/4:n/2+1]), median(heaps[n*3/4:])
	return early, lately, lately <= early+early/4+4<<20
}

// TestInUse: memory that grows is found, and one page that was large is not.
func TestInUse(t *testing.T) {
	var flat, grows []uint64
	for i := range 40 {
		flat = append(flat, 12<<20+uint64(i%7)<<19)
		grows = append(grows, 12<<20+uint64(i)<<19)
	}
	flat[35] = 90 << 20
	if early, lately, ok := inUse(flat); !ok {
		t.Errorf("%d, then %d is flat", early, lately)
	}
	if early, lately, ok := inUse(grows); ok {
		t.Errorf("%d, then %d grows", early, lately)
	}
}

// left is how many files this process has open, which connections are, and how many
// goroutines it has.
func resources(t *testing.T) (fds, goroutines int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Log("without /proc connections are not counted")
	}
	return len(entries), runtime.NumGoroutine()
}

// settled waits until nothing is left of the soak, and says what is.
func settled(t *testing.T, fds, goroutines int) {
	t.Helper()
	var f, g int
	for range 100 {
		if f, g = resources(t); f <= fds+2 && g <= goroutines { // a poller's two may have come
			t.Logf("%d files and %d goroutines are left, %d and %d were there before", f, g, fds, goroutines)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	var stacks strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	t.Errorf("%d files and %d goroutines are left, %d and %d were there before\n%s", f, g, fds, goroutines, stacks.String())
}
