package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

// Of many processes that take one nonce at a time, one has it; and the table does not grow.
func TestNonces(t *testing.T) {
	url := pgtest.Database(t)
	var processes []*Nonces
	for range 3 { // each makes the table at the same time
		processes = append(processes, NewNonces(open(t, Options{URL: url})))
	}
	const nonces = 40
	var won [nonces]atomic.Int64
	var all sync.WaitGroup
	for i := range nonces {
		for _, p := range processes {
			for range 2 {
				all.Go(func() {
					fresh, err := p.TakeNonce(t.Context(), fmt.Appendf(nil, "nonce %d", i), time.Now().Add(time.Minute))
					if err != nil {
						t.Error(errors.Join(err, errors.Unwrap(err)))
					}
					if fresh {
						won[i].Add(1)
					}
				})
			}
		}
	}
	all.Wait()
	for i := range won {
		if n := won[i].Load(); n != 1 {
			t.Errorf("nonce %d was new %d times", i, n)
		}
	}

	// One that is taken within a transaction stays taken when that is rolled back.
	p := processes[0]
	undone := errors.New("undone")
	if err := p.db.Transact(t.Context(), func(ctx context.Context) error {
		if fresh, err := p.TakeNonce(ctx, []byte("inside"), time.Now()); err != nil || !fresh {
			t.Errorf("inside a transaction: %t, %v", fresh, err)
		}
		return undone
	}); !errors.Is(err, undone) {
		t.Error(err)
	}
	if fresh, err := p.TakeNonce(t.Context(), []byte("inside"), time.Now()); err != nil || fresh {
		t.Errorf("after the rollback: %t, %v", fresh, err)
	}

	// Old ones are removed, and those of late clocks are not.
	for name, age := range map[string]time.Duration{"old": time.Hour, "late": time.Minute} {
		if _, err := p.TakeNonce(t.Context(), []byte(name), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	p.swept = time.Time{}
	if _, err := p.TakeNonce(t.Context(), []byte("now"), time.Now()); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]string{"old": "0", "late": "1"} {
		if got := read(t, p.db, "SELECT count(*) FROM frond.nonces WHERE nonce = $1::text::bytea", name); got != there {
			t.Errorf("%s: %s rows", name, got)
		}
	}
}

// BenchmarkNonce measures what a signed command pays for it.
func BenchmarkNonce(b *testing.B) {
	for _, durable := range []bool{false, true} {
		b.Run(fmt.Sprintf("durable=%t", durable), func(b *testing.B) {
			c := pgtest.New(b, pgtest.Options{Durable: durable})
			n := NewNonces(open(b, Options{URL: c.Primary.URL("postgres")}))
			if _, err := n.TakeNonce(b.Context(), []byte("first"), time.Now()); err != nil { // which makes the table
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					var nonce [16]byte
					_, _ = rand.Read(nonce[:])
					if fresh, err := n.TakeNonce(b.Context(), nonce[:], time.Now().Add(time.Minute)); err != nil || !fresh {
						b.Error(fresh, err)
					}
				}
			})
		})
	}
}
