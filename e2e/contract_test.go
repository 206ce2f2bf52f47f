package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var contractDir = filepath.Join(root, "e2e", "testdata", "contract")

// TestSyncLeavesWith holds what frond sync leaves with.
func TestSyncLeavesWith(t *testing.T) {
	t.Parallel()
	host := startReceiver(t, shopDir, "catalog")
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"there is something to write", []string{"catalog", "--from", host.URL, "--check"}, 1},
		{"it is written", []string{"catalog", "--from", host.URL}, 0},
		{"nothing changed", []string{"catalog", "--from", host.URL, "--check"}, 0},
		{"no such Frond", []string{"sales", "--from", host.URL}, 2},
		{"no address", []string{"catalog"}, 2},
		{"nobody there", []string{"catalog", "--from", "http://127.0.0.1:1"}, 3},
	} {
		r := run(t, "", append([]string{"sync", "--dir", dir}, c.args...)...)
		if r.code != c.code {
			t.Errorf("%s: it leaves with %d, want %d\n%s%s", c.name, r.code, c.code, r.stdout, r.stderr)
		}
	}
	if r := run(t, "", "call", "product.list", "--url", "http://127.0.0.1:1"); r.code != 3 {
		t.Errorf("a call of nobody leaves with %d, want 3", r.code)
	}
	if r := run(t, "", "build-frond", "sales", "--dir", dir); r.code != 2 || !strings.Contains(r.stderr, "it has catalog") {
		t.Errorf("a Frond that is not there: %d, %s", r.code, r.stderr)
	}
}

// TestSyncedSchema holds the gateway's schema over synced files, with its hosts down and up,
// against the one over discovery alone and the one over the cards that their author
// wrote: names, types and descriptions are the same.
func TestSyncedSchema(t *testing.T) {
	t.Parallel()
	catalog, sales := startReceiver(t, shopDir, "catalog"), startReceiver(t, shopDir, "sales")
	there := []string{"--remote", "catalog=" + catalog.URL, "--remote", "sales=" + sales.URL}
	remote := []string{"--remote", "catalog=http://127.0.0.1:1", "--remote", "sales=http://127.0.0.1:1"}
	synced, empty := t.TempDir(), t.TempDir()
	for frond, host := range map[string]*program{"catalog": catalog, "sales": sales} {
		if r := run(t, "", "sync", frond, "--from", host.URL, "--dir", synced); r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
	sdl := func(dir string, args ...string) string {
		r := run(t, "", append([]string{"schema", "--dir", dir}, args...)...)
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
		return r.stdout
	}
	here := sdl(shopDir)
	for name, got := range map[string]string{
		"discovered":        sdl(empty, there...),
		"synced":            sdl(synced, there...),
		"synced and away":   sdl(synced, remote...),
		"the author's, far": sdl(shopDir, there...),
	} {
		if diff := cmp.Diff(strings.Split(here, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s is another schema than the author's (-author's):\n%s", name, diff)
		}
	}
}

// TestSyncedGo builds a program over the package that frond sync wrote of a running
// host, and runs it against that host.
func TestSyncedGo(t *testing.T) {
	t.Parallel()
	host := startPress(t)
	dir := goModule(t, "example.com/program", nil)
	copyInto(t, dir, filepath.Join(contractDir, "program"))
	if r := run(t, "", "sync", "press", "--from", host.URL, "--dir", t.TempDir(), "--go", filepath.Join(dir, "press")); r.code != 0 {
		t.Fatal(r.stderr)
	}
	goTool(t, dir, nil, "vet", "./...")
	said := goTool(t, dir, nil, "run", ".", host.URL)
	want := strings.TrimSpace(`
list 2 true true
after true
refused VALIDATION_FAILED [{"path":"title","pointer":"/body/title","code":"minLength","message":"must have at least 1 character","params":{"limit":1}},{"path":"price","pointer":"/body/price","code":"format","message":"must be a decimal such as 12.50","params":{"format":"decimal"}},{"path":"pages","pointer":"/body/pages","code":"minimum","message":"must be at least 1","params":{"limit":1}}]
there VALIDATION_FAILED true
judged true
made OAK 12.50 9007199254740993 true true de-DE proof 2000-02-29 Oak (9007199254740993 pp.)
nested Bodoni true 90 true
patched true 13 OAK Bodoni 120
cleared true 0.5
patch VALIDATION_FAILED
found true
none true
both 1
reprint 7
cheapest 0.99
labels true
shelve "A-3"
check true
fail CONFLICT the paper is used up
call {"b":null}
delete true false
bundle true
stub Stub
`)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
		t.Errorf("the program says (-want):\n%s", diff)
	}
}

// TestSyncedForeign syncs hosts of another make: one that says less than ours, whose
// schema is the same with the host down, and some that would write elsewhere.
func TestSyncedForeign(t *testing.T) {
	t.Parallel()
	document := `{"x-kit-version":1,"fronds":[{"name":"depot","doors":[
		{"name":"orderItem","ops":[{"name":"list","kind":"query"},{"name":"findById","kind":"query","output":{"title":"orderitem","type":"object","properties":{"id":{"type":"string"}}}},{"name":"create","kind":"command"},{"name":"pick","kind":"command"}],
		 "schema":{"title":"orderitem","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"label":{"type":"string","x-later":"1.50"},"buyerId":{"type":"string","x-kit":{"role":{"relation":{"to":"customer","kind":"one"}},"colour":"red"}}},"required":["id","label","buyerId"]}},
		{"name":"health","ops":[{"name":"check","kind":"query"}]}]}]}`
	var current atomic.Value
	current.Store(document)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var frame struct{ ID json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&frame); err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, frame.ID, current.Load())
	}))
	defer host.Close()
	dir := t.TempDir()
	code := goModule(t, "example.com/depot", nil)
	if r := run(t, "", "sync", "depot", "--from", host.URL, "--dir", dir, "--go", code); r.code != 0 {
		t.Fatal(r.stderr)
	}
	goTool(t, code, nil, "vet", "./...")
	text, err := os.ReadFile(filepath.Join(code, "contract.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Pick(ctx context.Context, in facade.Invocation) (json.RawMessage, error)",
		"Check(ctx context.Context, in facade.Invocation) (json.RawMessage, error)",
		"// The host understands limit of the query.",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the client has no %s", want)
		}
	}
	there := run(t, "", "schema", "--dir", t.TempDir(), "--remote", "depot="+host.URL)
	remote := run(t, "", "schema", "--dir", dir, "--remote", "depot=http://127.0.0.1:1")
	if diff := cmp.Diff(there.stdout, remote.stdout); diff != "" || there.code != 0 || remote.code != 0 {
		t.Errorf("the schema is another with the host down:\n%s%s%s", diff, there.stderr, remote.stderr)
	}

	for name, change := range map[string][2]string{
		"a door that is a path":        {`"name":"health"`, `"name":"../../../health"`},
		"an entity that is a path":     {`"name":"orderItem"`, `"name":"/tmp/orderItem"`},
		"a Frond that is a path":       {`"name":"depot"`, `"name":"../depot"`},
		"a card that does not compile": {`"required":["id","label","buyerId"]`, `"required":7`},
		"another version":              {`"x-kit-version":1`, `"x-kit-version":2`},
	} {
		current.Store(strings.Replace(document, change[0], change[1], 1))
		frond := "depot"
		if strings.HasSuffix(change[1], `"../depot"`) {
			frond = "../depot"
		}
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		r := run(t, "", "sync", frond, "--from", host.URL, "--dir", dir)
		if r.code == 0 || len(filesOf(t, filepath.Dir(dir))) > 0 {
			t.Errorf("%s: it leaves with %d, and there stands %v\n%s", name, r.code, filesOf(t, filepath.Dir(dir)), r.stderr)
		}
	}
}

// TestSyncedGateway starts a gateway from synced files while the host is down: the
// schema is whole and calls are SERVICE_UNAVAILABLE; once the host is there, they are
// answered, and the schema is the one it was.
func TestSyncedGateway(t *testing.T) {
	t.Parallel()
	host := startReceiver(t, shopDir, "catalog")
	dir := t.TempDir()
	if r := run(t, "", "sync", "catalog", "--from", host.URL, "--dir", dir); r.code != 0 {
		t.Fatal(r.stderr)
	}
	host.stop(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(host.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	front := startGateway(t, dir, "--mode", "development", "--remote", "catalog="+host.URL)
	ask := func(query string) string {
		r, err := http.Post(front.URL+"/graphql", "application/json", strings.NewReader(`{"query":`+strconv.Quote(query)+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const introspection, rows = `{ __schema { types { name fields { name type { name kind } args { name } } inputFields { name } } } }`, `{ products(first: 1) { total items { name inStock category { name } } } }`
	remote := ask(introspection)
	if got := ask(rows); !strings.Contains(got, "SERVICE_UNAVAILABLE") {
		t.Errorf("with the host down: %s", got)
	}
	start(t, exec.Command(binary(t), "serve", "catalog", "--dir", shopDir, "--port", port, "--store", "memory"))
	var got string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if got = ask(rows); !strings.Contains(got, `"errors"`) {
			break
		}
	}
	if !strings.Contains(got, `"inStock":`) || strings.Contains(got, `"errors"`) {
		t.Errorf("with the host there: %s", got)
	}
	if there := ask(introspection); there != remote {
		t.Error("the schema is another once the host is there")
	}
}
