package sqlite_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/sqlite"
)

// childStore is set in the environment of a child that streams creates.
const childStore = "FROND_TEST_STREAM_CREATES_INTO"

func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		stream(path)
		return
	}
	os.Exit(m.Run())
}

// stream creates rows from eight goroutines until it is killed, and says each id
// once its create was answered.
func stream(path string) {
	t := &childT{}
	set := compile(t, thing("a: type: string")...)
	store, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Logger: quiet})
	if err == nil {
		err = store.Prepare(t.Context(), set.Entities)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entity("thing")
	var next atomic.Int64
	base := os.Getpid()
	for range 8 {
		go func() {
			for {
				id := fmt.Sprintf("%d-%d", base, next.Add(1))
				row := facade.Record{{Name: "id", Value: json.RawMessage(strconv.Quote(id))}, {Name: "a", Value: json.RawMessage(`"` + strings.Repeat("x", 200) + `"`)}}
				if _, err := store.Insert(t.Context(), e, []facade.Record{row}, nil, nil); err != nil {
					t.Fatal(err)
				}
				os.Stdout.WriteString(id + "\n") // one write: lines of several goroutines do not mix
			}
		}()
	}
	select {}
}

// childT stands for a testing.T in the child.
type childT struct{ testing.TB }

func (*childT) Helper() {}
func (*childT) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(3)
}
func (*childT) Context() context.Context { return context.Background() }

// TestKillDuringCreates kills a process with SIGKILL in the middle of a stream of
// creates, again and again on one file: every create it was answered is there.
func TestKillDuringCreates(t *testing.T) {
	path := t.TempDir() + "/store.db"
	acknowledged := map[string]bool{}
	for round := range 5 {
		child := exec.Command(os.Args[0], "-test.run=NONE")
		child.Env = append(os.Environ(), childStore+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := testprogram.Start(child); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		heard := 0
		for lines.Scan() {
			acknowledged[lines.Text()] = true
			if heard++; heard == 50+100*round {
				// Not at once: the kill is to hit whatever it is doing by then.
				time.AfterFunc(time.Duration(round)*3*time.Millisecond, func() { child.Process.Kill() })
			}
		}
		if err := child.Wait(); err == nil || child.ProcessState.ExitCode() == 3 {
			t.Fatalf("round %d: the child ended by itself: %v", round, err)
		}
		if heard < 50 {
			t.Fatalf("round %d: only %d creates were acknowledged", round, heard)
		}

		set := compile(t, thing("a: type: string")...)
		store := open(t, sqlite.Options{Path: path}, set.Entities)
		e := set.Entity("thing")
		found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id", "a"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for i := range found.Rows.Len() {
			var id string
			json.Unmarshal(found.Rows.Row(i).Get("id"), &id)
			there[id] = true
			if len(found.Rows.Row(i).Get("a")) != 202 {
				t.Errorf("row %s is not whole", id)
			}
		}
		missing := 0
		for id := range acknowledged {
			if !there[id] {
				missing++
			}
		}
		if missing > 0 {
			t.Fatalf("round %d: %d of %d acknowledged rows are missing", round, missing, len(acknowledged))
		}
		query(t, path, "PRAGMA integrity_check", func(row []string) {
			if row[0] != "ok" {
				t.Errorf("round %d: %s", round, row[0])
			}
		})
		store.Close()
	}
	t.Logf("%d acknowledged creates in 5 killed processes", len(acknowledged))
}

// TestGroupCommit has many writers at once: they share commits, and those that
// fail fail alone.
func TestGroupCommit(t *testing.T) {
	watch := &watcher{}
	set := compile(t, thing("a: type: integer, x-kit: {role: {unique: [[a]]}}", "ownerId: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}")...)
	store := open(t, sqlite.Options{Path: t.TempDir() + "/store.db", Trace: watch.trace}, set.Entities)
	e := set.Entity("thing")
	before := watch.count("COMMIT")
	const writers, each = 32, 20
	var good, bad atomic.Int64
	var wg sync.WaitGroup
	for n := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				id := fmt.Sprintf("%d-%d", n, i)
				row, want := fmt.Sprintf(`{"id":"%s","a":%d}`, id, n*each+i), kiterror.Code("")
				switch {
				case i%4 == 1: // the row before this one has it
					row, want = fmt.Sprintf(`{"id":"%s","a":%d}`, id, n*each+i-1), kiterror.Conflict
				case i%4 == 2:
					row, want = fmt.Sprintf(`{"id":"%s","a":%d,"ownerId":"nobody"}`, id, n*each+i), kiterror.Conflict
				}
				list, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, row)}, nil, rows.NewLayout([]string{"id"}))
				if kiterror.CodeOf(err) != want {
					t.Errorf("%s: %v", row, err)
				}
				if err != nil {
					bad.Add(1)
				} else if good.Add(1); string(list.Row(0).Get("id")) != `"`+id+`"` {
					t.Errorf("%s was answered %s", id, list.AppendJSON(nil))
				}
			}
		}()
	}
	wg.Wait()
	commits := watch.count("COMMIT") - before
	if good.Load() != writers*each/2 || bad.Load() != writers*each/2 {
		t.Errorf("%d went in, %d did not", good.Load(), bad.Load())
	}
	if int64(commits) >= good.Load()*3/4 {
		t.Errorf("%d commits for %d writes: they do not share", commits, good.Load())
	}
	t.Logf("%d writes in %d commits", good.Load(), commits)
	found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1, Count: true})
	if err != nil || found.Total != good.Load() {
		t.Errorf("%d rows, %v", found.Total, err)
	}
}
