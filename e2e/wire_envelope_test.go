package e2e_test

import (
	"encoding/json"
	"testing"
)

// envelopeWire carries a call as one JSON-RPC frame (spec 4.1).
type envelopeWire struct{ url string }

func (w envelopeWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	frame := object("jsonrpc", `"2.0"`, "id", `"e2e-7"`, "method", encode(t, c.Method), "params", c.invocation())
	res := send(t, "POST", w.url+"/_kit/call", frame, c.userHeader()...)
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
		// spec 7.1: -32000 and a whole KitError; DESIGN 5 keeps -32601 for an unknown method.
		if reply.Error.Code != -32000 && reply.Error.Code != -32601 {
			t.Errorf("error.code is %d, want -32000\n%s", reply.Error.Code, res.Body)
		}
		if reply.Error.Message != e.Message {
			t.Errorf("error.message %q differs from data.message %q", reply.Error.Message, e.Message)
		}
		return answer{Err: e}, true
	}
	return answer{Value: decode(t, reply.Result)}, true
}
