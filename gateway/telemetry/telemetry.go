package telemetry

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"

	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/setting"
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

// Traces sends spans to an exporter, for a program that links it.
type Traces interface {
	// Provider makes the provider of an exporter, "" for otlp; it reads the other OTEL_ variables itself. flush
	// sends the remaining spans, and ends it. Failures of exporting are logged. The error is schema.Faults that
	// name the variable.
	Provider(ctx context.Context, exporter string, log *slog.Logger) (provider TracerProvider, flush func(context.Context) error, err error)
}

// Options of [New].
type Options struct {
	// Provider takes the spans; nil: an exporter of Traces does, if the OTEL_ variables name one.
	Provider TracerProvider
	Measured bool    // there are metrics
	Traces   Traces  // nil: the program does not link it, as the next one
	Metrics  Metrics // the meter of the metrics
	Log      *slog.Logger
}

// New makes the telemetry of a host. Failures of exporting are logged. The result is nil without
// spans and metrics.
//
// The error is schema.Faults that name the variable: an exporter or attributes that cannot be
// made of it. A collector that cannot be reached is no error; it may come later.
func New(ctx context.Context, o *Options) (*Telemetry, error) {
	provider := o.Provider
	t := &Telemetry{flush: func(context.Context) error { return nil }}
	if provider == nil {
		own, flush, err := exporting(ctx, o.Traces, o.Log)
		if err != nil {
			return nil, err
		}
		if own != nil {
			provider, t.own, t.flush = own, true, flush
		}
	}
	if provider != nil {
		t.tracer = provider.Tracer("github.com/frondhost/frond/gateway", trace.WithSchemaURL(semconv.SchemaURL))
	}
	if o.Measured {
		if o.Metrics == nil {
			return nil, extra.Prometheus.Missing(setting.File, "/admin/listen", "/metrics on admin.listen")
		}
		t.metrics = newMetrics(o.Metrics.NewMeter())
	}
	if t.tracer == nil && t.metrics == nil {
		return nil, nil
	}
	return t, nil
}

// exporting is the provider that the variables of OpenTelemetry's specification name, or nil.
// Without a variable the specification sends spans to localhost:4318; this program sends no
// spans then (docs/decisions/telemetry.md).
//
//	OTEL_SDK_DISABLED=true, OTEL_TRACES_EXPORTER=none    nil
//	OTEL_TRACES_EXPORTER=otlp or console                 that exporter
//	OTEL_EXPORTER_OTLP_[TRACES_]ENDPOINT=http://…        OTLP, which is the default
//	without these variables                              nil
func exporting(ctx context.Context, traces Traces, log *slog.Logger) (provider TracerProvider, flush func(context.Context) error, err error) {
	name := os.Getenv("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || name == "none" ||
		name == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return nil, nil, nil
	}
	if traces == nil {
		return nil, nil, extra.OTLP.Missing(exporterVariable(), "", "an exporter of spans")
	}
	return traces.Provider(ctx, name, log)
}

// exporterVariable is the first variable of the environment that names an exporter.
func exporterVariable() string {
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return "OTEL_EXPORTER_OTLP_ENDPOINT"
}

// Shutdown sends the remaining spans, until a deadline: ctx may be done already. Lost spans are
// logged and are no failure of the service. A provider that the caller of New brought is not
// flushed: it is the caller's.
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
