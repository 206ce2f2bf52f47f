package publish

import (
	"context"
	"log/slog"
	"sync"

	"github.com/frondhost/frond/facts/delivery"
)

// Publisher is the webhooks and NATS of one gateway. A nil Publisher is empty.
type Publisher struct {
	shared bool // other processes may have the same store
	ways   []*way
	log    *slog.Logger

	stop context.CancelFunc
	done sync.WaitGroup
}

// way is one way out.
type way struct {
	consumer *delivery.Consumer
	run      func(context.Context, *delivery.Consumer) error
	problem  func() string // of its connection; nil: it has none
}

// Start runs every way out over a store until [Publisher.Close]. Those that are new begin with what
// is announced from now on; where the store does not answer before ctx is done, from when it does.
func (p *Publisher) Start(ctx context.Context, store delivery.Store, feed delivery.Feed) {
	if p == nil {
		return
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	for _, w := range p.ways {
		w.consumer.Store, w.consumer.Feed, w.consumer.Alone = store, feed, !p.shared
		if err := w.consumer.Register(ctx); err != nil {
			p.log.Warn("a way out begins when the store can be read", "to", w.consumer.Name, "error", err)
		}
		p.done.Go(func() {
			if err := w.run(running, w.consumer); err != nil && running.Err() == nil {
				w.consumer.Stats.Change(func(s *delivery.State) { s.Name, s.Problem, s.Stopped = w.consumer.Name, err.Error(), true })
				p.log.Error("a way out of facts has stopped", "to", w.consumer.Name, "error", err)
			}
		})
	}
}

// Close stops every way out; running deliveries have a few seconds to finish.
func (p *Publisher) Close() {
	if p != nil && p.stop != nil {
		p.stop()
		p.done.Wait()
	}
}

// Consumers are the webhooks and NATS.
func (p *Publisher) Consumers() (all []*delivery.Consumer) {
	if p == nil {
		return nil
	}
	for _, w := range p.ways {
		all = append(all, w.consumer)
	}
	return all
}

// States is the known state of each way out, by its name.
func (p *Publisher) States() (states []delivery.State) {
	if p == nil {
		return nil
	}
	for _, w := range p.ways {
		s := w.consumer.Stats.State()
		if s.Name = w.consumer.Name; !s.Stopped && w.problem != nil && w.problem() != "" {
			s.Problem = w.problem()
		}
		states = append(states, s)
	}
	return states
}
