package guard

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Rate bounds how often one caller may call (docs/decisions/http-guards.md). The zero value sets no bound.
type Rate struct {
	PerMinute int // requests of one caller in a minute; 0 means any number
	Burst     int // how many of them at once; 0 means PerMinute
	// TrustedProxies are networks, such as 10.0.0.0/8, whose X-Forwarded-For is believed.
	// Without any, a caller's address is the connection's.
	TrustedProxies []string
}

// Settings are the rows of limits.rate.
func (c *Rate) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("limits.rate.perMinute", "0", "requests per minute and caller, counted by user id or else by address; 0 is unlimited", readRate, &c.PerMinute),
		setting.New("limits.rate.burst", "0", "how many of these may come at once; 0 is as many as in a minute", readRate, &c.Burst),
		setting.New("limits.rate.trustedProxies", "[]", "networks of proxies whose X-Forwarded-For is trusted, such as [10.0.0.0/8]", readNetworks, &c.TrustedProxies),
	}
}

// Check reports faults between settings that are each valid.
func (c *Rate) Check() (faults schema.Faults) {
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

// Limiter counts the requests of each caller in token buckets: of a user by the id, of
// an anonymous caller by the address. A full bucket carries no information and is dropped. Its
// methods may be called from many goroutines; nil sets no bound.
type Limiter struct {
	each    rate.Limit
	burst   int
	proxies []netip.Prefix

	mu      sync.Mutex
	buckets map[bucketKey]*rate.Limiter
	swept   time.Time
}

// bucketKey is a caller: one of the two is "". A user's id is no key of an address, however it
// is spelled.
type bucketKey struct{ user, address string }

// mostBuckets bounds the memory of a limiter, about 20 MB. Beyond it, some caller is
// forgotten for each new one.
const mostBuckets = 100_000

// NewLimiter makes the limiter of settings that [Rate.Check] has found valid; nil: there
// is no bound.
func NewLimiter(c *Rate) *Limiter {
	if c.PerMinute <= 0 {
		return nil
	}
	burst := c.Burst
	if burst <= 0 {
		burst = c.PerMinute
	}
	proxies, _ := networks(c.TrustedProxies) // Config.check has read them
	return &Limiter{each: rate.Limit(float64(c.PerMinute) / 60), burst: burst, proxies: proxies, buckets: map[bucketKey]*rate.Limiter{}}
}

// Refuse counts a request of a user, or with "" of an anonymous caller at the request's
// address. The error is TOO_MANY_REQUESTS and says when to try again.
func (l *Limiter) Refuse(r *http.Request, user string) error {
	if l == nil {
		return nil
	}
	address := ""
	if user == "" {
		address = l.address(r)
	}
	return l.RefuseAt(address, user)
}

// RefuseAt is Refuse for work without a request of its own, from an address as
// [Rate.Network] gives it.
func (l *Limiter) RefuseAt(address, user string) error {
	if l == nil {
		return nil
	}
	key := bucketKey{user: user}
	if user == "" {
		key.address = address
	}
	wait := l.take(key, time.Now())
	if wait <= 0 {
		return nil
	}
	return kiterror.Errorf(kiterror.TooManyRequests, "this caller sends too many requests; wait as long as Retry-After says").After(wait)
}

// Network returns the function that finds where a request comes from, by the settings: an
// address, or the network of an IPv6 address. It is zero for a connection without an address.
func (c *Rate) Network() func(*http.Request) netip.Prefix {
	proxies, _ := networks(c.TrustedProxies) // Config.check has read them
	return (&Limiter{proxies: proxies}).network
}

// take takes one token out of a caller's bucket and returns 0, or the time until there
// is one.
func (l *Limiter) take(key bucketKey, now time.Time) time.Duration {
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
		taken.CancelAt(now) // a refused request does not delay the next one
	}
	return wait
}

// sweep drops full buckets, once in the time that one takes to fill, and any bucket
// while there are too many. The caller holds l.mu.
func (l *Limiter) sweep(now time.Time) {
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

// address is the network of a request as text.
func (l *Limiter) address(r *http.Request) string { return Address(l.network(r), r) }

// Address is the text of a network that [Rate.Network] found for a request.
func Address(network netip.Prefix, r *http.Request) string {
	switch {
	case !network.IsValid():
		return r.RemoteAddr
	case network.IsSingleIP():
		return network.Addr().String()
	}
	return network.String()
}

// network is where a request comes from: the connection's peer, or behind trusted proxies, the
// last address in X-Forwarded-For that belongs to no trusted proxy. Of an IPv6 address it is
// the /64: one customer has all of that.
func (l *Limiter) network(r *http.Request) netip.Prefix {
	at, ok := addressOf(r.RemoteAddr)
	if !ok {
		return netip.Prefix{}
	}
	if l.trusts(at) {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(hops) - 1; i >= 0 && l.trusts(at); i-- {
			hop, ok := addressOf(strings.TrimSpace(hops[i]))
			if !ok {
				break
			}
			at = hop
		}
	}
	bits := at.BitLen()
	if at.Is6() {
		bits = 64
	}
	network, _ := at.WithZone("").Prefix(bits) // the bits are those of the address
	return network
}

// trusts reports whether an address belongs to a trusted proxy.
func (l *Limiter) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(l.proxies, func(network netip.Prefix) bool { return network.Contains(at) })
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

// networks reads networks; a single address is a network of one.
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

// readNetworks reads the setting limits.rate.trustedProxies.
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

// readRate reads a number of requests; 0 means no bound.
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
