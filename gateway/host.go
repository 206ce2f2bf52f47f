package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/publish"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// Host is a project over its store without any surface: the part of a gateway and of a
// receiver that answers calls, and all that `frond call` needs. Its methods may be called
// from many goroutines.
type Host struct {
	config    Config
	log       *slog.Logger
	announce  func(url string)
	options   *Options
	project   *facade.Project
	store     store
	feeds     feeds
	consumers consumers
	backlog   backlog
	hub       *subscriptions.Hub
	callers   *callers
	ending    sync.WaitGroup            // of the websockets of generations
	publisher *publish.Publisher        // nil: there are neither webhooks nor NATS
	serving   bool                      // events are relayed
	topology  *topology.Topology        // nil: every Frond runs here
	telemetry *telemetry.Telemetry      // nil: neither spans nor metrics
	budget    *budget.Budget            // nil: nothing is bounded
	streamed  *budget.Budget            // the part of it for streams and websockets
	room      *outlet.Room              // what these hold, and their turns
	stopBy    atomic.Pointer[time.Time] // while it stops: the end of shutdown.timeout
	compiled  atomic.Pointer[facade.Facade]
	close     func() error
	// streaming ends when those who follow facts have to go.
	streaming  context.Context //nolint:containedctx // a signal of the host's life
	endStreams context.CancelFunc
	frond      string    // of a receiver: the one Frond it serves; "": all of them
	warned     sync.Once // of open doors that are not declared open

	certificate *certificate      // of the listener; nil: plain HTTP
	verifier    *signing.Verifier // of other gateways that read facts here; nil: none does

	noted    map[string]bool            // notes of the catalog that were logged; written by one compile at a time
	renewing sync.Mutex                 // held by a renewal; guards project and noted
	swap     func(*facade.Facade) error // called with each new façade before it is used; nil: nothing is
}

// Open compiles a project, opens its store and, at the first start, writes the seeds. The
// caller closes the host. The error is everything that is wrong at once, the faults of
// settings and cards as schema.Faults; the store is opened only if there are none.
func Open(ctx context.Context, project *facade.Project, opts *Options) (*Host, error) {
	h, err := open(ctx, project, opts.orDefaults(), opening{})
	if err == nil {
		h.follow(ctx, nil)
	}
	return h, err
}

// opening is how the ways to open a host differ.
type opening struct {
	serves    bool   // reserve the store for this process among those that serve
	frond     string // of a receiver: the one Frond it serves; "": all of them
	elsewhere error  // faults found before, which are reported together with the host's
	// plan plans the background work of a host, over its first façade; nil: there is none.
	plan func(*Host, *facade.Facade) schema.Faults
	// build builds what calls come through, over the first façade, while the store is prepared; nil:
	// nothing.
	build func(*Host, *facade.Facade) error
	// migrate takes the place of preparing the store and writing seeds: for commands that
	// look at the schema, and serve nothing. nil: a start.
	migrate func(context.Context, migrator, *migration.Task) error
	// look does the same for commands that look at the outbox.
	look func(context.Context, *Host, *facade.Facade) error
}

// open makes a host in this order: settings are checked, remotes discovered, the project compiled,
// and only then, without any fault, the store opened, prepared while surfaces are built, and the
// seeds written. Where both fail the error is the store's.
func open(ctx context.Context, project *facade.Project, opts *Options, as opening) (*Host, error) {
	h := &Host{config: opts.Config.withDefaults(), log: opts.Logger, announce: opts.Listening, frond: as.frond, serving: as.serves}
	h.streaming, h.endStreams = context.WithCancel(context.WithoutCancel(ctx))
	if h.log == nil {
		h.log = telemetry.NewLogger(os.Stderr, h.config.Log)
	}
	if h.announce == nil {
		h.announce = announceOnStderr
	}
	if h.config.Vendor != "" {
		project.Vendor = h.config.Vendor
	}
	h.options, h.project = opts, project
	h.budget = guard.NewBudget(h.config.Limits.Memory, h.config.Limits.Executions)
	h.streamed = h.budget.Part(2)
	h.room = outlet.NewRoom(h.streamed)
	config := h.config.check()
	signer, faults := h.config.Signing.signer(h.config.Dir)
	if config = append(config, faults...); len(config) == 0 {
		if err := h.observe(ctx, signer); err != nil {
			return nil, errors.Join(as.elsewhere, err)
		}
	}
	h.topology.Discover(ctx, firstDiscovery)
	f, complete, err := h.compileFirst(opts.Store, as, config) //nolint:contextcheck // it opens no connection
	if err == nil {
		err = h.store.open(ctx, h.mapped(f))
	}
	if err != nil {
		h.topology.Close()
		h.flush(ctx)
		return nil, err
	}
	h.close = sync.OnceValue(func() error {
		h.endStreams()
		h.publisher.Close()
		h.stopConsuming()
		h.feeds.close()
		h.topology.Close()
		defer h.flush(ctx)
		return h.store.close()
	})
	if as.migrate != nil {
		return nil, errors.Join(h.look(ctx, f, as.migrate), h.Close())
	}
	if as.look != nil {
		return nil, errors.Join(as.look(ctx, h, f), h.Close())
	}
	if err := h.begin(ctx, f, as, complete); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// observe makes the telemetry of the host, and the parts that report to it. It calls no remote yet.
func (h *Host) observe(ctx context.Context, signer *signing.Signer) (err error) {
	if h.telemetry, err = telemetry.New(ctx, h.options.Tracing, h.config.Admin.Listen != "", h.log); err != nil {
		return err
	}
	h.log = h.telemetry.Traced(h.log)
	h.topology = topology.New(h.config.Remotes, h.project.Fronds, &topology.Options{
		Client: h.telemetry.Client, Signer: signer, Log: h.log, Refresh: refreshEvery, Retry: retryFirst,
	})
	if h.topology != nil {
		h.telemetry.CollectRemotes(h.topology.Observe)
	}
	h.telemetry.CollectBudget(h.budget)
	h.telemetry.CollectFacts(h.feeds.each, h.backlogs, h.logSize)
	h.hub = newHub(follower{h}, h.config.Limits.Subscriptions, h.streamed, h.telemetry, h.log)
	return nil
}

// begin prepares the store while the surfaces are built, writes the seeds of a complete project, and
// starts the work of the host. Where both fail the error is the store's.
func (h *Host) begin(ctx context.Context, f *facade.Facade, as opening, complete bool) error {
	prepared := make(chan error, 1)
	go func() { prepared <- h.prepare(ctx, f) }()
	var err error
	if as.build != nil {
		err = as.build(h, f)
	}
	if err := cmp.Or(<-prepared, err); err != nil {
		return err
	}
	if complete {
		if err := h.seed(ctx, f); err != nil {
			return err
		}
	}
	h.compiled.Store(f)
	h.relay(f) //nolint:contextcheck // Close ends it
	h.register(ctx, f)
	return nil
}

// compileFirst makes the first façade, over the store that own or the settings name; faults are
// those of the settings. The error has all faults at once. The store is not open yet.
func (h *Host) compileFirst(own facade.Store, as opening, faults schema.Faults) (f *facade.Facade, complete bool, err error) {
	var unusable error
	if own != nil || len(faults) == 0 {
		h.store, unusable = storeOf(own, &h.config, h.log, as.serves)
	}
	f, complete, err = h.compile()
	if err == nil && unusable == nil {
		if as.plan != nil {
			faults = append(faults, as.plan(h, f)...)
		}
		faults = append(faults, h.factsWithoutTables(f)...)
	}
	if err = errors.Join(faults.Err(), as.elsewhere, err, unusable); err != nil && h.store.close != nil {
		err = errors.Join(err, h.store.close())
	}
	return f, complete, err
}

// firstDiscovery is how long a start waits for remotes.
const firstDiscovery = 2 * time.Second

// How often remotes are discovered again: every refreshEvery, and after a failure at first
// after retryFirst. Tests shorten them.
var (
	refreshEvery = 30 * time.Second
	retryFirst   = 250 * time.Millisecond
)

// waiting reports whether there are remotes that have not been discovered yet.
func (h *Host) waiting() bool {
	for _, r := range h.Remotes() {
		if !r.Known {
			return true
		}
	}
	return false
}

// follow renews the host whenever a remote serves another catalog, and swaps the surfaces
// over it. A failed renewal is logged and changes nothing.
func (h *Host) follow(ctx context.Context, swap func(*facade.Facade) error) {
	h.swap = swap
	if h.topology == nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // Close ends it, not the context of the start
	h.topology.Watch(ctx, func() {
		h.renewing.Lock()
		defer h.renewing.Unlock()
		if err := h.renew(ctx, false); err != nil {
			h.log.Error("the catalogs of the remotes do not compile; the schema stays as it was", "error", err)
			return
		}
		h.log.Info("the remotes' schema has been taken over")
	})
}

// Replace puts another project in the place of the one that runs; requests under way
// finish on the old one. Settings and the store stay the same. The error is as of [Open],
// and leaves everything as it was.
func (h *Host) Replace(ctx context.Context, project *facade.Project) error {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	old := h.project
	if h.config.Vendor != "" {
		project.Vendor = h.config.Vendor
	}
	h.project = project
	err := h.renew(ctx, true)
	if err != nil {
		h.project = old
	}
	return err
}

// renew compiles a façade of the known catalogs and puts it in the place of the old one,
// after the surfaces over it are built. With seeds, those of entities without rows are written
// first, as at a start. The caller holds h.renewing.
func (h *Host) renew(ctx context.Context, seeds bool) error {
	f, _, err := h.compile() //nolint:contextcheck // compiling a project waits for nothing
	if err == nil {
		err = h.prepare(ctx, f)
	}
	if err == nil && seeds {
		err = h.seed(ctx, f)
	}
	if err == nil && h.swap != nil {
		err = h.swap(f)
	}
	if err == nil {
		h.compiled.Store(f)
		h.relay(f) //nolint:contextcheck // Close ends it
	}
	return err
}

// compile makes a façade of the project with its Fronds where they run, as far as that is
// known. complete is false if generators or conversions are missing in this program.
func (h *Host) compile() (f *facade.Facade, complete bool, err error) {
	complete = true
	unregistered := h.options.Unregistered
	if unregistered != nil {
		unregistered = func(f schema.Fault) {
			complete = false
			h.options.Unregistered(f)
		}
	}
	clients := h.topology.Clients()
	watch := h.telemetry.Calls()
	f, err = h.topology.WithoutClaims(func() (*facade.Facade, error) {
		source, incomplete := h.topology.Project(h.project)
		return facade.New(source, h.store.Store, &facade.Options{
			Middleware:   watch.Middleware(h.options.Middleware),
			List:         project.ListLimits{Default: h.config.Limits.List.Default, Max: h.config.Limits.List.Max},
			Unregistered: unregistered,
			Remotes:      remote.New(clients),
			Position:     h.position,
			Suggest:      h.Development(),
			User:         h.userMembers(),
			Incomplete:   incomplete || h.options.Incomplete,
		})
	})
	if err == nil {
		err = errors.Join(h.undecided(f.Catalog()), h.consumable(f.Catalog()))
	}
	if err == nil {
		h.note("a part of a card or a remote is ignored", f.Catalog().Notes)
		h.note("an old name is not answered any more", f.Catalog().Ended)
		h.topology.Bind(clients, f.Catalog())
		h.telemetry.Remotes(clients, func(frond string) string { return h.config.Remotes[frond].URL })
		watch.Bind(f.Catalog())
	}
	return f, complete, err
}

// userMembers are the members of state.user: tokens have these alone, and the header of development
// may have others. A receiver gets the user of another host, and a session of Go code its own.
func (h *Host) userMembers() access.UserMembers {
	id := &h.config.Identity
	if h.frond != "" || h.options.Session != nil || id.Anonymous() {
		return access.UserMembers{}
	}
	return access.UserMembers{Names: identity.Members(), Open: id.Dev}
}

// maxNoted is how many notes one compile logs: a remote may cause any number of them.
const maxNoted = 100

// note logs notes on cards and remotes, each once.
func (h *Host) note(message string, notes []schema.Fault) {
	if h.noted == nil {
		h.noted = map[string]bool{}
	}
	for i, note := range notes {
		if i == maxNoted {
			h.log.Warn("more: "+message, "notes", len(notes)-i)
			break
		}
		if text := note.Error(); !h.noted[text] {
			h.noted[text] = true
			h.log.Warn(message, "note", text)
		}
	}
}

// undecided reports, as faults, the doors that have no collector and are not declared
// open. In development they are logged once and are no error (docs/decisions/access-rules.md).
func (h *Host) undecided(c *catalog.Catalog) error {
	if h.options.Undecided {
		return nil
	}
	table := slices.Concat(c.Access, c.FactAccess)
	if h.frond != "" { // a receiver serves its complete Frond
		table = slices.DeleteFunc(table, func(a catalog.Access) bool { return !strings.EqualFold(a.Frond, h.frond) })
		for i := range table {
			table[i].Surfaces = []catalog.Surface{catalog.OnEnvelope}
		}
	}
	faults := catalog.Undecided(table)
	if !h.Development() || len(faults) == 0 {
		return faults.Err()
	}
	h.warned.Do(func() {
		for _, f := range faults {
			h.log.Warn("a door is open; mode: production does not start so", "file", f.File, "says", f.Message, "write", f.Remedy)
		}
	})
	return nil
}

// seed writes the seeds, or has them written as soon as the store can be reached.
func (h *Host) seed(ctx context.Context, f *facade.Facade) error {
	if later := h.store.can.WhenReady; later != nil && later(f.Seed) {
		return nil
	}
	return f.Seed(ctx)
}

// mapped reports whether frond.yaml maps an entity whose rows are kept here to a table that
// another program made.
func (h *Host) mapped(f *facade.Facade) bool {
	return slices.ContainsFunc(f.Catalog().Set.Entities, func(e *schema.Entity) bool {
		_, remote := h.config.Remotes[e.Frond]
		return e.Table != nil && !remote
	})
}

// flush sends the telemetry that has not been sent, within the rest of the shutdown's time
// and within a second at least.
func (h *Host) flush(ctx context.Context) {
	by := time.Now().Add(h.config.Shutdown.Timeout)
	if stop := h.stopBy.Load(); stop != nil {
		by = *stop
	}
	if least := time.Now().Add(time.Second); by.Before(least) {
		by = least
	}
	h.telemetry.Shutdown(ctx, by, h.log)
}

// Catalog returns the served catalog; a later call may return another one.
func (h *Host) Catalog() *catalog.Catalog { return h.compiled.Load().Catalog() }

// Caller calls operations as every surface does, wherever they run. It follows the host:
// each call goes to the façade of its time.
func (h *Host) Caller() facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		return h.compiled.Load().Call(ctx, c)
	})
}

// Enter is ctx for the author's own code outside of any call (see [facade.Facade.Enter]).
func (h *Host) Enter(ctx context.Context, state access.State) context.Context {
	return h.compiled.Load().Enter(ctx, state)
}

// Discovery is the host's discovery document (spec 2.5).
func (h *Host) Discovery() json.RawMessage { return h.Catalog().Discovery().AppendJSON(nil) }

// Bundle is every card of the project in one document (spec 2.4).
func (h *Host) Bundle() json.RawMessage { return h.Catalog().Set.Bundle() }

// Development reports whether the host runs in mode: development.
func (h *Host) Development() bool { return h.config.Mode == Development }

// Close stops following the remotes and closes the store; calls under way fail. Closing
// twice is fine.
func (h *Host) Close() error { return h.close() }

// Remotes returns the known state of each remote Frond, by name.
func (h *Host) Remotes() []RemoteState { return h.topology.Remotes() }
