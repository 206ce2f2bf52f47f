package client

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/frondhost/frond/envelope/wire"
)

// position is a place in the list of a host that returns no cursor for it: some rows behind
// one of the host's own cursors, or behind the beginning. Cursors made from positions work
// where the host accepts offset, or after.
//
// A cursor is base64url of
//
//	1 byte     positionVersion
//	8 bytes    mark
//	varint     rows
//	the rest   after
type position struct {
	after string // a cursor of the host's; "": the beginning
	rows  int    // behind it
}

const positionVersion = 0x70 // no cursor of a store begins with this byte

// cursor is the cursor n rows further. mark binds it to one list in one order.
func (p position) cursor(n int, mark uint64) string {
	raw := binary.BigEndian.AppendUint64([]byte{positionVersion}, mark)
	raw = binary.AppendUvarint(raw, uint64(p.rows+n)) //nolint:gosec // both count rows
	return base64.RawURLEncoding.EncodeToString(append(raw, p.after...))
}

// readPosition reads what cursor wrote; ok is false for the cursors of hosts and those of
// another mark.
func readPosition(cursor string, mark uint64) (p position, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 10 || raw[0] != positionVersion || binary.BigEndian.Uint64(raw[1:9]) != mark {
		return p, false
	}
	rows, n := binary.Uvarint(raw[9:])
	if n <= 0 || rows > wire.MaxOffset {
		return p, false
	}
	return position{string(raw[9+n:]), int(rows)}, true
}
