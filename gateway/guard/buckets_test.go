package guard

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestBuckets: they fill again, and those that are full are dropped.
func TestBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(&Rate{PerMinute: 60, Burst: 2})
		a := bucketKey{user: "a"}
		for i, want := range []time.Duration{0, 0, time.Second, time.Second} {
			if got := l.take(a, time.Now()); got != want {
				t.Errorf("request %d waits %s, want %s", i, got, want)
			}
		}
		time.Sleep(1500 * time.Millisecond)
		if got := l.take(a, time.Now()); got != 0 {
			t.Errorf("it waits %s", got)
		}
		if got := l.take(a, time.Now()); got != 500*time.Millisecond {
			t.Errorf("it waits %s", got)
		}
		for i := range 1000 {
			l.take(bucketKey{address: fmt.Sprint(i)}, time.Now())
		}
		time.Sleep(time.Minute)
		if l.take(bucketKey{user: "b"}, time.Now()); len(l.buckets) != 1 {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
		for i := range mostBuckets + 10 {
			l.take(bucketKey{address: fmt.Sprint(i)}, time.Now())
		}
		if len(l.buckets) > mostBuckets {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
	})
}

// TestAddresses: whose request it is where nobody says who they are.
func TestAddresses(t *testing.T) {
	proxied := NewLimiter(&Rate{PerMinute: 1, TrustedProxies: []string{"10.0.0.0/8", "127.0.0.1"}})
	direct := NewLimiter(&Rate{PerMinute: 1})
	for _, c := range []struct {
		limiter       *Limiter
		from, through string
		want          string
	}{
		{direct, "198.51.100.7:1234", "", "198.51.100.7"},
		{direct, "127.0.0.1:1234", "203.0.113.9", "127.0.0.1"}, // whoever calls can write that
		{direct, "[2001:db8:1:2:3::4]:80", "", "2001:db8:1:2::/64"},
		{direct, "[::ffff:198.51.100.7]:80", "", "198.51.100.7"},
		{proxied, "198.51.100.7:1234", "203.0.113.9", "198.51.100.7"},
		{proxied, "127.0.0.1:1234", "203.0.113.9", "203.0.113.9"},
		{proxied, "10.1.2.3:1234", "192.0.2.66, 203.0.113.9, 10.9.9.9", "203.0.113.9"},
		{proxied, "10.1.2.3:1234", "", "10.1.2.3"},
		{proxied, "10.1.2.3:1234", "unknown", "10.1.2.3"},
		{proxied, "10.1.2.3:1234", "203.0.113.9:4711", "203.0.113.9"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.from
		if c.through != "" {
			r.Header.Set("X-Forwarded-For", c.through)
		}
		if got := c.limiter.address(r); got != c.want {
			t.Errorf("from %s through %q: %s, want %s", c.from, c.through, got, c.want)
		}
	}
}
