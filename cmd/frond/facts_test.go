package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/sqlite"
)

// TestFactsReplay: dead letters, some or all of them, and a part of the log become events that
// their consumer tries again; the rest stays where it is.
func TestFactsReplay(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"gateway.yaml": "store: sqlite:frond.db\nwebhooks: [{name: hook, url: env:URL, facts: [other], secret: env:SECRET}]\nfacts: {nats: env:NATS}\n",
		"frond.yaml":   "name: pad\nfacts: [{name: rung, schema: {type: object, properties: {by: {type: string}}}}, {name: other}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	file, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "frond.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	store := file.Abilities().Outbox
	const consumer = "go:mailer"
	for i, name := range []string{"rung", "other", "rung", "rung"} {
		if err := store.Emit(ctx, []facade.Event{{ID: "e" + string(rune('0'+i)), Frond: "pad", Name: name, At: time.Now(), Data: json.RawMessage(`{"by":"ada"}`)}}); err != nil {
			t.Fatal(err)
		}
	}
	oldest, _, err := store.Span(ctx)
	if err != nil {
		t.Fatal(err)
	}
	events, last, err := store.Log(ctx, oldest, nil, 10)
	if err != nil || len(events) != 4 {
		t.Fatal(events, err)
	}
	if _, err := store.Advance(ctx, consumer, 0, last); err != nil {
		t.Fatal(err)
	}
	for _, e := range events[2:] {
		if err := store.Bury(ctx, &facade.DeadEvent{Consumer: consumer, Event: *e, Tries: 12, Reason: "no", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		root := newRoot(&shell{in: strings.NewReader(""), out: &out, stderr: &out})
		root.SetArgs(append(append([]string{"facts"}, args...), "--dir", dir))
		err := root.ExecuteContext(context.Background())
		return out.String(), err
	}
	again := func() (ids string) {
		t.Helper()
		all, err := store.Dead(ctx, delivery.Retrying(consumer), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if d.Tries != 0 {
				t.Errorf("%s counts as tried %d times", d.Event.ID, d.Tries)
			}
			ids += d.Event.ID + " "
			if _, err := store.Revive(ctx, d.Consumer, d.Event.ID); err != nil {
				t.Fatal(err)
			}
		}
		return ids
	}
	check := func(args []string, wantOut, wantErr, wantAgain string) {
		t.Helper()
		out, err := run(args...)
		switch {
		case wantErr == "" && err != nil, wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)):
			t.Errorf("%q: %v", args, err)
		case !strings.Contains(out, wantOut):
			t.Errorf("%q: %s", args, out)
		}
		if got := again(); strings.TrimSpace(got) != wantAgain {
			t.Errorf("%q: to be tried again: %s", args, got)
		}
	}
	check([]string{"dead"}, "go:mailer  e2  pad.rung   tried 12 times: no", "", "")
	check([]string{"dead", "nobody"}, "", "consumer nobody is unknown; write one of go:mailer", "")
	check([]string{"dead", "mailer", "--json"}, `"consumer":"go:mailer"`, "", "")
	check([]string{"replay", "mailer", "--event", "e3"}, "go:mailer tries 1 event again", "", "e3")
	check([]string{"replay", "mailer", "--event", "e3"}, "", "0 events of 1 are dead letters of go:mailer", "")
	check([]string{"replay", "mailer", "--json"}, `{"consumer":"go:mailer","events":1}`, "", "e2")
	check([]string{"replay", "mailer"}, "tries 0 events again", "", "")
	check([]string{"replay", "mailer", "--from", "start"}, "", "write them as --fact", "")
	check([]string{"replay", "mailer", "--from", "start", "--fact", "sung"}, "", "fact sung is unknown; write one of pad.other, pad.rung", "")
	check([]string{"replay", "mailer", "--from", "start", "--fact", "rung", "--to", events[2].Position.String()}, "tries 2 events again", "", "e0 e2")
	check([]string{"replay", "mailer", "--from", events[0].Position.String(), "--fact", "pad.rung"}, "tries 2 events again", "", "e2 e3")
	// What the settings say about its facts need not be given.
	for _, name := range []string{"webhook:hook", "nats"} {
		if _, err := store.Advance(ctx, name, 0, last); err != nil {
			t.Fatal(err)
		}
	}
	check([]string{"replay", "hook", "--from", "start"}, "webhook:hook tries 1 event again", "", "")
	check([]string{"replay", "nats", "--from", "start"}, "nats tries 4 events again", "", "")
	check([]string{"replay", "mailer", "--from", (last + 1<<40).String(), "--fact", "rung"}, "", "has not been given yet", "")
}

// lines is a writer that hands over each line.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestFactsTail follows a store beside the gateway that serves it, and the gateway's streams,
// also over a connection that breaks.
func TestFactsTail(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"gateway.yaml":       "store: sqlite:frond.db\nmode: development\n",
		"frond.yaml":         "name: pad\nfacts: [{name: noteWritten, schema: note, on: note.create}]\ncollectors: {note: open}\n",
		"entities/note.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	project, err := facade.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	gw, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Dir: dir, Store: "sqlite:frond.db", Mode: gateway.Development}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = gw.Close() }()
	server := httptest.NewServer(gw.Handler())
	defer server.Close()
	create := func(id string) {
		t.Helper()
		resp, err := http.Post(server.URL+"/api/pad/notes", "application/json", strings.NewReader(`{"id":"`+id+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatal(resp.Status)
		}
	}
	create("n1")
	for _, where := range [][]string{{"--dir", dir}, {"--url", server.URL}} { // in this order
		name := strings.TrimPrefix(where[0], "--")
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			out, ended := make(lines), make(chan error, 1)
			root := newRoot(&shell{in: strings.NewReader(""), out: out, stderr: io.Discard})
			root.SetArgs(append([]string{"facts", "tail", "pad.noteWritten", "--after", "start", "--json"}, where...))
			go func() { ended <- root.ExecuteContext(ctx) }()
			next := func(want string) {
				t.Helper()
				select {
				case line := <-out:
					if !strings.Contains(line, `"name":"noteWritten"`) || !strings.Contains(line, want) {
						t.Errorf("%s is not of %s", line, want)
					}
				case err := <-ended:
					t.Fatal("it has ended:", err)
				case <-time.After(2 * time.Minute):
					t.Fatal("no event came")
				}
			}
			next(`"key":"n1"`)
			if name == "dir" {
				create("n2")
			}
			next(`"key":"n2"`)
			if name == "url" {
				server.CloseClientConnections()
				create("n3")
				next(`"key":"n3"`)
			}
			stop()
			if err := <-ended; err != nil {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}
