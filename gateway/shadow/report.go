package shadow

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/catalog"
)

// maxKept is how many calls with differences are kept.
const maxKept = 100

// Report has the counts of a shadow since the process began, and the last calls whose answers differ.
type Report struct {
	Fronds []Counts `json:"fronds"`
	// Calls are the last hundred that the host answered otherwise, or not at all, the newest first.
	Calls []Found `json:"calls"`
}

// Counts are the outcomes of the copies of one Frond.
type Counts struct {
	Frond string `json:"frond"`
	// Share is the copied share of its queries, in percent.
	Share     float64 `json:"share"`
	Same      int64   `json:"same"`
	Different int64   `json:"different"`
	Failed    int64   `json:"failed"`
	Dropped   int64   `json:"dropped"`
}

// Found is a call with its differences.
type Found struct {
	At          time.Time    `json:"at"` // of the answer here
	Frond       string       `json:"frond"`
	Entity      string       `json:"entity"`
	Operation   string       `json:"operation"`
	Outcome     Outcome      `json:"outcome"`
	Differences []Difference `json:"differences"`
	// Line makes the call again by frond call.
	Line string `json:"line"`
}

// report holds a Report.
type report struct {
	mu     sync.Mutex
	counts map[string]*Counts
	kept   []Found // the oldest first
	logged map[string]Counts
}

// begin makes the counts of all Fronds.
func (r *report) begin(shares map[string]float64) {
	r.counts, r.logged = map[string]*Counts{}, map[string]Counts{}
	for frond, share := range shares {
		r.counts[frond] = &Counts{Frond: frond, Share: share * 100}
		r.logged[frond] = *r.counts[frond]
	}
}

// count counts a copy.
func (s *Shadow) count(op *catalog.Operation, outcome Outcome) {
	frond := op.Door.Frond.Name
	s.report.mu.Lock()
	c := s.report.counts[frond]
	switch outcome {
	case same:
		c.Same++
	case different:
		c.Different++
	case failed:
		c.Failed++
	case dropped:
		c.Dropped++
	}
	s.report.mu.Unlock()
	if s.options.Called != nil {
		s.options.Called(frond, op.Door.Name, op.Name, string(outcome))
	}
}

// found counts a copy, and keeps its differences.
func (s *Shadow) found(one *call, outcome Outcome, all []Difference) {
	s.count(one.op, outcome)
	door := one.op.Door
	f := Found{At: one.at.UTC(), Frond: door.Frond.Name, Entity: door.Name, Operation: one.op.Name, Outcome: outcome, Differences: all, Line: line(one)}
	s.report.mu.Lock()
	if len(s.report.kept) == maxKept {
		s.report.kept = slices.Delete(s.report.kept, 0, 1)
	}
	s.report.kept = append(s.report.kept, f)
	s.report.mu.Unlock()
	if s.options.Differs == nil || outcome != different {
		return
	}
	var names []string
	for _, d := range all {
		if !slices.Contains(names, d.name) {
			names = append(names, d.name)
			s.options.Differs(f.Frond, f.Entity, f.Operation, d.name)
		}
	}
}

// Report returns the counts and the last differences. A nil shadow has an empty one.
func (s *Shadow) Report() Report {
	out := Report{Fronds: []Counts{}, Calls: []Found{}}
	if s == nil {
		return out
	}
	s.report.mu.Lock()
	defer s.report.mu.Unlock()
	for _, frond := range slices.Sorted(maps.Keys(s.report.counts)) {
		out.Fronds = append(out.Fronds, *s.report.counts[frond])
	}
	out.Calls = append(out.Calls, s.report.kept...)
	slices.Reverse(out.Calls)
	return out
}

// log writes a line for each Frond once a minute, if copies were made in it.
func (s *Shadow) log() {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-s.ended.Done():
			return
		case <-tick.C:
			s.logMinute()
		}
	}
}

// logMinute writes the lines of the time since the last ones.
func (s *Shadow) logMinute() {
	for _, now := range s.Report().Fronds {
		before := s.report.logged[now.Frond]
		s.report.logged[now.Frond] = now
		same, different, failed, dropped := now.Same-before.Same, now.Different-before.Different, now.Failed-before.Failed, now.Dropped-before.Dropped
		if same+different+failed+dropped == 0 {
			continue
		}
		level := slog.LevelInfo
		if different+failed > 0 {
			level = slog.LevelWarn
		}
		s.options.Log.Log(s.ended, level, "queries were asked of the host too", "frond", now.Frond, "same", same, "different", different, "failed", failed, "dropped", dropped, "fields", strings.Join(s.fields(now.Frond), " "))
	}
}

// fields are the names of fields that differ in the kept calls of a Frond, five at most.
func (s *Shadow) fields(frond string) (names []string) {
	for _, f := range s.Report().Calls {
		for _, d := range f.Differences {
			if name := f.Entity + "." + d.name; f.Frond == frond && f.Outcome == different && !slices.Contains(names, name) && len(names) < 5 {
				names = append(names, name)
			}
		}
	}
	return names
}
