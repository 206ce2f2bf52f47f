package graphqlhttp_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
	"github.com/frondhost/frond/schema"
)

// FuzzGraphQLBody: whatever is posted, the answer is JSON with data or errors and a
// status of ours; a body is read where encoding/json, the reference, reads members of
// the right types out of it.
func FuzzGraphQLBody(f *testing.F) {
	for _, body := range []string{
		typename, `{}`, `[]`, `null`, `{"query":7}`, `{"query":"{ __typename }","variables":[]}`, `{"documentId":"x"}`, `{"documentId":""}`,
		`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`, `{"query":"","extensions":{"persistedQuery":{}}}`,
		`{"query":"query($a: ID!) { thing(id: $a) { id } }","variables":{"a":"\u0000"}}`, "\xff", `{"query":"{ __typename }","operationName":null} `,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h := graphQLHandler(t, nil)
		w := gatewaytest.Do(h, "POST", "/graphql", string(body), gatewaytest.AsJSON, wantsGraph)
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer["data"] == nil && answer["errors"] == nil {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		switch w.Code {
		case 200, 400, 404, 413:
		default:
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		if w.Code != 200 {
			return
		}
		var reference map[string]any
		if err := json.Unmarshal(body, &reference); err != nil {
			t.Fatalf("%q was executed, and is not JSON: %v", body, err)
		}
		if _, isText := reference["query"].(string); !isText {
			t.Fatalf("%q was executed, and has no query", body)
		}
		for _, name := range []string{"variables", "extensions"} {
			if _, isObject := reference[name].(map[string]any); reference[name] != nil && !isObject {
				t.Fatalf("%q was executed, and its %s are no object", body, name)
			}
		}
	})
}

// FuzzManifest: whatever stands in a manifest, a gateway starts or says what is wrong.
func FuzzManifest(f *testing.F) {
	for _, text := range []string{
		folder["persisted.json"], folder["apollo.json"], `{}`, `[]`, `{"a":"{"}`, `{"":""}`, `{"sha256:x":""}`,
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"","body":""},{}]}`, `{"format":7}`, "\xff",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := documents(t, map[string]string{"ok.graphql": "{ __typename }"})
		if err := os.WriteFile(filepath.Join(dir, "queries", "m.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := trusting(t, dir, gateway.DocumentsEnforce, nil)
		if err != nil {
			var faults schema.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("%q: what is wrong is not reported as faults: %v", text, err)
			}
			return
		}
		var entries map[string]json.RawMessage
		if json.Unmarshal(text, &entries) != nil {
			t.Fatalf("%q is no manifest, and it started", text)
		}
		if w := gatewaytest.Do(g.Handler(), "POST", "/graphql", `{"documentId":"ok"}`, gatewaytest.AsJSON); w.Body.String() != `{"data":{"__typename":"Query"}}` {
			t.Fatalf("%q: %s", text, w.Body)
		}
	})
}
