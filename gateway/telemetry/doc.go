// Package telemetry reports the work of a gateway: spans to OpenTelemetry, metrics to
// Prometheus, and log lines that name the trace they belong to.
//
// A request passes three of its handlers, the outermost first:
//
//	Requests   the request's span and its metrics
//	Watch      the line in the access log; a panic becomes an answer
//	At         which surface the request reached, and by which route
//
// and below them [CallWatch] reports every call of the façade, [Telemetry.Remotes] and
// [Telemetry.Client] those that go to another host. A surface reports its part of a request
// with [Called] and [Telemetry.Operation].
//
// A nil *Telemetry has neither spans nor metrics, and adds nothing to the path of a
// request or a call. The package knows no surface and no setting but those of the log;
// the metrics it has are listed by [Metrics].
package telemetry
