package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
)

// Gateway is one running service: a host and every surface over it. Its methods may be
// called from many goroutines.
type Gateway struct {
	host     *Host
	session  Session
	auth     *identity.Authenticator // nil: Options.Session identifies callers
	limiter  *guard.Limiter          // nil: there is no bound
	current  atomic.Pointer[generation]
	handler  http.Handler
	draining atomic.Bool
}

// New is [Open] with every surface. Nothing listens before [Gateway.Run]. The caller
// closes the gateway, unless Run has returned.
func New(project *facade.Project, opts *Options) (*Gateway, error) {
	opts = opts.orDefaults()
	config := opts.Config.withDefaults()
	id := &config.Identity
	var keys identity.Keys
	var faults schema.Faults
	if opts.Session == nil && id.Check(config.Listen) == nil {
		keys, faults = id.LoadKeys(config.Dir)
	}
	certificate, unusable := config.TLS.Load(config.Dir, opts.Logger)
	faults = append(faults, unusable...)
	verifier, unusable := config.Signing.Verifier(config.Dir, "")
	faults = append(faults, unusable...)
	g := &Gateway{session: opts.Session, limiter: guard.NewLimiter(&config.Limits.Rate)}
	var again Session
	host, err := open(context.Background(), project, opts, opening{serves: true, elsewhere: faults.Err(), build: func(host *Host, f *facade.Facade) (err error) {
		host.verifier = verifier
		if g.session == nil {
			if g.auth, err = identity.New(id, keys, host.log); err != nil {
				return err
			}
			g.session = g.auth.Session
		}
		if opts.Session == nil && id.Anonymous() && config.Mode == Production {
			host.log.Warn("every caller is anonymous; set identity in gateway.yaml, or a session in a Go program")
		}
		again, g.session = g.session, g.identified(g.session)
		host.callers = &callers{expires: g.auth.Expires, refuse: g.limiter.RefuseAt, network: config.Limits.Rate.Network(), keys: map[sender]any{}}
		first, err := newGeneration(host, g.session, again, &g.draining, f)
		g.current.Store(first)
		return err
	}})
	if err != nil {
		g.auth.Close()
		return nil, err
	}
	g.host = host
	if host.certificate = certificate; certificate != nil {
		certificate.Log = host.log
	}
	front := host.around(func(r *http.Request) *guard.Path { return g.current.Load().find(r) })
	front.Compress = !config.NoCompression
	g.handler = front
	host.follow(context.Background(), func(f *facade.Facade) error {
		next, err := newGeneration(host, g.session, again, &g.draining, f)
		if err == nil {
			g.current.Swap(next).endStreams()
		}
		return err
	})
	host.start()
	return g, nil
}

// identified wraps a session: the caller is noted for the access log and counted by the
// rate limiter. An invalid credential counts for the address it comes from, before it is
// refused, so that guessing is limited too.
func (g *Gateway) identified(session Session) Session {
	return func(r *http.Request) (access.State, error) {
		state, err := session(r)
		caller := identity.UserID(state)
		telemetry.Called(r.Context(), "", caller)
		facade.RequestOf(r.Context()).By(g.host.callers.of(r, state))
		if often := g.limiter.Refuse(r, caller); often != nil {
			return nil, often
		}
		return state, err
	}
}

// Run listens, serves until ctx is done, then drains: /readyz turns 503, no connection is
// accepted, requests in flight finish, and the store closes. It returns nil after a clean
// drain, and an error that wraps [ErrListen] if it cannot listen. A gateway runs once.
func (g *Gateway) Run(ctx context.Context) error {
	g.auth.Start() //nolint:contextcheck // Close ends it, once the drain is over
	return errors.Join(g.host.serve(ctx, g.handler, &g.draining, g.host.config.Listen), g.Close())
}

// Close closes the store and stops fetching the issuer's keys; calls under way fail.
// Closing twice is fine.
func (g *Gateway) Close() error {
	g.auth.Close()
	return g.host.Close()
}

// Handler answers every request of the service, health included. It recovers panics and
// logs requests. A caller that serves it otherwise than by [Gateway.Run] closes the
// gateway when done.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Mount puts the surfaces on a router that has other paths too (spec 1.4). Their content
// follows the remotes; a surface that appears later is not mounted.
//
// A mounted path behaves as it does behind [Gateway.Handler]: its answers are compressed, a
// line is logged for each request, and panics are recovered, as the settings compression
// and log.access say; switch them off where the router does the same. What belongs to the
// listener is left to the owner of the router: the check of the Host header, time limits
// for slow clients, and answers for unknown paths.
func (g *Gateway) Mount(r Router) {
	for _, m := range g.current.Load().mounted {
		f := g.host.around(func(*http.Request) *guard.Path { return g.current.Load().at(m.path) })
		f.AnyHost, f.Compress = true, !g.host.config.NoCompression
		r.Handle(m.path, f)
	}
}

// Catalog returns the served catalog; see [Host.Catalog].
func (g *Gateway) Catalog() *catalog.Catalog { return g.host.Catalog() }

// Caller calls operations in this process; see [Host.Caller].
func (g *Gateway) Caller() facade.Caller { return g.host.Caller() }

// Discovery is the discovery document of everything the gateway serves (spec 2.5).
func (g *Gateway) Discovery() json.RawMessage { return g.host.Discovery() }

// Bundle is every card of the project in one document (spec 2.4).
func (g *Gateway) Bundle() json.RawMessage { return g.host.Bundle() }

// Development reports whether the gateway runs in mode: development.
func (g *Gateway) Development() bool { return g.host.Development() }

// Remotes returns the known state of each remote Frond, by name.
func (g *Gateway) Remotes() []RemoteState { return g.host.Remotes() }

// Replace puts another project in the place of the one that runs; see [Host.Replace].
func (g *Gateway) Replace(ctx context.Context, project *facade.Project) error {
	return g.host.Replace(ctx, project)
}

// Shown returns a surface as text: of graphql the SDL, of rest the routes, of
// envelope the discovery document, and the same of an audience's surface: partner/rest. The error
// is a surface that is unknown or not mounted.
func (g *Gateway) Shown(s catalog.Surface) (string, error) {
	if _, err := g.Catalog().Surface(s); err != nil {
		return "", err
	}
	for _, p := range g.current.Load().places {
		if p.surface == s {
			return p.shown(), nil
		}
	}
	return "", fmt.Errorf("the surface %s shows nothing and is not mounted; name doors for it under surfaces in a frond.yaml", s)
}

// SDL is the GraphQL schema for everybody, as text; "": it is not mounted.
func (g *Gateway) SDL() string {
	text, _ := g.Shown(catalog.OnGraphQL)
	return text
}

// Document is an API document of an audience, "" of the surfaces of everybody. The error
// names the formats, or says that the audience has no such surface.
func (g *Gateway) Document(format, audience string) (json.RawMessage, error) {
	of, known := documented[format]
	if !known {
		return nil, fmt.Errorf("there is no document %q; there is %s", format, strings.Join(DocumentFormats, ", "))
	}
	surface := of.For(audience)
	if names := g.Catalog().Audiences; audience != "" && !slices.Contains(names, audience) {
		there := "there are none in this project"
		if len(names) > 0 {
			there = "there is " + strings.Join(names, ", ")
		}
		return nil, fmt.Errorf("there is no audience %s; %s; leave it out for the document of everybody", audience, there)
	}
	places := g.current.Load().places
	at := slices.IndexFunc(places, func(p *place) bool { return p.surface == surface })
	if at < 0 {
		return nil, fmt.Errorf("the surface %s shows nothing, so that there is nothing to describe; name doors for it under surfaces in a frond.yaml", surface)
	}
	return places[at].document(format), nil
}

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
	// Incomplete lets relations name entities that are not in the project, as where
	// there are remotes that have not been discovered.
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
