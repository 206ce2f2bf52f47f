package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/jobs"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/schema"
)

// JobState is a job as `frond jobs` shows it.
type JobState = jobs.State

// jobClock is the time of jobs. Tests set it.
var jobClock jobs.Clock = jobs.Wall{}

// schedule runs the jobs of the Fronds of a host.
type schedule struct {
	frond   string           // of a receiver: the one Frond it serves; "": all of them
	own     bool             // the program has a store of its own
	values  facade.KeyValues // of the store; nil: it has none
	current func() *facade.Facade
	log     *slog.Logger
	note    func(message string, notes []schema.Fault)

	sweep  *jobs.Job    // removes files that no row has; nil: there are none
	runner *jobs.Runner // nil: none runs
}

// start runs the jobs until close.
func (s *schedule) start(shared bool, watch *telemetry.Telemetry) {
	if s.values == nil {
		return
	}
	s.runner = jobs.New(&jobs.Options{Store: s.values, Alone: !shared, Clock: jobClock, Log: s.log, Observe: watch.Jobs()})
	watch.CollectJobs(s.runner.States)
	s.follow(s.current().Catalog())
}

// follow runs the jobs of a catalog in the place of those before. A job that no code of this program
// answers is left to the programs that have it.
func (s *schedule) follow(c *catalog.Catalog) {
	if s.runner == nil {
		return
	}
	var all []*jobs.Job
	for _, j := range s.of(c) {
		if !j.Operation.Answered {
			s.note("a job does not run in this program", []schema.Fault{{
				File: j.Operation.Door.Frond.File, Pointer: j.At, Message: j.Name() + " has no handler in this program", Remedy: "start the program that has one",
			}})
			continue
		}
		all = append(all, s.job(j))
	}
	if s.sweep != nil {
		all = append(all, s.sweep)
	}
	s.runner.Follow(all)
}

// of are the jobs of the Fronds that run here.
func (s *schedule) of(c *catalog.Catalog) (all []*catalog.Job) {
	for _, frond := range c.Fronds {
		if frond.Remote == "" && (s.frond == "" || strings.EqualFold(frond.Name, s.frond)) {
			all = append(all, frond.Jobs...)
		}
	}
	return all
}

// job is a job whose run is one call: by the author's own code, or with the state of the schedule.
func (s *schedule) job(j *catalog.Job) *jobs.Job {
	return &jobs.Job{Name: j.Name(), Schedule: j.Schedule, Run: func(ctx context.Context) error {
		f := s.current()
		ctx = facade.WithCause(ctx, catalog.ByJob, j.Name(), nil)
		call := &facade.Call{Entity: j.Operation.Door.Name, Operation: j.Operation.Name}
		caller := facade.Caller(f)
		if j.State == nil {
			ctx = f.Enter(ctx, nil)
			caller = facade.Inside(ctx)
		} else if err := json.Unmarshal(j.State, &call.Invocation.State); err != nil {
			return err
		}
		if _, err := caller.Call(ctx, call); err != nil {
			return kiterror.Report(ctx, s.log, err, "") // INTERNAL_ERROR is logged with its cause
		}
		return nil
	}}
}

// errStopped is why a run ends that is under way when its process has to stop.
var errStopped = errors.New("the gateway stops")

// close ends the jobs. Runs under way have until by, the end of shutdown.timeout; nil: they end
// at once.
func (s *schedule) close(by *time.Time) {
	if by == nil {
		now := time.Now()
		by = &now
	}
	s.runner.Close(*by, errStopped)
}

// storeFaults returns the faults of jobs whose runs no store keeps; foreign says that the rows are in another
// program's SQLite database.
func (s *schedule) storeFaults(c *catalog.Catalog, foreign bool) (faults schema.Faults) {
	problem, remedy := "", ""
	switch {
	case foreign:
		problem, remedy = "its rows are in another program's SQLite database, in which this program makes no tables", "leave schedule out, or copy the rows into a store of this program"
	case s.own && s.values == nil:
		problem, remedy = "the program's own store keeps no key values", "leave schedule out, or implement facade.KeyValues"
	default:
		return nil
	}
	for _, j := range s.of(c) {
		faults = append(faults, schema.Fault{File: j.Operation.Door.Frond.File, Pointer: j.At, Message: fmt.Sprintf("%s cannot be scheduled: %s", j.Name(), problem), Remedy: remedy})
	}
	return faults
}

// states are the states of the jobs, as the store has them.
func (s *schedule) states(ctx context.Context, c *catalog.Catalog) ([]JobState, error) {
	if s.values == nil {
		return []JobState{}, nil
	}
	var all []*jobs.Job
	for _, j := range s.of(c) {
		all = append(all, s.job(j))
	}
	return jobs.List(ctx, s.values, all, jobClock.Now())
}

// ServeHTTP answers /jobs of the admin listener.
func (s *schedule) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	states, err := s.states(r.Context(), s.current().Catalog())
	guard.WriteJSON(w, r, s.log, states, err)
}
