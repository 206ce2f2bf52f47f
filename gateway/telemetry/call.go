package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// CallWatch reports every call that one façade answers, including the calls of handlers. A nil
// watch is silent. It is made in three steps, since the middleware has to exist before the
// façade and the catalog after it: [Telemetry.Calls], [CallWatch.Middleware], [CallWatch.Bind].
type CallWatch struct {
	telemetry  *Telemetry
	catalog    *catalog.Catalog
	operations map[*catalog.Operation]*watched
	unknown    *watched
}

// watched has the report of one operation. The names are the catalog's: those that a
// caller makes up are reported nowhere.
type watched struct {
	name       string // of the span
	attributes []attribute.KeyValue
	series     *series // nil: no metrics
	transacts  bool    // a call is a transaction, which may run again
}

// Calls makes the watch of the next façade.
func (t *Telemetry) Calls() *CallWatch {
	if t == nil {
		return nil
	}
	return &CallWatch{telemetry: t}
}

// Middleware is the watch as the outermost middleware, around the author's.
func (w *CallWatch) Middleware(own []facade.Middleware) []facade.Middleware {
	if w == nil {
		return own
	}
	return append([]facade.Middleware{w.around}, own...)
}

// Bind gives the watch the catalog that its façade serves. It is called once, before the
// first call.
func (w *CallWatch) Bind(c *catalog.Catalog) {
	if w == nil {
		return
	}
	w.catalog, w.operations = c, map[*catalog.Operation]*watched{}
	for op := range c.Operations() {
		w.operations[op] = w.watched(op.Door.Frond.Name, op.Door.Name, op.Name, op.Kind)
		w.operations[op].transacts = op.Transacts
	}
	// One series for every name outside of the catalog: a caller who makes up names creates no
	// new ones.
	const unknown = "unknown"
	w.unknown = w.watched(unknown, unknown, unknown, unknown)
	w.unknown.name = unknown
}

// watched prepares the report of an operation once, so that a call does not allocate it.
func (w *CallWatch) watched(frond, entity, operation string, kind catalog.Kind) *watched {
	one := &watched{name: entity + "." + operation, attributes: []attribute.KeyValue{
		attribute.String("frond.name", frond), attribute.String("frond.entity", entity),
		attribute.String("frond.operation", operation), attribute.String("frond.kind", string(kind)),
	}}
	if w.telemetry.metrics != nil {
		one.series = &series{metrics: w.telemetry.metrics, frond: frond, entity: entity, operation: operation, kind: string(kind)}
	}
	return one
}

// of is the operation that a call is for.
func (w *CallWatch) of(c *facade.Call) *watched {
	if door := w.catalog.Door(c.Entity); door != nil {
		if one := w.operations[door.Operation(c.Operation)]; one != nil {
			return one
		}
	}
	return w.unknown
}

// around is the middleware. A call that panics is reported as INTERNAL_ERROR and the panic
// goes on: turning it into an error is the façade's matter.
//
// A span has the name ENTITY.OPERATION and these attributes:
//
//	frond.name, frond.entity, frond.operation, frond.kind    always
//	frond.outcome                                            ok, or the code
//	frond.keys                                               of a call for many keys
//	frond.rows                                               of a result with rows
//	frond.tries                                              of a command that ran more than once
//	error.type                                               of a failure
func (w *CallWatch) around(next facade.Caller) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (res *facade.Result, err error) {
		one := w.of(c)
		var span trace.Span
		if t := w.telemetry; t.tracer != nil && !t.skips(ctx, &c.Invocation) {
			above, links := under(ctx, &c.Invocation)
			ctx, span = t.start(above, one.name, one.attributes, links...)
			// A copy: the caller keeps its call, and a retry of it must not be a child of this
			// span.
			own := *c
			own.Invocation.Trace = textOf(span.SpanContext())
			c = &own
		}
		if one.series != nil {
			one.series.began()
		}
		if one.transacts {
			ctx = facade.WatchTries(ctx, func(tries int) { one.tried(span, tries) })
		}
		began := time.Now()
		code := kiterror.InternalError // should middleware panic
		defer func() {
			if one.series != nil {
				one.series.ended(c, code, time.Since(began))
			}
			if span != nil {
				if span.IsRecording() {
					endCall(span, c, res, code)
				}
				span.End()
			}
		}()
		res, err = next.Call(ctx, c)
		code = kiterror.CodeOf(err)
		return res, err
	})
}

// tried reports how often a command ran, if it was more than once.
func (w *watched) tried(span trace.Span, tries int) {
	if tries < 2 {
		return
	}
	if span != nil {
		span.SetAttributes(attribute.Int("frond.tries", tries))
	}
	if w.series != nil {
		w.series.retried(tries - 1)
	}
}

// endCall adds to a call's span what came of it. Failures are errors of the span only where this host or a
// remote is at fault, by their codes, and not where the caller is.
func endCall(span trace.Span, c *facade.Call, res *facade.Result, code kiterror.Code) {
	found := append(make([]attribute.KeyValue, 0, 3), attribute.String("frond.outcome", outcomeOf(code)))
	if c.Each != nil {
		found = append(found, attribute.Int("frond.keys", len(c.Each.Keys)))
	}
	if code != "" {
		failed(span, code)
	} else if res != nil && res.Form != facade.FormValue {
		found = append(found, attribute.Int("frond.rows", res.Rows.Len()))
	}
	span.SetAttributes(found...)
}

// failed adds the code of a failure to a span. Only failures of a server, whose codes have a
// status from 500 on, make the span an error (semantic conventions for HTTP spans).
func failed(span trace.Span, code kiterror.Code) {
	span.SetAttributes(semconv.ErrorTypeKey.String(outcomeOf(code)))
	if code.Status() >= 500 {
		span.SetStatus(codes.Error, "")
	}
}

// outcomeOf is ok, or the code of a failure. A code that an author made up is OTHER, since
// there may be any number of those. It is a label of metrics, so the number of its values is
// bounded.
func outcomeOf(code kiterror.Code) string {
	switch {
	case code == "":
		return "ok"
	case code.Known():
		return string(code)
	}
	return "OTHER"
}
