package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// AsyncAPI describes the facts in AsyncAPI 3: a channel for each, which is its stream of
// server-sent events (DESIGN 12). rest is the path of the REST surface, such as /api.
func AsyncAPI(catalog *facade.Catalog, rest string, info Info) json.RawMessage {
	d := &asyncAPI{schemas: newSchemas(catalog)}
	var channels, operations, messages schema.Object
	for _, f := range catalog.Fronds {
		for _, fact := range f.Facts {
			name := f.Name + "." + fact.Name
			add(&messages, name, d.message(fact))
			add(&channels, name, object("address", info.Base+rest+"/"+f.Name+"/facts/"+fact.Name, "title", fact.Name,
				"description", aboutFact(fact), "messages", object(fact.Name, object("$ref", "#/components/messages/"+jsontext.Token(name)))))
			channel := object("$ref", "#/channels/"+jsontext.Token(name))
			add(&operations, name, object("action", "send", "channel", channel, "summary", "The events of "+fact.Name+", as text/event-stream.",
				"bindings", object("http", object("method", "GET", "query", object("type", "object", "properties", streamQuery()), "bindingVersion", "0.3.0"))))
		}
	}
	return document("asyncapi", "3.0.0", catalog, info, "Facts: what this host announces on its own.", []any{
		"defaultContentType", "application/json",
		"channels", orEmpty(channels), "operations", orEmpty(operations),
		"components", object("messages", orEmpty(messages), "schemas", orEmpty(d.all)),
	})
}

// asyncAPI is a document being written.
type asyncAPI struct{ *schemas }

// aboutFact is a sentence on when a fact is announced.
func aboutFact(f *facade.Fact) string {
	switch {
	case f.Changes:
		return "Announced for every " + f.Door.Name + " that is created, changed or deleted."
	case len(f.On) > 0:
		about := "Announced by "
		for i, op := range f.On {
			if i > 0 {
				about += ", "
			}
			about += op.Door.Name + "." + op.Name
		}
		return about + "."
	}
	return "Announced by a command of its author's."
}

// streamQuery are the parameters of a stream.
func streamQuery() json.RawMessage {
	text := object("type", "string")
	return object(
		"after", object("type", "string", "description", "The position to go on from; start is the oldest that is kept. Without it a stream begins now. Last-Event-ID says the same."),
		"filter", object("type", "string", "description", "What the row of an event has to meet, as the filter of a list."),
		"fields", text)
}

// message is one event of a fact.
func (d *asyncAPI) message(f *facade.Fact) json.RawMessage {
	text := object("type", "string")
	data, sample := object("description", "What the author's command gives."), json.RawMessage("null")
	if f.Data != nil {
		data = d.of(f.Data, row)
		sample = example(f.Data, row)
	}
	event := []any{
		"id", object("type", "string", "format", "uuid", "description", "The same on every way out: receivers recognize an event that comes twice by it."),
		"position", object("type", "string", "description", "Where to resume: positions sort as events do."),
		"name", object("type", "string", "const", f.Name),
		"entity", text,
		"key", object("description", "The primary key of the row; null for a fact that is about none."),
		"version", object("type", []string{"string", "null"}, "description", "The version of the row, as ETag gives it."),
		"at", object("type", "string", "format", "date-time"),
	}
	values := []any{"id", "0193a5b0-7c1e-7a3f-9d54-0f6f2b1c8e77", "position", "0000000000000042", "name", f.Name}
	if f.Data != nil && f.Door != nil {
		values = append(values, "entity", f.Door.Name)
		if key := f.Door.Entity.Primary; key != nil {
			values = append(values, "key", exampleOf(f.Door.Entity, key))
		}
	}
	if f.Changes {
		event = append(event, "change", object("type", "string", "enum", []string{"CREATED", "UPDATED", "DELETED", "LEFT"}, "description", "What happened to the row; LEFT: the caller does not see it any more."))
		values = append(values, "change", "CREATED")
	}
	payload := object("type", "object", "properties", object(append(event, "data", data)...), "required", []string{"id", "position", "name", "at"})
	return object("name", f.Name, "title", f.Name, "payload", payload, "examples", []json.RawMessage{
		object("name", f.Name, "payload", object(append(values, "at", "2026-05-01T10:00:00.000Z", "data", sample)...)),
	})
}
