package graphqlhttp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// Options of [New] and [Build]; a nil pointer is fine.
type Options struct {
	// Session identifies the caller of a request; nil: every caller is anonymous.
	Session func(*http.Request) (access.State, error)
	MaxBody int64        // bytes of a request's body; 0 means 1 MiB (spec 8)
	Log     *slog.Logger // nil means slog.Default()

	// Budget bounds the memory of all requests and how many execute; nil: no bounds. The
	// handler charges it for bodies, the engine of Build for executions.
	Budget *budget.Budget

	Queries []console.Query // that the console opens with
	Callers json.RawMessage // whom the console offers to call as, as a list of {name, user}; nil: nobody

	// Settings are the settings of gateway.yaml. New uses Console and NoPersisted of them; the
	// limits, introspection and the documents are settings of the engine, which Build makes.
	Settings Config
	Dir      string // where a relative path of Settings.Documents.Folder begins
	Suggest  bool   // of Build: mistakes in a document are answered with suggestions

	// Newer reports whether newer cards have changed the store, for the engine of Build; nil: they have not.
	Newer func(context.Context) bool
	// Atomic makes mutations with @atomic transactions, for the engine of Build; nil: they are refused.
	Atomic resolvers.Transactor

	// Watch admits subscribers, for the engine of Build; nil: subscriptions are refused.
	Watch func(ctx context.Context, s *facade.Subscription) (resolvers.Watch, error)

	// Executed, if not nil, is called after each request that reached the engine, whether its
	// document was executed or refused. res is valid until it returns.
	Executed func(ctx context.Context, res *resolvers.Response)

	trusted *Trusted
}

// Handler answers GraphQL over HTTP for one schema. It may be called from many
// goroutines. It does not check where a request comes from: a guard in front of it has
// to refuse requests of other sites' pages.
type Handler struct {
	Options
	engine    *resolvers.Engine
	console   *console.Console // nil: there is none
	persisted *persisted       // nil: automatic persisted queries are refused

	// Sockets answers requests for a websocket, and Streams those that want an event stream;
	// nil: they are answered like any other. They are set before the first request, and begin
	// operations with [Handler.Operate] and [Handler.Read].
	Sockets, Streams http.Handler
}

// New is the handler of an engine. Options that are zero get their defaults; opts itself is
// not changed. New reads no folder: the handler trusts every document, unless [Build] made it.
func New(engine *resolvers.Engine, opts *Options) *Handler {
	h := &Handler{engine: engine}
	if opts != nil {
		h.Options = *opts
	}
	if h.Session == nil {
		h.Session = func(*http.Request) (access.State, error) { return nil, nil }
	}
	if h.MaxBody <= 0 {
		h.MaxBody = 1 << 20
	}
	if h.Log == nil {
		h.Log = slog.Default()
	}
	// A handler with enforced documents keeps no texts: it never executes a client's text.
	if !h.Settings.NoPersisted && !h.trusted.enforces() {
		h.persisted = newPersisted()
	}
	if on(h.Settings.Console) {
		h.console = console.New(h.Queries, h.Callers)
	}
	return h
}

// Build is the handler of a schema, over an engine as the settings say, which executes those documents
// of a folder that it can. caller is the caller that the schema was built over. The error is the
// engine's. A document that the engine cannot execute is no error here: [Folder.Verify] reports it.
func Build(s *binding.Schema, caller facade.Caller, opts *Options, documents *Folder) (*Handler, error) {
	options := opts.Settings.engine()
	options.Logger, options.Suggest, options.Budget, options.Watch = opts.Log, opts.Suggest, opts.Budget, opts.Watch
	options.Atomic, options.Newer = opts.Atomic, opts.Newer
	engine, err := resolvers.NewEngine(s, caller, options)
	if err != nil {
		return nil, err
	}
	own := *opts
	own.trusted = documents.trustedBy(engine)
	return New(engine, &own), nil
}

// Trusted is the trusted documents that the handler executes, for [Folder.Verify]; nil:
// there is no folder.
func (h *Handler) Trusted() *Trusted { return h.trusted }

// HasConsole reports whether the handler serves the console, whose files are at /console/
// below its own path.
func (h *Handler) HasConsole() bool { return h.console != nil }

// IsPage reports whether a request is answered with the console, and not with data.
func (h *Handler) IsPage(r *http.Request) bool {
	return h.console != nil && (isConsoleFile(r) || accepted(r, true) == mediaHTML)
}

// wantsStream reports whether a request is answered with an event stream.
func (h *Handler) wantsStream(r *http.Request) bool {
	if h.Streams == nil {
		return false
	}
	if isStream(r) {
		return r.Method != http.MethodOptions
	}
	_, preferred := sse.Accepts(r.Header["Accept"])
	return preferred && (r.Method == http.MethodGet || r.Method == http.MethodPost)
}

// isStream reports whether a request is for the path below the handler's own where every answer
// is a stream.
func isStream(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/stream") }

// isConsoleFile reports whether a request is for one of the console's files.
func isConsoleFile(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/graphql"+console.Path)
}

// ServeHTTP reads the request, executes its document and writes the answer (GraphQL over
// HTTP, the GraphQL foundation's draft):
//
//	POST application/json            {query | documentId, operationName?, variables?, extensions?}
//	GET ?query=…&variables=…         queries alone; a mutation is 405
//	GET of a browser                 with Settings.Console: the console
//	Accept: text/event-stream        with Streams, which also has all below /graphql/stream
//	Upgrade: websocket               with Sockets
//
// The answer is application/graphql-response+json where the request accepts that, with a status
// that says whether the document was executed; else application/json, where 200 is also the
// status of a refused document. A type that a form could post (text, urlencoded, multipart, no
// type at all) is 415.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, done := h.delegate(w, r)
	if done {
		return
	}
	head := w.Header()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		head.Set("Cache-Control", "no-store") // the answer depends on the caller
	}
	// Held from here on, since reading the body is the first step that costs memory. The first
	// refusal of a step below is the answer.
	account, err := h.Budget.Hold() // for the body; the engine has an account of its own
	if err != nil {
		crowded(err).write(w, media)
		return
	}
	defer account.Return()
	m, refused := h.read(w, r, media, account)
	var state access.State
	if refused == nil {
		// The session follows the body: a request that is no GraphQL request is refused
		// without asking who sent it.
		state, refused = h.state(r)
	}
	var query, remember string
	if refused == nil {
		query, remember, refused = h.document(r.Context(), m)
	}
	if refused != nil {
		refused.write(w, media)
		return
	}
	res := h.engine.Execute(r.Context(), m.request(query, state, r.Header.Get("Traceparent")))
	defer res.Release()
	h.executed(r.Context(), res, query, remember)
	status := res.Status
	switch {
	case status == http.StatusMethodNotAllowed:
		head.Set("Allow", http.MethodPost)
	case res.RetryAfter != "":
		head.Set("Retry-After", res.RetryAfter)
	// GraphQL over HTTP, "application/json": clients of that type read any 4xx as a failure of
	// a proxy, without its body. A 5xx stays one.
	case media != mediaResponse && status < 500:
		status = http.StatusOK
	}
	head["Content-Type"] = contentTypes[media]
	head["Content-Length"] = []string{strconv.Itoa(len(res.Body))} // sent whole, not chunked
	w.WriteHeader(status)
	_, _ = w.Write(res.Body) // the client may be gone
}

// delegate answers requests that execute no document here: those for the console, websockets,
// event streams and OPTIONS. For any other it returns the media type of the answer.
func (h *Handler) delegate(w http.ResponseWriter, r *http.Request) (media string, done bool) {
	if h.console != nil && isConsoleFile(r) {
		h.console.ServeFile(w, r)
		return "", true
	}
	if h.Sockets != nil && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		h.Sockets.ServeHTTP(w, r)
		return "", true
	}
	head := w.Header()
	head["Vary"], head["X-Content-Type-Options"] = variesByAccept, noSniff
	if h.wantsStream(r) {
		h.Streams.ServeHTTP(w, r)
		return "", true
	}
	media = accepted(r, h.console != nil)
	// A page needs no session, no account and no document; the console fetches data with
	// requests of its own.
	if media == mediaHTML {
		h.console.ServePage(w, r)
		return "", true
	}
	// Not CORS: where other origins are allowed, the guard answers preflights before this.
	if r.Method == http.MethodOptions {
		head.Set("Allow", verbsOf(r))
		w.WriteHeader(http.StatusNoContent)
		return "", true
	}
	return media, false
}

// request is a request with its document, as the engine takes it.
func (m *members) request(query string, state access.State, trace string) *resolvers.Request {
	return &resolvers.Request{
		Query: query, OperationName: m.operationName, Variables: m.variables, Extensions: m.extensions,
		State: state, Trace: trace, ReadOnly: m.readOnly,
	}
}

// executed reports a response of the engine, and remembers the document that has a hash: not a
// refused one, which must not displace others.
func (h *Handler) executed(ctx context.Context, res *resolvers.Response, query, remember string) {
	if h.Executed != nil {
		h.Executed(ctx, res)
	}
	if remember != "" && h.persisted != nil && res.Executed {
		h.persisted.put(remember, query)
	}
}

// verbsOf is the value of Allow: OPTIONS is answered without a body, for clients that probe.
// The path of streams also reserves them, and ends operations on them.
func verbsOf(r *http.Request) string {
	if isStream(r) {
		return "DELETE, GET, HEAD, OPTIONS, POST, PUT"
	}
	return "GET, HEAD, OPTIONS, POST"
}
