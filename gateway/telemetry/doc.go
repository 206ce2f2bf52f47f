// Package telemetry reports the work of a gateway: spans to OpenTelemetry, metrics to
// Prometheus, and log lines that name the trace they belong to.
//
// The report of a request is a value of three methods:
//
//	Begin   starts its span and its time
//	At      says which surface the request reached, and by which route
//	End     ends the span, counts the request and writes the line of the access log
//
// Below it [CallWatch] reports every call of the façade, [Telemetry.Remotes] and
// [Telemetry.Client] those that go to another host. A surface reports its part of a request
// with [Called] and [Telemetry.Operation].
//
// A nil *Telemetry has neither spans nor metrics, and adds no cost to the path of a request or
// a call. The package knows no surface, and no setting but the log's; the metrics it has are
// listed by [Metrics].
package telemetry
