package gateway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
)

// docsFiles is a project whose partner sees one operation of one door, whose secret no caller
// sends or reads, and whose door hidden is on GraphQL alone.
var docsFiles = fstest.MapFS{
	"fronds/app/entities/note.yaml": {Data: []byte(`title: note
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  title: {type: string, maxLength: 20, pattern: '^[a-z]+$'}
required: [title]
`)},
	"fronds/app/entities/vault.yaml": {Data: []byte(`title: vault
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  label: {type: string}
  innermost: {type: string, x-kit: {boundary: {in: closed, out: closed}, lifecycle: {create: {value: x}}}}
`)},
	"fronds/app/entities/hidden.yaml": {Data: []byte(`title: hidden
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
`)},
	"fronds/app/frond.yaml": {Data: []byte(`collectors:
  note:
    - when: '"staff" in user.roles'
    - when: user != nil
      allow: [list, findById]
    - deny: all
  vault: open
  hidden: open
surfaces:
  rest: {except: [hidden]}
  envelope: {except: [hidden]}
  audiences: {partner: {rest: {only: [note.create]}, graphql: {only: [note.create]}}}
`)},
}

func docsOf(t *testing.T, config gateway.Config) func(path string, headers ...string) reply {
	return pagesOf(t, docsFiles, config)
}

// pagesOf reads pages of a gateway of a project.
func pagesOf(t *testing.T, files fstest.MapFS, config gateway.Config) func(path string, headers ...string) reply {
	gw := gatewayOf(t, read(t, files), gateway.Options{Config: config})
	return func(path string, headers ...string) reply {
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = "127.0.0.1:4000"
		for _, line := range headers {
			name, value, _ := strings.Cut(line, ": ")
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		return reply{w.Code, w.Header(), w.Body.String()}
	}
}

// TestDocsOfAnAudience: what the page loads names what the audience is shown, and nothing else.
func TestDocsOfAnAudience(t *testing.T) {
	get := docsOf(t, gateway.Config{})
	for path, want := range map[string][]string{
		"/docs/cards.js": {`"note.create": schema(card0, 0)`, `pattern:"^[a-z]+$"`, "note.update"}, "/docs/host.json": {"createNote", "vaults", `"signIn":"none"`}, "/docs/rights.json": {"note.create", "vault.list"},
		"/partner/docs/cards.js": {"note.create"}, "/partner/docs/host.json": {"createNote", `"path":"/partner/graphql"`, `"rpc":"/partner/_kit/call"`}, "/partner/docs/rights.json": {"note.create"},
	} {
		got := get(path)
		media := "application/json"
		if strings.HasSuffix(path, ".js") {
			media = "text/javascript; charset=utf-8"
		}
		if got.status != 200 || got.header.Get("Content-Type") != media {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
		for _, text := range want {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s lacks %s: %s", path, text, got.body)
			}
		}
		strange := []string{"innermost", "hidden"}
		if strings.HasPrefix(path, "/partner") {
			strange = append(strange, "vault", "note.update", "updateNote", "note.list")
		}
		for _, text := range strange {
			if strings.Contains(got.body, text) {
				t.Errorf("%s names %s: %s", path, text, got.body)
			}
		}
	}
	if shown := docsOf(t, gateway.Config{GraphQL: gateway.GraphQL{Introspection: new(true)}})("/docs/host.json"); !strings.Contains(shown.body, "createHidden") {
		t.Errorf("with introspection the documents for GraphQL lack createHidden: %s", shown.body)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.graphql"), []byte("{ notes { total } }"), 0o600); err != nil {
		t.Fatal(err)
	}
	if trusted := docsOf(t, gateway.Config{Dir: dir, GraphQL: gateway.GraphQL{Documents: gateway.Documents{Folder: ".", Mode: gateway.DocumentsEnforce}}})("/docs/host.json"); strings.Contains(trusted.body, "createNote") {
		t.Errorf("documents that would be refused: %s", trusted.body)
	}
}

// TestDocsRights: the table has the verdict of each operation about the caller of the request.
func TestDocsRights(t *testing.T) {
	get := docsOf(t, gateway.Config{Identity: gateway.Identity{Dev: true}})
	for user, want := range map[string]map[string]string{
		"":                               {"note.list": "UNAUTHORIZED", "note.create": "UNAUTHORIZED", "vault.create": ""},
		`{"id":"ada"}`:                   {"note.list": "", "note.findById": "", "note.create": "FORBIDDEN", "vault.create": ""},
		`{"id":"ada","roles":["staff"]}`: {"note.list": "", "note.create": "", "note.delete": ""},
	} {
		var headers []string
		if user != "" {
			headers = append(headers, "X-Frond-User: "+user)
		}
		got := get("/docs/rights.json", headers...)
		var rights []struct{ Operation, Code string }
		if err := json.Unmarshal([]byte(got.body), &rights); err != nil || got.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", got.status, got.header, got.body)
		}
		found := 0
		for _, r := range rights {
			if code, listed := want[r.Operation]; listed {
				found++
				if r.Code != code {
					t.Errorf("%s for %q: %q, want %q", r.Operation, user, r.Code, code)
				}
			}
		}
		if found != len(want) {
			t.Errorf("for %q: %s", user, got.body)
		}
	}
	if got := get("/docs/rights.json", "X-Frond-User: ada"); got.status != 401 {
		t.Errorf("a user that is no JSON: %d %s", got.status, got.body)
	}
	if got := get("/docs/rights.json", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"); got.status != 403 {
		t.Errorf("a page of another site: %d %s", got.status, got.body)
	}
	host := get("/docs/host.json").body
	if want := `"callers":[{"name":"ada","user":{"id":"ada"}},{"name":"ada, staff","user":{"id":"ada","roles":["staff"]}}]`; !strings.Contains(host, want) {
		t.Errorf("host.json lacks %s: %s", want, host)
	}
}

// TestDocsRightsOfRows: the table has the condition on the rows of the caller.
func TestDocsRightsOfRows(t *testing.T) {
	files := maps.Clone(docsFiles)
	files["fronds/app/frond.yaml"] = &fstest.MapFile{Data: []byte("collectors:\n  note: [{when: user.id == \"s\"}, {rows: {id: {eq: $user.id}}}]\n  vault: [{rows: {innermost: {eq: $user.id}}}]\n  hidden: open\n")}
	get := pagesOf(t, files, gateway.Config{Identity: gateway.Identity{Dev: true}})
	for user, want := range map[string][]string{
		`{"id":"ada"}`: {`{"operation":"note.list","rows":"id is your user.id"}`, `{"operation":"note.update","rows":"id is your user.id"}`, `{"operation":"vault.list","rows":"some rows"}`},
		`{"id":"s"}`:   {`{"operation":"note.list"}`},
	} {
		got := get("/docs/rights.json", "X-Frond-User: "+user).body
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("%s: rights.json lacks %s: %s", user, text, got)
			}
		}
	}
}

// TestDocsRightsReport: a session hook that fails is logged with the id that the answer names, and
// the answer does not have its cause.
func TestDocsRightsReport(t *testing.T) {
	var log bytes.Buffer
	gw, err := gateway.New(read(t, docsFiles), &gateway.Options{
		Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Session: func(*http.Request) (access.State, error) { return nil, errors.New("the directory is down") },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/docs/rights.json", nil)
	r.RemoteAddr = "127.0.0.1:4000"
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	gw.Handler().ServeHTTP(w, r)
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	if body := w.Body.String(); w.Code != 500 || !strings.Contains(body, id) || strings.Contains(body, "directory") {
		t.Errorf("%d %s", w.Code, body)
	}
	if text := log.String(); !strings.Contains(text, "the directory is down") || !strings.Contains(text, id) {
		t.Errorf("the log: %s", text)
	}
}

// TestDocsCallers: the page offers a user of each role that an expression compares with.
func TestDocsCallers(t *testing.T) {
	files := maps.Clone(docsFiles)
	files["fronds/app/frond.yaml"] = &fstest.MapFile{Data: []byte(`
collectors:
  note:
    - when: '"staff" not in user.roles && user.role in ["clerk", "manager"]'
    - when: '"chief" == state.user.role || user.tenant == "acme"'
    - deny: all
  vault: open
  hidden: open
`)}
	gw := gatewayOf(t, read(t, files), gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}}})
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/docs/host.json", nil)
	r.RemoteAddr = "127.0.0.1:4000"
	gw.Handler().ServeHTTP(w, r)
	var host struct {
		Callers []struct {
			Name string
			User map[string]any
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &host); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range host.Callers {
		text, _ := json.Marshal(c.User)
		got[c.Name] = string(text)
	}
	want := map[string]string{
		"ada": `{"id":"ada"}`, "ada, staff": `{"id":"ada","roles":["staff"]}`, "ada, clerk": `{"id":"ada","role":"clerk"}`,
		"ada, manager": `{"id":"ada","role":"manager"}`, "ada, chief": `{"id":"ada","role":"chief"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
