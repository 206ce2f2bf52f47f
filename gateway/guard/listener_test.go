package guard_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway/guard"
)

// served serves a handler behind guard.Listener, and returns a connection to it.
func served(t *testing.T, h http.HandlerFunc) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(guard.Listener(l)) }()
	t.Cleanup(func() { _ = server.Close() })
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestAnswersOfEachSize: answers on one connection are whole, above all those that fill the buffer of
// net/http with their last byte.
func TestAnswersOfEachSize(t *testing.T) {
	text := func(n int) []byte { return bytes.Repeat([]byte("0123456789"), n/10+1)[:n] }
	conn := served(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		if r.URL.Path != "/chunked" {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		_, _ = w.Write(text(n / 3))
		_, _ = w.Write(text(n)[n/3:])
	})
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	sizes := []int{0, 1, 100, 5000, 8192, 20_000, 300_000}
	for n := 3900; n <= 4100; n++ { // headers and body together have 4,096 bytes
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		for _, to := range []string{"GET /", "HEAD /", "GET /chunked"} {
			if _, err := fmt.Fprintf(conn, "%s?n=%d HTTP/1.1\r\nHost: x\r\n\r\n", to, n); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(in, &http.Request{Method: strings.Fields(to)[0]})
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", to, n, err)
			}
			got, err := io.ReadAll(resp.Body)
			if to != "HEAD /" && !bytes.Equal(got, text(n)) || err != nil {
				t.Errorf("%s of %d bytes: %d bytes, %v", to, n, len(got), err)
			}
			_ = resp.Body.Close()
		}
	}
}

// TestFirstPieceWaits: the first 4 KB of an answer leave with the next write of the handler.
func TestFirstPieceWaits(t *testing.T) {
	more := make(chan struct{})
	conn := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9000")
		_, _ = w.Write(make([]byte, 4500))
		<-more
		_, _ = w.Write(make([]byte, 4500))
	})
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n > 0 {
		t.Errorf("the first piece came alone: %v", err)
	}
	close(more)
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != 9000 || err != nil {
		t.Errorf("%d bytes: %v", n, err)
	}
	_ = resp.Body.Close()
}
