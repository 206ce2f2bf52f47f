package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// keyring holds the keys that tokens may be signed with: the keys of the settings, and the keys
// that the issuer publishes (docs/decisions/identity.md). The latter are fetched
//
//	at the start        in the background
//	every so often      Config.Refresh, or sooner after a failure
//	for an unknown kid  at most once in askEvery, however many tokens have one
//
// and only a set with a usable key replaces the last one: if an issuer is down, or answers
// nonsense, the keys stay. A key that is missing from a new set is dropped at once.
type keyring struct {
	local      []key
	algorithms []string
	fetch      func(context.Context) ([]byte, error) // nil: nothing is published
	every      time.Duration
	log        *slog.Logger

	fetched atomic.Pointer[keySet] // nil until the first one came

	mu      sync.Mutex
	begun   bool
	pending *pending  // the fetch under way
	asked   time.Time // when a token last caused a fetch
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
}

// keySet is one answer of the issuer; it is immutable. Two sets are compared by address: that
// is how ask finds out that there is a newer one.
type keySet struct {
	text []byte
	keys []key
}

// pending is a fetch under way, which any number of callers wait for.
type pending struct {
	done chan struct{}
	err  error // once done is closed
}

// The bounds of a fetch: its duration, the size of the answer in bytes, how often a token may
// cause one, and the first wait after a failure.
const (
	fetchTimeout = 5 * time.Second
	maxJWKS      = 512 << 10
	askEvery     = 10 * time.Second
	firstRetry   = time.Second // doubled with each failure, up to Config.Refresh
)

// newKeyring is a keyring before its first fetch.
func newKeyring(local []key, id *Config, log *slog.Logger) *keyring {
	k := &keyring{local: local, algorithms: id.Algorithms, every: id.Refresh, log: log}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	if id.JWKS != "" {
		k.fetch = fetcher(id.JWKS)
	}
	return k
}

// fetcher gets the body at url. It follows no redirection, which could lead to plain HTTP.
// Anything but a status of 200 and at most maxJWKS bytes is an error.
func fetcher(url string) func(context.Context) ([]byte, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "application/jwk-set+json, application/json")
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("it answered status %d in place of 200", resp.StatusCode)
		}
		// One byte more than the bound is read, to see that there is more.
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxJWKS+1))
		if err == nil && len(text) > maxJWKS {
			err = fmt.Errorf("it answered more than %d bytes", maxJWKS)
		}
		return text, err
	}
}

// now is the last fetched set; nil before the first.
func (k *keyring) now() *keySet { return k.fetched.Load() }

// all are the keys there are with a set.
func (k *keyring) all(set *keySet) []key {
	if set == nil {
		return k.local
	}
	return slices.Concat(k.local, set.keys)
}

// match are the keys that may have signed a token: the keys of the algorithm's kind and of its
// kid. A key without a kid matches any; a token without one matches such a key, or the only key
// of the kind.
//
//	kid of the token    keys that match
//	"a"                 those with kid "a", and those without a kid
//	absent              those without a kid; else the only one of the kind
//
// A token without a kid never tries several named keys: each attempt costs a verification.
func (k *keyring) match(set *keySet, alg, kid string) (keys []key) {
	var fit []key
	for _, one := range k.all(set) {
		if !one.fits(alg) {
			continue
		}
		fit = append(fit, one)
		if one.id == "" || one.id == kid {
			keys = append(keys, one)
		}
	}
	if kid == "" && len(keys) == 0 && len(fit) == 1 {
		return fit
	}
	return keys
}

// wanting reports whether the issuer's keys are needed and have not been fetched.
func (k *keyring) wanting(set *keySet) bool { return k.fetch != nil && set == nil }

// ask fetches the keys once more for a token whose kid is not in a set, and waits. It reports
// whether there is a newer set than that. It reports false at once if a fetch could not help:
// the issuer publishes no keys, the token has no kid, or the set has a key of that kid.
func (k *keyring) ask(ctx context.Context, set *keySet, kid string) bool {
	if k.fetch == nil {
		return false
	}
	k.start() //nolint:contextcheck // a fetch is shared and outlives the request that began it
	known := slices.ContainsFunc(k.all(set), func(one key) bool { return one.id == kid })
	if set != nil && (kid == "" || known) {
		return false
	}
	k.mu.Lock()
	f := k.pending
	// Before the first set poll decides when to fetch. After that a token may, unless one
	// did a moment ago.
	if f == nil && set != nil && k.now() == set && time.Since(k.asked) >= askEvery {
		k.asked = time.Now()
		f = k.begin() //nolint:contextcheck // likewise
	}
	k.mu.Unlock()
	if f != nil {
		select {
		case <-f.done:
		case <-ctx.Done():
		}
	}
	return k.now() != set
}

// start begins to fetch; only the first call counts. No request is sent before, so that a
// gateway which is built for its schema alone calls no issuer.
func (k *keyring) start() {
	if k.fetch == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.begun || k.ctx.Err() != nil {
		return
	}
	k.begun = true
	first := k.begin()
	k.work.Go(func() { k.poll(first) })
}

// poll fetches again and again until the keyring is closed. It begins with the wait for f.
// After a failure it waits 1 s, 2 s, 4 s … up to the interval of successes.
func (k *keyring) poll(f *pending) {
	retry := firstRetry
	for {
		<-f.done
		wait := k.every
		if f.err != nil {
			wait = min(retry, k.every)
			retry = min(2*retry, k.every)
		} else {
			retry = firstRetry
		}
		select {
		case <-time.After(wait):
		case <-k.ctx.Done():
			return
		}
		k.mu.Lock()
		f = k.begin()
		k.mu.Unlock()
	}
}

// begin starts a fetch, or joins the one under way. The caller holds k.mu. On a closed keyring
// the result has failed already.
func (k *keyring) begin() *pending {
	if k.pending != nil {
		return k.pending
	}
	f := &pending{done: make(chan struct{})}
	if k.ctx.Err() != nil {
		f.err = k.ctx.Err()
		close(f.done)
		return f
	}
	k.pending = f
	k.work.Go(func() {
		f.err = k.load()
		k.mu.Lock()
		// pending is cleared before done is closed: a caller that saw the end and asks again
		// gets a new fetch.
		k.pending = nil
		k.mu.Unlock()
		close(f.done)
	})
	return f
}

// load fetches the keys and keeps them if one of them can be used. It has one of three
// outcomes: the set is as before (nil), there is a new one (nil), or the last one stays (the
// error, which load logs).
func (k *keyring) load() error {
	ctx, cancel := context.WithTimeout(k.ctx, fetchTimeout)
	defer cancel()
	text, err := k.fetch(ctx)
	last := k.fetched.Load()
	// The usual answer: no key is parsed again and no line logged.
	if err == nil && last != nil && bytes.Equal(text, last.text) {
		return nil
	}
	var keys []key
	var refused []error
	if err == nil {
		keys, refused, err = readJWKS(text, false) // a secret that is published is refused
	}
	if err == nil {
		keys = slices.DeleteFunc(keys, func(one key) bool { return !slices.ContainsFunc(k.algorithms, one.fits) })
		if len(keys) == 0 {
			err = errors.New("it contains no key for identity.algorithms")
		}
	}
	// A fetch that close cut off is no failure of the issuer, and is not logged as one.
	if k.ctx.Err() != nil {
		return k.ctx.Err() // closed
	}
	for _, why := range refused {
		k.log.Warn("a key of the issuer is ignored", "reason", why)
	}
	if err != nil {
		k.log.Warn("the issuer's keys cannot be had", "error", err, "kept", last != nil)
		return err
	}
	k.fetched.Store(&keySet{text: text, keys: keys})
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].id
	}
	k.log.Info("the issuer's keys are here", "kids", names)
	return nil
}

// close ends the fetch under way and waits for it. It may be called twice, and on a keyring
// that was never started.
func (k *keyring) close() {
	k.mu.Lock() // no fetch begins after this
	k.cancel()
	k.mu.Unlock()
	k.work.Wait()
}
