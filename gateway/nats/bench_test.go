package nats

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery/deliverytest"
	"github.com/frondhost/frond/store/storetest"
)

// BenchmarkPublish is one event from the log to a server, of a hundred rows and of one; the server
// syncs every message before it acknowledges, as the embedded one does, or not.
func BenchmarkPublish(b *testing.B) {
	for _, c := range []struct {
		name  string
		rows  int
		syncs bool
	}{{"100 rows, synced", 100, true}, {"100 rows", 100, false}, {"1 row", 1, false}} {
		rows := c.rows
		b.Run(c.name, func(b *testing.B) {
			s := start(b, b.TempDir(), -1, func(o *server.Options) { o.SyncAlways = c.syncs })
			store := storetest.NewStore()
			c := deliverytest.Consumer(b, "nats", store)
			if err := c.Register(b.Context()); err != nil {
				b.Fatal(err)
			}
			events := make([]facade.Event, b.N)
			for n := range events {
				events[n] = deliverytest.Event(n, n%rows)
			}
			if err := store.Emit(b.Context(), events); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			_, stop := run(b, clientConfig{URL: s.ClientURL()}, c)
			for c.Stats.State().Delivered < uint64(b.N) {
				time.Sleep(time.Millisecond)
			}
			b.StopTimer()
			stop()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
