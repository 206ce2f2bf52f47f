package jobs

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/cron"
)

// Job is a function that runs at times.
type Job struct {
	// Name is unique in the store.
	Name     string
	Schedule *cron.Schedule
	// Run runs it. The end of ctx asks it to stop; cause is then the reason.
	Run func(ctx context.Context) error
}

// Clock is the time of a [Runner].
type Clock interface {
	Now() time.Time
	// Wait waits for a while and reports whether ctx is not done.
	Wait(ctx context.Context, d time.Duration) bool
}

// Wall is the clock on the wall.
type Wall struct{}

// Now implements [Clock].
func (Wall) Now() time.Time { return time.Now() }

// Wait implements [Clock].
func (Wall) Wait(ctx context.Context, d time.Duration) bool { return facade.Pause(ctx, d) }

// Options of a [Runner].
type Options struct {
	Store facade.KeyValues
	// Alone says that no other process uses the store: runs need no lease.
	Alone bool
	Clock Clock
	Log   *slog.Logger
	// Observe, if not nil, is called with every outcome that this process writes.
	Observe func(job string, outcome Outcome)
}

// Runner runs jobs. Its methods may be called from many goroutines.
type Runner struct {
	*Options
	looking context.Context //nolint:containedctx // of the loops
	stop    context.CancelFunc
	running context.Context //nolint:containedctx // of the runs
	cut     context.CancelCauseFunc
	done    sync.WaitGroup

	mu    sync.Mutex
	loops map[string]*loop
	own   map[string]bool // the runs of this process by their ids
}

// loop follows the times of one job.
type loop struct {
	runner *Runner
	job    atomic.Pointer[Job]
	end    context.CancelFunc

	record atomic.Pointer[Record] // as it was read last; nil: it was not
	id     string                 // of the next run that this process begins; it is written before
	seen   Running                // the run of another process when its counter last changed
	since  time.Time              // when that was
}

// New returns a runner without jobs.
func New(opts *Options) *Runner {
	r := &Runner{Options: opts, loops: map[string]*loop{}, own: map[string]bool{}}
	r.looking, r.stop = context.WithCancel(context.Background())
	r.running, r.cut = context.WithCancelCause(context.Background())
	return r
}

// Follow replaces the jobs. A job of the same name and schedule goes on; a run that is under way ends
// by itself.
func (r *Runner) Follow(jobs []*Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.looking.Err() != nil {
		return
	}
	loops := map[string]*loop{}
	for _, job := range jobs {
		l := r.loops[job.Name]
		if l != nil && l.job.Load().Schedule.String() == job.Schedule.String() {
			l.job.Store(job)
			delete(r.loops, job.Name)
			loops[job.Name] = l
			continue
		}
		ctx, end := context.WithCancel(r.looking)
		l = &loop{runner: r, end: end}
		l.job.Store(job)
		loops[job.Name] = l
		r.done.Go(func() { l.follow(ctx) })
	}
	for _, old := range r.loops {
		old.end()
	}
	r.loops = loops
}

// Close ends the loops and waits until by for the runs under way, which it then cancels with cause. A
// nil Runner returns at once.
func (r *Runner) Close(by time.Time, cause error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	timer := time.AfterFunc(time.Until(by), func() { r.cut(cause) })
	defer timer.Stop()
	r.done.Wait()
}

// States calls yield with the record of each job as this process has read it last.
func (r *Runner) States(yield func(job string, record *Record)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, l := range r.loops {
		if record := l.record.Load(); record != nil {
			yield(name, record)
		}
	}
}

// How long a loop waits: between looks at the run of another process, and after failures of the
// store.
const (
	lookEvery           = leaseTime / 3
	firstRest, lastRest = time.Second, 30 * time.Second
	// maxWait is how long a timer is at most: clocks may be set, and machines sleep.
	maxWait = time.Minute
)

// follow deals with the times of the job until ctx is done.
func (l *loop) follow(ctx context.Context) {
	clock := l.runner.Clock
	rest := time.Duration(0)
	for ctx.Err() == nil {
		until, err := l.look(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if rest == 0 {
				l.runner.Log.Warn("a job cannot be looked at for now, and is tried again", "job", l.job.Load().Name, "error", err)
			}
			rest = min(lastRest, max(firstRest, 2*rest))
			clock.Wait(ctx, rest)
			continue
		}
		for rest = 0; clock.Now().Before(until); {
			if !clock.Wait(ctx, min(maxWait, until.Sub(clock.Now()))) {
				return
			}
		}
	}
}

// look deals with the times that are due, and returns when to look again.
func (l *loop) look(ctx context.Context) (until time.Time, err error) {
	r, job := l.runner, l.job.Load()
	if l.id == "" {
		l.id = rand.Text()
	}
	var noted []Run
	var now time.Time
	var record *Record
	err = change(ctx, r.Store, job.Name, func(read *Record) (changed bool) {
		now, record = r.Clock.Now(), read
		changed, noted = record.step(job.Schedule, now, l.gone(record.Running, now), l.id)
		return changed
	})
	if err != nil {
		return now, err
	}
	l.record.Store(record)
	for _, run := range noted {
		l.report(run, nil)
	}
	// This look may find its run in the record already: an earlier write arrived, and its answer was lost.
	if begun := record.Running; begun != nil && begun.ID == l.id {
		l.id = ""
		r.owns(begun.ID, true)
		r.done.Go(func() { l.run(job, begun) }) //nolint:contextcheck // a run outlives the look that began it
	}
	until = job.Schedule.Next(later(now, record.Handled))
	if look := now.Add(lookEvery); record.Running != nil && !r.isOwn(record.Running.ID) && look.Before(until) {
		until = look
	}
	return until, nil
}

// gone reports whether the process of a run is gone.
func (l *loop) gone(running *Running, now time.Time) bool {
	switch {
	case running == nil || running.ID == l.id || l.runner.isOwn(running.ID):
		return false
	case l.runner.Alone:
		return true
	case l.seen.ID != running.ID || l.seen.Beat != running.Beat:
		l.seen, l.since = *running, now
		return false
	}
	return now.Sub(l.since) >= leaseTime
}

// report writes an outcome to the log and to the observer; err is why a run failed.
func (l *loop) report(run Run, err error) {
	job, log := l.job.Load().Name, l.runner.Log.With("due", run.Due)
	switch run.Outcome {
	case skipped:
		log.Warn("a job is skipped: its run before is still under way", "job", job)
	case missed:
		log.Warn("a job was missed: no gateway was up; it is not caught up", "job", job, "times", run.Times)
	case interrupted:
		log.Warn("a run of a job was interrupted: its gateway ended before the outcome was written", "job", job)
	case failed:
		log.Error("a job failed", "job", job, "code", run.Code, "error", err, "took", run.End.Sub(*run.Start).String())
	case done:
		log.Info("a job is done", "job", job, "took", run.End.Sub(*run.Start).String())
	}
	if l.runner.Observe != nil {
		l.runner.Observe(job, run.Outcome)
	}
}

// owns notes whether a run is one of this process.
func (r *Runner) owns(id string, is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own[id] = is; !is {
		delete(r.own, id)
	}
}

func (r *Runner) isOwn(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.own[id]
}
