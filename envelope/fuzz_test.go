package envelope_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/schema/jsontext"
)

// FuzzFrame sends bodies: the answer is never a failure of ours, and is either
// nothing, with 204, or valid frames, one for each frame that has an id or is none.
func FuzzFrame(f *testing.F) {
	for _, body := range []string{
		sum, `[` + sum + `,` + sum + `]`, `[]`, `[1,{}]`, `{"jsonrpc":"2.0","method":"math.sum"}`, `{"jsonrpc":"2.0","id":null,"method":"rpc.discover"}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"math.subtract","params":{"params":{"minuend":1},"body":null,"state":{},"trace":"","identity":0}}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"a.b.c","params":[]}`, `{"jsonrpc":"\u0032.0","id":-1,"method":""}`, "\xef\xbb\xbf" + sum, `{"id":{},"jsonrpc":"2.0","method":"x.y"}`,
	} {
		f.Add(body)
	}
	h := envelope.NewHandler(mathCatalog(), arithmetic, &envelope.Options{TrustState: true, Log: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, body string) {
		status, answer := post(t, h, body)
		if status == 204 {
			if answer != "" {
				t.Fatalf("204 with %q", answer)
			}
			if !json.Valid([]byte(body)) {
				t.Fatalf("nothing was said to %q", body)
			}
			return
		}
		if status != 200 {
			t.Fatalf("status %d for %q", status, body)
		}
		if err := jsontext.Check([]byte(answer)); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		frames := []json.RawMessage{json.RawMessage(answer)}
		if jsontext.KindOf([]byte(answer)) == jsontext.Array {
			if frames = nil; !strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), "[") {
				t.Fatalf("a batch answers %q", body)
			}
			for _, v := range jsontext.Elements([]byte(answer)) {
				frames = append(frames, v)
			}
		}
		for _, frame := range frames {
			id, result, failed := jsontext.Get(frame, "id"), jsontext.Get(frame, "result"), jsontext.Get(frame, "error")
			if string(jsontext.Get(frame, "jsonrpc")) != `"2.0"` || id == nil || (result == nil) == (failed == nil) {
				t.Fatalf("no frame: %s", frame)
			}
			if !strings.Contains(body, string(id)) && string(id) != "null" {
				t.Fatalf("the id %s was not sent in %q", id, body)
			}
			if failed != nil && (jsontext.Get(jsontext.Get(failed, "data"), "code") == nil || string(jsontext.Get(failed, "code")) == "-32603" ||
				strings.Contains(answer, "INTERNAL_ERROR")) {
				t.Fatalf("%q: %s", body, frame)
			}
		}
	})
}
