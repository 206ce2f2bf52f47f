package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/store/sqlite"
)

// What a command of the author's costs (commands): a create, and commands whose handler makes
// one or two of them, in a transaction and detached. Rows are durable when a call returns. One
// caller shows the time of a call, 32 callers how many share a commit.

// lineBook is a project of one entity and the commands, by their names.
var lineBook = fstest.MapFS{
	"entities/note.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  text: {type: string}
required: [text]
`)},
	"frond.yaml": {Data: []byte(`
doors:
  note:
    operations: {oneWrite: {kind: command}, twoWrites: {kind: command}, twoDetached: {kind: command}}
collectors: {note: open}
`)},
}

// benchCommands prints both tables.
func benchCommands(rounds int, slice time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, "notes.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // the folder is removed
	project, err := facade.Read(lineBook)
	if err != nil {
		return err
	}
	body := facade.Invocation{Body: json.RawMessage(`{"text":"a line of an ordinary length, such as people write"}`)}
	writes := func(n int) func(context.Context, struct{}) (any, error) {
		return func(ctx context.Context, _ struct{}) (any, error) {
			for range n {
				if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "note", Operation: "create", Invocation: body}); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}
	}
	note := project.Door("note")
	facade.HandleCommand(note, "oneWrite", writes(1))
	facade.HandleCommand(note, "twoWrites", writes(2))
	facade.HandleCommand(note, "twoDetached", writes(2), facade.Detached)
	compiled, err := compile.Project(project, nil)
	if err != nil {
		return err
	}
	f, err := facade.New(compiled, store, nil)
	if err != nil {
		return err
	}
	if err := store.Prepare(context.Background(), f.Catalog().Set.Entities); err != nil {
		return err
	}
	call := func(operation string, in facade.Invocation) func() {
		return func() {
			if _, err := f.Call(context.Background(), &facade.Call{Entity: "note", Operation: operation, Invocation: in}); err != nil {
				panic(err)
			}
		}
	}
	contenders := []contender{
		{"create", call("create", body)},
		{"a command with one write", call("oneWrite", facade.Invocation{})},
		{"a command with two writes", call("twoWrites", facade.Invocation{})},
		{"detached, with two writes", call("twoDetached", facade.Invocation{})},
	}
	table(os.Stdout, "Durable writes by one caller, in this process", 0, compete(rounds, slice, contenders))
	fmt.Println("\nThe same by 32 callers at once, calls a second")
	for _, c := range contenders {
		rate(os.Stdout, c, 32, rounds, slice)
	}
	return nil
}

// rate prints how many calls a second so many callers have answered, for as long as compete
// runs a contender.
func rate(w io.Writer, c contender, callers, rounds int, slice time.Duration) {
	fmt.Fprintf(w, "  %26s  %6.0f\n", c.name, perSecond(c, callers, time.Duration(rounds)*slice))
}

// perSecond is how many calls a second so many callers have answered in a time.
func perSecond(c contender, callers int, within time.Duration) float64 {
	var calls atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	until := began.Add(within)
	for range callers {
		wg.Go(func() {
			for time.Now().Before(until) {
				c.run()
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(calls.Load()) / time.Since(began).Seconds()
}
