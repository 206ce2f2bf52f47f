package subscriptions

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/resolvers"
)

// A live query is executed at most once in liveEvery. One whose answer has errors is executed
// again after a while without a change too, at first after liveAgain, at last in liveAtLast.
const (
	liveEvery  = 100 * time.Millisecond
	liveAgain  = time.Second
	liveAtLast = 5 * time.Minute
)

// liveMemory is about how much of the hub's memory an execution takes.
const liveMemory = 64 << 10

// live is a live query, one for all subscribers with equal answers. They pull: the first one
// that a change wakes executes the query for all, and a slow one is skipped. The query's reads
// are recorded, and their changes are followed.
type live struct {
	hub          *Hub
	subscription *resolvers.Subscription // the first one

	noticed atomic.Bool // a reader may have events

	mu      sync.Mutex
	members map[*Stream]struct{}
	busy    bool // somebody executes it, with mu unlocked
	// wanted counts the reasons to execute it, answered is the count at the beginning of the
	// last answer: a subscriber is given no answer that was begun before it came.
	wanted, answered int
	body             []byte
	version          int       // of body; 0: there is none
	err              error     // that ended it
	next             time.Time // it is not executed before
	again            time.Time // it is executed without a change; zero: it is not
	failures         int       // answers with errors, in a row
	timer            *time.Timer

	// The busy subscriber owns them, or else the holder of mu.
	readers  []Reader
	followed map[string]bool // the facts that readers read
	reads    *readset.Set    // of the last answer
}

// enter adds a subscriber.
func (l *live) enter(s *Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members[s] = struct{}{}
	l.wanted++
	s.since = l.wanted
}

// leave removes a subscriber, and reports whether it was the last.
func (l *live) leave(s *Stream) (last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.members, s)
	l.idle()
	return len(l.members) == 0
}

// keep keeps the answer for subscribers that take it later. It counts an answer of any size; if that
// leaves no memory, executions wait. The caller holds mu.
func (l *live) keep(body []byte) {
	l.hub.memory.Give(len(l.body))
	l.body = body
	l.hub.memory.Add(len(l.body))
}

// idle stops the timer and the readers of a live query without subscribers, and drops its answer. The caller holds mu.
func (l *live) idle() {
	if len(l.members) > 0 || l.busy {
		return
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.keep(nil)
	l.unfollow()
}

// answers returns the answer, where s does not have it yet.
func (l *live) answers(ctx context.Context, s *Stream) ([][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if l.answered >= s.since {
			switch {
			case l.err != nil:
				return nil, l.err
			case l.version != s.version:
				s.version = l.version
				return [][]byte{l.body}, nil
			}
		}
		if l.busy || !l.due(time.Now()) {
			return nil, nil
		}
		l.refresh(ctx)
	}
}

// due reports whether it may have changed, and may be executed now. Otherwise the subscribers
// are woken when it may. The caller holds mu.
func (l *live) due(now time.Time) bool {
	at := l.next
	if l.wanted == l.answered && !l.noticed.Load() {
		if l.again.IsZero() {
			return false
		}
		at = l.again
	}
	if !at.After(now) {
		return true
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(at.Sub(now), l.wake)
	} else {
		l.timer.Reset(at.Sub(now))
	}
	return false
}

// wake wakes every subscriber.
func (l *live) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.members {
		s.wake()
	}
}

// notice is called by readers that may have events.
func (l *live) notice() {
	if !l.noticed.Swap(true) {
		go l.wake() // a reader's feed waits for notice
	}
}

// refresh looks for changes and executes the query if it read a changed row. The caller holds
// mu, and is the only busy one.
func (l *live) refresh(ctx context.Context) {
	wanted, now := l.wanted, time.Now()
	execute := wanted > l.answered || !l.again.IsZero() && !l.again.After(now)
	l.busy = true
	l.mu.Unlock()
	// Others wait for this: it does not end with the connection of the first.
	ctx = context.WithoutCancel(ctx)
	var body []byte
	var failed, full bool
	touched, err := l.look(ctx)
	if err == nil && (execute || touched) {
		if err = l.hub.memory.Take(liveMemory); err != nil {
			full = true
		} else {
			body, failed, err = l.execute(ctx)
			l.hub.memory.Give(liveMemory)
		}
	}
	l.mu.Lock()
	l.busy = false
	l.next = time.Now().Add(liveEvery)
	switch {
	case full && l.version == 0: // nobody has an answer that could stay
		l.answered, l.err = wanted, err
	case err != nil && passing(err):
		l.wanted++
		l.next = time.Now().Add(time.Second)
	case err != nil:
		l.answered, l.err = wanted, err
	case body != nil:
		l.answered, l.err = wanted, nil
		l.scheduled(failed)
		if l.version == 0 || !bytes.Equal(body, l.body) {
			l.keep(body)
			l.version++
		}
	}
	for s := range l.members {
		s.wake()
	}
	l.idle()
}

// scheduled settles when an answer that has errors is tried again. The caller holds mu.
func (l *live) scheduled(failed bool) {
	l.again = time.Time{}
	if !failed {
		l.failures = 0
		return
	}
	l.again = time.Now().Add(min(liveAgain<<min(l.failures, 10), liveAtLast))
	l.failures++
}

// look reports whether an event is about something that was read.
func (l *live) look(ctx context.Context) (touched bool, err error) {
	if !l.noticed.Swap(false) {
		return false, nil
	}
	for _, r := range l.readers {
		for {
			events, _, err := r.Poll(ctx)
			if err != nil && !passing(err) { // some events are gone: it starts again
				l.unfollow()
				return true, nil
			}
			if err != nil {
				l.noticed.Store(true)
				return touched, err
			}
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				touched = touched || l.reads.Touched(e.Entity, e.Key)
			}
		}
	}
	return touched, nil
}

// execute executes the query, and once more if it read rows that were not followed before.
func (l *live) execute(ctx context.Context) (body []byte, failed bool, err error) {
	for {
		l.hub.queries.Add(1)
		var resp *resolvers.Response
		var reads *readset.Set
		l.hub.lane.do(ctx, l.subscription.Document(), func(ctx context.Context) { resp, reads = l.subscription.Query(ctx) })
		body, failed, status := bytes.Clone(resp.Body), resp.Failed || !resp.Executed, resp.Status
		resp.Release()
		if status == kiterror.ServiceUnavailable.Status() {
			return nil, false, kiterror.Errorf(kiterror.ServiceUnavailable, "the memory budget for results is used up; retry later")
		}
		if l.followed == nil {
			l.followed = map[string]bool{}
		}
		more, err := l.hub.options.Feed.Changes(ctx, reads, l.followed)
		if err != nil {
			return nil, false, err
		}
		l.reads = reads
		if len(more) == 0 {
			return body, failed, nil
		}
		l.readers = append(l.readers, more...)
		for _, r := range more {
			r.Notify(l.notice)
		}
		l.noticed.Store(true) // there may be something already
	}
}

// unfollow ends all readers.
func (l *live) unfollow() {
	for _, r := range l.readers {
		r.Close()
	}
	l.readers, l.followed = nil, nil
}
