package jsontext

import "sync"

// Buffer is JSON text being written: an answer on its way out. Buffers of usual size are used
// again, because an answer would else be allocated and dropped for every request. A Buffer
// belongs to one goroutine at a time.
type Buffer struct{ Text []byte }

// maxPooled is how large, in bytes, a buffer may have become to be kept. Larger ones are rare,
// and kept they would hold the memory of the largest answer ever given (docs/decisions/budgets.md).
const maxPooled = 1 << 20

// buffers is the pool. What it returns is empty and has the capacity it grew to.
var buffers = sync.Pool{New: func() any { return &Buffer{Text: make([]byte, 0, 4096)} }}

// TakeBuffer returns an empty buffer; its capacity is 4 KiB or what an earlier use has grown
// it to. The caller releases it, and appends to Text:
//
//	b := jsontext.TakeBuffer()
//	defer b.Release()
//	b.Text = card.AppendJSON(b.Text)
func TakeBuffer() *Buffer { return buffers.Get().(*Buffer) }

// Release gives the buffer back. Its text, and everything cut from it, is no longer the
// caller's to read: another goroutine may be writing there. Call it once.
func (b *Buffer) Release() {
	if cap(b.Text) > maxPooled {
		return
	}
	b.Text = b.Text[:0]
	buffers.Put(b)
}
