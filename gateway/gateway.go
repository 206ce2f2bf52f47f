package gateway

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/facade"
)

// Options of New; a nil pointer is fine.
type Options struct {
	// Config says how the gateway runs; [LoadConfig] reads it from gateway.yaml and
	// the environment.
	Config Config
	// Session tells the caller of each request. Nil: everyone is anonymous, or who
	// X-Frond-User says with Config.Identity.Dev.
	Session Session
	// Store is an opened store to use instead of the one Config.Store names; its
	// owner closes it.
	Store facade.Store
	// Middleware wraps the façade; the first is outermost.
	Middleware []facade.Middleware
	// Logger takes what the gateway has to say. Nil: stderr, as Config.Log has it.
	Logger *slog.Logger
	// Listening is told the gateway's address once it is bound. Nil: the line
	// "listening on http://…" is printed on stderr.
	Listening func(url string)
}

// Gateway is one running service: the façade over a project, its store and every
// surface. Its methods may be called from many goroutines.
type Gateway struct {
	config   Config
	log      *slog.Logger
	facade   *facade.Facade
	caller   facade.Caller
	surfaces []surface
	handler  http.Handler
	announce func(url string)
	draining atomic.Bool
	close    func() error // once
}

// surface is what is mounted at a path.
type surface struct {
	path    string
	handler http.Handler
}

// New opens the store, compiles the project over it and builds every surface; at
// the first start it writes the project's seeds. The error is everything that is
// wrong at once, faults of cards as schema.Faults. Nothing listens yet.
func New(project *facade.Project, opts *Options) (*Gateway, error) {
	if opts == nil {
		opts = &Options{}
	}
	g := &Gateway{config: opts.Config.withDefaults(), log: opts.Logger, announce: opts.Listening}
	if g.log == nil {
		g.log = NewLogger(os.Stderr, g.config.Log)
	}
	if g.announce == nil {
		g.announce = announceOnStderr
	}
	session := opts.Session
	switch {
	case session != nil:
	case g.config.Identity.Dev:
		session = devSession
	default:
		session = anonymous
	}
	closer, err := g.build(project, opts)
	if err != nil {
		return nil, err
	}
	g.close = sync.OnceValue(closer.Close)
	if g.surfaces, err = g.mountable(session); err != nil {
		return nil, errors.Join(err, g.close())
	}
	router := mux.NewRouter().SkipClean(true)
	g.Mount(Mux(router))
	router.NotFoundHandler = nowhere(g.paths())
	g.handler = watch(router, g.log)
	return g, nil
}

// Handler answers every request of the service, health included. It recovers
// panics and logs requests; who serves it otherwise than by [Gateway.Run] closes
// the gateway when done.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Mount puts the surfaces on a router that has other paths too (spec 1.4).
func (g *Gateway) Mount(r Router) {
	for _, s := range g.surfaces {
		r.Handle(s.path, s.handler)
	}
}

// Catalog is what the gateway serves.
func (g *Gateway) Catalog() *facade.Catalog { return g.facade.Catalog() }

// Call calls an operation in this process, as every surface does.
func (g *Gateway) Caller() facade.Caller { return g.caller }

// Close closes the store. Requests in flight fail; [Gateway.Run] drains first
// and then closes by itself. Closing twice is fine.
func (g *Gateway) Close() error { return g.close() }

func (g *Gateway) paths() []string {
	paths := make([]string, len(g.surfaces))
	for i, s := range g.surfaces {
		paths[i] = s.path
	}
	return paths
}

// nothing is the closer of a store that someone else closes.
type nothing struct{}

func (nothing) Close() error { return nil }

var _ io.Closer = nothing{}
