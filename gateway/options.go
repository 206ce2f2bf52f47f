package gateway

import (
	"log/slog"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
)

// Options of [New], [Open] and [NewReceiver]; a nil pointer is fine, and so is every zero
// field.
type Options struct {
	// Config is how the gateway runs; [LoadConfig] reads it from gateway.yaml and the
	// environment.
	Config Config
	// Session identifies the caller of each request, in place of Config.Identity. Nil:
	// Config.Identity does, without which every caller is anonymous.
	Session Session
	// Store is an open store to use instead of the one that Config.Store names; its
	// owner closes it.
	Store facade.Store
	// Middleware wraps the façade; the first is outermost.
	Middleware []facade.Middleware
	// Tracing makes the spans of requests, of calls and of round trips to remotes; its
	// owner shuts it down. Nil: a provider of the gateway's own where the OTEL_ variables
	// name an exporter, else there are no spans.
	Tracing telemetry.TracerProvider
	// GraphQL chooses what GraphQL schemas show; nil: everything. Its field Surface is
	// set by the gateway.
	GraphQL *projection.Options
	// Extend registers GraphQL fields that the projection cannot derive (spec 4.3.4), with
	// RegisterType and RegisterOperations, after all others. They are in the schema for
	// everybody and in no audience's.
	Extend func(*projection.Builder) error
	// Consumers are called for each event of their facts, by a gateway while it is open.
	Consumers []Consumer
	// Unregistered is called for each generator and conversion that the cards name and
	// this program does not have; nil: they are faults. It is for commands that read a
	// project which another program runs: after such a call no seeds are written.
	Unregistered func(schema.Fault)
	// Incomplete lets relations name entities outside of the project, such as entities of
	// remotes that are not discovered yet.
	Incomplete bool
	// Undecided serves doors that have no collector and are not declared open, in every
	// mode: for programs that show a project to its author alone, or mock data.
	Undecided bool
	// Logger takes the log. Nil: stderr, as Config.Log says.
	Logger *slog.Logger
	// Listening is called with each address once it is bound. Nil: the line
	// "listening on http://…" is printed on stderr.
	Listening func(url string)
}

// orDefaults returns the options for a nil pointer.
func (o *Options) orDefaults() *Options {
	if o == nil {
		return &Options{}
	}
	return o
}
