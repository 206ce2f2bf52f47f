package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/delivery"
)

// Consumer hands the events of some facts to a function. Its fields are set before Run, and
// not changed.
type Consumer struct {
	// Name is the name of the position and of the dead letters, and Facts are FROND.NAME.
	delivery.Consumer
	// Transact runs a function whose calls are one transaction of Store.
	Transact func(ctx context.Context, trace string, fn func(context.Context) error) error
	// Handle is called for each event. An error, and a panic, means that it failed and is to
	// be tried again.
	Handle func(ctx context.Context, e *facade.Event) error
	// Detached calls Handle outside of the transaction.
	Detached bool
	// FromStart has a new consumer begin with the oldest event in the log, and not with those
	// that come after its first start.
	FromStart bool
	// Tries is how often an event is tried before it is dead; 0: DefaultTries.
	Tries int

	// proven says that an attempt of this process has come back, so it does not end the
	// process. It belongs to the goroutine of Run.
	proven bool
}

// defaultTries are about 25 minutes with the pauses between them.
const defaultTries = 12

// The pause after the first failure of an event, which doubles with every further one.
const (
	firstPause = time.Second
	lastPause  = 10 * time.Minute
)

// pauseAfter is how long an event waits after n tries.
func pauseAfter(n int) time.Duration {
	if n > 10 {
		return lastPause
	}
	return min(lastPause, firstPause<<max(0, n-1))
}

// Register writes the position of a new consumer, so that it receives every event from now on.
func (c *Consumer) Register(ctx context.Context) error {
	if _, known, err := c.Store.Cursor(ctx, c.Name); err != nil || known {
		return err
	}
	oldest, last, err := c.Span(ctx)
	if err != nil {
		return err
	}
	if c.FromStart {
		last = oldest
	}
	_, err = c.Store.Advance(ctx, c.Name, 0, last) // or another process has
	return err
}

// Run consumes until ctx is done.
func (c *Consumer) Run(ctx context.Context) {
	for rest := firstPause; c.Register(ctx) != nil; rest = min(2*rest, time.Minute) {
		if !facade.Pause(ctx, rest) {
			return
		}
	}
	_ = c.Consumer.Run(ctx, func(ctx context.Context, s *delivery.Session) error { // it ends with ctx alone
		return (&session{Consumer: c, Session: s}).run(ctx)
	})
}

// errHandle is a failure of the function, and not of the store.
type errHandle struct{ error }

func (e errHandle) Unwrap() error { return e.error }

// attempt hands one event to the function, and has settle note in the store that it is done,
// in the same transaction. The error is errHandle where the event is to blame.
func (c *Consumer) attempt(ctx context.Context, e *facade.Event, settle func(context.Context) error) error {
	var failure error // of the function, as it has returned it: a store may say it otherwise
	handle := func(ctx context.Context) error {
		failure = nil
		failure = c.Handle(ctx, e)
		return failure
	}
	var err error
	if c.Detached {
		if err = recovered(ctx, handle); err == nil {
			err = c.Store.Transact(ctx, settle)
		}
	} else {
		err = c.Transact(ctx, e.Trace, func(ctx context.Context) error {
			// First, so that only one of several processes calls the function.
			if err := settle(ctx); err != nil {
				return err
			}
			return handle(ctx)
		})
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if errors.Is(err, delivery.ErrLost) {
		return err
	}
	if !c.reachable(ctx) { // no event is to blame
		return fmt.Errorf("the store does not answer: %s", reason(err))
	}
	return errHandle{cmp.Or(failure, err)} // or a panic, or a transaction that lasted too long
}

// reachable reports whether the store answers.
func (c *Consumer) reachable(ctx context.Context) bool {
	_, _, err := c.Store.Cursor(ctx, c.Name)
	return err == nil
}

// recovered runs a function whose panic is an error.
func recovered(ctx context.Context, fn func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kiterror.Panicked(p)
		}
	}()
	return fn(ctx)
}

// maxReason is how much of a failure is kept.
const maxReason = 500

// reason is a failure in a line, as the operator reads it: with the cause that callers do not
// see.
func reason(err error) string {
	text := err.Error()
	var e *kiterror.Error
	if errors.As(err, &e) && e.Unwrap() != nil && !strings.Contains(text, e.Unwrap().Error()) {
		text += ": " + e.Unwrap().Error()
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

// Settle passes every event in the log to the function, once and in the calling goroutine, and
// returns their number. It is for tests: the first failure ends it, and the event stays. The
// caller makes sure that no other consumer runs at the same time.
func (c *Consumer) Settle(ctx context.Context) (n int, err error) {
	if err := c.Register(ctx); err != nil {
		return 0, err
	}
	for {
		at, _, err := c.Store.Cursor(ctx, c.Name)
		if err != nil {
			return n, err
		}
		events, behind, err := c.Read(ctx, at, 100)
		if err != nil || behind <= at {
			return n, err
		}
		for _, e := range events {
			err := c.attempt(ctx, e, func(ctx context.Context) error {
				moved, err := c.Store.Advance(ctx, c.Name, at, e.Position)
				if err == nil && !moved {
					err = delivery.ErrLost
				}
				return err
			})
			if err != nil {
				return n, fmt.Errorf("%s does not handle %s.%s: %w", c.Name, e.Frond, e.Name, err)
			}
			at = e.Position
			n++
		}
		if at < behind { // events of other facts
			if _, err := c.Store.Advance(ctx, c.Name, at, behind); err != nil {
				return n, err
			}
		}
	}
}
