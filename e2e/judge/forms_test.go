package judge

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/storetest"
)

const modules = "../../client/node_modules"

// installed is a folder with the npm package of a Frond among the client's own packages.
func installed(t *testing.T, project, frond, npm string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err, "`make js` installs it")
		}
		t.Skip(err)
	}
	read, err := facade.Read(os.DirFS(project))
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.Compiled(t, read)
	model, err := contract.Read(f.Catalog, frond)
	if err != nil {
		t.Fatal(err)
	}
	files, err := model.Packages(contract.PackageOptions{NPM: npm})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "node_modules", filepath.FromSlash(npm))
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, "npm/"); ok {
			writeFile(t, filepath.Join(at, rest), text)
		}
	}
	here, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(here)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if err := os.Symlink(filepath.Join(here, m.Name()), filepath.Join(dir, "node_modules", m.Name())); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`))
	return dir
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// node runs node in dir and returns what it prints.
func node(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), talk.String())
	}
	return out.String()
}

// bundle is a program of dir in one file, as a page would ship it. esbuild is a script or, once
// npm has run what packages install, a program: it is run as it stands.
func bundle(t *testing.T, dir, entry, out string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "node_modules", "esbuild", "bin", "esbuild"), append([]string{entry, "--bundle", "--format=esm", "--platform=node", "--log-level=error", "--outfile=" + out}, args...)...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("esbuild: %v\n%s", err, said)
	}
}

// TestForms: the schemas are what form libraries take, in types and at work.
func TestForms(t *testing.T) {
	dir := installed(t, "../../examples/shop", "catalog", "@shop/catalog")
	if err := os.CopyFS(filepath.Join(dir, "src"), os.DirFS("testdata/forms")); err != nil {
		t.Fatal(err)
	}
	if said := node(t, dir, filepath.Join("node_modules", "typescript", "bin", "tsc"), "-p", "src"); said != "" {
		t.Fatal(said)
	}
	bundle(t, dir, "src/forms.tsx", "forms.mjs", "--jsx=automatic", "--banner:js=import{createRequire}from'node:module';const require=createRequire(import.meta.url);")
	// No code is made of strings: a page with a strict policy may run it.
	said := node(t, dir, "--disallow-code-generation-from-strings", "forms.mjs")
	want := `
spec [1,{"value":{"sku":"ABC-0001","name":"Cup","price":900,"weight":null,"categoryId":"c1","supplierId":null}}]
hook form [["colour","is not part of the card; leave it out"],["name","must have at least 2 characters"],["price","must be at least 1"]]
drawn "<input name=\"name\"/>"
tanstack form [["colour",["is not part of the card; leave it out"]],["name",["must have at least 2 characters"]],["price",["must be at least 1"]]]
patch [{"value":{"price":950}},[{"path":"id","pointer":"/body/id","code":"immutable","message":"cannot be changed once it is set; send only what changes"},{"path":"price","pointer":"/body/price","code":"type","message":"must be an integer, not null","params":{"type":"integer"}}]]
absent ["/body/sku","/body/name","/body/price","/body/weight","/body/categoryId","/body/supplierId"]
as sent [["sku","is required"],["price","must be an integer, not null"]]
fill {"sku":"ABC-0001","name":"Cup","description":"","price":900,"weight":null,"status":"draft","stock":0,"tags":[],"categoryId":"c1","supplierId":null,"companionIds":[],"createdAt":"2026-05-01T10:30:00.123Z","updatedAt":"2026-05-01T10:30:00.123Z"}
untouched {"value":{"sku":"ABC-0001","name":"Cup","price":900,"weight":null,"categoryId":"c1","supplierId":null}}
`
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
		t.Errorf("the program prints (-want):\n%s", diff)
	}
}
