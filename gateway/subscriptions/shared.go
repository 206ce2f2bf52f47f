package subscriptions

import (
	"context"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
)

// Answers are kept this long for equal subscriptions that come to the same events a little
// later, and no longer: what a subscriber may see is judged anew then.
const keepAnswers = time.Second

// maxAnswers bounds how many answers equal subscriptions keep, each with about answerSize bytes
// beside its text.
const (
	maxAnswers = 1024
	answerSize = 256
)

// shared is what subscriptions with equal answers have in common.
type shared struct {
	hub          *Hub
	subscription *resolvers.Subscription // the first one: all of them answer alike
	members      int                     // guarded by the hub's mutex

	mu    sync.Mutex
	kept  map[facade.Position]*answer
	order []*answer   // oldest first; some are forgotten
	timer *time.Timer // forgets answers; nil: there are none
}

// answer is the response to one event. It is complete when its run is done.
type answer struct {
	run     *run
	body    []byte // nil: the event does not exist for the subscribers
	skipped bool   // it was not evaluated, because those before it are large

	position facade.Position // of the event
	until    time.Time       // it is kept
	counted  int             // bytes that the hub counts for it
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

// answers returns the responses to the first events, in their order, without those that do not exist
// for the subscribers, the positions of the events with a response, and how many events were
// evaluated. Each is evaluated by the first who comes to it; the others wait.
func (s *shared) answers(ctx context.Context, events []*facade.Event) (list [][]byte, at []facade.Position, done int, err error) {
	if s.alone() {
		all := make([]*answer, len(events))
		for i := range all {
			all[i] = &answer{}
		}
		if err := s.evaluate(ctx, events, all); err != nil {
			return nil, nil, 0, err
		}
		list, at, done = bodies(events, all)
		return list, at, done, nil
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
		all[i] = &answer{run: own, position: e.Position, until: time.Now().Add(keepAnswers)}
		s.keep(all[i])
		mine, missing = append(mine, all[i]), append(missing, e)
	}
	s.mu.Unlock()
	s.hub.count(0, len(events)-len(missing))
	if mine != nil {
		// Others wait for this: it does not end with the connection of the first.
		own.err = s.evaluate(context.WithoutCancel(ctx), missing, mine)
		s.settle(mine, own.err)
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
			return nil, nil, 0, context.Cause(ctx)
		}
		if a.run.err != nil {
			return nil, nil, 0, a.run.err
		}
	}
	list, at, done = bodies(events, all)
	return list, at, done, nil
}

// bodies returns the responses among answers to events, the positions of the events that have one,
// and how many answers stand before the first that was skipped.
func bodies(events []*facade.Event, all []*answer) (list [][]byte, at []facade.Position, done int) {
	list, at = make([][]byte, 0, len(all)), make([]facade.Position, 0, len(all))
	for ; done < len(all) && !all[done].skipped; done++ {
		if body := all[done].body; body != nil {
			list, at = append(list, body), append(at, events[done].Position)
		}
	}
	return list, at, done
}

// evaluate executes the subscription for events and fills in their answers.
func (s *shared) evaluate(ctx context.Context, events []*facade.Event, into []*answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kiterror.Panicked(p)
		}
	}()
	answers, done, err := s.subscription.Respond(ctx, events)
	if err != nil {
		return err
	}
	for _, a := range into[done:] {
		a.skipped = true
	}
	at := 0
	for _, a := range answers {
		for events[at].Position != a.Position {
			at++
		}
		into[at].body = a.Body
		at++
	}
	s.hub.count(done, 0)
	return nil
}

// keep keeps an answer for a while. The caller holds s.mu.
func (s *shared) keep(a *answer) {
	s.kept[a.position] = a
	s.order = append(s.order, a)
	for len(s.order) > maxAnswers {
		s.drop()
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(keepAnswers, s.sweep)
	}
}

// drop drops the answer that was kept first. The caller holds s.mu.
func (s *shared) drop() {
	a := s.order[0]
	s.order = s.order[1:]
	s.forget(a)
}

// forget has the next who comes to an event evaluate it again. The caller holds s.mu.
func (s *shared) forget(a *answer) {
	s.hub.answers.Give(a.counted)
	if a.counted = 0; s.kept[a.position] == a {
		delete(s.kept, a.position)
	}
}

// sweep drops what was kept long enough.
func (s *shared) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.order) > 0 && !s.order[0].until.After(now) {
		s.drop()
	}
	if len(s.order) == 0 {
		s.kept, s.order, s.timer = nil, nil, nil
		return
	}
	s.timer.Reset(s.order[0].until.Sub(now))
}

// settle counts the answers of a run among what the hub holds. Those that failed or were left out,
// and those that there is no memory for, are not kept.
func (s *shared) settle(mine []*answer, failed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range mine {
		switch n := answerSize + len(a.body); {
		case s.kept[a.position] != a: // it was dropped meanwhile
		case failed == nil && !a.skipped && s.hub.answers.Take(n) == nil:
			a.counted = n
		default:
			s.forget(a)
		}
	}
}

func (h *Hub) count(evaluated, shared int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.numbers.Evaluated += int64(evaluated)
	h.numbers.Shared += int64(shared)
}
