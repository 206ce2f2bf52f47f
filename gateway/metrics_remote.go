package gateway

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/frondhost/frond/envelope"
)

// remoteNumbers are what a remote counts by itself, asked for at every scrape.
var remoteNumbers = []struct {
	family string
	kind   prometheus.ValueType
	value  func(*peer, *envelope.RemoteStatus) float64
}{
	{"frond_remote_requests_total", prometheus.CounterValue, func(_ *peer, s *envelope.RemoteStatus) float64 { return float64(s.Posts) }},
	{"frond_remote_retries_total", prometheus.CounterValue, func(_ *peer, s *envelope.RemoteStatus) float64 { return float64(s.Again) }},
	{"frond_remote_coalesced_total", prometheus.CounterValue, func(_ *peer, s *envelope.RemoteStatus) float64 { return float64(s.RodeAlong) }},
	{"frond_remote_failures_total", prometheus.CounterValue, func(_ *peer, s *envelope.RemoteStatus) float64 { return float64(s.Failed) }},
	{"frond_remote_requests_in_flight", prometheus.GaugeValue, func(_ *peer, s *envelope.RemoteStatus) float64 { return float64(s.InFlight) }},
	{"frond_remote_breaker_state", prometheus.GaugeValue, func(_ *peer, s *envelope.RemoteStatus) float64 { return breakerStates[s.Breaker] }},
	{"frond_remote_known", prometheus.GaugeValue, func(p *peer, _ *envelope.RemoteStatus) float64 {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.told == nil {
			return 0
		}
		return 1
	}},
}

var breakerStates = map[string]float64{"closed": 0, "half-open": 1, "open": 2}

// remoteCollector asks every remote how it stands.
type remoteCollector struct {
	peers []*peer
	descs []*prometheus.Desc // of remoteNumbers
}

// follow has the numbers of a topology's remotes told, where there are any.
func (t *telemetry) follow(topology *topology) {
	if t == nil || t.metrics == nil || topology == nil {
		return
	}
	c := &remoteCollector{peers: topology.peers}
	for _, n := range remoteNumbers {
		f := family(n.family)
		c.descs = append(c.descs, prometheus.NewDesc(f.Name, f.About, f.Labels, nil))
	}
	t.metrics.registry.MustRegister(c)
}

// Describe names the families.
func (c *remoteCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect asks; nothing of it waits for a remote.
func (c *remoteCollector) Collect(to chan<- prometheus.Metric) {
	for _, p := range c.peers {
		status := p.remote.Status()
		for i, n := range remoteNumbers {
			to <- prometheus.MustNewConstMetric(c.descs[i], n.kind, n.value(p, &status), status.Name)
		}
	}
}
