package engine

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/turns"
)

// TestKeyedReadsBesideSearches: two callers send more searches and short reads than there are
// connections. A keyed read of another caller finds one free, however long they take.
func TestKeyedReadsBesideSearches(t *testing.T) {
	d := open(t, Options{URL: pgtest.Database(t), Connections: 4})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began, release := make(chan struct{}, 20), make(chan struct{})
	var group sync.WaitGroup
	for i := range 20 {
		lane := turns.Search
		if i%5 == 4 {
			lane = turns.Short
		}
		group.Go(func() {
			_ = d.ReadAs(facade.WithRequest(ctx, i%2, 0), lane, func(*Conn) error {
				began <- struct{}{}
				<-release
				return nil
			})
		})
	}
	for range 3 {
		<-began
	}
	for range 100 {
		if err := d.Read(facade.WithRequest(ctx, "another", 0), func(*Conn) error { return nil }); err != nil {
			t.Error(err)
			break
		}
	}
	close(release)
	group.Wait()
}
