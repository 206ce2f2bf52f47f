// Package outlet writes messages to subscribers, which may be slow.
//
//	pump := outlet.NewPump(ctx, conn, patience, room, source)
//	pump.Start()
//	pump.Wake() // the source may have messages again
//
// A [Pump] asks its [Source] for a batch of messages and sends it. A subscriber that does not accept
// a batch within a moment holds the rest of one message, and its place in the log. The buffers of
// all subscribers are taken of one [Room].
package outlet

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"slices"
	"sort"
	"sync"
	"syscall"
	"time"
)

// size is how many bytes of text a batch has before it is sent.
const size = 64 << 10

const (
	// batchMemory is about the memory of a batch while it is made: the events, their rows and
	// the text.
	batchMemory = 3 * size
	// moment is how long a batch waits for the client before its messages are dropped.
	moment = 2 * time.Millisecond
	// pieceSize is how many bytes a connection that cannot be cut short gets at a time. It is the
	// size of a record of TLS.
	pieceSize = 16 << 10
	// kernelBuffer is how many bytes the system keeps for a connection. By itself it would keep
	// up to 4 MiB for a client that does not read.
	kernelBuffer = 2 * size
)

// Writer is a network connection as far as a pump uses it.
type Writer interface {
	Write(p []byte) (int, error)
	SetWriteDeadline(t time.Time) error
}

// outlet writes to one client.
type outlet struct {
	to       Writer
	room     *Room
	patience time.Duration
	// whole says that a partial write breaks the connection: of TLS, and of HTTP/2.
	whole bool
	raw   syscall.RawConn // writes what the system takes at once; nil: there is none

	mu     sync.Mutex // held while a batch, and the rest of it, is written
	failed error
	sent   int64
}

// newOutlet returns an outlet to a client that may take so long to accept one message.
func newOutlet(to Writer, patience time.Duration, room *Room) *outlet {
	if wrapper, ok := to.(interface{ Plain() net.Conn }); ok {
		to = wrapper.Plain()
	}
	o := &outlet{to: to, room: room, patience: patience}
	switch conn := to.(type) {
	case *tls.Conn:
		o.whole = true
		bound(conn.NetConn())
	case net.Conn:
		bound(conn)
		if c, ok := conn.(syscall.Conn); ok {
			o.raw, _ = c.SyscallConn() // without it every write has a deadline
		}
	default:
		o.whole = true
	}
	return o
}

// bound bounds the buffer of the system for a connection.
func bound(conn net.Conn) {
	if c, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = c.SetWriteBuffer(kernelBuffer) // without it the subscriber only takes more memory
	}
}

// send sends the batch of a worker. It returns how many messages the client has, or gets before
// anything else: those behind them were dropped, unless all says that they cannot be made again.
// The worker leaves when it would wait for the client. An error is final: the client is gone, does
// not read, or there is no memory for the message that it has a part of.
func (o *outlet) send(w *worker, all bool) (sent int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		return 0, o.failed
	}
	b := w.batch
	b.made()
	if o.whole {
		return o.pieces(w, all)
	}
	n := o.attempt(&w.try, b.Text)
	if n < len(b.Text) {
		var more int
		more, err = o.write(b.Text[n:], moment)
		n += more
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return len(b.ends), err
	}
	last := len(b.ends) - 1
	if !all {
		last = sort.Search(last, func(i int) bool { return b.ends[i] > n })
	}
	rest := slices.Clone(b.Text[n:b.ends[last]])
	w.leave()
	o.failed = nil
	if err := o.hold(len(rest), all); err != nil {
		return last, err
	}
	defer o.room.add(-len(rest))
	_, err = o.write(rest, o.patience)
	return last + 1, err
}

// hold takes memory for bytes that the client does not accept yet.
func (o *outlet) hold(n int, all bool) error {
	if all {
		o.room.add(n)
		return nil
	}
	o.failed = o.room.take(n)
	return o.failed
}

// pieces is send without partial writes: it writes some messages at a time, and drops the batch
// behind those that the client does not accept within a moment.
func (o *outlet) pieces(w *worker, all bool) (sent int, err error) {
	b := w.batch
	for from := 0; sent < len(b.ends) && err == nil; {
		end := sent + 1
		for !all && end < len(b.ends) && b.ends[end]-from <= pieceSize || all && end < len(b.ends) {
			end++
		}
		to := b.ends[end-1]
		piece := slices.Clone(b.Text[from:to])
		slow := make(chan struct{})
		timer := time.AfterFunc(moment, func() {
			w.leave()
			close(slow)
		})
		o.room.add(len(piece))
		_, err = o.write(piece, o.patience)
		o.room.add(-len(piece))
		if !timer.Stop() {
			<-slow
			return end, err
		}
		from, sent = to, end
	}
	return sent, err
}

// attempt is a write that does not wait. A worker has one for all its clients.
type attempt struct {
	text []byte
	n    int
	call func(fd uintptr) bool // write, as a value that is made once
}

func (a *attempt) write(fd uintptr) bool {
	a.n = writeNow(fd, a.text)
	return true
}

// attempt writes the bytes that the client accepts at once, without a deadline, which costs as much
// as half of a write. It returns their number; a failure shows in the next write. o.mu is held.
func (o *outlet) attempt(a *attempt, text []byte) int {
	if o.raw == nil {
		return 0
	}
	if a.call == nil {
		a.call = a.write
	}
	a.text, a.n = text, 0
	_ = o.raw.Write(a.call)
	a.text = nil
	o.sent += int64(a.n)
	return a.n
}

// write writes within a time. A failed write may have sent a part. o.mu is held.
func (o *outlet) write(text []byte, within time.Duration) (n int, err error) {
	if o.failed != nil {
		return 0, o.failed
	}
	if o.failed = o.to.SetWriteDeadline(time.Now().Add(within)); o.failed == nil {
		n, o.failed = o.to.Write(text)
		o.sent += int64(n)
	}
	if o.failed == nil && o.whole {
		// A deadline that passes between two writes ends an HTTP/2 stream.
		o.failed = o.to.SetWriteDeadline(time.Time{})
	}
	return n, o.failed
}
