package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/schema"
)

// telemetry is what a host tells of its work: spans of traces, and numbers. Where
// neither is asked for it is nil, nothing of it stands in any path, and a call costs
// what it costs without.
type telemetry struct {
	tracer  trace.Tracer // nil: no spans
	metrics *metrics     // nil: no numbers

	close func(context.Context) error // what is still to be told; of a provider of somebody else's: nothing
}

// newTelemetry is nil where nothing is to be told.
func newTelemetry(ctx context.Context, opts *Options, config *Config, log *slog.Logger) (*telemetry, error) {
	t := &telemetry{close: func(context.Context) error { return nil }}
	provider := opts.Tracing
	if provider == nil {
		own, err := exporting(ctx, log)
		if err != nil {
			return nil, err
		}
		if own != nil {
			provider, t.close = own, own.Shutdown
		}
	}
	if provider != nil {
		t.tracer = provider.Tracer("github.com/frondhost/frond/gateway", trace.WithSchemaURL(semconv.SchemaURL))
	}
	if config.Admin.Listen != "" {
		t.metrics = newMetrics()
	}
	if t.tracer == nil && t.metrics == nil {
		return nil, nil
	}
	return t, nil
}

// exporting is the provider that the usual variables of OpenTelemetry ask for, or
// nil: by the specification spans go to localhost:4318 where nobody says anything;
// here they go where somebody says so.
func exporting(ctx context.Context, log *slog.Logger) (*sdktrace.TracerProvider, error) {
	name := os.Getenv("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || name == "none" ||
		name == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return nil, nil
	}
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return nil, schema.Faults{{
			File: "OTEL_TRACES_EXPORTER", Message: fmt.Sprintf("spans cannot be sent: %v", err),
			Remedy: "set OTEL_TRACES_EXPORTER to otlp, console or none, and OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or grpc",
		}}
	}
	what, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("frond")), resource.WithFromEnv()) // the last one wins
	if err != nil {
		return nil, schema.Faults{{
			File: "OTEL_RESOURCE_ATTRIBUTES", Message: err.Error(), Remedy: "write name=value with commas between them",
		}}
	}
	// Sampling, batches and limits are the SDK's to read from the environment.
	return sdktrace.NewTracerProvider(sdktrace.WithResource(what), sdktrace.WithBatcher(&telling{SpanExporter: exporter, log: log})), nil
}

// telling is an exporter whose failures are told in the log, the first of a row.
type telling struct {
	sdktrace.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	lost int // spans, since one failed
}

func (e *telling) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil:
		if e.lost == 0 {
			e.log.Warn("spans cannot be sent and are lost", "error", err)
		}
		e.lost += len(spans)
	case e.lost > 0:
		e.log.Info("spans are sent again", "lost", e.lost)
		e.lost = 0
	}
	return nil // told; the SDK would print it
}

// shut tells what is still to be told, until a moment; that ctx may have ended is why.
// A collector that does not take it is no failure of the service.
func (t *telemetry) shut(ctx context.Context, by time.Time, log *slog.Logger) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), by)
	defer cancel()
	if err := t.close(ctx); err != nil {
		log.Warn("the last spans may be lost", "error", err)
	}
}
