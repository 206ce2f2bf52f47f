package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/sqlite"
)

// TestOpenSaysWhatToDo opens what cannot be opened: one sentence with the path,
// the reason and the remedy.
func TestOpenSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	db, err := sqlite3.Open(foreign)
	if err != nil {
		t.Fatal(err)
	}
	db.Exec("CREATE TABLE theirs (a)")
	db.Close()
	newer := filepath.Join(dir, "newer.db")
	open(t, sqlite.Options{Path: newer}, nil).Close()
	db, _ = sqlite3.Open(newer)
	db.Exec("PRAGMA user_version = 99")
	db.Close()
	locked := filepath.Join(dir, "locked.db")
	open(t, sqlite.Options{Path: locked}, nil).Close()
	db, _ = sqlite3.Open(locked)
	defer db.Close()
	if err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	text := file("notes.txt", strings.Repeat("this is no database ", 100))
	for _, c := range []struct {
		what string
		opts sqlite.Options
		want string
	}{
		{"no path", sqlite.Options{}, "the store has no path; name a file, such as .frond/store.db"},
		{"both", sqlite.Options{Path: "x.db", Memory: true}, "the store is asked to be both in memory and at x.db; choose one"},
		{"a folder", sqlite.Options{Path: dir}, "the store at " + dir + " cannot be opened: it is a folder; name a file in it, such as " + filepath.Join(dir, "store.db")},
		{"a text", sqlite.Options{Path: text}, "the store at " + text + " cannot be opened: the file is not a SQLite database; name another path or move the file"},
		{"below a file", sqlite.Options{Path: text + "/store.db"}, "the store at " + text + "/store.db cannot be opened: not a directory; check the path, its folder's permissions and the disk"},
		{"another program's", sqlite.Options{Path: foreign}, "the store at " + foreign + " cannot be opened: the file is another program's database; name another path, or make a project of it with frond init DIR --from sqlite:FILE"},
		{"a newer version's", sqlite.Options{Path: newer}, "the store at " + newer + " cannot be opened: the file was written by a newer version of this program; update the program or name another path"},
		{"locked", sqlite.Options{Path: locked, BusyTimeout: 20 * time.Millisecond}, "the store at " + locked + " cannot be opened: another process holds it locked; stop that process or name another path"},
	} {
		store, err := sqlite.Open(t.Context(), c.opts)
		if err == nil {
			store.Close()
			t.Errorf("%s: it opens", c.what)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, err, c.want)
		}
	}
	db.Exec("ROLLBACK")
	deep := filepath.Join(dir, "new", "folders", "a name with ?#%20.db")
	open(t, sqlite.Options{Path: deep}, nil).Close()
	if _, err := os.Stat(deep); err != nil {
		t.Errorf("the file is elsewhere: %v", err)
	}
}

func TestClosedStoreIsUnavailable(t *testing.T) {
	set := compile(t, thing("a: type: string")...)
	store := open(t, sqlite.Options{Memory: true}, set.Entities)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	e := set.Entity("thing")
	_, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, `{"id":"1","a":"x"}`)}, nil, nil)
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("insert: %v", err)
	}
	_, err = store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout(nil)})
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("find: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
}

func TestUnknownEntityIsInternal(t *testing.T) {
	store := open(t, sqlite.Options{Memory: true}, nil)
	e := compile(t, thing()...).Entity("thing")
	_, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout(nil)})
	if kiterror.CodeOf(err) != kiterror.InternalError || !strings.Contains(err.Error(), "hand the entity to Prepare") {
		t.Errorf("the error is %v", err)
	}
}

// TestLockedByAnotherProcess writes while someone else holds the write lock.
func TestLockedByAnotherProcess(t *testing.T) {
	path := t.TempDir() + "/store.db"
	set := compile(t, thing("a: type: string")...)
	store := open(t, sqlite.Options{Path: path, BusyTimeout: 30 * time.Millisecond}, set.Entities)
	e := set.Entity("thing")
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	insert := func(id int) error {
		_, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, fmt.Sprintf(`{"id":"%d","a":"x"}`, id))}, nil, nil)
		return err
	}
	if err := insert(1); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("the error is %v", err)
	}
	if err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := insert(2); err != nil {
		t.Errorf("after the lock is gone: %v", err)
	}
}

// TestCancelInterruptsAStatement ends a read that would take minutes without its budget,
// and a write whose cascade is long: those who shared its transaction are not hurt.
func TestCancelInterruptsAStatement(t *testing.T) {
	set := compile(t, thing("n: type: integer", "parentId: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one, onDelete: cascade}}}")...)
	store := open(t, sqlite.Options{Path: t.TempDir() + "/store.db"}, set.Entities)
	e := set.Entity("thing")
	records := []facade.Record{record(t, e, `{"id":"root","n":0}`)}
	for i := range 60000 {
		records = append(records, record(t, e, fmt.Sprintf(`{"id":"%d","n":%d,"parentId":"root"}`, i, i)))
	}
	if _, err := store.Insert(t.Context(), e, records, nil, nil); err != nil {
		t.Fatal(err)
	}

	// n differs from every other row's: a condition with nothing to look it up by
	slow := &filter.Filter{Op: filter.Contains, Field: e.Primary, Values: []any{"x"}}
	for range 5 {
		slow = &filter.Filter{Op: filter.Some, Link: e.Relation("parent"), Sub: []*filter.Filter{slow}}
		slow = &filter.Filter{Op: filter.Or, Sub: []*filter.Filter{slow, {Op: filter.Every, Link: e.Relation("parent"), Sub: []*filter.Filter{slow}}}}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := store.Find(ctx, &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Where: slow, Sort: []facade.SortKey{{Field: e.Property("n")}, {Field: e.Primary}}, Limit: 1 << 20})
	// A read that is not interrupted goes on until its budget of work is spent, and has
	// that error.
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the read ended with %v", err)
	}

	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 300 * time.Microsecond)
			if _, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, fmt.Sprintf(`{"id":"beside %d","n":1}`, i))}, nil, rows.NewLayout(nil)); err != nil {
				t.Errorf("a write beside the interrupted one: %v", err)
			}
		}()
	}
	ctx, cancel = context.WithTimeout(t.Context(), 4*time.Millisecond)
	defer cancel()
	gone, err := store.Delete(ctx, e, []byte(`"root"`), nil, nil)
	wg.Wait()
	if !errors.Is(err, context.DeadlineExceeded) || gone {
		t.Errorf("the delete of 60,000 rows within 4 ms ended with %v, %v", gone, err)
	}
	found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1, Count: true})
	if err != nil || found.Total != 60001+20 {
		t.Errorf("%d rows are there, %v", found.Total, err)
	}
}

// TestReaderPoolIsBounded has more readers than connections, and one who leaves.
func TestReaderPoolIsBounded(t *testing.T) {
	set := compile(t, thing("a: type: string")...)
	store := open(t, sqlite.Options{Path: t.TempDir() + "/store.db", Readers: 2}, set.Entities)
	e := set.Entity("thing")
	var wg sync.WaitGroup
	for range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout(nil), Count: true}); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}
