package publish

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
)

// Bounds of a session.
const (
	maxFresh   = 1024   // read and not tried yet; beyond it no more events are read
	maxKept    = 10_000 // kept in the store, and in memory, to be tried again; as above
	manyFailed = 3      // attempts in a row, after which there is one at a time
	saveEvery  = 250 * time.Millisecond
	lookEvery  = 30 * time.Second // for events that were revived from the dead
	graceTime  = 5 * time.Second  // for requests under way when the process stops
)

// dispatcher is one session of a webhook: it reads events, keeps the order of keys, and
// schedules requests. All of its state belongs to the goroutine of run; requests and reads are
// made by others.
//
//	reader ──batch──▶ lanes ──next──▶ post ──result──▶ settle | retry
//	                  window: the cursor, behind everything that is done with
type dispatcher struct {
	hook     *hook
	consumer *delivery.Consumer
	session  *delivery.Session

	lanes    *lanes
	window   window
	kept     map[string]bool // by the event's id: in the store among those that are tried again
	underway int
	failed   int       // attempts in a row
	quiet    time.Time // no request before it, as Retry-After asks
	worked   time.Time // when there was last something to do

	batches chan batch
	results chan result
}

// batch is what one read answered.
type batch struct {
	events []*facade.Event
	behind facade.Position
	err    error
}

// result is what one attempt came to.
type result struct {
	lane   *lane
	answer answer
}

func newDispatcher(h *hook, c *delivery.Consumer, s *delivery.Session) *dispatcher {
	d := &dispatcher{hook: h, consumer: c, session: s, lanes: newLanes(), kept: map[string]bool{}}
	d.window.upto = s.Cursor()
	d.batches, d.results = make(chan batch), make(chan result, h.config.Parallel)
	return d
}

// run delivers until ctx is done, all work is done, the receiver wants no more, or the store
// fails. Requests under way are finished first if they take less than graceTime.
func (d *dispatcher) run(ctx context.Context) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	if err := d.reload(ctx); err != nil {
		return err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		d.read(reading)
	}()
	err := d.loop(ctx, sending)
	stop()
	<-read // the reader is closed after this
	return d.drain(context.WithoutCancel(ctx), cut, err)
}

// read hands batches over until ctx is done or reading fails.
func (d *dispatcher) read(ctx context.Context) {
	for {
		events, behind, err := d.session.Next(ctx)
		select {
		case d.batches <- batch{events, behind, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// loop is the life of a session.
func (d *dispatcher) loop(ctx, sending context.Context) error {
	save, look := time.NewTicker(saveEvery), time.NewTicker(lookEvery)
	defer save.Stop()
	defer look.Stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	d.worked = time.Now()
	for {
		d.dispatch(sending, timer)
		batches := d.batches
		if d.lanes.count-len(d.kept) >= maxFresh || len(d.kept) >= maxKept {
			batches = nil
		}
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case b := <-batches:
			err = d.take(ctx, b)
		case r := <-d.results:
			err = d.settle(ctx, r)
		case <-look.C:
			err = d.reload(ctx)
		case <-save.C:
			err = d.save(ctx)
		case <-timer.C:
		}
		if err != nil {
			return err
		}
	}
}

// dispatch sends the messages that may be sent, and sets the timer for the next.
func (d *dispatcher) dispatch(sending context.Context, timer *time.Timer) {
	now := time.Now()
	next := d.lanes.wake(now)
	if now.Before(d.quiet) {
		timer.Reset(time.Until(d.quiet))
		return
	}
	if !next.IsZero() {
		timer.Reset(time.Until(next))
	}
	parallel := d.hook.config.Parallel
	if d.failed >= manyFailed { // the receiver is likely down
		parallel = 1
	}
	for d.underway < parallel {
		at := d.lanes.next()
		if at == nil {
			return
		}
		d.underway++
		event := at.messages[0].event
		go func() { d.results <- result{at, d.hook.post(sending, event)} }()
	}
}

// take adds the events read. An event after another one of its key that is tried again is kept
// as well: it must not be lost when the cursor moves past it.
func (d *dispatcher) take(ctx context.Context, b batch) error {
	if b.err != nil {
		return b.err
	}
	for _, e := range b.events {
		mark := d.window.add(e.Position)
		if d.kept[e.ID] { // a session before kept it and ended before its cursor moved
			mark.done = true
			continue
		}
		m := &message{event: e, done: func() { mark.done = true }}
		if at := d.lanes.add(m); at.messages[0].kept {
			if err := d.keep(ctx, m, "an earlier event of "+delivery.Subject(e)+" is tried again first"); err != nil {
				return err
			}
		}
	}
	d.window.add(b.behind).done = true
	return nil
}

// settle carries out the verdict on an attempt.
func (d *dispatcher) settle(ctx context.Context, r result) error {
	d.underway--
	d.worked = time.Now()
	m := r.lane.messages[0]
	if r.answer.verdict == delivered {
		d.failed = 0
		d.count(func(s *delivery.State) { s.Delivered++; s.Problem = "" })
		err := d.finish(ctx, r.lane, nil)
		if len(d.kept) == 0 {
			d.hook.outage.over(d.hook)
		}
		return err
	}
	d.failed++
	d.count(func(s *delivery.State) { s.Failed++; s.Problem = r.answer.reason })
	if r.answer.verdict == gone {
		d.hook.log.Error("a webhook has stopped; its events stay in the outbox until they are past retention, and the next start tries again",
			"webhook", d.hook.config.Name, "reason", r.answer.reason)
		return &delivery.Stop{Reason: r.answer.reason}
	}
	m.tries++
	if m.tries >= tries {
		d.count(func(s *delivery.State) { s.Dead++ })
		d.hook.outage.died(d.hook, m, r.answer.reason)
		return d.finish(ctx, r.lane, &r.answer)
	}
	wait := max(backoff(m.tries), r.answer.after)
	if r.answer.after > 0 {
		d.quiet = time.Now().Add(r.answer.after)
	}
	if m.tries == 1 {
		d.hook.outage.failed(d.hook, m, r.answer.reason)
	}
	if err := d.keep(ctx, m, r.answer.reason); err != nil {
		return err
	}
	for _, behind := range r.lane.messages[1:] {
		if !behind.kept {
			if err := d.keep(ctx, behind, "an earlier event of "+delivery.Subject(behind.event)+" is tried again first"); err != nil {
				return err
			}
		}
	}
	d.lanes.delay(r.lane, time.Now().Add(wait))
	return nil
}

// finish is the end of a message: delivered, or dead where an answer is given.
func (d *dispatcher) finish(ctx context.Context, at *lane, dead *answer) error {
	m, store := at.messages[0], d.consumer.Store
	if dead != nil || m.kept {
		err := store.Transact(ctx, func(ctx context.Context) error {
			if dead != nil {
				if err := store.Bury(ctx, d.letter(d.consumer.Name, m, dead.reason)); err != nil {
					return err
				}
			}
			_, err := store.Revive(ctx, delivery.Retrying(d.consumer.Name), m.event.ID)
			return err
		})
		if err != nil {
			return err
		}
	}
	delete(d.kept, m.event.ID)
	m.done()
	d.lanes.settle(at)
	return nil
}

// keep writes a message to the store among the messages for another try, so that the cursor may
// pass it and a restart goes on with its tries.
func (d *dispatcher) keep(ctx context.Context, m *message, reason string) error {
	if err := d.consumer.Store.Bury(ctx, d.letter(delivery.Retrying(d.consumer.Name), m, reason)); err != nil {
		return err
	}
	m.kept, d.kept[m.event.ID] = true, true
	m.done()
	return nil
}

func (d *dispatcher) letter(name string, m *message, reason string) *facade.DeadEvent {
	return &facade.DeadEvent{Consumer: name, Event: *m.event, Tries: m.tries, Reason: reason, At: time.Now().UTC()}
}

// reload adds the events that the store keeps for another try: the events of a session before,
// and those that `frond facts replay` revived. Their wait begins again, since the store knows
// the time of the last attempt and not the wait that was drawn then.
func (d *dispatcher) reload(ctx context.Context) error {
	letters, err := d.consumer.Store.Dead(ctx, delivery.Retrying(d.consumer.Name), maxKept)
	if err != nil {
		return err
	}
	slices.SortFunc(letters, func(a, b *facade.DeadEvent) int { return cmp.Compare(a.Event.Position, b.Event.Position) })
	for _, letter := range letters {
		if d.kept[letter.Event.ID] {
			continue
		}
		d.kept[letter.Event.ID] = true
		m := &message{event: &letter.Event, tries: letter.Tries, kept: true, done: func() {}}
		if at := d.lanes.add(m); len(at.messages) == 1 && m.tries > 0 {
			d.lanes.withdraw(at)
			d.lanes.delay(at, letter.At.Add(backoff(m.tries)))
		}
	}
	return nil
}

// save moves the cursor, and ends a session after an idle while.
func (d *dispatcher) save(ctx context.Context) error {
	d.report()
	if err := d.session.Save(ctx, d.window.pass()); err != nil {
		return err
	}
	if d.lanes.count > 0 {
		d.worked = time.Now()
	}
	if time.Since(d.worked) >= d.session.IdleTime() {
		return d.session.Idle()
	}
	return nil
}

// drain ends a session: answers that come within the grace are taken, the rest is cut off, and
// the cursor is saved. If another process delivers already, the cursor is not written.
func (d *dispatcher) drain(ctx context.Context, cut context.CancelFunc, cause error) error {
	timer := time.AfterFunc(graceTime, cut)
	defer timer.Stop()
	for d.underway > 0 {
		r := <-d.results
		d.underway--
		if r.answer.verdict == delivered {
			d.count(func(s *delivery.State) { s.Delivered++ })
			if err := d.finish(ctx, r.lane, nil); err != nil {
				return errors.Join(cause, err)
			}
		}
	}
	if err := d.session.Save(ctx, d.window.pass()); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

func (d *dispatcher) count(change func(*delivery.State)) { d.consumer.Stats.Change(change) }

// report updates the gauges.
func (d *dispatcher) report() {
	waiting, oldest, kept := d.lanes.count, d.lanes.oldest(), len(d.kept)
	d.count(func(s *delivery.State) { s.Waiting, s.Oldest, s.Retrying = waiting, oldest, kept })
}
