package sse_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facts/sse"
)

// TestText is the text of events, heartbeats and the head.
func TestText(t *testing.T) {
	w := httptest.NewRecorder()
	s, err := sse.Begin(w, &sse.Options{Retry: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []sse.Event{
		{ID: "7", Name: "orderPlaced", Data: []byte(`{"a":1}`)},
		{Data: []byte("{\r\n\"a\":\n1\r}")},
		{Name: "end"},
	} {
		if err := s.Send(e); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(w.Body.String(), "orderPlaced") {
		t.Error("an event was sent before the flush")
	}
	for _, id := range []string{"", "9"} {
		if err := s.Beat(id); err != nil {
			t.Fatal(err)
		}
	}
	want := "retry: 1000\n\n" +
		"id: 7\nevent: orderPlaced\ndata: {\"a\":1}\n\n" +
		"data: {\ndata: \"a\":\ndata: 1\ndata: }\n\n" +
		"event: end\ndata: \n\n" +
		":\n\nid: 9\n\n"
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
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
// reading a request and writing an answer, over both versions of HTTP.
func TestOutlivesTheServersLimits(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := make(chan struct{})
			gone := make(chan error, 1)
			handler := func(w http.ResponseWriter, r *http.Request) {
				s, err := sse.Begin(w, nil)
				if err != nil {
					gone <- err
					return
				}
				for range next {
					if err := r.Context().Err(); err != nil {
						gone <- err
						return
					}
					_ = s.Send(sse.Event{Data: []byte("x")})
					if err := s.Flush(); err != nil {
						gone <- err
						return
					}
				}
				gone <- nil
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			limit := time.Second / 2
			var resp *http.Response
			for connected := false; !connected; { // the limits are for the handshake, too
				limit *= 2
				server := served(t, http2, limit, handler)
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
			if resp.Proto != name {
				t.Fatalf("the answer is %s", resp.Proto)
			}
			lines := bufio.NewScanner(resp.Body)
			for i := range 2 {
				if i > 0 {
					time.Sleep(limit + limit/5) // the limits themselves are what passes here
				}
				next <- struct{}{}
				arrived := false
				for !arrived && lines.Scan() {
					arrived = lines.Text() == "data: x"
				}
				if !arrived {
					t.Fatalf("event %d did not arrive: %v", i, lines.Err())
				}
			}
			close(next)
			if err := <-gone; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestSlowClient: one that does not read is cut off, and its error stays.
func TestSlowClient(t *testing.T) {
	ended := make(chan error, 1)
	server := served(t, false, time.Second, func(w http.ResponseWriter, _ *http.Request) {
		s, err := sse.Begin(w, &sse.Options{Patience: 50 * time.Millisecond})
		for err == nil {
			err = s.Send(sse.Event{Data: make([]byte, 1<<20)})
		}
		if again := s.Beat(""); !errors.Is(again, err) {
			err = errors.New("a heartbeat was sent after a failure")
		}
		ended <- err
	})
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the stream ended with %v", err)
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
