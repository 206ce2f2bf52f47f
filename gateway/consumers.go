package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/consumer"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/schema"
)

// Consumer is a function of the program, called for each event of a fact; see package
// facts/consumer for its guarantees.
type Consumer struct {
	// Name is the name of its position in the store; "": the fact's, as FROND.NAME.
	Name string
	// Fact is the name of a fact of a Frond that runs here, or FROND.NAME.
	Fact string
	// Handle is called with a context as [Host.Enter] makes it: calls with it are one
	// transaction, in which the position moves.
	Handle func(ctx context.Context, e *facade.Event) error
	// Check reports the fault between the program and the fact, or nil.
	Check func(f *catalog.Fact) schema.Faults
	// Detached, FromStart and Tries are as in [consumer.Consumer].
	Detached, FromStart bool
	Tries               int
}

// inGo takes the place of the file in a fault of the program's code.
const inGo = "Go code"

// check reports faults between the consumers and the facts that a catalog announces.
func (w *ways) check(c *catalog.Catalog) error {
	var faults schema.Faults
	taken := map[string]bool{}
	for i := range w.given {
		one := &w.given[i]
		f, full, fault := w.consumed(c, one.Fact)
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

// consumed is the fact that a consumer names; nil for a fact of a remote that is not known yet.
// full is FROND.NAME.
func (w *ways) consumed(c *catalog.Catalog, name string) (f *catalog.Fact, full string, fault *schema.Fault) {
	found, all := c.FactsNamed(name)
	// A name alone belongs to a Frond that runs here.
	found = slices.DeleteFunc(found, func(f *catalog.Fact) bool { return f.FullName() != name && !f.Frond.InStore() })
	frond, _, isFull := strings.Cut(name, ".")
	_, remote := w.config.Remotes[frond]
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

// consumersOf makes the consumers of facts that check has passed.
func (w *ways) consumersOf(served *catalog.Catalog) (all []*consumer.Consumer) {
	for i := range w.given {
		one := &w.given[i]
		_, full, _ := w.consumed(served, one.Fact)
		frond, _, _ := strings.Cut(full, ".")
		name := one.named(full)
		c := &consumer.Consumer{
			Transact: func(ctx context.Context, trace string, fn func(context.Context) error) error {
				return w.current().Transact(ctx, trace, fn)
			},
			Handle: func(ctx context.Context, e *facade.Event) error {
				ctx = facade.WithCause(ctx, catalog.ByConsumer, name, e)
				if one.Detached {
					ctx = w.current().Enter(ctx, nil)
				}
				return one.Handle(ctx, w.current().Current(e))
			},
			Detached: one.Detached, FromStart: one.FromStart, Tries: one.Tries,
		}
		c.Name, c.Facts, c.Log, c.Alone = name, []string{full}, w.log, !w.shared
		c.Retention = w.config.Facts.Retention
		c.Store = w.outbox
		if _, remote := w.config.Remotes[frond]; remote {
			c.Remote = func() (facade.EventLog, error) {
				if log := w.topology.Facts(frond); log != nil {
					return log, nil
				}
				return nil, errNotKnown
			}
		}
		c.Feed = func(ctx context.Context, names []string, after facade.Position) (delivery.Reader, error) {
			feed := w.feeds.named(frond) //nolint:contextcheck // the host ends it
			if feed == nil {
				return nil, errNotKnown
			}
			return feed.Subscribe(ctx, names, after)
		}
		all = append(all, c)
	}
	return all
}

// errNotKnown is the error of the log of a remote that is not known yet.
var errNotKnown = kiterror.Errorf(kiterror.ServiceUnavailable, "the remote is not known yet")
