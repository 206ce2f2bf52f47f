package postgres_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

func TestPlansOfChanges(t *testing.T) {
	t.Parallel()
	plans := storetest.RunMigrations(t, "testdata/plans.txt", func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
	t.Run("squawk", func(t *testing.T) { lint(t, plans) })
}

func TestSearchMigrations(t *testing.T) {
	t.Parallel()
	storetest.RunSearchMigrations(t, func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
}

// accepted are the warnings of squawk that hold for some of the statements, with the reason
// why these are right as they are.
var accepted = map[string]string{
	"ban-drop-column":           "a column with values waits for --drop; a change of type drops the one that it has replaced",
	"ban-drop-not-null":         "a field that may be null now, or a column that no card describes",
	"prefer-robust-stmts":       "a step is made for what the catalogue has, and made again where it was interrupted",
	"renaming-column":           "renamed in frond.yaml says so",
	"require-statement-timeout": "the statements that take long let others work",
}

// lint checks the statements of plans with squawk, the linter of migrations: no warning but
// the accepted ones, and of those each one is seen.
func lint(t *testing.T, plans []*migration.Plan) {
	squawk, err := filepath.Abs("../../e2e/js/node_modules/.bin/squawk")
	if err == nil {
		_, err = os.Stat(squawk)
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("squawk is not installed; run make js")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := []string{"--reporter", "Json", "--pg-version", "15"}
	for i, plan := range plans {
		for j, step := range plan.Steps {
			name := filepath.Join(dir, fmt.Sprintf("%02d-%d-%s.sql", i, j, step.Op))
			text := strings.Join(step.SQL, ";\n") + ";\n"
			if strings.Contains(text, " CONCURRENTLY ") { // it runs outside of a transaction, and makes nobody wait
				text = "SET lock_timeout = '3s';\n" + text
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, name)
		}
	}
	out, err := exec.Command(squawk, files...).Output() //nolint:gosec // the linter that package.json names
	var warnings []struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Rule    string `json:"rule_name"`
		Message string `json:"message"`
	}
	if jerr := json.Unmarshal(out, &warnings); jerr != nil {
		t.Fatalf("squawk: %v %v\n%s", err, jerr, out)
	}
	seen := map[string]bool{}
	for _, w := range warnings {
		if seen[w.Rule] = true; accepted[w.Rule] == "" {
			text, _ := os.ReadFile(w.File)
			t.Errorf("%s: %s: %s\n%s", filepath.Base(w.File), w.Rule, w.Message, text)
		}
	}
	for rule := range accepted {
		if !seen[rule] {
			t.Errorf("%s is accepted, and nothing has it", rule)
		}
	}
}

// TestPlansAreRun checks that apply runs the statements of a plan, in their order, and that it runs
// no others that change a table.
func TestPlansAreRun(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var run []string
	store := open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1, Trace: func(sql string, _ ...any) {
		mu.Lock()
		defer mu.Unlock()
		run = append(run, sql)
	}}, nil)
	before := storetest.Version{Fields: []string{"count: type: integer", "code?: type: string", "size?: type: integer"}}.Compile(t)
	after := storetest.Version{
		Fields:  []string{"count: type: string", "label: type: string, x-kit: {role: {index: true}}", "size: type: integer, minimum: 1", "slug: type: string"},
		Changes: "renamed: {thing.code: thing.label}\nvalues: {thing.slug: lower(id), thing.label: \"code ?? 'none'\"}",
	}.Compile(t)
	e := before.Set.Entity("thing")
	searched := after.Set.Entity("thing")
	searched.SetSearch("simple", []schema.SearchField{{Property: searched.Property("label"), Weight: 'A'}})
	if err := store.Prepare(t.Context(), before.Set.Entities); err != nil {
		t.Fatal(err)
	}
	storetest.InsertRows(t, store, e, `{"id":"a","count":1,"code":"A","size":2}`, `{"id":"b","count":2,"size":3}`)
	task := &migration.Task{Entities: after.Set.Entities, Changes: after.Changes}
	plan, err := store.Plan(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	run = nil
	if _, err := store.Migrate(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(run, ";\n")
	var planned strings.Builder
	for _, step := range plan.Steps {
		for _, sql := range step.SQL {
			planned.WriteString(sql + ";\n")
			statements := []string{sql}
			if text, comment := strings.CutPrefix(sql, "/* "); comment {
				_, text, _ = strings.Cut(strings.TrimSuffix(text, " */"), ":\n")
				if statements = strings.Split(text, ";\n"); strings.HasPrefix(sql, "/* the rows that were written since") {
					statements = statements[:1] // nobody has written any
				}
			}
			for _, statement := range statements {
				_, behind, found := strings.Cut(all, statement)
				if !found {
					t.Fatalf("%s is not run, or in another order:\n%s\nwas run:\n%s", step.Where(), statement, strings.Join(run, ";\n"))
				}
				all = behind
			}
		}
	}
	changes := regexp.MustCompile(`^(BEGIN|ALTER|CREATE|DROP|LOCK|UPDATE|INSERT INTO "|COMMENT)`)
	for _, sql := range strings.Split(strings.Join(run, ";\n"), ";\n") {
		if changes.MatchString(sql) && !strings.Contains(sql, engine.Bookkeeping+".") && !strings.Contains(planned.String(), sql) {
			t.Errorf("the plan does not have %s", sql)
		}
	}
	if !strings.Contains(planned.String(), "SET LOCAL lock_timeout = '3s';") {
		t.Errorf("the plan does not have lock_timeout:\n%s", planned.String())
	}
}

func TestEndedRenames(t *testing.T) {
	t.Parallel()
	storetest.RunEndedRenames(t, func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
}

func TestRandomMigrations(t *testing.T) {
	t.Parallel()
	storetest.RunRandomMigrations(t, 7, 60, func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
}

// TestMigrationKilled kills the process of a migration at random moments: what it has left is
// finished or removed by the next one. Its lease, which would end after five seconds, is removed
// at once.
func TestMigrationKilled(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	storetest.RunKilledMigrations(t, func(t testing.TB) storetest.Migrator {
		store, err := postgres.Open(postgres.Options{URL: url, Logger: quiet, Statement: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}, "TestMigrationKilledChild", []string{"FROND_MIGRATION_STORE=" + url}, func() {
		db, err := engine.Open(engine.Options{URL: url, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Once(t.Context(), &engine.Query{Text: []byte("DELETE FROM frond.lease")}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestMigrationKilledChild is the process that is killed.
func TestMigrationKilledChild(t *testing.T) {
	url := os.Getenv("FROND_MIGRATION_STORE")
	if url == "" {
		t.Skip("it is a part of TestMigrationKilled")
	}
	store, err := postgres.Open(postgres.Options{URL: url, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	storetest.MigrateKilled(t, store)
}

// TestTypeChangesBesideWriters changes a type while an older program writes: what it was
// answered before the columns changed places is there in the new form.
func TestTypeChangesBesideWriters(t *testing.T) {
	url := pgtest.Database(t)
	before := storetest.Version{Fields: []string{"price: type: string"}}.Compile(t)
	after := storetest.Version{Fields: []string{"price: type: integer"}, Changes: "values: {thing.price: 'int(price[1:])'}"}.Compile(t)
	older := open(t, postgres.Options{URL: url}, before.Set.Entities)
	e := before.Set.Entity("thing")
	const list = 3000
	want := make([]int, list)
	for i := range list {
		storetest.InsertRows(t, older, e, fmt.Sprintf(`{"id":"%04d","price":"x0"}`, i))
	}
	stop, stopped, writes := make(chan struct{}), make(chan struct{}), 0
	go func() {
		defer close(stopped)
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			i := n * 7919 % list
			_, err := older.Update(t.Context(), e, json.RawMessage(fmt.Sprintf(`"%04d"`, i)), nil,
				facade.Record{{Name: "price", Value: json.RawMessage(fmt.Sprintf(`"x%d"`, n))}}, nil, rows.NewLayout([]string{"id"}))
			if err != nil {
				return // the column is one of integers now
			}
			want[i] = n
			writes++
		}
	}()
	newer, err := postgres.Open(postgres.Options{URL: url, Logger: quiet, Statement: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	_, err = newer.Migrate(t.Context(), &migration.Task{Entities: after.Set.Entities, Changes: after.Changes, Convert: []string{"thing.price"}})
	close(stop)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d writes beside the change", writes)
	var found []struct{ Price int }
	if err := json.Unmarshal([]byte(storetest.RowsOf(t, newer, after.Set.Entity("thing"))), &found); err != nil {
		t.Fatal(err)
	}
	for i, row := range found {
		if row.Price != want[i] {
			t.Fatalf("row %d has %d, and x%d was written", i, row.Price, want[i])
		}
	}
	if len(found) != list || writes == 0 {
		t.Errorf("%d rows, %d writes", len(found), writes)
	}
}

func TestRenames(t *testing.T) {
	t.Parallel()
	storetest.RunRenames(t, func(t testing.TB) func() storetest.Migrator {
		url := pgtest.Database(t)
		return func() storetest.Migrator { return open(t, postgres.Options{URL: url, Statement: -1}, nil) }
	})
}

func TestPhysicalRenames(t *testing.T) {
	t.Parallel()
	storetest.RunPhysical(t, true, func(t testing.TB) func() storetest.Migrator {
		url := pgtest.Database(t)
		return func() storetest.Migrator { return open(t, postgres.Options{URL: url, Statement: -1}, nil) }
	})
}

func TestRollouts(t *testing.T) {
	t.Parallel()
	storetest.RunRollouts(t, func(t testing.TB) func() storetest.Migrator {
		url := pgtest.Database(t)
		return func() storetest.Migrator { return open(t, postgres.Options{URL: url, Statement: -1}, nil) }
	})
}
