// Package extra has the parts of a gateway that a program links by name, since not every program needs
// them: stores on servers, NATS, S3, and where spans and metrics go.
//
// A package of such a part has a value that is an [Extra] and implements an interface of the gateway for
// its task:
//
//	store/postgres      postgres.Stores      store.Engine
//	gateway/nats        nats.Facts           publish.Broker
//	gateway/s3          s3.Files             files.Buckets
//	gateway/otlp        otlp.Traces          telemetry.Traces
//	gateway/prometheus  prometheus.Metrics   telemetry.Metrics
package extra

import (
	"fmt"
	"path"

	"github.com/frondhost/frond/schema"
)

// Extra is a part of a gateway that a program may link.
type Extra interface {
	// Extra is the name of the value in Go, such as postgres.Stores.
	Extra() string
}

// Find returns the extra that does a task; the zero value if the program does not link it.
func Find[Task any](linked []Extra) (found Task) {
	for _, e := range linked {
		if task, ok := e.(Task); ok {
			return task
		}
	}
	return found
}

// Named is an extra of this module that a setting may need.
type Named struct {
	Value string // in Go
	Path  string // of its package, in the module
}

// The extras of this module.
var (
	Postgres   = Named{"postgres.Stores", "store/postgres"}
	NATS       = Named{"nats.Facts", "gateway/nats"}
	S3         = Named{"s3.Files", "gateway/s3"}
	OTLP       = Named{"otlp.Traces", "gateway/otlp"}
	Prometheus = Named{"prometheus.Metrics", "gateway/prometheus"}
)

const module = "github.com/frondhost/frond"

// Missing is the fault of a setting that needs an extra which the program does not link.
func (n Named) Missing(file, pointer, setting string) schema.Fault {
	return schema.Fault{
		File: file, Pointer: pointer, Message: fmt.Sprintf("%s needs %s, which this program does not link", setting, n.Value),
		Remedy: fmt.Sprintf("import %q and write frond.New(site, frond.With(%s)); or leave the setting out", path.Join(module, n.Path), n.Value),
	}
}
