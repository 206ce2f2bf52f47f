package delivery

import (
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// CloudEventType is the content type of an event in structured mode.
const CloudEventType = "application/cloudevents+json; charset=utf-8"

// CloudEvents writes events as CloudEvents 1.0 in structured JSON: a webhook and a message of NATS
// have the same body. The zero CloudEvents writes events as they are stored.
type CloudEvents struct {
	// Outward is an event as it leaves the host, as facade.Outward gives it; nil: as it was
	// stored.
	Outward func(*facade.Event) (*facade.Event, error)
	// Schema is the absolute URI of a fact's card, or ""; it may be nil.
	Schema func(frond, fact string) string
	// Actor writes who caused the event, as the attributes actoruser, actorcall and so on.
	Actor bool
}

// Write is an event in structured JSON, the same bytes whenever it is written:
//
//	id               the event's id
//	source           /shop, the Frond on its host: with the id unique
//	type             shop.orderPlaced
//	subject          order/42, the entity and the key; absent for a fact about no row
//	time             when it was emitted
//	dataschema       the absolute URL of the fact's card; absent for a fact without a card
//	partitionkey     order/42: events of one key have an order (extension Partitioning)
//	sequence         the position, as text that sorts (extension Sequence)
//	change           created, updated or deleted; absent for others
//	traceparent      of the call that caused it (extension Distributed Tracing)
//	actoruser, …     who caused it, for Actor: actoruser, actorcall, actorrequest, actorby, actoras, actortoken
//
// The error comes from Outward.
func (w *CloudEvents) Write(e *facade.Event) ([]byte, error) {
	if w.Outward != nil {
		var err error
		if e, err = w.Outward(e); err != nil {
			return nil, err
		}
	}
	schemaURI := ""
	if w.Schema != nil {
		schemaURI = w.Schema(e.Frond, e.Name)
	}
	b := append(make([]byte, 0, 512+len(e.Data)), `{"specversion":"1.0"`...)
	text := func(name, value string) {
		if value == "" {
			return
		}
		b = append(b, `,"`+name+`":`...)
		b = jsontext.AppendString(b, value)
	}
	subject := Subject(e)
	text("id", e.ID)
	text("source", "/"+e.Frond)
	text("type", e.Frond+"."+e.Name)
	text("subject", subject)
	text("time", e.At.UTC().Format(time.RFC3339Nano))
	text("dataschema", schemaURI)
	text("partitionkey", subject)
	text("sequence", e.Position.String())
	text("change", string(e.Change))
	text("traceparent", e.Trace)
	if w.Actor {
		for name, value := range e.Actor.Members() {
			text("actor"+name, value)
		}
	}
	if len(e.Data) > 0 {
		text("datacontenttype", "application/json")
		b = append(append(b, `,"data":`...), e.Data...)
	}
	return append(b, '}'), nil
}

// Subject is the row of an event: order/42. "" for a fact about no row.
func Subject(e *facade.Event) string {
	if e.Entity == "" {
		return ""
	}
	key := string(e.Key)
	if jsontext.KindOf(e.Key) == jsontext.String {
		key = jsontext.Unquote(e.Key)
	}
	return e.Entity + "/" + key
}
