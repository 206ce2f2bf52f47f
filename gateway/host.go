package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/store"
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
	store     hostStore
	feeds     *feeds
	ways      *ways
	schedule  *schedule
	deletes   *deletes
	files     keptFiles
	advice    *explain.Watch // nil: reads are not watched
	hub       *subscriptions.Hub
	callers   *callers
	ending    sync.WaitGroup     // of the websockets of generations
	topology  *topology.Topology // nil: every Frond runs here
	shadows   shadows
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

	port        *listening         // open since the start; nil: serve opens it
	certificate *guard.Certificate // of the listener; nil: plain HTTP
	verifier    *signing.Verifier  // of other gateways that read facts here; nil: none does

	noted    map[string]bool                      // notes of the catalog that were logged; written by one compile at a time
	renewing sync.Mutex                           // held by a renewal; guards project and noted
	swap     func(*facade.Facade) (func(), error) // builds the surfaces of each new façade, and returns what puts them in place; nil: there are none
}

// Open compiles a project, opens its store and, at the first start, writes the seeds. The
// caller closes the host. The error lists every fault at once, the faults of settings and cards
// as schema.Faults; the store is opened only without faults.
func Open(ctx context.Context, project *facade.Project, opts *Options) (*Host, error) {
	h, err := open(ctx, project, opts.orDefaults(), opening{})
	if err == nil {
		h.follow(ctx, nil)
	}
	return h, err
}

// opening is how the ways to open a host differ.
type opening struct {
	serves    bool   // reserve the store for this process among those that serve, and plan the ways out
	frond     string // of a receiver: the one Frond it serves; "": all of them
	elsewhere error  // faults found before, which are reported together with the host's
	// build builds the surfaces of calls over the first façade, while the store is prepared. It may
	// be nil.
	build func(*Host, *facade.Facade) error
	// ready waits for the end of what build has begun, once the store is open and before its tables
	// change; nil: build begins no work.
	ready func() error
	// migrate takes the place of preparing the store and writing seeds: for commands that only
	// look at the schema. nil: a start.
	migrate func(context.Context, store.Migrator, *migration.Task) error
	// listen are the addresses that the host opens before the store, so that probes are answered while
	// tables change; it may be empty.
	listen []string
	// look does the same for commands that look at the outbox.
	look func(context.Context, *Host, *facade.Facade) error
}

// open makes a host in this order: settings are checked, remotes discovered, the project compiled,
// and only then, without any fault, the store opened and prepared while surfaces are built, and the
// seeds written. Where both fail the error is the store's.
func open(ctx context.Context, project *facade.Project, opts *Options, as opening) (*Host, error) {
	h := &Host{config: opts.Config.withDefaults(), log: opts.Logger, announce: opts.Listening, frond: as.frond}
	starting := ctx // its end ends the start, and nothing of what the host does later
	ctx = context.WithoutCancel(ctx)
	h.streaming, h.endStreams = context.WithCancel(ctx)
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
	current := func() *facade.Facade { return h.compiled.Load() }
	h.feeds = &feeds{catalog: h.Catalog, retention: h.config.Facts.Retention}
	h.ways = &ways{config: &h.config, given: opts.Consumers, frond: h.frond, dry: opts.Undecided, feeds: h.feeds, current: current}
	h.schedule = &schedule{frond: h.frond, own: opts.Store != nil, current: current, note: h.note}
	h.deletes = &deletes{current: current}
	h.budget = guard.NewBudget(h.config.Limits.Memory, h.config.Limits.Executions)
	h.streamed = h.budget.Part(2)
	h.room = outlet.NewRoom(h.streamed)
	config := h.config.check()
	moved, shadowed := topology.Split(h.config.Remotes)
	if h.config.Remotes = moved; as.frond != "" {
		shadowed = nil // each of them runs in a gateway
	}
	config = append(config, shadowFaults(shadowed, project.Fronds)...)
	signer, faults := h.config.Signing.Signer(h.config.Dir)
	if config = append(config, faults...); len(config) == 0 {
		if err := h.observe(ctx, signer); err != nil {
			return nil, errors.Join(as.elsewhere, err)
		}
		if as.serves && as.migrate == nil && !opts.Undecided {
			h.shadow(shadowed, signer)
		}
	}
	h.topology.Discover(ctx, firstDiscovery)
	f, complete, err := h.compileFirst(opts.Store, as, config) //nolint:contextcheck // it opens no connection
	if err == nil && (as.migrate != nil || as.look != nil) {
		err = h.store.open(starting, h.mapped(f))
	}
	if err != nil {
		h.shadows.close()
		h.topology.Close()
		h.flush(ctx)
		return nil, err
	}
	h.close = sync.OnceValue(func() error {
		h.endStreams()
		h.schedule.close(h.stopBy.Load())
		h.deletes.close()
		h.advice.Close() //nolint:contextcheck // it writes after the end of every request
		h.ways.close()
		h.feeds.close()
		h.shadows.close()
		h.topology.Close()
		defer h.flush(ctx)
		return errors.Join(h.files.Load().Close(), h.store.close())
	})
	if as.migrate != nil {
		return nil, errors.Join(h.look(starting, f, as.migrate), h.Close())
	}
	if as.look != nil {
		return nil, errors.Join(as.look(starting, h, f), h.Close())
	}
	if err := h.begin(starting, f, as, complete); err != nil {
		h.port.close()
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// observe makes the telemetry of the host, and the parts that report to it. It calls no remote yet.
func (h *Host) observe(ctx context.Context, signer *signing.Signer) (err error) {
	if h.telemetry, err = telemetry.New(ctx, &telemetry.Options{
		Provider: h.options.Tracing, Measured: h.config.Admin.Listen != "", Log: h.log,
		Traces: extra.Find[telemetry.Traces](h.config.Extras), Metrics: extra.Find[telemetry.Metrics](h.config.Extras),
	}); err != nil {
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
	h.feeds.topology, h.feeds.log, h.feeds.observe = h.topology, h.log, h.telemetry.Events()
	h.ways.topology, h.ways.log = h.topology, h.log
	h.schedule.log, h.deletes.log = h.log, h.log
	h.telemetry.CollectFacts(h.feeds.each, h.ways.backlogs, h.ways.logSize)
	h.telemetry.CollectStore(func() (facade.StoreState, bool) {
		if h.store.can.State == nil {
			return facade.StoreState{}, false
		}
		return h.store.can.State(), true
	})
	h.telemetry.CollectFiles(h.files.state)
	h.hub = subscriptions.NewHub(subscriptions.HubOptions{Feed: h.feeds, Limits: h.config.Limits.Subscriptions, Memory: h.streamed, Log: h.log})
	h.telemetry.CollectSubscriptions(func() telemetry.Subscriptions { return telemetry.Subscriptions(h.hub.Numbers()) })
	return nil
}

// begin builds the surfaces, opens and prepares the store, writes the seeds of a complete project, and starts the work
// of the host. A project whose surfaces have faults leaves the store as it was.
func (h *Host) begin(ctx context.Context, f *facade.Facade, as opening, complete bool) error {
	if as.build != nil {
		if err := as.build(h, f); err != nil {
			return err
		}
	}
	if as.listen != nil {
		var err error
		if h.port, err = h.listener().open(ctx, as.listen...); err != nil {
			return err
		}
	}
	if err := h.store.open(ctx, h.mapped(f)); err != nil {
		return err
	}
	if as.ready != nil {
		if err := as.ready(); err != nil {
			return err
		}
	}
	if err := h.prepare(ctx, f); err != nil {
		return err
	}
	if complete {
		if err := h.seed(ctx, f); err != nil {
			return err
		}
	}
	h.compiled.Store(f)
	h.feeds.relay(f.Catalog()) //nolint:contextcheck // Close ends it
	h.ways.register(context.WithoutCancel(ctx), f.Catalog())
	return nil
}

// listener is how the host listens.
func (h *Host) listener() *listener {
	return &listener{certificate: h.certificate, write: h.config.Limits.Write, stopping: h.endStreams, log: h.log}
}

// start runs the ways out, the jobs, the rest of deletes and the advice of a host that serves. A host of mock data
// sends no events and runs no jobs.
func (h *Host) start() {
	h.ways.start()
	if !h.options.Undecided {
		h.schedule.start(h.ways.shared, h.telemetry)
		h.deletes.alone = !h.ways.shared
		h.deletes.start()
		h.advice.Start()
	}
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

// follow renews the host whenever a remote serves another catalog, and swaps the surfaces over
// it. A failed renewal is logged, and the host stays as it is.
func (h *Host) follow(ctx context.Context, swap func(*facade.Facade) (func(), error)) {
	h.swap = swap
	h.shadows.follow(ctx, h)
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

// seed writes the seeds, or has them written as soon as the store can be reached.
func (h *Host) seed(ctx context.Context, f *facade.Facade) error {
	write := func(ctx context.Context) error {
		notes, err := seed.Write(ctx, f)
		for _, note := range notes {
			h.log.Warn(note)
		}
		return err
	}
	if later := h.store.can.WhenReady; later != nil && later(write) {
		return nil
	}
	return write(ctx)
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

// Feed reads the events of a Frond, as its author spells it; nil: they do not come here. The
// feeds of Fronds that share a log are the same one.
func (h *Host) Feed(frond string) *facts.Feed { return h.feeds.named(frond) }

// Consume hands every event in the log to the consumers, including the events that they emit
// during it. It is for tests and for hosts that do not serve: a gateway consumes by itself. The
// first failure ends it; the event stays, and is handed over again by the next call.
func (h *Host) Consume(ctx context.Context) error { return h.ways.settle(ctx) }

// Close stops following the remotes and closes the store; calls under way fail. Closing
// twice is fine.
func (h *Host) Close() error { return h.close() }

// Remotes returns the known state of each remote Frond, by name.
func (h *Host) Remotes() []RemoteState { return h.topology.Remotes() }

// announceOnStderr prints the line that scripts wait for, with the port that 0 became.
func announceOnStderr(url string) { fmt.Fprintln(os.Stderr, "listening on "+url) }
