package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// The store when something is broken: connections, the server, its rights. The rows are tags:
// an integer key and a label.

func entity(t testing.TB, set *schema.Set, name string) *schema.Entity {
	t.Helper()
	e := set.Entity(name)
	if e == nil {
		t.Fatalf("there is no entity %s", name)
	}
	return e
}

func tagOf(id int) facade.Record {
	return facade.Record{{Name: "id", Value: json.RawMessage(fmt.Sprint(id))}, {Name: "label", Value: json.RawMessage(`"a"`)}}
}

func put(ctx context.Context, s *postgres.Store, tag *schema.Entity, id int, terms *facade.Terms) error {
	_, err := s.Insert(ctx, tag, []facade.Record{tagOf(id)}, terms, rows.NewLayout([]string{"id"}))
	return err
}

// there says whether a tag is in the table.
func there(t testing.TB, s *postgres.Store, tag *schema.Entity, id int) bool {
	t.Helper()
	found, err := s.Find(t.Context(), &facade.Find{
		Entity: tag, Select: rows.NewLayout([]string{"id"}), Limit: 1, Sort: []facade.SortKey{{Field: tag.Primary}},
		Where: &filter.Filter{Op: filter.Eq, Field: tag.Primary, Values: []any{int64(id)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return found.Rows.Len() == 1
}

// outcome is details.outcome of an error.
func outcome(err error) any {
	var e *kiterror.Error
	if !errors.As(err, &e) {
		return nil
	}
	details, _ := e.Details.(map[string]any)
	return details["outcome"]
}

// A connection that breaks in the middle of a write: before the commit was sent the write is
// done on another connection; behind it nobody knows, and the error says so. Never is a write
// done twice, and never is one lost that was answered.
func TestCutWrites(t *testing.T) {
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	p, url := newProxy(t, pgtest.Database(t))
	s := open(t, postgres.Options{URL: url}, set.Entities)
	terms := &facade.Terms{After: &filter.Filter{Op: filter.IsNull, Field: tag.Property("label"), Values: []any{false}}}
	n := 0
	for _, c := range []struct {
		name  string
		text  string // of what is cut
		at    where
		write func(id int) error
		done  bool // the row is there afterwards
		known bool
	}{
		{"one statement, before the server has it", "INSERT", before, func(id int) error { return put(t.Context(), s, tag, id, nil) }, false, false},
		{"one statement, behind", "INSERT", behind, func(id int) error { return put(t.Context(), s, tag, id, nil) }, true, false},
		{"a transaction, before its commit was sent", "INSERT", behind, func(id int) error { return put(t.Context(), s, tag, id, terms) }, true, true},
		{"a transaction, the commit does not arrive", "COMMIT", before, func(id int) error { return put(t.Context(), s, tag, id, terms) }, false, false},
		{"a transaction, behind its commit", "COMMIT", behind, func(id int) error { return put(t.Context(), s, tag, id, terms) }, true, false},
		{"a command, between two writes", "INSERT", behind, func(id int) error {
			return s.Transact(t.Context(), func(ctx context.Context) error { return put(ctx, s, tag, id, nil) })
		}, true, true},
		{"a command, behind its commit", "COMMIT", behind, func(id int) error {
			return s.Transact(t.Context(), func(ctx context.Context) error { return put(ctx, s, tag, id, nil) })
		}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.sever() // statements are prepared anew, so that their texts are seen
			n++
			p.once(c.text, c.at)
			err := c.write(n)
			p.on(nil)
			switch {
			case c.known && err != nil:
				t.Errorf("it was not done again: %v", err)
			case !c.known && (kiterror.CodeOf(err) != kiterror.ServiceUnavailable || outcome(err) != "unknown"):
				t.Errorf("the error does not say that the outcome is unknown: %v", err)
			}
			if got := there(t, s, tag, n); got != c.done {
				t.Errorf("the row is there: %v, want %v", got, c.done)
			}
		})
	}
}

// Reads are made again on another connection, wherever theirs breaks.
func TestCutReads(t *testing.T) {
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	p, url := newProxy(t, pgtest.Database(t))
	s := open(t, postgres.Options{URL: url}, set.Entities)
	if err := put(t.Context(), s, tag, 1, nil); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		p.sever()
		if !there(t, s, tag, 1) {
			t.Error("the row is gone")
		}
	}
	p.sever()
	p.once("SELECT", behind)
	if !there(t, s, tag, 1) {
		t.Error("the row is gone")
	}
}

// A server that is killed and comes again: what was answered is there, and nothing else than
// SERVICE_UNAVAILABLE is answered meanwhile.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{Durable: true})
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	s := open(t, postgres.Options{URL: cluster.Primary.URL(cluster.Database(t))}, set.Entities)
	var mu sync.Mutex
	acknowledged, unknown := map[int]bool{}, 0
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				id := w*1_000_000 + i
				err := put(t.Context(), s, tag, id, nil)
				mu.Lock()
				switch {
				case err == nil:
					acknowledged[id] = true
				case kiterror.CodeOf(err) != kiterror.ServiceUnavailable:
					t.Errorf("answered %v", err)
				case outcome(err) == "unknown":
					unknown++
				}
				mu.Unlock()
				if err != nil {
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	// written waits until more rows are acknowledged.
	written := func() {
		t.Helper()
		count := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(acknowledged)
		}
		before := count()
		for deadline := time.Now().Add(time.Minute); count() < before+20; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d rows were acknowledged within a minute", count()-before)
			}
		}
	}
	for range 2 {
		written()
		if err := cluster.Primary.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); err == nil {
			t.Error("the store takes writes with its server killed")
		}
		if err := cluster.Primary.Start(); err != nil {
			t.Fatal(err)
		}
	}
	written()
	close(stop)
	wg.Wait()
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("the server is back, and the store says %v", err)
	}
	found, err := s.Find(t.Context(), &facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: tag.Primary}}, Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Rows.Len() {
		var id int
		if err := json.Unmarshal(found.Rows.Row(i).Get("id"), &id); err != nil {
			t.Fatal(err)
		}
		delete(acknowledged, id)
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d acknowledged rows are lost", len(acknowledged))
	}
	if found.Rows.Len() == 0 {
		t.Error("nothing was written")
	}
	t.Logf("%d rows; %d writes were answered as unknown", found.Rows.Len(), unknown)
}

// With every connection in use calls wait, and are refused after a while, which the answer and
// the log say.
func TestPoolExhausted(t *testing.T) {
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	var log bytes.Buffer
	s := open(t, postgres.Options{
		URL: with(pgtest.Database(t), "connections=2"), Wait: time.Second, Transaction: -1,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, set.Entities)
	hold, held := make(chan struct{}), make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if err := s.Transact(t.Context(), func(ctx context.Context) error {
				err := put(ctx, s, tag, i, nil)
				held <- struct{}{}
				<-hold
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	<-held
	<-held
	err := put(t.Context(), s, tag, 7, nil)
	if said := kiterror.AsError(err); said.Code != kiterror.ServiceUnavailable || !strings.Contains(said.Message, "every connection to the store is in use") || said.RetryAfter() != "1" {
		t.Errorf("answered %v, to be sent again after %q", err, said.RetryAfter())
	}
	if !strings.Contains(log.String(), "connections=2 waiting=1 waited=1s") {
		t.Errorf("logged %s", &log)
	}
	close(hold)
	wg.Wait()
	if err := put(t.Context(), s, tag, 7, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A server that has no connection to spare: the pool works with those it has.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{Settings: []string{"max_connections=8", "superuser_reserved_connections=2", "max_wal_senders=0", "wal_level=minimal"}})
	name := cluster.Database(t)
	if err := cluster.Primary.Exec("postgres", "CREATE ROLE plain LOGIN", "ALTER DATABASE "+name+" OWNER TO plain"); err != nil {
		t.Fatal(err)
	}
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	s := open(t, postgres.Options{URL: with(as(t, cluster.Primary.URL(name), "plain"), "connections=30")}, set.Entities)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			if err := put(t.Context(), s, tag, i, nil); err != nil {
				t.Error(errors.Unwrap(err), err)
			}
		})
	}
	wg.Wait()
}

// A server that breaks a new connection off is asked again while the pool has others; where it has
// none, the call fails at once.
func TestNewConnectionsBreak(t *testing.T) {
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	through, address := newProxy(t, pgtest.Database(t))
	s := open(t, postgres.Options{URL: with(address, "connections=2"), Wait: time.Minute}, set.Entities)
	refuse := func(n int) {
		through.mu.Lock()
		defer through.mu.Unlock()
		through.refuses = n
	}
	if err := s.Transact(t.Context(), func(ctx context.Context) error {
		if err := put(ctx, s, tag, 1, nil); err != nil {
			return err
		}
		refuse(3)
		return put(context.WithoutCancel(t.Context()), s, tag, 2, nil)
	}); err != nil {
		t.Errorf("beside a connection: %v (%v)", err, errors.Unwrap(err))
	}
	refuse(1 << 30)
	through.sever()
	if err := put(t.Context(), s, tag, 3, nil); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("without a connection: %v", err)
	}
}

// as is the URL for another role.
func as(t testing.TB, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(role)
	return u.String()
}

// What the operator has to change is said at the start.
func TestUnsuited(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{})
	server := cluster.Primary
	if err := server.Exec("postgres",
		"CREATE ROLE nobody LOGIN", "CREATE ROLE reader LOGIN",
		"CREATE DATABASE shut", "REVOKE CONNECT ON DATABASE shut FROM PUBLIC",
		"CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	name := cluster.Database(t)
	set := storetest.Cards(t)
	for _, c := range []struct {
		name, url string
		says      []string
	}{
		{"another encoding", server.URL("latin"), []string{"LATIN1", "--encoding=UTF8"}},
		{"no such database", server.URL("nowhere"), []string{"no database nowhere", "createdb"}},
		{"no such role", as(t, server.URL(name), "stranger"), []string{"role stranger", "pg_hba.conf"}},
		{"no right to connect", as(t, server.URL("shut"), "nobody"), []string{"nobody", "GRANT CONNECT ON DATABASE shut"}},
		{"no right to make tables", as(t, server.URL(name), "nobody"), []string{"nobody", "permission denied", "frond", "AUTHORIZATION"}},
		{"no TLS", strings.Replace(server.URL(name), "sslmode=disable", "sslmode=require", 1), []string{"TLS", "sslmode"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := postgres.Open(postgres.Options{URL: c.url, Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = s.Prepare(t.Context(), set.Entities)
			if err == nil {
				t.Fatal("it was prepared")
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("the error does not say %q: %v", text, err)
				}
			}
		})
	}
}

// A role that may only read serves reads; a write is an error on our side, whose cause names
// the right, and callers learn nothing of it.
func TestReadOnlyRole(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{})
	name := cluster.Database(t)
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	owner := open(t, postgres.Options{URL: cluster.Primary.URL(name)}, set.Entities)
	if err := put(t.Context(), owner, tag, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Primary.Exec(name, "CREATE ROLE reader LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"); err != nil {
		t.Fatal(err)
	}
	s := open(t, postgres.Options{URL: as(t, cluster.Primary.URL(name), "reader")}, set.Entities)
	if !there(t, s, tag, 1) {
		t.Error("the row cannot be read")
	}
	err := put(t.Context(), s, tag, 2, nil)
	if kiterror.CodeOf(err) != kiterror.InternalError {
		t.Errorf("a write: %v", err)
	}
	var e *kiterror.Error
	if errors.As(err, &e) && strings.Contains(e.Message, "tag") || !strings.Contains(fmt.Sprint(errors.Unwrap(err)), "reader") {
		t.Errorf("the caller gets %q, the log %v", e.Message, errors.Unwrap(err))
	}
	// A ledger of names that has entries has to be read: a table may be that of another entity.
	if err := cluster.Primary.Exec(name, `INSERT INTO frond.names (schema, "table", "column", called) VALUES ('public', 'tag', '', 'shop.tag')`); err != nil {
		t.Fatal(err)
	}
	unled, err := postgres.Open(postgres.Options{URL: as(t, cluster.Primary.URL(name), "reader"), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer unled.Close()
	if err := unled.Prepare(t.Context(), set.Entities); err == nil || !strings.Contains(err.Error(), "GRANT USAGE ON SCHEMA frond and GRANT SELECT ON frond.names") {
		t.Errorf("a role that may not read the names: %v", err)
	}
	if err := cluster.Primary.Exec(name, "GRANT USAGE ON SCHEMA frond TO reader", "GRANT SELECT ON frond.names TO reader", "DELETE FROM frond.names"); err != nil {
		t.Fatal(err)
	}
	if err := unled.Prepare(t.Context(), set.Entities); err != nil {
		t.Errorf("a role that may read the names: %v", err)
	}
	if err := cluster.Primary.Exec(name, "REVOKE SELECT ON tag FROM reader"); err != nil {
		t.Fatal(err)
	}
	blind, err := postgres.Open(postgres.Options{URL: as(t, cluster.Primary.URL(name), "reader"), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer blind.Close()
	if err := blind.Prepare(t.Context(), set.Entities); err == nil || !strings.Contains(err.Error(), `may not read "public"."tag"; let it: GRANT SELECT ON "public"."tag"`) {
		t.Errorf("a role that may not read a table: %v", err)
	}
	// A server that takes no writes at all passes by itself: it is a replica, or restored.
	if err := cluster.Primary.Exec("postgres", "ALTER DATABASE "+name+" SET default_transaction_read_only = on"); err != nil {
		t.Fatal(err)
	}
	still := open(t, postgres.Options{URL: cluster.Primary.URL(name)}, set.Entities)
	if err := put(t.Context(), still, tag, 3, nil); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("a write to a server that takes none: %v", err)
	}
	if err := still.Check(t.Context()); err == nil {
		t.Error("the store takes writes where the server takes none")
	}
}

// A network that swallows everything: a call ends within the statement's time and the time
// that a cancellation has, and is SERVICE_UNAVAILABLE.
func TestSilentServer(t *testing.T) {
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	p, url := newProxy(t, pgtest.Database(t))
	s := open(t, postgres.Options{URL: url, Statement: time.Second}, set.Entities)
	if err := put(t.Context(), s, tag, 1, nil); err != nil {
		t.Fatal(err)
	}
	p.on(func([]byte) where { return swallowed })
	began := time.Now()
	_, err := s.Find(t.Context(), &facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: tag.Primary}}, Limit: 1})
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || time.Since(began) > time.Minute {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	p.on(nil)
	p.sever()
	if !there(t, s, tag, 1) {
		t.Error("the row is gone")
	}
}

// TestRoundTrips: each call of a transaction takes one round trip, a read too, whose savepoint is released
// with it, and the commit one more.
func TestRoundTrips(t *testing.T) {
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	p, url := newProxy(t, pgtest.Database(t))
	s := open(t, postgres.Options{URL: url}, set.Entities)
	for i, what := range []string{"statements that are prepared", "prepared statements"} {
		sent := 0
		p.on(func([]byte) where { sent++; return nowhere })
		err := s.Transact(t.Context(), func(ctx context.Context) error {
			find := &facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: tag.Primary}}, Limit: 2}
			_, page := s.Find(ctx, find)
			_, row := s.Find(ctx, &facade.Find{Entity: tag, Select: find.Select, Key: json.RawMessage("7")})
			_, groups := s.Find(ctx, &facade.Find{Entity: tag, Select: find.Select, Sort: find.Sort, Limit: 2, Each: &facade.EachKey{Field: tag.Primary, Values: []json.RawMessage{json.RawMessage("7")}}})
			return errors.Join(page, row, groups, put(ctx, s, tag, i, nil))
		})
		p.on(nil)
		if err != nil || sent != 5 {
			t.Errorf("%s: three reads, a write and the commit took %d round trips, %v", what, sent, err)
		}
	}
}
