package gateway

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/publish"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// plan reads the targets that facts are published to, and checks them against the announced facts.
func (h *Host) plan(f *facade.Facade) (faults schema.Faults) {
	h.publisher, faults = h.config.Publish.Plan(f.Catalog(), publish.Options{
		Dir: h.config.Dir, Shared: h.config.shared(h.options.Store), Dry: h.options.Undecided,
		Log: h.log, Retention: h.config.Facts.Retention, Frond: h.frond,
		Writer: delivery.CloudEvents{
			Outward: func(e *facade.Event) (*facade.Event, error) { return h.compiled.Load().Outward(e) },
			Schema:  func(frond, fact string) string { return schemaURI(h.Catalog().Fact(frond, fact)) },
		},
		Listening: func(url string) { fmt.Fprintln(os.Stderr, "nats listening on "+url) },
	})
	if h.publisher != nil && h.store.can.Outbox == nil {
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

// publish runs the ways out until the host is closed.
func (h *Host) publish() {
	if h.publisher == nil || h.options.Undecided {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstDiscovery)
	defer cancel()
	h.publisher.Start(ctx, h.store.can.Outbox, func(ctx context.Context, names []string, after facade.Position) (delivery.Reader, error) {
		h.feeds.mu.Lock()
		own := h.feeds.own
		h.feeds.mu.Unlock()
		if own == nil {
			return nil, &delivery.Unavailable{Reason: "nothing is announced here yet"}
		}
		return own.Subscribe(ctx, names, after)
	})
}
