package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"
	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// The stores of the writes of many rows, each with a table of the same form that is written by hand.

// openItems compiles the project over a store.
func openItems(name string, store interface {
	facade.Store
	Prepare(ctx context.Context, entities []*schema.Entity) error
},
) (*itemStore, error) {
	project, err := facade.Read(stock)
	if err != nil {
		return nil, err
	}
	compiled, err := compile.Project(project, nil)
	if err != nil {
		return nil, err
	}
	f, err := facade.New(compiled, store, nil)
	if err != nil {
		return nil, err
	}
	return &itemStore{name: name, facade: f, card: f.Catalog().Door("item").Entity}, store.Prepare(context.Background(), f.Catalog().Set.Entities)
}

func openItemsSQLite(dir string) (*itemStore, error) {
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, "items.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	s, err := openItems("SQLite", store)
	if err != nil {
		return nil, err
	}
	db, err := sqlite3.Open(filepath.Join(dir, "hand.db"))
	if err != nil {
		return nil, err
	}
	err = db.Exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
		CREATE TABLE item (id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, name TEXT NOT NULL, price INTEGER NOT NULL, active INTEGER NOT NULL) STRICT`)
	s.hand, s.close = sqliteByHand{db}, func() { _, _ = store.Close(), db.Close() } // the folder is removed
	return s, err
}

// sqliteByHand writes with one prepared statement.
type sqliteByHand struct{ db *sqlite3.Conn }

// write implements [handStore].
func (h sqliteByHand) write(n, rows int, answer bool) error {
	sql := "INSERT INTO item VALUES (?, ?, ?, ?, ?)"
	if answer {
		sql += " RETURNING id, sku, name, price, active"
	}
	insert, _, err := h.db.Prepare(sql)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	text := make([]byte, 0, 1<<20)
	err = eachItem(n, rows, func(i int, row []string) error {
		var begin error
		if i%itemRows == 0 {
			begin = h.db.Exec([]string{"BEGIN", "COMMIT; BEGIN"}[min(i, 1)])
		}
		id, wrong := strconv.ParseInt(row[0], 10, 64)
		price, bad := strconv.ParseInt(row[3], 10, 64)
		if err := errors.Join(begin, wrong, bad, insert.BindInt64(1, id), insert.BindText(2, row[1]), insert.BindText(3, row[2]), insert.BindInt64(4, price), insert.BindBool(5, row[4] == "true")); err != nil {
			return err
		}
		for insert.Step() {
			text = fmt.Appendf(text, `{"id":%d,"sku":%q,"name":%q,"price":%d,"active":%t}`, insert.ColumnInt64(0), insert.ColumnRawText(1), insert.ColumnRawText(2), insert.ColumnInt64(3), insert.ColumnBool(4))
		}
		return insert.Reset()
	})
	return errors.Join(err, h.db.Exec("COMMIT"))
}

// eachItem reads a file of rows.
func eachItem(n, rows int, do func(i int, row []string) error) error {
	from := csv.NewReader(itemFile(n, rows))
	from.ReuseRecord = true
	if _, err := from.Read(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		row, err := from.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(i, row)
		}
		if err != nil {
			return err
		}
	}
}

func openItemsPostgres(string) (*itemStore, error) {
	cluster, err := pgtest.Start(pgtest.Options{Durable: true, Settings: []string{"shared_buffers=256MB"}})
	if err != nil {
		return nil, err
	}
	if err := cluster.Primary.Exec("postgres", "create database items"); err != nil {
		return nil, err
	}
	url := cluster.Primary.URL("items")
	store, err := postgres.Open(postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	s, err := openItems("PostgreSQL", store)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(context.Background(), "CREATE TABLE hand (id bigint PRIMARY KEY, sku text NOT NULL UNIQUE, name text NOT NULL, price bigint NOT NULL, active boolean NOT NULL)")
	s.hand, s.close = postgresByHand{conn}, func() {
		_ = conn.Close(context.Background())
		_, _ = store.Close(), cluster.Close()
	}
	return s, err
}

// postgresByHand writes with one INSERT of all rows, and with COPY where no rows are answered.
type postgresByHand struct{ conn *pgx.Conn }

// write implements [handStore].
func (h postgresByHand) write(n, rows int, answer bool) error {
	ctx := context.Background()
	var ids, prices []int64
	var skus, names []string
	var active []bool
	var copied [][]any
	flush := func() error {
		if !answer {
			_, err := h.conn.CopyFrom(ctx, pgx.Identifier{"hand"}, []string{"id", "sku", "name", "price", "active"}, pgx.CopyFromRows(copied))
			copied = copied[:0]
			return err
		}
		found, err := h.conn.Query(ctx, "INSERT INTO hand SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::boolean[]) RETURNING id, sku, name, price, active", ids, skus, names, prices, active)
		if err != nil {
			return err
		}
		var text []byte
		for found.Next() {
			var id, price int64
			var sku, name string
			var active bool
			if err := found.Scan(&id, &sku, &name, &price, &active); err != nil {
				return err
			}
			text = fmt.Appendf(text, `{"id":%d,"sku":%q,"name":%q,"price":%d,"active":%t}`, id, sku, name, price, active)
		}
		return found.Err()
	}
	err := eachItem(n, rows, func(i int, row []string) error {
		id, wrong := strconv.ParseInt(row[0], 10, 64)
		price, bad := strconv.ParseInt(row[3], 10, 64)
		if answer {
			ids, skus, names, prices, active = append(ids, id), append(skus, row[1]), append(names, row[2]), append(prices, price), append(active, row[4] == "true")
			return errors.Join(wrong, bad)
		}
		if copied = append(copied, []any{id, row[1], row[2], price, row[4] == "true"}); len(copied) == itemRows {
			return flush()
		}
		return errors.Join(wrong, bad)
	})
	if err != nil || !answer && len(copied) == 0 {
		return err
	}
	return flush()
}
