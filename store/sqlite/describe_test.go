package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite"
)

// foreign makes a database as another program does, and returns its path.
func foreign(t *testing.T, sql string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.db")
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(sql); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDescribe holds what the catalogue of a file says, and what its rows show beside.
func TestDescribe(t *testing.T) {
	path := foreign(t, `
CREATE TABLE "Order" (id INTEGER PRIMARY KEY, customer INT REFERENCES customer (ID) ON DELETE CASCADE, at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  day DATE, price NUMERIC(10,2), paid BOOLEAN, votes BOOLEAN, note NVARCHAR(40), big INTEGER, tags JSON, bytes BLOB, mixed TEXT, untyped, twice INTEGER AS (price * 2), code INTEGER UNIQUE);
CREATE TABLE customer (Id INTEGER PRIMARY KEY, a TEXT, b TEXT, UNIQUE (a, b));
CREATE UNIQUE INDEX partial ON customer (a) WHERE b IS NULL;
CREATE INDEX by_b ON customer (b);
CREATE TABLE pair (x INT, y INT, z, FOREIGN KEY (x, y) REFERENCES pair, PRIMARY KEY (y, x)) WITHOUT ROWID;
CREATE VIEW both AS SELECT "Order".id, customer.a FROM "Order", customer;
INSERT INTO customer VALUES (1, 'a', 'b');
INSERT INTO "Order" (id, customer, day, price, paid, votes, note, big, tags, bytes, mixed, code) VALUES
  (1, 1, '2026-01-31', 1.5, 1, 2, 'x', 5000000000, '[1]', x'00', 'text', 7), (2, NULL, NULL, 2, 0, 1, NULL, 1, NULL, NULL, x'01', NULL);
`)
	db, err := sqlite.Describe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range db.Tables {
		line := table.Name
		if table.View {
			line += " view"
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s key %v unique %v index %v %s", line, table.Primary, table.Uniques, table.Indexed, table.Unfit)))
		for _, c := range table.Columns {
			words := []string{" ", c.Name, string(c.Type.Kind)}
			if c.Type.Bits == 64 {
				words = append(words, "64")
			}
			if c.Type.Length > 0 {
				words = append(words, fmt.Sprint(c.Type.Length))
			}
			if c.NotNull {
				words = append(words, "not null")
			}
			got = append(got, strings.TrimRight(strings.Join(append(words, string(c.Fill), c.Type.Unfit), " "), " "))
		}
		for _, f := range table.ForeignKeys {
			got = append(got, strings.TrimRight(fmt.Sprintf("  %v -> %s%v %s", f.Columns, f.Table, f.To, f.OnDelete), " "))
		}
	}
	want := []string{
		"Order key [id] unique [[code]] index [code]",
		"  id integer not null default",
		"  customer integer",
		"  at text not null default",
		"  day date",
		"  price float",
		"  paid boolean",
		"  votes integer",
		"  note text 40",
		"  big integer 64",
		"  tags json",
		"  bytes unfit  it holds bytes, which a row of JSON cannot carry",
		"  mixed unfit  it holds bytes, which a row of JSON cannot carry",
		"  untyped unfit  its declared type is unknown, and no row shows the type of its values",
		"  twice integer always",
		"  code integer",
		"  [customer] -> customer[Id] cascade",
		"both view key [] unique [] index []",
		"  id integer",
		"  a text",
		"customer key [Id] unique [[a b]] index [a b]",
		"  Id integer not null default",
		"  a text",
		"  b text",
		"pair key [y x] unique [] index []",
		"  x integer not null",
		"  y integer not null",
		"  z unfit  its declared type is unknown, and no row shows the type of its values",
		"  [x y] -> pair[y x]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestStorageOfVirtualTables: the tables in which a module keeps a virtual table are not served, and named
// with the reason; a table whose name only begins like that is served.
func TestStorageOfVirtualTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fts.db")
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fts5.Register(db), db.Exec(`CREATE TABLE note_tag (id INTEGER PRIMARY KEY);
CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES ('tea');
PRAGMA writable_schema = ON;
INSERT INTO sqlite_schema VALUES ('table', 'vec', 'vec', 0, 'CREATE VIRTUAL TABLE vec USING vec0(v float[3])');
CREATE TABLE vec_chunks00 (id INTEGER PRIMARY KEY);`), db.Close()); err != nil {
		t.Fatal(err)
	}
	is, err := sqlite.Describe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range is.Tables {
		got = append(got, is.Tables[i].Name+": "+is.Tables[i].Unfit)
	}
	const virtual = "it is a virtual table, whose content its module decides"
	storage := func(of string) string {
		return "it is the storage of the virtual table " + of + ", which a write would break"
	}
	want := []string{
		"note: " + virtual, "note_config: " + storage("note"), "note_content: " + storage("note"), "note_data: " + storage("note"),
		"note_docsize: " + storage("note"), "note_idx: " + storage("note"), "note_tag: ", "vec: " + virtual, "vec_chunks00: " + storage("vec"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDescribeManyTables prints how long the catalogue of 500 tables takes.
func TestDescribeManyTables(t *testing.T) {
	var sql strings.Builder
	for i := range 500 {
		fmt.Fprintf(&sql, "CREATE TABLE t%d (id INTEGER PRIMARY KEY, name TEXT NOT NULL, a INT, b REAL, c DATE, d TEXT, e TEXT, f TEXT, parent INT REFERENCES t%d (id));\n", i, i/2)
		fmt.Fprintf(&sql, "CREATE INDEX i%d ON t%d (parent);\n", i, i)
	}
	path := foreign(t, "BEGIN; "+sql.String()+" COMMIT;")
	began := time.Now()
	db, err := sqlite.Describe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("500 tables of 9 columns: %s", time.Since(began).Round(time.Millisecond))
	columns, refs := 0, 0
	for _, table := range db.Tables {
		columns += len(table.Columns)
		refs += len(table.ForeignKeys)
	}
	if columns != 4500 || refs != 500 {
		t.Errorf("%d tables, %d columns, %d references", len(db.Tables), columns, refs)
	}
	var nothing *dbschema.Table
	if db.Table("", "t500") != nothing {
		t.Error("there is no t500")
	}
}
