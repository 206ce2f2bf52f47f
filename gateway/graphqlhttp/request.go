package graphqlhttp

import (
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// members are the members of a request; null and absent are the same.
type members struct {
	query         string
	hasQuery      bool
	documentID    string
	operationName string
	variables     json.RawMessage
	extensions    json.RawMessage
	hash          string // extensions.persistedQuery.sha256Hash
	readOnly      bool   // the request is a GET
}

// read reads the request. The method and the media type are checked first, so that a refused
// body is not read.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, media string, account *budget.Account) (*members, *refusal) {
	if media == "" {
		return nil, &refusal{
			status: http.StatusNotAcceptable, code: kiterror.BadRequest,
			text: "nothing here is of the types that Accept names; accept application/graphql-response+json or application/json",
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if refused := onlyParameters(r, memberNames...); refused != nil {
			return nil, refused
		}
		return readURL(r.URL.RawQuery)
	case http.MethodPost:
		return h.readBody(w, r, account)
	}
	return nil, &refusal{
		status: http.StatusMethodNotAllowed, code: kiterror.MethodNotAllowed, allow: verbsOf(r),
		text: "GraphQL is answered over POST, and queries over GET; send one of these",
	}
}

// onlyParameters refuses a parameter of the address that is not known: a word such as rehearse, which decides whether a
// mutation writes, must not be lost. A stream has its token there.
func onlyParameters(r *http.Request, known ...string) *refusal {
	if r.URL.RawQuery == "" {
		return nil
	}
	if isStream(r) {
		known = append(known[:len(known):len(known)], "token")
	}
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		switch {
		case catalog.IsWord(name):
			return badRequest("%s", directive(name))
		case !slices.Contains(known, name):
			return badRequest("the parameter %s is not known here; send the members of the request in its body", schema.Quoted(name))
		}
	}
	return nil
}

// directive says how a mutation is rehearsed and approved.
func directive(word string) string {
	if word == catalog.Approve {
		return "approve is a directive of the mutation; write mutation @approve(token: …) {…} in the document"
	}
	return "rehearse is a directive of the mutation; write mutation @rehearse {…} in the document"
}

// readBody reads a POST. The body is {query | documentId, operationName?, variables?,
// extensions?}; a list, which some clients send for several operations at once, is refused.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, account *budget.Account) (*members, *refusal) {
	if refused := readable(w, r.Header); refused != nil {
		return nil, refused
	}
	if refused := onlyParameters(r); refused != nil {
		return nil, refused
	}
	body, err := account.ReadAll(r.Body, r.ContentLength, h.MaxBody)
	if err != nil {
		if refused := (*kiterror.Error)(nil); errors.As(err, &refused) {
			w.Header().Set("Connection", "close") // the rest of the body is not drained
			return nil, crowded(refused)
		}
		return nil, badRequest("the body ends early; send all of it") // or it has another length than it declared
	}
	if err := jsontext.Check(body); err != nil {
		return nil, badRequest("the body is not JSON: %s", err)
	}
	return readObject(body)
}

// readObject reads the members of a request from a valid JSON text.
func readObject(body json.RawMessage) (*members, *refusal) {
	switch jsontext.KindOf(body) {
	case jsontext.Object:
	case jsontext.Array:
		return nil, badRequest("the body is a list; send one request at a time, as an object with the member query")
	default:
		return nil, badRequest("the body has to be an object with the member query")
	}
	m := &members{}
	for name, value := range jsontext.Members(body) {
		if refused := m.take(name, value); refused != nil {
			return nil, refused
		}
	}
	return m.whole()
}

// readable returns the fault of the headers of a body, or nil. A type that a form of another site
// may send without being asked for permission is refused here: a text, a form, an upload, no type
// at all.
func readable(w http.ResponseWriter, h http.Header) *refusal {
	if types := h.Values("Content-Type"); len(types) != 1 || !isJSON(types[0]) {
		return &refusal{
			status: http.StatusUnsupportedMediaType, code: kiterror.BadRequest,
			text: "the body has to be JSON in UTF-8; send it with Content-Type: application/json",
		}
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
		return &refusal{
			status: http.StatusUnsupportedMediaType, code: kiterror.BadRequest,
			text: "the body is compressed; send it as it is, without Content-Encoding",
		}
	}
	return nil
}

// isJSON reports whether a Content-Type is JSON in UTF-8: application/json, with charset=utf-8
// or without a charset.
func isJSON(contentType string) bool {
	if contentType == mediaJSON { // the common case, without parsing
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != mediaJSON {
		return false
	}
	charset := params["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// readURL reads a GET: each member is a parameter, objects as JSON.
//
//	?query=query($id:ID!){order(id:$id){total}}&variables={"id":"7"}&operationName=…
//
// The parameters arrive URL-encoded. An empty parameter is an absent one, but for query, which
// is then an empty document.
func readURL(raw string) (*members, *refusal) {
	params, err := url.ParseQuery(raw)
	if err != nil {
		return nil, badRequest("the address is not encoded as addresses are; encode each parameter")
	}
	m := &members{readOnly: true} // a mutation over GET would be a link that writes
	for _, name := range memberNames {
		values := params[name]
		switch {
		case len(values) == 0 || values[0] == "" && name != "query":
			continue
		case len(values) > 1:
			return nil, badRequest("the parameter %s is there twice; send it once", name)
		case !utf8.ValidString(values[0]):
			return nil, badRequest("the parameter %s is not percent-encoded UTF-8; encode its characters as UTF-8", name)
		}
		value := json.RawMessage(values[0])
		if name != "variables" && name != "extensions" {
			// take reads members as JSON, whichever way they came.
			value = jsontext.Quote(values[0])
		} else if err := jsontext.Check(value); err != nil {
			return nil, badRequest("the parameter %s is not JSON: %s", name, err)
		}
		if refused := m.take(name, value); refused != nil {
			return nil, refused
		}
	}
	return m.whole()
}

// memberNames are the members of a request; others are ignored, as the draft says.
var memberNames = []string{"query", "documentId", "operationName", "variables", "extensions"}

// take checks one member and keeps it. Null is absence (GraphQL over HTTP, "Request
// Parameters"). Other members are ignored, but for those that would have to be directives.
func (m *members) take(name string, value json.RawMessage) (refused *refusal) {
	kind := jsontext.KindOf(value)
	if kind == jsontext.Null {
		return nil
	}
	isText, isObject := kind == jsontext.String, kind == jsontext.Object
	text := ""
	if isText {
		text = jsontext.Unquote(jsontext.Trim(value))
	}
	switch name {
	case "query":
		if m.query, m.hasQuery = text, true; !isText {
			return badRequest("the member query has to be a string: the document")
		}
	case "documentId":
		if m.documentID = text; !isText {
			return badRequest("the member documentId has to be a string or null")
		} else if text == "" {
			return badRequest("the member documentId is empty; send the id of a document, or leave it out")
		}
	case "operationName":
		if m.operationName = text; !isText {
			return badRequest("the member operationName has to be a string or null")
		}
	case "variables":
		if m.variables = value; !isObject {
			return badRequest("the member variables has to be an object or null")
		}
	case "extensions":
		if m.extensions = value; !isObject {
			return badRequest("the member extensions has to be an object or null")
		}
		m.hash, refused = readPersisted(value)
	case catalog.Rehearse, catalog.Approve:
		return badRequest("%s", directive(name))
	}
	return refused
}

// whole checks the members together. Exactly one of query and documentId is needed; a hash may
// come alone, or with a query.
func (m *members) whole() (*members, *refusal) {
	switch {
	case m.documentID != "" && m.hasQuery:
		return nil, badRequest("there is a query and a documentId; send one of them")
	case m.documentID == "" && !m.hasQuery && m.hash == "":
		return nil, badRequest("there is no query; send a document as the member query, or the documentId of a trusted one")
	}
	return m, nil
}

// readPersisted is the hash that an extension persistedQuery names, or "".
//
//	"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ecf4edb4…"}}
func readPersisted(extensions json.RawMessage) (string, *refusal) {
	persisted := jsontext.Get(extensions, "persistedQuery")
	switch jsontext.KindOf(persisted) {
	case jsontext.Invalid, jsontext.Null:
		return "", nil
	case jsontext.Object:
	default:
		return "", badRequest("extensions.persistedQuery has to be an object with version and sha256Hash")
	}
	if v := jsontext.Get(persisted, "version"); string(jsontext.Trim(v)) != "1" {
		return "", badRequest("extensions.persistedQuery.version has to be 1")
	}
	hash := jsontext.Get(persisted, "sha256Hash")
	if jsontext.KindOf(hash) != jsontext.String || jsontext.Unquote(jsontext.Trim(hash)) == "" {
		return "", badRequest("extensions.persistedQuery.sha256Hash has to be a string: the SHA-256 of the document, in hexadecimal")
	}
	return jsontext.Unquote(jsontext.Trim(hash)), nil
}
