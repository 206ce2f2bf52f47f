package gateway

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Rate bounds how often one caller may call. The zero value is no bound.
type Rate struct {
	PerMinute int // requests that a caller may make in a minute; 0 is any number
	Burst     int // how many of them at once; 0 means PerMinute
	// TrustedProxies are networks whose X-Forwarded-For is believed, such as
	// 10.0.0.0/8. Without any, an address is that of the connection.
	TrustedProxies []string
}

// settings are the rows of limits.rate.
func (c *Rate) settings() []setting.Setting {
	return []setting.Setting{
		setting.New("limits.rate.perMinute", "0", "requests that one caller may make in a minute, by the user's id or else by the address; 0 is any number", readRate, &c.PerMinute),
		setting.New("limits.rate.burst", "0", "how many of them at once; 0 is as many as in a minute", readRate, &c.Burst),
		setting.New("limits.rate.trustedProxies", "[]", "networks of proxies whose X-Forwarded-For is believed, such as [10.0.0.0/8]", readNetworks, &c.TrustedProxies),
	}
}

// check finds what is wrong between settings that are each right.
func (c *Rate) check() (faults schema.Faults) {
	fault := func(key, message, remedy string) {
		faults = append(faults, schema.Fault{File: setting.File, Pointer: "/limits/rate/" + key, Message: message, Remedy: remedy})
	}
	if c.PerMinute == 0 && c.Burst > 0 {
		fault("burst", "there is no rate that a burst could go beyond", "write limits.rate.perMinute too, or leave it out")
	}
	if _, err := networks(c.TrustedProxies); err != nil { // a Config may come from Go
		fault("trustedProxies", "one of them is no network", err.Error())
	}
	return faults
}

// limiter counts the requests of each caller: of a user by its id, of anybody else
// by the address. A bucket that is full again is as good as none and is dropped.
type limiter struct {
	each    rate.Limit
	burst   int
	proxies []netip.Prefix

	mu      sync.Mutex
	buckets map[bucketKey]*rate.Limiter
	swept   time.Time
}

type bucketKey struct{ user, address string }

// mostBuckets bounds what a limiter keeps, about 20 MB: beyond, a caller is forgotten
// for each new one.
const mostBuckets = 100_000

// newLimiter is nil where there is no bound.
func newLimiter(c *Rate) *limiter {
	if c.PerMinute <= 0 {
		return nil
	}
	burst := c.Burst
	if burst <= 0 {
		burst = c.PerMinute
	}
	proxies, _ := networks(c.TrustedProxies) // Config.check has read them
	return &limiter{each: rate.Limit(float64(c.PerMinute) / 60), burst: burst, proxies: proxies, buckets: map[bucketKey]*rate.Limiter{}}
}

// refuse counts a request and answers nil, or what says when to come again.
func (l *limiter) refuse(r *http.Request, user string) error {
	key := bucketKey{user: user}
	if user == "" {
		key.address = l.address(r)
	}
	wait := l.take(key, time.Now())
	if wait <= 0 {
		return nil
	}
	return facade.Errorf(facade.TooManyRequests, "these are more requests than this caller may make; wait as long as Retry-After says").After(wait)
}

// take takes one request out of a caller's bucket and answers 0, or how long it takes
// until there is one.
func (l *limiter) take(key bucketKey, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.buckets[key]
	if bucket == nil {
		l.sweep(now)
		bucket = rate.NewLimiter(l.each, l.burst)
		l.buckets[key] = bucket
	}
	taken := bucket.ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now) // asking costs nothing
	}
	return wait
}

// sweep drops the buckets that are full, once in the time that one takes to fill; and
// any one where there are too many.
func (l *limiter) sweep(now time.Time) {
	if fill := time.Duration(float64(l.burst) / float64(l.each) * float64(time.Second)); now.Sub(l.swept) >= max(fill, time.Second) {
		l.swept = now
		for key, bucket := range l.buckets {
			if bucket.TokensAt(now) >= float64(l.burst) {
				delete(l.buckets, key)
			}
		}
	}
	for key := range l.buckets {
		if len(l.buckets) < mostBuckets {
			break
		}
		delete(l.buckets, key)
	}
}

// address is where a request comes from: the connection's peer, or where that is a
// trusted proxy the last address of X-Forwarded-For that is none. Of IPv6 it is the
// network of 64 bits: one customer has all of that.
func (l *limiter) address(r *http.Request) string {
	at, ok := addressOf(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && l.trusts(at); i-- {
		hop, ok := addressOf(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		at = hop
	}
	if at.Is6() {
		if network, err := at.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return at.String()
}

func (l *limiter) trusts(at netip.Addr) bool {
	for _, network := range l.proxies {
		if network.Contains(at) {
			return true
		}
	}
	return false
}

// addressOf reads an address, with a port or without.
func addressOf(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	at, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return at.Unmap(), err == nil
}

var errNetworks = errors.New("write addresses or networks, such as [10.0.0.0/8, 127.0.0.1]")

func networks(texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			at, err := netip.ParseAddr(text)
			if err != nil {
				return nil, errNetworks
			}
			network = netip.PrefixFrom(at, at.BitLen())
		}
		all = append(all, network.Masked())
	}
	return all, nil
}

func readNetworks(text string) ([]string, error) {
	texts, err := setting.List(text)
	if err == nil {
		_, err = networks(texts)
	}
	if err != nil {
		return nil, errNetworks
	}
	return texts, nil
}

// readRate reads a number of requests; 0 is no bound.
func readRate(text string) (int, error) {
	if text == "0" {
		return 0, nil
	}
	n, err := setting.Count(text)
	if err != nil {
		return 0, errors.New("write a whole number of requests, such as 600; 0 is no bound")
	}
	return n, nil
}
