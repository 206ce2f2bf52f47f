package sse_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
)

// messages is a source of a number of messages, which ends behind the last one.
type messages struct {
	text  func(n int) []byte
	most  int
	stays bool          // it does not end
	next  chan struct{} // unless nil, an element for each message
	began chan struct{} // closed by Begin
	end   chan struct{} // closed by Close

	at, from int
	wake     func()
}

var errEnd = errors.New("that was the last one")

func (m *messages) Begin(wake func()) {
	m.wake = wake
	close(m.began)
}

func (m *messages) Close() { close(m.end) }

func (m *messages) Sent(n int) (more bool) {
	m.at = m.from + n
	return true
}

func (m *messages) Next(_ context.Context, b *outlet.Batch) (time.Time, error) {
	m.from = m.at
	for ; m.at < m.most && !b.Full(); m.at++ {
		if m.next != nil {
			select {
			case <-m.next:
			default:
				return time.Time{}, nil
			}
		}
		(&sse.Event{ID: strconv.Itoa(m.at), Data: m.text(m.at)}).Write(b)
	}
	if m.at == m.most && b.Len() == 0 && !m.stays {
		return time.Time{}, errEnd
	}
	return time.Time{}, nil
}

func newMessages(most int, text func(int) []byte) *messages {
	return &messages{text: text, most: most, began: make(chan struct{}), end: make(chan struct{})}
}

// TestText is the text of events, heartbeats and the head.
func TestText(t *testing.T) {
	b := new(outlet.Batch)
	for _, e := range []sse.Event{
		{ID: "7", Name: "orderPlaced", Data: []byte(`{"a":1}`)},
		{Data: []byte("{\r\n\"a\":\n1\r}")},
		{Name: "end"},
	} {
		e.Write(b)
	}
	sse.Beat(b, "")
	sse.Beat(b, "9")
	want := "id: 7\nevent: orderPlaced\ndata: {\"a\":1}\n\n" +
		"data: {\ndata: \"a\":\ndata: 1\ndata: }\n\n" +
		"event: end\ndata: \n\n" +
		":\n\nid: 9\n\n"
	if diff := cmp.Diff(want, string(b.Text)); diff != "" || b.Len() != 5 {
		t.Errorf("%d messages (-want +got):\n%s", b.Len(), diff)
	}
	w := httptest.NewRecorder()
	sse.Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), &sse.Options{Retry: time.Second}, newMessages(1, func(int) []byte { return []byte("x") }))
	if diff := cmp.Diff("retry: 1000\n\nid: 0\ndata: x\n\n", w.Body.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := w.Header(); got.Get("Content-Type") != "text/event-stream" || got.Get("Cache-Control") != "no-store" || got.Get("X-Accel-Buffering") != "no" {
		t.Errorf("the head is %v", got)
	}
}

// served is a server whose limits are shorter than the streams of the test.
func served(t *testing.T, http2 bool, limit time.Duration, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ReadTimeout, server.Config.WriteTimeout = limit, limit
	server.EnableHTTP2 = http2
	if http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

// TestOutlivesTheServersLimits: a stream goes on after the times that its server has for
// reading a request and writing an answer, over both versions of HTTP. It ends with the client.
func TestOutlivesTheServersLimits(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources := make(chan *messages, 10)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			limit := time.Second / 2
			var resp *http.Response
			for connected := false; !connected; { // the limits are for the handshake, too
				limit *= 2
				server := served(t, http2, limit, func(w http.ResponseWriter, r *http.Request) {
					m := newMessages(2, func(int) []byte { return []byte("x") })
					m.next, m.stays = make(chan struct{}, 2), true
					sources <- m
					sse.Serve(w, r, nil, m)
				})
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				if resp, err = server.Client().Do(req); err != nil && limit > 30*time.Second {
					t.Fatal(err)
				}
				connected = err == nil
			}
			defer func() { _ = resp.Body.Close() }()
			if resp.Proto != name || len(resp.TransferEncoding) > 0 {
				t.Fatalf("the answer is %s, %v", resp.Proto, resp.TransferEncoding)
			}
			m := <-sources
			for len(sources) > 0 {
				m = <-sources
			}
			lines := bufio.NewScanner(resp.Body)
			for i := range 2 {
				if i > 0 {
					time.Sleep(limit + limit/5) // the limits themselves are what passes here
				}
				m.next <- struct{}{}
				<-m.began
				m.wake()
				arrived := false
				for !arrived && lines.Scan() {
					arrived = lines.Text() == "data: x"
				}
				if !arrived {
					t.Fatalf("event %d did not arrive: %v", i, lines.Err())
				}
			}
			cancel()
			<-m.end
		})
	}
}

// memory counts what is taken.
type memory struct {
	mu          sync.Mutex
	most, taken int
	refused     chan struct{}
}

func (m *memory) Take(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken+n > m.most {
		select {
		case m.refused <- struct{}{}:
		default:
		}
		return errors.New("there is no more")
	}
	m.taken += n
	return nil
}

func (m *memory) Add(n int) { m.Give(-n) }

func (m *memory) Give(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken -= n
}

func (m *memory) now() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.taken
}

// dialed is a client that does not read by itself.
func dialed(t *testing.T, server *httptest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// dialedTLS is dialed over TLS.
func dialedTLS(t *testing.T, server *httptest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	over := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // it is the server of the test
	t.Cleanup(func() { _ = over.Close() })
	if _, err := io.WriteString(over, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return over
}

// TestSlowClient: one that does not read keeps a part of one message and no batch, gets every
// message in order when it reads, and leaves nothing behind. So it is where a connection cannot be
// cut short: the client keeps one message then.
func TestSlowClient(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *httptest.Server) io.Reader{
		"HTTP/1.1": func(t *testing.T, s *httptest.Server) io.Reader { return dialed(t, s) },
		"TLS":      func(t *testing.T, s *httptest.Server) io.Reader { return dialedTLS(t, s) },
		"HTTP/2.0": func(t *testing.T, s *httptest.Server) io.Reader {
			resp, err := s.Client().Get(s.URL)
			if err != nil || resp.ProtoMajor != 2 {
				t.Fatalf("%v, %v", resp, err)
			}
			t.Cleanup(func() { _ = resp.Body.Close() })
			return resp.Body
		},
	} {
		t.Run(name, func(t *testing.T) { testSlowClient(t, name, open) })
	}
}

func testSlowClient(t *testing.T, proto string, open func(*testing.T, *httptest.Server) io.Reader) {
	const most, size = 600, 20_000
	m := newMessages(most, func(int) []byte { return bytes.Repeat([]byte("x"), size) })
	held := &memory{most: 1 << 20}
	serve := func(w http.ResponseWriter, r *http.Request) {
		sse.Serve(w, r, &sse.Options{Patience: time.Minute, Room: outlet.NewRoom(held)}, m)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(serve))
	if server.EnableHTTP2 = proto == "HTTP/2.0"; proto == "HTTP/1.1" {
		server.Start()
	} else {
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	conn := open(t, server)
	// A batch is dropped but for a message once the client takes no more.
	deadline := time.Now().Add(time.Minute)
	for taken := held.now(); taken == 0 || taken > size+200; taken = held.now() {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are held for a client that does not read", taken)
		}
		runtime.Gosched()
	}
	scan := bufio.NewScanner(conn)
	scan.Buffer(nil, 2*size)
	n := 0
	for n < most && scan.Scan() {
		if id, is := strings.CutPrefix(scan.Text(), "id: "); is {
			if id != strconv.Itoa(n) {
				t.Fatalf("message %s arrived in the place of %d", id, n)
			}
			n++
		}
	}
	<-m.end
	if n != most || held.now() != 0 {
		t.Errorf("%d messages arrived, %d bytes are held: %v", n, held.now(), scan.Err())
	}
}

// crowd is a source that counts how many are asked at once.
type crowd struct {
	inside, most *atomic.Int64
	open         <-chan struct{}
	full         func()
}

func (c *crowd) Begin(func())  {}
func (c *crowd) Close()        {}
func (c *crowd) Sent(int) bool { return true }

func (c *crowd) Next(context.Context, *outlet.Batch) (time.Time, error) {
	n := c.inside.Add(1)
	defer c.inside.Add(-1)
	for {
		if most := c.most.Load(); n <= most || c.most.CompareAndSwap(most, n) {
			break
		}
	}
	if n == 64 {
		c.full()
	}
	<-c.open
	return time.Time{}, errEnd
}

// TestTurns: however many streams are woken at once, 64 of them make a batch.
func TestTurns(t *testing.T) {
	const streams = 200
	var inside, most atomic.Int64
	full, open := make(chan struct{}), make(chan struct{})
	all := sync.OnceFunc(func() { close(full) })
	room := outlet.NewRoom(&memory{most: 1 << 30})
	var ended, called sync.WaitGroup
	ended.Add(streams)
	called.Add(streams)
	server := served(t, false, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		defer called.Done()
		sse.Serve(w, r, &sse.Options{Room: room, Closed: func(sse.Summary) { ended.Done() }},
			&crowd{&inside, &most, open, all})
	})
	for range streams {
		dialed(t, server)
	}
	<-full
	called.Wait()
	for range 1000 {
		runtime.Gosched()
	}
	close(open)
	ended.Wait()
	if most.Load() != 64 {
		t.Errorf("%d batches were made at once", most.Load())
	}
}

// TestClientThatDoesNotRead is cut off.
func TestClientThatDoesNotRead(t *testing.T) {
	m := newMessages(1000, func(int) []byte { return make([]byte, 1<<20) })
	server := served(t, false, time.Second, func(w http.ResponseWriter, r *http.Request) {
		sse.Serve(w, r, &sse.Options{Patience: 50 * time.Millisecond}, m)
	})
	dialed(t, server)
	<-m.end
}

// TestNoMemory: a stream waits until there is memory, and goes on.
func TestNoMemory(t *testing.T) {
	m := newMessages(3, func(int) []byte { return []byte("x") })
	held := &memory{refused: make(chan struct{}, 1)}
	server := served(t, false, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		sse.Serve(w, r, &sse.Options{Room: outlet.NewRoom(held), Retry: time.Second}, m)
	})
	conn := dialed(t, server)
	<-held.refused
	held.mu.Lock()
	held.most = 1 << 20
	held.mu.Unlock()
	text, err := io.ReadAll(conn)
	if _, body, _ := strings.Cut(string(text), "\r\n\r\n"); err != nil || body != "retry: 1000\n\nid: 0\ndata: x\n\nid: 1\ndata: x\n\nid: 2\ndata: x\n\n" {
		t.Errorf("%q, %v", body, err)
	}
}

// TestEnding: a host that stops ends its streams without a word.
func TestEnding(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	m := newMessages(1, func(int) []byte { return []byte("x") })
	m.stays = true
	closed := make(chan sse.Summary, 1)
	server := served(t, false, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		sse.Serve(w, r, &sse.Options{Ending: ctx, Retry: time.Second, Closed: func(was sse.Summary) { closed <- was }}, m)
	})
	conn := bufio.NewReader(dialed(t, server))
	for line := ""; line != "data: x\n"; {
		var err error
		if line, err = conn.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-m.end
	if was := <-closed; was.Sent != int64(len("retry: 1000\n\nid: 0\ndata: x\n\n")) || was.Path != "/" || was.Took <= 0 {
		t.Errorf("the stream was %+v", was)
	}
	if rest, err := io.ReadAll(conn); string(rest) != "\n" || err != nil {
		t.Errorf("the end is %q, %v", rest, err)
	}
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		lines               []string
		accepted, preferred bool
	}{
		{nil, true, false},
		{[]string{"*/*"}, true, false},
		{[]string{"text/*;q=0.1"}, true, false},
		{[]string{"text/event-stream"}, true, true},
		{[]string{"Text/Event-Stream; q=0.5"}, true, true},
		{[]string{"text/event-stream, application/json"}, true, true},
		{[]string{"application/json", "text/event-stream"}, true, false},
		{[]string{"application/json;q=0.5, text/event-stream, text/html"}, true, true},
		{[]string{"text/event-stream;q=0.5, application/json;q=0.5, text/event-stream;q=0.4"}, true, true},
		{[]string{"application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed"}, true, false},
		{[]string{"application/json", "text/event-stream;q=0.9"}, true, false},
		{[]string{"text/event-stream;q=0, */*"}, false, false},
		{[]string{"text/event-stream;q=many"}, false, false},
		{[]string{"application/json"}, false, false},
		{[]string{"text/html, */*;q=0"}, false, false},
	} {
		if accepted, preferred := sse.Accepts(c.lines); accepted != c.accepted || preferred != c.preferred {
			t.Errorf("%q: %v, preferred %v", c.lines, accepted, preferred)
		}
	}
}

// early is a source that is woken in Begin, as by a subscription that has messages at once.
type early struct {
	*messages
	began bool
}

func (e *early) Begin(wake func()) {
	wake()
	time.Sleep(10 * time.Millisecond) // time enough for a pump that would not wait
	e.began = true
}

func (e *early) Next(ctx context.Context, b *outlet.Batch) (time.Time, error) {
	if !e.began {
		(&sse.Event{Data: []byte("too early")}).Write(b)
	}
	return e.messages.Next(ctx, b)
}

// TestWokenInBegin: a source is asked for messages once Begin has returned.
func TestWokenInBegin(t *testing.T) {
	source := &early{messages: newMessages(1, func(int) []byte { return []byte("in time") })}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { sse.Serve(w, r, nil, source) }))
	defer server.Close()
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Get(server.URL) //nolint:noctx // it has a timeout
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || strings.Contains(string(body), "too early") || !strings.Contains(string(body), "data: in time\n") {
		t.Errorf("%v, %q", err, body)
	}
}
