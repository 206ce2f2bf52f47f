package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/schema"
)

// TracerProvider makes the tracers that spans come from: OpenTelemetry's.
type TracerProvider = trace.TracerProvider

// Telemetry is the report of a host about its work: spans of traces, and metrics. Where
// neither is configured it is nil: its methods then pass everything through unchanged,
// and a call has no cost of observation. Its methods may be called from many
// goroutines.
type Telemetry struct {
	tracer  trace.Tracer // nil: no spans
	own     bool         // the variables chose its sampler, which decides by the trace alone
	metrics *metrics     // nil: no metrics

	flush func(context.Context) error // sends the spans that are left; of a provider that the caller brought: nothing
}

// New makes the telemetry of a host. provider is where spans go; nil: to an exporter of its
// own where the OTEL_ variables name one, else nowhere. Failures of exporting are logged. The
// result is nil where there are neither spans nor metrics.
//
// The error is schema.Faults that name the variable: an exporter or attributes that cannot be
// made of it. A collector that cannot be reached is none; it may come later.
func New(ctx context.Context, provider TracerProvider, withMetrics bool, log *slog.Logger) (*Telemetry, error) {
	t := &Telemetry{flush: func(context.Context) error { return nil }}
	if provider == nil {
		own, err := exporting(ctx, log)
		if err != nil {
			return nil, err
		}
		if own != nil {
			provider, t.own, t.flush = own, true, own.Shutdown
		}
	}
	if provider != nil {
		t.tracer = provider.Tracer("github.com/frondhost/frond/gateway", trace.WithSchemaURL(semconv.SchemaURL))
	}
	if withMetrics {
		t.metrics = newMetrics()
	}
	if t.tracer == nil && t.metrics == nil {
		return nil, nil
	}
	return t, nil
}

// exporting is the provider that the variables of OpenTelemetry's specification name, or nil.
// The specification sends spans to localhost:4318 where no variable is set; here nothing is
// sent then (docs/decisions/telemetry.md).
//
//	OTEL_SDK_DISABLED=true, OTEL_TRACES_EXPORTER=none    nothing
//	OTEL_TRACES_EXPORTER=otlp or console                 that exporter
//	OTEL_EXPORTER_OTLP_[TRACES_]ENDPOINT=http://…        OTLP, which is the default
//	none of these                                        nothing
func exporting(ctx context.Context, log *slog.Logger) (*sdktrace.TracerProvider, error) {
	name := os.Getenv("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || name == "none" ||
		name == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return nil, nil
	}
	exporter, err := exporterOf(ctx, name)
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
	return sdktrace.NewTracerProvider(sdktrace.WithResource(what), sdktrace.WithBatcher(&reporting{SpanExporter: exporter, log: log})), nil
}

// exporterOf returns the exporter of a name, "" for otlp. It reads the other variables itself. It is
// OpenTelemetry's autoexport without the exporters of logs and metrics, which are 1.4 MB of the program.
func exporterOf(ctx context.Context, name string) (sdktrace.SpanExporter, error) {
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf")
	switch {
	case name == "console":
		return stdouttrace.New()
	case name != "" && name != "otlp":
		return nil, fmt.Errorf("there is no exporter %q", name)
	case protocol == "http/protobuf":
		return otlptracehttp.New(ctx)
	case protocol == "grpc":
		return otlptracegrpc.New(ctx)
	}
	return nil, fmt.Errorf("there is no protocol %q", protocol)
}

// reporting is an exporter whose failures are logged: the first of several in a row.
type reporting struct {
	sdktrace.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	lost int // spans, since one failed
}

// ExportSpans exports spans and logs the first failure and the recovery. It never fails: a
// lost span is no error of the program.
func (e *reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
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
	return nil // logged here; the SDK would print it
}

// Shutdown sends the remaining spans, until a deadline: ctx may be done already. Spans
// that are lost then are logged and are no failure of the service. A provider that the caller
// of New brought is not flushed: it is the caller's.
func (t *Telemetry) Shutdown(ctx context.Context, by time.Time, log *slog.Logger) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), by)
	defer cancel()
	if err := t.flush(ctx); err != nil {
		log.Warn("the last spans may be lost", "error", err)
	}
}
