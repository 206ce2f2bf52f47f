package existing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// database is a database of another program: how it is read and named in settings, and what its
// catalogue is now.
type database struct {
	describe func() (*dbschema.Database, error)
	store    string
	dump     func() string
}

// open makes the database of a file in testdata.
func open(t *testing.T, file string) *database {
	t.Helper()
	sql, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".sqlite.sql") {
		return openSQLite(t, string(sql))
	}
	return openPostgres(t, string(sql))
}

func openSQLite(t *testing.T, sql string) *database {
	path := filepath.Join(t.TempDir(), "foreign.db")
	run := func(sql string) (out string) {
		db, err := sqlite3.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		for strings.TrimSpace(sql) != "" {
			st, tail, err := db.Prepare(sql)
			if err != nil {
				t.Fatal(err)
			}
			for st.Step() {
				out += st.ColumnText(0) + "\n"
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			sql = tail
		}
		return out
	}
	run(sql)
	return &database{
		describe: func() (*dbschema.Database, error) { return sqlite.Describe(context.Background(), path) },
		store:    "sqlite:" + path,
		dump: func() string {
			return run("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
		},
	}
}

func openPostgres(t *testing.T, sql string) *database {
	address := pgtest.Database(t)
	c, err := pgconn.Connect(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	if _, err := c.Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
	db := &database{
		describe: func() (*dbschema.Database, error) {
			return postgres.Describe(context.Background(), postgres.Options{URL: address})
		},
		store: address,
	}
	db.dump = func() string {
		programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
		if program, err := exec.LookPath("pg_dump"); err == nil {
			programs = append(programs, program)
		}
		if len(programs) == 0 {
			t.Fatal("pg_dump is not installed where its server is")
		}
		out, err := exec.Command(programs[len(programs)-1], "--schema-only", "--dbname", address).Output()
		if err != nil {
			t.Fatalf("pg_dump: %v", err)
		}
		// What a newer pg_dump writes at random.
		lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(line string) bool {
			return strings.HasPrefix(line, `\restrict`) || strings.HasPrefix(line, `\unrestrict`)
		})
		return strings.Join(lines, "\n")
	}
	return db
}

// asRole is a database on PostgreSQL as another role sees it.
func asRole(t *testing.T, db *database, role, password string) *database {
	t.Helper()
	address, err := url.Parse(db.store)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(role, password)
	return &database{store: address.String(), describe: func() (*dbschema.Database, error) {
		return postgres.Describe(context.Background(), postgres.Options{URL: address.String()})
	}}
}

// folder is files as a file system.
func folder(files map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// project reads the project that a database becomes.
func project(t *testing.T, db *database, opts *adopt.Options, edits ...func(files map[string]string)) (*facade.Project, *adopt.Project) {
	t.Helper()
	is, err := db.describe()
	if err != nil {
		t.Fatal(err)
	}
	made := adopt.New(is, opts)
	files := made.Files()
	for _, edit := range edits {
		edit(files)
	}
	p, err := facade.Read(folder(files))
	if err != nil {
		t.Fatal(err)
	}
	return p, made
}

// settings are those of a gateway over a database.
func settings(db *database) *gateway.Options {
	return &gateway.Options{
		Config: gateway.Config{Extras: all.Extras(), Store: db.store, Migrate: gateway.MigrateOff, Mode: gateway.Development},
		Logger: slog.New(slog.DiscardHandler), Undecided: true,
	}
}

// serve serves the project of a database, and checks that it has nothing to migrate.
func serve(t *testing.T, db *database, opts *adopt.Options, edits ...func(files map[string]string)) (ask func(document string) string, made *adopt.Project) {
	t.Helper()
	p, _ := project(t, db, opts, edits...)
	plan, err := gateway.PlanMigration(context.Background(), p, settings(db), &gateway.MigrateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) > 0 {
		t.Errorf("the plan has steps: %v", plan.Steps)
	}
	p, made = project(t, db, opts, edits...)
	return asked(t, p, settings(db)), made
}

// asked starts a gateway for the length of a test, and returns what sends it a document.
func asked(t *testing.T, p *facade.Project, with *gateway.Options) (ask func(document string) string) {
	t.Helper()
	gw, err := gateway.New(p, with)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gw.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(document string) string {
		t.Helper()
		body, _ := json.Marshal(map[string]string{"query": document})
		resp, err := http.Post(server.URL+"/graphql", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(answer))
	}
}

// same compares an answer with what it should be, a JSON object whose white space does not count.
func same(t *testing.T, want, got string) {
	t.Helper()
	read := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return v
	}
	if diff := cmp.Diff(read(want), read(got)); diff != "" {
		t.Errorf("%s\n%s", diff, got)
	}
}

// unchanged checks at the end of a test that the catalogue is what it was.
func unchanged(t *testing.T, db *database) {
	t.Helper()
	before := db.dump()
	t.Cleanup(func() {
		if diff := cmp.Diff(before, db.dump()); diff != "" {
			t.Error(diff)
		}
	})
}

// report is the notes of a project, a line each.
func report(p *adopt.Project) (lines []string) {
	for _, n := range p.Notes {
		lines = append(lines, string(n.Kind)+" "+n.String())
	}
	return lines
}
