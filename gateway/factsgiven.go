package gateway

import (
	"context"
	"net/http"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
)

// facts is what gives the events of a Frond to other hosts; nil where it announces nothing, or
// nothing here keeps what it does. The other host is trusted with every event, as it is with
// every call: it judges its own subscribers (docs/remotes.md). Closed fields do not leave.
func (h *Host) facts(frond *facade.Frond, verifier *signing.Verifier) http.Handler {
	feed := h.feed(frond)
	if feed == nil || len(frond.Facts) == 0 {
		return nil
	}
	var names []string
	for _, f := range frond.Facts {
		names = append(names, f.Name)
	}
	return envelope.NewFacts(&envelope.FactsOptions{
		Frond: frond.Name, Names: names, Log: h.outbox.Outbox, Verifier: verifier, Ending: h.streaming, Errors: h.log,
		Subscribe: func(ctx context.Context, names []string, after facade.Position) (envelope.EventReader, error) {
			r, err := feed.Subscribe(ctx, names, after)
			if err != nil {
				return nil, err // a nil reader is no nil interface
			}
			return r, nil
		},
		Outward: h.leaving,
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
