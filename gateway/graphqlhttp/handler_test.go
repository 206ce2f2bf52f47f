package graphqlhttp_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/store/storetest"
)

// graphQLHandler is the handler over one entity, thing.
func graphQLHandler(t *testing.T, opts *gateway.GraphQLOptions) http.Handler {
	t.Helper()
	_, e := engineOf(t, fstest.MapFS{"entities/thing.yaml": {Data: []byte(thing)}})
	return gateway.NewGraphQL(e, opts)
}

// thing is a card.
const thing = "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\nrequired: [id, name]\n"

// engineOf returns the schema of a project in memory, and the engine that answers it.
func engineOf(t *testing.T, files fstest.MapFS) (*binding.Schema, *resolvers.Engine) {
	t.Helper()
	p, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e, err := resolvers.NewEngine(s, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

const (
	graphJSON     = "application/json"
	graphResponse = "application/graphql-response+json"
)

// TestGraphQLOverHTTP walks the draft's rules: what is accepted, with which type
// and status it is answered.
func TestGraphQLOverHTTP(t *testing.T) {
	h := graphQLHandler(t, &gateway.GraphQLOptions{MaxBody: 2000, Settings: gateway.GraphQL{Console: new(true)}})
	get := func(params ...string) string {
		v := url.Values{}
		for i := 0; i < len(params); i += 2 {
			v.Set(params[i], params[i+1])
		}
		return "/graphql?" + v.Encode()
	}
	for _, c := range []struct {
		name, method, target, contentType, accept, body string

		status int
		media  string
		want   string // in the body
	}{
		{"a query", "POST", "/graphql", graphJSON, graphResponse, `{"query":"{ __typename }"}`, 200, graphResponse, `{"data":{"__typename":"Query"}}`},
		{"answered as plain JSON", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{ __typename }"}`, 200, graphJSON, `"Query"`},
		{"anything accepted is JSON", "POST", "/graphql", graphJSON, "*/*", `{"query":"{ __typename }"}`, 200, graphJSON, `"Query"`},
		{"no Accept is JSON", "POST", "/graphql", graphJSON, "", `{"query":"{ __typename }"}`, 200, graphJSON, `"Query"`},
		{"the one named first wins", "POST", "/graphql", graphJSON, graphResponse + ", " + graphJSON, `{"query":"{ __typename }"}`, 200, graphResponse, `"Query"`},
		{"unless it is liked less", "POST", "/graphql", graphJSON, graphResponse + ";q=0.5, " + graphJSON, `{"query":"{ __typename }"}`, 200, graphJSON, `"Query"`},
		{"a range counts below a name", "POST", "/graphql", graphJSON, "application/*, " + graphResponse, `{"query":"{ __typename }"}`, 200, graphResponse, `"Query"`},
		{"a type refused with q=0", "POST", "/graphql", graphJSON, "application/*, application/json;q=0", `{"query":"{ __typename }"}`, 200, graphResponse, `"Query"`},
		{"no type of ours", "POST", "/graphql", graphJSON, "image/png", `{"query":"{ __typename }"}`, 406, graphJSON, `accept application/graphql-response+json`},
		{"charset utf-8", "POST", "/graphql", graphJSON + "; charset=utf-8", graphJSON, `{"query":"{ __typename }"}`, 200, graphJSON, `"Query"`},
		{"another charset", "POST", "/graphql", graphJSON + "; charset=latin1", graphJSON, `{"query":"{ __typename }"}`, 415, graphJSON, `Content-Type: application/json`},

		// What a form on another site could send.
		{"a text", "POST", "/graphql", "text/plain", graphJSON, `{"query":"{ __typename }"}`, 415, graphJSON, `errors`},
		{"a form", "POST", "/graphql", "application/x-www-form-urlencoded", graphJSON, `query={__typename}`, 415, graphJSON, `errors`},
		{"an upload", "POST", "/graphql", "multipart/form-data; boundary=x", graphJSON, ``, 415, graphJSON, `errors`},
		{"no type at all", "POST", "/graphql", "", graphJSON, `{"query":"{ __typename }"}`, 415, graphJSON, `errors`},

		// Members.
		{"no query", "POST", "/graphql", graphJSON, graphResponse, `{}`, 400, graphResponse, `send a document as the member query`},
		{"no query, as JSON", "POST", "/graphql", graphJSON, graphJSON, `{}`, 400, graphJSON, `errors`},
		{"a query that is null", "POST", "/graphql", graphJSON, graphJSON, `{"query":null}`, 400, graphJSON, `errors`},
		{"a query that is an object", "POST", "/graphql", graphJSON, graphJSON, `{"query":{}}`, 400, graphJSON, `query has to be a string`},
		{"an operationName that is a list", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{ __typename }","operationName":[]}`, 400, graphJSON, `operationName has to be`},
		{"variables that are a string", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{ __typename }","variables":"{}"}`, 400, graphJSON, `variables has to be`},
		{"variables that are a list", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{ __typename }","variables":[]}`, 400, graphJSON, `variables has to be`},
		{"extensions that are a number", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{ __typename }","extensions":7}`, 400, graphJSON, `extensions has to be`},
		{"the others null", "POST", "/graphql", graphJSON, graphResponse, `{"query":"{ __typename }","operationName":null,"variables":null,"extensions":null}`, 200, graphResponse, `"Query"`},
		{"a batch", "POST", "/graphql", graphJSON, graphJSON, `[{"query":"{ __typename }"}]`, 400, graphJSON, `one request at a time`},
		{"a scalar", "POST", "/graphql", graphJSON, graphJSON, `"query"`, 400, graphJSON, `object`},
		{"no JSON", "POST", "/graphql", graphJSON, graphJSON, `{"query`, 400, graphJSON, `not JSON`},
		{"no JSON", "POST", "/graphql", graphJSON, graphResponse, ``, 400, graphResponse, `not JSON`},
		{"a member twice", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{a}","query":"{b}"}`, 400, graphJSON, `twice`},
		{"a large body", "POST", "/graphql", graphJSON, graphJSON, `{"query":"` + strings.Repeat("#", 2000) + `"}`, 413, graphJSON, `PAYLOAD_TOO_LARGE`},

		// What becomes of the document.
		{"does not parse", "POST", "/graphql", graphJSON, graphResponse, `{"query":"{"}`, 400, graphResponse, `GRAPHQL_PARSE_FAILED`},
		{"does not parse, as JSON", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{"}`, 200, graphJSON, `GRAPHQL_PARSE_FAILED`},
		{"is not valid", "POST", "/graphql", graphJSON, graphResponse, `{"query":"{ nope }"}`, 400, graphResponse, `GRAPHQL_VALIDATION_FAILED`},
		{"is not valid, as JSON", "POST", "/graphql", graphJSON, graphJSON, `{"query":"{ nope }"}`, 200, graphJSON, `GRAPHQL_VALIDATION_FAILED`},
		{"a variable that does not fit", "POST", "/graphql", graphJSON, graphResponse, `{"query":"query($i: ID!) { thing(id: $i) { id } }"}`, 400, graphResponse, `BAD_USER_INPUT`},
		{"a field fails", "POST", "/graphql", graphJSON, graphResponse, `{"query":"{ things(first: -1) { total } }"}`, 200, graphResponse, `{"data":{"things":null},"errors":[`},

		// GET.
		{"a query", "GET", get("query", "{ __typename }"), "", graphResponse, "", 200, graphResponse, `"Query"`},
		{"with variables", "GET", get("query", "query($i: ID!) { thing(id: $i) { id } }", "variables", `{"i":"x"}`, "operationName", ""), "", graphJSON, "", 200, graphJSON, `{"data":{"thing":null}}`},
		{"variables that are no JSON", "GET", get("query", "{ __typename }", "variables", "{"), "", graphJSON, "", 400, graphJSON, `variables is not JSON`},
		{"variables that are a list", "GET", get("query", "{ __typename }", "variables", "[]"), "", graphJSON, "", 400, graphJSON, `variables has to be`},
		{"no query", "GET", "/graphql", "", graphJSON, "", 400, graphJSON, `query`},
		{"an address nobody can read", "GET", "/graphql?query=%zz", "", graphJSON, "", 400, graphJSON, `encode`},
		{"a mutation", "GET", get("query", `mutation { deleteThing(id: "x") }`), "", graphJSON, "", 405, graphJSON, `METHOD_NOT_ALLOWED`},
		{"a browser", "GET", "/graphql", "", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", 200, "text/html", `<title>frond · GraphQL</title>`},
		{"a browser's link", "GET", get("query", "{ __typename }"), "", "text/html,*/*;q=0.8", "", 200, "text/html", `<title>frond · GraphQL</title>`},
		{"another verb", "PUT", "/graphql", graphJSON, graphJSON, `{"query":"{ __typename }"}`, 405, graphJSON, `METHOD_NOT_ALLOWED`},
	} {
		t.Run(c.name+" over "+c.method, func(t *testing.T) {
			r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			if c.accept != "" {
				r.Header.Set("Accept", c.accept)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			body := w.Body.String()
			if w.Code != c.status || w.Header().Get("Content-Type") != c.media+"; charset=utf-8" || !strings.Contains(body, c.want) {
				t.Errorf("%d %s %s\nwant %d %s with %s", w.Code, w.Header().Get("Content-Type"), body, c.status, c.media, c.want)
			}
			if c.media != "text/html" && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s is no JSON", body)
			}
			if w.Code == 400 && strings.Contains(body, `"data"`) {
				t.Errorf("%s has data, and nothing was executed", body)
			}
			if w.Code == 405 && w.Header().Get("Allow") == "" {
				t.Error("a 405 has no Allow")
			}
		})
	}
}

// TestGraphQLFromElsewhere: a page of another site cannot embed an answer.
func TestGraphQLFromElsewhere(t *testing.T) {
	r := httptest.NewRequest("GET", "/graphql?query={__typename}", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "no-cors")
	w := httptest.NewRecorder()
	graphQLHandler(t, nil).ServeHTTP(w, r)
	if w.Code != 403 || !strings.Contains(w.Body.String(), "FORBIDDEN") {
		t.Errorf("%d %s, want a refusal", w.Code, w.Body)
	}
}

// TestGraphQLSession: the hook's error is the answer, its panic is nobody's business.
func TestGraphQLSession(t *testing.T) {
	for _, c := range []struct {
		name    string
		session gateway.Session
		status  int
		want    string
	}{
		{"refuses", func(*http.Request) (access.State, error) {
			return nil, kiterror.Errorf(kiterror.Unauthorized, "the token has ended; send a new one")
		}, 401, `{"errors":[{"message":"the token has ended; send a new one","extensions":{"code":"UNAUTHORIZED"}}]}`},
		{"fails", func(*http.Request) (access.State, error) { return nil, io.ErrUnexpectedEOF }, 500, "INTERNAL_ERROR"},
		{"panics", func(*http.Request) (access.State, error) { panic("the secret") }, 500, "INTERNAL_ERROR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := graphQLHandler(t, &gateway.GraphQLOptions{Session: c.session, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
			r := httptest.NewRequest("POST", "/graphql", strings.NewReader(`{"query":"{ __typename }"}`))
			r.Header.Set("Content-Type", graphJSON)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, c.status, c.want)
			}
		})
	}
}
