package gateway_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway"
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
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
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
	if _, _, err := r.Next(t.Context()); !errors.Is(err, facts.ErrClosed) {
		t.Errorf("a reader of a closed gateway: %v", err)
	}
}
