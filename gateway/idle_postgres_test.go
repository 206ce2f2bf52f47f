package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestIdleGatewaysOverPostgres: gateways that listen run no statement while nothing happens, and the
// events of one reach the subscribers of another at once, also after the server has ended the
// connections that listen.
func TestIdleGatewaysOverPostgres(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{})
	database := cluster.Database(t)
	config := gateway.Config{Store: cluster.Primary.URL(database)}
	reading, writing := essaysOf(t, config), essaysOf(t, config)
	query := func(statement string) string {
		t.Helper()
		text, err := cluster.Primary.Query(database, statement+` FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	lines, _ := reading.subscribe(`subscription { essayChanged { key } }`)
	wait := func(what string, holds func() bool) {
		t.Helper()
		for by := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(by) {
				t.Fatalf("%s: not within a minute", what)
			}
		}
	}
	const listening = `SELECT coalesce(string_agg(pid::text, ' ' ORDER BY pid) FILTER (WHERE query LIKE 'LISTEN%'), '')`
	for _, round := range []string{"at first", "after the connections were ended"} {
		wait("both listen "+round, func() bool { return strings.Contains(query(listening), " ") })
		wait("no statement for four seconds "+round, func() bool {
			const last = `SELECT max(query_start)::text`
			before := query(last)
			time.Sleep(4 * time.Second)
			return query(last) == before
		})
		began := time.Now()
		for range 5 {
			writing.write(1)
			if text := reading.data(lines); !strings.Contains(text, fmt.Sprintf(`"key":"e%d"`, writing.n)) {
				t.Errorf("%s: %s", round, text)
			}
			time.Sleep(600 * time.Millisecond) // by which time nothing is looked for any more
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%s: five events took %s", round, took)
		}
		was := query(listening)
		query(`SELECT count(pg_terminate_backend(pid)) FILTER (WHERE query LIKE 'LISTEN%')`)
		wait("others listen", func() bool { now := query(listening); return now != was && strings.Contains(now, " ") })
	}
}
