package envelope

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Options of a Handler. A nil *Options is fine, and every zero value is the careful choice.
type Options struct {
	// TrustState accepts the caller's state from the frame, as a receiver between
	// processes does (spec 5.1). False: the state of a frame is ignored (spec 4.1).
	TrustState bool
	// State rebuilds the caller's state from the request, where the frame is not trusted.
	// Nil: every caller is anonymous. An error answers every frame of the request; an
	// UNAUTHORIZED, and an error with a retry time (facade.Error.After), also sets the
	// HTTP status.
	State func(*http.Request) (access.State, error)
	// Verifier, unless nil, accepts signed calls: the state is the signed one, and the
	// frame's is ignored, with the sender's name as state.caller. TrustState is then
	// ignored. Without State unsigned calls are refused. With State they have that one, and
	// a signed post may call the Frond that it is signed for.
	Verifier *signing.Verifier
	// Nonces remembers the tokens of signed commands for every process over one database, so
	// that a command which one process has accepted is refused by the others. Nil: the
	// verifier's own memory has to do.
	Nonces facade.Nonces
	// MaxBody is how many bytes a request body may have; 0: 1 MiB (spec 8).
	MaxBody int64
	// Timeout is how long one request may take, a batch as a whole; 0: 30 s. Less than 0: no limit.
	Timeout time.Duration
	// Called is called with each method and its caller before the call, concurrently for
	// the frames of a batch. Nil: not called.
	Called func(ctx context.Context, method string, state access.State)
	// Atomic makes the calls of rpc.atomic as one transaction (package facade/atomic); nil: the
	// method is unknown. sent is the params of the frame.
	Atomic func(ctx context.Context, state access.State, trace string, sent json.RawMessage) (*facade.Result, error)
	// Budget bounds the bytes that all requests hold and how many execute at once; nil: no bound.
	Budget *budget.Budget
	// Log receives the causes of errors, which callers do not see; nil: slog.Default().
	Log *slog.Logger
}

// Handler answers frames. It is an http.Handler for any path that ends in [Path], safe
// for concurrent use and immutable once it is made.
type Handler struct {
	caller   facade.Caller
	options  Options
	methods  map[string]*catalog.Operation // by MethodKey
	aliases  map[string]*catalog.Alias     // by the old name in lower case
	document func() []byte                 // of rpc.discover, written on first use
}

// NewHandler returns the receiver of calls on a catalog's doors; caller answers them.
// A nil opts means the defaults of [Options].
func NewHandler(cat *catalog.Catalog, caller facade.Caller, opts *Options) *Handler {
	methods, aliases := methodsOf(cat)
	h := &Handler{
		caller: caller, methods: methods, aliases: aliases,
		document: sync.OnceValue(func() []byte { return discovery(cat) }), // a catalog never changes
	}
	if opts != nil {
		h.options = *opts
	}
	// The signed state is the only one: a host that verifies must not believe the frame as
	// well.
	if h.options.Verifier != nil {
		h.options.TrustState = false
	}
	if h.options.MaxBody <= 0 {
		h.options.MaxBody = 1 << 20
	}
	if h.options.Timeout == 0 {
		h.options.Timeout = 30 * time.Second
	}
	if h.options.Log == nil {
		h.options.Log = slog.Default()
	}
	return h
}

// longDiscovery is the length, in bytes, of a discovery document whose writing takes much more memory than the document.
const longDiscovery = 1 << 20

// discovery writes the discovery document. The memory that only the writing of a long one needed goes back to the system.
func discovery(cat *catalog.Catalog) []byte {
	text := bytes.Clone(cat.Discovery().AppendJSON(nil)) // without room to grow
	if len(text) >= longDiscovery {
		debug.FreeOSMemory()
	}
	return text
}

// methodsOf is every operation of a catalog by its method, and its aliases by theirs. It is made once; a catalog
// never changes.
func methodsOf(cat *catalog.Catalog) (methods map[string]*catalog.Operation, aliases map[string]*catalog.Alias) {
	methods, aliases = map[string]*catalog.Operation{}, map[string]*catalog.Alias{}
	for door := range cat.Doors() {
		for _, a := range door.Aliases {
			aliases[strings.ToLower(a.Name)] = a
		}
		for _, op := range door.Operations {
			methods[MethodKey(door.Name, op.Name)] = op
			for _, a := range door.Aliases {
				methods[MethodKey(a.Name, op.Name)] = op
			}
		}
	}
	return methods, aliases
}

// report is err as it may leave this process; its cause is logged.
func (h *Handler) report(ctx context.Context, err error, trace string) *kiterror.Error {
	return kiterror.Report(ctx, h.options.Log, err, trace)
}

// panicked reports a panic that no façade recovered as a failure like any other.
func (h *Handler) panicked(ctx context.Context, v any, trace string) *kiterror.Error {
	return h.report(ctx, kiterror.Panicked(v), trace)
}
