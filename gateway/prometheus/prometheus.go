// Package prometheus keeps the metrics of a gateway for Prometheus, for a program that links it:
//
//	frond.New(site, frond.With(prometheus.Metrics))
package prometheus

import (
	"fmt"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/frondhost/frond/gateway/telemetry"
)

// Metrics makes the numbers that admin.listen serves at /metrics.
var Metrics metrics

type metrics struct{}

// Extra implements extra.Extra.
func (metrics) Extra() string { return "prometheus.Metrics" }

// NewMeter implements [telemetry.Metrics]. The meter has the families too that Prometheus has for each
// Go program. Two hosts of one program have two registries.
func (metrics) NewMeter() telemetry.Meter {
	m := &meter{prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return m
}

type meter struct{ registry *prometheus.Registry }

// Counter implements [telemetry.Meter].
func (m *meter) Counter(f *telemetry.Family) func(labels ...string) telemetry.Counter {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: f.About}, f.Labels)
	m.registry.MustRegister(c)
	return func(labels ...string) telemetry.Counter { return c.WithLabelValues(labels...) }
}

// Gauge implements [telemetry.Meter].
func (m *meter) Gauge(f *telemetry.Family) telemetry.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: f.Name, Help: f.About})
	m.registry.MustRegister(g)
	return g
}

// Histogram implements [telemetry.Meter].
func (m *meter) Histogram(f *telemetry.Family, buckets []float64) func(labels ...string) telemetry.Observer {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: f.Name, Help: f.About, Buckets: buckets}, f.Labels)
	m.registry.MustRegister(h)
	return func(labels ...string) telemetry.Observer { return h.WithLabelValues(labels...) }
}

// Collect implements [telemetry.Meter].
func (m *meter) Collect(families []*telemetry.Family, now func(emit func(family int, label string, value float64))) {
	c := &collector{families: families, now: now}
	for _, f := range families {
		c.descs = append(c.descs, prometheus.NewDesc(f.Name, f.About, f.Labels, nil))
	}
	m.registry.MustRegister(c)
}

// collector asks for its numbers at every scrape and does not keep them.
type collector struct {
	families []*telemetry.Family
	descs    []*prometheus.Desc // of families
	now      func(emit func(family int, label string, value float64))
}

// Describe implements prometheus.Collector, which calls it once, at registration.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	c.now(func(i int, label string, value float64) {
		kind := prometheus.GaugeValue
		if c.families[i].Type == "counter" {
			kind = prometheus.CounterValue
		}
		// A family without labels has one number, of the only source.
		labels := []string{}
		if len(c.families[i].Labels) > 0 {
			labels = append(labels, label)
		}
		to <- prometheus.MustNewConstMetric(c.descs[i], kind, value, labels...)
	})
}

// Handler implements [telemetry.Meter].
func (m *meter) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorLog: scrapeLog{log}})
}

// scrapeLog logs what goes wrong in a scrape.
type scrapeLog struct{ log *slog.Logger }

// Println logs one failure.
func (l scrapeLog) Println(v ...any) {
	l.log.Error("metrics cannot be served", "error", fmt.Sprint(v...))
}
