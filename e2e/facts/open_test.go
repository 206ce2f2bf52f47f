package facts

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

var openFor = flag.Duration("open", 2*time.Second, "how long a transaction stays open while others commit")

// TestOpenTransaction holds a transaction open that has written and emitted, while others
// commit: a reader sees what they emit meanwhile, and afterwards what the open one did. SQLite
// has one writer, who is limited by limits.transaction; others wait for it by nature.
func TestOpenTransaction(t *testing.T) {
	url := pgtest.Database(t)
	f, s, err := host(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	patient, err := postgres.Open(postgres.Options{URL: url, Transaction: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	if err := patient.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	_, read, err := s.Abilities().Outbox.Span(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	const old = "00000000-0000-7000-8000-000000000001"
	open, finish, finished := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		finished <- patient.Transact(t.Context(), func(ctx context.Context) error {
			row := facade.Record{{Name: "id", Value: quoted("open")}, {Name: "of", Value: quoted("x")}}
			_, err := patient.Insert(ctx, entityOf(f, "effect"), []facade.Record{row}, nil, rows.NewLayout(nil))
			err = errors.Join(err, patient.Abilities().Outbox.Emit(ctx, []facade.Event{{ID: old, Frond: "main", Name: "old", At: time.Now()}}))
			close(open)
			<-finish
			return err
		})
	}()
	<-open

	// lags are the times from a commit to its event at the reader, as they come.
	var lags []time.Duration
	seen := map[string]bool{}
	// look relays and reads once, as a feed does.
	look := func() {
		if _, _, err := s.Abilities().Outbox.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		for {
			events, behind, err := s.Abilities().Outbox.Log(t.Context(), read, nil, 500)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			for _, e := range events {
				if seen[e.ID] {
					t.Errorf("%s came twice", e.ID)
				}
				seen[e.ID] = true
				lags = append(lags, now.Sub(e.At))
			}
			if read = behind; len(events) == 0 {
				return
			}
		}
	}
	ends := time.Now().Add(*openFor)
	var writers sync.WaitGroup
	made := make([]int, 4)
	for i := range made {
		writers.Go(func() {
			for ; time.Now().Before(ends); made[i]++ {
				id := fmt.Sprintf("%d-%d", i, made[i])
				if _, err := call(t.Context(), f, "account", "create", facade.Invocation{Body: []byte(`{"id":"` + id + `","count":1}`)}); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	for time.Now().Before(ends) {
		look()
		time.Sleep(10 * time.Millisecond)
	}
	writers.Wait()
	look()
	total := 2 * (made[0] + made[1] + made[2] + made[3]) // opened and accountChanged
	if len(seen) != total || seen[old] {
		t.Errorf("beside the open transaction %d of %d events came; its own: %v", len(seen), total, seen[old])
	}
	fifth := len(lags) / 5
	t.Logf("open for %s: %d events, lag p50 and p99 in the first fifth %s, in the last %s", *openFor, total, percentiles(lags[:fifth]), percentiles(lags[len(lags)-fifth:]))
	close(finish)
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	look()
	if len(seen) != total+1 || !seen[old] {
		t.Errorf("after it %d of %d events came; its own: %v", len(seen), total+1, seen[old])
	}
}

// percentiles are the middle one and the hundredth from above.
func percentiles(of []time.Duration) string {
	slices.Sort(of)
	if len(of) == 0 {
		return "none"
	}
	return fmt.Sprint(of[len(of)/2].Round(100*time.Microsecond), " and ", of[len(of)*99/100].Round(100*time.Microsecond))
}
