package postgres_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// TestLockedTable: calls that wait for a lock of somebody else are SERVICE_UNAVAILABLE with a time to come back, and
// the log names the wait.
func TestLockedTable(t *testing.T) {
	url := pgtest.Database(t)
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	var log bytes.Buffer
	s := open(t, postgres.Options{URL: url, Statement: 300 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))}, set.Entities)
	if err := put(t.Context(), s, tag, 1, nil); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE tag IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	id := []byte("1")
	label := facade.Record{{Name: "label", Value: []byte(`"b"`)}}
	layout := rows.NewLayout([]string{"id"})
	find := func(ctx context.Context, f *facade.Find) error {
		f.Entity, f.Select = tag, layout
		_, err := s.Find(ctx, f)
		return err
	}
	update := func(ctx context.Context) error {
		_, err := s.Update(ctx, tag, id, nil, label, nil, layout)
		return err
	}
	for name, call := range map[string]func(context.Context) error{
		"a read by key": func(ctx context.Context) error { return find(ctx, &facade.Find{Key: id}) },
		"a page": func(ctx context.Context) error {
			return find(ctx, &facade.Find{Sort: []facade.SortKey{{Field: tag.Primary}}, Limit: 2})
		},
		"a search": func(ctx context.Context) error {
			return find(ctx, &facade.Find{
				Sort: []facade.SortKey{{Field: tag.Primary}}, Limit: 2, Count: true,
				Where: &filter.Filter{Op: filter.Contains, Field: tag.Property("label"), Values: []any{"a"}},
			})
		},
		"an update":     update,
		"an insert":     func(ctx context.Context) error { return put(ctx, s, tag, 2, nil) },
		"a transaction": func(ctx context.Context) error { return s.Transact(ctx, update) },
	} {
		var err error
		blocked := func() bool {
			err = call(t.Context())
			e := kiterror.AsError(err)
			return e != nil && e.Code == kiterror.ServiceUnavailable && e.RetryAfter() != "" && strings.Contains(e.Message, "has locked rows")
		}
		for range 20 { // a busy machine may not answer in time what a statement waits for
			if blocked() {
				err = nil
				break
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !strings.Contains(strings.ReplaceAll(log.String(), `"`, ""), "waits=Lock") || !strings.Contains(log.String(), `behind="process`) {
		t.Errorf("the log: %s", log.String())
	}
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := update(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSlowStatements: a statement that the server works on for too long is SERVICE_UNAVAILABLE for rows of given
// keys, and for others UNPROCESSABLE_ENTITY that says how to narrow them.
func TestSlowStatements(t *testing.T) {
	url := pgtest.Database(t)
	set := storetest.Cards(t)
	tag := entity(t, set, "tag")
	s := open(t, postgres.Options{URL: url, Statement: 300 * time.Millisecond}, set.Entities)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(5); RETURN NEW; END';
CREATE TRIGGER slow BEFORE INSERT ON tag FOR EACH ROW EXECUTE FUNCTION slow()`); err != nil {
		t.Fatal(err)
	}
	err = put(t.Context(), s, tag, 2, nil)
	if e := kiterror.AsError(err); e == nil || e.Code != kiterror.ServiceUnavailable || e.RetryAfter() == "" || !kiterror.IsOutOfTime(err) {
		t.Errorf("a write: %v", err)
	}
}
