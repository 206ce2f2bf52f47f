package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/consumer"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/schema"
)

// Consumer is a function of the program that is called for each event of a fact; see package
// facts/consumer for its guarantees.
type Consumer struct {
	// Name is that of its position in the store; "": the fact's, as FROND.NAME.
	Name string
	// Fact is the name of a fact of a Frond that runs here, or FROND.NAME.
	Fact string
	// Handle is called with a context as [Host.Enter] makes it: calls with it are one
	// transaction, in which the position moves.
	Handle func(ctx context.Context, e *facade.Event) error
	// Check reports the fault between the program and the fact, or nil.
	Check func(f *catalog.Fact) schema.Faults
	// Detached, FromStart and Tries are those of [consumer.Consumer].
	Detached, FromStart bool
	Tries               int
}

// consumers are those of a host. They are made with the first façade.
type consumers struct {
	all  []*consumer.Consumer
	stop context.CancelFunc // nil: they do not run
	done sync.WaitGroup
}

// inGo takes the place of the file in a fault of the program's code.
const inGo = "Go code"

// consumable reports faults between the consumers and the facts that a catalog announces.
func (h *Host) consumable(c *catalog.Catalog) error {
	var faults schema.Faults
	taken := map[string]bool{}
	for i := range h.options.Consumers {
		one := &h.options.Consumers[i]
		f, full, fault := h.consumed(c, one.Fact)
		if fault == nil && taken[one.named(full)] {
			fault = &schema.Fault{Message: fmt.Sprintf("two consumers are called %s, and would share one position", one.named(full)), Remedy: "give each a name of its own"}
		}
		if fault != nil {
			fault.File = inGo
			faults = append(faults, *fault)
			continue
		}
		taken[one.named(full)] = true
		if f != nil && one.Check != nil {
			faults = append(faults, one.Check(f)...)
		}
	}
	return faults.Err()
}

// named is the name of a consumer among the cursors of the store.
func (c *Consumer) named(full string) string {
	if c.Name != "" {
		return "go:" + c.Name
	}
	return "go:" + full
}

// consumed is the fact that a consumer names; nil where it is one of a remote that is not
// known yet. full is FROND.NAME.
func (h *Host) consumed(c *catalog.Catalog, name string) (f *catalog.Fact, full string, fault *schema.Fault) {
	found, all := c.FactsNamed(name)
	// A name alone is that of a Frond that runs here.
	found = slices.DeleteFunc(found, func(f *catalog.Fact) bool { return f.FullName() != name && f.Frond.Remote != "" })
	frond, _, isFull := strings.Cut(name, ".")
	_, remote := h.config.Remotes[frond]
	switch {
	case len(found) == 1:
		return found[0], found[0].FullName(), nil
	case len(found) > 1:
		return nil, "", &schema.Fault{Message: "several Fronds announce " + name, Remedy: "write one of " + found[0].FullName() + ", " + found[1].FullName()}
	case isFull && remote:
		return nil, name, nil
	case len(all) == 0:
		return nil, "", &schema.Fault{Message: "nothing announces " + name, Remedy: "declare it under facts in the frond.yaml"}
	}
	return nil, "", &schema.Fault{Message: "nothing announces " + name, Remedy: "declare it under facts in the frond.yaml, or write one of " + strings.Join(all, ", ")}
}

// consumersOf makes the consumers over a façade that consumable has passed.
func (h *Host) consumersOf(f *facade.Facade) (all []*consumer.Consumer) {
	for i := range h.options.Consumers {
		one := &h.options.Consumers[i]
		_, full, _ := h.consumed(f.Catalog(), one.Fact)
		frond, _, _ := strings.Cut(full, ".")
		c := &consumer.Consumer{
			Transact: func(ctx context.Context, trace string, fn func(context.Context) error) error {
				return h.compiled.Load().Transact(ctx, trace, fn)
			},
			Handle: func(ctx context.Context, e *facade.Event) error {
				if one.Detached {
					ctx = h.Enter(ctx, nil)
				}
				return one.Handle(ctx, h.compiled.Load().Current(e))
			},
			Detached: one.Detached, FromStart: one.FromStart, Tries: one.Tries,
		}
		c.Name, c.Facts, c.Log, c.Alone = one.named(full), []string{full}, h.log, !h.config.shared(h.options.Store)
		c.Retention = h.config.Facts.Retention
		c.Store = h.store.can.Outbox
		if _, remote := h.config.Remotes[frond]; remote {
			c.Remote = func() (facade.EventLog, error) {
				if log := h.topology.Facts(frond); log != nil {
					return log, nil
				}
				return nil, errNotKnown
			}
		}
		c.Feed = func(ctx context.Context, names []string, after facade.Position) (delivery.Reader, error) {
			feed := h.Feed(frond) //nolint:contextcheck // the host ends it
			if feed == nil {
				return nil, errNotKnown
			}
			return feed.Subscribe(ctx, names, after)
		}
		all = append(all, c)
	}
	return all
}

// errNotKnown is the error of a log that is not there yet.
var errNotKnown = kiterror.Errorf(kiterror.ServiceUnavailable, "the remote is not known yet")

// register notes where consumers begin, before the first command: they miss nothing that is
// announced from now on. Where the store does not answer yet, they do it themselves.
func (h *Host) register(ctx context.Context, f *facade.Facade) {
	if len(h.options.Consumers) == 0 || h.store.can.Outbox == nil {
		return
	}
	h.consumers.all = h.consumersOf(f)
	ctx, cancel := context.WithTimeout(ctx, firstDiscovery)
	defer cancel()
	for _, c := range h.consumers.all {
		if err := c.Register(ctx); err != nil {
			h.log.Info("a consumer begins when its log can be read", "consumer", c.Name, "error", err)
		}
	}
}

// ways is the known state of the ways out that remember how far they are.
func (h *Host) ways() (all []delivery.State) {
	for _, c := range h.consumers.all {
		s := c.Stats.State()
		s.Name = c.Name
		all = append(all, s)
	}
	return append(all, h.publisher.States()...)
}

// measure counts the log and what waits for each way out. The log of a remote is counted there.
func (h *Host) measure() (log facts.Size, ways map[string]facts.Size) {
	var all []way
	for _, c := range h.publisher.Consumers() {
		all = append(all, way{Consumer: c})
	}
	for _, c := range h.consumers.all {
		one := way{Consumer: &c.Consumer}
		if frond, _, _ := strings.Cut(c.Facts[0], "."); h.config.Remotes[frond].URL != "" {
			one.remote = func() *client.Facts { return h.topology.Facts(frond) }
		}
		all = append(all, one)
	}
	return h.backlog.measure(h.store.can.Outbox, all)
}

// backlogs is the known state of the ways out, with the number of events that wait for each.
func (h *Host) backlogs() []delivery.State {
	_, sizes := h.measure()
	all := h.ways()
	for i := range all {
		size, counted := sizes[all[i].Name]
		all[i].Waiting, all[i].Oldest, all[i].Uncounted = size.Events, size.Oldest, !counted
	}
	return all
}

// logSize is the size of this host's log; zero: it has none.
func (h *Host) logSize() facts.Size {
	log, _ := h.measure()
	return log
}

// consume runs the consumers until stopConsuming.
func (h *Host) consume(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	h.consumers.stop = stop
	for _, c := range h.consumers.all {
		h.consumers.done.Go(func() { c.Run(ctx) })
	}
}

// stopConsuming ends the consumers, and waits until their work is rolled back or committed.
func (h *Host) stopConsuming() {
	if h.consumers.stop != nil {
		h.consumers.stop()
		h.consumers.done.Wait()
	}
}

// Consume hands every event in the log to the consumers, until there are none, also those
// that they emit during it. It is for tests and for hosts that do not serve: a gateway consumes
// by itself. The first failure ends it; the event stays, and is handed over again by the next
// call.
func (h *Host) Consume(ctx context.Context) error {
	if h.consumers.stop != nil {
		return errors.New("the gateway consumes by itself")
	}
	if len(h.consumers.all) > 0 {
		if err := h.relayAll(ctx); err != nil {
			return err
		}
	}
	for again := true; again; {
		again = false
		for _, c := range h.consumers.all {
			n, err := c.Settle(ctx)
			if err != nil {
				return err
			}
			if n > 0 {
				again = true
				if err := h.relayAll(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// relayAll gives positions to all events that are committed.
func (h *Host) relayAll(ctx context.Context) error {
	for before := facade.Position(-1); ; {
		last, _, err := h.store.can.Outbox.Relay(ctx)
		if err != nil || last == before {
			return err
		}
		before = last
	}
}
