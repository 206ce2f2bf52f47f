package jsontext

import "sync"

// Buffer is JSON text being written, usually an answer. Buffers are pooled: take one with
// [TakeBuffer], append to Text, and [Buffer.Release] it once the text was sent or copied.
// A Buffer is for one goroutine.
type Buffer struct{ Text []byte }

// maxPooled is the capacity in bytes up to which a buffer is pooled. Larger ones are rare;
// pooled, each would keep the memory of the largest answer it ever had.
const maxPooled = 1 << 20

// buffers is the pool. What it returns is empty and has the capacity it grew to.
var buffers = sync.Pool{New: func() any { return &Buffer{Text: make([]byte, 0, 4096)} }}

// TakeBuffer returns an empty buffer, which the caller releases. It may be called from
// many goroutines.
func TakeBuffer() *Buffer { return buffers.Get().(*Buffer) }

// Release returns the buffer to the pool. The caller must not use b or any slice of its
// text afterwards: the next user overwrites it.
func (b *Buffer) Release() {
	if cap(b.Text) > maxPooled {
		return
	}
	b.Text = b.Text[:0]
	buffers.Put(b)
}
