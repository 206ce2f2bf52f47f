package sqlite

import (
	"encoding/json"
	"strings"
	"testing"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// total is what a list without a filter says there is.
func (m *music) total(t testing.TB, e *schema.Entity) int64 {
	t.Helper()
	found, err := m.store.Find(t.Context(), &facade.Find{
		Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1, Count: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return found.Total
}

// settle waits for what the writer does by itself.
func (m *music) settle(t testing.TB) {
	t.Helper()
	if err := m.store.db.Write(&engine.Op{Ctx: t.Context(), Alone: true, Run: func(*engine.Conn) error { return nil }}); err != nil {
		t.Fatal(err)
	}
}

// TestTotalsAreKept checks that the total of all rows takes as many steps for eight
// thousand rows as for two.
func TestTotalsAreKept(t *testing.T) {
	var steps [2]int
	for i, n := range []int{2000, 8000} {
		m := newMusic(t, Options{Memory: true}, n)
		m.total(t, m.track)
		m.settle(t)
		m.total(t, m.track) // prepared anew, for the table has triggers now
		m.steps()
		if total := m.total(t, m.track); total != int64(n) {
			t.Errorf("the total of %d rows is %d", n, total)
		}
		steps[i] = m.steps()
	}
	if steps[0] != steps[1] {
		t.Errorf("the total takes %d steps over 2,000 rows and %d over 8,000", steps[0], steps[1])
	}
}

// TestTotalsBesideAnotherProcess checks that rows which another program writes count
// at once, and that what was done to the bookkeeping is noticed at the start.
func TestTotalsBesideAnotherProcess(t *testing.T) {
	path := t.TempDir() + "/store.db"
	m := newMusic(t, Options{Path: path}, 2000)
	m.total(t, m.track)
	m.settle(t)
	other, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	expect := func(what string, want int64) {
		t.Helper()
		if total := m.total(t, m.track); total != want {
			t.Errorf("%s: the total is %d, want %d", what, total, want)
		}
	}
	run := func(sql string) {
		t.Helper()
		if err := other.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	run("DELETE FROM track WHERE id < 't000010'")
	run("INSERT INTO track (id, title, albumId) VALUES ('x', 'x', 'a00'), ('y', 'y', 'a00')")
	expect("written by another program", 1992)
	run("BEGIN; DELETE FROM track; ROLLBACK")
	expect("taken back by it", 1992)

	run(`DROP TRIGGER "_frond_gone track"`)
	run("DELETE FROM track WHERE id < 't000020'")
	again := internal(t, Options{Path: path})
	if err := again.Prepare(t.Context(), []*schema.Entity{m.album, m.track}); err != nil {
		t.Fatal(err)
	}
	m.store = again
	expect("counted again at the start, for a trigger was missing", 1982)
	run("DELETE FROM track WHERE id < 't000030'")
	expect("kept from there on", 1972)
	run("DELETE FROM " + tallyTable)
	expect("counted where nothing is kept", 1972)
	m.settle(t)
	run("DELETE FROM track WHERE id < 't000040'")
	expect("and kept again", 1962)
}

// TestTotalsSurviveMigrations checks the total where a table is built anew and where
// rows go by cascade.
func TestTotalsSurviveMigrations(t *testing.T) {
	m := newMusic(t, Options{Memory: true}, 2000)
	m.total(t, m.track)
	m.settle(t)
	compile := func(track string) {
		t.Helper()
		var sources []schema.Source
		for name, card := range map[string]string{"album": albumCard, "track": track} {
			sources = append(sources, schema.Source{File: name + ".yaml", Name: name, Data: []byte(card)})
		}
		set, err := schema.Compile(sources, schema.Builtins(), nil)
		if err == nil {
			err = m.store.Prepare(t.Context(), set.Entities)
		}
		if err != nil {
			t.Fatal(err)
		}
		m.album, m.track = set.Entity("album"), set.Entity("track")
	}
	compile(strings.Replace(trackCard, "kind: one", "kind: one, onDelete: cascade", 1)) // builds the table anew
	if total := m.total(t, m.track); total != 2000 {
		t.Errorf("after the table was built anew the total is %d", total)
	}
	if gone, err := m.store.Delete(t.Context(), m.album, json.RawMessage(`"a07"`), nil, nil); !gone || err != nil {
		t.Fatal(gone, err)
	}
	if total := m.total(t, m.track); total != 1900 {
		t.Errorf("after a hundred rows went by cascade the total is %d", total)
	}
}
