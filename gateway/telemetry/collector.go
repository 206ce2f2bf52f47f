package telemetry

import (
	"cmp"
	"math"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/jobs"
)

// A source gives the numbers of a collector at every scrape: the budget of
// the host, or the state of one remote.

// number is one number of a source, with the family of the table that it belongs to. Several
// numbers of one family differ by label, such as memory and executions of frond_refused_total.
type number[S any] struct {
	family string
	label  string           // the value of the family's label; "": the source's name, where there is a label
	value  func(*S) float64 // not a number: the source does not know it
}

// collect has the numbers of sources on every scrape, if there are metrics. sources is called by each
// of them, from many goroutines, and must not wait. A source that disappears between two scrapes has
// no numbers in the second.
func collect[S any](t *Telemetry, numbers []number[S], sources func(yield func(name string, source *S))) {
	if t == nil || t.metrics == nil {
		return
	}
	var of []*Family
	for _, n := range numbers {
		of = append(of, family(n.family))
	}
	t.metrics.meter.Collect(of, func(emit func(int, string, float64)) {
		sources(func(name string, source *S) {
			for i, n := range numbers {
				if value := n.value(source); !math.IsNaN(value) {
					emit(i, cmp.Or(n.label, name), value)
				}
			}
		})
	})
}

// oneIf is 1 where something is so, else 0.
func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// budgetNumbers are the numbers of a budget.
var budgetNumbers = []number[budget.Usage]{
	{"frond_memory_budget_bytes", "", func(s *budget.Usage) float64 { return float64(s.Bytes) }},
	{"frond_memory_used_bytes", "", func(s *budget.Usage) float64 { return float64(s.Used) }},
	{"frond_executions_limit", "", func(s *budget.Usage) float64 { return float64(s.Executions) }},
	{"frond_executions_in_flight", "", func(s *budget.Usage) float64 { return float64(s.Running) }},
	{"frond_refused_total", "memory", func(s *budget.Usage) float64 { return float64(s.RefusedBytes) }},
	{"frond_refused_total", "executions", func(s *budget.Usage) float64 { return float64(s.RefusedExecutions) }},
}

// CollectBudget has the numbers of a budget on every scrape; they are 0 for nil.
func (t *Telemetry) CollectBudget(b *budget.Budget) {
	collect(t, budgetNumbers, func(yield func(string, *budget.Usage)) {
		state := b.State()
		yield("", &state)
	})
}

// remoteState is the known state of one remote host.
type remoteSource struct {
	client.Status      // what its client counts
	known         bool // a discovery document of it was read
}

// remoteNumbers are the numbers of a remote's client.
var remoteNumbers = []number[remoteSource]{
	{"frond_remote_requests_total", "", func(s *remoteSource) float64 { return float64(s.Posts) }},
	{"frond_remote_retries_total", "", func(s *remoteSource) float64 { return float64(s.Retries) }},
	{"frond_remote_coalesced_total", "", func(s *remoteSource) float64 { return float64(s.Joined) }},
	{"frond_remote_failures_total", "", func(s *remoteSource) float64 { return float64(s.Failed) }},
	{"frond_remote_requests_in_flight", "", func(s *remoteSource) float64 { return float64(s.InFlight) }},
	{"frond_remote_breaker_state", "", func(s *remoteSource) float64 { return breakerStates[s.Breaker] }},
	{"frond_remote_known", "", func(s *remoteSource) float64 {
		return oneIf(s.known)
	}},
}

// breakerStates are the values of frond_remote_breaker_state, by the state's name.
var breakerStates = map[string]float64{"closed": 0, "half-open": 1, "open": 2}

// CollectRemotes has the numbers of remotes on every scrape. states yields each with whether
// its discovery document is known. It is called once, before the first scrape.
func (t *Telemetry) CollectRemotes(states func(yield func(status client.Status, known bool))) {
	collect(t, remoteNumbers, func(yield func(string, *remoteSource)) {
		states(func(status client.Status, known bool) { yield(status.Name, &remoteSource{status, known}) })
	})
}

// Subscriptions is how many GraphQL subscriptions there are, and what became of their events.
type Subscriptions struct {
	Connections, Subscriptions int
	Evaluated, Shared          int64
}

var subscriptionNumbers = []number[Subscriptions]{
	{"frond_graphql_connections", "", func(s *Subscriptions) float64 { return float64(s.Connections) }},
	{"frond_graphql_subscriptions", "", func(s *Subscriptions) float64 { return float64(s.Subscriptions) }},
	{"frond_graphql_subscription_events_total", "evaluated", func(s *Subscriptions) float64 { return float64(s.Evaluated) }},
	{"frond_graphql_subscription_events_total", "shared", func(s *Subscriptions) float64 { return float64(s.Shared) }},
}

// CollectSubscriptions has the numbers of subscriptions on every scrape.
func (t *Telemetry) CollectSubscriptions(now func() Subscriptions) {
	collect(t, subscriptionNumbers, func(yield func(string, *Subscriptions)) {
		state := now()
		yield("", &state)
	})
}

// Jobs returns the counter of outcomes; nil: there are no metrics.
func (t *Telemetry) Jobs() func(job string, outcome jobs.Outcome) {
	if t == nil || t.metrics == nil {
		return nil
	}
	return func(job string, outcome jobs.Outcome) {
		t.metrics.jobs(job, string(outcome)).Inc()
	}
}

// jobNumbers are the numbers of a job.
var jobNumbers = []number[jobs.Record]{
	{"frond_jobs_running", "", func(r *jobs.Record) float64 {
		return oneIf(r.Running != nil)
	}},
	{"frond_jobs_success_timestamp_seconds", "", func(r *jobs.Record) float64 {
		if r.Success.IsZero() {
			return math.NaN()
		}
		return float64(r.Success.Unix())
	}},
}

// CollectJobs has the numbers of jobs on every scrape. It is called once, before the first scrape.
func (t *Telemetry) CollectJobs(states func(yield func(job string, record *jobs.Record))) {
	collect(t, jobNumbers, states)
}

// Statements returns what counts the statements of a store; nil: there are no metrics.
func (t *Telemetry) Statements() func(took time.Duration, why facade.Failure) {
	if t == nil || t.metrics == nil {
		return nil
	}
	return func(took time.Duration, why facade.Failure) {
		t.metrics.statements.Observe(took.Seconds())
		if why != "" {
			t.metrics.storeErrors(string(why)).Inc()
		}
	}
}

// CollectStore has the numbers of a store on every scrape; not ok: the store has no numbers.
func (t *Telemetry) CollectStore(now func() (state facade.StoreState, ok bool)) {
	numbers := []number[facade.StoreState]{
		{"frond_store_connections", "", func(s *facade.StoreState) float64 { return float64(s.Connections) }},
		{"frond_store_connections_in_use", "", func(s *facade.StoreState) float64 { return float64(s.InUse) }},
		{"frond_store_connections_waiting", "", func(s *facade.StoreState) float64 { return float64(s.Waiting) }},
	}
	for _, state := range facade.TableStates() {
		numbers = append(numbers, number[facade.StoreState]{"frond_store_tables", string(state), func(s *facade.StoreState) float64 {
			return oneIf(s.Tables == state)
		}})
	}
	collect(t, numbers, func(yield func(string, *facade.StoreState)) {
		if state, ok := now(); ok {
			yield("", &state)
		}
	})
}

// Files has the failures of the storage of files, since the start.
type Files struct {
	Failing           bool
	Failures, Missing int64
}

// fileNumbers are the numbers of a storage of files.
var fileNumbers = []number[Files]{
	{"frond_files_failing", "", func(s *Files) float64 { return oneIf(s.Failing) }},
	{"frond_files_failures_total", "", func(s *Files) float64 { return float64(s.Failures) }},
	{"frond_files_missing_total", "", func(s *Files) float64 { return float64(s.Missing) }},
}

// CollectFiles has the numbers of a storage of files on every scrape; not ok: no field holds files yet.
func (t *Telemetry) CollectFiles(now func() (state Files, ok bool)) {
	collect(t, fileNumbers, func(yield func(string, *Files)) {
		if state, ok := now(); ok {
			yield("", &state)
		}
	})
}

// Events returns what counts the events of a log as they are read, by their facts; nil: there
// are no metrics.
func (t *Telemetry) Events() func(*facade.Event) {
	if t == nil || t.metrics == nil {
		return nil
	}
	return func(e *facade.Event) {
		t.metrics.events(e.Frond + "." + e.Name).Inc()
		t.metrics.eventDelay.Observe(max(0, time.Since(e.At).Seconds()))
	}
}

// Shadow returns what counts a copied query with its outcome, and a field that differs, by the labels of their families; nil: there are
// no metrics.
func (t *Telemetry) Shadow() (calls, differences func(labels ...string)) {
	if t == nil || t.metrics == nil {
		return nil, nil
	}
	count := func(c func(labels ...string) Counter) func(...string) {
		return func(labels ...string) { c(labels...).Inc() }
	}
	return count(t.metrics.shadowCalls), count(t.metrics.shadowDiffers)
}

// feedNumbers are the numbers of a feed about its log.
var feedNumbers = []number[facts.Status]{
	{"frond_facts_readers", "", func(s *facts.Status) float64 { return float64(s.Readers) }},
	{"frond_facts_failing", "", func(s *facts.Status) float64 {
		return oneIf(s.Failure != nil)
	}},
}

// wayNumbers are the numbers of a way out that remembers how far it is.
var wayNumbers = []number[delivery.State]{
	{"frond_facts_waiting", "", counted(func(s *delivery.State) float64 { return float64(s.Waiting) })},
	{"frond_facts_lag_seconds", "", counted(func(s *delivery.State) float64 { return s.Lag().Seconds() })},
	{"frond_facts_delivered_total", "", func(s *delivery.State) float64 { return float64(s.Delivered) }},
	{"frond_facts_failed_total", "", func(s *delivery.State) float64 { return float64(s.Failed) }},
	{"frond_facts_dead_total", "", func(s *delivery.State) float64 { return float64(s.Dead) }},
}

// counted is a number of a backlog that somebody counts.
func counted(value func(*delivery.State) float64) func(*delivery.State) float64 {
	return func(s *delivery.State) float64 {
		if s.Uncounted {
			return math.NaN()
		}
		return value(s)
	}
}

// logNumbers are the size of the host's own log.
var logNumbers = []number[facts.Size]{
	{"frond_facts_log_events", "", func(s *facts.Size) float64 { return float64(s.Events) }},
	{"frond_facts_log_age_seconds", "", func(s *facts.Size) float64 { return s.Age().Seconds() }},
}

// CollectFacts has the numbers of feeds, by the names of their logs, of ways out, and of the host's
// own log on every scrape. It is called once, before the first scrape.
func (t *Telemetry) CollectFacts(feeds func(yield func(log string, s facts.Status)), ways func() []delivery.State, log func() facts.Size) {
	collect(t, feedNumbers, func(yield func(string, *facts.Status)) {
		feeds(func(log string, s facts.Status) { yield(log, &s) })
	})
	collect(t, logNumbers, func(yield func(string, *facts.Size)) {
		size := log()
		yield("", &size)
	})
	collect(t, wayNumbers, func(yield func(string, *delivery.State)) {
		for _, s := range ways() {
			yield(s.Name, &s)
		}
	})
}
