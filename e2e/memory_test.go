package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// unread is a client that has asked and reads nothing: it holds its answer.
type unread struct{ conn *net.TCPConn }

// askUnread sends a request over a socket with a small buffer.
func askUnread(t *testing.T, url, query string) unread {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	tcp := conn.(*net.TCPConn)
	if err := tcp.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	return unread{tcp}
}

// head reads the first line of the answer, which says that the rest of it is there.
func (u unread) head(t *testing.T) string {
	t.Helper()
	if err := u.conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(u.conn, line); err != nil {
		t.Fatal(err)
	}
	return string(line[len("HTTP/1.1 "):])
}

// TestMemoryUnderAttack: clients ask for large answers and do not read them, until
// there is no room. Whoever asks for a large one then is refused at once, on every
// surface; whoever asks for a row is answered throughout. When those who do not read
// have gone, or were cut off, nothing is held any more.
func TestMemoryUnderAttack(t *testing.T) {
	t.Parallel()
	dir := folder(t, notes)
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "notes.db")
	filled := startGateway(t, dir, store)
	fillNotes(t, filled.URL)
	filled.stop(t)

	// Eight megabytes do not go into the buffers of a socket that nobody reads.
	large := func(i int) string {
		return fmt.Sprintf(`{ q%d: notes(first: 400) { items { id text } } more: notes(first: 400) { items { id text } } }`, i)
	}
	const budget = 64 << 20
	t.Run("until they go", func(t *testing.T) {
		gw := startGateway(t, dir, store, "--limits-memory", strconv.Itoa(budget), "--limits-write", "off", "--admin-listen", "127.0.0.1:0")
		defer gw.stop(t)
		admin := adminOf(t, gw)
		var rows sync.WaitGroup
		stop := make(chan struct{})
		served := 0
		rows.Go(func() { // the one who behaves well
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprintf("n%02d-%02d", i%50, i%20)
				got, err := askGraphQL(context.Background(), gw.URL, fmt.Sprintf(`{ note(id: %q) { id } }`, id), nil)
				if err != nil || got != fmt.Sprintf(`{"data":{"note":{"id":%q}}}`, id) {
					t.Errorf("a row at a time: %v %s", err, got)
					return
				}
				served++
			}
		})
		var holding []unread
		refused, held := false, int64(0)
		for i := range 32 {
			u := askUnread(t, gw.URL, large(i))
			if u.head(t) != "503" {
				holding = append(holding, u)
				continue
			}
			// What a socket has taken of an answer is held no more. There is no room when all of them are full.
			used := number(t, admin, "frond_memory_used_bytes")
			if refused = max(used, held)-min(used, held) < 1<<20; refused {
				break
			}
			held = used
			time.Sleep(200 * time.Millisecond)
		}
		if !refused || len(holding) < 2 {
			t.Errorf("%d of these answers are held at once, refused: %t", len(holding), refused)
		}
		if used := number(t, admin, "frond_memory_used_bytes"); used < 16<<20 || used > budget {
			t.Errorf("%d bytes are held", used)
		}
		body, _ := json.Marshal(map[string]string{"query": large(99)})
		frame := `{"jsonrpc":"2.0","id":7,"method":"note.list","params":{"query":{"limit":500}}}`
		for path, body := range map[string]string{"/graphql": string(body), "/_kit/call": frame, "/api/app/notes?limit=500": ""} {
			method := http.MethodPost
			if body == "" {
				method = http.MethodGet
			}
			req, err := http.NewRequest(method, gw.URL+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); resp.StatusCode != 503 || err != nil || after < 1 || !strings.Contains(string(text), `"SERVICE_UNAVAILABLE"`) {
				t.Errorf("%s: %d, Retry-After: %q, %.300s", path, resp.StatusCode, resp.Header.Get("Retry-After"), text)
			}
		}
		for _, u := range holding {
			_ = u.conn.Close()
		}
		close(stop)
		rows.Wait()
		nothingHeld(t, admin)
		if got, err := askGraphQL(context.Background(), gw.URL, large(100), nil); err != nil || !strings.HasPrefix(got, `{"data":{"q100":{"items":[`) {
			t.Errorf("afterwards: %v %.200s", err, got)
		}
		if n := number(t, admin, `frond_refused_total{for="memory"}`); n < 4 || served == 0 {
			t.Errorf("%d were refused, %d rows served", n, served)
		}
	})
	t.Run("until they are cut off", func(t *testing.T) {
		gw := startGateway(t, dir, store, "--limits-memory", strconv.Itoa(budget), "--limits-write", "100ms", "--admin-listen", "127.0.0.1:0")
		defer gw.stop(t)
		for i := range 3 {
			if status := askUnread(t, gw.URL, large(i)).head(t); status != "200" {
				t.Errorf("the status is %s", status)
			}
		}
		nothingHeld(t, adminOf(t, gw)) // though all of them are still there
	})
}

// nothingHeld waits until the budget is as it was at the start. A server learns only in
// time that a client has gone.
func nothingHeld(t *testing.T, admin string) {
	t.Helper()
	for by := time.Now().Add(2 * time.Minute); number(t, admin, "frond_memory_used_bytes") > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(by) {
			t.Fatalf("%d bytes are still held", number(t, admin, "frond_memory_used_bytes"))
		}
	}
	if n := number(t, admin, "frond_executions_in_flight"); n != 0 {
		t.Errorf("%d executions are under way", n)
	}
}

// number is one line of /metrics.
func number(t *testing.T, admin, name string) int64 {
	t.Helper()
	resp, err := http.Get(admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return int64(n)
		}
	}
	t.Fatalf("there is no %s in\n%s", name, text)
	return 0
}
