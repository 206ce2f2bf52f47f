package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const graphqlResponse = "Accept: application/graphql-response+json"

// refusedAs is the code of the one error of a GraphQL answer that has no data.
func refusedAs(t *testing.T, res reply) string {
	t.Helper()
	m, _ := decode(t, res.Body).(map[string]any)
	if list, _ := m["errors"].([]any); len(list) != 1 || m["data"] != nil {
		t.Errorf("want one error and no data: %s", res.Body)
	}
	code, _, _ := failureOf(t, res)
	return code
}

// TestPersistedHandshake: a client of Apollo's sends the hash of its document, learns
// that it is unknown, sends both, and from then on the hash alone, over GET too.
func TestPersistedHandshake(t *testing.T) {
	t.Parallel()
	p := startGateway(t, shopDir)
	const query = `query Tamper($id: ID!) { product(id: $id) { name } }`
	sum := sha256.Sum256([]byte(query))
	extensions := `{"persistedQuery":{"version":1,"sha256Hash":"` + hex.EncodeToString(sum[:]) + `"}}`
	variables := `{"id":"p-tamper"}`
	hashed := object("operationName", `"Tamper"`, "variables", variables, "extensions", extensions)
	want := decode(t, []byte(`{"data":{"product":{"name":"Walnut tamper, 58 mm"}}}`))

	res := send(t, "POST", p.URL+"/graphql", hashed)
	if code := refusedAs(t, res); res.Status != 200 || code != "PERSISTED_QUERY_NOT_FOUND" || !strings.Contains(string(res.Body), `"message":"PersistedQueryNotFound"`) {
		t.Errorf("the first time: %d %s", res.Status, res.Body)
	}
	if res := send(t, "POST", p.URL+"/graphql", hashed, graphqlResponse); res.Status != 400 || refusedAs(t, res) != "PERSISTED_QUERY_NOT_FOUND" {
		t.Errorf("as %s: %d %s", graphqlResponse, res.Status, res.Body)
	}
	for _, step := range []struct{ name, method, url, body string }{
		{"both", "POST", "/graphql", object("operationName", `"Tamper"`, "variables", variables, "extensions", extensions, "query", encode(t, query))},
		{"the hash", "POST", "/graphql", hashed},
		{"the hash over GET", "GET", "/graphql?" + url.Values{"operationName": {"Tamper"}, "variables": {variables}, "extensions": {extensions}}.Encode(), ""},
	} {
		res := send(t, step.method, p.URL+step.url, step.body)
		if diff := cmp.Diff(want, decode(t, res.Body)); diff != "" || res.Status != 200 {
			t.Errorf("%s: %d\n%s", step.name, res.Status, diff)
		}
	}

	off := startGateway(t, shopDir, "--graphql-persisted=off")
	if res := send(t, "POST", off.URL+"/graphql", hashed); refusedAs(t, res) != "PERSISTED_QUERY_NOT_SUPPORTED" {
		t.Errorf("switched off: %s", res.Body)
	}
}

// TestDocumentIDs: the queries of the shop are asked for by their names and by their
// hashes, over POST and GET, whatever becomes of other documents.
func TestDocumentIDs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(shopDir, "queries", "moka.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	hash := "sha256:" + hex.EncodeToString(sum[:])
	for _, mode := range []string{"off", "log", "enforce"} {
		t.Run(mode, func(t *testing.T) {
			p := startGateway(t, shopDir, "--graphql-documents-mode", mode)
			user := `X-Frond-User: {"id": "u-erik-sundberg"}`
			want := decode(t, []byte(`{"data":{"products":{"total":83},"product":{"name":"Moka pot, 3 cups","inStock":true,"lines":{"total":1,"items":[
  {"order":{"reference":"CK-24179","total":5990,"customer":{"name":"Erik Sundberg"}}}]}}}}`))
			for _, res := range []reply{
				send(t, "POST", p.URL+"/graphql", `{"documentId":"moka"}`, user),
				send(t, "GET", p.URL+"/graphql?documentId=moka", "", user, graphqlResponse),
				send(t, "POST", p.URL+"/graphql", object("documentId", encode(t, hash)), user),
				send(t, "GET", p.URL+"/graphql?documentId="+hash, "", user),
				send(t, "POST", p.URL+"/graphql", object("query", encode(t, string(text))), user),
			} {
				if diff := cmp.Diff(want, decode(t, res.Body)); diff != "" || res.Status != 200 {
					t.Errorf("%d\n%s", res.Status, diff)
				}
			}
			if res := send(t, "GET", p.URL+"/graphql?documentId=mocha", "", graphqlResponse); res.Status != 404 || refusedAs(t, res) != "DOCUMENT_NOT_FOUND" {
				t.Errorf("an id nobody has: %d %s", res.Status, res.Body)
			}

			unknown := object("query", `"query Curious { suppliers { total } }"`)
			for range 2 {
				res := send(t, "POST", p.URL+"/graphql", unknown, graphqlResponse, `X-Frond-User: {"roles": ["staff"]}`)
				switch {
				case mode == "enforce" && (res.Status != 403 || refusedAs(t, res) != "DOCUMENT_NOT_TRUSTED" || !strings.Contains(string(res.Body), "put it into the folder")):
					t.Errorf("another document: %d %s", res.Status, res.Body)
				case mode != "enforce" && (res.Status != 200 || !strings.Contains(string(res.Body), `"data":{"suppliers"`)):
					t.Errorf("another document: %d %s", res.Status, res.Body)
				}
			}
			if n := strings.Count(p.stderr(), "a document that is not trusted was run"); n != map[string]int{"log": 1}[mode] {
				t.Errorf("the log tells %d times of it:\n%s", n, p.stderr())
			}
			introspects := object("query", `"{ __schema { queryType { name } } }"`)
			if res := send(t, "POST", p.URL+"/graphql", introspects); strings.Contains(string(res.Body), `"name"`) != (mode != "enforce") {
				t.Errorf("introspection: %s", res.Body)
			}
		})
	}
}

// TestBrokenDocuments: where documents are enforced, one that cannot be executed
// stops the start and fails the check, with its place; `frond schema` prints what it
// has to be corrected by. In another mode it is logged.
func TestBrokenDocuments(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"frond.yaml":           everybody,
		"entities/thing.yaml":  "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\nrequired: [id]\n",
		"gateway.yaml":         "store: memory\ngraphql: {introspection: off, documents: {folder: documents, mode: enforce}}\n",
		"documents/ok.graphql": "{ things { total } }\n",
		"documents/old.gql":    "query Old {\n  things {\n    weight\n  }\n}\n",
	}
	const place = `documents/old.gql:3:`
	dir := folder(t, files)
	for _, args := range [][]string{{"gateway", dir, "--listen", "127.0.0.1:0"}, {"check", dir}} {
		if got := run(t, "", args...); got.code == 0 || !strings.Contains(got.stdout+got.stderr, place) || !strings.Contains(got.stdout+got.stderr, `"weight"`) {
			t.Errorf("frond %s: %d\n%s%s", args[0], got.code, got.stdout, got.stderr)
		}
	}
	if got := run(t, "", "schema", "--dir", dir); got.code != 0 || !strings.Contains(got.stdout, "type Thing") {
		t.Errorf("frond schema: %d %s", got.code, got.stderr)
	}
	p := startGateway(t, dir, "--graphql-documents-mode", "log")
	if !strings.Contains(p.stderr(), place) {
		t.Errorf("the log does not tell of %s:\n%s", place, p.stderr())
	}
	if res := send(t, "GET", p.URL+"/graphql?documentId=ok", ""); string(res.Body) != `{"data":{"things":{"total":0}}}` {
		t.Errorf("the other document: %s", res.Body)
	}
	if res := send(t, "POST", p.URL+"/graphql", `{"query":"{ __type(name: \"Thing\") { name } }"}`); refusedAs(t, res) != "INTROSPECTION_DISABLED" {
		t.Errorf("introspection: %s", res.Body)
	}
}
