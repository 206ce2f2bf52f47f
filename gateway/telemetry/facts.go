package telemetry

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/delivery"
)

// Events returns what counts the events of a log as they are read, by their facts; nil: there
// are no metrics.
func (t *Telemetry) Events() func(*facade.Event) {
	if t == nil || t.metrics == nil {
		return nil
	}
	return func(e *facade.Event) {
		t.metrics.events.WithLabelValues(e.Frond + "." + e.Name).Inc()
		t.metrics.eventDelay.Observe(max(0, time.Since(e.At).Seconds()))
	}
}

// feedNumbers are the numbers of a feed about its log.
var feedNumbers = []number[facts.Status]{
	{"frond_facts_readers", prometheus.GaugeValue, "", func(s *facts.Status) float64 { return float64(s.Readers) }},
	{"frond_facts_failing", prometheus.GaugeValue, "", func(s *facts.Status) float64 {
		return oneIf(s.Failure != nil)
	}},
}

// wayNumbers are the numbers of a way out that remembers how far it is.
var wayNumbers = []number[delivery.State]{
	{"frond_facts_waiting", prometheus.GaugeValue, "", counted(func(s *delivery.State) float64 { return float64(s.Waiting) })},
	{"frond_facts_lag_seconds", prometheus.GaugeValue, "", counted(func(s *delivery.State) float64 { return s.Lag().Seconds() })},
	{"frond_facts_delivered_total", prometheus.CounterValue, "", func(s *delivery.State) float64 { return float64(s.Delivered) }},
	{"frond_facts_failed_total", prometheus.CounterValue, "", func(s *delivery.State) float64 { return float64(s.Failed) }},
	{"frond_facts_dead_total", prometheus.CounterValue, "", func(s *delivery.State) float64 { return float64(s.Dead) }},
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
	{"frond_facts_log_events", prometheus.GaugeValue, "", func(s *facts.Size) float64 { return float64(s.Events) }},
	{"frond_facts_log_age_seconds", prometheus.GaugeValue, "", func(s *facts.Size) float64 { return s.Age().Seconds() }},
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
