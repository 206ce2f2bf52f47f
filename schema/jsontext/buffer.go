package jsontext

import "sync"

// Buffer is JSON text being written: an answer on its way out. Those of usual size
// are used again.
type Buffer struct{ Text []byte }

// maxPooled is how large a buffer may have become to be kept; larger ones are rare,
// and kept they would hold the memory of the largest answer ever given.
const maxPooled = 1 << 20

// buffers are given back with what they have grown to, up to a bound.
var buffers = sync.Pool{New: func() any { return &Buffer{Text: make([]byte, 0, 4096)} }}

// TakeBuffer is an empty buffer. Whoever takes it releases it.
func TakeBuffer() *Buffer { return buffers.Get().(*Buffer) }

// Release gives the buffer back; its text is no longer the caller's to read.
func (b *Buffer) Release() {
	if cap(b.Text) > maxPooled {
		return
	}
	b.Text = b.Text[:0]
	buffers.Put(b)
}
