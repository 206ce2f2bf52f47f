package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// waiting prepares a database whose server was down at the start, as soon as it comes.
type waiting struct {
	mu sync.Mutex
	// cancel ends the attempts, or is nil. done is closed when they have ended.
	cancel context.CancelFunc
	done   chan struct{}
	// err is why the last attempt failed; nil once the database is prepared.
	err error
	// then runs after the attempt that succeeds.
	then func(context.Context) error
}

var errNoPrepare = errors.New("the database was not prepared yet")

// between is the time from one attempt to the next.
const between = 500 * time.Millisecond

// start makes attempts until one succeeds or stop is called; then it runs the functions that after
// has added, again until they succeed. Until then reason is not nil. failed is given each new
// reason.
func (w *waiting) start(ctx context.Context, attempt func(context.Context) error, failed func(error)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	w.mu.Lock()
	w.cancel, w.done, w.err, w.then = cancel, done, errNoPrepare, nil
	w.mu.Unlock()
	go func() {
		defer close(done)
		prepared, said := false, ""
		for {
			select {
			case <-time.After(between):
			case <-ctx.Done():
				return
			}
			var err error
			if !prepared {
				err = attempt(ctx)
				prepared = err == nil
			}
			if prepared {
				w.mu.Lock()
				then := w.then
				w.mu.Unlock()
				if then != nil {
					err = then(ctx)
				}
			}
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
			if err == nil {
				return
			}
			if text := err.Error(); text != said {
				said = text
				failed(err)
			}
		}
	}()
}

// after adds a function that runs when an attempt has succeeded, again until it succeeds; false: no
// attempts are made, and the caller runs it.
func (w *waiting) after(do func(context.Context) error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return false
	}
	w.then = do
	return true
}

// stop ends the attempts and waits until the last has ended.
func (w *waiting) stop() {
	w.mu.Lock()
	cancel, done := w.cancel, w.done
	w.cancel, w.done = nil, nil
	w.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
	w.mu.Lock()
	w.err = nil
	w.mu.Unlock()
}

// reason is the SERVICE_UNAVAILABLE of a call that comes before the database is prepared; nil
// afterwards.
func (w *waiting) reason() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return nil
	}
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the store cannot be reached just now; try again%w", maskedError{w.err})
}

// maskedError keeps a cause for the log without repeating its text.
type maskedError struct{ error }

func (maskedError) Error() string   { return "" }
func (m maskedError) Unwrap() error { return m.error }
