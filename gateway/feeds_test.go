package gateway_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// announcing is notes whose creation is announced.
const announcing = "facts:\n  - {name: noteWritten, schema: note, on: note.create}\n"

// TestFeedOfAGateway: what a command announces reaches a reader, also of a project that is
// swapped in while the gateway runs, and the end of the gateway ends the reader.
func TestFeedOfAGateway(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	}()
	if gw.Host().Feed("app") != nil {
		t.Error("a project without facts has a feed")
	}
	if err := gw.Replace(t.Context(), notes(t, "frond.yaml", announcing)); err != nil {
		t.Fatal(err)
	}
	frond := gw.Catalog().Fronds[0].Name
	r, err := gw.Host().Feed(frond).Subscribe(t.Context(), []string{frond + ".noteWritten"}, facts.Now)
	if err != nil {
		t.Fatal(err)
	}
	create := func(id string) {
		t.Helper()
		if w := askHandler(gw.Handler(), "POST", "/api/"+frond+"/notes", `{"id":"`+id+`","title":"hello"}`); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	next := func() string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		events, _, err := r.Next(ctx)
		if err != nil || len(events) != 1 {
			t.Fatal(events, err)
		}
		return string(events[0].Key)
	}
	create("n1")
	if key := next(); key != `"n1"` {
		t.Errorf("the event is of %s", key)
	}
	if err := gw.Replace(t.Context(), read(t, fstest.MapFS{"entities/note.yaml": {Data: []byte(noteCard)}, "frond.yaml": {Data: []byte(announcing)}})); err != nil {
		t.Fatal(err)
	}
	create("n2")
	if key := next(); key != `"n2"` {
		t.Errorf("the event is of %s", key)
	}
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Next(t.Context()); err == nil || err.Error() != "the feed is closed" {
		t.Errorf("a reader of a closed gateway: %v", err)
	}
}

// TestConsumersOfAGateway: a consumer of a fact of this host, and one of a remote's, whose position
// is kept here.
func TestConsumersOfAGateway(t *testing.T) {
	there := newElsewhere(t)
	there.serve("app", notes(t, "frond.yaml", announcing))
	handled := make(chan string, 10)
	handle := func(_ context.Context, e *facade.Event) error {
		handled <- e.Frond + "." + e.Name + string(e.Key)
		return nil
	}
	gw := gatewayOf(t, read(t, fstest.MapFS{
		"fronds/own/entities/tag.yaml": {Data: []byte(strings.ReplaceAll(noteCard, "title", "label"))},
		"fronds/own/frond.yaml":        {Data: []byte("facts: [{name: tagged, schema: tag, on: tag.create}]\n")},
	}), gateway.Options{
		Config: gateway.Config{Extras: all.Extras(), Remotes: map[string]gateway.Remote{"app": {URL: there.url()}}, Admin: gateway.Admin{Listen: "127.0.0.1:0"}},
		Consumers: []gateway.Consumer{
			{Fact: "tagged", Handle: handle},
			{Fact: "app.noteWritten", Handle: handle, Detached: true},
		},
	})
	for path, body := range map[string]string{"/api/own/tags": `{"id":"t1","label":"x"}`, "/api/app/notes": `{"id":"n1","title":"x"}`} {
		if w := askHandler(gw.Handler(), "POST", path, body); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	got := map[string]bool{}
	for range 2 {
		select {
		case one := <-handled:
			got[one] = true
		case <-time.After(2 * time.Minute):
			t.Fatal("an event was not handled; handled are", got)
		}
	}
	if !got[`own.tagged"t1"`] || !got[`app.noteWritten"n1"`] {
		t.Errorf("handled: %v", got)
	}
	for _, want := range []string{`frond_facts_events_total{fact="own.tagged"} 1`, `frond_facts_readers{log="own"}`, `frond_facts_dead_total{way="go:app.noteWritten"} 0`} {
		if text := askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String(); !strings.Contains(text, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
}

// TestFactsOfAnothersTables: events cannot be kept in another program's SQLite database, and the
// start says so, before a command fails.
func TestFactsOfAnothersTables(t *testing.T) {
	dir := t.TempDir()
	files := fstest.MapFS{
		"entities/note.yaml": {Data: []byte(noteCard)},
		"frond.yaml":         {Data: []byte("collectors: {note: open}\ntables: {note: {table: notes}}\nchanges: [note]\n")},
	}
	_, err := gateway.New(read(t, files), &gateway.Options{Config: gateway.Config{Dir: dir, Store: "sqlite:" + filepath.Join(dir, "theirs.db"), Migrate: gateway.MigrateOff}})
	if err == nil || !strings.Contains(err.Error(), "the fact noteChanged cannot be kept") || !strings.Contains(err.Error(), "leave the fact out") {
		t.Errorf("the start says %v", err)
	}
}
