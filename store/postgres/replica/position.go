package replica

import (
	"fmt"
	"strconv"
	"strings"
)

// Position is a place in the log of a server (an LSN); positions grow. 0 is before all.
type Position uint64

// ParsePosition reads the text of a pg_lsn: two hexadecimal numbers, as 16/B374D848.
func ParsePosition(text string) (Position, error) {
	high, low, found := strings.Cut(text, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	if err == nil && found {
		var l uint64
		if l, err = strconv.ParseUint(low, 16, 32); err == nil {
			return Position(h<<32 | l), nil
		}
	}
	return 0, fmt.Errorf("%q is no position in a log", text)
}

// String is the position as PostgreSQL writes it.
func (p Position) String() string { return fmt.Sprintf("%X/%X", uint64(p)>>32, uint64(p)&0xffffffff) }
