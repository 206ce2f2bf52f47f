package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// errLost is the cause of a run's end whose lease could not be renewed.
var errLost = errors.New("the run's lease could not be renewed; another gateway may take over")

// run runs a job that this process has begun, and writes the outcome.
func (l *loop) run(job *Job, begun *Running) {
	r := l.runner
	ctx, lose := context.WithCancelCause(r.running)
	defer lose(nil)
	kept := make(chan struct{})
	within, end := context.WithCancel(ctx)
	go func() {
		defer close(kept)
		if !r.Alone {
			l.keep(within, job.Name, begun.ID, lose)
		}
	}()
	err := called(ctx, job)
	end()
	<-kept
	now := r.Clock.Now().UTC()
	run := Run{Due: begun.Due, Start: &begun.Start, End: &now, Outcome: done}
	switch {
	case err != nil && context.Cause(ctx) != nil:
		run.Outcome, run.End = interrupted, nil
	case err != nil:
		run.Outcome, run.Code = failed, kiterror.CodeOf(err)
	}
	l.conclude(job.Name, begun.ID, run, err)
	r.owns(begun.ID, false)
}

// called calls the function of a job; a panic is an error.
func called(ctx context.Context, job *Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kiterror.Panicked(p)
		}
	}()
	return job.Run(ctx)
}

// conclude writes the outcome of a run, until that succeeds or the runner has to end. It does not write
// if another process has taken the job over.
func (l *loop) conclude(job, id string, run Run, failed error) {
	r := l.runner
	for rest := firstRest; ; rest = min(lastRest, 2*rest) {
		mine := false
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.running), leaseTime/3)
		err := change(ctx, r.Store, job, func(record *Record) bool {
			if mine = record.Running != nil && record.Running.ID == id; mine {
				record.Running = nil
				record.add(run)
				l.record.Store(record)
			}
			return mine
		})
		cancel()
		if err == nil {
			if mine {
				l.report(run, failed)
			}
			return
		}
		r.Log.Warn("the outcome of a job could not be written yet", "job", job, "outcome", run.Outcome, "error", err)
		if r.looking.Err() != nil || !r.Clock.Wait(r.looking, rest) {
			return // the next process finds the run interrupted
		}
	}
}

// keep renews the lease of a run until ctx is done. It calls lose when it cannot: another process has
// taken the job over, or may before the store answers again.
func (l *loop) keep(ctx context.Context, job, id string, lose func(error)) {
	r := l.runner
	since := r.Clock.Now()
	for r.Clock.Wait(ctx, lookEvery) {
		mine := false
		attempt, cancel := context.WithTimeout(ctx, lookEvery-time.Second)
		err := change(attempt, r.Store, job, func(record *Record) bool {
			if mine = record.Running != nil && record.Running.ID == id; mine {
				record.Running.Beat++
			}
			return mine
		})
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && mine:
			since = r.Clock.Now()
		case err == nil || r.Clock.Now().Sub(since) >= leaseTime-lookEvery:
			lose(errLost)
			return
		}
	}
}
