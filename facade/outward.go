package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Current returns e with the fields of its rows under the names that they have now: an event that
// was emitted before a rename has them under the old ones. It is e itself where nothing was
// renamed since; e is not changed.
func (f *Facade) Current(e *Event) *Event {
	return current(f.host.catalog.Fact(e.Frond, e.Name), e)
}

// Outward is an event as it leaves for receivers of the operator, who are no callers: webhooks
// and message brokers. Of the row it has the fields of the fact's card that are not closed
// outward, encoded as they leave on every surface, and absent where they may be and hold no value;
// rows before the change and computed fields are not in it. Collectors are not asked: who sets up a receiver decides what it may see.
//
// An event of a fact that is not declared any more has neither data nor key: what of them is
// closed is not known. e is not changed. The error is INTERNAL_ERROR, of a conversion.
func (f *Facade) Outward(e *Event) (*Event, error) {
	fact := f.host.catalog.Fact(e.Frond, e.Name)
	e = current(fact, e)
	out := *e
	out.Before = nil
	switch {
	case fact == nil:
		out.Data, out.Key, out.Entity = nil, nil, ""
		return &out, nil
	case fact.Data == nil, fact.Frond.Remote != "": // without a card, and about no row; or it has left already
		return &out, nil
	}
	b := append(make([]byte, 0, len(e.Data)), '{')
	for _, p := range fact.Data.Fields {
		value := jsontext.Get(e.Data, p.Name)
		if !p.Readable() || value == nil || p.MayBeAbsent() && isNull(value) {
			continue
		}
		if p.Axes.Out.Name != "" {
			var err error
			if value, err = outward(f.host.registry, p, value); err != nil {
				return nil, err
			}
		}
		b = append(jsontext.AppendName(jsontext.Comma(b), p.Name), value...)
	}
	out.Data = append(b, '}')
	if e.Data == nil {
		out.Data = nil
	}
	if e.Key == nil || fact.Door == nil || fact.Door.Entity == nil || fact.Door.Entity.Primary == nil {
		return &out, nil
	}
	switch p := fact.Door.Entity.Primary; {
	case !p.Readable():
		out.Key, out.Entity = nil, ""
	case p.Axes.Out.Name != "":
		var err error
		if out.Key, err = outward(f.host.registry, p, json.RawMessage(e.Key)); err != nil {
			return nil, err
		}
	}
	return &out, nil
}
