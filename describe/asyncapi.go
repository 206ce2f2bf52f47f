package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// AsyncAPI describes the facts in AsyncAPI 3: a channel for each, which is its stream of
// server-sent events on the REST surface. The catalog is that of the surface.
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
