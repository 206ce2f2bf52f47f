package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/consumer"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/publish"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/schema"
)

// ways are the ways out of a host's events: consumers of the program, webhooks and NATS.
type ways struct {
	config   *Config
	given    []Consumer
	frond    string // of a receiver: the one Frond it serves; "": all of them
	dry      bool   // nothing is sent
	shared   bool   // other processes may have the store
	outbox   facade.Outbox
	feeds    *feeds
	topology *topology.Topology
	current  func() *facade.Facade // the façade that is served
	log      *slog.Logger

	consumers []*consumer.Consumer
	publisher *publish.Publisher // nil: there are neither webhooks nor NATS
	backlog   backlog
	stop      context.CancelFunc // of the consumers; nil: they do not run
	done      sync.WaitGroup
}

// plan reads the targets that facts are published to, and checks them against the announced facts.
func (w *ways) plan(served *catalog.Catalog) (faults schema.Faults) {
	w.publisher, faults = w.config.Publish.Plan(served, publish.Options{
		Dir: w.config.Dir, Broker: extra.Find[publish.Broker](w.config.Extras), Shared: w.shared, Dry: w.dry,
		Log: w.log, Retention: w.config.Facts.Retention, Frond: w.frond,
		Writer: delivery.CloudEvents{
			Outward: func(e *facade.Event) (*facade.Event, error) { return w.current().Outward(e) },
			Schema:  func(frond, fact string) string { return schemaURI(w.current().Catalog().Fact(frond, fact)) },
		},
		Listening: func(url string) { fmt.Fprintln(os.Stderr, "nats listening on "+url) },
	})
	if w.publisher != nil && w.outbox == nil {
		faults = append(faults, schema.Fault{File: setting.File, Message: "the program's own store keeps no events, so that nothing can be published", Remedy: "leave webhooks and facts.nats out, or implement facade.Outbox"})
	}
	return faults
}

// schemaURI is the identity of a fact's card: urn:frondhost:shop:order:1, of the card's vendor, the
// Frond, the card's title and its version. "" for a fact without a card.
func schemaURI(f *catalog.Fact) string {
	if f == nil || f.Schema == nil {
		return ""
	}
	return fmt.Sprintf("urn:%s:%s:%s:%d", url.PathEscape(f.Schema.Vendor), url.PathEscape(f.Frond.Name), url.PathEscape(f.Schema.Title), f.Schema.Version)
}

// register notes the positions of consumers before the first command, so that they get every
// event from now on. If the store does not answer yet, they do it themselves.
func (w *ways) register(ctx context.Context, served *catalog.Catalog) {
	if len(w.given) == 0 || w.outbox == nil {
		return
	}
	w.consumers = w.consumersOf(served)
	ctx, cancel := context.WithTimeout(ctx, firstDiscovery)
	defer cancel()
	for _, c := range w.consumers {
		if err := c.Register(ctx); err != nil {
			w.log.Info("a consumer begins when its log can be read", "consumer", c.Name, "error", err)
		}
	}
}

// start runs the consumers and the publisher until close.
func (w *ways) start() {
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	for _, c := range w.consumers {
		w.done.Go(func() { c.Run(ctx) })
	}
	if w.publisher == nil || w.dry {
		return
	}
	known, cancel := context.WithTimeout(context.Background(), firstDiscovery)
	defer cancel()
	w.publisher.Start(known, w.outbox, func(ctx context.Context, names []string, after facade.Position) (delivery.Reader, error) {
		own := w.feeds.ofStore()
		if own == nil {
			return nil, &delivery.Unavailable{Reason: "nothing is announced here yet"}
		}
		return own.Subscribe(ctx, names, after)
	})
}

// close ends the publisher and the consumers, and waits until the work of the consumers is rolled back
// or committed.
func (w *ways) close() {
	w.publisher.Close()
	if w.stop != nil {
		w.stop()
		w.done.Wait()
	}
}

// states is the known state of the ways out that remember how far they are.
func (w *ways) states() (all []delivery.State) {
	for _, c := range w.consumers {
		s := c.Stats.State()
		s.Name = c.Name
		all = append(all, s)
	}
	return append(all, w.publisher.States()...)
}

// measure counts the log and what waits for each way out. The log of a remote is counted there.
func (w *ways) measure() (log facts.Size, ways map[string]facts.Size) {
	var all []waiting
	for _, c := range w.publisher.Consumers() {
		all = append(all, waiting{Consumer: c})
	}
	for _, c := range w.consumers {
		one := waiting{Consumer: &c.Consumer}
		if frond, _, _ := strings.Cut(c.Facts[0], "."); w.config.Remotes[frond].URL != "" {
			one.remote = func() *client.Facts { return w.topology.Facts(frond) }
		}
		all = append(all, one)
	}
	return w.backlog.measure(w.outbox, all)
}

// backlogs is the known state of the ways out, with the number of events that wait for each.
func (w *ways) backlogs() []delivery.State {
	_, sizes := w.measure()
	all := w.states()
	for i := range all {
		size, counted := sizes[all[i].Name]
		all[i].Waiting, all[i].Oldest, all[i].Uncounted = size.Events, size.Oldest, !counted
	}
	return all
}

// logSize is the size of this host's log, or zero.
func (w *ways) logSize() facts.Size {
	log, _ := w.measure()
	return log
}

// settle is [Host.Consume].
func (w *ways) settle(ctx context.Context) error {
	if w.stop != nil {
		return errors.New("the gateway consumes by itself")
	}
	if len(w.consumers) > 0 {
		if err := w.relayAll(ctx); err != nil {
			return err
		}
	}
	for again := true; again; {
		again = false
		for _, c := range w.consumers {
			n, err := c.Settle(ctx)
			if err != nil {
				return err
			}
			if n > 0 {
				again = true
				if err := w.relayAll(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// relayAll gives positions to all committed events.
func (w *ways) relayAll(ctx context.Context) error {
	for before := facade.Position(-1); ; {
		last, _, err := w.outbox.Relay(ctx)
		if err != nil || last == before {
			return err
		}
		before = last
	}
}
