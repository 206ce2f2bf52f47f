package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// largeWAL is the size in bytes from which the log is emptied under load.
const largeWAL = 16 << 20

// fileStore is a store in a file with one entity, and a way to write a row.
func fileStore(t *testing.T) (s *Store, path string, insert func(id string, size int) error) {
	t.Helper()
	set, err := schema.Compile([]schema.Source{{File: "thing.yaml", Name: "thing", Data: []byte(
		"{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, text: {type: string}}, required: [id, text], x-kit-version: 1}")}}, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "rows.db")
	s, err = Open(t.Context(), Options{Path: path, Serve: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	e := set.Entity("thing")
	return s, path, func(id string, size int) error {
		row := facade.Record{{Name: "id", Value: json.RawMessage(`"` + id + `"`)}, {Name: "text", Value: json.RawMessage(`"` + strings.Repeat("x", size) + `"`)}}
		_, err := s.Insert(context.Background(), e, []facade.Record{row}, nil, rows.NewLayout(nil))
		return err
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestIdleStoreHasAnEmptyLog: a moment after the last write everything is in the
// database file, so that whoever copies it alone copies rows.
func TestIdleStoreHasAnEmptyLog(t *testing.T) {
	_, path, insert := fileStore(t)
	if err := insert("a", 10); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); sizeOf(t, path+"-wal") > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 30 s the log still has %d bytes", sizeOf(t, path+"-wal"))
		}
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(copied, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(t.Context(), engine.Options{Path: copied})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int64
	err = db.Read(t.Context(), func(c *engine.Conn) (err error) {
		n, err = c.Number("SELECT count(*) FROM thing")
		return err
	})
	if err != nil || n != 1 {
		t.Errorf("a copy of the file alone has %d rows (%v)", n, err)
	}
}

// TestLargeLogIsEmptied: a log that a reader kept from being emptied is emptied by a
// write once that reader has let go.
func TestLargeLogIsEmptied(t *testing.T) {
	s, path, insert := fileStore(t)
	if err := insert("a", 10); err != nil {
		t.Fatal(err)
	}
	reading, release, released := make(chan bool), make(chan bool), make(chan error)
	go func() {
		released <- s.db.Read(context.Background(), func(c *engine.Conn) error {
			st, err := c.Start([]byte("SELECT id FROM thing"), nil)
			if err != nil {
				return err
			}
			st.Step() // a transaction is open until finish
			close(reading)
			<-release
			return c.Finish(st)
		})
	}()
	<-reading
	for i := range 24 {
		if err := insert(fmt.Sprint(i), 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if got := sizeOf(t, path+"-wal"); got < largeWAL {
		t.Fatalf("the log has %d bytes while a reader holds it: the test shows nothing", got)
	}
	close(release)
	if err := <-released; err != nil {
		t.Fatal(err)
	}
	for i := range 24 { // the next attempt comes when the log has grown by largeWAL
		if err := insert(fmt.Sprint("b", i), 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if got := sizeOf(t, path+"-wal"); got > largeWAL+4<<20 {
		t.Errorf("the log has %d bytes, want at most %d", got, largeWAL+4<<20)
	}
}

// TestDiskFailuresAreUnavailable: a write that meets a full disk is SERVICE_UNAVAILABLE
// and is not there; the store says so until a probe succeeds.
func TestDiskFailuresAreUnavailable(t *testing.T) {
	s, _, insert := fileStore(t)
	if err := insert("a", 10); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if err := s.db.Write(&engine.Op{Ctx: t.Context(), Alone: true, Run: func(c *engine.Conn) error {
			return c.Once(fmt.Sprintf("PRAGMA max_page_count = %d", pages))
		}}); err != nil {
			t.Fatal(err)
		}
	}
	limit(16)
	var kit *kiterror.Error
	if err := insert("b", 1<<20); !errors.As(err, &kit) || kit.Code != kiterror.ServiceUnavailable {
		t.Errorf("with a full disk: %v", err)
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("a full store says it is well")
	}
	limit(1 << 30)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if err := insert("b", 1<<20); err != nil {
		t.Errorf("with space again: %v", err)
	}
}
