package storetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// RunSearchMigrations adds, changes and removes the search of rows that are there. store is empty. A search that
// is not wanted any more is left by a start, so that another gateway can use it, and dropped by a migration.
func RunSearchMigrations(t *testing.T, open func(t testing.TB) Migrator) {
	store, cards := open(t), searchCards
	note := func(language string, fields ...string) *schema.Entity {
		e := searchCardsOf(t, cards).Entity("memo")
		e.Search = nil
		if language == "" {
			return e
		}
		var searched []schema.SearchField
		for _, name := range fields {
			searched = append(searched, schema.SearchField{Property: e.Property(name), Weight: 'A'})
		}
		e.SetSearch(language, searched)
		return e
	}
	run := func(e *schema.Entity, start bool) (ops []string) {
		t.Helper()
		plan, err := store.Migrate(t.Context(), &migration.Task{Entities: []*schema.Entity{e}, Start: start})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range plan.Steps {
			ops = append(ops, s.Op)
		}
		slices.Sort(ops) // PostgreSQL drops a search when the one that takes its place is there
		return ops
	}
	find := func(what string, e *schema.Entity, text, want string) {
		t.Helper()
		w := &world{T: t, store: store}
		w.equal(what, want, w.foundIDs(w.searchFor(e, text, "")))
	}
	equal := func(what, want string, got []string) {
		t.Helper()
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", what, got, want)
		}
	}
	plain, simple := note(""), note("simple", "title")
	equal("no search", "create-table", run(plain, true))
	InsertRows(t, store, plain, `{"id":"a","title":"teas","body":"cup"}`, `{"id":"b","title":"tea","body":null}`)
	equal("a search of rows that are there", "add-index", run(simple, true))
	find("simple", simple, "tea", "b")
	equal("the same", "", run(simple, true))
	both := note("english", "title", "body")
	equal("another language and more fields", "add-index drop-index", run(both, true))
	find("english", both, "tea", "a b")
	find("the search of a gateway that is older", simple, "tea", "b")
	InsertRows(t, store, both, `{"id":"c","title":"tea","body":"tea"}`)
	find("a new row", both, "tea", "a b c")
	find("a new row in the older search", simple, "tea", "b c")
	equal("the older one goes with a migration", "drop-index", run(both, false))
	equal("and is gone", "", run(both, false))
	find("after it", both, "cup", "a")
	equal("no search any more", "drop-index", run(plain, false))
	if _, err := store.Update(t.Context(), plain, []byte(`"a"`), nil, record(plain, `{"title":"x"}`), nil, rows.NewLayout(nil)); err != nil {
		t.Error("a write without the search:", err)
	}
	equal("again", "add-index", run(both, false))
	find("of all rows", both, "x or cup", "a")
	cards = strings.ReplaceAll(cards, "title: {type: string}", "title: {type: string, maxLength: 90}")
	longest := note("english", "title", "body")
	if got := run(longest, true); len(got) == 0 {
		t.Error("a check is no step")
	}
	equal("after the check", "", run(longest, true))
	find("of a table with a check", longest, "x or cup", "a")
	InsertRows(t, store, longest, `{"id":"d","title":"cups","body":null}`)
	find("a row after the check", longest, "cup", "a d")
}
