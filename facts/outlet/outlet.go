// Package outlet writes messages to subscribers, which may be slow.
//
//	batch, err := out.Batch()          // SERVICE_UNAVAILABLE: try again in a moment
//	batch.Text = append(batch.Text, …)
//	batch.End()                        // of a message
//	sent, err := out.Send(batch)       // messages behind the first sent are to be made again
//
// A subscriber that does not accept a batch within a moment holds the rest of one message, and
// its place in the log. The buffers of all subscribers are taken of one [Memory].
package outlet

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"slices"
	"sort"
	"sync"
	"time"
)

// Size is how many bytes of text a batch has before it is sent.
const Size = 64 << 10

const (
	// batchMemory is what a batch takes while it is made: the events, their rows and the text.
	batchMemory = 3 * Size
	// moment is how long a batch waits for the client before its messages are dropped.
	moment = 10 * time.Millisecond
	// kernelBuffer is how many bytes the system keeps for a connection. By itself it would keep
	// up to 4 MiB for a client that does not read.
	kernelBuffer = 2 * Size
)

// Memory bounds the bytes of all subscribers. [facade.Budget] is one.
type Memory interface {
	// Take takes bytes, or returns why there are none.
	Take(n int) error
	// Add takes bytes whether there are any or not.
	Add(n int)
	// Give gives bytes back.
	Give(n int)
}

// Writer is a network connection as far as an outlet uses it.
type Writer interface {
	Write(p []byte) (int, error)
	SetWriteDeadline(t time.Time) error
}

// Outlet writes to one client. It is used by one goroutine at a time.
type Outlet struct {
	to       Writer
	memory   Memory
	patience time.Duration
	// whole says that a write that was cut short breaks the connection: of TLS, and of HTTP/2.
	whole  bool
	failed error
	sent   int64
}

// New returns an outlet to a client that may take so long to accept one message.
func New(to Writer, patience time.Duration, memory Memory) *Outlet {
	o := &Outlet{to: to, memory: memory, patience: patience}
	switch conn := to.(type) {
	case *tls.Conn:
		o.whole = true
		bound(conn.NetConn())
	case net.Conn:
		bound(conn)
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

// Sent is how many bytes the client has accepted.
func (o *Outlet) Sent() int64 { return o.sent }

// Batch is messages that are sent together. It is used once.
type Batch struct {
	Text []byte

	memory Memory
	ends   []int // of the messages in Text
	taken  int
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// Batch returns an empty batch, or the error of the memory. It has to be sent or released.
func (o *Outlet) Batch() (*Batch, error) {
	if o.memory != nil {
		if err := o.memory.Take(batchMemory); err != nil {
			return nil, err
		}
	}
	b := batches.Get().(*Batch) //nolint:forcetypeassert // the pool has nothing else
	b.memory, b.taken = o.memory, batchMemory
	return b, nil
}

// End ends a message.
func (b *Batch) End() { b.ends = append(b.ends, len(b.Text)) }

// Len is the number of messages.
func (b *Batch) Len() int { return len(b.ends) }

// Full reports whether the batch is to be sent before another message is added.
func (b *Batch) Full() bool { return len(b.Text) >= Size }

// Release gives a batch back that is not sent.
func (b *Batch) Release() {
	if b.memory != nil {
		b.memory.Give(b.taken)
	}
	if b.memory, b.Text, b.ends = nil, b.Text[:0], b.ends[:0]; cap(b.Text) > 2*Size {
		b.Text = nil // a large message must not stay
	}
	batches.Put(b)
}

// Send sends a batch and releases it. It returns how many messages the client has, or gets before
// anything else: those behind them were dropped. An error is final: the client is gone, does not
// read, or there is no memory for the message that it has a part of.
func (o *Outlet) Send(b *Batch) (sent int, err error) {
	if o.whole {
		return o.SendWhole(b)
	}
	b.made()
	n, err := o.write(b.Text, moment)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		sent = len(b.ends)
		b.Release()
		return sent, err
	}
	i := sort.Search(len(b.ends), func(i int) bool { return b.ends[i] > n })
	rest := slices.Clone(b.Text[n:b.ends[i]])
	b.Release()
	if o.memory != nil {
		if o.failed = o.memory.Take(len(rest)); o.failed != nil {
			return i, o.failed
		}
		defer o.memory.Give(len(rest))
	}
	o.failed = nil
	_, err = o.write(rest, o.patience)
	return i + 1, err
}

// SendWhole is Send for messages that cannot be made again: none is dropped.
func (o *Outlet) SendWhole(b *Batch) (sent int, err error) {
	b.made()
	defer b.Release()
	_, err = o.write(b.Text, o.patience)
	return len(b.ends), err
}

// made gives back what a batch took to be made, but for its text.
func (b *Batch) made() {
	if b.memory != nil {
		b.memory.Give(b.taken)
		b.taken = max(len(b.Text), Size)
		b.memory.Add(b.taken)
	}
}

// write writes within a time. A part may have left where it fails.
func (o *Outlet) write(text []byte, within time.Duration) (n int, err error) {
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
