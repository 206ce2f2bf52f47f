package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/store/sqlite"
)

// endingIn is set for a process that consumes from a store in a file, and is ended by the first event.
const endingIn = "FROND_TEST_ENDING_IN"

// TestFunctionsThatEndTheProcess: an event whose function ends the process is counted all the
// same. The next process goes on with the others, and after the last try the event is dead.
func TestFunctionsThatEndTheProcess(t *testing.T) {
	if dir := os.Getenv(endingIn); dir != "" {
		consumeAndEnd(t, dir)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	w := fileWorld(t, dir)
	w.consumer(nil) // has a position
	w.emit("a", "b", "a")
	w.feed.Close()
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	var codes []int
	var handled []string
	for range 6 {
		var out strings.Builder
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFunctionsThatEndTheProcess$")
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), endingIn+"="+dir), &out, os.Stderr
		err := cmd.Run()
		for line := range strings.Lines(out.String()) {
			if number, ok := strings.CutPrefix(strings.TrimSpace(line), "handled "); ok {
				handled = append(handled, number)
			}
		}
		codes = append(codes, cmd.ProcessState.ExitCode())
		if err == nil {
			break
		}
	}
	if !slices.Equal(codes, []int{3, 3, 0}) || strings.Join(handled, " ") != "2 3" {
		t.Errorf("processes ended with %v, and handled %v; want two that the event ends and one that is done", codes, handled)
	}
	dead := fileWorld(t, dir).dead("go:shop.placed")
	if len(dead) != 1 || number(&dead[0].Event) != "1" || dead[0].Tries != 2 || !strings.Contains(dead[0].Reason, "the process ended") {
		t.Errorf("dead: %+v", dead)
	}
}

func fileWorld(t *testing.T, dir string) *world {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(dir, "store.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, store{s.Abilities().Outbox, s})
}

// consumeAndEnd consumes until everything is handled or dead.
func consumeAndEnd(t *testing.T, dir string) {
	w := fileWorld(t, dir)
	c := w.consumer(func(_ context.Context, e *facade.Event) error {
		if number(e) == "1" {
			os.Exit(3)
		}
		fmt.Println("handled " + number(e))
		return nil
	})
	c.Tries, c.Alone = 2, true
	w.run(c)
	w.until("event 1 is dead, and the others are handled", func() bool {
		return len(w.dead(c.Name)) == 1 && len(w.dead(delivery.Retrying(c.Name))) == 0
	})
}

// TestWhatIsCounted: the first attempt of a process is counted before it begins, so is each one after a
// failure, and no other one.
func TestWhatIsCounted(t *testing.T) { onStores(t, testCounted) }

func testCounted(w *world) {
	t := w.T
	var counts seen
	failed := false
	c := w.consumer(nil)
	c.Handle = func(_ context.Context, e *facade.Event) error {
		tries := 0
		for _, d := range w.dead(delivery.Retrying(c.Name)) { // as another process would find it now
			tries += d.Tries
		}
		counts.note(fmt.Sprintf("%s:%d", number(e), tries))
		if number(e) == "2" && !failed {
			failed = true
			return errors.New("no")
		}
		return nil
	}
	w.run(c)
	w.emit("a", "b", "c")
	w.until("all are handled", func() bool {
		return len(strings.Fields(counts.String())) == 4 && len(w.dead(delivery.Retrying(c.Name))) == 0
	})
	if got := counts.String(); got != "1:1 2:0 3:1 2:2" { // 3: the one that 2 has failed at
		t.Errorf("attempts were counted as %s", got)
	}
}

// TestAStopIsNoFailure: an attempt that a stop of the process interrupts is not counted.
func TestAStopIsNoFailure(t *testing.T) { onStores(t, testStopped) }

func testStopped(w *world) {
	t := w.T
	began := make(chan struct{})
	c := w.consumer(func(ctx context.Context, _ *facade.Event) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	})
	stop := w.run(c)
	w.emit("a")
	select {
	case <-began:
	case <-time.After(time.Minute):
		t.Fatal("nothing is handled")
	}
	stop()
	if kept := w.dead(delivery.Retrying(c.Name)); len(kept) != 1 || kept[0].Tries != 0 {
		t.Errorf("kept: %+v", kept)
	}
}
