package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/cron"
	"github.com/frondhost/frond/facade/kiterror"
)

// Outcome says how a run ended, or why a time had no run.
type Outcome string

const (
	done   Outcome = "done"
	failed Outcome = "failed"
	// interrupted is a run whose process ended, or lost the store, before it wrote the outcome.
	interrupted Outcome = "interrupted"
	// skipped is a time at which the run before was under way.
	skipped Outcome = "skipped"
	// missed are times at which no process was up.
	missed Outcome = "missed"
)

// Run is one run of a job, or times at which it did not run.
type Run struct {
	Due     time.Time  `json:"due"`
	Start   *time.Time `json:"start,omitempty"`
	End     *time.Time `json:"end,omitempty"`
	Outcome Outcome    `json:"outcome"`
	// Code is the code of the failure.
	Code kiterror.Code `json:"code,omitempty"`
	// Times is the number of skipped or missed times, from Due on.
	Times int `json:"times,omitempty"`
}

// Running is a run under way.
type Running struct {
	ID    string    `json:"id"`
	Due   time.Time `json:"due"`
	Start time.Time `json:"start"`
	Beat  int64     `json:"beat"` // grows while its process is there
}

// Record is the text that the store has of a job.
type Record struct {
	// Schedule is the line and the zone that Handled is about.
	Schedule string `json:"schedule"`
	// Handled is the moment up to which due times are dealt with.
	Handled time.Time `json:"handled"`
	Running *Running  `json:"running,omitempty"`
	// Runs are the last ones, the newest first.
	Runs []Run `json:"runs,omitempty"`
	// Success is the end of the last run that is done.
	Success time.Time `json:"success,omitzero"`
}

const (
	// leaseTime is how long a run whose process is gone keeps the others from running the job.
	leaseTime = 15 * time.Second
	// grace is how late a time may be dealt with: lines of cron have minutes.
	grace = time.Minute
	// maxRuns is how many runs are kept, and maxTimes how many missed times are counted.
	maxRuns, maxTimes = 20, 1000
	// maxAhead is how far Handled may be ahead of a process's clock: one that is farther was written
	// by a clock that was wrong.
	maxAhead = 5 * time.Minute
)

// keyOf is the key of a job's record.
func keyOf(job string) string { return "job " + job }

// read returns the record of a job and its version.
func read(ctx context.Context, store facade.KeyValues, job string) (r Record, version int64, err error) {
	text, version, err := store.Value(ctx, keyOf(job))
	if err == nil && text != nil {
		if err = json.Unmarshal(text, &r); err != nil {
			err = fmt.Errorf("the record of the job %s cannot be read: %w", job, err)
		}
	}
	return r, version, err
}

// change reads the record of a job, has fn change it, and writes it, again if another process was
// faster. fn returns false if the record stays.
func change(ctx context.Context, store facade.KeyValues, job string, fn func(*Record) bool) error {
	for {
		r, version, err := read(ctx, store, job)
		if err != nil || !fn(&r) {
			return err
		}
		text, err := json.Marshal(&r)
		if err != nil {
			return err
		}
		if set, err := store.SetValue(ctx, keyOf(job), version, text); err != nil || set {
			return err
		}
	}
}

// step deals with the times that are due at now. It reports whether the record has changed, and returns
// the runs that it has added. A run that begins is r.Running with the given id. gone says that the
// process of the run under way is gone.
func (r *Record) step(s *cron.Schedule, now time.Time, gone bool, id string) (changed bool, noted []Run) {
	if r.Schedule != s.String() || r.Handled.After(now.Add(maxAhead)) {
		r.Schedule, r.Handled, changed = s.String(), now, true
	}
	if r.Running != nil && gone {
		noted = append(noted, Run{Due: r.Running.Due, Start: &r.Running.Start, Outcome: interrupted})
		r.Running = nil
	}
	edge := now.Add(-grace)
	missed := Run{Outcome: missed}
	for due := s.Next(r.Handled); !due.After(edge) && missed.Times < maxTimes; due = s.Next(due) {
		if missed.Times++; missed.Times == 1 {
			missed.Due = due.UTC()
		}
	}
	if missed.Times > 0 {
		noted = append(noted, missed)
		r.Handled = edge
	}
	due := s.Next(later(r.Handled, edge)).UTC()
	if !due.After(now) {
		if r.Handled, changed = due, true; r.Running != nil {
			noted = append(noted, Run{Due: due, Outcome: skipped, Times: 1})
		} else {
			r.Running = &Running{ID: id, Due: due, Start: now.UTC()}
		}
	}
	for _, run := range noted {
		r.add(run)
	}
	return changed || len(noted) > 0, noted
}

// add puts a run before the others. Skipped times in a row are one entry.
func (r *Record) add(run Run) {
	if run.Outcome == done && run.End != nil {
		r.Success = *run.End
	}
	if run.Outcome == skipped && len(r.Runs) > 0 && r.Runs[0].Outcome == skipped {
		r.Runs[0].Times++
		return
	}
	r.Runs = append([]Run{run}, r.Runs[:min(len(r.Runs), maxRuns-1)]...)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// State is a job as `frond jobs` shows it.
type State struct {
	Job      string    `json:"job"`
	Schedule string    `json:"schedule"`
	Next     time.Time `json:"next"`
	// Running is the run under way, or nil.
	Running *Running `json:"running,omitempty"`
	// Runs are the last ones, the newest first.
	Runs []Run `json:"runs"`
}

// List returns the states of jobs, in their order, as the store has them.
func List(ctx context.Context, store facade.KeyValues, jobs []*Job, now time.Time) ([]State, error) {
	all := make([]State, 0, len(jobs))
	for _, job := range jobs {
		record, _, err := read(ctx, store, job.Name)
		if err != nil {
			return nil, err
		}
		s := State{Job: job.Name, Schedule: job.Schedule.String(), Next: job.Schedule.Next(now), Running: record.Running, Runs: record.Runs}
		if s.Runs == nil {
			s.Runs = []Run{}
		}
		all = append(all, s)
	}
	return all, nil
}
