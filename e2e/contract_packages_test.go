package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestBuiltPackages builds the press's contract as packages, and uses both: the Go
// module in a module of somebody else's, the npm package installed from its tarball.
func TestBuiltPackages(t *testing.T) {
	t.Parallel()
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
		if !testing.Short() { // the tests of the module that imports it compile it, too
			goTool(t, out+"/go", nil, "vet", "./...")
		}
		dir := goModule(t, "example.com/installed", map[string]string{"example.com/contracts/press": filepath.Join(out, "go")})
		copyInto(t, dir, filepath.Join(contractDir, "installed"))
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
held ["ELM",true,null,true]
stale "PRECONDITION_FAILED"
kept "PRECONDITION_FAILED"
unfilled "VALIDATION_FAILED"
where [true,"PRECONDITION_FAILED"]
unset "VALIDATION_FAILED"
none null
both 1
reprint 7
shelve "A"
check true
refused ["VALIDATION_FAILED","book","create",[{"path":"title","pointer":"/body/title","code":"minLength","message":"must have at least 1 character","params":{"limit":1}}]]
delete [true,false]
away "SERVICE_UNAVAILABLE"
bundle ["author","book","visit"]
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
	t.Parallel()
	for _, frond := range []string{"names", "shapes"} {
		t.Run(frond, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join(root, "cmd", "frond", "contract", "testdata", frond+".txtar"))
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
			if frond == "shapes" {
				copyFile(t, filepath.Join(contractDir, "many", "many_test.go"), filepath.Join(out, "go", "many_test.go"))
			}
			if frond == "shapes" || !testing.Short() { // vet compiles the package
				goTool(t, out+"/go", nil, "test", ".")
			}

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
	mod := "module " + name + "\n\ngo 1.26.0\n\n" + requireThis(t)
	for module, at := range others {
		mod += "require " + module + " v0.0.0\nreplace " + module + " => " + at + "\n"
	}
	write(t, dir, map[string]string{"go.mod": mod})
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
	return dir
}

// requireThis are the lines of a go.mod that builds with this repository. They name what this
// repository needs too: else go looks for the go.mod of modules that no package here needs, which
// nobody has fetched.
func requireThis(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, needs, found := strings.Cut(string(mod), "\nrequire")
	if !found {
		t.Fatal("go.mod requires nothing")
	}
	return "require github.com/frondhost/frond v0.0.0\nreplace github.com/frondhost/frond => " + root + "\nrequire" + needs
}

// goTool runs go with what this repository's own build has fetched already.
func goTool(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	return tool(t, dir, append([]string{"GOFLAGS=-mod=mod -trimpath", static, "GOPROXY=off", "GOWORK=off"}, env...), "go", args...)
}

// tool runs a program in dir, which has to leave with 0; what it says on stdout. A compiler may take
// as long as the whole test.
func tool(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := testprogram.Run(cmd); err != nil {
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

// TestClientIsTheBuiltPackage: frond client writes the npm package of build-frond, byte for byte: keys that the
// host bounds, views that no operation shows, fields with files.
func TestClientIsTheBuiltPackage(t *testing.T) {
	t.Parallel()
	host := startGateway(t, shopDir)
	for _, frond := range []string{"catalog", "sales"} {
		built, fetched := t.TempDir(), t.TempDir()
		if r := run(t, "", "build-frond", frond, "--dir", shopDir, "--out", built); r.code != 0 {
			t.Fatal(r.stderr)
		}
		if r := run(t, "", "client", frond, "--from", host.URL, "--out", fetched); r.code != 0 {
			t.Fatal(r.stderr)
		}
		here, there := filesOf(t, filepath.Join(built, "npm")), filesOf(t, fetched)
		delete(there, "generated.json") // of build-frond it lists both packages
		if diff := cmp.Diff(here, there); diff != "" {
			t.Errorf("%s of build-frond and of client differ:\n%s", frond, diff)
		}
	}
}
