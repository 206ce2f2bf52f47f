package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
)

// Store keeps the position of a consumer and the events it could not deliver.
type Store interface {
	facade.Transactor
	facade.EventLog
	facade.Cursors
	facade.DeadLetters
}

// Reader reads events in the order of their positions.
type Reader interface {
	// Next waits for the next events, oldest first; behind is the position to resume from. An
	// error other than ctx's ends the reader.
	Next(ctx context.Context) (events []*facade.Event, behind facade.Position, err error)
	Close()
}

// Feed opens readers of some facts, as FROND.NAME, after a position.
type Feed func(ctx context.Context, names []string, after facade.Position) (Reader, error)

// Consumer delivers the events of some facts to one receiver.
type Consumer struct {
	// Name is the name of its cursor and of its dead letters: webhook:billing.
	Name string
	// Facts are the facts that it is sent, as FROND.NAME.
	Facts []string
	Store Store
	// Remote returns the log of another host to read; nil: the log is Store's.
	Remote func() (facade.EventLog, error)
	Feed   Feed
	// Alone says that no other process uses the store: there is no lease to wait for.
	Alone bool
	// Retention is how long the log keeps events; 0: for longer than a consumer is idle.
	Retention time.Duration
	Log       *slog.Logger
	Stats     Stats

	crept time.Time // when the cursor last had only events of other facts after it
}

// How long a process waits in the states of [Consumer.Run].
const (
	idleTime   = 10 * time.Second // until a lease without work is given back
	glanceTime = 30 * time.Second // between looks at events to be retried, while idle
	creepTime  = 10 * time.Minute // between moves of a cursor over events of other facts, at most
	leastCreep = 500 * time.Millisecond
	maxRest    = 30 * time.Second // after a failure of the store
)

// errIdle ends a session without work.
var errIdle = errors.New("no events are left to deliver")

// Stop is an error of deliver that does not end by itself: Run returns it.
type Stop struct{ Reason string }

// Error is the reason.
func (s *Stop) Error() string { return s.Reason }

// Unavailable is an error of deliver whose reason is shown while Run waits and tries again: the
// receiver cannot be reached. The reason has no secrets.
type Unavailable struct {
	Reason string
	Err    error // nil: no details
}

// Error is the reason.
func (u *Unavailable) Error() string { return u.Reason }

// Unwrap is the cause.
func (u *Unavailable) Unwrap() error { return u.Err }

// Retrying is the name under which events of a consumer are kept in the store that failed and are
// tried again. `frond facts replay` moves dead letters there.
func Retrying(consumer string) string { return consumer + ":retry" }

// Read reads the events of the consumer's facts as [facade.EventLog] does.
func (c *Consumer) Read(ctx context.Context, after facade.Position, limit int) (events []*facade.Event, behind facade.Position, err error) {
	log, err := c.log()
	if err != nil {
		return nil, after, err
	}
	return log.Log(ctx, after, c.Facts, limit)
}

// Span returns the positions that the consumer's log holds, as [facade.EventLog] does.
func (c *Consumer) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	log, err := c.log()
	if err != nil {
		return 0, 0, err
	}
	return log.Span(ctx)
}

// log is the log that is read.
func (c *Consumer) log() (facade.EventLog, error) {
	if c.Remote == nil {
		return c.Store, nil
	}
	return c.Remote()
}

// maxMeasured is how many events of a way out that is stuck are counted.
const maxMeasured = 500

// measure counts the waiting events of a stuck consumer, which reads no events itself.
func (c *Consumer) measure(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	events, _, err := c.Read(ctx, c.Stats.State().Cursor, maxMeasured)
	if err != nil || len(events) == 0 {
		return // the reason is logged where it matters
	}
	c.Stats.Change(func(s *State) { s.Waiting, s.Oldest = len(events), events[0].At })
}

// Run delivers until ctx is done: the error is then ctx's, or the [Stop] that deliver has returned
// before. It calls deliver whenever this process is the one to deliver and there is something to deliver.
// deliver returns when its context is done; after another error it is called again, from the stored
// cursor.
//
// A consumer without a cursor begins with the events after its first start.
func (c *Consumer) Run(ctx context.Context, deliver func(context.Context, *Session) error) error {
	c.Stats.Change(func(s *State) { s.Name = c.Name })
	lease := newLease(c.Store, c.Name)
	rest, said := time.Duration(0), ""
	for {
		err := c.turn(ctx, lease, deliver)
		problem := "the store does not answer; the log has the reason"
		if u := (*Unavailable)(nil); errors.As(err, &u) {
			problem = u.Reason
		}
		var stop *Stop
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &stop):
			c.Stats.Change(func(s *State) { s.Problem, s.Stopped = stop.Reason, true })
			for ctx.Err() == nil {
				c.measure(ctx)
				facade.Pause(ctx, maxRest)
			}
			return err
		case err == nil || errors.Is(err, errIdle) || errors.Is(err, ErrLost):
			rest, said = 0, ""
			c.Stats.Change(func(s *State) { s.Problem, s.Waiting, s.Oldest = "", 0, time.Time{} })
			continue
		}
		rest = min(maxRest, max(2*rest, 250*time.Millisecond))
		level := slog.LevelDebug // one line for each problem, however often it is tried again
		if problem != said {
			level, said = slog.LevelWarn, problem
		}
		c.Log.Log(ctx, level, "facts are not delivered for now", "to", c.Name, "again", rest.String(), "error", err)
		c.Stats.Change(func(s *State) { s.Problem = problem })
		c.measure(ctx)
		if !facade.Pause(ctx, rest/2+rand.N(rest/2+1)) {
			return ctx.Err()
		}
	}
}

// Register writes the cursor of a new consumer, so that it receives every event from now on.
// Run does so too, once its goroutine starts.
func (c *Consumer) Register(ctx context.Context) error {
	_, err := c.begin(ctx)
	if errors.Is(err, ErrLost) { // another process has
		return nil
	}
	return err
}

// turn waits for work and for the lease, and delivers until all work is done.
func (c *Consumer) turn(ctx context.Context, lease *lease, deliver func(context.Context, *Session) error) error {
	cursor, err := c.begin(ctx)
	if err != nil {
		return err
	}
	c.Stats.Change(func(s *State) { s.Cursor = cursor })
	isWork, err := c.wait(ctx, cursor)
	if err != nil {
		return err
	}
	if !isWork {
		deliver = func(context.Context, *Session) error { return errIdle }
	}
	if c.Alone {
		return c.deliver(ctx, cursor, deliver)
	}
	if held, err := lease.Take(ctx); err != nil || !held {
		facade.Pause(ctx, leaseTime/3)
		return err
	}
	// The holder before may have moved it between the two reads.
	if cursor, err = c.begin(ctx); err != nil {
		return errors.Join(err, lease.Release(ctx))
	}
	within, end := context.WithCancelCause(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		lease.keep(within, c.Log, end)
	}()
	err = c.deliver(within, cursor, deliver)
	if cause := context.Cause(within); cause != nil {
		err = cmp.Or(cause, err)
	}
	end(nil)
	<-kept
	if lease.held && !errors.Is(err, ErrLost) {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if failed := lease.Release(last); failed != nil {
			c.Log.Debug("the lease of a way out was not given back; it ends by itself", "to", c.Name, "error", failed)
		}
	}
	return err
}

// deliver is one session, over a reader.
func (c *Consumer) deliver(ctx context.Context, cursor facade.Position, deliver func(context.Context, *Session) error) error {
	c.Stats.Change(func(s *State) { s.Delivers, s.Problem, s.Cursor = true, "", cursor })
	defer c.Stats.Change(func(s *State) { s.Delivers, s.Waiting, s.Retrying, s.Oldest = false, 0, 0, time.Time{} })
	reader, err := c.Feed(ctx, c.Facts, cursor)
	if err != nil {
		return err
	}
	defer reader.Close()
	session := &Session{consumer: c, reader: reader, cursor: cursor}
	if err = deliver(ctx, session); errors.Is(err, errIdle) {
		err = cmp.Or(session.creep(ctx), err)
	}
	return err
}

// begin is the cursor. At the first start it is the end of the log. It is the oldest position
// left if the log has been trimmed since, or is another log, as after a rebuild of the remote.
func (c *Consumer) begin(ctx context.Context) (facade.Position, error) {
	at, known, err := c.Store.Cursor(ctx, c.Name)
	if err != nil {
		return 0, err
	}
	oldest, last, err := c.Span(ctx)
	if err != nil {
		return 0, err
	}
	to := last
	if known {
		lost := facade.Resumable(at, oldest, last)
		if lost == nil {
			return at, nil
		}
		to = oldest
		c.Log.Error("a way out cannot go on where it was and begins with the oldest event that is kept; events between have not been delivered", "to", c.Name, "error", lost)
	}
	moved, err := c.Store.Advance(ctx, c.Name, at, to)
	if err == nil && !moved {
		err = ErrLost // another process began at the same time
	}
	return to, err
}

// creepEvery is the interval at which an idle consumer looks for events of other facts after
// its cursor: well before they are removed, which would leave the cursor at a position that the
// log does not know.
func (c *Consumer) creepEvery() time.Duration {
	if c.Retention <= 0 {
		return creepTime
	}
	return min(creepTime, max(leastCreep, c.Retention/4))
}

// wait returns when there are events after the cursor, or to be retried. isWork is false if
// they are events of other facts alone, so that the cursor has to be moved.
func (c *Consumer) wait(ctx context.Context, cursor facade.Position) (isWork bool, err error) {
	reader, err := c.Feed(ctx, c.Facts, cursor)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	for {
		failed, err := c.Store.Dead(ctx, Retrying(c.Name), 1)
		if err != nil || len(failed) > 0 {
			return true, err
		}
		if time.Since(c.crept) >= c.creepEvery() {
			events, behind, err := c.Read(ctx, cursor, 1)
			if err != nil || len(events) > 0 || behind > cursor {
				return len(events) > 0, err
			}
			c.crept = time.Now()
		}
		glance, cancel := context.WithTimeout(ctx, min(glanceTime, c.creepEvery()))
		_, _, err = reader.Next(glance)
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return true, cmp.Or(ctx.Err(), err)
		}
	}
}

// Session is one stretch of deliveries, while this process holds the lease. Its methods are
// called by one goroutine at a time, except Next, which may run together with the others.
type Session struct {
	consumer *Consumer
	reader   Reader
	cursor   facade.Position
}

// Next waits for the next events, oldest first, and returns the position of the last.
func (s *Session) Next(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	return s.reader.Next(ctx)
}

// Cursor is the last saved position.
func (s *Session) Cursor() facade.Position { return s.cursor }

// creep moves the cursor over events of other facts. Without it the cursor of a rare fact would
// be left before the oldest event in the log.
func (s *Session) creep(ctx context.Context) error {
	c := s.consumer
	events, behind, err := c.Read(ctx, s.cursor, 1)
	if err != nil || len(events) > 0 {
		return err
	}
	c.crept = time.Now()
	return s.Save(ctx, max(s.cursor, behind))
}

// Idle is the error with which deliver ends a session without work for [Session.IdleTime].
func (s *Session) Idle() error { return errIdle }

// IdleTime is how long a session without work goes on.
func (s *Session) IdleTime() time.Duration { return idleTime }

// Within is Save in the transaction of ctx. The caller calls [Session.Moved] when that is
// committed.
func (s *Session) Within(ctx context.Context, to facade.Position) error {
	moved, err := s.consumer.Store.Advance(ctx, s.consumer.Name, s.cursor, to)
	if err == nil && !moved {
		err = ErrLost
	}
	return err
}

// Moved notes that the cursor is at a position.
func (s *Session) Moved(to facade.Position) {
	s.cursor = to
	s.consumer.Stats.Change(func(state *State) { state.Cursor = to })
}

// Save stores that everything up to a position is delivered or kept in the store. The error of
// a cursor that somebody else has moved, as a replay does, ends the session.
func (s *Session) Save(ctx context.Context, to facade.Position) error {
	if to == s.cursor {
		return nil
	}
	if err := s.Within(ctx, to); err != nil {
		return fmt.Errorf("the position cannot be saved: %w", err)
	}
	s.Moved(to)
	return nil
}

// State is the state of a consumer in this process. Its counters begin with the process.
type State struct {
	// Name is the name of the consumer: webhook:billing.
	Name string
	// Delivers says that this process delivers the events.
	Delivers bool
	// Delivered, Failed and Dead count accepted events, failed attempts, and events without a
	// further attempt.
	Delivered, Failed, Dead uint64
	// Waiting counts events that were read but not delivered, and Retrying those of them that
	// failed at least once, or wait for one that did.
	Waiting, Retrying int
	// Uncounted says that the number of waiting events is unknown.
	Uncounted bool
	// Oldest is when the first waiting event was emitted, or zero.
	Oldest time.Time
	// Cursor is where the way out goes on after a restart.
	Cursor facade.Position
	// Problem says why no events are delivered, in a sentence without secrets; "": there is no
	// problem.
	Problem string
	// Stopped says that Problem does not end by itself.
	Stopped bool
}

// Stats is a [State] that its owner changes and others read.
type Stats struct {
	mu    sync.Mutex
	state State
}

// Change changes the state.
func (s *Stats) Change(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// State is a copy of the state.
func (s *Stats) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Lag is how long the first waiting event has been waiting.
func (s *State) Lag() time.Duration {
	if s.Oldest.IsZero() {
		return 0
	}
	return max(0, time.Since(s.Oldest))
}
