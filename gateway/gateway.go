package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// Options of New and Open; a nil pointer is fine.
type Options struct {
	// Config says how the gateway runs; [LoadConfig] reads it from gateway.yaml and
	// the environment.
	Config Config
	// Session tells the caller of each request, in place of Config.Identity. Nil: as
	// that has it, which without any is that everyone is anonymous.
	Session Session
	// Store is an opened store to use instead of the one Config.Store names; its
	// owner closes it.
	Store facade.Store
	// Middleware wraps the façade; the first is outermost.
	Middleware []facade.Middleware
	// Tracing makes the spans of requests, calls and trips to remotes; its owner shuts
	// it down. Nil: one of the gateway's own where the OTEL_ variables name an exporter,
	// else there are none.
	Tracing telemetry.TracerProvider
	// GraphQL chooses what GraphQL schemas show of what their surfaces do; nil: all
	// of it. Surface is the gateway's to fill in.
	GraphQL *projection.Options
	// Extend registers fields that the projection cannot derive (spec 4.3.4), with
	// RegisterType and RegisterOperations, after everything else. They are in the
	// schema that everybody sees and in no audience's.
	Extend func(*projection.Builder) error
	// Unregistered is told each generator and conversion that the project's cards name
	// and this program does not have, which are faults where it is nil. It is for
	// commands that look at a project which another program runs: where something is
	// told, no seeds are written.
	Unregistered func(schema.Fault)
	// Incomplete lets relations name entities that are not in the project, as where
	// there are remotes of which nothing is known yet.
	Incomplete bool
	// Undecided lets doors be served that have no collector and that nobody calls open, in
	// every mode: for programs that show a project to its author alone, or rows that are
	// made up.
	Undecided bool
	// Logger takes what the gateway has to say. Nil: stderr, as Config.Log has it.
	Logger *slog.Logger
	// Listening is told each address once it is bound. Nil: the line
	// "listening on http://…" is printed on stderr.
	Listening func(url string)
}

// Gateway is one running service: a host and every surface over it. Its methods
// may be called from many goroutines.
type Gateway struct {
	*Host
	session  Session
	auth     *identity.Authenticator // nil: Options.Session identifies callers
	current  atomic.Pointer[generation]
	limiter  *guard.Limiter // nil: callers may call as often as they like
	handler  http.Handler
	draining atomic.Bool
}

// New is [Open] with every surface. Nothing listens yet.
func New(project *facade.Project, opts *Options) (*Gateway, error) {
	if opts == nil {
		opts = &Options{}
	}
	config := opts.Config.withDefaults()
	id := &config.Identity
	var keys identity.Keys
	var faults schema.Faults
	if opts.Session == nil && id.Check(config.Listen) == nil {
		keys, faults = id.LoadKeys(config.Dir)
	}
	certificate, unusable := config.TLS.load(config.Dir, opts.Logger)
	faults = append(faults, unusable...)
	host, err := open(context.Background(), project, opts, opening{serves: true, elsewhere: faults.Err()})
	if err != nil {
		return nil, err
	}
	g := &Gateway{Host: host, session: opts.Session, limiter: guard.NewLimiter(&config.Limits.Rate)}
	if g.certificate = certificate; certificate != nil {
		certificate.log = g.log
	}
	if g.session == nil {
		if g.auth, err = identity.New(id, keys, g.log); err == nil {
			g.session = g.auth.Session
		}
	}
	var first *generation
	if err == nil {
		g.session = g.identified(g.session)
		first, err = g.generate(host.facade.Load())
	}
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	g.current.Store(first)
	g.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.current.Load().router.ServeHTTP(w, r)
	})
	if !g.config.NoCompression {
		g.handler = guard.Compress(g.handler)
	}
	g.handler = g.around(g.handler)
	host.follow(context.Background(), func(f *facade.Facade) error {
		next, err := g.generate(f)
		if err == nil {
			g.current.Store(next)
		}
		return err
	})
	return g, nil
}

// identified wraps a session: the caller is noted for the access log and counted by the
// rate limiter. An invalid credential counts for the address it comes from, before it is
// refused, so that guessing is limited too.
func (g *Gateway) identified(session Session) Session {
	return func(r *http.Request) (facade.State, error) {
		state, err := session(r)
		caller := identity.UserID(state)
		telemetry.Called(r.Context(), "", caller)
		if often := g.limiter.Refuse(r, caller); often != nil {
			return nil, often
		}
		return state, err
	}
}

// Close closes the store and asks the issuer for keys no more; calls under way
// fail. Closing twice is fine.
func (g *Gateway) Close() error {
	g.auth.Close()
	return g.Host.Close()
}

// RegisterGraphQL mounts a built schema on /graphql (spec 4.3.2). The caller is
// what the schema was built over. An error is a schema that no engine takes, or
// trusted documents that cannot be read or, where they are enforced, executed.
func RegisterGraphQL(r Router, s *binding.Schema, caller facade.Caller, opts *GraphQLOptions) error {
	if opts == nil {
		opts = &GraphQLOptions{}
	}
	documents, err := readLibrary(opts.Dir, opts.Settings.Documents)
	if err != nil {
		return err
	}
	h, err := engineOf(s, caller, opts, documents)
	if err == nil {
		err = documents.settle(opts.Log, h.shelf)
	}
	if err == nil {
		r.Handle("/graphql", h.guarded())
	}
	if err == nil && on(opts.Settings.Console) {
		r.Handle("/graphql"+console.Path, h.guarded())
	}
	return err
}

// engineOf is the handler of a schema, over a shelf of the documents it can execute.
func engineOf(s *binding.Schema, caller facade.Caller, opts *GraphQLOptions, documents *library) (*graphQL, error) {
	options := opts.Settings.engine()
	options.Logger, options.Suggest, options.Budget = opts.Log, opts.Suggest, opts.Budget
	engine, err := resolvers.NewEngine(s, caller, options)
	if err != nil {
		return nil, err
	}
	shelved := *opts
	shelved.shelf = documents.on(engine)
	return newGraphQL(engine, &shelved), nil
}

// Handler answers every request of the service, health included. It recovers
// panics and logs requests; who serves it otherwise than by [Gateway.Run] closes
// the gateway when done.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Mount puts the surfaces on a router that has other paths too (spec 1.4). What they
// show follows the remotes; their paths are those of today.
func (g *Gateway) Mount(r Router) {
	for _, m := range g.current.Load().mounted {
		r.Handle(m.path, g.telemetry.Requests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.current.Load().at(m.path).ServeHTTP(w, r)
		})))
	}
}
