package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// envelopeWire carries a call as one JSON-RPC frame to a gateway (spec 4.1).
type envelopeWire struct{ url string }

// receiverWire carries it to `frond serve`, one for each Frond, and the caller's
// state with it: a receiver believes what it reads off the wire (spec 5.1).
type receiverWire struct {
	size host
	urls map[string]string // by Frond
}

func (w envelopeWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	return sendFrame(t, w.url, c.Method, c.invocation(), c.userHeader()...), true
}

func (w receiverWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	door, known := w.size.doors[strings.ToLower(c.entity())]
	if !known {
		return answer{}, false // there is nobody to ask
	}
	return sendFrame(t, w.urls[door.frond], c.Method, object("params", c.Params, "query", c.Query, "body", c.Body, "state", c.state())), true
}

func sendFrame(t *testing.T, url, method, invocation string, headers ...string) answer {
	t.Helper()
	frame := object("jsonrpc", `"2.0"`, "id", `"e2e-7"`, "method", encode(t, method), "params", invocation)
	res := send(t, "POST", url+"/_kit/call", frame, headers...)
	if res.Status != 200 {
		t.Fatalf("the envelope answered HTTP %d to a frame\n%s", res.Status, res.Body)
	}
	var reply struct {
		JSONRPC string
		ID      any
		Result  json.RawMessage
		Error   *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	if err := json.Unmarshal(res.Body, &reply); err != nil {
		t.Fatalf("not a frame: %v\n%s", err, res.Body)
	}
	if reply.JSONRPC != "2.0" || reply.ID != "e2e-7" {
		t.Errorf("the frame does not echo jsonrpc and id: %s", res.Body)
	}
	if reply.Error != nil {
		e := decodeError(t, reply.Error.Data)
		// spec 7.1: -32000 and a whole KitError; docs/calls.md keeps -32601 for an unknown method.
		if reply.Error.Code != -32000 && reply.Error.Code != -32601 {
			t.Errorf("error.code is %d, want -32000\n%s", reply.Error.Code, res.Body)
		}
		if reply.Error.Message != e.Message {
			t.Errorf("error.message %q differs from data.message %q", reply.Error.Message, e.Message)
		}
		return answer{Err: e}
	}
	return answer{Value: decode(t, reply.Result)}
}
