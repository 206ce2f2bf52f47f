package gateway_test

import (
	"bufio"
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// TestActorOnSurfaces: subscribers with a rule for it see who caused an event, over REST and GraphQL, wherever the
// Frond runs; others see null.
func TestActorOnSurfaces(t *testing.T) {
	files := map[string]string{
		"fronds/pad/entities/note.yaml": "type: object\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}}\n",
		"fronds/pad/frond.yaml":         "changes: [note]\ncollectors:\n  note:\n    - {when: 'user.id == \"auditor\"', actor: true}\n    - {when: user.id != nil}\n",
	}
	private, public := keysIn(t, t.TempDir())
	for name, moved := range map[string]bool{"here": false, "at a host": true} {
		t.Run(name, func(t *testing.T) {
			config := gateway.Config{Store: "memory", Identity: gateway.Identity{Dev: true}, Signing: gateway.Signing{Key: private, Keys: []string{public}}}
			if moved {
				place := newElsewhere(t)
				r, err := gateway.NewReceiver(folderOf(t, maps.Clone(files)), "pad", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory", Signing: config.Signing}, Logger: silence, Undecided: true}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = r.Close() })
				place.stand(r.Handler())
				config.Remotes = map[string]gateway.Remote{"pad": {URL: place.url(), Attempt: time.Minute, Timeout: time.Minute}}
			}
			gw, err := gateway.New(folderOf(t, maps.Clone(files)), &gateway.Options{Config: config, Logger: silence, Undecided: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = gw.Close() })
			url := serveHandler(t, gw.Handler())
			// ask returns the status and the first line with an object that a stream has.
			ask := func(method, path, user, body string) (status int, data string) {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				t.Cleanup(cancel)
				req, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("X-Frond-User", `{"id":"`+user+`"}`)
				req.Header.Set("Content-Type", "application/json")
				if method == http.MethodGet || path == "/graphql" {
					req.Header.Set("Accept", "text/event-stream")
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				for lines := bufio.NewScanner(resp.Body); data == "" && lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "data: {") {
						data = lines.Text()
					}
				}
				return resp.StatusCode, data
			}
			if status, _ := ask("POST", "/api/pad/notes", "eve", `{"id":"n1"}`); status != http.StatusCreated {
				t.Fatal(status)
			}
			const document = `{"query":"subscription { noteChanged(after: \"start\") { actor { user call by as } } }"}`
			for _, c := range []struct{ method, path, user, body, want string }{
				{"GET", "/api/pad/facts/noteChanged?after=start", "auditor", "", `"actor":{"user":"eve","call":"note.create","by":"call"},`},
				{"GET", "/api/pad/facts/noteChanged?after=start", "eve", "", `"actor":null,`},
				{"POST", "/graphql", "auditor", document, `"actor":{"user":"eve","call":"note.create","by":"call","as":null}`},
				{"POST", "/graphql", "eve", document, `"actor":null`},
			} {
				if _, got := ask(c.method, c.path, c.user, c.body); !strings.Contains(got, c.want) {
					t.Errorf("%s %s as %s: got %s, want %s", c.method, c.path, c.user, got, c.want)
				}
			}
		})
	}
}
