package topology

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// Discover asks every host once for its catalog, in parallel, and returns when all have
// answered or failed, or the time is over. A failure is kept for [Topology.Remotes] and
// logged; it is no error here, since a gateway starts without its remotes.
func (t *Topology) Discover(ctx context.Context, within time.Duration) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var all sync.WaitGroup
	for _, h := range t.hosts {
		all.Go(func() { t.discover(ctx, h) })
	}
	all.Wait()
}

// discover reads the discovery document of a host, and reports whether it differs from the last
// one. After an unusable document the last one stays.
//
// The steps, each with the failure that it ends in:
//
//	client.Discover   the client's: unreachable, timeout, too large
//	ReadDiscovery     BAD_GATEWAY: it is no discovery document
//	hosts             BAD_GATEWAY: a configured Frond does not run there
//	usable            BAD_GATEWAY: a Frond without cards here breaks a rule of this gateway
func (t *Topology) discover(ctx context.Context, h *host) (changed bool) {
	text, err := h.client.Discover(ctx)
	var discovery *schema.Discovery
	if err == nil {
		if discovery, err = schema.ReadDiscovery(text); err != nil {
			err = kiterror.Errorf(kiterror.BadGateway, "the discovery document of %s cannot be used: %w", h.url, err)
		}
	}
	if err == nil {
		err = h.hosts(discovery)
	}
	if err == nil {
		err = h.usable(discovery) //nolint:contextcheck // compiling a project waits for nothing
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		failed := kiterror.AsError(err)
		// The same failure is logged once, and not at all while the gateway shuts down.
		if ctx.Err() == nil && (h.failed == nil || h.failed.Message != failed.Message) {
			t.log.Warn("a remote could not be discovered", "fronds", h.fronds, "url", h.url, "code", failed.Code, "error", causeOf(failed))
		}
		h.failed = failed
		return false
	}
	if h.failed != nil || h.discovery == nil {
		t.log.Info("a remote is known", "fronds", h.fronds, "url", h.url)
		if discovery.IgnoresState && t.unsigned {
			t.log.Warn("every caller of this gateway is anonymous at a remote, which is a gateway with users of its own; set signing.key here and signing.keys there", "fronds", h.fronds, "url", h.url)
		}
	}
	// The text is compared by its hash: a document that only reorders its members counts as
	// changed, which costs one compilation and no more.
	hash := sha256.Sum256(text)
	changed = h.discovery == nil || hash != h.hash
	h.discovery, h.hash, h.asked, h.failed = discovery, hash, time.Now(), nil
	return changed
}

// hosts reports that a host lacks a Frond that the settings place there.
func (h *host) hosts(discovery *schema.Discovery) error {
	var names []string
	for i := range discovery.Fronds {
		names = append(names, discovery.Fronds[i].Name)
	}
	for _, frond := range h.fronds {
		if !slices.Contains(names, frond) {
			there := "it hosts " + strings.Join(names, ", ")
			if len(names) == 0 {
				there = "it hosts none"
			}
			return kiterror.Errorf(kiterror.BadGateway, "%s does not host %s; %s", h.url, frond, there)
		}
	}
	return nil
}

// usable reports that the Frond a host serves, which has no cards here, cannot be used. The
// whole document is ignored then; Fronds with cards are served all the same.
func (h *host) usable(discovery *schema.Discovery) error {
	for i := range discovery.Fronds {
		f := &discovery.Fronds[i]
		if !slices.Contains(h.cardless, f.Name) {
			continue
		}
		if err := compile.Usable(f, "rpc.discover of "+h.url); err != nil {
			return kiterror.Errorf(kiterror.BadGateway, "what %s serves as %s cannot be used: %w", h.url, f.Name, err)
		}
	}
	return nil
}

// causeOf is the text of a failure for the log, its cause included.
func causeOf(e *kiterror.Error) string {
	// A cause that only repeats the message is skipped.
	for cause := errors.Unwrap(e); cause != nil; cause = errors.Unwrap(cause) {
		if text := cause.Error(); text != "" && text != e.Message {
			return e.Message + ": " + text
		}
	}
	return e.Message
}

// Watch discovers every host again and again until [Topology.Close], and calls changed, one
// call at a time, when one of them serves something else than before. It returns at once; that
// ctx is done ends it, too.
//
// One goroutine per host waits and asks; one more calls changed, so that a slow compilation
// delays no discovery and two compilations never run at once.
func (t *Topology) Watch(ctx context.Context, changed func()) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	t.stop = cancel
	changes := make(chan struct{}, 1)
	for _, h := range t.hosts {
		t.stopped.Go(func() {
			wait := t.next(h, 0)
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(wait):
				}
				if t.discover(ctx, h) {
					select {
					// The channel holds one signal. A change that comes while changed runs is
					// not lost: it is read after it.
					case changes <- struct{}{}:
					default: // one is waiting already
					}
				}
				wait = t.next(h, wait)
			}
		})
	}
	t.stopped.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-changes:
				changed()
			}
		}
	})
}

// next is how long to wait before the next discovery of a host, after a wait. A host that
// answers is asked again after refresh, less up to a tenth. One that fails, or is refused, is
// asked after twice its last wait, at least retry and at most refresh: 0.25 s, 0.5 s, 1 s …
// from the start (docs/decisions/remotes.md).
func (t *Topology) next(h *host, wait time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A refused host is asked sooner: a name may have become free.
	refused := slices.Contains(slices.Collect(maps.Values(h.refused)), true)
	if h.failed == nil && h.discovery != nil && !refused {
		return t.refresh - time.Duration(rand.Int64N(int64(t.refresh/10))) // spread over time, for many gateways
	}
	return min(max(2*wait, t.retry), t.refresh)
}

// unusable returns why a host's Frond cannot be used, without its address or
// other details for the log; "": it can be, or the log alone has why. The caller
// holds h.mu.
func (h *host) unusable(frond string) string {
	var over schema.OverLimit
	switch {
	case h.failed != nil && errors.As(error(h.failed), &over):
		return string(over)
	case h.refused[frond]:
		return "it claims a name that is taken here"
	}
	return ""
}

// known is a host's Frond by its discovery; nil: it has not been discovered, or is refused. The
// result points into a document that is replaced as a whole and never changed.
func (h *host) known(frond string) *schema.DiscoveredFrond {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.discovery != nil && !h.refused[frond] {
		for i := range h.discovery.Fronds {
			if h.discovery.Fronds[i].Name == frond {
				return &h.discovery.Fronds[i]
			}
		}
	}
	return nil
}
