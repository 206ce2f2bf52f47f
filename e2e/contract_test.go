package e2e_test

import (
	"bytes"
	"context"
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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var contractDir = filepath.Join(root, "e2e", "testdata", "contract")

// TestSyncLeavesWith holds what frond sync leaves with.
func TestSyncLeavesWith(t *testing.T) {
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

// TestSyncedSchema holds the gateway's schema over synced files, its hosts away or there,
// against the one over discovery alone and the one over the cards that their author
// wrote: names, types and descriptions are the same.
func TestSyncedSchema(t *testing.T) {
	catalog, sales := startReceiver(t, shopDir, "catalog"), startReceiver(t, shopDir, "sales")
	there := []string{"--remote", "catalog=" + catalog.URL, "--remote", "sales=" + sales.URL}
	away := []string{"--remote", "catalog=http://127.0.0.1:1", "--remote", "sales=http://127.0.0.1:1"}
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
		"synced and away":   sdl(synced, away...),
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

// TestBuiltPackages builds the press's contract as packages, and uses both: the Go
// module in a module of somebody else's, the npm package installed from its tarball.
func TestBuiltPackages(t *testing.T) {
	out := t.TempDir()
	build := func(dir, out string) {
		t.Helper()
		r := run(t, "", "build-frond", "press", "--dir", dir, "--out", out, "--module", "example.com/contracts/press", "--npm", "@shop/press", "--contract", "1.4.0")
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
	build(pressDir, out)
	again := t.TempDir()
	build(pressDir, again)
	if diff := cmp.Diff(filesOf(t, out), filesOf(t, again)); diff != "" {
		t.Fatalf("the same cards are other bytes:\n%s", diff)
	}
	host := startPress(t)
	t.Run("go", func(t *testing.T) {
		goTool(t, out+"/go", []string{"GOFLAGS=-mod=mod"}, "mod", "edit", "-replace", "github.com/frondhost/frond="+root)
		copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(out, "go", "go.sum"))
		goTool(t, out+"/go", nil, "vet", "./...")
		dir := goModule(t, "example.com/installed", map[string]string{"example.com/contracts/press": filepath.Join(out, "go")})
		copyInto(t, dir, filepath.Join(contractDir, "installed"))
		goTool(t, dir, nil, "vet", "./...")
		goTool(t, dir, []string{"PRESS=" + host.URL, "PRESS_CARDS=" + pressDir}, "test", "./...")
	})
	t.Run("npm", func(t *testing.T) {
		installed := js(t)
		need(t, "npm")
		// From synced cards: those know what the host's own code adds to the rows.
		synced, out := t.TempDir(), t.TempDir()
		if r := run(t, "", "sync", "press", "--from", host.URL, "--dir", synced); r.code != 0 {
			t.Fatal(r.stderr)
		}
		build(synced, out)
		dir := t.TempDir()
		copyInto(t, dir, filepath.Join(contractDir, "npm"))
		write(t, dir, map[string]string{"package.json": `{"private":true,"type":"module"}`})
		tarball := strings.TrimSpace(tool(t, filepath.Join(out, "npm"), nil, "npm", "pack", "--silent", "--offline", "--pack-destination", dir))
		tool(t, dir, nil, "npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "./"+tarball)
		if err := os.MkdirAll(filepath.Join(dir, "node_modules", "@types"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"@types/node", "undici-types"} {
			if err := os.Symlink(filepath.Join(installed, "node_modules", name), filepath.Join(dir, "node_modules", name)); err != nil {
				t.Fatal(err)
			}
		}
		if said := tool(t, dir, nil, "node", filepath.Join(installed, "node_modules", "typescript", "bin", "tsc"), "-p", "."); said != "" {
			t.Fatal(said)
		}
		said := tool(t, dir, nil, "node", "main.js", host.URL)
		want := strings.TrimSpace(`
list [2,true,"string"]
made ["ELM","12.50",null,"de-DE",null,"Elm (12 pp.)"]
patched [true,"Bodoni","ELM"]
none null
both 1
reprint 7
shelve "A"
check true
refused ["VALIDATION_FAILED","book","create",[{"path":"title","pointer":"/body/title","code":"minLength","message":"must have at least 1 character","params":{"limit":1}}]]
delete [true,false]
away "SERVICE_UNAVAILABLE"
bundle ["author","book"]
`)
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
			t.Errorf("the program says (-want):\n%s", diff)
		}
	})
}

// TestBuiltPackagesCompile builds what is hard to build: names that a language has for
// itself or that meet one another, texts that want out of their comment, every shape.
// Both compilers are content.
func TestBuiltPackagesCompile(t *testing.T) {
	for _, frond := range []string{"names", "shapes"} {
		t.Run(frond, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join(root, "internal", "contract", "testdata", frond+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				if strings.HasPrefix(f.Name, "fronds/") {
					files[f.Name] = string(f.Data)
				}
			}
			out := t.TempDir()
			if r := run(t, "", "build-frond", frond, "--dir", folder(t, files), "--out", out); r.code != 0 {
				t.Fatal(r.stderr)
			}
			goTool(t, out+"/go", nil, "mod", "edit", "-replace", "github.com/frondhost/frond="+root)
			copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(out, "go", "go.sum"))
			goTool(t, out+"/go", nil, "vet", ".")
			write(t, filepath.Join(out, "go"), map[string]string{"judges_test.go": "package " + frond + "\n\nimport \"testing\"\n\nfunc TestJudges(t *testing.T) {\n\tif all := judging(); all.err != nil || len(all.of) == 0 {\n\t\tt.Fatal(all.err)\n\t}\n}\n"})
			goTool(t, out+"/go", nil, "test", ".")

			installed := js(t)
			write(t, filepath.Join(out, "npm"), map[string]string{"use.ts": "import { createClient } from './index.js';\nexport const client = createClient('http://127.0.0.1');\n"})
			tool(t, filepath.Join(out, "npm"), nil, "node", filepath.Join(installed, "node_modules", "typescript", "bin", "tsc"),
				"--strict", "--noEmit", "--skipLibCheck", "false", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext", "use.ts")
			tool(t, filepath.Join(out, "npm"), nil, "node", "--input-type=module", "-e", "import { createClient } from './index.js'; createClient('http://127.0.0.1')")
		})
	}
}

// goModule is a new module beside this repository, which it is built with; others
// says where further modules stand.
func goModule(t *testing.T, name string, others map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	mod := "module " + name + "\n\ngo 1.26.0\n\nrequire github.com/frondhost/frond v0.0.0\nreplace github.com/frondhost/frond => " + root + "\n"
	for module, at := range others {
		mod += "require " + module + " v0.0.0\nreplace " + module + " => " + at + "\n"
	}
	write(t, dir, map[string]string{"go.mod": mod})
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
	return dir
}

// goTool runs go with what this repository's own build has fetched already.
func goTool(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	return tool(t, dir, append([]string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off"}, env...), "go", args...)
}

// tool runs a program in dir, which has to leave with 0; what it says on stdout.
func tool(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), talk.String())
	}
	return out.String()
}

func copyInto(t *testing.T, dir, from string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// filesOf are all files of a folder by their paths.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSyncedForeign syncs hosts of another make: one that says less than ours, whose
// schema is the same with the host away, and some that would write elsewhere.
func TestSyncedForeign(t *testing.T) {
	document := `{"x-kit-version":1,"fronds":[{"name":"depot","doors":[
		{"name":"orderItem","ops":[{"name":"list","kind":"query"},{"name":"findById","kind":"query","output":{"title":"orderitem","type":"object","properties":{"id":{"type":"string"}}}},{"name":"create","kind":"command"},{"name":"pick","kind":"command"}],
		 "schema":{"title":"orderitem","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"label":{"type":"string","x-later":"1.50"},"buyerId":{"type":"string","x-kit":{"role":{"relation":{"to":"customer","kind":"one"}},"colour":"red"}}},"required":["id","label","buyerId"]}},
		{"name":"health","ops":[{"name":"check","kind":"query"}]}]}]}`
	tell := document
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var frame struct{ ID json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&frame); err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, frame.ID, tell)
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
	away := run(t, "", "schema", "--dir", dir, "--remote", "depot=http://127.0.0.1:1")
	if diff := cmp.Diff(there.stdout, away.stdout); diff != "" || there.code != 0 || away.code != 0 {
		t.Errorf("the schema is another with the host away:\n%s%s%s", diff, there.stderr, away.stderr)
	}

	for name, change := range map[string][2]string{
		"a door that is a path":        {`"name":"health"`, `"name":"../../../health"`},
		"an entity that is a path":     {`"name":"orderItem"`, `"name":"/tmp/orderItem"`},
		"a Frond that is a path":       {`"name":"depot"`, `"name":"../depot"`},
		"a card that does not compile": {`"required":["id","label","buyerId"]`, `"required":["nothing"]`},
		"another version":              {`"x-kit-version":1`, `"x-kit-version":2`},
	} {
		tell = strings.Replace(document, change[0], change[1], 1)
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

// TestSyncedGateway starts a gateway from synced files while the host is away: the
// schema is whole and calls are SERVICE_UNAVAILABLE; once the host is there, they are
// answered, and the schema is the one it was.
func TestSyncedGateway(t *testing.T) {
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
	front := startGateway(t, dir, "--remote", "catalog="+host.URL)
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
	away := ask(introspection)
	if got := ask(rows); !strings.Contains(got, "SERVICE_UNAVAILABLE") {
		t.Errorf("with the host away: %s", got)
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
	if there := ask(introspection); there != away {
		t.Error("the schema is another once the host is there")
	}
}
