package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing/fstest"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/store/sqlite"
)

// An import of a CSV file into an empty table, beside the loop that somebody writes by hand: encoding/csv,
// one prepared statement, and a transaction for every thousand rows, durable as the store's.

// importRows is how many rows are imported.
var importRows = flag.Int("import-rows", 100_000, "rows of the file that is imported (imports)")

var stock = fstest.MapFS{
	"entities/item.yaml": {Data: []byte(`
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  sku: {type: string, maxLength: 20, x-kit: {role: {unique: [[sku]]}}}
  name: {type: string, maxLength: 80}
  price: {type: integer, minimum: 0}
  active: {type: boolean}
required: [sku, name, price, active]
`)},
	"frond.yaml": {Data: []byte("collectors: {item: open}\nmany: {item: [import]}\n")},
}

// benchImports prints how long both take (imports). rounds and slice are not used: one import takes
// seconds.
func benchImports(int, time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var file bytes.Buffer
	file.WriteString("id,sku,name,price,active\n")
	for i := range *importRows {
		fmt.Fprintf(&file, "%d,SKU-%07d,\"Item, number %d\",%d,true\n", i, i, i, i%1000)
	}
	hand, ours := time.Hour, time.Hour
	for round := range 3 {
		began := time.Now()
		if err := importHere(filepath.Join(dir, fmt.Sprint("ours", round)), file.Bytes()); err != nil {
			return err
		}
		ours, began = min(ours, time.Since(began)), time.Now()
		if err := importByHand(filepath.Join(dir, fmt.Sprint("hand", round)), file.Bytes()); err != nil {
			return err
		}
		hand = min(hand, time.Since(began))
	}
	fmt.Printf("\nImport of %d rows of CSV into an empty table of SQLite\n  import %s, by hand %s, share %.2f\n",
		*importRows, ours.Round(time.Millisecond), hand.Round(time.Millisecond), float64(hand)/float64(ours))
	return nil
}

// importHere imports the file through the façade.
func importHere(path string, file []byte) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Options{Path: path, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // the folder is removed
	project, err := facade.Read(stock)
	if err != nil {
		return err
	}
	f, err := facade.New(project, store, nil)
	if err != nil {
		return err
	}
	if err := store.Prepare(ctx, f.Catalog().Set.Entities); err != nil {
		return err
	}
	card := f.Catalog().Door("item").Entity
	call := &facade.Call{Entity: "item", Operation: "import", Invocation: facade.Invocation{Query: json.RawMessage(`{"by":"sku"}`)}}
	report, err := (&bulk.Import{Caller: f, Call: call, Card: card}).Run(ctx, bulk.NewReader(bytes.NewReader(file), bulk.CSV, card))
	if err == nil && report.Created != *importRows {
		err = fmt.Errorf("%d rows were created of %d: %v", report.Created, *importRows, report.Faults)
	}
	return err
}

// importByHand imports the file past the store.
func importByHand(path string, file []byte) error {
	db, err := sqlite3.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := db.Exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
		CREATE TABLE item (id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, name TEXT NOT NULL, price INTEGER NOT NULL, active INTEGER NOT NULL) STRICT`); err != nil {
		return err
	}
	insert, _, err := db.Prepare(`INSERT INTO item VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (sku) DO UPDATE SET name = excluded.name, price = excluded.price, active = excluded.active`)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	rows := csv.NewReader(bytes.NewReader(file))
	rows.ReuseRecord = true
	if _, err := rows.Read(); err != nil {
		return err
	}
	for n := 0; ; n++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return db.Exec("COMMIT")
		}
		if err != nil {
			return err
		}
		switch {
		case n == 0:
			err = db.Exec("BEGIN")
		case n%1000 == 0:
			err = db.Exec("COMMIT; BEGIN")
		}
		id, wrong := strconv.ParseInt(row[0], 10, 64)
		price, bad := strconv.ParseInt(row[3], 10, 64)
		err = errors.Join(err, wrong, bad, insert.BindInt64(1, id), insert.BindText(2, row[1]), insert.BindText(3, row[2]), insert.BindInt64(4, price),
			insert.BindBool(5, row[4] == "true"), insert.Exec())
		if err != nil {
			return err
		}
	}
}
