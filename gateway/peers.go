package gateway

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// facts returns the source of a Frond's events for other hosts. It is nil if view (nil: everything) hides
// all facts of the Frond, or if its events do not come here. The other host is trusted with every event, as
// it is with every call: it judges its own subscribers (docs/remotes.md). Closed fields do not leave.
func (h *Host) facts(frond *catalog.Frond, view *catalog.Catalog, verifier *signing.Verifier) *envelope.Facts {
	var names []string
	for _, f := range frond.Facts {
		if view == nil || view.Announces(f) {
			names = append(names, f.Name)
		}
	}
	feed := h.feeds.of(frond)
	if feed == nil || len(names) == 0 {
		return nil
	}
	log, behind := facade.EventLog(h.store.can.Outbox), h.behind
	if frond.Remote != "" {
		remote := h.topology.Facts(frond.Name)
		log, behind = remote, remote.Behind
	}
	return envelope.NewFacts(&envelope.FactsOptions{
		Frond: frond.Name, Names: names, Log: log, Verifier: verifier, Ending: h.streaming, Errors: h.log,
		Subscribe: func(ctx context.Context, names []string, after facade.Position) (envelope.EventReader, error) {
			return feed.Subscribe(ctx, names, after)
		},
		Behind: behind, Outward: h.leaving,
	})
}

// besideCalls yields the paths of a receiver beside the path of calls, facts and files, with their
// handlers.
func besideCalls(h *Host, served *catalog.Catalog, caller facade.Caller, verifier *signing.Verifier) iter.Seq2[string, http.Handler] {
	return func(yield func(string, http.Handler) bool) {
		if facts := h.facts(served.Fronds[0], nil, verifier); facts != nil && !yield(envelope.FactsPath, facts) {
			return
		}
		if served.GivesFiles {
			yield(envelope.FilesPath, shownFiles{h.files.Load(), nil, h.budget, h.log, h.compiled.Load(), served}.given(caller, verifier))
		}
	}
}

// behind counts events of the host's own log.
func (h *Host) behind(ctx context.Context, after facade.Position, names []string) (events int, since time.Time, known bool, err error) {
	events, since, err = h.store.can.Outbox.Behind(ctx, after, names, "")
	return events, since, err == nil, err
}

// facts serves the events of every Frond that the envelope shows to everybody, to gateways
// whose keys it knows (docs/decisions/revealing-events.md).
func (g *generation) facts(view *catalog.Catalog) http.Handler {
	fronds := g.facade.Catalog().Fronds
	return envelope.FactsOf(g.host.verifier, func(name string) *envelope.Facts {
		at := slices.IndexFunc(fronds, func(f *catalog.Frond) bool { return f.Name == name })
		if at < 0 {
			return nil
		}
		return g.host.facts(fronds[at], view, nil)
	})
}

// leaving is an event as it leaves for another host: with the row before the change, by which
// that host finds for whom the row left.
func (h *Host) leaving(e *facade.Event) (*facade.Event, error) {
	f := h.compiled.Load()
	out, err := f.Outward(e)
	if err != nil || e.Before == nil {
		return out, err
	}
	was := *e
	was.Data = e.Before
	earlier, err := f.Outward(&was)
	if err != nil {
		return nil, err
	}
	out.Before = earlier.Data
	return out, nil
}
