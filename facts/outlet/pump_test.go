package outlet_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facts/outlet"
)

// wrapped is a connection that a server has wrapped. It counts the deadlines that it is given.
type wrapped struct {
	net.Conn
	deadlines atomic.Int64
}

func (c *wrapped) Plain() net.Conn { return c.Conn }

func (c *wrapped) SetWriteDeadline(t time.Time) error {
	c.deadlines.Add(1)
	return c.Conn.SetWriteDeadline(t)
}

// connected are both ends of a connection.
func connected(t *testing.T) (server *wrapped, client net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), conn.Close() })
	return &wrapped{Conn: conn}, client
}

// texts is a source whose messages come by a channel.
type texts struct {
	messages chan string
	asked    atomic.Int64
	more     bool
	sent     chan int // an element for each batch
	closed   chan struct{}
}

func (s *texts) Next(_ context.Context, b *outlet.Batch) (at time.Time, err error) {
	s.asked.Add(1)
	select {
	case m := <-s.messages:
		b.Text = append(b.Text, m...)
		b.End()
	default:
	}
	return at, nil
}

func (s *texts) Sent(n int) (more bool) {
	s.sent <- n
	return s.more
}

func (s *texts) HangUp() {}

func (s *texts) Close() { close(s.closed) }

// TestAskedOnce: a source is asked once for a message behind which it waits, and a message that the
// client accepts at once is written without a deadline.
func TestAskedOnce(t *testing.T) {
	for _, more := range []bool{false, true} {
		server, client := connected(t)
		source := &texts{messages: make(chan string, 10), sent: make(chan int, 10), closed: make(chan struct{}), more: more}
		pump := outlet.NewPump(t.Context(), server, time.Second, outlet.NewRoom(nil), source)
		source.messages <- "one "
		pump.Start()
		for _, text := range []string{"two ", "three"} {
			<-source.sent
			source.messages <- text
			pump.Wake()
		}
		<-source.sent
		pump.End()
		<-source.closed
		_ = server.Close()
		text, err := io.ReadAll(client)
		if string(text) != "one two three" || err != nil || pump.Sent() != int64(len(text)) {
			t.Errorf("the client has %q, %d bytes were counted: %v", text, pump.Sent(), err)
		}
		if n := source.asked.Load(); !more && n != 3 {
			t.Errorf("the source was asked %d times for 3 messages", n)
		}
		if n := server.deadlines.Load(); n > 0 {
			t.Errorf("%d deadlines were set", n)
		}
	}
}

// TestAskedAgain: a source that has more is asked until it has none.
func TestAskedAgain(t *testing.T) {
	server, client := connected(t)
	source := &texts{messages: make(chan string, 10), sent: make(chan int, 10), closed: make(chan struct{}), more: true}
	for _, text := range strings.Fields("a b c") {
		source.messages <- text
	}
	pump := outlet.NewPump(t.Context(), server, time.Second, nil, source)
	pump.Start()
	for range 3 {
		<-source.sent
	}
	pump.End()
	<-source.closed
	_ = server.Close()
	if text, err := io.ReadAll(client); string(text) != "abc" || err != nil {
		t.Errorf("the client has %q: %v", text, err)
	}
}
