package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// wire reads a server's messages. Each is a byte that says its kind, four with the length of the
// rest, themselves included, and the body. Most are rows, which pgproto3 takes twice the time for.
type wire struct {
	from io.Reader
	// room has the bytes that were read; those from at to end are still to be taken.
	room    []byte
	at, end int
	// values are the values of the last row.
	values [][]byte
}

// roomy is how many bytes are read at once, as many as a server sends, unless a message is longer.
const roomy = 8 << 10

// errGarbled is the error of bytes that are no message.
var errGarbled = errors.New("the server sent a message that cannot be read")

// next takes the next message. The body is valid until the one after it.
func (w *wire) next() (kind byte, body []byte, err error) {
	if err := w.fill(5); err != nil {
		return 0, nil, err
	}
	size := 1 + int(int32(binary.BigEndian.Uint32(w.room[w.at+1:]))) //nolint:gosec // two's complement on the wire
	if size < 5 {
		return 0, nil, errGarbled
	}
	if err := w.fill(size); err != nil {
		return 0, nil, err
	}
	kind, body = w.room[w.at], w.room[w.at+5:w.at+size]
	w.at += size
	return kind, body, nil
}

// fill reads until n bytes are to be taken.
func (w *wire) fill(n int) error {
	if w.end-w.at >= n {
		return nil
	}
	room := w.room
	if n > len(room) {
		room = make([]byte, max(n, 2*len(room), roomy))
	}
	w.end = copy(room, w.room[w.at:w.end])
	w.room, w.at = room, 0
	for w.end < n {
		read, err := w.from.Read(room[w.end:])
		if w.end += read; err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && w.end < n {
			return err
		}
	}
	return nil
}

// shrink drops the room of a large message once it is empty.
func (w *wire) shrink() {
	if len(w.room) > 16*roomy && w.at == w.end {
		*w = wire{from: w.from}
	}
}

// row returns the values of a row; nil is null. They are valid until the next message.
func (w *wire) row(body []byte) ([][]byte, error) {
	if len(body) < 2 {
		return nil, errGarbled
	}
	n := int(binary.BigEndian.Uint16(body))
	w.values = slices.Grow(w.values[:0], n)[:n]
	body = body[2:]
	for i := range w.values {
		if len(body) < 4 {
			return nil, errGarbled
		}
		size := int(int32(binary.BigEndian.Uint32(body))) //nolint:gosec // two's complement on the wire
		if body = body[4:]; size < 0 {
			w.values[i] = nil
			continue
		}
		if size > len(body) {
			return nil, errGarbled
		}
		w.values[i], body = body[:size:size], body[size:]
	}
	return w.values, nil
}

// other returns an error for a message of an unknown kind, or of one whose rest would stay unread.
func other(kind byte) error {
	switch kind {
	case '2', '3', 'A', 'S', 'n', 's', 't': // BindComplete and others
		return nil
	case 'G', 'H', 'W':
		return errors.New("the server began to copy")
	}
	return fmt.Errorf("%w: it is of the kind %q", errGarbled, kind)
}
