package topology

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Topology is the hosts of the remote Fronds of one project: it calls them, and keeps their
// catalogs. A nil Topology is empty. Its methods may be called from many goroutines, but for
// [Topology.Watch] and [Topology.Close], and [Topology.WithoutClaims] by one at a time.
type Topology struct {
	remotes map[string]Remote // by Frond
	hosts   []*host
	byFrond map[string]*host
	log     *slog.Logger
	// unsigned says that no call has a signature.
	unsigned bool
	refresh  time.Duration // how often a host is discovered again
	retry    time.Duration // how soon at first, while discovery fails

	accepted map[string]bool // Fronds without cards here that are served; written by WithoutClaims

	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// host is one remote host, with the Fronds that the settings place there. Fronds at one address share its
// client, so they share connections, breaker and discovery (docs/decisions/remotes.md). The fields above
// mu do not change after New.
type host struct {
	url    string
	fronds []string
	client *client.Remote

	cardless []string // of fronds: those that have no cards in this project

	mu        sync.Mutex
	discovery *schema.Discovery // the last document that could be used; nil: there was none
	hash      [sha256.Size]byte // of its text
	asked     time.Time         // when it was read
	failed    *kiterror.Error   // of the last attempt to discover the host; nil: it succeeded
	refused   map[string]bool   // Fronds whose names are taken: their part of the document is ignored
}

// Options of [New].
type Options struct {
	// Client adjusts the options of the client of each host; nil leaves them as they are.
	Client func(*client.Options) *client.Options
	Signer *signing.Signer // signs every call; nil: none is signed
	Log    *slog.Logger
	// Refresh is how often a host is discovered again, and Retry how soon at first after
	// a failure; the wait then doubles, up to Refresh.
	Refresh, Retry time.Duration
}

// New is the topology of remotes, by Frond, of a project with the Fronds here; nil: every Frond
// runs in this process. The first call comes with [Topology.Discover]. Check has found the
// remotes valid: if two share an address, the client has the settings of the first by name.
func New(remotes map[string]Remote, here []*project.Frond, opts *Options) *Topology {
	if len(remotes) == 0 {
		return nil
	}
	t := &Topology{remotes: remotes, byFrond: map[string]*host{}, log: opts.Log, unsigned: opts.Signer == nil, refresh: opts.Refresh, retry: opts.Retry}
	byURL := map[string]*host{}
	for _, frond := range slices.Sorted(maps.Keys(remotes)) {
		r := remotes[frond]
		// The address without the slash at its end is the identity of a host.
		address := strings.TrimRight(r.URL, "/")
		h := byURL[address]
		if h == nil {
			o := r.options(frond)
			o.Signer, o.Log = opts.Signer, opts.Log
			if opts.Client != nil {
				o = opts.Client(o)
			}
			h = &host{url: address, client: client.New(address, o)}
			byURL[address] = h
			t.hosts = append(t.hosts, h)
		}
		h.fronds = append(h.fronds, frond)
		if !slices.ContainsFunc(here, func(src *project.Frond) bool { return src.Name == frond && !src.IsBeside() }) {
			h.cardless = append(h.cardless, frond)
		}
		t.byFrond[frond] = h
	}
	return t
}

// Close stops the discovery in the background and closes the clients. It waits for a discovery
// under way. Calls that are made after it fail.
func (t *Topology) Close() {
	if t == nil {
		return
	}
	// The goroutines stop first: they call the clients.
	if t.stop != nil {
		t.stop()
		t.stopped.Wait()
	}
	for _, h := range t.hosts {
		h.client.Close()
	}
}

// Clients are what calls the operations of each remote Frond. [Topology.Bind] gives them the
// catalog by which they read results. The map is a new one; the clients in it are shared.
func (t *Topology) Clients() map[string]facade.Caller {
	if t == nil {
		return nil
	}
	all := map[string]facade.Caller{}
	for frond, h := range t.byFrond {
		all[frond] = h.client
	}
	return all
}

// Facts is the log of a remote Frond's facts; nil for any other Frond.
func (t *Topology) Facts(frond string) *client.Facts {
	if t == nil || t.byFrond[frond] == nil {
		return nil
	}
	return t.byFrond[frond].client.Facts(frond)
}

// Files are the files of a remote Frond, for a caller.
func (t *Topology) Files(frond string, state map[string]any) *client.Files {
	return t.byFrond[frond].client.Files(frond, state)
}

// Bind replaces clients, as [Topology.Clients] has made them, by ones that read results by
// the cards of a catalog: it exists only once the façade is compiled over them.
func (t *Topology) Bind(clients map[string]facade.Caller, served *catalog.Catalog) {
	for frond := range clients {
		clients[frond] = t.byFrond[frond].client.With(served)
	}
}

// Project is p with its Fronds local or remote: a remote one has the address of its host, and
// the entries of the host's discovery document. incomplete reports that a Frond without cards
// here has not been discovered yet.
//
//	cards here, discovered        the cards here, and Known as the host serves it
//	cards here, not discovered    the cards here, and Known of the last sync, if any
//	no cards, discovered          the cards of the host's document, and the frond.yaml here beside them
//	no cards, not discovered      a name without entities; incomplete
//
// p itself and its Fronds are not changed: the next generation is made of them again.
func (t *Topology) Project(p *facade.Project) (placed *facade.Project, incomplete bool) {
	if t == nil {
		return p, false
	}
	all := *p
	all.Fronds = nil
	// The rest after the loop are the remotes without cards here.
	rest := maps.Clone(t.remotes)
	beside := map[string]project.Text{}
	for _, src := range p.Fronds {
		if r, remote := t.remotes[src.Name]; remote {
			if src.IsBeside() {
				beside[src.Name] = src.Config
				continue
			}
			delete(rest, src.Name)
			// A copy: src belongs to the project that every generation begins with.
			moved := *src
			moved.Remote, moved.Open = r.URL, r.Open
			if known := t.byFrond[src.Name].known(src.Name); known != nil {
				moved.Known = known // before, what it served when it was synced holds
			}
			src = &moved
		}
		all.Fronds = append(all.Fronds, src)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		src := &project.Frond{Name: name, Remote: rest[name].URL}
		if known := t.byFrond[name].known(name); known != nil {
			src = project.Discovered(known, "rpc.discover of "+rest[name].URL)
			src.Remote = rest[name].URL
		} else {
			incomplete = true
		}
		src.Beside, src.Open, src.Served = beside[name], rest[name].Open, t.accepted[name]
		all.Fronds = append(all.Fronds, src)
	}
	return &all, incomplete
}
