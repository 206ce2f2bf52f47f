package gateway_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

// TestRehearsals: a command is rehearsed on each surface, here and at a host, and approved after a restart.
func TestRehearsals(t *testing.T) {
	files := map[string]string{
		"fronds/pad/entities/note.yaml": "type: object\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}, text: {type: string}}\nrequired: [text]\n",
		"fronds/pad/frond.yaml":         "changes: [note]\ncollectors:\n  note:\n    - {when: user.id != nil}\n",
	}
	for name, moved := range map[string]bool{"here": false, "at a host": true} {
		t.Run(name, func(t *testing.T) {
			store := "sqlite:" + t.TempDir() + "/pad.db"
			config := gateway.Config{Store: store, Identity: gateway.Identity{Dev: true}}
			if moved {
				place := newElsewhere(t)
				r, err := gateway.NewReceiver(folderOf(t, maps.Clone(files)), "pad", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: store}, Logger: silence, Undecided: true}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = r.Close() })
				place.stand(r.Handler())
				config.Store = "memory"
				config.Remotes = map[string]gateway.Remote{"pad": {URL: place.url(), Attempt: time.Minute, Timeout: time.Minute}}
			}
			var gw *gateway.Gateway
			open := func() (url string) {
				t.Helper()
				if gw != nil {
					_ = gw.Close()
				}
				var err error
				gw, err = gateway.New(folderOf(t, maps.Clone(files)), &gateway.Options{Config: config, Logger: silence, Undecided: true})
				if err != nil {
					t.Fatal(err)
				}
				return serveHandler(t, gw.Handler())
			}
			url := open()
			t.Cleanup(func() { _ = gw.Close() })
			ask := func(method, path, body string) (status int, text string) {
				t.Helper()
				req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("X-Frond-User", `{"id":"ann"}`)
				req.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				all, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				return resp.StatusCode, string(all)
			}
			text := func() string {
				t.Helper()
				_, row := ask("GET", "/api/pad/notes/n1", "")
				return jsontext.Unquote(jsontext.Get([]byte(row), "text"))
			}
			if status, answer := ask("POST", "/api/pad/notes", `{"id":"n1","text":"0"}`); status != http.StatusCreated {
				t.Fatal(status, answer)
			}
			const (
				document = `{"query":"mutation @%s { updateNote(id: \"n1\", input: {text: \"%s\"}) { text } }"}`
				frame    = `{"jsonrpc":"2.0","id":1,"method":"note.update","params":{"params":{"id":"n1"},"query":{%s},"body":{"text":"%s"}}}`
				calls    = `{%s,"calls":[{"method":"note.update","params":{"params":{"id":"n1"},"body":{"text":"%s"}}}]}`
			)
			format := func(text, words, value string) string {
				return strings.Replace(strings.Replace(text, "%s", words, 1), "%s", value, 1)
			}
			for _, c := range []struct {
				name    string
				request func(word, token, value string) (method, path, body string)
				at      []string // where the rehearsal is in the answer
			}{
				{"REST", func(word, token, value string) (string, string, string) {
					return "PATCH", "/api/pad/notes/n1?" + word + "=" + token, `{"text":"` + value + `"}`
				}, nil},
				{"the envelope", func(word, token, value string) (string, string, string) {
					return "POST", "/_kit/call", format(frame, `"`+word+`":`+quotedUnlessTrue(token), value)
				}, []string{"result"}},
				{"GraphQL", func(word, token, value string) (string, string, string) {
					if word == "approve" {
						word = `approve(token: \"` + token + `\")`
					}
					return "POST", "/graphql", format(document, word, value)
				}, []string{"extensions", "rehearsal"}},
				{"atomic calls", func(word, token, value string) (string, string, string) {
					return "POST", "/api/atomic", format(calls, `"`+word+`":`+quotedUnlessTrue(token), value)
				}, nil},
			} {
				t.Run(c.name, func(t *testing.T) {
					before := text()
					value := before + "1"
					status, answer := ask(c.request("rehearse", "true", value))
					rehearsal := json.RawMessage(answer)
					for _, member := range c.at {
						rehearsal = jsontext.Get(rehearsal, member)
					}
					token := jsontext.Unquote(jsontext.Get(rehearsal, "rehearsal"))
					changes := `[{"entity":"note","key":"n1","change":"UPDATED","before":{"id":"n1","text":"` + before + `"},"after":{"id":"n1","text":"` + value + `"}}]`
					if got := string(jsontext.Get(rehearsal, "changes")); status != http.StatusOK || got != changes || token == "" {
						t.Fatalf("%d %s\nchanges %s\nwant %s", status, answer, got, changes)
					}
					if got := string(jsontext.Get(rehearsal, "events")); got != `[{"name":"noteChanged","entity":"note","key":"n1"}]` {
						t.Errorf("events %s", got)
					}
					if got := text(); got != before {
						t.Fatalf("the rehearsal wrote %q", got)
					}
					if _, answer := ask(c.request("approve", token, value+"2")); !strings.Contains(answer, `"reason":"other call"`) || text() != before {
						t.Errorf("an approval of another call: %s, and the text is %s", answer, text())
					}
					url = open()
					if status, answer := ask(c.request("approve", token, value)); status != http.StatusOK || text() != value {
						t.Fatalf("the approval: %d %s, and the text is %s", status, answer, text())
					}
					if _, answer := ask(c.request("approve", token, value)); !strings.Contains(answer, `"reason":"used"`) {
						t.Errorf("a second approval: %s", answer)
					}
				})
			}
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/api/atomic?rehearse=true", format(calls, `"approve":null`, "lost")},
				{"POST", "/graphql?rehearse=true", format(document, "atomic", "lost")},
				{"POST", "/_kit/call?rehearse=true", format(frame, "", "lost")},
			} {
				if status, answer := ask(c.method, c.path, c.body); status != http.StatusBadRequest || !strings.Contains(answer, "rehearse") || text() == "lost" {
					t.Errorf("%s: %d %s", c.path, status, answer)
				}
			}
		})
	}
}

// quotedUnlessTrue is a token as JSON, and true as it is.
func quotedUnlessTrue(token string) string {
	if token == "true" {
		return token
	}
	return `"` + token + `"`
}
