package facade

import (
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// Position is a place in the log of one host: greater means later, gaps mean nothing. 0 stands
// before every event of every log. The upper bits are the identity of the log, so that a
// position of another log is recognised ([Resumable]); the text is opaque to clients.
type Position int64

// countBits are the lower bits of a Position, which grow; the bits above identify the log.
// The count begins at the clock, in quarters of a millisecond since epoch, and takes 69 years
// to fill where events are rarer than 4,000 a second.
const countBits = 43

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// NewLog returns the position that stands before the first event of a new log. Its identity
// is random.
func NewLog(now time.Time) Position {
	return Position(1+rand.Int64N(1<<(63-countBits)-1))<<countBits | clock(now)
}

// TakenOver returns the position from which a process that begins to give positions goes on,
// where p was the last one given: p, or the clock's where that is later. A database that is
// restored from a backup thereby gives no position a second time that it gave after the backup.
func (p Position) TakenOver(now time.Time) Position {
	return max(p, p>>countBits<<countBits|clock(now))
}

// clock is the count of a moment.
func clock(now time.Time) Position {
	return Position(min(max(now.Sub(epoch)/(time.Millisecond/4), 0), 1<<(countBits-1)))
}

// positionText has the order of positions. 13 characters are 65 bits, of which the last is 0.
var positionText = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// String is the text of MarshalText.
func (p Position) String() string {
	return positionText.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(p)))
}

// MarshalText implements [encoding.TextMarshaler]: 13 letters and digits that sort as positions
// do. It never fails.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]; see [ParsePosition].
func (p *Position) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePosition(string(text))
	return err
}

// ParsePosition reads what [Position.MarshalText] wrote. The error is VALIDATION_FAILED.
func ParsePosition(text string) (Position, error) {
	b, err := positionText.DecodeString(text)
	if err == nil && len(b) == 8 {
		if p := Position(binary.BigEndian.Uint64(b)); p >= 0 && p.String() == text {
			return p, nil
		}
	}
	named := kiterror.Quoted(text)
	if text != "" { // which has quotes
		named = `"` + named + `"`
	}
	return 0, kiterror.Errorf(kiterror.ValidationFailed, "%s is no position; send one that came with an event, as it came, or leave it out", named)
}

// PositionHeader is the HTTP header of [Page.Position], beside answers whose body has no place
// for it.
const PositionHeader = "X-Frond-Position"

// Resumable returns why a reader that is at after cannot go on in the log that has this span
// ([EventLog.Span]): VALIDATION_FAILED for a position of another log or one that was not given
// yet, and GONE for one behind which events have been trimmed. 0 can always go on: it reads
// what there is.
func Resumable(after, oldest, last Position) error {
	switch {
	case after == 0:
		return nil
	case after>>countBits != last>>countBits:
		return kiterror.Errorf(kiterror.ValidationFailed, "the position %s is one of another host's log, or of one that was replaced; read the rows again, and go on from the position of that page", after)
	case after > last:
		return kiterror.Errorf(kiterror.ValidationFailed, "the position %s has not been given yet, the last one is %s; send one that came with an event, or leave it out", after, last)
	case after < oldest:
		err := kiterror.Errorf(kiterror.Gone, "the events after the position %s are no longer kept; read the rows again, and go on from the position of that page, or lose some and go on from %s, the oldest one", after, oldest)
		err.Details = map[string]any{"oldest": oldest.String()}
		return err
	}
	return nil
}
