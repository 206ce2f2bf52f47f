package facade

import (
	"encoding/json"
	"time"
)

// Event is one emission of a [Fact] (spec 6). It is written in the transaction of the command
// that causes it and does not change afterwards.
type Event struct {
	// ID is a UUIDv7, the same on every way out: receivers deduplicate by it.
	ID string
	// Position is the event's place in the log of its host; 0 until the relay has given it.
	Position Position
	// Frond and Name are the fact, as its author spells them.
	Frond, Name string
	// Change says what happened to the row, where the fact was emitted for a change of one.
	Change Change
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

// Change is what a command did to a row.
type Change string

// The changes. The empty one is that of a fact that a command emitted by its name.
const (
	Created Change = "created"
	Updated Change = "updated"
	Deleted Change = "deleted"
)
