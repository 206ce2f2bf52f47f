// Package gateway runs a project as one service: it reads gateway.yaml, opens the store,
// compiles the façade, mounts every surface on a router and serves until it is stopped.
//
//	project, err := facade.Read(os.DirFS("shop"))
//	gw, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Store: "memory"}})
//	err = gw.Run(ctx) // until ctx is done; then it drains
//
// # Paths
//
//	/graphql      GraphQL, also over websockets, and the console for a browser
//	/graphql/stream  GraphQL over server-sent events
//	/api/         REST
//	/_kit/call    the envelope, JSON-RPC 2.0; the state in a frame is ignored, unless another gateway has signed it
//	/livez        200 while the process runs
//	/readyz       200 while calls are welcome, 503 once the gateway drains
//
// With Config.Admin, /metrics is on a listener for the operator; spans go where the
// variables of OpenTelemetry say, or to Options.Tracing (docs/observability.md).
//
// The gateway listens in [Gateway.Run] only, and fetches an issuer's keys from then on, or
// from the first token. A program with a server of its own uses [Gateway.Handler], or
// mounts the surfaces on a router with [Gateway.Mount] (spec 1.4).
//
// # Settings
//
// Every setting has a key in gateway.yaml and a variable made from it; the command line
// wins over the variable, which wins over the file. [Settings] lists them with their
// defaults.
//
// # Programs
//
// A program that runs a gateway has its flags from [Flags], and its signals and exit codes from
// [Main]. Neither knows a flag library:
//
//	flags := &gateway.Flags{} // hand flags.All() to a flag library
//	os.Exit(gateway.Main("blog", os.Stderr, func(ctx context.Context) error {
//		project, config, err := flags.Load(".", os.Environ(), os.Stderr, read)
//		…
//		return gateway.Serve(ctx, gw)
//	}))
//
// # How it is made
//
// The package wires and has no rule of its own. A [Host] is a project over its store: its
// façade is compiled again whenever a remote serves something else. A generation is one
// such façade with every surface over it, and takes the place of the last one whole. The
// rules are in the packages below, which do not know each other:
//
//	gateway/graphqlhttp   GraphQL over HTTP: requests, trusted documents, the console
//	gateway/subscriptions GraphQL over websockets and server-sent events; equal subscribers share answers
//	gateway/identity      identifies the caller
//	gateway/telemetry     spans, metrics, the access log
//	gateway/guard         the guards in front of every surface, and the certificate of the listener
//	gateway/topology      which Fronds run elsewhere, and how calls of them are signed
//	gateway/publish       webhooks and NATS
//	gateway/setting       reads one setting; the others use it
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/telemetry"
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

// New is [Open] with every surface. It listens only after [Gateway.Run]. The caller closes the
// gateway, unless Run has returned.
func New(project *facade.Project, opts *Options) (*Gateway, error) {
	return makeGateway(context.Background(), project, opts, false)
}

// Start is [New] for a process of its own, which [Serve] runs then. The port is open before the store is:
// while tables change, /livez answers 200 and everything else 503. The end of ctx ends the start, with
// [ErrStopped].
func Start(ctx context.Context, project *facade.Project, opts *Options) (*Gateway, error) {
	g, err := makeGateway(ctx, project, opts, true)
	return g, stopped(ctx, err)
}

// stopped is the error of a start, which the end of ctx may have ended.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrStopped, err)
	}
	return err
}

// ErrStopped is wrapped by the error of a start that a signal ended. [ExitCode] answers it with 0.
var ErrStopped = errors.New("stopped before the start was over; the next start goes on with it")

// makeGateway makes a gateway; with listen its port is open from before the store on.
func makeGateway(ctx context.Context, project *facade.Project, opts *Options, listen bool) (*Gateway, error) {
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
	var addresses []string
	if listen {
		addresses = []string{config.Listen}
	}
	host, err := open(ctx, project, opts, opening{serves: true, listen: addresses, elsewhere: faults.Err(), build: func(host *Host, f *facade.Facade) (err error) { //nolint:contextcheck // a feed outlives the start
		if host.verifier, host.certificate = verifier, certificate; certificate != nil {
			certificate.Log = host.log
		}
		if g.session == nil {
			id.Reasons = config.Mode == Development
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
	}, ready: func() error { return g.current.Load().ready() }})
	if err != nil {
		g.auth.Close()
		return nil, err
	}
	g.host = host
	front := host.around(func(r *http.Request) *guard.Path { return g.current.Load().find(r) })
	front.Compress = !config.NoCompression
	g.handler = front
	host.follow(context.Background(), func(f *facade.Facade) (func(), error) { //nolint:contextcheck // a feed outlives the start
		next, err := newGeneration(host, g.session, again, &g.draining, f)
		if err == nil {
			if err = next.ready(); err != nil {
				next.endStreams()
			}
		}
		return func() { g.current.Swap(next).endStreams() }, err
	})
	host.start() //nolint:contextcheck // Close ends what it starts
	return g, nil
}

// identified wraps a session: the caller is noted for the access log and counted by the
// rate limiter. An invalid credential counts for the address it comes from, before it is
// refused, so that guessing is limited too.
func (g *Gateway) identified(session Session) Session {
	return func(r *http.Request) (access.State, error) {
		state, err := session(r)
		caller := state.UserID()
		telemetry.Called(r.Context(), "", caller)
		facade.RequestOf(r.Context()).By(g.host.callers.of(r, state))
		if often := g.limiter.Refuse(r, caller); often != nil {
			return nil, often
		}
		return state.OfCaller(), err
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

// Refusals returns the writes that the places of the Fronds rule out (see [facade.Facade.Refusals]).
func (g *Gateway) Refusals() []*kiterror.Error { return g.host.compiled.Load().Refusals() }

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
	return "", fmt.Errorf("the surface %s shows nothing and is not mounted; name its doors under surfaces", s)
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
		return nil, fmt.Errorf("the surface %s shows nothing to describe; name its doors under surfaces", surface)
	}
	return places[at].document(format), nil
}
