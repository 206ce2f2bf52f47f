package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// here is the frame of an answer; %ID is the id of the request.
const here = `{"jsonrpc":"2.0","id":%ID,"result":"here"}`

// scripted is a host that answers requests with given bytes, in which %ID is the id of the request
// and %LEN the length of here.
type scripted struct {
	answer      func(n int) string // to the n-th request of a connection, from 1; "": the connection is closed
	mu          sync.Mutex
	connections int
	requests    []string // without the frames
}

// start serves until the test ends and returns the address.
func (s *scripted) start(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
			go s.serve(conn)
		}
	}()
	return "http://ada:secret@" + l.Addr().String() + "/base"
}

// seen returns how many connections came, and the first request.
func (s *scripted) seen() (connections int, request string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections, s.requests[0]
}

func (s *scripted) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for n := 1; ; n++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		frame, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header["Authorization"], r.Header["Content-Type"], r.Header["Accept"]))
		s.mu.Unlock()
		id, answer := idIn(string(frame)), s.answer(n)
		fill := strings.NewReplacer("%ID", id, "%LEN", fmt.Sprint(len(here)-len("%ID")+len(id)))
		if _, err := fill.WriteString(conn, answer); err != nil || answer == "" || strings.HasPrefix(answer, "HTTP/1.0") {
			return
		}
	}
}

// TestAnswersOverConnections: the head of an answer says how long the body is and whether the
// connection stays, in each way of HTTP/1.1; an answer that says it twice is none.
func TestAnswersOverConnections(t *testing.T) {
	const (
		ok    = "HTTP/1.1 200 OK\r\n"
		plain = ok + "Content-Type: application/json\r\nContent-Length: %LEN\r\n\r\n" + here
	)
	for _, c := range []struct {
		name, answer string
		connections  int // for three calls
		code         kiterror.Code
	}{
		{"a length", plain, 1, ""},
		{"a length in lower case, and a header that is unknown", ok + "content-length: %LEN\r\nx-else: 1\r\n\r\n" + here, 1, ""},
		{"chunks", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n" + "100000\r\n" + `nrpc":"2.0","id":%ID,"result":"here"` + strings.Repeat(" ", 0x100000-len(`nrpc":"2.0","id":`)-len(`,"result":"here"`)-1) + "\r\n1\r\n}\r\n0\r\n\r\n", 1, ""},
		{"the end of the connection", "HTTP/1.0 200 OK\r\n\r\n" + here, 3, ""},
		{"the end is announced", ok + "Connection: close\r\nContent-Length: %LEN\r\n\r\n" + here, 3, ""},
		{"interim answers first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + plain, 1, ""},
		{"bytes after the answer", plain + "HTTP/1.1 408 Request Timeout\r\n\r\n", 3, ""},
		{"two lengths", ok + "Content-Length: %LEN\r\nContent-Length: 5\r\n\r\n" + here, 3, kiterror.ServiceUnavailable},
		{"a length and chunks, a line of which ends in LF", ok + "Server: x\nTransfer-Encoding: chunked\r\nContent-Length: %LEN\r\n\r\n" + here + "\r\n", 3, kiterror.ServiceUnavailable},
		{"no HTTP", "SSH-2.0-x\r\n\r\n", 3, kiterror.ServiceUnavailable},
		{"an endless head", ok + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 3000) + "\r\n" + here, 3, kiterror.ServiceUnavailable},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 3, kiterror.BadGateway},
		{"the end before the answer", "", 3, kiterror.ServiceUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scripted{answer: func(int) string { return c.answer }}
			r := remote(t, s.start(t), &client.Options{Retries: -1, NoCoalesce: true})
			for range 3 {
				result, err := r.Call(t.Context(), change)
				if kiterror.CodeOf(err) != c.code || err == nil && string(result.Value) != `"here"` {
					t.Errorf("%v, %v, want %q", result, err, c.code)
				}
			}
			connections, request := s.seen()
			if connections != c.connections {
				t.Errorf("%d connections, want %d", connections, c.connections)
			}
			if want := `POST /base/_kit/call [Basic YWRhOnNlY3JldA==] [application/json] [application/json]`; request != want {
				t.Errorf("the request is %s, want %s", request, want)
			}
		})
	}
}

// TestClosedIdleConnection: a host that closes its idle connections loses no command.
func TestClosedIdleConnection(t *testing.T) {
	s := &scripted{answer: func(n int) string {
		if n > 1 {
			return ""
		}
		return "HTTP/1.1 200 OK\r\nContent-Length: %LEN\r\n\r\n" + here
	}}
	closed := make(chan net.Conn, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			closed <- conn
			go s.serve(conn)
		}
	}()
	r := remote(t, "http://"+l.Addr().String(), &client.Options{Retries: -1})
	for range 5 {
		if _, err := r.Call(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		_ = (<-closed).(*net.TCPConn).CloseWrite()
	}
}

// TestCallerLeavesExchange: the end of a caller ends the exchange, and its connection is not used
// again.
func TestCallerLeavesExchange(t *testing.T) {
	arrived, leave := make(chan bool), make(chan bool)
	s := &scripted{}
	s.answer = func(int) string {
		s.mu.Lock()
		first := s.connections == 1
		s.mu.Unlock()
		if first {
			close(arrived)
			<-leave
		}
		return "HTTP/1.1 200 OK\r\nContent-Length: %LEN\r\n\r\n" + here
	}
	r := remote(t, s.start(t), &client.Options{Retries: -1})
	defer close(leave)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := r.Call(ctx, change); kiterror.CodeOf(err) != kiterror.RequestTimeout {
		t.Errorf("a caller that left: %v", err)
	}
	result, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "change"})
	if connections, _ := s.seen(); err != nil || string(result.Value) != `"here"` || connections != 2 {
		t.Errorf("%v, %v over %d connections, want 2", result, err, connections)
	}
}

// TestIdleConnectionsExpire: a connection that nobody uses is closed, and the next call has another
// one.
func TestIdleConnectionsExpire(t *testing.T) {
	s := &scripted{answer: func(int) string { return "HTTP/1.1 200 OK\r\nContent-Length: %LEN\r\n\r\n" + here }}
	r := remote(t, s.start(t), nil)
	for want := 1; want < 4; want++ {
		_, err := r.Call(t.Context(), change)
		if connections, _ := s.seen(); err != nil || connections != want {
			t.Errorf("%v over %d connections, want %d", err, connections, want)
		}
		if n := r.Age(); n != 0 {
			t.Errorf("%d old connections stay", n)
		}
	}
}
