package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// GraphQLOptions of NewGraphQL; a nil pointer is fine.
type GraphQLOptions struct {
	Session Session      // who is calling; nil: everyone is anonymous
	MaxBody int64        // 0 means 1 MiB (spec 8)
	Log     *slog.Logger // nil means slog.Default()

	Queries  []console.Query // what the console offers to begin with
	Settings GraphQL         // what gateway.yaml says under graphql, of which NoConsole is heeded here
}

// NewGraphQL answers GraphQL over HTTP (the draft of the GraphQL foundation):
//
//	POST application/json            {query, operationName?, variables?, extensions?}
//	GET ?query=…&variables=…         queries alone; a mutation is 405
//	GET from a browser               a page to write queries in
//
// The answer is application/graphql-response+json where the request accepts it,
// with a status that says what became of the document, else application/json,
// where 200 is also the status of a document that was refused.
//
// A form on another site can send neither: what it may post without being asked
// for permission (text, urlencoded, multipart, no type at all) is 415, and what it
// gets reads and never writes.
func NewGraphQL(engine *resolvers.Engine, opts *GraphQLOptions) http.Handler {
	h := &graphQL{engine: engine}
	if opts != nil {
		h.GraphQLOptions = *opts
	}
	if h.Session == nil {
		h.Session = anonymous
	}
	if h.MaxBody <= 0 {
		h.MaxBody = 1 << 20
	}
	if h.Log == nil {
		h.Log = slog.Default()
	}
	if !h.Settings.NoConsole {
		h.console = console.New(h.Queries)
	}
	return h
}

type graphQL struct {
	GraphQLOptions
	console *console.Console // nil: there is none
	engine  *resolvers.Engine
}

// refusal is an answer that never reached the engine.
type refusal struct {
	status int
	code   facade.Code
	text   string
	allow  string // of a 405

	challenge string // of a 401
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
	head.Set("Vary", "Accept")
	head.Set("X-Content-Type-Options", "nosniff")
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
	req, refused := h.read(w, r, media)
	if refused == nil {
		req.State, refused = h.state(r)
	}
	if refused != nil {
		refused.write(w, media)
		return
	}
	res := h.engine.Execute(r.Context(), req)
	defer res.Release()
	status := res.Status
	switch {
	case status == http.StatusMethodNotAllowed:
		head.Set("Allow", http.MethodPost)
	case media != mediaResponse && status < 500:
		status = http.StatusOK
	}
	head.Set("Content-Type", contentType(media))
	w.WriteHeader(status)
	_, _ = w.Write(res.Body) // nobody is left to tell
}

const graphQLVerbs = "GET, HEAD, OPTIONS, POST"

// read reads the request into what the engine takes.
func (h *graphQL) read(w http.ResponseWriter, r *http.Request, media string) (*resolvers.Request, *refusal) {
	if media == "" {
		return nil, &refusal{
			status: http.StatusNotAcceptable, code: facade.BadRequest,
			text: "nothing here is of the types that Accept names; accept application/graphql-response+json or application/json",
		}
	}
	var req *resolvers.Request
	var refused *refusal
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if elsewhere(r) {
			return nil, &refusal{status: http.StatusForbidden, code: facade.Forbidden, text: "a page of another site embeds this; send the request as a script of your own with CORS"}
		}
		req, refused = readURL(r.URL.RawQuery)
	case http.MethodPost:
		req, refused = h.readBody(w, r)
	default:
		return nil, &refusal{
			status: http.StatusMethodNotAllowed, code: facade.MethodNotAllowed, allow: graphQLVerbs,
			text: "GraphQL is answered over POST, and queries over GET; send one of these",
		}
	}
	if refused == nil {
		req.Trace = r.Header.Get("traceparent")
	}
	return req, refused
}

// elsewhere says whether a browser embeds the answer in a page of another site: it
// could not be read there, so nobody who means well asks for it.
func elsewhere(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "no-cors"
}

// readBody reads a POST.
func (h *graphQL) readBody(w http.ResponseWriter, r *http.Request) (*resolvers.Request, *refusal) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, &refusal{
			status: http.StatusUnsupportedMediaType, code: facade.BadRequest,
			text: "the body has to be JSON in UTF-8; send it with Content-Type: application/json",
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, &refusal{
			status: http.StatusRequestEntityTooLarge, code: facade.PayloadTooLarge,
			text: fmt.Sprintf("the body is larger than %d bytes; send a smaller one", h.MaxBody),
		}
	case err != nil:
		return nil, badRequest("the body ends early; send all of it")
	}
	if err := jsontext.Check(body); err != nil {
		return nil, badRequest("the body is not JSON: %s", err)
	}
	switch jsontext.KindOf(body) {
	case jsontext.Object:
	case jsontext.Array:
		return nil, badRequest("the body is a list; send one request at a time, as an object with the member query")
	default:
		return nil, badRequest("the body has to be an object with the member query")
	}
	members := map[string]json.RawMessage{}
	for name, value := range jsontext.Members(body) {
		members[name] = value
	}
	return readMembers(members)
}

// isJSON says whether a Content-Type is JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != mediaJSON {
		return false
	}
	charset := params["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// readURL reads a GET: each member is a parameter, objects as JSON.
func readURL(raw string) (*resolvers.Request, *refusal) {
	params, err := url.ParseQuery(raw)
	if err != nil {
		return nil, badRequest("the address is not encoded as addresses are; encode each parameter")
	}
	members := map[string]json.RawMessage{}
	for _, name := range []string{"query", "operationName"} {
		if params.Has(name) {
			members[name] = jsontext.Quote(params.Get(name))
		}
	}
	for _, name := range []string{"variables", "extensions"} {
		text := params.Get(name)
		if text == "" {
			continue
		}
		if err := jsontext.Check([]byte(text)); err != nil {
			return nil, badRequest("the parameter %s is not JSON: %s", name, err)
		}
		members[name] = json.RawMessage(text)
	}
	req, refused := readMembers(members)
	if refused == nil {
		req.ReadOnly = true // a mutation over GET would be a link that writes
	}
	return req, refused
}

// readMembers judges the members of a request; null is as good as nothing for all
// but the query.
func readMembers(m map[string]json.RawMessage) (*resolvers.Request, *refusal) {
	of := func(name string, want jsontext.Kind, what string) (json.RawMessage, *refusal) {
		switch v := m[name]; jsontext.KindOf(v) {
		case jsontext.Invalid, jsontext.Null:
			return nil, nil
		case want:
			return v, nil
		default:
			return nil, badRequest("the member %s has to be %s", name, what)
		}
	}
	query, refused := of("query", jsontext.String, "a string: the document")
	if refused == nil && query == nil {
		refused = badRequest("there is no query; send a document as the member query")
	}
	if refused != nil {
		return nil, refused
	}
	name, refused := of("operationName", jsontext.String, "a string or null")
	if refused != nil {
		return nil, refused
	}
	variables, refused := of("variables", jsontext.Object, "an object or null")
	if refused != nil {
		return nil, refused
	}
	extensions, refused := of("extensions", jsontext.Object, "an object or null")
	if refused != nil {
		return nil, refused
	}
	req := &resolvers.Request{Query: jsontext.Unquote(jsontext.Trim(query)), Variables: variables, Extensions: extensions}
	if name != nil {
		req.OperationName = jsontext.Unquote(jsontext.Trim(name))
	}
	return req, nil
}

// state asks the session who is calling.
func (h *graphQL) state(r *http.Request) (state facade.State, refused *refusal) {
	defer func() {
		if p := recover(); p != nil {
			h.Log.LogAttrs(r.Context(), slog.LevelError, "the session hook panicked",
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			e := facade.Internal(nil)
			refused = &refusal{status: e.Code.Status(), code: e.Code, text: e.Message}
		}
	}()
	state, err := h.Session(r)
	if err == nil {
		return state, nil
	}
	e := facade.AsError(err)
	if e.Code == facade.InternalError {
		h.Log.LogAttrs(r.Context(), slog.LevelError, "the session hook failed", slog.Any("error", err))
	}
	return nil, &refusal{status: e.Code.Status(), code: e.Code, text: e.Message, challenge: e.Challenge()}
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
	w.Header().Set("Content-Type", contentType(media))
	w.WriteHeader(f.status)
	body := append([]byte(`{"errors":[{"message":`), jsontext.Quote(f.text)...)
	body = append(append(body, `,"extensions":{"code":`...), jsontext.Quote(string(f.code))...)
	_, _ = w.Write(append(body, `}}]}`...))
}
