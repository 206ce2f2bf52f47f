package graphqlhttp_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// TestAutomaticPersistedQueries: what is remembered, and what is not.
func TestAutomaticPersistedQueries(t *testing.T) {
	body := func(hash, query string) string {
		extensions := `"extensions":{"persistedQuery":{"version":1,"sha256Hash":` + quoted(hash) + `}}`
		if query == "" {
			return "{" + extensions + "}"
		}
		return `{"query":` + quoted(query) + "," + extensions + "}"
	}
	handler := func(settings gateway.GraphQL) http.Handler {
		return graphQLHandler(t, &gateway.GraphQLOptions{Settings: settings})
	}
	ask := func(t *testing.T, h http.Handler, body, accept string, status int, want string) {
		t.Helper()
		if w := gatewaytest.Do(h, "POST", "/graphql", body, gatewaytest.AsJSON, "Accept: "+accept); w.Code != status || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %d %s", body, w.Code, w.Body, status, want)
		}
	}
	const query, missing = "{ q: __typename }", `{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}`
	hash := sha256Hex(query)
	t.Run("the handshake", func(t *testing.T) {
		h := handler(gateway.GraphQL{})
		ask(t, h, body(hash, ""), graphJSON, 200, missing)
		ask(t, h, body(hash, ""), graphResponse, 400, missing)
		ask(t, h, body(hash, query), graphJSON, 200, `{"data":{"q":"Query"}}`)
		ask(t, h, body(hash, ""), graphJSON, 200, `{"data":{"q":"Query"}}`)
		ask(t, h, body(strings.ToUpper(hash), ""), graphJSON, 200, `{"data":{"q":"Query"}}`)
		w := gatewaytest.Do(h, "GET", "/graphql?extensions="+url.QueryEscape(`{"persistedQuery":{"version":1,"sha256Hash":"`+hash+`"}}`), "", wantsGraph)
		if w.Code != 200 || w.Body.String() != `{"data":{"q":"Query"}}` {
			t.Errorf("over GET: %d %s", w.Code, w.Body)
		}
	})
	t.Run("a document that is refused is not remembered", func(t *testing.T) {
		h := handler(gateway.GraphQL{})
		for _, query := range []string{"{", "{ nope }"} {
			gatewaytest.Do(h, "POST", "/graphql", body(sha256Hex(query), query), gatewaytest.AsJSON)
			ask(t, h, body(sha256Hex(query), ""), graphJSON, 200, missing)
		}
	})
	t.Run("the hash has to be the document's", func(t *testing.T) {
		h := handler(gateway.GraphQL{})
		ask(t, h, body(sha256Hex("other"), query), graphJSON, 400, `PERSISTED_QUERY_HASH_MISMATCH`)
		ask(t, h, body("x", query), graphJSON, 400, `PERSISTED_QUERY_HASH_MISMATCH`)
		ask(t, h, body(sha256Hex("other"), ""), graphJSON, 200, missing)
	})
	t.Run("switched off", func(t *testing.T) {
		h := handler(gateway.GraphQL{NoPersisted: true})
		ask(t, h, body(hash, query), graphJSON, 200, `{"data":{"q":"Query"}}`)
		ask(t, h, body(hash, ""), graphJSON, 200, `{"errors":[{"message":"PersistedQueryNotSupported","extensions":{"code":"PERSISTED_QUERY_NOT_SUPPORTED"}}]}`)
	})
	t.Run("what is no extension", func(t *testing.T) {
		h := handler(gateway.GraphQL{})
		for extension, want := range map[string]string{
			`7`:                             `persistedQuery has to be an object`,
			`{}`:                            `version has to be 1`,
			`{"version":2,"sha256Hash":""}`: `version has to be 1`,
			`{"version":"1"}`:               `version has to be 1`,
			`{"version":1}`:                 `sha256Hash has to be a string`,
			`{"version":1,"sha256Hash":7}`:  `sha256Hash has to be a string`,
			`{"version":1,"sha256Hash":""}`: `sha256Hash has to be a string`,
		} {
			ask(t, h, `{"query":"{ __typename }","extensions":{"persistedQuery":`+extension+`}}`, graphJSON, 400, want)
		}
		ask(t, h, `{"query":"{ __typename }","extensions":{"persistedQuery":null}}`, graphJSON, 200, `"Query"`)
	})
	t.Run("what is used last is kept", func(t *testing.T) {
		h := handler(gateway.GraphQL{})
		nth := func(i int) string { return fmt.Sprintf("{ a%d: __typename }", i) }
		for i := range 1001 {
			ask(t, h, body(sha256Hex(nth(i)), nth(i)), graphJSON, 200, `"Query"`)
			ask(t, h, body(sha256Hex(nth(0)), ""), graphJSON, 200, `"Query"`) // in use
		}
		ask(t, h, body(sha256Hex(nth(1)), ""), graphJSON, 200, missing)
		ask(t, h, body(sha256Hex(nth(2)), ""), graphJSON, 200, `"Query"`)
	})
	t.Run("long documents leave sooner", func(t *testing.T) {
		h := handler(gateway.GraphQL{})
		long := func(i int) string { return fmt.Sprintf("{ a%d: __typename } #", i) + strings.Repeat("x", 60<<10) }
		for i := range 150 { // more than 8 MiB
			ask(t, h, body(sha256Hex(long(i)), long(i)), graphJSON, 200, `"Query"`)
		}
		ask(t, h, body(sha256Hex(long(0)), ""), graphJSON, 200, missing)
		ask(t, h, body(sha256Hex(long(149)), ""), graphJSON, 200, `"Query"`)
	})
}
