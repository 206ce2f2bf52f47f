// Package otlp sends spans with OpenTelemetry's protocol, for a program that links it:
//
//	frond.New(site, frond.With(otlp.Traces))
//
// OpenTelemetry's variables say where to (docs/observability.md).
package otlp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/schema"
)

// Traces sends the spans of a gateway where the OTEL_ variables name an exporter.
var Traces traces

type traces struct{}

// Extra implements extra.Extra.
func (traces) Extra() string { return "otlp.Traces" }

// Provider implements [telemetry.Traces].
func (traces) Provider(ctx context.Context, name string, log *slog.Logger) (telemetry.TracerProvider, func(context.Context) error, error) {
	exporter, err := exporterOf(ctx, name)
	if err != nil {
		return nil, nil, schema.Faults{{
			File: "OTEL_TRACES_EXPORTER", Message: fmt.Sprintf("spans cannot be sent: %v", err),
			Remedy: "set OTEL_TRACES_EXPORTER to otlp, console or none, and OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or grpc",
		}}
	}
	what, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("frond")), resource.WithFromEnv()) // the last one wins
	if err != nil {
		return nil, nil, schema.Faults{{
			File: "OTEL_RESOURCE_ATTRIBUTES", Message: err.Error(), Remedy: "write name=value with commas between them",
		}}
	}
	// Sampling, batches and limits are the SDK's to read from the environment.
	own := sdktrace.NewTracerProvider(sdktrace.WithResource(what), sdktrace.WithBatcher(&reporting{SpanExporter: exporter, log: log}))
	return own, own.Shutdown, nil
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
