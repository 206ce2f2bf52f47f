package conform

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// frames are the clauses of section 2.6 and 4.1, and the limits of section 8.
var frames = []clause{
	{ID: "id", Number: "2.6", Text: "the reply has jsonrpc 2.0 and the id of the request, a text or a number", Without: "answers BAD_GATEWAY; it takes a number that comes back as text", try: func(t *trial) {
		for _, id := range []string{`"a-text"`, `7`} {
			a := t.answered(t.host.post(t.ctx, `{"jsonrpc":"2.0","id":`+id+`,"method":"rpc.discover"}`))
			if t.verdict == passed && (string(a.ID) != id || string(a.Version) != `"2.0"`) {
				t.fail("the id %s came back as %s, jsonrpc as %s", id, orAbsent(a.ID), orAbsent(a.Version))
			}
		}
	}},
	{ID: "type", Number: "4.1", Text: "a frame is answered with status 200 and Content-Type application/json", Without: "reads a frame of any type; another status without a frame is a failure of the host", try: func(t *trial) {
		a := t.answered(t.host.post(t.ctx, discover))
		if media := a.header.Get("Content-Type"); t.verdict == passed && (a.status != http.StatusOK || !strings.HasPrefix(media, "application/json")) {
			t.fail("the status is %d, the type %q", a.status, media)
		}
	}},
	{ID: "compression", Number: "4.1", Text: "an answer is not compressed unasked", Without: "reads gzip and deflate; another coding is BAD_GATEWAY", try: func(t *trial) {
		t.host.client.Transport = &http.Transport{DisableCompression: true}
		defer func() { t.host.client.Transport = nil }()
		if a := t.answered(t.host.post(t.ctx, discover)); a.header.Get("Content-Encoding") != "" {
			t.fail("Content-Encoding is %s", a.header.Get("Content-Encoding"))
		}
	}},
	{ID: "broken", Number: "2.6", Text: "a body that is no JSON is refused, and the host goes on", Without: "sends none", try: func(t *trial) {
		a := t.answered(t.host.request(t.ctx, http.MethodPost, "/_kit/call", `{"jsonrpc":`, []byte(`{"jsonrpc":`)))
		if t.verdict == passed && a.Error == nil && a.status < 400 {
			t.fail("it is answered as a call")
		}
		if t.result(t.answered(t.host.post(t.ctx, discover))) == nil {
			t.fail("the host does not answer the next call")
		}
	}},
	{ID: "batch", Number: "2.6", Text: "a list of frames is answered by a list, or refused", Without: "makes single calls side by side", try: func(t *trial) {
		a := t.answered(t.host.post(t.ctx, `[{"jsonrpc":"2.0","id":1,"method":"rpc.discover"},{"jsonrpc":"2.0","id":2,"method":"rpc.discover"}]`))
		var replies []frame
		switch {
		case t.host.signer != nil:
			t.skip("a signature is for one frame")
		case t.verdict != passed:
		case json.Unmarshal(a.body, &replies) != nil:
			t.absent("batches are refused")
		case len(replies) != 2:
			t.fail("two frames have %d replies", len(replies))
		default:
			ids := string(replies[0].ID) + string(replies[1].ID)
			if ids != "12" && ids != "21" {
				t.fail("the replies have the ids %s and %s", replies[0].ID, replies[1].ID)
			}
		}
	}},
	{ID: "body", Number: "8", Text: "a body of more than 1 MiB is refused, and the host goes on", Without: "has a limit of its own", try: func(t *trial) {
		body := append([]byte(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":{"query":{"x":"`), bytes.Repeat([]byte("x"), 1<<20+1024)...)
		a, err := t.host.request(t.ctx, http.MethodPost, "/_kit/call", "1 MiB and more", append(body, `"}}}`...))
		if err == nil && a.Error == nil && a.status < 400 && a.Result != nil {
			t.absent("it is taken")
		}
		t.host.client.CloseIdleConnections() // a host may close the connection of a refused body
		if after, err := t.host.post(t.ctx, discover); err != nil || after.Result == nil {
			t.fail("the host does not answer the next call")
		}
	}},
	{ID: "signed", Number: "5.2", Text: "calls of others than the gateway are refused: without a signature there is a challenge", Without: "is one of many callers, each of which claims to be any user; close access by other means", try: func(t *trial) {
		signer := t.host.signer
		t.host.signer = nil
		defer func() { t.host.signer = signer }()
		if len(t.doors) == 0 {
			t.skip("there is no door to call")
			return
		}
		d := t.doors[0].there
		a := t.method(d.Name+"."+d.Ops[0].Name, `{"params":{"id":"conform"}}`)
		switch {
		case t.verdict != passed:
		case d.Ops[0].Kind == "command":
			t.skip("the first operation is a command")
		case a.header.Get("WWW-Authenticate") != "":
		case signer != nil:
			t.fail("the host takes the call without a signature")
		default:
			t.absent("the host takes calls without a signature")
		}
	}},
}
