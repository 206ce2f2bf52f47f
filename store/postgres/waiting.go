package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
)

// waiting prepares a database whose server was down at the start, as soon as it comes.
type waiting struct {
	mu sync.Mutex
	// cancel ends the attempts, and done is closed when they have ended; nil: there are none.
	cancel context.CancelFunc
	done   chan struct{}
	// err is why the last attempt failed.
	err error
}

// between is the time from one attempt to the next.
const between = 500 * time.Millisecond

// start makes attempts until one succeeds or stop is called. Meanwhile reason is not nil.
func (w *waiting) start(attempt func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.mu.Lock()
	w.cancel, w.done, w.err = cancel, done, errNoPrepare
	w.mu.Unlock()
	go func() {
		defer close(done)
		for {
			select {
			case <-time.After(between):
			case <-ctx.Done():
				return
			}
			err := attempt(ctx)
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
			if err == nil {
				return
			}
		}
	}()
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
// where it is.
func (w *waiting) reason() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return nil
	}
	return facade.Errorf(facade.ServiceUnavailable, "the store cannot be reached just now; try again%w", unspoken{w.err})
}

// unspoken keeps a cause for the log without repeating its text.
type unspoken struct{ error }

func (unspoken) Error() string   { return "" }
func (u unspoken) Unwrap() error { return u.error }
