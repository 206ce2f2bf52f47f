package subscriptions

import (
	"context"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
)

// Answers are kept this long for equal subscriptions that come to the same events a little
// later, and no longer: what a subscriber may see is judged anew then.
const keepAnswers = time.Second

// maxAnswers bounds how many answers equal subscriptions keep.
const maxAnswers = 1024

// shared is what subscriptions with equal answers have in common.
type shared struct {
	hub          *Hub
	subscription *resolvers.Subscription // the first one: all of them answer alike
	members      int                     // guarded by the hub's mutex

	mu    sync.Mutex
	kept  map[facade.Position]*answer
	order []keptAnswer // oldest first
	timer *time.Timer  // forgets answers; nil: there are none
}

type keptAnswer struct {
	position facade.Position
	until    time.Time
}

// answer is the response to one event. It is complete when its run is done.
type answer struct {
	run  *run
	body []byte // nil: the event does not exist for the subscribers
}

// run is one evaluation of events that nobody had evaluated.
type run struct {
	done chan struct{}
	err  error
}

// alone reports whether nobody would share an answer.
func (s *shared) alone() bool {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.members == 1
}

// answers returns the responses to events, in their order, without those that do not exist for
// the subscribers, and the positions of the events. Each is evaluated by the first who comes to it;
// the others wait.
func (s *shared) answers(ctx context.Context, events []*facade.Event) ([][]byte, []facade.Position, error) {
	if s.alone() {
		all := make([]*answer, len(events))
		for i := range all {
			all[i] = &answer{}
		}
		if err := s.evaluate(ctx, events, all); err != nil {
			return nil, nil, err
		}
		return bodies(events, all)
	}
	all := make([]*answer, len(events))
	var mine []*answer
	var missing []*facade.Event
	own := &run{}
	s.mu.Lock()
	for i, e := range events {
		if all[i] = s.kept[e.Position]; all[i] != nil {
			continue
		}
		if mine == nil {
			own.done = make(chan struct{})
			if s.kept == nil {
				s.kept = map[facade.Position]*answer{}
			}
		}
		all[i] = &answer{run: own}
		s.keep(e.Position, all[i])
		mine, missing = append(mine, all[i]), append(missing, e)
	}
	s.mu.Unlock()
	s.hub.count(0, len(events)-len(missing))
	if mine != nil {
		// Others wait for this: it does not end with the connection of the first.
		if own.err = s.evaluate(context.WithoutCancel(ctx), missing, mine); own.err != nil {
			s.forget(missing, mine)
		}
		close(own.done)
	}
	var last *run // most answers are of one run
	for _, a := range all {
		if a.run == last {
			continue
		}
		last = a.run
		select {
		case <-a.run.done:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
		if a.run.err != nil {
			return nil, nil, a.run.err
		}
	}
	return bodies(events, all)
}

// bodies are the responses among answers to events.
func bodies(events []*facade.Event, all []*answer) (list [][]byte, at []facade.Position, _ error) {
	list, at = make([][]byte, 0, len(all)), make([]facade.Position, 0, len(all))
	for i, a := range all {
		if a.body != nil {
			list, at = append(list, a.body), append(at, events[i].Position)
		}
	}
	return list, at, nil
}

// evaluate executes the subscription for events and fills in their answers.
func (s *shared) evaluate(ctx context.Context, events []*facade.Event, into []*answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = facade.Panicked(p)
		}
	}()
	s.hub.count(len(events), 0)
	answers, err := s.subscription.Respond(ctx, events)
	if err != nil {
		return err
	}
	at := 0
	for _, a := range answers {
		for events[at].Position != a.Position {
			at++
		}
		into[at].body = a.Body
		at++
	}
	return nil
}

// keep keeps an answer for a while. The caller holds s.mu.
func (s *shared) keep(at facade.Position, a *answer) {
	s.kept[at] = a
	s.order = append(s.order, keptAnswer{at, time.Now().Add(keepAnswers)})
	if len(s.order) > maxAnswers {
		delete(s.kept, s.order[0].position)
		s.order = s.order[1:]
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(keepAnswers, s.sweep)
	}
}

// sweep drops what was kept long enough.
func (s *shared) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.order) > 0 && !s.order[0].until.After(now) {
		delete(s.kept, s.order[0].position)
		s.order = s.order[1:]
	}
	if len(s.order) == 0 {
		s.kept, s.order, s.timer = nil, nil, nil
		return
	}
	s.timer.Reset(s.order[0].until.Sub(now))
}

// forget drops answers whose evaluation failed, so that the next who comes tries again.
func (s *shared) forget(events []*facade.Event, failed []*answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range events {
		if s.kept[e.Position] == failed[i] {
			delete(s.kept, e.Position)
		}
	}
}

func (h *Hub) count(evaluated, shared int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.numbers.Evaluated += int64(evaluated)
	h.numbers.Shared += int64(shared)
}
