package subscriptions

import (
	"encoding/json"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// handled is handle, whose panics end the connection.
func (c *conn) handled(kind websocket.MessageType, text []byte) (end ending) {
	defer func() {
		if p := recover(); p != nil {
			_ = kiterror.Report(c.server.ctx, c.server.Log, kiterror.Panicked(p), "")
			end = ending{internalError, "Internal server error"}
		}
	}()
	return c.handle(kind, text)
}

// handle answers one message of the client. The ending is not zero where the protocol is broken.
//
//	connection_init   the caller's credential; once, and first
//	subscribe         an operation, of any type
//	complete          the client wants no more of an operation
//	ping, pong        at any time
func (c *conn) handle(kind websocket.MessageType, text []byte) ending {
	if kind != websocket.MessageText {
		return ending{badRequest, "a message has to be text"}
	}
	if err := jsontext.Check(text); err != nil || jsontext.KindOf(text) != jsontext.Object {
		return ending{badRequest, "a message has to be a JSON object"}
	}
	var m received
	for name, value := range jsontext.Members(text) {
		switch name {
		case "type":
			m.kind, m.hasKind = jsontext.Text(value)
		case "id":
			m.id, m.hasID = jsontext.Text(value)
		case "payload":
			m.payload = value
		}
	}
	isObject := jsontext.KindOf(m.payload) == jsontext.Object
	none := m.payload == nil || jsontext.IsNull(m.payload)
	switch m.kind {
	case "connection_init":
		if !isObject && !none {
			return ending{badRequest, "the payload of connection_init has to be an object"}
		}
		return c.acknowledge(m.payload)
	case "ping":
		if !isObject && !none {
			return ending{badRequest, "the payload of ping has to be an object"}
		}
		c.pong(m.payload)
		return ending{}
	case "pong":
		return ending{}
	case "subscribe":
		switch {
		case !m.hasID || m.id == "":
			return ending{badRequest, "subscribe has to have an id, a string that is not empty"}
		case len(m.id) > maxID:
			return ending{badRequest, "the id is too long"}
		case !isObject:
			return ending{badRequest, "subscribe has to have a payload, an object with the member query"}
		}
		return c.subscribe(m.id, m.payload)
	case "complete":
		if !m.hasID {
			return ending{badRequest, "complete has to have an id"}
		}
		c.complete(m.id)
		return ending{}
	}
	if !m.hasKind {
		return ending{badRequest, "a message has to have a type"}
	}
	return ending{badRequest, "the type is none that a client sends"}
}

// maxID is how many bytes the id of an operation may have: it is sent with each of its messages.
const maxID = 256

// received is a message of the client.
type received struct {
	kind, id       string
	hasKind, hasID bool
	payload        json.RawMessage
}
