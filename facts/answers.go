package facts

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
)

// Answers are kept this long for equal subscriptions that come to the same events a little
// later. After that time the rights of a subscriber are judged again.
const keepAnswers = time.Second

// maxAnswers bounds how many answers equal subscriptions keep, each with about answerSize bytes
// beside its text.
const (
	maxAnswers = 1024
	answerSize = 256
)

// Answers has subscribers with equal answers share them: an event is judged and encoded once for all
// of them. It may be used from many goroutines.
type Answers struct {
	memory            *budget.Budget
	evaluated, shared atomic.Int64

	mu     sync.Mutex
	groups map[any]*Group
}

// NewAnswers returns answers without subscribers. memory bounds the kept ones; it may be nil.
func NewAnswers(memory *budget.Budget) *Answers {
	return &Answers{memory: memory, groups: map[any]*Group{}}
}

// Counts returns how many events were answered, and how often an answer was another subscriber's.
func (a *Answers) Counts() (evaluated, shared int64) { return a.evaluated.Load(), a.shared.Load() }

// Respond answers events in their order, by calls of add. Events that do not exist for the subscriber
// have no answer. done is less than their number where the answers have become large. An error means
// that there is no answer for any of them, and that they may be tried again.
type Respond func(ctx context.Context, events []*facade.Event, add func(facade.Position, []byte)) (done int, err error)

// Join adds a subscriber to the group of those with an equal key, which must say everything that an
// answer depends on; nil: to a group of its own. respond is used where the subscriber is the first of
// its group. The caller closes the group with [Group.Leave], once.
func (a *Answers) Join(key any, respond Respond) *Group {
	if key == nil {
		g := &Group{answers: a, respond: respond}
		g.members.Store(1)
		return g
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.groups[key]
	if g == nil {
		g = &Group{answers: a, key: key, respond: respond}
		a.groups[key] = g
	}
	g.members.Add(1)
	return g
}

// Group is subscribers with equal answers.
type Group struct {
	answers *Answers
	key     any
	respond Respond // of the first one
	members atomic.Int64

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
	counted  int             // bytes that the memory counts for it
}

// run is one evaluation of new events.
type run struct {
	done chan struct{}
	err  error
}

// Leave takes a subscriber from the group.
func (g *Group) Leave() {
	g.answers.mu.Lock()
	defer g.answers.mu.Unlock()
	if g.members.Add(-1) == 0 && g.answers.groups[g.key] == g {
		delete(g.answers.groups, g.key)
	}
}

// To returns the responses to the first events, in their order, without those that do not exist
// for the subscribers, the positions of the events with a response, and how many events were
// evaluated. The first subscriber to reach an event evaluates it; the others wait.
func (g *Group) To(ctx context.Context, events []*facade.Event) (list [][]byte, at []facade.Position, done int, err error) {
	if g.members.Load() == 1 {
		all := make([]*answer, len(events))
		for i := range all {
			all[i] = &answer{}
		}
		if err := g.evaluate(ctx, events, all); err != nil {
			return nil, nil, 0, err
		}
		list, at, done = bodies(events, all)
		return list, at, done, nil
	}
	all := make([]*answer, len(events))
	var mine []*answer
	var missing []*facade.Event
	var own *run
	g.mu.Lock()
	for i, e := range events {
		if all[i] = g.kept[e.Position]; all[i] != nil {
			continue
		}
		if mine == nil {
			own = &run{done: make(chan struct{})}
			if g.kept == nil {
				g.kept = map[facade.Position]*answer{}
			}
		}
		all[i] = &answer{run: own, position: e.Position, until: time.Now().Add(keepAnswers)}
		g.keep(all[i])
		mine, missing = append(mine, all[i]), append(missing, e)
	}
	g.mu.Unlock()
	g.answers.shared.Add(int64(len(events) - len(missing)))
	if mine != nil {
		// Others wait for this: it does not end with the connection of the first.
		own.err = g.evaluate(context.WithoutCancel(ctx), missing, mine)
		g.settle(mine, own.err)
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
// and how many answers come before the first skipped one.
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
func (g *Group) evaluate(ctx context.Context, events []*facade.Event, into []*answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kiterror.Panicked(p)
		}
	}()
	at := 0
	done, err := g.respond(ctx, events, func(position facade.Position, body []byte) {
		for events[at].Position != position {
			at++
		}
		into[at].body = body
		at++
	})
	if err != nil {
		return err
	}
	for _, a := range into[done:] {
		a.skipped = true
	}
	g.answers.evaluated.Add(int64(done))
	return nil
}

// keep keeps an answer for a while. The caller holds g.mu.
func (g *Group) keep(a *answer) {
	g.kept[a.position] = a
	g.order = append(g.order, a)
	for len(g.order) > maxAnswers {
		g.drop()
	}
	if g.timer == nil {
		g.timer = time.AfterFunc(keepAnswers, g.sweep)
	}
}

// drop drops the oldest answer. The caller holds g.mu.
func (g *Group) drop() {
	a := g.order[0]
	g.order = g.order[1:]
	g.forget(a)
}

// forget has the next reader of an event evaluate it again. The caller holds g.mu.
func (g *Group) forget(a *answer) {
	g.answers.memory.Give(a.counted)
	if a.counted = 0; g.kept[a.position] == a {
		delete(g.kept, a.position)
	}
}

// sweep drops answers after their time.
func (g *Group) sweep() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for len(g.order) > 0 && !g.order[0].until.After(now) {
		g.drop()
	}
	if len(g.order) == 0 {
		g.kept, g.order, g.timer = nil, nil, nil
		return
	}
	g.timer.Reset(g.order[0].until.Sub(now))
}

// settle counts the answers of a run. Those that failed or were left out,
// and those that there is no memory for, are not kept.
func (g *Group) settle(mine []*answer, failed error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range mine {
		switch n := answerSize + len(a.body); {
		case g.kept[a.position] != a: // it was dropped meanwhile
		case failed == nil && !a.skipped && g.answers.memory.Take(n) == nil:
			a.counted = n
		default:
			g.forget(a)
		}
	}
}
