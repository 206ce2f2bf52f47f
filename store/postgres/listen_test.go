package postgres_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// lockedBuffer is a buffer for a log.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

// TestPoolerSwallowsNotifications: behind pgbouncer in transaction mode the log is polled, whether
// the URL says so or a notification that does not come back.
func TestPoolerSwallowsNotifications(t *testing.T) {
	t.Parallel()
	set := storetest.Cards(t)
	for name, c := range map[string]struct{ param, says string }{
		"declared":   {"pool=transaction", ""},
		"undeclared": {"pool=direct", "notifications of the database do not arrive"},
	} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.Database(t)
			direct := open(t, postgres.Options{URL: url}, set.Entities).Abilities().Outbox
			var log lockedBuffer
			behind, err := postgres.Open(postgres.Options{URL: with(pgtest.Pooled(t, url, 8), c.param), Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = behind.Close() })
			pooled := behind.Abilities().Outbox
			relay := func(s facade.Outbox) {
				t.Helper()
				if _, _, err := s.Relay(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			relay(direct)
			relay(pooled)
			wait := func(what string, holds func() bool) {
				t.Helper()
				for by := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
					if time.Now().After(by) {
						t.Fatalf("%s: not within 30 s; the log says %s", what, log.text())
					}
				}
			}
			wait("a direct connection listens", func() bool { return direct.Quiet(time.Now()) })
			wait("the log", func() bool { return strings.Contains(log.text(), c.says) })
			if pooled.Quiet(time.Now()) {
				t.Error("a store that hears nothing says that nothing happened")
			}
			before := time.Now()
			if err := pooled.Emit(t.Context(), []facade.Event{{ID: "00000000-0000-7000-8000-000000000001", Frond: "shop", Name: "sold", At: before, Data: []byte(`{}`)}}); err != nil {
				t.Fatal(err)
			}
			relay(pooled)
			wait("the store that leads is woken", func() bool { return !direct.Quiet(before) })
			if took := time.Since(before); took > 8*time.Second { // by itself it looks after ten
				t.Errorf("it was woken after %s", took)
			}
		})
	}
}
