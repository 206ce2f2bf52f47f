package telemetry

import (
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Family is one family of numbers at /metrics.
type Family struct {
	Name   string
	Type   string   // counter, gauge or histogram
	Labels []string // what distinguishes the numbers of the family
	About  string
}

// families are the one table of /metrics and its documentation, besides those that
// Prometheus has for every Go program. The values of labels are names of the catalog and
// the settings, codes, and words of this package: a caller cannot add to them, so their
// number is bounded (docs/decisions/telemetry.md).
var families = []Family{
	{"frond_http_requests_total", "counter", []string{"surface", "method", "status"}, "Requests answered, health checks aside."},
	{"frond_http_request_duration_seconds", "histogram", []string{"surface"}, "How long requests took."},
	{"frond_http_requests_in_flight", "gauge", nil, "Requests under way."},
	{"frond_memory_budget_bytes", "gauge", nil, "Bytes that all requests together may hold for rows and answers (limits.memory); 0: any number."},
	{"frond_memory_used_bytes", "gauge", nil, "Bytes of these that are held."},
	{"frond_executions_limit", "gauge", nil, "Requests that may execute at once (limits.executions); 0: any number."},
	{"frond_executions_in_flight", "gauge", nil, "Requests that execute; one whose answer is only being sent is not counted."},
	{"frond_refused_total", "counter", []string{"for"}, "Requests refused because there was no room for them: memory or executions."},
	{"frond_graphql_operations_total", "counter", []string{"type", "outcome"}, "GraphQL operations: executed, coalesced (an equal one's execution answered) or refused before any was executed."},
	{"frond_graphql_connections", "gauge", nil, "Websockets and reserved event streams that are open."},
	{"frond_graphql_subscriptions", "gauge", nil, "GraphQL subscriptions that are open."},
	{"frond_graphql_subscription_events_total", "counter", []string{"outcome"}, "Events for subscriptions: evaluated, or shared with an equal subscription that had evaluated it."},
	{"frond_calls_total", "counter", []string{"frond", "entity", "operation", "kind", "outcome"}, "Calls of operations, those of handlers among them; the outcome is ok or the code of the failure."},
	{"frond_call_duration_seconds", "histogram", []string{"frond", "entity", "operation"}, "How long calls took."},
	{"frond_call_retries_total", "counter", []string{"frond", "entity", "operation"}, "Times that a command ran again because another transaction came between."},
	{"frond_calls_in_flight", "gauge", nil, "Calls under way."},
	{"frond_call_batch_size", "histogram", []string{"frond", "entity"}, "Keys of calls for many keys: a relation for many rows is one call."},
	{"frond_remote_calls_total", "counter", []string{"remote", "outcome"}, "Calls made of a remote, discovery among them."},
	{"frond_remote_call_duration_seconds", "histogram", []string{"remote"}, "How long those took, retries and waiting included."},
	{"frond_remote_batch_size", "histogram", []string{"remote"}, "Keys of calls for many keys, made of a remote."},
	{"frond_remote_requests_total", "counter", []string{"remote"}, "HTTP requests sent to a remote, retries among them."},
	{"frond_remote_retries_total", "counter", []string{"remote"}, "Requests of these that were sent again."},
	{"frond_remote_coalesced_total", "counter", []string{"remote"}, "Calls that an equal call's request answered."},
	{"frond_remote_failures_total", "counter", []string{"remote"}, "Round trips that failed on the way; a failure that the host answers is none."},
	{"frond_remote_requests_in_flight", "gauge", []string{"remote"}, "HTTP requests under way to a remote."},
	{"frond_remote_breaker_state", "gauge", []string{"remote"}, "0 closed: calls go out; 1 half-open: one call is the probe; 2 open: none goes out."},
	{"frond_remote_known", "gauge", []string{"remote"}, "1 where the remote's discovery document is known, else 0."},
	{"frond_shadow_calls_total", "counter", []string{"frond", "entity", "operation", "outcome"}, "Queries that were copied to the host of remotes: same, different, failed (it did not answer) or dropped (the queue was full)."},
	{"frond_shadow_differences_total", "counter", []string{"frond", "entity", "operation", "field"}, "Copied queries whose answers differ in a field; error is their failure."},
	{"frond_facts_events_total", "counter", []string{"fact"}, "Events that were read of the store's log; every process over one store counts all of them: take max, not sum."},
	{"frond_facts_delay_seconds", "histogram", nil, "The time from a command's announcement until its event was handed to who follows it here."},
	{"frond_facts_readers", "gauge", []string{"log"}, "Subscribers and other readers of a log: own, or the Frond of a remote."},
	{"frond_facts_failing", "gauge", []string{"log"}, "1 while a log cannot be read, else 0; events wait in the store."},
	{"frond_facts_waiting", "gauge", []string{"way"}, "Events that a way out (go:…, webhook:…, nats) has not delivered, as their log counts them: equal on every gateway. The host of a remote's log counts it; where it does not, the way has no number."},
	{"frond_facts_lag_seconds", "gauge", []string{"way"}, "How long the first of these has been waiting."},
	{"frond_facts_log_events", "gauge", nil, "Events that the store keeps."},
	{"frond_facts_log_age_seconds", "gauge", nil, "How long ago the oldest of these was emitted."},
	{"frond_facts_delivered_total", "counter", []string{"way"}, "Events that a way out was done with."},
	{"frond_facts_failed_total", "counter", []string{"way"}, "Attempts of these that failed."},
	{"frond_facts_dead_total", "counter", []string{"way"}, "Events that a way out gave up on; frond facts dead lists them."},
	{"frond_store_connections", "gauge", nil, "Connections to the store that calls may use at once; on SQLite those that read."},
	{"frond_store_connections_in_use", "gauge", nil, "Connections of these that calls use."},
	{"frond_store_connections_waiting", "gauge", nil, "Calls that wait for one."},
	{"frond_store_statement_duration_seconds", "histogram", nil, "How long statements took; on PostgreSQL round trips."},
	{"frond_store_errors_total", "counter", []string{"class"}, "Statements that failed: connection, wait, time, conflict, lock, constraint, resources or other."},
	{"frond_store_tables", "gauge", []string{"state"}, "1 for the state of the tables, 0 for the others: ready, unreachable, changing, filling or newer."},
	{"frond_files_failing", "gauge", nil, "1 while the storage of files fails, else 0."},
	{"frond_files_failures_total", "counter", nil, "Requests that the storage of files has failed."},
	{"frond_files_missing_total", "counter", nil, "Reads of files whose bytes are missing."},
	{"frond_jobs_total", "counter", []string{"job", "outcome"}, "Times of jobs that this process has written the outcome of: done, failed, interrupted, skipped or missed."},
	{"frond_jobs_running", "gauge", []string{"job"}, "1 while a run is under way, on any gateway."},
	{"frond_jobs_success_timestamp_seconds", "gauge", []string{"job"}, "When the last run ended that is done, on any gateway."},
}

// Buckets of histograms, durations in seconds: from a read of the embedded store to the
// longest call.
var (
	durations = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	sizes     = []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000}
)

// Metrics makes the meters of hosts, for a program that links it.
type Metrics interface {
	NewMeter() Meter
}

// Meter keeps the numbers of one host. Its methods are called at the start, their results by many
// goroutines.
type Meter interface {
	Counter(f *Family) func(labels ...string) Counter
	// Gauge has a family without labels: its value is there, 0, from the start.
	Gauge(f *Family) Gauge
	// Histogram has a family with the upper bounds of its buckets.
	Histogram(f *Family, buckets []float64) func(labels ...string) Observer
	// Collect asks for numbers at every scrape, which many make at once: now calls emit with the index of
	// a family, the value of its label and the number.
	Collect(families []*Family, now func(emit func(family int, label string, value float64)))
	// Handler serves the numbers. Failures of a scrape are logged.
	Handler(log *slog.Logger) http.Handler
}

// Counter is a number that grows.
type Counter interface {
	Inc()
	Add(by float64)
}

// Gauge is a number that changes.
type Gauge interface {
	Inc()
	Dec()
}

// Observer takes the values of a histogram.
type Observer interface{ Observe(value float64) }

// metrics are the numbers of one host. Two hosts of one program have two registries.
type metrics struct {
	meter Meter

	requests         func(labels ...string) Counter
	requestDuration  func(labels ...string) Observer
	requestsInFlight Gauge
	operations       func(labels ...string) Counter
	calls            func(labels ...string) Counter
	callRetries      func(labels ...string) Counter
	callDuration     func(labels ...string) Observer
	callsInFlight    Gauge
	callBatch        func(labels ...string) Observer
	remoteCalls      func(labels ...string) Counter
	remoteDuration   func(labels ...string) Observer
	remoteBatch      func(labels ...string) Observer
	shadowCalls      func(labels ...string) Counter
	shadowDiffers    func(labels ...string) Counter
	events           func(labels ...string) Counter
	eventDelay       Observer
	jobs             func(labels ...string) Counter
	statements       Observer
	storeErrors      func(labels ...string) Counter
}

// newMetrics registers every family but those that collectors read at a scrape.
func newMetrics(meter Meter) *metrics {
	m := &metrics{meter: meter}
	m.requests = m.counter("frond_http_requests_total")
	m.requestDuration = m.histogram("frond_http_request_duration_seconds", durations)
	m.requestsInFlight = m.gauge("frond_http_requests_in_flight")
	m.operations = m.counter("frond_graphql_operations_total")
	m.calls = m.counter("frond_calls_total")
	m.callRetries = m.counter("frond_call_retries_total")
	m.callDuration = m.histogram("frond_call_duration_seconds", durations)
	m.callsInFlight = m.gauge("frond_calls_in_flight")
	m.callBatch = m.histogram("frond_call_batch_size", sizes)
	m.remoteCalls = m.counter("frond_remote_calls_total")
	m.remoteDuration = m.histogram("frond_remote_call_duration_seconds", durations)
	m.remoteBatch = m.histogram("frond_remote_batch_size", sizes)
	m.shadowCalls = m.counter("frond_shadow_calls_total")
	m.shadowDiffers = m.counter("frond_shadow_differences_total")
	m.events = m.counter("frond_facts_events_total")
	m.eventDelay = m.histogram("frond_facts_delay_seconds", durations)()
	m.jobs = m.counter("frond_jobs_total")
	m.statements = m.histogram("frond_store_statement_duration_seconds", durations)()
	m.storeErrors = m.counter("frond_store_errors_total")
	return m
}

// family is a line of the table. A name outside of the table panics when the metrics are made,
// at startup.
func family(name string) *Family {
	i := slices.IndexFunc(families, func(m Family) bool { return m.Name == name })
	return &families[i]
}

func (m *metrics) counter(name string) func(labels ...string) Counter {
	return m.meter.Counter(family(name))
}

func (m *metrics) gauge(name string) Gauge { return m.meter.Gauge(family(name)) }

func (m *metrics) histogram(name string, buckets []float64) func(labels ...string) Observer {
	return m.meter.Histogram(family(name), buckets)
}

// series are the numbers of one operation. They are created by its first call, so that a
// host with a thousand entities exposes only those in use.
type series struct {
	metrics                        *metrics
	frond, entity, operation, kind string

	once sync.Once
	usual
}

// usual are the numbers that every call changes; looking them up for each would allocate.
type usual struct {
	ok       Counter
	duration Observer
}

// began counts a call as under way until ended.
func (s *series) began() { s.metrics.callsInFlight.Inc() }

// ended counts a call with its outcome: "" is success. The counters of success and of duration
// are looked up once, with the first call. A failure looks its counter up each time: failures
// are rare, and there are as many counters as codes.
func (s *series) ended(c *facade.Call, code kiterror.Code, took time.Duration) {
	m := s.metrics
	m.callsInFlight.Dec()
	s.once.Do(func() {
		s.usual = usual{s.counted(""), m.callDuration(s.frond, s.entity, s.operation)}
	})
	s.duration.Observe(took.Seconds())
	if code == "" {
		s.ok.Inc()
	} else {
		s.counted(code).Inc()
	}
	if c.Each != nil {
		m.callBatch(s.frond, s.entity).Observe(float64(len(c.Each.Keys)))
	}
}

// retried counts how often a command ran again.
func (s *series) retried(n int) {
	s.metrics.callRetries(s.frond, s.entity, s.operation).Add(float64(n))
}

// counted is the counter of one outcome.
func (s *series) counted(code kiterror.Code) Counter {
	return s.metrics.calls(s.frond, s.entity, s.operation, s.kind, outcomeOf(code))
}

// calledRemote counts a call that the client of a remote has finished. e.Duration has the
// retries and the waiting between them in it.
func (m *metrics) calledRemote(e *client.Event) {
	m.remoteCalls(e.Remote, outcomeOf(e.Code)).Inc()
	m.remoteDuration(e.Remote).Observe(e.Duration.Seconds())
	if e.Keys > 0 {
		m.remoteBatch(e.Remote).Observe(float64(e.Keys))
	}
}

// MetricsHandler serves /metrics; nil: there are no metrics. Failures of a scrape are logged.
// It is safe for concurrent use. The admin handler in front of it checks the caller
// (docs/decisions/telemetry.md).
func (t *Telemetry) MetricsHandler(log *slog.Logger) http.Handler {
	if t == nil || t.metrics == nil {
		return nil
	}
	return t.metrics.meter.Handler(log)
}
