package gateway

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"runtime/debug"
)

// packedFrom is the length, in bytes, from which a document is kept packed. A document of 3,000 cards has
// 45 MB, and 2 MB packed.
const packedFrom = 1 << 20

// document is a text for many requests, packed if it is long.
type document struct {
	text   []byte // nil: it is packed
	packed []byte
	size   int64 // of the text
}

// keep keeps a text; the caller calls giveBack once it holds the text no more.
func keep(text []byte) *document {
	if len(text) < packedFrom {
		return &document{text: text, size: int64(len(text))}
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is known
	_, _ = w.Write(text)                         // a buffer takes everything
	_ = w.Close()
	return &document{packed: bytes.Clone(b.Bytes()), size: int64(len(text))}
}

// open returns a reader of the text.
func (d *document) open() io.ReadSeeker {
	if d.packed == nil {
		return bytes.NewReader(d.text)
	}
	return &unpacking{document: d}
}

// giveBack gives the memory back that only the writing of a long text needed.
func (d *document) giveBack() {
	if d.packed != nil {
		debug.FreeOSMemory()
	}
}

// unpacking reads a packed text. A seek backwards unpacks it from its beginning.
type unpacking struct {
	document *document
	from     io.Reader // nil: nothing was read
	done, at int64     // what from has given, and where the next Read begins
}

// Read implements [io.Reader].
func (u *unpacking) Read(p []byte) (n int, err error) {
	if u.from == nil || u.done > u.at {
		u.from, u.done = flate.NewReader(bytes.NewReader(u.document.packed)), 0
	}
	skipped, err := io.CopyN(io.Discard, u.from, u.at-u.done)
	if u.done += skipped; err != nil {
		return 0, err
	}
	n, err = u.from.Read(p)
	u.done += int64(n)
	u.at = u.done
	return n, err
}

// Seek implements [io.Seeker].
func (u *unpacking) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += u.at
	case io.SeekEnd:
		offset += u.document.size
	}
	if offset < 0 {
		return 0, errors.New("a place before the text")
	}
	u.at = offset
	return offset, nil
}
