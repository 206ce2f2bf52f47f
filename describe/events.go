package describe

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// factsOf are the facts that a surface shows, in the order of the catalog.
func factsOf(served *catalog.Catalog) (all []*catalog.Fact) {
	for fact := range served.Facts() {
		if served.Announces(fact) {
			all = append(all, fact)
		}
	}
	return all
}

// streamPath is where the events of a fact are streamed.
func streamPath(info Info, f *catalog.Fact) string {
	return info.REST + "/" + f.Frond.Name + "/facts/" + f.Name
}

// aboutFact is a sentence on when a fact is announced. It names the operations that the surface
// shows.
func (s *schemas) aboutFact(f *catalog.Fact) string {
	switch {
	case f.Changes:
		return "Announced for every " + f.Door.Name + " that is created, changed or deleted."
	case len(f.On) > 0:
		var by []string
		for _, op := range f.On {
			if door := s.catalog.Door(op.Door.Name); door != nil && door.Operation(op.Name) != nil {
				by = append(by, op.Door.Name+"."+op.Name)
			}
		}
		if by != nil {
			return "Announced by " + strings.Join(by, ", ") + "."
		}
		return "Announced of a " + f.Door.Name + "."
	}
	return "Sent by an operation of the host's author."
}

// The parameters of a stream (docs/facts.md).
const (
	aboutAfter  = "The position of the last event already seen; start begins with the oldest event in the log. Without it a stream begins now."
	aboutFilter = "Condition on the row of an event, in the form of a list's filter, as JSON."
	aboutFields = "Names of the fields of data, with commas."
)

// event refers to the events of a fact (docs/facts.md). A member without a value is null.
func (s *schemas) event(f *catalog.Fact) json.RawMessage {
	return s.named(schema.GraphQLType(f.Name)+"Event", func() json.RawMessage {
		null := object("type", "null")
		data := null
		if f.Data != nil {
			data = object("anyOf", list(s.of(f.Data, row), null))
		}
		members := []any{
			"id", object("type", "string", "format", "uuid", "description", "The id of the event, the same on every surface. Use it to detect duplicates."),
			"position", object("type", "string", "description", "The position of the event in the log. Positions sort as the events do."),
			"name", object("type", "string", "const", f.Name),
		}
		required := []string{"id", "position", "name", "entity", "key", "version", "at", "data"}
		if f.ShowsActor {
			members = append(members, "actor", object("anyOf", list(s.actor(), null)))
			required = append(required, "actor")
		}
		if f.Changes {
			members = append(members, "change", object("type", "string", "enum", []string{"created", "updated", "deleted", "left"},
				"description", "The change of the row; left: the row is no longer visible to the caller."))
			required = append(required, "change")
		}
		nullable := []string{"string", "null"}
		return object("type", "object", "properties", object(append(members,
			"entity", object("type", nullable, "description", "The door of the row."),
			"key", object("description", "The primary key of the row."),
			"version", object("type", nullable, "description", "The version of the row, as ETag gives it."),
			"at", object("type", "string", "format", "date-time"),
			"data", data)...), "required", required)
	})
}

// actor refers to the actor of events.
func (s *schemas) actor() json.RawMessage {
	return s.named("EventActor", func() json.RawMessage {
		text := func(about string) json.RawMessage { return object("type", "string", "description", about) }
		return object("type", "object", "description", "Who caused an event. A member without a value is absent. Null if you may not know, or if the event does not say.",
			"properties", object(
				"user", text("The id of the user; absent for an anonymous caller and for the host itself."),
				"call", text("The operation that was called, such as order.update, or the name of the consumer."),
				"request", text("The id of the trace of the call."),
				"by", object("type", "string", "enum", []catalog.By{catalog.ByCall, catalog.ByHandler, catalog.ByJob, catalog.ByImport, catalog.ByConsumer, catalog.BySigned}, "description", "The source of the call."),
				"as", text("The id of the user who acted for the user."),
				"token", text("The name of the token that the call had.")),
			"required", []string{"by"})
	})
}

// eventExample is an event of a fact.
func (s *schemas) eventExample(f *catalog.Fact) json.RawMessage {
	null := json.RawMessage("null")
	entity, key, data := null, null, null
	if f.Door != nil {
		entity = text(f.Door.Name)
		if v := s.exampleOf(f.Door.Entity, f.Door.Entity.Primary); v != nil {
			key = v
		}
	}
	if f.Data != nil {
		data = s.example(f.Data, row)
	}
	members := []any{"id", "0193a5b0-7c1e-7a3f-9d54-0f6f2b1c8e77", "position", "1kq0i4c0vg004", "name", f.Name}
	if f.Changes {
		members = append(members, "change", "created")
	}
	if f.ShowsActor {
		members = append(members, "actor", object("user", "u-eve", "call", "order.update", "by", "call"))
	}
	return object(append(members, "entity", entity, "key", key, "version", null, "at", "2026-05-01T10:00:00.000Z", "data", data)...)
}

// streams adds the stream of each fact to the paths.
func (d *openAPI) streams(paths *schema.Object, info Info) {
	for _, f := range factsOf(d.schemas.catalog) {
		in := func(where, name, about string) json.RawMessage {
			return d.shared("stream."+name, func() json.RawMessage {
				return object("name", name, "in", where, "description", about, "schema", object("type", "string"))
			})
		}
		parameters := []json.RawMessage{in("query", "after", aboutAfter)}
		if f.Data != nil {
			parameters = append(parameters, jsonParameter("filter", aboutFilter, d.schemas.of(f.Data, filters), nil))
			parameters = append(parameters, d.brackets(f.Data)...)
		}
		parameters = append(parameters, in("query", "fields", aboutFields), in("header", "Last-Event-ID", "The id of the last event, of a client that connects again."))
		var responses schema.Object
		add(&responses, "200", object("description", "A stream of events, until the client closes it.", "content", d.eventStream(f)))
		d.failures(&responses, kiterror.ValidationFailed, kiterror.Unauthorized, kiterror.Forbidden, kiterror.NotFound, kiterror.Gone)
		add(paths, streamPath(info, f), object("get", object(
			"operationId", f.Frond.Name+".facts."+f.Name, "tags", []string{"facts"}, "summary", "Follow "+f.Name, "description", optional(d.schemas.aboutFact(f)),
			"parameters", parameters,
			"responses", responses)))
	}
}

// eventStream is text/event-stream with the events of a fact. OpenAPI has no keyword for the
// events of a stream: x-event is the JSON of each data.
func (d *openAPI) eventStream(f *catalog.Fact) json.RawMessage {
	return object("text/event-stream", object("schema", object("type", "string"), "x-event", d.schemas.event(f)))
}

// AsyncAPI describes the facts in AsyncAPI 3: a channel for each, which is its stream of
// server-sent events on the REST surface. The catalog is the surface's.
func AsyncAPI(served *catalog.Catalog, info Info) json.RawMessage {
	s := newSchemas(served)
	var channels, operations, messages schema.Object
	for _, f := range factsOf(served) {
		name := f.FullName()
		add(&messages, name, object("name", f.Name, "title", f.Name, "payload", s.event(f),
			"examples", []json.RawMessage{object("name", f.Name, "payload", s.eventExample(f))}))
		add(&channels, name, object("address", streamPath(info, f), "title", f.Name, "description", s.aboutFact(f),
			"messages", object(f.Name, object("$ref", "#/components/messages/"+jsontext.Token(name)))))
		add(&operations, name, object("action", "send", "channel", object("$ref", "#/channels/"+jsontext.Token(name)),
			"summary", "The events of "+f.Name+", as text/event-stream.",
			"bindings", object("http", object("method", "GET", "bindingVersion", "0.3.0", "query", object("type", "object", "properties", object(
				"after", object("type", "string", "description", aboutAfter),
				"filter", object("type", "string", "description", aboutFilter),
				"fields", object("type", "string", "description", aboutFields)))))))
	}
	return document("asyncapi", "3.0.0", served, info, "Facts: the events that this host sends.", []any{
		"defaultContentType", "application/json",
		"channels", orEmpty(channels), "operations", orEmpty(operations),
		"components", object("messages", orEmpty(messages), "schemas", orEmpty(s.all)),
	})
}
