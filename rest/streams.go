package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Streams answers POST requests for several streams of facts in one answer, at any path.
func (h *Handler) Streams() http.Handler {
	several := *h
	several.several = true
	return &several
}

// serveStreams answers with all the streams that the body names:
//
//	{"streams": {"1": {"fact": "catalog.productChanged", "after": "1kq0i4c0vg004",
//	                   "filter": {"price": {"lt": 10}}, "fields": ["id", "price"]}}}
//
// A refused stream ends in the response, next to the others.
func (x *exchange) serveStreams() error {
	state, more, err := x.subscriber("POST, OPTIONS")
	if err != nil || !more {
		return err
	}
	if err := x.mediaType(); err != nil {
		return err
	}
	body, refused := x.readBody()
	if refused != nil {
		return refused
	}
	read, details := streamsCard().Judge(schema.Plain, body, "/body")
	if details != nil {
		return kiterror.Refused(details)
	}
	report := x.reporter()
	group := &factGroup{Options: &x.handler.streams, State: state}
	for id, text := range jsontext.Members(read[0].Value) {
		s, err := x.openMember(text, state)
		if err != nil {
			group.Add(jsontext.Quote(id), nil, report(err))
			continue
		}
		s.Options, s.Report = &x.handler.streams, report
		group.Add(jsontext.Quote(id), s, nil)
	}
	group.Begun = x.outlive()
	group.Serve(x.w, x.r)
	return nil
}

// openMember opens one stream of a body; see [exchange.open].
func (x *exchange) openMember(text []byte, state access.State) (*factStream, error) {
	var q struct {
		Fact, After string
		Filter      json.RawMessage
		Fields      []string
	}
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	frond, fact, _ := strings.Cut(q.Fact, ".")
	return x.open(&facade.Subscription{
		Frond: frond, Fact: fact, State: state, View: x.handler.table.catalog, Filter: q.Filter, Select: q.Fields, Versions: true,
	}, q.After)
}

// streamsCard is the card of the body.
var streamsCard = sync.OnceValue(func() *schema.Entity {
	return schema.MustCompile([]schema.Source{{File: "streams.json", Name: "streams", View: true, Data: []byte(`{
		"type": "object", "required": ["streams"], "properties": {"streams": {
			"type": "object", "minProperties": 1, "maxProperties": 100, "propertyNames": {"maxLength": 64}, "additionalProperties": {
				"type": "object", "required": ["fact"], "additionalProperties": false, "properties": {
					"fact": {"type": "string", "description": "FROND.FACT"},
					"after": {"type": "string"},
					"filter": {"type": "object"},
					"fields": {"type": "array", "items": {"type": "string"}}}}}}}`)}}, nil, nil).Views[0]
})
