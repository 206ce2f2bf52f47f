package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

// fromStep is one marked block of a page about another product: a file that the reader writes, lines that
// go into a file, statements for the database, commands, or the command that serves.
var fromStep = regexp.MustCompile("(?s)<!-- (?:(file|add): (\\S+)|(run|sql|serve)) -->\n```(?:yaml|sql|console)\n(.*?)```")

// fromPages are the pages about other products, each with the file of its database: "" for PostgreSQL, which
// the variable DATABASE_URL names.
var fromPages = map[string]string{"hasura": "", "postgraphile": "", "directus": "", "supabase": "", "pocketbase": "pb_data/data.db"}

// TestFromPages does what docs/from-*.md say, from the database of testdata/from on: it writes each file, runs the
// statements, and holds each command to its printed output. Lines that are added to a frond.yaml are written above
// its tables.
func TestFromPages(t *testing.T) {
	t.Parallel()
	need(t, "curl", "jq")
	for name, file := range fromPages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(root, "docs", "from-"+name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			if words := len(strings.Fields(string(text))); words > 1000 {
				t.Errorf("the page has %d words, more than 1000", words)
			}
			statements, err := os.ReadFile(filepath.Join("testdata", "from", name+".sql"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var environ []string
			execute := func(sql string) { runSQLite(t, filepath.Join(dir, file), sql) }
			if file == "" {
				address := pgtest.Database(t)
				environ = []string{"DATABASE_URL=" + address}
				execute = func(sql string) { runPostgres(t, address, sql) }
			} else if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
				t.Fatal(err)
			}
			execute(string(statements))
			where, counts := addresses{}, map[string]int{}
			for _, m := range fromStep.FindAllStringSubmatch(string(text), -1) {
				kind, path, block := m[1]+m[3], filepath.Join(dir, m[2]), m[4]
				counts[kind]++
				switch kind {
				case "file":
					write(t, dir, map[string]string{m[2]: block})
				case "add":
					addLines(t, path, block)
				case "sql":
					execute(block)
				case "serve":
					args := strings.Fields(strings.TrimPrefix(strings.TrimSpace(block), "$ frond "))
					cmd := exec.Command(binary(t), append(args, "--listen", "127.0.0.1:0")...)
					cmd.Dir, cmd.Env = dir, environment(environ...)
					where["127.0.0.1:8080"] = start(t, cmd).URL
				case "run":
					for _, b := range consoleBlocks("<!-- run: page -->\n```console\n" + block + "```") {
						for _, c := range b.commands {
							c.runIn(t, dir, where, environ...)
						}
					}
				}
			}
			if counts["run"] < 3 || counts["add"] < 2 || counts["serve"] != 1 {
				t.Errorf("the page has %v: blocks are not seen", counts)
			}
		})
	}
}

// addLines writes lines into a file: above the tables of a frond.yaml, and at the end of others.
func addLines(t *testing.T, path, lines string) {
	t.Helper()
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, found := strings.Cut(string(was), "# Where the rows of each entity are.")
	if found {
		tail = "\n# Where the rows of each entity are." + tail
	}
	if err := os.WriteFile(path, []byte(head+lines+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runPostgres runs statements on a database as its owner.
func runPostgres(t *testing.T, address, sql string) {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	if _, err := c.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// runSQLite runs statements on a file.
func runSQLite(t *testing.T, file, sql string) {
	t.Helper()
	db, err := sqlite3.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.Exec(sql); err != nil {
		t.Fatal(err)
	}
}
