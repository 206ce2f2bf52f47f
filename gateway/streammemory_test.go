package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/subscriptions"
)

// essays is a gateway over rows of 20 KB whose changes are announced, with so much memory.
type essays struct {
	*testing.T
	gw  *gateway.Gateway
	url string
	n   int
}

func newEssays(t *testing.T, memory int64) *essays {
	t.Helper()
	return essaysOf(t, gateway.Config{
		Admin:  gateway.Admin{Listen: "127.0.0.1:0"},
		Limits: gateway.Limits{Memory: memory, Subscriptions: subscriptions.Limits{Live: 1000}},
	})
}

func essaysOf(t *testing.T, config gateway.Config) *essays {
	t.Helper()
	config.Identity = gateway.Identity{Dev: true}
	gw, err := gateway.New(read(t, fstest.MapFS{
		"entities/essay.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  text: {type: string}\nrequired: [id]\n")},
		"frond.yaml":          {Data: []byte("name: press\nchanges: [essay]\ncollectors: {essay: open}\n")},
	}), quiet(gateway.Options{Config: config}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return &essays{T: t, gw: gw, url: serveHandler(t, gw.Handler())}
}

// write creates rows.
func (s *essays) write(rows int) {
	s.Helper()
	for range rows {
		s.n++
		if w := askHandler(s.gw.Handler(), "POST", "/api/press/essays", fmt.Sprintf(`{"id":"e%d","text":"%s"}`, s.n, strings.Repeat("x", 20_000))); w.Code != 201 {
			s.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

var usedBytes = regexp.MustCompile(`\nfrond_memory_used_bytes (\S+)`)

// used is how much memory the gateway counts.
func (s *essays) used() int {
	s.Helper()
	text := askHandler(s.gw.AdminHandler(), "GET", "/metrics", "").Body.String()
	n, err := strconv.ParseFloat(usedBytes.FindStringSubmatch(text)[1], 64)
	if err != nil {
		s.Fatal(err)
	}
	return int(n)
}

// until waits until a number of bytes is counted that fits.
func (s *essays) until(what string, fits func(used int) bool) {
	s.Helper()
	for by := time.Now().Add(time.Minute); !fits(s.used()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(by) {
			s.Fatalf("%s: %d bytes are counted", what, s.used())
		}
	}
}

// subscribe opens an event stream, and returns its lines and what ends it.
func (s *essays) subscribe(query string) (lines *bufio.Scanner, end func()) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	body, _ := json.Marshal(map[string]string{"query": query})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	lines = bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 4<<20)
	return lines, cancel
}

// data is the next data of a stream.
func (s *essays) data(lines *bufio.Scanner) string {
	s.Helper()
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return text
		}
	}
	s.Fatalf("the stream has ended: %v", lines.Err())
	return ""
}

// TestLiveAnswersAreCounted: the answers of live queries take memory for as long as they are kept,
// and a subscription is refused where there is none.
func TestLiveAnswersAreCounted(t *testing.T) {
	s := newEssays(t, 32<<20)
	s.write(50)
	before := s.used()
	var ends []func()
	refused := ""
	for i := 0; i < 40 && refused == ""; i++ {
		lines, end := s.subscribe(fmt.Sprintf(`subscription { essays(first: 50, filter: {id: {ne: "x%d"}}) @live { items { id text } } }`, i))
		ends = append(ends, end)
		if text := s.data(lines); strings.Contains(text, `"SERVICE_UNAVAILABLE"`) {
			refused = text
		}
	}
	if refused == "" || len(ends) < 4 {
		t.Errorf("%d live queries with a megabyte each are open: %.200s", len(ends), refused)
	}
	if used := s.used(); used < 4<<20 || used > 20<<20 {
		t.Errorf("%d bytes are counted", used)
	}
	for _, end := range ends {
		end()
	}
	s.until("afterwards", func(used int) bool { return used <= before })
}

// TestSharedAnswersAreCounted: the answers that equal subscribers share take memory for as long as
// they are kept.
func TestSharedAnswersAreCounted(t *testing.T) {
	s := newEssays(t, 32<<20)
	before := s.used()
	const query = `subscription { essayChanged { key essay { id text } } }`
	for range 2 {
		lines, _ := s.subscribe(query)
		go func() {
			for lines.Scan() {
			}
		}()
	}
	s.until("the subscribers", func(int) bool { return s.gw.Subscriptions().Numbers().Subscriptions == 2 })
	most := 0
	for range 40 {
		s.write(5)
		most = max(most, s.used())
	}
	if most < 500_000 {
		t.Errorf("%d bytes are counted at most", most)
	}
	s.until("afterwards", func(used int) bool { return used <= before+64<<10 })
}

// TestClientsThatDoNotRead: what is on its way to clients that do not read takes memory, a part of
// one row for each; others are served, and nothing stays behind.
func TestClientsThatDoNotRead(t *testing.T) {
	frame := func(text string) string { // masked with zeros
		head := []byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}
		return string(head) + text
	}
	const streams = `{"streams":{"1":{"fact":"press.essayChanged","after":"start"},"2":{"fact":"press.essayChanged","after":"start"}}}`
	const subscribe = `{"id":"%s","type":"subscribe","payload":{"query":"subscription { essayChanged(after: \"start\") { key essay { id text } } }"}}`
	for name, wire := range map[string]struct {
		places  int // bytes that a client takes without any row
		request string
	}{
		"websockets": {14 << 10, "GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n" +
			frame(`{"type":"connection_init"}`) + frame(fmt.Sprintf(subscribe, "1")) + frame(fmt.Sprintf(subscribe, "2"))},
		"streams in one answer": {24 << 10, fmt.Sprintf("POST /_kit/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(streams), streams)},
	} {
		t.Run(name, func(t *testing.T) {
			const clients, row = 40, 20_000
			s := newEssays(t, 32<<20)
			s.write(60)
			before := s.used()
			reader, _ := s.subscribe(`subscription { essayChanged { key } }`)
			s.until("the subscriber", func(int) bool { return s.gw.Subscriptions().Numbers().Subscriptions == 1 })
			var conns []net.Conn
			for range clients {
				conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) //nolint:forcetypeassert // it was dialed as one
				if _, err := io.WriteString(conn, wire.request); err != nil {
					t.Fatal(err)
				}
				conns = append(conns, conn)
			}
			long := 0 // what lasts is neither a batch nor an answer that equal subscribers share
			s.until("while they do not read", func(used int) bool {
				each := (used-before)/clients - wire.places
				if long++; s.gw.Subscriptions().Numbers().Subscriptions != 2*clients+1 || each < 100 || each > row+1000 {
					long = 0
				}
				return long == 250
			})
			s.write(1)
			if text := s.data(reader); !strings.Contains(text, `"key":"e61"`) {
				t.Errorf("another subscriber gets %s", text)
			}
			for _, conn := range conns {
				_ = conn.Close()
			}
			s.until("afterwards", func(used int) bool { return used <= before+64<<10 })
		})
	}
}
