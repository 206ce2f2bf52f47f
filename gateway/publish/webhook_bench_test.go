package publish

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery/deliverytest"
	"github.com/frondhost/frond/store/storetest"
)

// BenchmarkDeliver is one event from the log to a receiver on loopback, of a hundred rows.
func BenchmarkDeliver(b *testing.B) {
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { got.Add(1); w.WriteHeader(http.StatusNoContent) }))
	b.Cleanup(server.Close)
	store := storetest.NewStore()
	c := deliverytest.Consumer(b, "webhook:bench", store)
	if err := c.Register(b.Context()); err != nil {
		b.Fatal(err)
	}
	events := make([]facade.Event, b.N)
	for n := range events {
		events[n] = deliverytest.Event(n, n%100)
	}
	if err := store.Emit(b.Context(), events); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	stop := run(b, hookOf(b, hookConfig{URL: server.URL, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, hookOptions{}), c)
	for int(got.Load()) < b.N {
		time.Sleep(time.Millisecond)
	}
	b.StopTimer()
	_ = stop()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
