package topology

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/places"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// world is a gateway in front of a place.
type world struct {
	*places.World
	files map[string]string // the id of each file, and its name in answers: the first is file1
}

// newWorld starts the processes of a place with empty stores.
func newWorld(t testing.TB, p *places.Place) *world {
	t.Helper()
	w, err := p.Start(func(of places.Process) (*facade.Project, *gateway.Options, error) {
		return project(t), &gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: of.Frond == ""}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return &world{w, map[string]string{}}
}

// answer makes a call, and returns the status and the body of its answer.
func (w *world) answer(t testing.TB, c *call) string {
	body := c.body
	if c.field != "" {
		sent := w.send(t, c.user, "POST", "/api/files?field="+c.field, "text/plain", c.file)
		var file struct{ ID string }
		if _ = json.Unmarshal(sent.Body.Bytes(), &file); file.ID == "" {
			return w.named(sent)
		}
		body = strings.ReplaceAll(body, "$file", file.ID)
	}
	media := c.media
	if media == "" {
		media = "application/json"
	}
	return w.named(w.send(t, c.user, c.method, c.path, media, body))
}

// send sends a request as a caller.
func (w *world) send(t testing.TB, user, method, path, media, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(t.Context(), method, strings.NewReplacer("[", "%5B", "]", "%5D", " ", "%20", `"`, "%22").Replace(path), strings.NewReader(body))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
	r.Header.Set("Content-Type", media)
	if user != "" {
		r.Header.Set("X-Frond-User", user)
	}
	rec := httptest.NewRecorder()
	w.Gateway.Handler().ServeHTTP(rec, r)
	return rec
}

// idOfFile are the ids of files, which differ from world to world.
var idOfFile = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// traceID is the id of a request in the answer to a failure of our own.
var traceID = regexp.MustCompile(`"traceId":"[0-9a-f]+"`)

// named returns the status and the body of an answer, with names of files in place of their ids.
func (w *world) named(rec *httptest.ResponseRecorder) string {
	return fmt.Sprintf("%d %s", rec.Code, w.numbered(traceID.ReplaceAllString(strings.TrimSpace(rec.Body.String()), `"traceId":""`)))
}

func (w *world) numbered(text string) string {
	return idOfFile.ReplaceAllStringFunc(text, func(id string) string {
		if w.files[id] == "" {
			w.files[id] = fmt.Sprint("file", len(w.files)+1)
		}
		return w.files[id]
	})
}

// event is one that a caller received.
type event struct{ Change, Data string }

// events returns what a caller receives of a fact from the oldest event on, up to that of the row "end": the events of each key, in their order.
func (w *world) events(t *testing.T, user, path string) map[string][]event {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+path+"?after=start", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		r.Header.Set("X-Frond-User", user)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	all, said := map[string][]event{}, []string(nil)
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		var e struct {
			Change, Key string
			Data        json.RawMessage
		}
		if !is {
			continue
		}
		said = append(said, data)
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		all[e.Key] = append(all[e.Key], event{e.Change, w.numbered(string(e.Data))})
		if e.Key == "end" {
			return all
		}
	}
	t.Fatalf("%s as %s: %s, and the stream ended before its last event:\n%s", path, user, res.Status, strings.Join(said, "\n"))
	return nil
}
