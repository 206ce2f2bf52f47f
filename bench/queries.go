package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// Queries to 100,000 tracks (groups, orders, search), without a socket, each beside a
// statement by hand, run past the store over the same database.

// query is a path of REST, or a document of GraphQL, and the statement beside it.
type query struct{ name, path, sql string }

// compare prints the share of a statement by hand that each query comes to, the best of rounds that take
// turns: other work on the machine only adds.
func (t *tracks) compare(title string, queries []query) error {
	fmt.Printf("\n%s, without a socket: by hand is plain SQL over the same database\n", title)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "  query\tgateway\tby hand\tshare\t")
	for _, q := range queries {
		r := request{method: "GET", path: "/api/app/" + q.path}
		if q.path[0] == '{' {
			r = request{method: "POST", path: "/graphql", body: fmt.Sprintf(`{"query":%q}`, q.path)}
		}
		runs := [2]func(){r.to(t.handler), t.prepare(q.sql)}
		best := [2]time.Duration{time.Hour, time.Hour}
		for begun, n := time.Now(), 0; n < 5 || n < 500 && time.Since(begun) < 2*time.Second; n++ {
			for i, run := range runs {
				start := time.Now()
				run()
				best[i] = min(best[i], time.Since(start))
			}
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%.2f\t\n", q.name, best[0].Round(time.Microsecond), best[1].Round(time.Microsecond), float64(best[1])/float64(best[0]))
	}
	return w.Flush()
}

// onPostgresToo runs a comparison over a file of SQLite and over PostgreSQL, where that is installed. setup
// are statements for the plain connection of each.
func onPostgresToo(files fs.FS, setup [2][]string, compare func(t *tracks, store string) error) error {
	t, err := openTracksOf(files, 100_000, setup[0]...)
	if err != nil {
		return err
	}
	err = compare(t, "SQLite")
	t.close()
	if err != nil {
		return err
	}
	if t, err = openTracksOnPostgres(files, 100_000, setup[1]...); errors.Is(err, pgtest.ErrMissing) {
		fmt.Printf("\nSKIPPED: PostgreSQL: %v\n", err)
		return nil
	} else if err != nil {
		return err
	}
	defer t.close()
	return compare(t, "PostgreSQL")
}

// openTracksOnPostgres is openTracksOf over a server of its own.
func openTracksOnPostgres(files fs.FS, n int, setup ...string) (*tracks, error) {
	c, err := pgtest.Start(pgtest.Options{Settings: []string{"jit=off"}})
	if err != nil {
		return nil, err
	}
	ctx, url := context.Background(), c.Primary.URL("postgres")
	store, err := postgres.Open(postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	gw, err := fillTracks(files, store, n)
	if err != nil {
		return nil, errors.Join(err, store.Close(), c.Close())
	}
	conn, err := pgx.Connect(ctx, url)
	for _, sql := range append(setup, "vacuum analyze") {
		if err == nil {
			_, err = conn.Exec(ctx, sql)
		}
	}
	if err != nil {
		return nil, errors.Join(err, store.Close(), c.Close())
	}
	prepare := func(sql string) func() {
		return func() {
			rows, err := conn.Query(ctx, sql) // pgx keeps the prepared statement
			if err == nil {
				for rows.Next() {
				}
				err = rows.Err()
			}
			if err != nil {
				panic(err)
			}
		}
	}
	return &tracks{gw.Handler(), prepare, func() {
		if err := errors.Join(conn.Close(ctx), gw.Close(), store.Close(), c.Close()); err != nil { //nolint:contextcheck // they take none
			panic(err)
		}
	}}, nil
}
