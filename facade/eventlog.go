package facade

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Outbox is a [Store] that keeps events in the transactions of the commands that cause them,
// and afterwards as a log that is read by position (docs/facts.md).
type Outbox interface {
	Transactor
	EventLog
	Cursors
	DeadLetters

	// Emit writes events within the transaction of ctx ([Transactor.Transact]): they are in
	// the log if and only if it commits. Without a transaction it is one of its own, and in a
	// dry run nothing is written. Position is not looked at; the slice may be reused afterwards,
	// the data behind it may not.
	Emit(ctx context.Context, events []Event) error

	// Relay gives positions to committed events that have none, and reports the last position
	// given and whether this process is the one that gives them. Any number of processes may
	// call it at any time; one at a time does the work, and another one takes over when it
	// is gone. A transaction that is still open holds up nothing: its events get their
	// positions when it has committed. Events of one entity and key keep their order. One call
	// gives a bounded number; it is called again while last grows.
	Relay(ctx context.Context) (last Position, leads bool, err error)

	// Trim removes events that were emitted before, limit at most, and reports how many: from
	// the oldest position on, up to the first that is younger. The last position stays known.
	Trim(ctx context.Context, before time.Time, limit int) (int, error)

	// Records reports whether the store keeps the events of a single write ([Terms]) in the
	// write's own transaction, without a [Transactor.Transact] around it. It may become true,
	// once; never false again.
	Records() bool

	// Quiet reports, without a statement, that no process has committed anything since a time; false
	// where that cannot be known.
	Quiet(since time.Time) bool

	// Behind counts the events that a consumer at a position has not delivered: the events of names (nil:
	// all) that are behind it or have no position yet, and up to it the dead letters of retrying
	// ("": none). since is when the first was emitted, zero where there is none.
	Behind(ctx context.Context, at Position, names []string, retrying string) (events int, since time.Time, err error)
}

// LogBytes is the size of an answer of [EventLog.Log]: an event is in it where those before it
// have fewer bytes of Data and Before. The log of a remote may answer more.
const LogBytes = 64 << 10

// EventLog is the log that the ways out read: the outbox of this host, or the log of a remote.
type EventLog interface {
	// Log reads the events after a position, oldest first, limit at most. It ends early once
	// they have [LogBytes], so that a reader holds little, however large the rows are. names are
	// the facts that are wanted as FROND.NAME; nil: all. behind is the position up to which the
	// answer is complete, so that the next read goes on from there also where no event of
	// names was found; it is after at the end of the log. Trimmed events are not among them: a reader that must not miss anything
	// compares Span's oldest with after when it has read.
	Log(ctx context.Context, after Position, names []string, limit int) (events []*Event, behind Position, err error)

	// Span says which positions the log holds: oldest is the position behind which nothing
	// has been trimmed, so that a reader at oldest or later misses nothing; last is the
	// last one given. A log that never held anything has equal ones, which are not 0: a reader
	// that begins at last sees the events from now on. [Resumable] judges a position by them.
	Span(ctx context.Context) (oldest, last Position, err error)

	// Committed is closed when events that this process emitted have been committed since
	// the call. It is a hint that spares waiting: other processes commit as well. nil: the log
	// has no hints.
	Committed() <-chan struct{}
}

// Cursors are the durable positions of consumers by their names.
type Cursors interface {
	// Cursor is the position up to which a consumer is done; known is false for one that has
	// none yet.
	Cursor(ctx context.Context, consumer string) (at Position, known bool, err error)

	// Advance moves a consumer from one position to another, in the transaction of ctx where
	// there is one. moved is false, and nothing is written, where the consumer is not at from:
	// another process was faster. A consumer that is not known is at 0, and to is not from.
	Advance(ctx context.Context, consumer string, from, to Position) (moved bool, err error)
}

// DeadLetters are events that a consumer gave up on. They are kept until they are revived;
// Trim does not touch them.
type DeadLetters interface {
	// Bury keeps an event, in the transaction of ctx where there is one. One that is there
	// already is replaced.
	Bury(ctx context.Context, dead *DeadEvent) error

	// Dead lists the buried events, oldest first, of one consumer or, where it is "", of all.
	Dead(ctx context.Context, consumer string, limit int) ([]*DeadEvent, error)

	// Revive removes one by its consumer and the event's id, in the transaction of ctx where
	// there is one, and reports whether it was there.
	Revive(ctx context.Context, consumer, id string) (bool, error)
}

// DeadEvent is an event that a consumer gave up on.
type DeadEvent struct {
	Consumer string
	Event    Event
	// Tries is how often it was tried, Reason the last failure and At when that was, in UTC.
	Tries  int
	Reason string
	At     time.Time
}

// Event is one emission of a [catalog.Fact] (spec 6). It is written in the transaction of the command
// that causes it and does not change afterwards.
type Event struct {
	// ID is a UUIDv7, the same on every way out: receivers deduplicate by it.
	ID string
	// Position is the event's place in the log of its host; 0 until the relay has given it.
	Position Position
	// Frond and Name are the fact, as its author spells them.
	Frond, Name string
	// Change says what happened to the row, where the fact was emitted for a change of one.
	Change catalog.Change
	// Entity is the [schema.EntityKey] of the row that the event is about and Key its primary
	// key, the text of a JSON scalar; "" and nil for a fact with a shape of its own. Events of
	// one Entity and Key have positions in the order in which their commands committed, where
	// those wrote the row or did not overlap.
	Entity string
	Key    json.RawMessage
	// At is when the command emitted it, in UTC.
	At time.Time
	// Data is the payload, a JSON object in the form of [Record]: for a row its stored
	// fields after the change, or before it for Deleted; nil for a fact without a card whose
	// command gave none.
	Data json.RawMessage
	// Before is the row's stored fields before an Updated of a fact that follows all changes of
	// a door; nil for every other event. Who could see Before and cannot see Data learns that
	// the row left.
	Before json.RawMessage
	// Trace is the traceparent of the call that caused it, or "".
	Trace string
}

// current returns e with the fields of its rows under the names that they have now: an event that
// was emitted before a rename has them under the old ones. It is e itself where nothing was
// renamed since, and e is not changed. f may be nil.
func current(f *catalog.Fact, e *Event) *Event {
	if f == nil || len(f.Former) == 0 {
		return e
	}
	out := *e
	renamed := false
	for _, row := range []*json.RawMessage{&out.Data, &out.Before} {
		if now := f.Former.Renew(*row); now != nil {
			*row, renamed = now, true
		}
	}
	if !renamed {
		return e
	}
	return &out
}

// Broadcast wakes all waiting goroutines. Its zero value is ready; it may be used from many
// goroutines.
type Broadcast struct {
	mu      sync.Mutex
	waiting chan struct{} // nil: nobody waits
}

// Wait returns a channel that the next Send closes.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}

// Send closes the channels that Wait has returned.
func (b *Broadcast) Send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}

// Position is a place in the log of one host: greater means later, gaps mean nothing. 0 is
// before every event of every log. The upper bits are the identity of the log, so that a
// position of another log is recognised ([Resumable]); the text is opaque to clients.
type Position int64

// countBits are the lower bits of a Position, which grow; the bits above identify the log.
// The count begins at the clock, in quarters of a millisecond since epoch, and takes 69 years
// to fill where events are rarer than 4,000 a second.
const countBits = 43

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// NewLog returns the position before the first event of a new log. Its identity
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
