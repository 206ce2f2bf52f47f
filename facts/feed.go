package facts

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
)

// Now and Start are positions to subscribe from: after the last event at the call of
// [Feed.Subscribe], and before the oldest event in the log.
const (
	Now   facade.Position = -1
	Start facade.Position = 0
)

// Options of [New]; nil is fine.
type Options struct {
	// Log is where failures of the store are logged; nil: nowhere.
	Log *slog.Logger
	// Remote says that the log is another host's, whose Log may lag its Span.
	Remote bool
	// Observe is called with every event as it is read, by one goroutine; nil: events without
	// readers are not read.
	Observe func(*facade.Event)
	// Retention is how long an outbox keeps events; 0 or less: seven days.
	Retention time.Duration
}

// DefaultRetention is how long events are kept by default.
const DefaultRetention = 7 * 24 * time.Hour

// Feed is everybody's view of one log. Its methods may be called from many goroutines.
type Feed struct {
	log     facade.EventLog
	outbox  facade.Outbox // log, where this process may relay and trim; else nil
	options Options
	backlog *backlog
	stop    context.CancelFunc
	done    sync.WaitGroup
	kicked  chan struct{} // has one element when the first reader has come

	mu     sync.Mutex
	closed bool
	// While follows is set the window is kept at the end of the log; else it is empty and
	// unused.
	follows bool
	window  window
	// replaced counts how often the log was replaced by another one.
	replaced int
	readers  int
	topics   map[string]*topic
	byName   map[name][]*topic
	all      *topic // of readers of all names; nil: there are none
	woken    []*Reader
	status   Status
	spanned  time.Time // when Last has asked the log
}

// New relays and follows an outbox until Close.
func New(outbox facade.Outbox, opts *Options) *Feed { return begin(outbox, outbox, opts) }

// Follow follows a log that another process relays, until Close. It does not read the log while
// it has no readers.
func Follow(log facade.EventLog, opts *Options) *Feed { return begin(log, nil, opts) }

// begin is New, and without an outbox Follow.
func begin(log facade.EventLog, outbox facade.Outbox, opts *Options) *Feed {
	f := &Feed{log: log, outbox: outbox, kicked: make(chan struct{}, 1), topics: map[string]*topic{}, byName: map[name][]*topic{}}
	if opts != nil {
		f.options = *opts
	}
	if f.options.Log == nil {
		f.options.Log = slog.New(slog.DiscardHandler)
	}
	if f.options.Retention <= 0 {
		f.options.Retention = DefaultRetention
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	f.backlog = newBacklog(ctx, log, f.options.Remote)
	f.done.Go(func() { f.run(ctx) })
	f.done.Go(func() { f.sweep(ctx) })
	return f
}

// Close ends every reader and waits until the feed has stopped. The log stays open.
func (f *Feed) Close() {
	f.stop()
	f.done.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	for _, t := range f.topics {
		f.woken = t.wake(f.window.head, f.woken)
	}
	f.notify()
}

// Subscribe begins to read the events after a position, or from Now or Start on. names are
// facts as FROND.NAME, as their authors spell them; nil: all. The caller closes the reader.
//
// The error is a [facade.Resumable] one (VALIDATION_FAILED, GONE), errClosed, or the failure to
// reach a store; the reader is nil then, which an interface that holds it hides.
func (f *Feed) Subscribe(ctx context.Context, names []string, after facade.Position) (*Reader, error) {
	if r, err := f.join(names, after); r != nil || err != nil {
		return r, err
	}
	oldest, last, err := f.log.Span(ctx)
	if err != nil {
		return nil, err
	}
	switch after {
	case Start:
		after = oldest
	case Now:
		after = last
	default:
		if err := facade.Resumable(after, oldest, last); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errClosed
	}
	if !f.follows {
		f.follows = true
		f.window.reset(last)
	}
	return f.enter(names, after), nil
}

// join subscribes at a position that the window knows; nil, nil: the log has to be asked.
func (f *Feed) join(names []string, after facade.Position) (*Reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, errClosed
	case !f.follows:
		return nil, nil
	case after == Now && f.outbox == nil:
		// The log of an outbox is asked: an event committed here a moment ago is not new.
		return f.enter(names, f.window.head), nil
	case after >= f.window.low && after <= f.window.head:
		return f.enter(names, after), nil
	}
	return nil, nil
}

// enter adds a reader. f.mu is held.
func (f *Feed) enter(names []string, after facade.Position) *Reader {
	key, sorted := keyOf(names)
	t := f.topics[key]
	if t == nil {
		t = newTopic(key, sorted)
		f.topics[key] = t
		if t.set == nil {
			f.all = t
		}
		for n := range t.set {
			f.byName[n] = append(f.byName[n], t)
		}
	}
	t.readers++
	if f.readers++; f.readers == 1 {
		select {
		case f.kicked <- struct{}{}:
		default:
		}
	}
	return &Reader{feed: f, topic: t, at: after, log: f.replaced}
}

// leave removes a reader.
func (f *Feed) leave(r *Reader) {
	f.mu.Lock()
	if r.closed {
		f.mu.Unlock()
		return
	}
	r.at = r.position()
	r.closed = true
	t := r.topic
	if r.parked > 0 {
		t.unpark(r)
	}
	f.readers--
	if t.readers--; t.readers == 0 {
		f.drop(t)
	}
	wake := r.wake
	f.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// drop removes a topic without readers.
func (f *Feed) drop(t *topic) {
	delete(f.topics, t.key)
	if f.all == t {
		f.all = nil
	}
	for n := range t.set {
		rest := f.byName[n][:0]
		for _, other := range f.byName[n] {
			if other != t {
				rest = append(rest, other)
			}
		}
		if len(rest) == 0 {
			delete(f.byName, n)
		} else {
			f.byName[n] = rest
		}
	}
}

// publish adds the events read from the log and wakes their readers. f.mu is held; the readers
// are called by notify.
func (f *Feed) publish(events []*facade.Event, behind facade.Position) {
	f.window.push(events, behind)
	for _, e := range events {
		// No event between the old head and this one was of the topic.
		if f.all != nil {
			f.woken = f.all.wake(e.Position-1, f.woken)
		}
		for _, t := range f.byName[name{e.Frond, e.Name}] {
			f.woken = t.wake(e.Position-1, f.woken)
		}
	}
}

// notify calls the readers that publish has woken. f.mu is held, and is held again when
// notify returns.
func (f *Feed) notify() {
	woken := f.woken
	f.woken = nil
	calls := make([]func(), 0, len(woken))
	for _, r := range woken {
		if r.wake != nil {
			calls = append(calls, r.wake)
		}
	}
	f.mu.Unlock()
	for _, call := range calls {
		call()
	}
	f.mu.Lock()
	clear(woken)
	f.woken = woken[:0]
}
