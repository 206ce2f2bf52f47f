package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// GraphQLOptions of NewGraphQL; a nil pointer is fine.
type GraphQLOptions struct {
	Session Session      // who is calling; nil: everyone is anonymous
	MaxBody int64        // 0 means 1 MiB (spec 8)
	Log     *slog.Logger // nil means slog.Default()

	// Budget bounds what all requests hold and how many execute: RegisterGraphQL's; nil:
	// nothing does. NewGraphQL charges it for bodies.
	Budget *facade.Budget

	Queries []console.Query // what the console offers to begin with

	// Settings are what gateway.yaml says under graphql. Limits, introspection and
	// documents are the engine's and [RegisterGraphQL]'s to heed; NewGraphQL has
	// Console and NoPersisted of them.
	Settings GraphQL
	Dir      string // where a relative path of Settings.Documents.Folder begins
	Suggest  bool   // answer mistakes with suggestions, as Config.Mode says: RegisterGraphQL's

	// Executed is called after each request that reached the engine, whether its
	// document was executed or refused; nil: nothing is. res is valid until it returns.
	Executed func(ctx context.Context, res *resolvers.Response)

	shelf *shelf
}

// NewGraphQL answers GraphQL over HTTP (the draft of the GraphQL foundation):
//
//	POST application/json            {query | documentId, operationName?, variables?, extensions?}
//	GET ?query=…&variables=…         queries alone; a mutation is 405
//	GET from a browser               where Settings.Console is on: a page to write queries in
//
// The console's files stand below, at /console/: mount the handler at both paths,
// the first ending in /graphql, as [RegisterGraphQL] does.
//
// The answer is application/graphql-response+json where the request accepts it,
// with a status that says what became of the document, else application/json,
// where 200 is also the status of a document that was refused.
//
// What a page of another site sends is 403, unless a handler in front has allowed its
// origin to read the answer; what a form could post (text, urlencoded, multipart, no
// type at all) is 415 from anywhere.
func NewGraphQL(engine *resolvers.Engine, opts *GraphQLOptions) http.Handler {
	return newGraphQL(engine, opts).guarded()
}

// guarded is h where nothing else stands in front of it.
func (h *graphQL) guarded() http.Handler {
	return guard.CrossSite{Page: h.isPage}.Guard(h, formOf(facade.OnGraphQL))
}

// isPage says whether the console answers a request.
func (h *graphQL) isPage(r *http.Request) bool {
	return h.console != nil && (strings.Contains(r.URL.Path, "/graphql"+console.Path) || accepted(r, true) == mediaHTML)
}

func newGraphQL(engine *resolvers.Engine, opts *GraphQLOptions) *graphQL {
	h := &graphQL{engine: engine}
	if opts != nil {
		h.GraphQLOptions = *opts
	}
	if h.Session == nil {
		h.Session = func(*http.Request) (facade.State, error) { return nil, nil } // anonymous
	}
	if h.MaxBody <= 0 {
		h.MaxBody = 1 << 20
	}
	if h.Log == nil {
		h.Log = slog.Default()
	}
	if !h.Settings.NoPersisted && !h.shelf.enforces() {
		h.memory = newMemory()
	}
	if on(h.Settings.Console) {
		h.console = console.New(h.Queries)
	}
	return h
}

type graphQL struct {
	GraphQLOptions
	engine  *resolvers.Engine
	console *console.Console // nil: there is none
	memory  *memory          // nil: nothing is remembered by its hash
}

// refusal is an answer that never reached the engine.
type refusal struct {
	status int
	code   facade.Code
	text   string
	allow  string // of a 405
	// expected is a refusal that clients of persisted queries wait for: as
	// application/json it is 200, as where the engine refuses a document.
	expected bool

	challenge string // of a 401
	after     string // Retry-After; "": nothing says
	trace     string // of a failure of ours: what the log has it by
}

// crowded is the answer where there is no room for a request.
func crowded(err error) *refusal {
	e := facade.AsError(err)
	return &refusal{status: e.Code.Status(), code: e.Code, text: e.Message, after: e.RetryAfter()}
}

func badRequest(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: facade.BadRequest, text: fmt.Sprintf(format, args...)}
}

// ServeHTTP reads the request, executes it and writes the answer.
func (h *graphQL) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.console != nil && strings.Contains(r.URL.Path, "/graphql"+console.Path) {
		h.console.ServeFile(w, r)
		return
	}
	head := w.Header()
	head["Vary"], head["X-Content-Type-Options"] = variesByAccept, noSniff
	media := accepted(r, h.console != nil)
	if media == mediaHTML {
		h.console.ServePage(w, r)
		return
	}
	if r.Method == http.MethodOptions {
		head.Set("Allow", graphQLVerbs)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		head.Set("Cache-Control", "no-store") // who asks decides what is answered
	}
	account, err := h.Budget.Hold() // of what is read; the engine has its own
	if err != nil {
		crowded(err).write(w, media)
		return
	}
	defer account.Return()
	m, refused := h.read(w, r, media, account)
	var state facade.State
	if refused == nil {
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
	res := h.engine.Execute(r.Context(), &resolvers.Request{
		Query: query, OperationName: m.operationName, Variables: m.variables, Extensions: m.extensions,
		State: state, Trace: r.Header.Get("Traceparent"), ReadOnly: m.readOnly,
	})
	defer res.Release()
	if h.Executed != nil {
		h.Executed(r.Context(), res)
	}
	if remember != "" && h.memory != nil && res.Executed { // not what was refused: it could crowd out the rest
		h.memory.put(remember, query)
	}
	status := res.Status
	switch {
	case status == http.StatusMethodNotAllowed:
		head.Set("Allow", http.MethodPost)
	case res.RetryAfter != "":
		head.Set("Retry-After", res.RetryAfter)
	case media != mediaResponse && status < 500:
		status = http.StatusOK
	}
	head["Content-Type"] = contentTypes[media]
	head["Content-Length"] = []string{strconv.Itoa(len(res.Body))} // in one piece, not in chunks
	w.WriteHeader(status)
	_, _ = w.Write(res.Body) // nobody is left to tell
}

// What every answer says, made once: whoever adds to a header gets a list of its own.
var (
	variesByAccept = []string{"Accept"}
	noSniff        = []string{"nosniff"}
)

const graphQLVerbs = "GET, HEAD, OPTIONS, POST"

// state asks the session who is calling.
func (h *graphQL) state(r *http.Request) (state facade.State, refused *refusal) {
	defer func() {
		if p := recover(); p != nil {
			refused = h.refusedBy(r, facade.Panicked(p))
		}
	}()
	state, err := h.Session(r)
	if err == nil {
		return state, nil
	}
	return nil, h.refusedBy(r, err)
}

// refusedBy is what a session hook failed with as an answer.
func (h *graphQL) refusedBy(r *http.Request, err error) *refusal {
	e := facade.Report(r.Context(), h.Log, err, r.Header.Get("Traceparent"))
	details, _ := e.Details.(map[string]any)
	trace, _ := details["traceId"].(string)
	return &refusal{status: e.Code.Status(), code: e.Code, text: e.Message, challenge: e.Challenge(), after: e.RetryAfter(), trace: trace}
}

// write writes a refusal as a GraphQL response. Without a type that was accepted,
// JSON is what most can read.
func (f *refusal) write(w http.ResponseWriter, media string) {
	if media == "" {
		media = mediaJSON
	}
	if f.allow != "" {
		w.Header().Set("Allow", f.allow)
	}
	if f.challenge != "" {
		w.Header().Set("WWW-Authenticate", f.challenge)
	}
	if f.after != "" {
		w.Header().Set("Retry-After", f.after)
	}
	status := f.status
	if f.expected && media != mediaResponse {
		status = http.StatusOK
	}
	w.Header()["Content-Type"] = contentTypes[media]
	w.WriteHeader(status)
	body := append([]byte(`{"errors":[{"message":`), jsontext.Quote(f.text)...)
	body = append(append(body, `,"extensions":{"code":`...), jsontext.Quote(string(f.code))...)
	if f.trace != "" {
		body = append(append(body, `,"traceId":`...), jsontext.Quote(f.trace)...)
	}
	_, _ = w.Write(append(body, `}}]}`...))
}
