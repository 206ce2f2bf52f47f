package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// streams adds the stream of each fact to the paths.
func (d *openAPI) streams(paths *schema.Object, info Info) {
	for _, f := range factsOf(d.catalog) {
		in := func(where, name, about string) json.RawMessage {
			return d.shared("stream."+name, func() json.RawMessage {
				return object("name", name, "in", where, "description", about, "schema", object("type", "string"))
			})
		}
		parameters := []json.RawMessage{in("query", "after", aboutAfter)}
		if f.Data != nil {
			parameters = append(parameters, jsonParameter("filter", aboutFilter, d.of(f.Data, filters), nil))
			parameters = append(parameters, d.brackets(f.Data)...)
		}
		parameters = append(parameters, in("query", "fields", aboutFields), in("header", "Last-Event-ID", "The id of the last event, of a client that connects again."))
		var responses schema.Object
		add(&responses, "200", object("description", "A stream of events, until the client closes it.", "content", d.eventStream(f)))
		for _, code := range []facade.Code{facade.ValidationFailed, facade.Unauthorized, facade.Forbidden, facade.NotFound, facade.Gone} {
			add(&responses, status(code), d.problem(code))
		}
		add(&responses, "default", d.problem(""))
		add(paths, streamPath(info, f), object("get", object(
			"operationId", f.Frond.Name+".facts."+f.Name, "tags", []string{"facts"}, "summary", "The events of "+f.Name, "description", optional(d.aboutFact(f)),
			"parameters", parameters,
			"responses", responses)))
	}
}

// eventStream is text/event-stream with the events of a fact. OpenAPI has no word for what
// stands in one: x-event is the JSON of each data.
func (d *openAPI) eventStream(f *facade.Fact) json.RawMessage {
	return object("text/event-stream", object("schema", object("type", "string"), "x-event", d.event(f)))
}
