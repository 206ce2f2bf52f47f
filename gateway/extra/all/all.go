// Package all names every extra of this module, for programs that link all of them, as command frond does.
package all

import (
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/nats"
	"github.com/frondhost/frond/gateway/otlp"
	"github.com/frondhost/frond/gateway/prometheus"
	"github.com/frondhost/frond/gateway/s3"
	"github.com/frondhost/frond/store/postgres"
)

// Extras returns every extra: frond.New(site, frond.With(all.Extras()...)).
func Extras() []extra.Extra {
	return []extra.Extra{postgres.Stores, nats.Facts, s3.Files, otlp.Traces, prometheus.Metrics}
}
