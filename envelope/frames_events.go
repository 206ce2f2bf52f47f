package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// FactsPath is the path of a host's facts for other hosts, after its base address:
//
//	GET /_kit/facts?after=17&names=orderPlaced,orderShipped&limit=100&wait=20
//
// It is additive: a host that does not have it answers 404, and its facts do not leave it.
// Positions are whole numbers here, in decimal digits; greater means later.
const FactsPath = "/_kit/facts"

// The bounds of one GET of facts.
const (
	MaxEvents     = 500
	defaultEvents = 100
	maxWait       = 30 * time.Second // for an event, while there is none
)

// Events is the answer to a GET of facts.
//
//	{"events":[{"id":"…","position":"18","name":"orderPlaced",…}],"position":"18","oldest":"1","last":"18"}
type Events struct {
	Events []*facade.Event
	// Position is where to go on: the answer is complete up to it.
	Position facade.Position
	// Oldest and Last are the bounds of [facade.EventLog.Span].
	Oldest, Last facade.Position
	// Waiting is the backlog after Position; nil: it was not asked for, or the host does not
	// count.
	Waiting *waiting
}

// waiting is a number of events, and when the first was emitted: zero without events.
type waiting struct {
	Events int
	Since  time.Time
}

// appendEvents appends the answer.
func appendEvents(dst []byte, a *Events) []byte {
	dst = jsontext.AppendList(append(dst, `{"events":`...), a.Events, appendEvent)
	dst = appendPosition(append(dst, `,"position":`...), a.Position)
	dst = appendPosition(append(dst, `,"oldest":`...), a.Oldest)
	dst = appendPosition(append(dst, `,"last":`...), a.Last)
	if w := a.Waiting; w != nil {
		dst = strconv.AppendInt(append(dst, `,"waiting":`...), int64(w.Events), 10)
		if !w.Since.IsZero() {
			dst = append(w.Since.UTC().AppendFormat(append(dst, `,"since":"`...), time.RFC3339Nano), '"')
		}
	}
	return append(dst, '}')
}

// appendEvent appends one event, without the members that it does not have.
func appendEvent(dst []byte, e *facade.Event) []byte {
	dst = jsontext.AppendString(append(dst, `{"id":`...), e.ID)
	dst = appendPosition(append(dst, `,"position":`...), e.Position)
	dst = jsontext.AppendString(append(dst, `,"frond":`...), e.Frond)
	dst = jsontext.AppendString(append(dst, `,"name":`...), e.Name)
	if e.Change != "" {
		dst = jsontext.AppendString(append(dst, `,"change":`...), string(e.Change))
	}
	if e.Entity != "" && e.Key != nil {
		dst = jsontext.AppendString(append(dst, `,"entity":`...), e.Entity)
		dst = append(append(dst, `,"key":`...), e.Key...)
	}
	dst = e.At.UTC().AppendFormat(append(dst, `,"at":"`...), time.RFC3339Nano)
	dst = append(dst, '"')
	if e.Data != nil {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	if e.Before != nil {
		dst = append(append(dst, `,"before":`...), e.Before...)
	}
	if e.Trace != "" {
		dst = jsontext.AppendString(append(dst, `,"trace":`...), e.Trace)
	}
	if e.Actor != nil {
		dst = e.Actor.AppendJSON(append(dst, `,"actor":`...))
	}
	return append(dst, '}')
}

func appendPosition(dst []byte, p facade.Position) []byte {
	return append(strconv.AppendInt(append(dst, '"'), int64(p), 10), '"')
}

// notResumable is an error of [facade.Resumable] with positions as they are between hosts, in its
// text and as the member oldest of its details. Other errors are returned as they are.
func notResumable(err error, after, oldest, last facade.Position) error {
	switch kiterror.AsError(err).Code {
	case kiterror.Gone:
		e := kiterror.Errorf(kiterror.Gone, "the events after %d are gone; read the rows and go on from the last position, or go on from %d, the oldest one", after, oldest)
		e.Details = map[string]any{"oldest": strconv.FormatInt(int64(oldest), 10)}
		return e
	case kiterror.ValidationFailed:
		return kiterror.Errorf(kiterror.ValidationFailed, "the position %d is outside of this log (%d to %d); read the rows and go on from the last position", after, oldest, last)
	}
	return err
}

// ReadPosition reads a position as it is written between hosts.
func ReadPosition(text string) (facade.Position, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || text[0] == '+' {
		return 0, errors.New("a position is a whole number in decimal digits")
	}
	return facade.Position(n), nil
}

// ReadEvents reads the answer to a GET of facts out of checked JSON. An event without a Frond
// belongs to frond. Unknown members are ignored. The error says which event lacks what, and no
// event is returned.
func ReadEvents(text json.RawMessage, frond string) (*Events, error) {
	if jsontext.KindOf(text) != jsontext.Object {
		return nil, errors.New("the answer is not a JSON object")
	}
	a := &Events{}
	var list json.RawMessage
	found := 0
	for name, value := range jsontext.Members(text) {
		var into *facade.Position
		switch name {
		case "events":
			list = value
			continue
		case "position":
			into = &a.Position
		case "oldest":
			into = &a.Oldest
		case "last":
			into = &a.Last
		case "waiting", "since":
			if err := a.readWaiting(name, value); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			continue
		default:
			continue
		}
		p, err := positionOf(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		*into = p
		found++
	}
	if found < 3 || jsontext.KindOf(list) != jsontext.Array {
		return nil, errors.New("the answer lacks one of events, position, oldest and last")
	}
	var before facade.Position
	for i, item := range jsontext.Elements(list) {
		e, err := readEvent(item, frond)
		if err == nil && e.Position <= before {
			err = errors.New("its position is not greater than that of the event before")
		}
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		before = e.Position
		a.Events = append(a.Events, e)
	}
	if a.Waiting != nil && a.Waiting.Events < 0 {
		a.Waiting = nil
	}
	if a.Position < before {
		return nil, errors.New("position is before that of the last event")
	}
	return a, nil
}

// readWaiting reads a member of Waiting. A since alone has no count.
func (a *Events) readWaiting(name string, value json.RawMessage) error {
	switch {
	case jsontext.IsNull(value):
		return nil
	case a.Waiting == nil:
		a.Waiting = &waiting{Events: -1}
	}
	var err error
	if name == "since" {
		a.Waiting.Since, err = time.Parse(time.RFC3339Nano, jsontext.Unquote(value))
		return err
	}
	if a.Waiting.Events, err = strconv.Atoi(string(jsontext.Trim(value))); err != nil || a.Waiting.Events < 0 {
		return errors.New("write a whole number")
	}
	return nil
}

// readEvent reads one event.
func readEvent(text json.RawMessage, frond string) (*facade.Event, error) {
	if jsontext.KindOf(text) != jsontext.Object {
		return nil, errors.New("it is not a JSON object")
	}
	e := &facade.Event{Frond: frond}
	texts := map[string]*string{"id": &e.ID, "frond": &e.Frond, "name": &e.Name, "change": (*string)(&e.Change), "entity": &e.Entity, "trace": &e.Trace}
	objects := map[string]*json.RawMessage{"data": &e.Data, "before": &e.Before}
	for name, value := range jsontext.Members(text) {
		if jsontext.IsNull(value) {
			continue // as if it were not there
		}
		switch into, object := texts[name], objects[name]; {
		case into != nil && jsontext.KindOf(value) == jsontext.String:
			*into = jsontext.Unquote(value)
		case object != nil && jsontext.KindOf(value) == jsontext.Object:
			*object = value
		case into != nil, object != nil:
			return nil, fmt.Errorf("%s is of another kind than it has to be", name)
		case name == "key":
			if kind := jsontext.KindOf(value); kind != jsontext.String && kind != jsontext.Number {
				return nil, errors.New("key is neither a text nor a number")
			}
			e.Key = value
		case name == "actor":
			var err error
			if e.Actor, err = facade.ReadActor(value); err != nil {
				return nil, err
			}
		case name == "at":
			at, err := time.Parse(time.RFC3339Nano, jsontext.Unquote(value))
			if err != nil {
				return nil, errors.New("at is not a date-time")
			}
			e.At = at.UTC()
		case name == "position":
			p, err := positionOf(value)
			if err != nil {
				return nil, err
			}
			e.Position = p
		}
	}
	switch {
	case e.ID == "" || len(e.ID) > maxEventID:
		return nil, fmt.Errorf("id is not a text of at most %d bytes", maxEventID)
	case e.Position == 0 || e.Name == "" || e.Frond == "" || e.At.IsZero():
		return nil, errors.New("it lacks one of position, name and at")
	case (e.Entity == "") != (e.Key == nil):
		return nil, errors.New("it has one of entity and key without the other")
	}
	switch e.Change {
	case "", catalog.Created, catalog.Updated, catalog.Deleted:
		return e, nil
	}
	return nil, errors.New("change is none of created, updated and deleted")
}

// maxEventID bounds the ids that receivers keep to find duplicates.
const maxEventID = 128

// positionOf reads a position in JSON: digits in a string, or a number that says the same.
func positionOf(value json.RawMessage) (facade.Position, error) {
	text := string(jsontext.Trim(value))
	if jsontext.KindOf(value) == jsontext.String {
		text = jsontext.Unquote(value)
	}
	return ReadPosition(text)
}
