package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

// The comparisons compare like with like, or fail: each part looks at the answers
// of both sides before it measures them. One short round of each keeps them whole.
func TestPartsRun(t *testing.T) {
	for name, run := range map[string]func(int, time.Duration) error{
		"graphql": benchGraphQL, "rest": benchREST, "findbyid": benchFindByID, "collector": benchCollector,
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(1, time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServedAgree: whoever serves the page under load answers what the gateway does.
func TestServedAgree(t *testing.T) {
	dir := t.TempDir()
	gw, shut, err := open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := asked(-1).answer(gw.Handler())
	shut()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, prebuilt), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range served {
		h, err := c.build(dir)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, least := range []int{-1, -99} {
			got, err := asked(least).answer(h)
			if err == nil {
				err = same([]byte(page), []byte(got))
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// TestPostgresServedAgree: the gateway and the handler by hand answer each query over PostgreSQL
// alike, with the gateway's statements.
func TestPostgresServedAgree(t *testing.T) {
	dir := t.TempDir()
	cluster, err := startPostgres(dir, 500)
	if errors.Is(err, pgtest.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	var handlers []http.Handler
	for _, c := range postgresServed {
		h, err := c.build(dir)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		handlers = append(handlers, h)
	}
	for _, r := range blogRequests {
		for _, n := range []int{1, 4242, 100_000} { // the last is no post
			want, err := r.gateway(n).answer(handlers[0])
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			for i, h := range handlers[1:] {
				got, err := r.gateway(n).answer(h)
				if err == nil && r.name != "create" { // ids differ
					err = same([]byte(want), []byte(got))
				}
				if err != nil {
					t.Errorf("%s by %s: %v", r.name, postgresServed[i+1].name, err)
				}
			}
		}
	}
	if n, err := cluster.Primary.Query(gatewayDatabase, "select count(*) from note where stars = 1"); err != nil || n != fmt.Sprint(len(handlers)) {
		t.Errorf("%s notes were created, %v", n, err)
	}
}
