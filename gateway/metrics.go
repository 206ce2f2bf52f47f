package gateway

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
)

// Metric is one family of numbers that /metrics tells.
type Metric struct {
	Name   string
	Type   string   // counter, gauge or histogram
	Labels []string // what each of its numbers is told apart by
	About  string
}

// families are the one table behind /metrics and its page, beside those that
// Prometheus has for every program in Go. A label's values are names of the catalog
// and of the settings, codes, and words of ours: nobody who calls can add to them.
var families = []Metric{
	{"frond_http_requests_total", "counter", []string{"surface", "method", "status"}, "Requests answered, health checks aside."},
	{"frond_http_request_duration_seconds", "histogram", []string{"surface"}, "How long requests took."},
	{"frond_http_requests_in_flight", "gauge", nil, "Requests under way."},
	{"frond_memory_budget_bytes", "gauge", nil, "Bytes that all requests together may hold for rows and answers (limits.memory); 0: any number."},
	{"frond_memory_used_bytes", "gauge", nil, "Bytes of these that are held."},
	{"frond_executions_limit", "gauge", nil, "Requests that may execute at once (limits.executions); 0: any number."},
	{"frond_executions_in_flight", "gauge", nil, "Requests that execute; what is only being sent is none."},
	{"frond_refused_total", "counter", []string{"for"}, "Requests refused because there was no room for them: memory or executions."},
	{"frond_graphql_operations_total", "counter", []string{"type", "outcome"}, "GraphQL operations: executed, coalesced (an equal one's execution answered) or refused before any was executed."},
	{"frond_calls_total", "counter", []string{"frond", "entity", "operation", "kind", "outcome"}, "Calls of operations, those of handlers among them; the outcome is ok or the code of the failure."},
	{"frond_call_duration_seconds", "histogram", []string{"frond", "entity", "operation"}, "How long calls took."},
	{"frond_calls_in_flight", "gauge", nil, "Calls under way."},
	{"frond_call_batch_size", "histogram", []string{"frond", "entity"}, "Keys of calls for many keys: a relation for many rows is one call."},
	{"frond_remote_calls_total", "counter", []string{"remote", "outcome"}, "Calls made of a remote, discovery among them."},
	{"frond_remote_call_duration_seconds", "histogram", []string{"remote"}, "How long those took, with retries and what was waited for."},
	{"frond_remote_batch_size", "histogram", []string{"remote"}, "Keys of calls for many keys, made of a remote."},
	{"frond_remote_requests_total", "counter", []string{"remote"}, "HTTP requests sent to a remote, retries among them."},
	{"frond_remote_retries_total", "counter", []string{"remote"}, "Requests of these that were sent again."},
	{"frond_remote_coalesced_total", "counter", []string{"remote"}, "Calls that an equal call's request answered."},
	{"frond_remote_failures_total", "counter", []string{"remote"}, "Trips that failed on the way; what the host answers with a failure is none."},
	{"frond_remote_requests_in_flight", "gauge", []string{"remote"}, "HTTP requests under way to a remote."},
	{"frond_remote_breaker_state", "gauge", []string{"remote"}, "0 closed: calls go out; 1 half-open: one call is the probe; 2 open: none goes out."},
	{"frond_remote_known", "gauge", []string{"remote"}, "1 where the remote has told what it serves, else 0."},
}

// Metrics lists what /metrics tells, in the order it is documented.
func Metrics() []Metric { return slices.Clone(families) }

// Buckets of histograms: from what the embedded store takes to what a call may.
var (
	durations = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	sizes     = []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000}
)

// metrics are the numbers of one host. They belong to it alone: two hosts of one
// program have two registries.
type metrics struct {
	registry *prometheus.Registry

	requests         *prometheus.CounterVec
	requestDuration  *prometheus.HistogramVec
	requestsInFlight prometheus.Gauge
	operations       *prometheus.CounterVec
	calls            *prometheus.CounterVec
	callDuration     *prometheus.HistogramVec
	callsInFlight    prometheus.Gauge
	callBatch        *prometheus.HistogramVec
	trips            *prometheus.CounterVec
	tripDuration     *prometheus.HistogramVec
	tripBatch        *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	m.requests = m.counter("frond_http_requests_total")
	m.requestDuration = m.histogram("frond_http_request_duration_seconds", durations)
	m.requestsInFlight = m.gauge("frond_http_requests_in_flight")
	m.operations = m.counter("frond_graphql_operations_total")
	m.calls = m.counter("frond_calls_total")
	m.callDuration = m.histogram("frond_call_duration_seconds", durations)
	m.callsInFlight = m.gauge("frond_calls_in_flight")
	m.callBatch = m.histogram("frond_call_batch_size", sizes)
	m.trips = m.counter("frond_remote_calls_total")
	m.tripDuration = m.histogram("frond_remote_call_duration_seconds", durations)
	m.tripBatch = m.histogram("frond_remote_batch_size", sizes)
	return m
}

// family is a line of the table.
func family(name string) *Metric {
	i := slices.IndexFunc(families, func(m Metric) bool { return m.Name == name })
	return &families[i]
}

func (m *metrics) counter(name string) *prometheus.CounterVec {
	f := family(name)
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: f.About}, f.Labels)
	m.registry.MustRegister(c)
	return c
}

func (m *metrics) gauge(name string) prometheus.Gauge {
	f := family(name)
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: f.Name, Help: f.About})
	m.registry.MustRegister(g)
	return g
}

func (m *metrics) histogram(name string, buckets []float64) *prometheus.HistogramVec {
	f := family(name)
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: f.Name, Help: f.About, Buckets: buckets}, f.Labels)
	m.registry.MustRegister(h)
	return h
}

// series are the numbers of one operation. They appear with its first call: a host of
// a thousand entities tells of those that are used.
type series struct {
	metrics                        *metrics
	frond, entity, operation, kind string

	once sync.Once
	usual
}

// usual are the numbers that every call changes, looked up once.
type usual struct {
	ok       prometheus.Counter
	duration prometheus.Observer
}

func (s *series) began() { s.metrics.callsInFlight.Inc() }

func (s *series) ended(c *facade.Call, code facade.Code, took time.Duration) {
	m := s.metrics
	m.callsInFlight.Dec()
	s.once.Do(func() {
		s.usual = usual{s.counted(""), m.callDuration.WithLabelValues(s.frond, s.entity, s.operation)}
	})
	s.duration.Observe(took.Seconds())
	if code == "" {
		s.ok.Inc()
	} else {
		s.counted(code).Inc()
	}
	if c.Each != nil {
		m.callBatch.WithLabelValues(s.frond, s.entity).Observe(float64(len(c.Each.Keys)))
	}
}

func (s *series) counted(code facade.Code) prometheus.Counter {
	return s.metrics.calls.WithLabelValues(s.frond, s.entity, s.operation, s.kind, outcomeOf(code))
}

// tripped counts a call that was made of a remote.
func (m *metrics) tripped(e *envelope.Event) {
	m.trips.WithLabelValues(e.Remote, outcomeOf(e.Code)).Inc()
	m.tripDuration.WithLabelValues(e.Remote).Observe(e.Duration.Seconds())
	if e.Keys > 0 {
		m.tripBatch.WithLabelValues(e.Remote).Observe(float64(e.Keys))
	}
}
