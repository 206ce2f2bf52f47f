package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/schema"
)

// topology says which Fronds run elsewhere (spec 1.6), calls them, and asks in the
// background what they serve (DESIGN 8).
type topology struct {
	remotes map[string]Remote // by Frond
	peers   []*peer
	byFrond map[string]*peer
	log     *slog.Logger

	accepted map[string]bool // Fronds without cards here that are served; one compile at a time

	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// peer is one host elsewhere, with the Fronds that are said to run there.
type peer struct {
	url    string
	fronds []string
	remote *client.Remote

	cardless []string // of fronds: those that have no cards here

	mu      sync.Mutex
	told    *schema.Discovery // what it said last; nil: nothing yet
	hash    [sha256.Size]byte // of that
	asked   time.Time         // when it answered last
	failed  *facade.Error     // why it did not, the last time; nil: it did
	refused map[string]bool   // Fronds whose names are taken: they are as if nothing had been told
}

// How often a host is asked what it serves: every refreshEvery, and while it does not
// answer sooner, at first after retryFirst.
var (
	refreshEvery = 30 * time.Second
	retryFirst   = 250 * time.Millisecond
)

// newTopology is nil where every Frond runs here.
func newTopology(remotes map[string]Remote, here []*facade.FrondSource, signer *signing.Signer, log *slog.Logger, tell *telemetry.Telemetry) *topology {
	if len(remotes) == 0 {
		return nil
	}
	t := &topology{remotes: remotes, byFrond: map[string]*peer{}, log: log}
	byURL := map[string]*peer{}
	for _, frond := range slices.Sorted(maps.Keys(remotes)) {
		r := remotes[frond]
		address := strings.TrimRight(r.URL, "/")
		p := byURL[address]
		if p == nil {
			retries := retriesOf(r)
			if retries == 0 {
				retries = -1
			}
			p = &peer{url: address, remote: client.New(address, tell.Client(&client.Options{
				Name: frond, Connect: r.Connect, Attempt: r.Attempt, Timeout: r.Timeout, Retries: retries, Strict: r.Strict, NoCoalesce: r.NoCoalesce, Signer: signer, Log: log,
				MaxDocument: cmp.Or(r.Document, maxDocument),
				Discovery:   schema.DiscoveryLimits{Doors: cmp.Or(r.Doors, maxDoors), Fields: cmp.Or(r.Fields, maxFields)},
			}))}
			byURL[address] = p
			t.peers = append(t.peers, p)
		}
		p.fronds = append(p.fronds, frond)
		if !slices.ContainsFunc(here, func(src *facade.FrondSource) bool { return src.Name == frond }) {
			p.cardless = append(p.cardless, frond)
		}
		t.byFrond[frond] = p
	}
	return t
}

// close ends the asking in the background.
func (t *topology) close() {
	if t == nil {
		return
	}
	if t.stop != nil {
		t.stop()
		t.stopped.Wait()
	}
	for _, p := range t.peers {
		p.remote.Close()
	}
}

// ask asks every host once, side by side, and waits for those that answer in time.
func (t *topology) ask(ctx context.Context, within time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range t.peers {
		all.Go(func() { t.askOne(ctx, p) })
	}
	all.Wait()
}

// askOne asks a host what it serves, and says whether that is something else than
// what was known. A document that cannot be read changes nothing.
func (t *topology) askOne(ctx context.Context, p *peer) (changed bool) {
	text, err := p.remote.Discover(ctx)
	var told *schema.Discovery
	if err == nil {
		if told, err = schema.ReadDiscovery(text); err != nil {
			err = facade.Errorf(facade.BadGateway, "the discovery document of %s cannot be used: %w", p.url, err)
		}
	}
	if err == nil {
		err = p.hosts(told)
	}
	if err == nil {
		err = p.usable(told)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		failed := facade.AsError(err)
		if ctx.Err() == nil && (p.failed == nil || p.failed.Message != failed.Message) {
			t.log.Warn("a remote does not tell what it serves", "fronds", p.fronds, "url", p.url, "code", failed.Code, "error", causeOf(failed))
		}
		p.failed = failed
		return false
	}
	if p.failed != nil || p.told == nil {
		t.log.Info("a remote is known", "fronds", p.fronds, "url", p.url)
	}
	hash := sha256.Sum256(text)
	changed = p.told == nil || hash != p.hash
	p.told, p.hash, p.asked, p.failed = told, hash, time.Now(), nil
	return changed
}

// hosts is why a host cannot be what it is said to be: it has none of the Fronds
// that are looked for there, and others.
func (p *peer) hosts(told *schema.Discovery) error {
	var names []string
	for i := range told.Fronds {
		names = append(names, told.Fronds[i].Name)
	}
	for _, frond := range p.fronds {
		if !slices.Contains(names, frond) {
			there := "it hosts " + strings.Join(names, ", ")
			if len(names) == 0 {
				there = "it hosts none"
			}
			return facade.Errorf(facade.BadGateway, "%s does not host %s; %s", p.url, frond, there)
		}
	}
	return nil
}

// usable is why what a host tells cannot be taken over, of the Fronds that have no
// cards here. It is then as if it had not told: the others are served all the same.
func (p *peer) usable(told *schema.Discovery) error {
	for i := range told.Fronds {
		f := &told.Fronds[i]
		if !slices.Contains(p.cardless, f.Name) {
			continue
		}
		if err := facade.Usable(f, "rpc.discover of "+p.url); err != nil {
			return facade.Errorf(facade.BadGateway, "what %s tells of %s cannot be used: %w", p.url, f.Name, err)
		}
	}
	return nil
}

// causeOf is a failure for the log: with what lies behind it.
func causeOf(e *facade.Error) string {
	for cause := errors.Unwrap(e); cause != nil; cause = errors.Unwrap(cause) {
		if text := cause.Error(); text != "" && text != e.Message {
			return e.Message + ": " + text
		}
	}
	return e.Message
}

// watch asks every host again and again until close, and calls changed where one of
// them serves something else than before.
func (t *topology) watch(ctx context.Context, changed func()) {
	ctx, cancel := context.WithCancel(ctx)
	t.stop = cancel
	news := make(chan struct{}, 1)
	for _, p := range t.peers {
		t.stopped.Go(func() {
			wait := p.next(0)
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(wait):
				}
				if t.askOne(ctx, p) {
					select {
					case news <- struct{}{}:
					default: // there are news already
					}
				}
				wait = p.next(wait)
			}
		})
	}
	t.stopped.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-news:
				changed()
			}
		}
	})
}

// next is how long to wait before a host is asked again, after a wait.
func (p *peer) next(wait time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	refused := slices.Contains(slices.Collect(maps.Values(p.refused)), true)
	if p.failed == nil && p.told != nil && !refused {
		return refreshEvery - time.Duration(rand.Int64N(int64(refreshEvery/10))) // not all gateways at once
	}
	return min(max(2*wait, retryFirst), refreshEvery)
}

// project is a project with its Fronds where they run, and whether something is
// still to be learned: a Frond without cards here that has told nothing yet.
func (t *topology) project(p *facade.Project) (*facade.Project, bool) {
	if t == nil {
		return p, false
	}
	placed := *p
	placed.Fronds = nil
	incomplete := false
	rest := maps.Clone(t.remotes)
	for _, src := range p.Fronds {
		if r, away := t.remotes[src.Name]; away {
			delete(rest, src.Name)
			moved := *src
			moved.Remote = r.URL
			if known := t.byFrond[src.Name].known(src.Name); known != nil {
				moved.Known = known // until it tells, what it told when it was synced
			}
			src = &moved
		}
		placed.Fronds = append(placed.Fronds, src)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		src := &facade.FrondSource{Name: name, Remote: rest[name].URL}
		if known := t.byFrond[name].known(name); known != nil {
			src = facade.Discovered(known, "rpc.discover of "+rest[name].URL)
			src.Remote = rest[name].URL
		} else {
			incomplete = true
		}
		placed.Fronds = append(placed.Fronds, src)
	}
	return &placed, incomplete
}

// unusable is why what a host tells cannot be used, as far as anybody may know it.
func (p *peer) unusable(frond string) string {
	var over schema.OverLimit
	switch {
	case p.failed != nil && errors.As(error(p.failed), &over):
		return string(over)
	case p.refused[frond]:
		return "it claims a name that is taken here"
	}
	return ""
}

// known is what the host told of a Frond, or nil.
func (p *peer) known(frond string) *schema.DiscoveredFrond {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told != nil && !p.refused[frond] {
		for i := range p.told.Fronds {
			if p.told.Fronds[i].Name == frond {
				return &p.told.Fronds[i]
			}
		}
	}
	return nil
}

// carriers are who carries the calls of each Frond that runs elsewhere. Their
// results are read by a catalog, which is there once the façade is compiled.
func (t *topology) carriers() map[string]facade.Caller {
	if t == nil {
		return nil
	}
	all := map[string]facade.Caller{}
	for frond, p := range t.byFrond {
		all[frond] = p.remote
	}
	return all
}

func (t *topology) bind(carriers map[string]facade.Caller, catalog *facade.Catalog) {
	for frond := range carriers {
		carriers[frond] = t.byFrond[frond].remote.With(catalog)
	}
}

// states yields how the client of each remote stands, and whether the host has been
// discovered. It waits for no remote.
func (t *topology) states(yield func(status client.Status, known bool)) {
	for _, p := range t.peers {
		p.mu.Lock()
		known := p.told != nil
		p.mu.Unlock()
		yield(p.remote.Status(), known)
	}
}

// RemoteState is what a gateway knows of a Frond that runs elsewhere.
type RemoteState struct {
	Frond string
	URL   string
	// Known says that the host has told what it serves, and Asked when it last did.
	Known bool
	Asked time.Time
	// Failed is why it did not answer the last time; nil: it did.
	Failed *facade.Error
	// Unusable is why what it tells cannot be used, in words for anybody; "": it can, or
	// the log alone says.
	Unusable string
	// Calls is how calls fare.
	Calls client.Status
}

// word is a remote's state in few words, without its address.
func (s *RemoteState) word() string {
	switch {
	case s.Unusable != "":
		return "not usable: " + s.Unusable
	case s.Failed == nil && s.Known && s.Calls.Breaker != "open":
		return "reached"
	case s.Failed == nil && s.Known:
		return "failing; calls are held back for a moment"
	case s.Known:
		return "away: " + string(s.Failed.Code)
	case s.Failed != nil:
		return "not known yet: " + string(s.Failed.Code)
	}
	return "not known yet"
}
