package graphqlhttp_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// thingProject is a project of one entity, thing, and options to run it with.
func thingProject(t *testing.T) (*facade.Project, *gateway.Options) {
	t.Helper()
	p, err := facade.Read(fstest.MapFS{"entities/thing.yaml": {Data: []byte(
		"properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\nrequired: [id, name]\n")}})
	if err != nil {
		t.Fatal(err)
	}
	return p, &gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler), Undecided: true}
}

// documents writes files into the folder queries of a new directory.
func documents(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, "queries", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// trusting is a gateway over one entity and the trusted documents of a folder.
func trusting(t *testing.T, dir, mode string, change func(*gateway.Options)) (*gateway.Gateway, error) {
	t.Helper()
	p, opts := thingProject(t)
	opts.Config.Dir = dir
	opts.Config.GraphQL.Documents = gateway.Documents{Folder: "queries", Mode: mode}
	opts.Config.GraphQL.Introspection = new(true)
	if change != nil {
		change(opts)
	}
	g, err := gateway.New(p, opts)
	if err == nil {
		t.Cleanup(func() { _ = g.Close() })
	}
	return g, err
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// One document of each kind of file.
const (
	inFile   = "query One { one: __typename }\n"
	inGQL    = "query A { a: __typename }\n\nquery B { b: __typename }\n"
	inRelay  = "query Relay { relay: __typename }"
	inApollo = "query Apollo { apollo: __typename }"
	writes   = `mutation Write { deleteThing(id: "x") }`
)

var folder = map[string]string{
	"one.graphql":         inFile,
	"cart/two.gql":        inGQL,
	"write.graphql":       writes,
	"persisted.json":      `{"0123abcd": ` + quoted(inRelay) + `}`,
	"apollo.json":         `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "ap1", "name": "Apollo", "type": "query", "body": ` + quoted(inApollo) + `}]}`,
	"README.md":           "nothing of this is a document",
	".hidden/bad.graphql": "{",
	".bad.graphql":        "{",
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// TestTrustedDocuments: every way to ask for a document, in each mode.
func TestTrustedDocuments(t *testing.T) {
	const unknown, mutation = "query New { new: __typename }", "METHOD_NOT_ALLOWED"
	by := func(id string) string { return `{"documentId":` + quoted(id) + `}` }
	persisted := func(hash, query string) string {
		if query != "" {
			query = `"query":` + quoted(query) + `,`
		}
		return `{` + query + `"extensions":{"persistedQuery":{"version":1,"sha256Hash":` + quoted(hash) + `}}}`
	}
	inURL := func(pairs ...string) string {
		v := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return "?" + v.Encode()
	}
	gateways := map[string]http.Handler{} // the cases are one conversation with each
	for _, mode := range []string{gateway.DocumentsOff, gateway.DocumentsLog, gateway.DocumentsEnforce} {
		g, err := trusting(t, documents(t, folder), mode, nil)
		if err != nil {
			t.Fatal(err)
		}
		gateways[mode] = g.Handler()
	}
	const notFound, notTrusted = `"DOCUMENT_NOT_FOUND"`, `"DOCUMENT_NOT_TRUSTED"`
	for _, c := range []struct {
		name, body string // a body that begins with ? is a GET
		want       string // in every mode, unless enforced says otherwise
		status     int
		enforced   string // where documents are enforced; "": the same
		enforcedAs int
	}{
		{"the name of a file", by("one"), `{"data":{"one":"Query"}}`, 200, "", 0},
		{"over GET", inURL("documentId", "one"), `{"data":{"one":"Query"}}`, 200, "", 0},
		{"the hash of a file", by("sha256:" + sha256Hex(inFile)), `{"data":{"one":"Query"}}`, 200, "", 0},
		{"the hash of a file's text without its last line end", by("sha256:" + sha256Hex(strings.TrimSpace(inFile))), `{"data":{"one":"Query"}}`, 200, "", 0},
		{"a file in a folder, one of its operations", `{"documentId":"cart.two","operationName":"B"}`, `{"data":{"b":"Query"}}`, 200, "", 0},
		{"and which is not said", by("cart.two"), `OPERATION_RESOLUTION_FAILURE`, 400, "", 0},
		{"an id of relay's or codegen's manifest", by("0123abcd"), `{"data":{"relay":"Query"}}`, 200, "", 0},
		{"the hash of its text", by("sha256:" + sha256Hex(inRelay)), `{"data":{"relay":"Query"}}`, 200, "", 0},
		{"an id of Apollo's manifest", by("ap1"), `{"data":{"apollo":"Query"}}`, 200, "", 0},
		{"as Apollo's clients send it", persisted("ap1", ""), `{"data":{"apollo":"Query"}}`, 200, "", 0},
		{"a hash as Apollo's clients send it", persisted(sha256Hex(inRelay), ""), `{"data":{"relay":"Query"}}`, 200, "", 0},
		{"a hash and the text", persisted(sha256Hex(inRelay), inRelay), `{"data":{"relay":"Query"}}`, 200, "", 0},
		{"an id and the text", persisted("ap1", inApollo), `{"data":{"apollo":"Query"}}`, 200, "", 0},
		{"an id and another text", persisted("ap1", inRelay), `"PERSISTED_QUERY_HASH_MISMATCH"`, 400, "", 0},
		{"the text", `{"query":` + quoted(inRelay) + `}`, `{"data":{"relay":"Query"}}`, 200, "", 0},
		{"the text of a file without its last line end", `{"query":` + quoted(strings.TrimSpace(inFile)) + `}`, `{"data":{"one":"Query"}}`, 200, "", 0},
		{"the mutation over POST", by("write"), `{"data":{"deleteThing":false}}`, 200, "", 0},
		{"the mutation over GET", inURL("documentId", "write"), mutation, 405, "", 0},
		{"and by its hash", inURL("extensions", `{"persistedQuery":{"version":1,"sha256Hash":"`+sha256Hex(writes)+`"}}`), mutation, 405, "", 0},

		{"an id that is not there", by("two"), notFound, 404, "", 0},
		{"the hash of nothing", by("sha256:" + sha256Hex(unknown)), notFound, 404, "", 0},
		{"a hash in capitals is another id", by("sha256:" + strings.ToUpper(sha256Hex(inRelay))), notFound, 404, "", 0},
		{"hidden files are not read", by(".bad"), notFound, 404, "", 0},
		{"another text", `{"query":` + quoted(unknown) + `}`, `{"data":{"new":"Query"}}`, 200, notTrusted, 403},
		{"another text over GET", inURL("query", unknown), `{"data":{"new":"Query"}}`, 200, notTrusted, 403},
		{"nearly the same text", `{"query":` + quoted(inRelay+" # or is it") + `}`, `{"data":{"relay":"Query"}}`, 200, notTrusted, 403},
		{"introspection", `{"query":"{ __schema { queryType { name } } }"}`, `{"data":{"__schema":{"queryType":{"name":"Query"}}}}`, 200, notTrusted, 403},
		{"a text that is none", `{"query":"{"}`, `GRAPHQL_PARSE_FAILED`, 400, notTrusted, 403},
		{"a hash nobody knows", persisted(sha256Hex("{ nobody }"), ""), `"PERSISTED_QUERY_NOT_FOUND"`, 400, notTrusted, 403},
		{"a hash and a text to remember", persisted(sha256Hex(unknown), unknown), `{"data":{"new":"Query"}}`, 200, notTrusted, 403},
		{"and then the hash", persisted(sha256Hex(unknown), ""), `{"data":{"new":"Query"}}`, 200, notTrusted, 403},

		{"an id and a text", `{"documentId":"one","query":"{ __typename }"}`, `send one of them`, 400, "", 0},
		{"an empty id", by(""), `documentId is empty`, 400, "", 0},
		{"an id that is a number", `{"documentId":7}`, `documentId has to be a string`, 400, "", 0},
		{"an id that is null", `{"documentId":null,"query":` + quoted(inRelay) + `}`, `{"data":{"relay":"Query"}}`, 200, "", 0},
	} {
		for _, mode := range []string{gateway.DocumentsOff, gateway.DocumentsLog, gateway.DocumentsEnforce} {
			t.Run(c.name+", "+mode, func(t *testing.T) {
				g := gateways[mode]
				want, status := c.want, c.status
				if mode == gateway.DocumentsEnforce && c.enforced != "" {
					want, status = c.enforced, c.enforcedAs
				}
				ask := func(accept string) (int, string) {
					if target, isGet := strings.CutPrefix(c.body, "?"); isGet {
						w := gatewaytest.Do(g, "GET", "/graphql?"+target, "", accept)
						return w.Code, w.Body.String()
					}
					w := gatewaytest.Do(g, "POST", "/graphql", c.body, gatewaytest.AsJSON, accept)
					return w.Code, w.Body.String()
				}
				if got, body := ask(wantsGraph); got != status || !strings.Contains(body, want) {
					t.Errorf("%d %s\nwant %d with %s", got, body, status, want)
				}
				// As plain JSON what the engine refuses is 200, and so is what clients of
				// persisted queries wait for; what is no request, or may not be asked, is not.
				if status == 400 && (strings.Contains(want, "PERSISTED_QUERY_NOT") || strings.Contains(want, "GRAPHQL_") || strings.Contains(want, "OPERATION_")) {
					status = 200
				}
				if got, body := ask("Accept: application/json"); got != status || !strings.Contains(body, want) {
					t.Errorf("as JSON: %d %s\nwant %d with %s", got, body, status, want)
				}
			})
		}
	}
}

// TestDocumentFaults: a fault in the folder is reported with its place. Where documents
// are enforced it stops the start; else it is logged and the rest runs.
func TestDocumentFaults(t *testing.T) {
	const good = "{ __typename }"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string // one a fault, in any order
	}{
		{"does not parse", map[string]string{"a.graphql": "{\n  things {", "b.graphql": good}, []string{"queries/a.graphql:2:11: Expected Name, found <EOF>; correct the document"}},
		{"is not valid, at two places", map[string]string{"a.gql": "{\n  nope\n  never }", "b.graphql": good}, []string{
			`queries/a.gql:2:3: Cannot query field "nope" on type "Query"`, `queries/a.gql:3:3: Cannot query field "never" on type "Query"`,
		}},
		{"fragments alone", map[string]string{"a.graphql": "fragment F on Thing { id }", "b.graphql": good}, []string{"queries/a.graphql: The document has no operation"}},
		{"over a limit", map[string]string{"a.graphql": "{ " + strings.Repeat("__typename ", 21) + "}", "b.graphql": good}, []string{"queries/a.graphql: The operation has more than 20 root fields"}},
		{"within a manifest", map[string]string{"m.json": `{"x/y":"{\n  nope }","ok":"` + good + `"}`}, []string{`queries/m.json#/x~1y: line 2, column 3 of the document: Cannot query field "nope"`}},
		{"within Apollo's", map[string]string{"m.json": `{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","body":"{ nope }"},{"id":"b","body":"` + good + `"},{"body":"{a}"},{"id":"c"},7]}`}, []string{
			`queries/m.json#/operations/0/body: line 1, column 3`, `queries/m.json#/operations/2/id: the id has to be a text`,
			`queries/m.json#/operations/3/body: a document has to be a text`, `queries/m.json#/operations/4: an operation has to be an object`,
		}},
		{"a manifest of another version", map[string]string{"m.json": `{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}`, "b.graphql": good}, []string{"queries/m.json#/version: the version of the manifest has to be 1"}},
		{"a manifest without operations", map[string]string{"m.json": `{"format":"apollo-persisted-query-manifest","version":1}`, "b.graphql": good}, []string{"queries/m.json#/operations: the operations have to be a list"}},
		{"no manifest", map[string]string{"m.json": `["x"]`, "b.graphql": good}, []string{`queries/m.json: a manifest is an object; write {"ID": "document"}`}},
		{"no JSON", map[string]string{"m.json": `{`, "b.graphql": good}, []string{"queries/m.json: this is not JSON"}},
		{"an id twice in a manifest", map[string]string{"m.json": `{"a":"{__typename}","a":"{ __typename }"}`, "b.graphql": good}, []string{"queries/m.json: this is not JSON"}},
		{"an entry that is no text", map[string]string{"m.json": `{"a":{}}`, "b.graphql": good}, []string{"queries/m.json#/a: a document has to be a text"}},
		{"an empty id", map[string]string{"m.json": `{"":"{ __typename }"}`, "b.graphql": good}, []string{"queries/m.json#/: an id cannot be empty"}},
		{"a hash that is not the document's", map[string]string{"m.json": `{"sha256:00":"{ __typename }"}`, "b.graphql": good}, []string{"queries/m.json#/sha256:00: the id is not the hash of the document"}},
		{"two documents of one name", map[string]string{"a.b.graphql": "{ x: __typename }", "a/b.gql": "{ y: __typename }"}, []string{"queries/a.b.graphql: the id a.b is that of another document, in queries/a/b.gql; give one of them another name"}},
		{"one of them in a manifest", map[string]string{"a.graphql": "{ x: __typename }", "m.json": `{"a":"{ y: __typename }"}`}, []string{"queries/m.json#/a: the id a is that of another document, in queries/a.graphql"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := documents(t, c.files)
			_, err := trusting(t, dir, gateway.DocumentsEnforce, nil)
			if err == nil {
				t.Fatal("it started")
			}
			var lines []string
			for line := range strings.Lines(err.Error()) {
				lines = append(lines, strings.TrimSpace(line))
			}
			if len(lines) != len(c.want) {
				t.Errorf("%d faults, want %d:\n%v", len(lines), len(c.want), err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %s", err, want)
				}
			}
			for _, mode := range []string{gateway.DocumentsOff, gateway.DocumentsLog} {
				var log bytes.Buffer
				g, err := trusting(t, dir, mode, func(o *gateway.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
				if err != nil {
					t.Fatalf("%s: it did not start: %v", mode, err)
				}
				if n := strings.Count(log.String(), "a trusted document is left out"); n != len(c.want) {
					t.Errorf("%s: the log tells of %d, want %d:\n%s", mode, n, len(c.want), log.String())
				}
				if w := gatewaytest.Do(g.Handler(), "POST", "/graphql", `{"documentId":"a"}`, gatewaytest.AsJSON); !strings.Contains(w.Body.String(), "DOCUMENT_NOT_FOUND") {
					if c.name != "two documents of one name" {
						t.Errorf("%s: %s", mode, w.Body)
					}
				}
			}
		})
	}
}

// TestDocumentFolders: a folder that is not there stops the start in every mode, and
// an empty one where nothing else would be answered.
func TestDocumentFolders(t *testing.T) {
	for _, mode := range []string{gateway.DocumentsOff, gateway.DocumentsLog, gateway.DocumentsEnforce} {
		if _, err := trusting(t, t.TempDir(), mode, nil); err == nil || !strings.Contains(err.Error(), "gateway.yaml#/graphql/documents/folder: the folder queries cannot be read: no such file") {
			t.Errorf("%s: %v", mode, err)
		}
		_, err := trusting(t, documents(t, map[string]string{"README.md": ""}), mode, nil)
		if empty := err != nil && strings.Contains(err.Error(), "queries: has no document"); empty != (mode == gateway.DocumentsEnforce) || !empty && err != nil {
			t.Errorf("%s, and no document: %v", mode, err)
		}
	}
}

// TestTheSameDocumentTwice is no fault: a manifest may hold what a file has.
func TestTheSameDocumentTwice(t *testing.T) {
	dir := documents(t, map[string]string{"a.graphql": "{ __typename }\n", "m.json": `{"a":"{ __typename }","b":"{ __typename }"}`})
	if _, err := trusting(t, dir, gateway.DocumentsEnforce, nil); err != nil {
		t.Error(err)
	}
}

// TestDocumentsOfAudiences: a document is fine where one surface can execute it, and is
// served there alone.
func TestDocumentsOfAudiences(t *testing.T) {
	p, err := facade.Read(fstest.MapFS{
		"entities/thing.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\nrequired: [id, name]\n")},
		"entities/other.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\nrequired: [id]\n")},
		"frond.yaml":          {Data: []byte("surfaces:\n  graphql: {except: [other]}\n  audiences:\n    partner: {graphql: {only: [other]}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := documents(t, map[string]string{"things.graphql": "{ things { total } }", "others.graphql": "{ others { total } }"})
	g, err := gateway.New(p, &gateway.Options{Undecided: true, Logger: slog.New(slog.DiscardHandler), Config: gateway.Config{
		Store: "memory", Dir: dir, GraphQL: gateway.GraphQL{Documents: gateway.Documents{Folder: "queries", Mode: gateway.DocumentsEnforce}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	for _, c := range []struct{ path, id, want string }{
		{"/graphql", "things", `{"data":{"things":{"total":0}}}`},
		{"/graphql", "others", "DOCUMENT_NOT_FOUND"},
		{"/partner/graphql", "others", `{"data":{"others":{"total":0}}}`},
		{"/partner/graphql", "things", "DOCUMENT_NOT_FOUND"},
	} {
		if w := gatewaytest.Do(g.Handler(), "POST", c.path, `{"documentId":"`+c.id+`"}`, gatewaytest.AsJSON); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s of %s: %s, want %s", c.id, c.path, w.Body, c.want)
		}
	}
}

// TestUntrustedDocumentsAreLoggedOnce: in the mode log, without the values in them.
func TestUntrustedDocumentsAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	g, err := trusting(t, documents(t, folder), gateway.DocumentsLog, func(o *gateway.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(query string) {
		gatewaytest.Do(g.Handler(), "POST", "/graphql", `{"query":`+quoted(query)+`}`, gatewaytest.AsJSON)
	}
	const message = "a document that is not trusted was run"
	ask(inRelay)
	ask(inFile)
	if strings.Contains(log.String(), message) {
		t.Errorf("trusted documents were logged:\n%s", log.String())
	}
	for range 3 {
		ask(`query Find { thing(id: "a secret") { id } }`)
	}
	if strings.Count(log.String(), message) != 1 || !strings.Contains(log.String(), `begins="query Find"`) || strings.Contains(log.String(), "secret") {
		t.Errorf("the log says\n%s", log.String())
	}
	for i := range 1100 {
		ask(fmt.Sprintf("{ a%d: __typename }", i))
	}
	if n := strings.Count(log.String(), message); n != 1000 || strings.Count(log.String(), "are not logged") != 1 {
		t.Errorf("%d documents were logged, want 1000 and a last line", n)
	}
}
