package storetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
)

// KilledRows is how many rows a killed migration has: 20,000, or what FROND_MIGRATION_ROWS says
// (make migrations).
func KilledRows() int {
	if n, err := strconv.Atoi(os.Getenv("FROND_MIGRATION_ROWS")); err == nil {
		return n
	}
	return 20_000
}

// The versions of a killed migration: a price becomes cents by an expression, a name gets
// another one, and an index is new.
var (
	killedBefore = Version{Fields: []string{"name: type: string, maxLength: 40", "price: type: number, minimum: 0"}}
	killedAfter  = Version{
		Fields:  []string{"title: type: string, maxLength: 40, x-kit: {role: {index: true}}", "price: type: integer, minimum: 0", "slug: type: string"},
		Changes: "renamed: {thing.name: thing.title}\nvalues: {thing.price: int(price * 100), thing.slug: lower(name)}",
	}
)

// MigrateKilled is the migration that is killed, to be run in a process of its own.
func MigrateKilled(t testing.TB, store Migrator) {
	t.Helper()
	after := compileKilled(t)
	if _, err := store.Migrate(t.Context(), &migration.Task{Entities: after.Set.Entities, Changes: after.Changes, Convert: []string{"thing.price"}}); err != nil {
		t.Fatal(err)
	}
}

// compileKilled compiles killedAfter, with a search by two texts.
func compileKilled(t testing.TB) *catalog.Catalog {
	after := killedAfter.Compile(t)
	e := after.Set.Entity("thing")
	e.SetSearch("simple", []schema.SearchField{{Property: e.Property("title"), Weight: 'A'}, {Property: e.Property("id"), Weight: 'B'}})
	return after
}

// RunKilledMigrations fills a store, starts the test called child in a process of its own with
// the environment env, where it calls [MigrateKilled] over the same database, and kills it at a
// random moment, several times. Afterwards the migration is finished here: no row is lost, and
// each has the values of the new cards. killed is called after each kill. open opens the store
// over the database.
func RunKilledMigrations(t *testing.T, open func(t testing.TB) Migrator, child string, env []string, killed func()) {
	n := KilledRows()
	before := killedBefore.Compile(t)
	store := open(t)
	if err := store.Prepare(t.Context(), before.Set.Entities); err != nil {
		t.Fatal(err)
	}
	e := before.Set.Entity("thing")
	for i := 0; i < n; i += 1000 {
		var records []facade.Record
		for j := i; j < min(i+1000, n); j++ {
			records = append(records, record(e, fmt.Sprintf(`{"id":"%07d","name":"Name %d","price":%d.5}`, j, j, j)))
		}
		if _, err := store.Insert(t.Context(), e, records, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if closer, ok := store.(interface{ Close() error }); ok {
		if err := closer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(uint64(n), 1))
	longest := 60 * time.Millisecond * time.Duration(max(1, n/1000))
	kills := 0
	for range 6 {
		cmd := exec.Command(os.Args[0], "-test.run=^"+child+"$", "-test.v") //nolint:gosec // it is this test itself
		cmd.Env = append(os.Environ(), env...)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.AfterFunc(50*time.Millisecond+time.Duration(random.Int64N(int64(longest))), func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		after.Stop()
		if err == nil {
			break // it was faster
		}
		if cmd.ProcessState.Exited() {
			t.Fatalf("the process failed before it was killed: %v\n%s", err, out.String())
		}
		kills++
		killed()
	}
	t.Logf("killed %d times over %d rows", kills, n)
	store = open(t)
	MigrateKilled(t, store)
	after := compileKilled(t)
	if plan, err := store.Plan(t.Context(), &migration.Task{Entities: after.Set.Entities, Changes: after.Changes}); err != nil || len(plan.Steps) > 0 {
		t.Fatalf("something is still to do: %v %v", plan, err)
	}
	e = after.Set.Entity("thing")
	found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id", "title", "price", "slug"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: n + 1})
	if err != nil || found.Rows.Len() != n {
		t.Fatalf("%d rows are %d: %v", n, found.Rows.Len(), err)
	}
	for i, row := range jsontext.Elements(found.Rows.AppendJSON(nil)) {
		want := fmt.Sprintf(`{"id":"%07d","title":"Name %d","price":%d,"slug":"name %d"}`, i, i, i*100+50, i)
		if got := string(row); got != want {
			t.Fatalf("row %d is %s, want %s", i, got, want)
		}
	}
	w := &world{T: t, store: store}
	w.equal("the words of rows", fmt.Sprintf("%07d", n-1), w.foundIDs(w.searchFor(e, strconv.Itoa(n-1), "title")))
	w.equal("the words of all rows", int64(n), w.find(counted(w.searchFor(e, "name", ""))).Total)
}

// counted has a find count all rows, and answer none.
func counted(q *facade.Find) *facade.Find {
	q.Count, q.Limit = true, 0
	return q
}
